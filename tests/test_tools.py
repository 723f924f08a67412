"The project's own tools catch what they are there to catch."
import json, os, shutil, subprocess, sys
import pytest

ENTRY = '@article{a1,\n  author = {Lov{\\\'a}sz, L. and Babai, B.},\n  title = {On {X}},\n  journal = {J},\n  year = {1999}\n}\n'
BIB = ENTRY + '@misc{b2,\n  title = {Long: Title},\n  shorttitle = {Short},\n  year = {2026}\n}\n' + '@book{c3,\n  author = {D, D and E, E and F, F and G, G},\n  title = {Book},\n  year = {2001}\n}\n'

def cell(source, kind='code', outputs=()):
    c = dict(cell_type=kind, id=f'c{abs(hash(source)) % 10**8}', metadata={}, source=source)
    return {**c, 'outputs': list(outputs), 'execution_count': None} if kind == 'code' else c

def printed(text): return [dict(output_type='stream', name='stdout', text=[text])]

def write(path, cells): path.write_text(json.dumps(dict(cells=cells, metadata={}, nbformat=4, nbformat_minor=5)))

@pytest.fixture
def tools(root, monkeypatch): monkeypatch.syspath_prepend(str(root/'tools')); return root/'tools'

def run(*args, **env):
    return subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True, env={k: v for k, v in {**os.environ, **env}.items() if v})

@pytest.fixture
def citer(tools, tmp_path):
    import citations
    (tmp_path/'x.bib').write_text(BIB)
    return citations.Citer(citations.read_bib(tmp_path/'x.bib'))

@pytest.mark.parametrize('text, html', [
    ('as [@a1] says', 'as ([Lovász and Babai 1999](#ref-a1)) says'),
    ('[see @a1, p. 3; -@b2]', '(see [Lovász and Babai 1999](#ref-a1), p. 3; [2026](#ref-b2))'),
    ('@a1 [eq. 4] and @b2.', 'Lovász and Babai ([1999](#ref-a1), eq. 4) and “Short” ([2026](#ref-b2)).'),
    ('[@c3]', '([D et al. 2001](#ref-c3))'),
    ('mail me@b2.org', 'mail me@b2.org'),
    ('[@nobody]', '[@nobody]')])
def test_citations(citer, text, html):
    assert citer(text) == html
    assert citer.missing == (['nobody'] if 'nobody' in text else [])

def test_reference_list(citer):
    citer('[@b2; @a1]')
    refs = citer.references()
    assert refs.index('Lovász') < refs.index('Long: Title')
    assert 'Lovász, L., and B. Babai. 1999. “On X.” *J*.' in refs

def test_a_key_given_twice_is_refused(tools, tmp_path):
    import citations
    (tmp_path/'x.bib').write_text(ENTRY*2)
    with pytest.raises(SystemExit, match='a1 is there twice'): citations.read_bib(tmp_path/'x.bib')

def test_references_are_numbered_and_dead_ones_reported(tools, tmp_path):
    import build_site
    write(tmp_path/'p.ipynb', [
        cell('$$a$$ {#eq-a}\n\n@eq-a, [-@eq-a], @fig-f, @eq-gone, `@eq-code`', 'markdown'),
        cell('#| label: fig-f\n#| fig-cap: "Gains, $\\\\alpha$; see @eq-a."\nplot()'), cell('$$b$$ {#eq-a}', 'markdown')])
    p = build_site.Page(tmp_path/'p.ipynb', {}); p.labels(); p.resolve()
    text = p.nb['cells'][0]['source']
    assert '\\tag{1}' in text and '[1](#eq-a)' not in text.split(',')[0] and '`@eq-code`' in text and '[Figure\xa01](#fig-f)' in text
    assert '"Figure 1: Gains, \\\\(\\\\alpha\\\\); see Equation' in p.nb['cells'][1]['source']
    assert p.problems == ['the label eq-a is there twice', '@eq-gone has no label on this page']

@pytest.fixture
def project(root, tmp_path):
    (tmp_path/'nbs').mkdir(); shutil.copy(root/'settings.ini', tmp_path)
    return tmp_path/'nbs'/'x.ipynb'

def test_fresh_sees_a_stale_cell_and_writes_it(tools, project):
    write(project, [cell('print(1 + 1)', outputs=printed('3\n')), cell('#| slow\nprint(1)', outputs=printed('kept\n')), cell('import sys'), cell('print("x", file=sys.stderr)')])
    r = run(tools/'fresh.py', project)
    assert r.returncode == 1 and '-3' in r.stdout and '+2' in r.stdout and 'cell 0 is stale' in r.stdout
    assert run(tools/'fresh.py', '--write', project).returncode == 0 == run(tools/'fresh.py', project).returncode
    assert 'kept' in project.read_text() and 'stderr"' not in project.read_text().replace('sys.stderr', '')
    assert 'flagged slow: x (1 cell)' in run(tools/'fresh.py', '--left-out', project).stdout

def test_fresh_fails_on_an_error_and_leaves_the_file(tools, project):
    write(project, [cell('1/0', outputs=printed('old\n'))]); before = project.read_text()
    r = run(tools/'fresh.py', '--write', project)
    assert r.returncode == 1 and 'ZeroDivisionError' in r.stdout and project.read_text() == before

def test_fresh_needs_the_folder_for_the_flag(tools, project):
    write(project, [])
    for value in ('', 'nowhere'): assert 'BENCHLIT_DATA' in run(tools/'fresh.py', '--flags', 'data', project, BENCHLIT_DATA=value).stderr

def test_export_check_sees_an_edited_module(root, tmp_path):
    for d in ('nbs', 'benchlit', 'tools'): shutil.copytree(root/d, tmp_path/d, symlinks=True)
    shutil.copy(root/'settings.ini', tmp_path)
    assert run(tmp_path/'tools/export.py', '--check').returncode == 0
    core = tmp_path/'benchlit/core.py'; core.write_text(core.read_text() + '\nx = 1\n')
    (tmp_path/'benchlit/byhand.py').write_text('x = 1\n')
    r = run(tmp_path/'tools/export.py', '--check')
    assert r.returncode == 1 and 'core.py: changed' in r.stdout and 'byhand.py: generated from no notebook' in r.stdout
