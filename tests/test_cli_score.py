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

@pytest.mark.parametrize('line, why', [
    ('score subset.json run --gate', '--against'), ('score subset.json run --against gpt', 'gpt'), ('score subset.json nowhere', 'nowhere'), ('score subset.json run --metric acc', '--metric'),
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
