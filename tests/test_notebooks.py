"The notebooks themselves: the anatomy of a method, sizes, outputs, and the pages around them. `make test` runs them; these read them."
import ast, base64, re, subprocess, sys
import pytest, yaml
from notebooks import BOOK, METHODS, NBS, TEMPLATE, TUTORIALS, Notebook

SLACK = 1.2
CELLS, LINES, CELL_LINES, FIGURE_KB = 60, 250, 35, 150
GROUND = 2  # the ground and the command line serve every method: they may be twice as long
SECTIONS = {  # the anatomy: what each method notebook has, in this order, and the words a heading may use for it
    'problem': r'problem', 'by hand': r'by hand', 'guarantee': r'guarantee', 'fast version': r'fast', 'edges': r'edge|error',
    'real data': r'real data|real suite', 'limits and sources': r'limits', 'exercises': r'exercise'}
ANY_ORDER = {'guarantee', 'fast version', 'edges'}

def lines(s): return [l for l in s.splitlines() if l.strip() and not l.startswith('#|')]

@pytest.mark.parametrize('nb', BOOK + TUTORIALS + [TEMPLATE], ids=repr)
def test_front(nb):
    "A title and a promise first; a module that exports has its name in the first code cell"
    kind, first, _ = nb.cells[0]
    assert kind == 'markdown' and re.match(r'# \S.*\n\n> \S', first), 'the first cell is `# Title`, a blank line, `> promise`'
    assert (nb.module is not None) == bool(nb.exported)
    if nb.module and nb is not TEMPLATE: assert re.match(r'#\|\s*default_exp', nb.code[0])

@pytest.mark.parametrize('nb', BOOK + TUTORIALS + [TEMPLATE], ids=repr)
def test_sizes(nb):
    exported, slack = sum(len(lines(s)) for s in nb.exported), SLACK*(1 if nb in METHODS else GROUND)
    longest = max(nb.code, key=lambda s: len(lines(s)))
    assert len(nb.cells) <= CELLS*slack, f'{len(nb.cells)} cells'
    assert exported <= LINES*slack, f'{exported} exported lines'
    assert len(lines(longest)) <= CELL_LINES*slack, f'a cell of {len(lines(longest))} lines: {longest[:80]!r}'

@pytest.mark.parametrize('nb', BOOK + TUTORIALS + [TEMPLATE], ids=repr)
def test_no_cell_mixes_imports_with_code(nb):
    "nbdev executes import cells for the docs, so the page breaks where the tests pass"
    for src, tree in zip(nb.code, nb.trees()):
        kinds = {isinstance(n, (ast.Import, ast.ImportFrom)) for n in tree.body}
        assert len(kinds) < 2, f'imports and code in one cell: {src[:80]!r}'

@pytest.mark.parametrize('nb', BOOK + TUTORIALS + [TEMPLATE], ids=repr)
def test_outputs_are_committed(nb):
    for kind, src, outs in nb.cells:
        if kind != 'code': continue
        assert not any(o['output_type'] == 'error' or o.get('name') == 'stderr' for o in outs), f'an error or stderr in {src[:80]!r}'
        label = re.search(r'^#\|\s*label:\s*(fig-\S+)', src, re.M)
        pngs = [o['data']['image/png'] for o in outs if 'image/png' in o.get('data', {})]
        if label:
            assert pngs, f'{label[1]} has no picture: run tools/fresh.py --write'
            assert re.search(r'^#\|\s*fig-cap:\s*\S', src, re.M), f'{label[1]} has no caption'
        for p in pngs:
            kb = len(base64.b64decode(''.join(p)))/1024
            assert kb <= FIGURE_KB, f'a figure of {kb:.0f} KB in {src[:80]!r}'
        text = ''.join(t for o in outs for t in [*o.get('text', []), *o.get('data', {}).get('text/plain', [])])
        assert not re.search(r'(?<![\w.])/(home|root|work|tmp|Users)/|0x[0-9a-f]{6,}', text), f'a machine path or an address in the output of {src[:80]!r}'
    code = [o for kind, _, o in nb.cells if kind == 'code']
    assert any(code), 'no outputs at all: run tools/fresh.py --write'

