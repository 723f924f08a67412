"The leaderboard command as a user meets it: what it prints is what its files and the library say; every mistake is one line, exit code 2 and no file."
import gzip, json, os, shlex, subprocess, sys
from pathlib import Path
import numpy as np, pandas as pd, pytest
from benchlit import cli
from benchlit.cli_boards import read_costs, read_leaderboard
from benchlit.completion import complete_leaderboard
from benchlit.datasets import leaderboard
from benchlit.worlds import gaussian_leaderboard

WORLD = gaussian_leaderboard(50, 6, 0, missing=.2)
NAMES = ['maths', 'law', 'the code', 'chess', 'safety', 'poetry']
BOARD = pd.DataFrame(WORLD.B, [f'm{i}' for i in range(50)], NAMES).rename_axis('model').round(4)

@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    "A working folder with a leaderboard in it."
    monkeypatch.chdir(tmp_path); monkeypatch.setenv('PYTHONPATH', str(Path(cli.__file__).parents[1])); BOARD.to_csv('board.csv')
    Path('costs.csv').write_text('benchmark,cost\n' + ''.join(f'{b},{i + 1}\n' for i, b in enumerate(NAMES)))
    return tmp_path

@pytest.fixture
def run(capsys):
    "Run a command: (exit code, stdout, stderr)."
    def go(*args):
        capsys.readouterr(); code = cli.main(['impute', *args]); return code, *capsys.readouterr()
    return go

TAKEN = "rows are taken for 50 models ('m0', 'm1' and 48 more), columns for 6 benchmarks ('maths', 'law' and 4 more); if it is the other way round: --transpose\n"

def files(): return {str(p): p.stat().st_mtime_ns for p in Path().rglob('*') if p.is_file()}

def test_what_is_printed_is_what_the_library_says(run):
    code, out, err = run('board.csv', '--pick', '3'); done = complete_leaderboard(BOARD, 3); assert code == 0 and err == TAKEN
    lines = [l.split() for l in out.splitlines()]
    for i, (b, v) in enumerate(zip(done.chosen, done.left)): assert [str(i + 1), *b.split(), f'{v:.1%}'] in lines
    assert f'R2 {done.r2:.2f}' in out and out.splitlines()[-1] == 'benchlit impute board.csv ' + ' '.join(f'--must {b!r}' if ' ' in b else f'--must {b}' for b in done.chosen)
    table = pd.read_csv('impute/predictions.csv', index_col=['model', 'benchmark']); pd.testing.assert_frame_equal(table, done.table, rtol=1e-5)
    assert len(table) == 50*3 + BOARD[done.chosen].isna().sum().sum()
    widths = pd.read_csv('impute/benchmarks.csv', index_col='benchmark'); pd.testing.assert_frame_equal(widths, done.by_benchmark(), rtol=1e-5)
    assert Path('impute/impute.png').read_bytes()[:4] == b'\x89PNG'

def test_json_is_the_same_for_machines(run):
    code, out, err = run('board.csv', '--pick', '2', '--cost', 'costs.csv', '--json', '--out', 'a/b'); f = json.loads(out); done = complete_leaderboard(BOARD, 2, costs=read_costs('costs.csv'))
    assert code == 0 and [c['benchmark'] for c in f['chosen']] == done.chosen and [c['cost'] for c in f['chosen']] == [NAMES.index(b) + 1 for b in done.chosen]
    assert f['models'] == 50 and f['benchmarks'] == 6 and f['em']['converged'] and f['r2'] == pytest.approx(done.r2) and f['predictions'] == len(done.table)
    assert f['left_by_best_combinations'] < f['chosen'][-1]['left'] and all(Path(p).is_file() for p in f['files'].values())

