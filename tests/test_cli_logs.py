"`import` and `export` as a newcomer meets them: whole folders or none, one line per mistake, names that cannot escape or steer anything."
import json, os
from pathlib import Path
import numpy as np, pandas as pd, pytest
from benchlit import cli, runners
from benchlit.core import Subset, Suite, freeze, load_subset, load_suite
from benchlit.logs import read_logs
from benchlit.runners import chosen_lines, file_name, inspect_filter, inspect_ids, lm_eval_samples, write_suite
from benchlit.worlds import toy_suite
from test_logs import DATE, run as log, sample

@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch): monkeypatch.chdir(tmp_path); return tmp_path

@pytest.fixture
def run(capsys):
    def go(args): capsys.readouterr(); code = cli.main(args.split() if isinstance(args, str) else args); return code, *capsys.readouterr()
    return go

def tree(): return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(Path().rglob('*'))}

@pytest.fixture
def refused(run):
    def go(args, *said):
        before = tree(); code, out, err = run(args)
        assert code == 2 and out == '' and err.count('\n') == 1 and err.startswith('benchlit: error: ') and before == tree(), (code, out, err)
        for s in said: assert s in err, (s, err)
    return go

def two(n=30):
    log('logs/a', 'org/a', dict(t=[sample(i, i % 2) for i in range(n)], u=[sample(i, .25, f'{i}?') for i in range(5)])); log('logs/b', 'org/b', dict(t=[sample(i, None if i == 3 else 1, filtered_resps=['[invalid]']) for i in reversed(range(n))]))

# ---- import
def test_import_writes_what_load_suite_reads(run):
    two(); code, out, err = run('import logs --out deep/suite'); assert code == 0 and err.endswith("note: t: org/b lacks 1 item(s)\nnote: org/b was not run on task(s) 'u'\nwrote deep/suite\n") and 't: 30 of 30 answers of org/b could not be read' in err
    want, got = read_logs('logs'), load_suite('deep/suite'); pd.testing.assert_frame_equal(got.scores, want.suite.scores); assert freeze(np.arange(3), got, method='x').manifest == freeze(np.arange(3), want.suite, method='x').manifest
    assert sorted(p.name for p in Path('deep/suite').iterdir()) == ['imported.json', 'items', 'responses'] and '35 items, 2 benchmark(s), 2 model(s)' in out
    assert [l.split()[:9] for l in out.splitlines() if l.startswith('org/b')] == [['org/b', 't', 'acc', 'none', '30', '1', '30', '1', '1'], ['org/b', 'u', 'acc', 'none', '0', '0', '0', '0', '5']] and '(not run)' in out
    before = tree(); assert run('import logs --out deep/suite')[0] == 0 and tree() == before                  # made by import: replaced, same bytes
    _, out, _ = run('import logs --out other --json'); d = json.loads(out); assert d['items'] == 35 and d['models'] == ['org/a', 'org/b'] and [r['missing'] for r in d['report']] == [0, 1, 0, 5] and d['notes'] == [l.removeprefix('note: ') for l in err.splitlines()[:-1]]
    assert json.loads(Path('other/imported.json').read_text())['report'] == d['report']
    assert run('select deep/suite --benchmark t --k 5 --method random --out s.json')[0] == 0 and load_subset('s.json').k == 5

def test_metrics_and_filters_by_task(run, refused):
    rows = [sample(i, 1, filter=f, metrics=['acc', 'acc_norm'], acc_norm=.5) for f in ('strict', 'loose') for i in range(2)]; log('logs/a', 'a', dict(t=rows, u=[sample(0, 1)]))
    refused('import logs --out s', "'loose', 'strict'"); refused('import logs --out s --filter strict', "'acc', 'acc_norm'"); refused('import logs --out s --metric t=', 'TASK=NAME'); refused('import logs --out s --filter strict --metric acc_norm', "task 'u'")
    assert run('import logs --out s --filter strict --metric t=acc_norm')[0] == 0 and load_suite('s').scores['a'].tolist() == [.5, .5, 1]
    assert run('import logs --out s --filter t=loose --metric acc')[0] == 0 and load_suite('s').scores['a'].tolist() == [1, 1, 1]

