"Pandoc citations for the preview: `[@key]`, `[see @a, p. 3; @b]`, `[-@key]` and `@key` become author-year links, as Quarto renders them."
import re, unicodedata
from pathlib import Path

KEY = r'@((?!(?:eq|fig|tbl)-)[A-Za-z][\w:-]*\w)'
ACCENTS = {"'": '\u0301', '`': '\u0300', '"': '\u0308', '^': '\u0302', '~': '\u0303', 'c': '\u0327', 'v': '\u030c'}

def plain(s):
    "LaTeX text as Unicode: accents, dashes, no braces"
    s = re.sub(r"""\{?\\(['`"^~cv])\s*\{?(\w)\}?\}?""", lambda m: unicodedata.normalize('NFC', m[2]+ACCENTS[m[1]]), s)
    return re.sub(r'[{}]', '', s.replace('---', '—').replace('--', '–').replace(r'\&', '&')).strip()

def read_bib(path):
    "{key: {field: text}} of a .bib file whose fields stand one a line; a key given twice is an error"
    bib = {}
    for kind, key, body in re.findall(r'^@(\w+)\{([\w:-]+),\n(.*?)\n\}', Path(path).read_text(encoding='utf-8'), re.M|re.S):
        if key in bib: raise SystemExit(f'{path}: the key {key} is there twice')
        bib[key] = {k: plain(v) for k, v in re.findall(r'^\s*(\w+)\s*=\s*\{(.*)\},?$', body, re.M)} | {'kind': kind}
    return bib

def surnames(b):
    "How a text names the work: up to three surnames, then et al.; a work without authors goes by its short title"
    if 'author' not in b: return f"“{b.get('shorttitle', b['title'])}”"
    names = [a.split(',')[0].strip() for a in b['author'].split(' and ')]
    if len(names) > 3 or 'others' in names: return f'{names[0]} et al.'
    return ' and '.join(names) if len(names) < 3 else f'{names[0]}, {names[1]}, and {names[2]}'

def reference(b):
    "One line of the reference list, in Markdown"
    names = b['author'].split(' and ') if 'author' in b else []
    etal = 'others' in names; names = [n for n in names if n != 'others']
    names = names[:1] + [' '.join(reversed([p.strip() for p in n.split(',', 1)])) for n in names[1:]]
    who = ', '.join(names) + ', et al.' if etal else names[0] if len(names) == 1 else ', '.join(names[:-1]) + f', and {names[-1]}' if names else ''
    where = b.get('journal') or b.get('booktitle')
    title = f"*{b['title']}*" if b['kind'] == 'book' else f"“{b['title']}.”"
    title += '.' if b['kind'] == 'book' else ''
    bits = [who.rstrip('.') + '.', f"{b['year']}.", title] if who else [title, f"{b['year']}."]
    if where:
        vol = ' '.join(filter(None, [b.get('volume'), f"({b['number']})" if 'number' in b else '']))
        bits.append(f"{'' if 'journal' in b else 'In '}*{where}*" + (f' {vol}' if vol else '') + (f": {b['pages']}" if 'pages' in b else '') + '.')
    if 'publisher' in b: bits.append(b['publisher'] + '.')
    if 'eprint' in b: bits.append(f"arXiv:{b['eprint']}.")
    url = f"https://doi.org/{b['doi']}" if 'doi' in b else b.get('url')
    return ' '.join(bits + ([f'<{url}>.'] if url else []))

class Citer:
    "Resolves the citations of one page; `cited` and `missing` hold the keys met"
    def __init__(self, bib): self.bib, self.cited, self.missing = bib, [], []

    def link(self, key, text):
        if key not in self.cited: self.cited.append(key)
        return f'[{text}](#ref-{key})'

    def known(self, key):
        if key not in self.bib and key not in self.missing: self.missing.append(key)
        return key in self.bib

    def group(self, m):
        "`[see @a, p. 3; -@b]` in brackets"
        out = []
        for part in m[1].split(';'):
            p = re.fullmatch(rf'\s*(.*?)\s*(-?){KEY}\s*(.*?)\s*', part, re.S)
            if not p or not self.known(p[3]): return m[0]
            b = self.bib[p[3]]
            name = b['year'] if p[2] else f"{surnames(b)} {b['year']}"
            out.append((p[1]+' ' if p[1] else '') + self.link(p[3], name) + p[4])
        return '(' + '; '.join(out) + ')'

    def bare(self, m):
        "`@key` in running text, perhaps with a place: `@key [eq. 4]`"
        if not self.known(m[1]): return m[0]
        b = self.bib[m[1]]
        return f"{surnames(b)} ({self.link(m[1], b['year'])}{', '+m[2] if m[2] else ''})"

    def __call__(self, s):
        s = re.sub(rf'\[([^\[\]]*?(?<![\w@/.]){KEY}[^\[\]]*)\](?![\(\[])', self.group, s)
        return re.sub(rf'(?<![\w@/.\[-]){KEY}(?: \[((?:eqs?|p|pp|sec|fig|ch|app|thm|table)\.? [^\[\]]*)\])?', self.bare, s)

    def references(self):
        "The reference list as a Markdown cell, or None when nothing is cited"
        if not self.cited: return None
        sort = lambda k: (re.sub(r'\W', '', surnames(self.bib[k])).lower(), self.bib[k]['year'])
        rows = [f'::: {{#ref-{k} .csl-entry}}\n{reference(self.bib[k])}\n:::' for k in sorted(self.cited, key=sort)]
        return '## References {.unnumbered}\n\n:::: {#refs .references}\n' + '\n\n'.join(rows) + '\n::::'