def test_the_same_command_writes_the_same_files(run):
    for out in 'ab': assert run('board.csv', '--pick', '3', '--method', 'mi', '--seed', '4', '--out', out)[0] == 0
    for f in ('predictions.csv', 'benchmarks.csv', 'impute.png'): assert Path('a', f).read_bytes() == Path('b', f).read_bytes()
    one, two = (json.loads(run('board.csv', '--pick', '3', '--seed', s, '--json')[1]) for s in '45'); assert one['interval_factor'] != two['interval_factor'] and one['chosen'] == two['chosen']

@pytest.mark.parametrize('method', ['variance', 'entropy', 'mi', 'facility'])
def test_budgets_costs_and_obligations(run, method):
    code, out, _ = run('board.csv', '--cost', 'costs.csv', '--budget', '8', '--must', 'safety', '--method', method, '--json'); f = json.loads(out)
    assert code == 0 and f['chosen'][0]['benchmark'] == 'safety' and sum(c['cost'] for c in f['chosen']) <= 8 and f['method'] == method
    code, out, _ = run('board.csv', '--budget', '2', '--method', method, '--json'); assert code == 0 and len(json.loads(out)['chosen']) <= 2    # each costs 1

def test_must_alone_is_the_whole_choice(run):
    out = run('board.csv', '--must', 'law', '--must', 'the code', '--json')[1]; assert [c['benchmark'] for c in json.loads(out)['chosen']] == ['law', 'the code']

def test_a_new_model_is_a_row(run):
    chosen = [c['benchmark'] for c in json.loads(run('board.csv', '--pick', '3', '--json')[1])['chosen']]
    new = WORLD.full[:1].repeat(1, 0)[0]; row = pd.DataFrame([new], ['new'], NAMES).where(lambda d: d.columns.isin(chosen) & (d == d)); more = pd.concat([BOARD.iloc[1:], row]); more.rename_axis('model').to_csv('more.csv')
    args = [a for b in chosen for a in ('--must', b)]; code, out, _ = run('more.csv', *args, '--json', '--out', 'new'); assert code == 0 and [c['benchmark'] for c in json.loads(out)['chosen']] == chosen
    t = pd.read_csv('new/predictions.csv').query('model == "new"'); assert set(t['benchmark']) == set(NAMES) - set(chosen) and (t['given'] == 3).all() and t['score'].isna().all()
    truth = np.array([new[NAMES.index(b)] for b in t['benchmark']]); assert (np.abs(truth - t['predicted']) < 1.5*(t['high'] - t['low'])).all()

def test_what_has_to_be_known_is_said_on_stderr(run):
    B = BOARD.assign(rare=np.where(np.arange(50) < 4, np.arange(50.), np.nan)); B.loc['m7', NAMES] = np.nan; B.loc['m7', 'rare'] = 2; B.to_csv('thin.csv')
    code, out, err = run('thin.csv', '--pick', '2', '--max-iter', '3', '--json'); f = json.loads(out)
    assert code == 0 and err.splitlines()[1].startswith('warning: EM has not converged after 3 steps') and not f['em']['converged'] and f['em']['steps'] == 3
    assert "1 benchmark(s) with fewer than 10 scores" in err and "'rare'" in err and f['few_scores'] == ['rare']
    t = pd.read_csv('impute/predictions.csv'); assert (t[t['benchmark'] == 'rare']['given'] == 0).all(); none = t[(t['given'] == 0) & (t['benchmark'] != 'rare')]; assert f['models_without_chosen_scores'] == none['model'].nunique() >= 1 and f"{none['model'].nunique()} model(s) have none" in err
    assert 'not converged' not in run('board.csv', '--pick', '2')[2]