def test_advice_is_said_once_and_in_the_words_of_the_shell(run, refused):
    rows = [sample(i, 1, filter=f, metrics=['acc', 'acc_norm'], acc_norm=.5) for f in ('strict', 'loose') for i in range(2)]; log('logs/a', 'a', dict(t=rows)); Path('t.csv').write_text('item_id,a\n1,7\n'); Path('none.csv').write_text('item_id,a,b\n1,,\n')
    log('q/a', 'a', dict(t=[sample(0, 1)])); log('q/b', 'b', dict(t=[sample(0, 1, q='Other?')])); log('p/a', 'a', dict(t=[sample(0, 1)])); log('p/b', 'b', dict(t=[sample(0, 1, prompt='Please')])); log('z', 'a', dict(t=[sample(0, None)]))
    for args, said, *not_said in (('logs --filter strict', 'say which one, --metric acc; where tasks need different ones, name several (in the shell: repeat the option)', 'metric='), ('logs', 'say which one, --filter loose;', 'filter='), ('logs t.csv', 'name one, --format lm-eval', 'format='),
                                  ('q', 'those items out: --differ drop', 'differ='), ('p', '--differ docs, or leave those items out, --differ drop', 'differ='), ('t.csv', 'choose another metric or rescale the scores', 'bounded'), ('none.csv', "none.csv has no score: the columns 'a', 'b' are empty"), ('z', "no model has a score on any item, in 'z/samples_t")):
        refused(f'import {args} --out s', said); code, out, err = run(f'import {args} --out s'); assert not any(n in err for n in not_said) and ' or --' not in err and '(--' not in err, err

def test_models_by_name(run, refused):
    log('logs/x', 'm', dict(t=[sample(0, 1)])); log('logs/y', 'm', dict(t=[sample(0, 0)])); refused('import logs --out s', 'nothing says which is newer', 'NAME=PATH')
    assert run('import cold=logs/x warm=logs/* --out s')[0] == 2; assert run('import cold=logs/x warm=logs/y --out s')[0] == 0 and load_suite('s').scores.to_dict('list') == {'cold': [1], 'warm': [0]}
    refused('import z=logs/z --out s2', 'no file or folder z=logs/z')

def test_notes_on_standard_error(run):
    log('logs/a', 'a', dict(t=[sample(i, 0) for i in range(3)])); log('logs/b', 'a', dict(t=[sample(0, 1)]), '2026-12-01T00-00-00'); log('logs/c', 'c', dict(t=[sample(i, 0, q='Other?' if i == 2 else None) for i in range(3)]))
    code, out, err = run('import logs --differ drop --out s'); assert code == 0 and 't: 1 item(s) of a have another score in an older run: the newest run counts' in err and 'a: 2 runs of' in err and 't: 1 item(s) left out' in err and '1, 1 differ' in out and load_suite('s').n == 2

def test_import_refuses(refused):
    two(); Path('mine').mkdir(); Path('mine/notes').touch(); Path('file').touch(); Path('empty').mkdir()
    for args, *said in (('logs --out mine', 'holds other things'), ('logs --out file', 'is a file'), ('logs --out logs', 'holds the logs themselves'), ('logs/a --out .', 'holds the logs'), ('nowhere --out s', 'no file or folder nowhere'), ('empty --out s', 'no log'),
                        ('file --out s', 'unknown format'), ('logs --out s --format csv', "'csv'"), ('logs --out s --differ maybe', "'maybe'"), ('logs --out s --metric f1', "no metric 'f1'"), ('logs', "'--out'"), ('--out s', "'LOGS...'")): refused(f'import {args}', *said)
    (f := next(Path('logs/b').glob('samples*'))).write_text(f.read_text()[:-9]); refused('import logs --out s', f'{f}, line 30')

def test_files_of_others_in_the_folder_are_never_lost(run, refused):
    two(); run('import logs --out suite')
    for name in ('subset.json', 'notes/x', 'items/mine.jsonl', 'responses/t.csv', '.git', 'items/deep/t.jsonl.gz'):
        (f := Path('suite')/name).parent.mkdir(exist_ok=True); f.touch(); refused('import logs --out suite', 'would be lost', repr(name.split('/')[0] if name[0] == 'n' else name.rsplit('/', 1)[0] if 'deep' in name else name), 'move them away'); f.unlink()
        if f.parent.name in ('notes', 'deep'): f.parent.rmdir()
    assert run('import logs --out suite')[0] == 0
    for i in range(5): Path(f'suite/x{i}').touch()
    refused('import logs --out suite', "'x0', 'x1', 'x2' and 2 more")

