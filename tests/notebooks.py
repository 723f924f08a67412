"What the tests ask of a notebook: its cells, directives, module, imports and headings."
import ast, json, re
from functools import cached_property
from pathlib import Path

NBS = Path(__file__).resolve().parents[1]/'nbs'

class Notebook:
    def __init__(self, path): self.path, self.nb = Path(path), json.loads(Path(path).read_text(encoding='utf-8'))
    def __repr__(self): return self.path.name
    @cached_property
    def cells(self): return [(c['cell_type'], ''.join(c['source']), c.get('outputs', [])) for c in self.nb['cells']]
    @cached_property
    def code(self): return [s for kind, s, _ in self.cells if kind == 'code']
    @cached_property
    def prose(self): return '\n\n'.join(s for kind, s, _ in self.cells if kind == 'markdown')
    @cached_property
    def exported(self): return [s for s in self.code if re.search(r'^#\|\s*exports?\b', s, re.M)]
    @property
    def number(self): return int(m[1]) if (m := re.match(r'(\d\d)_', self.path.name)) else None
    @property
    def module(self): return next((m[1] for s in self.code if (m := re.search(r'^#\|\s*default_exp\s+(\S+)', s, re.M))), None)
    @cached_property
    def headings(self): return re.findall(r'^##\s+(.+?)\s*(?:\{.*\})?$', re.sub(r'^```.*?^```', '', self.prose, flags=re.M|re.S), re.M)
    def trees(self, cells=None):
        for s in self.code if cells is None else cells:
            s = '\n'.join(l for l in s.splitlines() if not re.match(r'\s*[%!]', l))
            yield ast.parse(s)
    def imports(self, cells=None):
        "Every module the code imports, anywhere, by full name"
        for tree in self.trees(cells):
            for n in ast.walk(tree):
                if isinstance(n, ast.Import): yield from (a.name for a in n.names)
                elif isinstance(n, ast.ImportFrom) and n.module:
                    yield n.module
                    if n.module == 'benchlit': yield from (f'benchlit.{a.name}' for a in n.names if a.name[:2] != '__')

BOOK = [Notebook(p) for p in sorted(NBS.glob('[0-9][0-9]_*.ipynb'))]
TUTORIALS = [Notebook(p) for p in sorted((NBS/'tutorials').glob('*.ipynb'))]
TEMPLATE = Notebook(NBS/'_template.ipynb')
METHODS = [n for n in BOOK if 20 <= n.number < 80] + [TEMPLATE]