def test_formats_agree(run, tmp_path):
    csv = Path('board.csv').read_bytes(); Path('board.csv.gz').write_bytes(gzip.compress(csv)); Path('bom.csv').write_bytes(b'\xef\xbb\xbf' + csv.replace(b'\n', b'\r\n\r\n'))
    BOARD.to_csv('board.tsv', sep='\t'); BOARD.to_parquet('board.parquet'); BOARD.reset_index().to_parquet('flat.parquet'); BOARD.T.to_csv('turned.csv')
    Path('dashes.csv').write_text(BOARD.to_csv(na_rep='–').replace(',–', ', n/a ', 3))
    for f in ('board.csv.gz', 'bom.csv', 'board.tsv', 'board.parquet', 'flat.parquet', 'dashes.csv'): pd.testing.assert_frame_equal(read_leaderboard(f), BOARD, check_names=False)
    pd.testing.assert_frame_equal(read_leaderboard('turned.csv', transpose=True), BOARD, check_names=False)
    assert run('turned.csv', '--transpose', '--pick', '2', '--json')[1] == run('board.csv', '--pick', '2', '--json')[1]

def test_rows_and_columns_can_be_left_out(run):
    odd = BOARD.astype(object).assign(date='2024-01-01').T.assign(total='sum').T; odd.to_csv('odd.csv'); BOARD.assign(date='2024-01-01').to_parquet('odd.parquet')
    pd.testing.assert_frame_equal(read_leaderboard('odd.csv', ignore=['date', 'total']), BOARD, check_names=False); pd.testing.assert_frame_equal(read_leaderboard('odd.parquet', ignore=['date']), BOARD, check_names=False)
    assert run('odd.csv', '--ignore', 'date', '--ignore', 'total', '--pick', '2', '--json')[1] == run('board.csv', '--pick', '2', '--json')[1]
    hint = run('odd.csv', '--ignore', 'date', '--ignore', 'total', '--pick', '2')[1].splitlines()[-1]; assert hint.startswith('benchlit impute odd.csv --ignore date --ignore total --must ')
    assert run(*shlex.split(hint)[2:])[0] == 0   # the hint can be typed
    code, _, err = run('odd.csv', '--ignore', 'datum', '--pick', '2'); assert code == 2 and "no row or column 'datum' to ignore" in err

def test_hardest_to_predict_are_those_that_can_be(run):
    BOARD.assign(rare=np.where(np.arange(50) < 4, np.arange(50.), np.nan)).to_csv('thin.csv'); out = run('thin.csv', '--pick', '2')[1]
    assert 'rare' not in out and 'rare' in pd.read_csv('impute/benchmarks.csv')['benchmark'].tolist()

def edit(f, name='bad.csv'): f(BOARD.copy()).to_csv(name)
def text(old, new, name='bad.csv'): t = Path('board.csv').read_text(); assert old in t; Path(name).write_text(t.replace(old, new, 1))
def costs(t): Path('bad.txt').unlink(missing_ok=True); Path('c.csv').write_text(t)
COST = 'maths,1\nlaw,1\nthe code,{}\nchess,1\nsafety,4\npoetry,1\n'
BAD = {
    'a row with nothing': (lambda: edit(lambda b: b.assign(**{c: b[c].where(b.index != 'm3') for c in b})), "nothing is observed of model(s) 'm3'; leave them out with --ignore NAME"),
    'a column with nothing': (lambda: edit(lambda b: b.assign(law=np.nan)), "nothing is observed of benchmark(s) 'law'"),
    'a constant benchmark': (lambda: edit(lambda b: b.assign(law=3.)), "benchmark(s) 'law' tell no two models apart (one score, or all the same); leave them out with --ignore NAME\n"),
    'a benchmark of one score': (lambda: edit(lambda b: b.assign(law=b['law'].where(b.index == b['law'].dropna().index[3]))), "benchmark(s) 'law' tell no two models apart"),
    'benchmarks of one name': (lambda: text('maths,law', 'law,law'), "benchmark names must be unique; duplicated: 'law'"),
    'models of one name': (lambda: text('\nm4,', '\nm3,'), "model names must be unique; duplicated: 'm3'"),
    'infinity': (lambda: edit(lambda b: b.replace(b.iloc[0, 0], np.inf)), "got inf of model 'm0' on benchmark 'maths'; leave the cell empty"),
    'a word': (lambda: text('\nm4,', '\nm4,about '), "bad.csv, line 6, column 'maths': 'about"), 'a percentage': (lambda: Path('bad.csv').write_text('model,a,b\nx,45%,3\n'), "'45%' is not a number"),
    'underscores': (lambda: Path('bad.csv').write_text('model,a,b\nx,1_000,3\n'), "is not a number"),
    'an empty file': (lambda: Path('bad.csv').write_text(''), 'bad.csv is empty'), 'blank lines only': (lambda: Path('bad.csv').write_text('\n , \n'), 'bad.csv is empty'),
    'a heading only': (lambda: Path('bad.csv').write_text('model,a,b\n'), 'bad.csv has no scores'), 'one column': (lambda: Path('bad.csv').write_text('model;a;b\nx;1;2\n'), 'separated by commas'),
    'a short line': (lambda: text('\nm4,', '\nm4;'), 'bad.csv, line 6: 6 cells, but the first line has 7'), 'no name': (lambda: text('\nm4,', '\n,'), 'bad.csv, line 6: the row has no name'),
    'a column without name': (lambda: text(',law,', ',,'), 'column 3 has no name'), 'an open quote': (lambda: text('\nm4,', '\n"m4,'), 'bad.csv is damaged'),
    'not UTF-8': (lambda: Path('bad.csv').write_bytes('model,a,b\né,1,2\n'.encode('latin-1')), 'not UTF-8'), 'no gzip': (lambda: Path('bad.csv').unlink(missing_ok=True), 'bad.csv'),
    'one model': (lambda: BOARD.dropna().iloc[:1].to_csv('bad.csv'), "tell no two models apart"), 'few models': (lambda: BOARD.iloc[:8].to_csv('bad.csv'), 'too few to choose from')}