@pytest.mark.parametrize('nb', METHODS, ids=repr)
def test_anatomy(nb):
    at = {}
    for part, words in SECTIONS.items():
        at[part] = next((i for i, h in enumerate(nb.headings) if re.search(words, h, re.I)), None)
    missing = [p for p, i in at.items() if i is None]
    assert not missing, f'{missing} not among the headings {nb.headings}'
    fixed = [at[p] for p in SECTIONS if p not in ANY_ORDER]
    assert fixed == sorted(fixed), f'sections out of order: {nb.headings}'
    assert re.search(r'\$\$\s*\{#eq-', nb.prose) and '@eq-' in nb.prose, 'no numbered equation that the text cites'
    figures = re.findall(r'^#\|\s*label:\s*(fig-[\w-]+)', '\n'.join(nb.code), re.M)
    assert figures, 'no figure'
    assert any(f'@{f}' in nb.prose for f in figures), 'no figure is cited: say what to see'
    assert 'callout-note collapse="true"' in nb.prose, 'no folded answers'
    assert re.search(r'\[[^\]]*@\w+', nb.prose), 'no citation'

@pytest.mark.parametrize('nb', METHODS, ids=repr)
def test_exports_are_documented(nb):
    "Each exported function has a docstring, and a type and a docment for every argument"
    for src, tree in zip(nb.exported, nb.trees(nb.exported)):
        for f in tree.body:
            if not isinstance(f, (ast.FunctionDef, ast.ClassDef)) or f.name.startswith('_'): continue
            assert ast.get_docstring(f), f'{f.name} has no docstring'
            if isinstance(f, ast.ClassDef): continue
            for a in f.args.posonlyargs + f.args.args + f.args.kwonlyargs:
                line = src.splitlines()[a.lineno-1]
                assert a.annotation is not None and '#' in line, f'{f.name}: {a.arg} has no type or no docment'

def test_template_runs_and_is_fresh(root):
    "The template is kept out of export, site and nbdev_test, so it is executed here"
    r = subprocess.run([sys.executable, 'tools/fresh.py', 'nbs/_template.ipynb'], cwd=root, capture_output=True, text=True)
    assert r.returncode == 0, r.stdout + r.stderr

def sidebar(contents):
    for c in contents:
        if isinstance(c, str): yield c
        else: yield from sidebar(c['contents'])

def test_sidebar_lists_every_notebook(root):
    side = list(sidebar(yaml.safe_load((root/'_quarto.yml').read_text())['website']['sidebar']['contents']))
    assert side == ['index.ipynb'] + [n.path.relative_to(NBS).as_posix() for n in TUTORIALS + BOOK]
    assert (NBS/'_quarto.yml').is_symlink() and (NBS/'_quarto.yml').resolve() == root/'_quarto.yml'

@pytest.mark.parametrize('nb', BOOK + TUTORIALS, ids=repr)
def test_home_page_maps_every_notebook(nb):
    assert f'[{nb.path.stem}]({nb.path.relative_to(NBS).as_posix()})' in Notebook(NBS/'index.ipynb').prose

def test_readme_is_the_index_notebook(root):
    r = subprocess.run([sys.executable, 'tools/readme.py', '--check'], cwd=root, capture_output=True, text=True)
    assert r.returncode == 0, r.stdout + r.stderr

def test_readme_links_lead_to_files(root):
    links = re.findall(r'\]\((?!https?:|#)([^)#]+)', (root/'README.md').read_text(encoding='utf-8'))
    assert links and not [l for l in links if not (root/l).exists()]

def test_changelog_names_the_version(root):
    version = re.search(r'^version\s*=\s*(\S+)', (root/'settings.ini').read_text(), re.M)[1]
    changes = (root/'CHANGELOG.md').read_text()
    assert f'[{version}]' in changes or '[Unreleased]' in changes
