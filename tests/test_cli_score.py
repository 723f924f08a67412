"Scores back and benchmarks in order, from the shell."
import json
from pathlib import Path
import numpy as np
import pandas as pd
import pytest
from benchlit import cli, cli_score
from benchlit.core import Suite, freeze
from benchlit.estimate import deltas, estimate
from benchlit.metrics import random_subsets
from benchlit.overlap import benchmark_overlap
from benchlit.worlds import toy_suite

TOY = toy_suite(0); NEW, PAST = TOY.models[-2:], TOY.pick(models=TOY.models[:-2]); A = random_subsets(TOY.n, 60, 1, 1)[0]; FROZEN = freeze(A, TOY, method='random', seed=1)
LOG = Suite(TOY.items.iloc[A], TOY.scores[NEW].iloc[A])

def save(suite, folder):
    for part in ('items', 'responses'): (Path(folder)/part).mkdir(parents=True, exist_ok=True)
    (Path(folder)/'items/toy.jsonl').write_text(''.join(json.dumps(r) + '\n' for r in suite.records())); suite.scores.to_parquet(Path(folder)/'responses/toy.parquet')

@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path); monkeypatch.delenv('BENCHLIT_DATA', raising=False); monkeypatch.setenv('BENCHLIT_CACHE', str(tmp_path/'cache'))
    FROZEN.save('subset.json'); save(LOG, 'run'); save(PAST, 'suite'); save(TOY, 'all')

@pytest.fixture
def run(capsys):
    def go(line): capsys.readouterr(); code = cli.main(line.split()); return code, *capsys.readouterr()
    return go

def test_score_says_what_the_library_says(run):
    code, out, err = run(f'score subset.json run --past suite --against {NEW[0]} --level .9 --json'); doc = json.loads(out)
    assert code == 0 and err == '' and doc['against'] == NEW[0] and doc['notes'] == []
    pd.testing.assert_frame_equal(pd.DataFrame(doc['estimates']), estimate(FROZEN, LOG, PAST, .9).table, check_dtype=False)
    pd.testing.assert_frame_equal(pd.DataFrame(doc['deltas']), deltas(FROZEN, LOG, NEW[0], PAST, .9), check_dtype=False)

def test_score_as_text(run):
    code, out, err = run('score subset.json run'); t = estimate(FROZEN, LOG).table
    assert code == 0 and '60 of 200' in out and all(f'{100*s:.1f}' in out for s in t['score'].dropna()) and out.count('overall') == len(NEW)
    assert run('score subset.json run --past suite')[1] != out

def test_notes_go_to_stderr_and_json_has_no_nan(run):
    S = LOG.scores.copy(); S.iloc[0, 0] = np.nan; save(Suite(LOG.items, S), 'gap')
    code, out, err = run('score subset.json gap --json'); assert code == 0 and err.startswith(f'note: {NEW[0]}: no score on 1') and 'NaN' not in out and json.loads(out)['notes']

@pytest.mark.parametrize('share, code', [(1., 0), (.5, 1)])
def test_gate(share, code, run):
    worse = LOG.scores.assign(**{NEW[1]: LOG.scores[NEW[0]]*(np.arange(60) < 60*share)}); save(Suite(LOG.items, worse), 'run'); got, out, err = run(f'score subset.json run --against {NEW[0]} --gate')
    assert got == code and ('lower' in out) == bool(code) and err == ''

def test_baseline_of_the_past(run):
    code, out, err = run(f'score subset.json run --past suite --against {PAST.models[0]}'); assert code == 0 and out.count(f'{NEW[0]} ') > 4 and PAST.models[0] in out

def test_gate_does_not_open_on_missing_data(run):
    "A log without one of the benchmarks, or one item of it: no decision, and no benchmark's score under a capability's name."
    b = TOY.benchmarks[1]; rest = LOG.items['benchmark'] != b; save(Suite(LOG.items[rest], LOG.scores[rest]), 'cut'); code, out, err = run(f'score subset.json cut --past suite --against {NEW[0]} --gate --level .9')
    assert code == 2 and 'cannot decide' in err and NEW[1] in err.splitlines()[-1] and 'higher' not in out.splitlines()[-1]
    rows = pd.DataFrame(json.loads(run('score subset.json cut --past suite --json')[1])['estimates']).set_index(['model', 'level', 'name'])['score']
    assert rows.loc[:, 'overall'].isna().all() and rows.loc[:, 'capability', 'maths'].isna().all() and rows.loc[:, 'capability', 'code'].notna().all()
    one = np.append(np.flatnonzero(TOY.groups < 3)[::4], np.flatnonzero(TOY.groups == 3)[0]); freeze(one, TOY, method='random').save('one.json'); save(Suite(TOY.items.iloc[one], TOY.scores[NEW].iloc[one]*[1, 0]), 'one')
    assert run(f'score one.json one --against {NEW[0]} --gate')[0] == 2 and run(f'score one.json one --past suite --against {PAST.models[0]} --gate --level .9')[0] == 1