@pytest.mark.parametrize('case', BAD)
def test_bad_tables_are_refused_in_one_line(run, case):
    make, words = BAD[case]; make(); before = files(); code, out, err = run('bad.csv', '--pick', '2')
    assert code == 2 and out == '' and err.startswith('benchlit: error: ') and err.count('\n') == 1 and words in err, (code, out, err)
    assert files() == before and not Path('impute').exists()

@pytest.mark.parametrize('args, words', [
    ('', 'say --pick, --budget or --must'), ('--pick 6', '--pick must be in 1..5, got 6: there are 6 benchmarks, and one at least is left to predict'), ('--pick 9', '--pick must be in 1..5'), ('--pick 0', '--pick must be in 1..5'), ('--pick -1', '--pick must be in 1..5'), ('--pick two', "'--pick'"), ('--pick 2.5', "'--pick'"),
    ('--pick 2 --method best', "unknown method 'best'"), ('--pick 2 --must sums', "unknown benchmark(s) 'sums'"), ('--pick 2 --must law --must law', "named twice: 'law'"), ('--pick 1 --must law --must maths', '2 benchmarks of --must do not fit into --pick 1'),
    ('--budget 0', '--budget must be'), ('--budget -3', '--budget must be'), ('--budget nan', '--budget must be'), ('--budget inf', '--budget must be'), ('--budget .5', 'affordable'), ('--budget 6', 'pays for all 6'),
    ('--budget 3 --cost c.csv --must safety', 'more than the budget of 3'), ('--pick 2 --coverage 1', 'coverage'), ('--pick 2 --coverage 0', 'coverage'), ('--pick 2 --min-count 60', 'too few to choose from; take a smaller number (--min-count 30)'), ('--pick 2 --max-iter 0', "'--max-iter'"),
    ('--pick 2 --out board.csv', 'is a file'), ('--pick 2 --out board.csv/x', 'board.csv'), ('--pick 2 --seed -1', "'--seed'"), ('--pick 2 --cost nothing.csv', 'nothing.csv'), ('--pick 2 extra', 'extra')])
def test_bad_options_are_refused_in_one_line(run, args, words):
    costs(COST.format(1)); before = files(); code, out, err = run('board.csv', *args.split())
    assert code == 2 and out == '' and err.startswith('benchlit: error: ') and err.count('\n') == 1 and words in err, (code, out, err)
    assert files() == before