def test_how_scores_were_read_is_kept_by_task(run):
    rows = [sample(i, 1, filter=f, metrics=['acc', 'acc_norm'], acc_norm=.5) for f in ('strict', 'loose') for i in range(2)]; log('logs/a', 'a', dict(t=rows, u=[sample(0, 1)]))
    run('import logs --out s --filter t=loose --metric t=acc_norm'); d = json.loads(Path('s/imported.json').read_text()); assert d['format'] == 'benchlit-suite' and d['tasks'] == dict(t=dict(metric='acc_norm', filter='loose'), u=dict(metric='acc', filter='none'))
    how = {k: {t: v[k] for t, v in d['tasks'].items()} for k in ('metric', 'filter')}; pd.testing.assert_frame_equal(read_logs('logs', **how).suite.scores, load_suite('s').scores)

def test_an_imported_suite_is_no_log(run, refused):
    two(); run('import logs --out suite'); refused('import suite --out s', 'imported suite already'); assert run('import . --out s')[0] == 0 and load_suite('s').n == 35

def test_a_failure_half_way_leaves_the_old_suite(run, monkeypatch):
    two(); run('import logs --out suite'); before = tree(); log('logs/c', 'c', dict(t=[sample(0, 1)])); true = runners.write_atomic; calls = []
    def full(path, data):
        calls.append(path)
        if len(calls) == 3: raise OSError(28, 'No space left on device', str(path))
        return true(path, data)
    monkeypatch.setattr(runners, 'write_atomic', full); code, _, err = run('import logs --out suite'); assert code == 2 and 'No space left' in err
    assert {k: v for k, v in tree().items() if 'suite' in k} == {k: v for k, v in before.items() if 'suite' in k} and not [p for p in Path().iterdir() if p.name.startswith('.')]
    monkeypatch.setattr(os, 'rename', lambda a, b, true=os.rename: true(a, b) if '.old' in str(b) or '.old' in str(a) else (_ for _ in ()).throw(OSError(5, 'Input/output error'))); calls[:] = [0]*9
    assert run('import logs --out suite')[0] == 2 and {k for k in tree() if k.startswith('suite')} == {k for k in before if k.startswith('suite')} and not [p for p in Path().iterdir() if p.name.startswith('.')]

# ---- names that would escape
EVIL = ['../../x', '/etc/x', 'a/b', 'a\\b', '..', '.', 'con\n\x1b[2J', 'x'*300, 'A', 'a', 'ü', "x'; rm -rf"]

def test_names_from_logs_never_become_paths(run, tmp_path):
    Path('in').mkdir(); os.chdir('in'); rows = [dict(item_id=f'{b}/{i}', benchmark=b, model=m, score=1, prompt=f'{i}?') for b in EVIL for i in range(2) for m in ('../m', 'n\x1b[2J')]; Path('t.jsonl').write_text('\n'.join(map(json.dumps, rows)))
    code, out, err = run('import t.jsonl --out suite'); assert code == 0 and '\x1b' not in out + err; os.chdir(tmp_path)
    assert [p.name for p in Path().iterdir()] == ['in'] and sorted(p.name for p in Path('in').iterdir()) == ['suite', 't.jsonl']
    files = [p.relative_to('in/suite') for p in Path('in/suite').rglob('*') if p.is_file()]; assert len(files) == 2*len(EVIL) + 1 and all(len(p.parts) <= 2 and len(p.name) < 120 for p in files) and len({p.name.lower() for p in files}) == len(files)
    s = load_suite('in/suite'); assert set(s.benchmarks) == set(EVIL) and s.n == 2*len(EVIL) and s.models == ['../m', 'n\x1b[2J']

def test_file_names():
    assert file_name('mmlu_law') == 'mmlu_law' and file_name('a', {'a'}) != 'a' and len({file_name(b) for b in EVIL + ['a_b', 'a-b']}) == len(EVIL) + 2
    for b in EVIL + ['']: assert (n := file_name(b)) and '/' not in n and '\\' not in n and n[0] != '.' and n.isascii() and n.isprintable()

def test_no_code_in_a_filter_but_ours():
    b, ids = 'x"""\nimport os\n{q}\\', ['a"""\n', 'b\\"', '{c}', "'", 'é']; items = pd.DataFrame([dict(item_id=f'{b}/{i}', benchmark=b, capability='c', prompt='x') for i in ids])
    import ast
    text = inspect_filter(freeze(np.arange(5), Suite(items), method='m"""\n{}'), 'x; import os'); tree = ast.parse(text); assert [type(n).__name__ for n in tree.body] == ['Expr', 'Assign', 'FunctionDef']
    assert ast.literal_eval(tree.body[1].value) == {b: ids} and 'from subset import' in text