def lm_eval(folder, suite, right):
    "Logs as lm-eval writes them, of a task with two metrics."
    for m in suite.models:
        (d := Path(folder)/m).mkdir(parents=True); (d/'results_2026-01-01T00-00-00.json').write_text(json.dumps(dict(model_name=m, results={'t': {}}, versions={'t': 1})))
        (d/'samples_t_2026-01-01T00-00-00.jsonl').write_text(''.join(json.dumps(dict(doc_id=i, doc={'question': f'q{i}'}, arguments=[[f'q{i}', {}]], resps=[['a']], filtered_resps=['a'], filter='none', metrics=['acc', 'acc_norm'], acc=y, acc_norm=1 - y)) + '\n' for i, y in enumerate(suite.scores[m])))

def test_metric_and_filter_are_those_of_the_past(run):
    S = Suite(TOY.items.iloc[:50], TOY.scores.iloc[:50, :12]); lm_eval('logs', S, 1); assert run('import logs --metric acc --out lm')[0] == 0 and run('select lm --method random --k 20 --out s.json')[0] == 0
    doc = json.loads(run('export s.json --for lm-eval --out samples.json --json')[1]); assert doc['benchmarks'] == [dict(benchmark='t', chosen=20, of=50)] and 'samples.json' in doc['next'] and Path('samples.json').exists()
    lm_eval('new', Suite(S.items, S.scores.iloc[:, :1].rename(columns=lambda m: 'new')), 1); code, out, err = run('score s.json new --past lm --level .8 --json'); row = json.loads(out)['estimates'][-1]
    assert code == 0 and abs(row['score'] - S.scores.iloc[:, 0].mean()) < .15
    code, out, err = run('score s.json new --past lm --metric acc_norm'); assert code == 2 and "'acc_norm'" in err and 'cannot be compared' in err and out == ''
    assert run('import new --metric acc_norm --out other')[0] == 0 and run('score s.json other --past lm')[0] == 2
    lm_eval('again', Suite(S.items, 1 - S.scores.iloc[:, :1].rename(columns=lambda m: 'new')), 1); (p := next(Path('again').rglob('samples*'))).rename(str(p).replace('2026', '2027')); (p := next(Path('again').rglob('results*'))).rename(str(p).replace('2026', '2027'))
    assert 'another score in an older run' in run('score s.json new again --past lm')[2]

@pytest.mark.parametrize('line, why', [
    ('score subset.json run --gate', '--against'), ('score subset.json run --gate --against=', 'empty'), ('score subset.json run --against gpt', 'gpt'), ('score subset.json nowhere', 'nowhere'), ('score subset.json run --metric acc', '--metric'),
    ('score subset.json run --level 95', 'level'), ('score nothing.json run', 'nothing.json'), ('score run/items/toy.jsonl run', 'not a subset file'), ('score subset.json run --past run', 'another suite'),
    ('score subset.json', 'LOGS'), ('order nowhere', 'nowhere'), ('order all/items/toy.jsonl --benchmark algebra --encoder hashing', 'at least two'), ('order all --power 0 --encoder hashing', 'power'), ('order all --encoder x', 'unknown encoder')])
def test_refused_in_one_line(line, why, run):
    code, out, err = run(line); assert code == 2 and out == '' and err.count('\n') == 1 and err.startswith('benchlit: error: ') and why in err

def test_another_suite_is_refused(run):
    save(Suite(LOG.items.assign(prompt='?'), LOG.scores), 'run'); code, out, err = run('score subset.json run'); assert code == 2 and 'another text' in err

def test_order(run):
    code, out, err = run('order all --encoder hashing --json'); rows = json.loads(out)['order']; E = cli.vectors(TOY, 'hashing'); M, _ = benchmark_overlap(E, TOY.groups)
    names = [r['benchmark'] for r in rows]; at = [TOY.benchmarks.index(b) for b in names]
    assert code == 0 and sorted(names) == sorted(TOY.benchmarks) and [r['items'] for r in rows] == [int((TOY.groups == j).sum()) for j in at] and rows[0]['overlap'] is None
    for t, r in enumerate(rows):
        assert np.isclose(r['covered'], M[:, at[:t+1]].max(1).mean())
        if t: assert np.isclose(r['overlap'], max(M[i, at[t]] for i in at[:t])) and r['most_like'] in names[:t]

def test_a_copy_comes_last(run):
    twice = Suite(pd.concat([TOY.items, TOY.items[TOY.groups == 1].assign(benchmark='copy').rename(index=lambda i: f'copy/{i}')])); t = cli_score.order_table(twice, cli.vectors(twice, 'hashing'))
    assert {t['benchmark'].iloc[-1]} <= {'copy', TOY.benchmarks[1]} and np.isclose(t['overlap'].iloc[-1], 1)