@pytest.mark.parametrize('table, words', [
    (COST.format(-1), "not so for benchmark(s) 'the code'"), (COST.format(0), "not so for benchmark(s) 'the code'"), (COST.format(''), "not so for benchmark(s) 'the code'"), (COST.format('inf'), "not so for benchmark(s) 'the code'"), (COST.format('nan'), "not so"),
    (COST.format('dear'), "c.csv, line 3: 'dear' is not a number; a cost is a number alone"), (COST.format('$3'), "'$3' is not a number; a cost is a number alone"), (COST.replace('maths,1', 'maths,$3').format(1), "c.csv, line 1: '$3' is not a number"), (COST.replace('the code,{}\n', ''), "no cost for benchmark(s) 'the code'"), (COST.format(1) + 'sums,2\n', "unknown benchmark(s) 'sums'"), (COST.format(1) + 'law,2\n', "two costs for benchmark(s) 'law'"),
    ('', 'c.csv is empty'), ('benchmark,cost\n', 'no cost for'), ('maths,1,2\n', 'c.csv, line 1: costs are two columns')])
def test_bad_costs_are_refused_in_one_line(run, table, words):
    costs(table); before = files(); code, out, err = run('board.csv', '--pick', '2', '--cost', 'c.csv')
    assert code == 2 and out == '' and err.count('\n') == 1 and words in err, (code, out, err)
    assert files() == before

def test_what_is_read_is_not_overwritten(run):
    Path('impute').mkdir(); BOARD.to_csv('impute/predictions.csv'); code, _, err = run('impute/predictions.csv', '--pick', '2'); assert code == 2 and 'is the file that is read' in err
    pd.testing.assert_frame_equal(read_leaderboard('impute/predictions.csv'), BOARD, check_names=False)

def test_the_shell_finds_the_command_and_loads_nothing_heavy():
    code = 'import sys; from benchlit.cli import main; r = main(["impute", "--help"]); sys.exit(r or sum(m in sys.modules for m in ("torch", "sentence_transformers", "sklearn", "matplotlib")))'
    r = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True); assert r.returncode == 0 and 'A new model' in r.stdout and '--must' in r.stdout, r.stderr

def test_control_characters_do_not_reach_the_terminal(run):
    BOARD.rename(columns={'law': 'l\x1b[31maw'}).to_csv('odd.csv'); code, out, err = run('odd.csv', '--must', 'l\x1b[31maw'); assert code == 0 and '\x1b' not in out + err

def test_mteb(data_dir, run):
    leaderboard('mteb').to_csv('mteb.csv'); f = json.loads(run('mteb.csv', '--pick', '5', '--json')[1])
    assert f['em']['converged'] and f['r2'] > .75 and len(f['chosen']) == 5 and f['predictions'] == 263*51 + leaderboard('mteb')[[c['benchmark'] for c in f['chosen']]].isna().sum().sum()

def hint(out): return out.splitlines()[-1]

def test_the_command_for_a_new_model_keeps_every_option(run):
    "Typed with its row added, it predicts with the settings of the first run and writes where that did; and it does not say again to add the row."
    args = ['--pick', '2', '--method', 'mi', '--coverage', '0.8', '--min-count', '12', '--max-iter', '77', '--seed', '5', '--out', 'my folder']; out = run('board.csv', *args)[1]; words = shlex.split(hint(out))
    for name, v in zip(args[2::2], args[3::2]): assert words[words.index(name) + 1] == v, name
    chosen = [w for a, w in zip(words, words[1:]) if a == '--must']; code, again, _ = run(*words[2:]); assert code == 0 and 'add its row' not in again and 'benchlit impute' not in again and 'are the lines with its name' in again
    done = complete_leaderboard(BOARD, 2, method='mi', must_include=chosen, coverage=.8, min_count=12, max_iter=77, rng=5); pd.testing.assert_frame_equal(pd.read_csv('my folder/predictions.csv', index_col=['model', 'benchmark']), done.table, rtol=1e-5)
    assert not Path('impute').exists() and hint(run('board.csv', '--pick', '2')[1]).count('--') == 2    # two --must and nothing else