# ---- export
def subset(ids, benchmark='t', k=None):
    items = pd.DataFrame([dict(item_id=f'{benchmark}/{i}', benchmark=benchmark, capability='c', prompt=f'{i}?') for i in ids]); return freeze(np.arange(k or len(ids))[::-1], Suite(items), method='by hand')

def test_export_for_lm_eval(run):
    two(); run('import logs --out suite'); run('select suite --k 12 --method random --seed 3 --out s.json'); code, out, err = run('export s.json --for lm-eval --out deep/samples.json')
    got, f = json.loads(Path('deep/samples.json').read_text()), load_subset('s.json'); assert code == 0 and err == 'wrote deep/samples.json\n' and '--samples deep/samples.json' in out
    assert all(v == sorted(v) for v in got.values()) and {f'{t}/{i}' for t, v in got.items() for i in v} == set(f.item_ids) and got == lm_eval_samples(f)

def test_export_for_inspect(run, refused):
    subset(['b', 'a']).save('s.json'); assert run('export s.json --for inspect --out ids.txt')[0] == 0 and Path('ids.txt').read_text() == 'a,b\n'
    refused('export s.json --for inspect --out chosen-few.py', 'chosen-few.py', 'chosen_few.py'); code, out, _ = run('export s.json --for inspect --out chosen_few.py'); assert code == 0 and '    from chosen_few import chosen\n' in out and "Task(dataset=chosen(dataset, 't')" in out and 'from chosen_few import chosen' in Path('chosen_few.py').read_text()
    for bad in ('a,b', 'a*', 'a?', '[a]', 'a b', 't:a', 'T:a'): subset([bad]).save('bad.json'); refused('export bad.json --for inspect --out ids2.txt', repr(bad), '.py'); assert run('export bad.json --for inspect --out ok.py')[0] == 0
    two_tasks = freeze(np.arange(3), Suite(pd.DataFrame([dict(item_id=f'{b}/{i}', benchmark=b, capability=b, prompt='x') for b, i in (('t', 'u:1'), ('v', '2'), ('v', '3'))])), method='x'); assert inspect_ids(two_tasks) == 't:u:1,v:2,v:3'

def test_export_lines(run, refused):
    s = toy_suite(0); f = freeze(Subset(np.array([9, 3, 150]), weights=np.array([1., 2., 3.])), s, method='by hand'); f.save('s.json'); write_suite(s, 'suite')
    assert run('export s.json --for jsonl --suite suite --out x.jsonl')[0] == 0 and Path('x.jsonl').read_bytes() == chosen_lines(f, load_suite('suite'))
    rows = list(map(json.loads, chosen_lines(f, s).decode().splitlines())); assert [r['item_id'] for r in rows] == f.item_ids and [r['weight'] for r in rows] == [1, 2, 3] and rows[0]['prompt'] == s.items['prompt'].iloc[9]

def test_export_refuses(refused, run):
    subset(['1', '02']).save('s.json'); subset(['x1']).save('x.json'); freeze(np.arange(3), toy_suite(0), method='x').save('toy.json')
    freeze(np.arange(1), Suite(pd.DataFrame([dict(item_id='own', benchmark='b', capability='c', prompt='x')])), method='x').save('own.json'); write_suite(toy_suite(0), 'suite')
    for args, *said in (('s.json --for lm-eval --out o', "'02'", 'integers'), ('x.json --for lm-eval --out o', "'x1'"), ('own.json --for inspect --out o', "'own'", 'task/id'), ('s.json --for helm --out o', "'helm'"), ('s.json --for jsonl --out o', '--suite'), ('s.json --for jsonl --suite suite --out o', 'another suite'), ('s.json --for lm-eval --suite suite --out o', 'another suite'),
                        ('s.json --for lm-eval --out s.json', 'is the file that is read'), ('s.json --for lm-eval --out suite', 'is a folder'), ('suite --for lm-eval --out o', 'suite is a folder, and a subset file is wanted'), ('s.json --out o', "'--for'"), ('nothing.json --for lm-eval --out o', 'nothing.json')): refused(f'export {args}', *said)

def test_help_has_an_example(run):
    for c in ('import', 'export'): code, out, _ = run(f'{c} --help'); assert code == 0 and f'Example: benchlit {c} ' in out