def test_a_row_in_another_unit_is_said(run):
    B = BOARD.copy(); B.loc['m9'] *= 100; B.to_csv('unit.csv'); code, out, err = run('unit.csv', '--pick', '2', '--json'); far = json.loads(out)['far_scores']
    seen = B.loc['m9'].dropna(); assert code == 0 and [c['model'] for c in far] == ['m9']*len(seen) and {c['benchmark'] for c in far} == set(seen.index)
    assert f"warning: {len(seen)} score(s) are more than 8 robust standard deviations" in err and "'m9' on " in err and 'median' in err
    assert 'robust' not in run('board.csv', '--pick', '2')[2]
    flat = BOARD.assign(law=np.where(np.arange(50) < 40, 1., 2.)); flat.loc['m9', 'law'] = 300; flat.to_csv('flat.csv'); assert json.loads(run('flat.csv', '--pick', '2', '--json')[1])['far_scores'] == []   # half the scores are equal: judged by the standard deviation, in which one score cannot be far among fifty

def test_copies_of_a_model_are_said(run):
    B = BOARD.copy(); more = B.iloc[[3, 4, 4]].set_axis(['copy', 'c4', 'd4']); pd.concat([B, more]).rename_axis('model').to_csv('copies.csv'); code, out, err = run('copies.csv', '--pick', '2', '--json')
    assert code == 0 and json.loads(out)['copies'] == ['copy', 'c4', 'd4'] and "warning: 3 model(s) have the same scores as another: 'copy', 'c4', 'd4';" in err and '--ignore' in err
    thin = BOARD.copy(); thin.loc[['m1', 'm2'], NAMES[1:]] = np.nan; thin.loc[['m1', 'm2'], 'maths'] = 50.; thin.to_csv('thin.csv'); assert json.loads(run('thin.csv', '--pick', '2', '--json')[1])['copies'] == []   # one score in common is chance

def test_rows_and_columns_are_named(run):
    gaussian = gaussian_leaderboard(12, 30, 5); pd.DataFrame(gaussian.B, [f'model-{i}' for i in range(12)], [f'task-{j}' for j in range(30)]).to_csv('wide.csv')
    assert "rows are taken for 12 models ('model-0', 'model-1' and 10 more), columns for 30 benchmarks ('task-0'" in run('wide.csv', '--pick', '2')[2] and "rows are taken for 30 models ('task-0'" in run('wide.csv', '--transpose', '--pick', '2')[2]

def test_prices_of_what_is_ignored_do_not_matter(run):
    code, out, err = run('board.csv', '--ignore', 'law', '--cost', 'costs.csv', '--budget', '6', '--json'); assert code == 0, err
    assert 'law' not in [c['benchmark'] for c in json.loads(out)['chosen']]

def test_too_few_for_intervals_says_what_to_do(run):
    lone = BOARD.copy(); lone.iloc[:12, 1:] = np.nan; lone.iloc[:12, 0] = np.arange(12.); lone.iloc[12:, 0] = np.nan; lone.to_csv('apart.csv')
    code, out, err = run('apart.csv', '--must', 'maths'); assert code == 2 and err.count('\n') == 1 and '0 held-out score(s) are too few for intervals' in err and 'ask for less coverage, or add models' in err and not Path('impute').exists()

def test_hard_benchmarks_have_a_unit(run):
    out = run('board.csv', '--pick', '2')[1]
    lines = out.split('Hardest to predict')[1].splitlines(); assert "in the benchmark's own unit" in lines[0] and 'range' in lines[1]
    for l in lines[2:6]:
        b = next(b for b in NAMES if l.startswith(b)); assert f'{BOARD[b].min():.3g} to {BOARD[b].max():.3g}' in l
