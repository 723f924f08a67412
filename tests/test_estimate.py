"Scores estimated back from a subset run: against plain loops, whatever the order and company of the log."
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from benchlit.core import Subset, Suite, freeze
from benchlit.estimate import deltas, estimate, judges, models_needed, place, rank_width
from benchlit.metrics import random_subsets
from benchlit.worlds import toy_suite

TOY = toy_suite(0); NEW, PAST = TOY.models[-2:], TOY.pick(models=TOY.models[:-2])

def frozen_of(A, suite=TOY, **kw): return freeze(A, suite, method=kw.pop('method', 'random'), **kw)
def log_of(A, models=NEW, order=None, suite=TOY):
    rows = suite.items.index[A if order is None else np.asarray(A)[order]]; return Suite(suite.items.loc[rows], suite.scores.loc[rows, list(models)])
def overall(t): return t.query("level == 'overall'").set_index('model')['score']

@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(20, 120))
def test_plain_and_adjusted_are_the_loops(seed, k):
    A = random_subsets(TOY.n, k, 1, seed)[0]; f = frozen_of(A); Y = TOY.scores
    kept = [b for b in TOY.benchmarks if (TOY.items['benchmark'].iloc[A] == b).any()]
    def score(m, rows): return np.mean([Y.loc[rows[TOY.items.loc[rows, 'benchmark'] == b], m].mean() for b in kept])
    chosen, everything = TOY.items.index[A], TOY.items.index
    e = np.mean([score(m, chosen) - score(m, everything) for m in PAST.models])
    plain, adjusted = overall(estimate(f, log_of(A)).table), overall(estimate(f, log_of(A), PAST).table)
    for m in NEW:
        assert np.isclose(plain[m], score(m, chosen)) and np.isclose(adjusted[m], np.clip(score(m, chosen) - e, 0, 1))

@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_order_and_company_of_the_log_do_not_matter(seed):
    rng = np.random.default_rng(seed); A = random_subsets(TOY.n, 50, 1, rng)[0]; f = frozen_of(A)
    want = estimate(f, log_of(A), PAST, .9).table
    more = np.concatenate([A, rng.permutation(np.setdiff1d(np.arange(TOY.n), A))[:30]])
    for log in (log_of(A, order=rng.permutation(50)), log_of(more, order=rng.permutation(80))): pd.testing.assert_frame_equal(estimate(f, log, PAST, .9).table, want)

@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40), st.floats(.5, .99))
def test_rank_width_is_the_loop(e, level):
    e = np.array(e); r = sorted(abs(e[m] - np.delete(e, m).mean()) for m in range(len(e))); nth = next(i for i in range(1, 10**4) if i >= level*(len(e) + 1) - 1e-9)
    w = rank_width(e, level)
    assert np.isnan(w) if nth > len(e) else np.isclose(w, r[nth-1], atol=1e-12)

def test_everything_run_is_certain():
    t = estimate(frozen_of(np.arange(TOY.n)), TOY).table
    assert np.allclose(t['low'], t['high']) and (t['items'] == t['of']).all()

def test_probes_do_not_judge():
    A = np.arange(40); f = frozen_of(A, method='bestrand', params={'probes': PAST.models[:3]}); known = judges(f, PAST)
    assert known.models == PAST.models[3:] and known.Y.shape == (len(PAST.models) - 3, TOY.n)

def test_models_needed_is_the_first_that_has_an_interval():
    for level in np.linspace(.05, .995, 60):
        M = models_needed(level); assert not np.isnan(rank_width(np.zeros(max(M, 2)), level)) and (M < 3 or np.isnan(rank_width(np.zeros(M - 1), level)))

def test_missing_items_are_adjusted_by_the_same_items():
    "A log that stopped half-way is a subset of its own: the same as that subset, run as a whole."
    A = random_subsets(TOY.n, 80, 1, 2)[0]; rows = TOY.items.index[A]; S = TOY.scores.loc[rows, NEW].copy(); S.iloc[40:, 0] = np.nan
    cut = estimate(frozen_of(A), Suite(TOY.items.loc[rows], S), PAST, .9).table.set_index(['model', 'level', 'name']); whole = estimate(frozen_of(A[:40]), log_of(A[:40]), PAST, .9).table.set_index(['model', 'level', 'name'])
    cols = ['score', 'low', 'high', 'items', 'of', 'by']; pd.testing.assert_frame_equal(cut.loc[[NEW[0]], cols], whole.loc[[NEW[0]], cols])

def test_past_models_that_were_run_on_a_part_do_not_judge():
    A = random_subsets(TOY.n, 60, 1, 4)[0]; S = PAST.scores.copy(); S.iloc[np.setdiff1d(np.arange(TOY.n), A), :4] = np.nan; S.iloc[A, 4] = np.nan
    est = estimate(frozen_of(A), log_of(A), Suite(TOY.items, S), .9); pd.testing.assert_frame_equal(est.table, estimate(frozen_of(A), log_of(A), PAST.pick(models=PAST.models[5:]), .9).table)
    assert any('less than 95 %' in n and PAST.models[0] in n for n in est.notes)

def test_few_past_models_adjust_nothing():
    A = random_subsets(TOY.n, 60, 1, 4)[0]; few = estimate(frozen_of(A), log_of(A), PAST.pick(models=PAST.models[:4]))
    pd.testing.assert_frame_equal(few.table, estimate(frozen_of(A), log_of(A)).table); assert '4 past model(s) are too few to adjust' in few.notes[0]

@pytest.mark.parametrize('method, by', [('random', 'paired items'), ('herding', 'past models')])
def test_how_a_baseline_of_the_past_is_compared(method, by):
    A = random_subsets(TOY.n, 60, 1, 4)[0]; f = frozen_of(A, method=method); d = deltas(f, log_of(A), PAST.models[0], PAST, .9); last = d.iloc[-1]; assert last['by'] == by
    if by == 'past models':
        e = overall(estimate(f, log_of(A), PAST, .9).table); full = np.mean([TOY.scores.loc[TOY.groups == j, PAST.models[0]].mean() for j in range(4)])
        assert np.isclose(last['delta'], e[last['model']] - full) and np.isclose(last['high'] - last['low'], np.diff(estimate(f, log_of(A), PAST, .9).table[['low', 'high']].iloc[-1])[0])

def test_a_single_item_of_a_benchmark_is_compared_by_past_models_or_not_at_all():
    A = np.append(np.flatnonzero(TOY.groups < 3)[::4], np.flatnonzero(TOY.groups == 3)[0]); f = frozen_of(A)
    assert deltas(f, log_of(A), NEW[0])['verdict'].iloc[-1] == '' and deltas(f, log_of(A), PAST.models[0], PAST, .9)['by'].iloc[-1] == 'past models'

def test_a_missing_benchmark_gives_no_overall_score():
    A = random_subsets(TOY.n, 60, 1, 0)[0]; rows = TOY.items.index[A]; S = TOY.scores.loc[rows, NEW].copy(); S.loc[TOY.items.loc[rows, 'benchmark'] == TOY.benchmarks[1], NEW[0]] = np.nan
    est = estimate(frozen_of(A), Suite(TOY.items.loc[rows], S)); t = est.table.set_index(['model', 'level', 'name'])['score']
    assert np.isnan(t[NEW[0], 'overall', 'overall']) and np.isnan(t[NEW[0], 'benchmark', TOY.benchmarks[1]]) and not np.isnan(t[NEW[1], 'overall', 'overall'])
    assert any(NEW[0] in n for n in est.notes)

def test_a_benchmark_without_chosen_items_is_said():
    A = np.flatnonzero(TOY.groups != 2)[::3]; est = estimate(frozen_of(A), log_of(A))
    assert TOY.benchmarks[2] in est.notes[0] and TOY.benchmarks[2] not in set(est.table['name'])

def test_weights_are_used():
    A = np.arange(0, TOY.n, 4); w = np.linspace(1, 3, len(A)); f = freeze(Subset(A, None, w), TOY, method='facility'); t = estimate(f, log_of(A)).table
    at = TOY.groups[A] == 0; y = TOY.scores[NEW[0]].to_numpy()[A]
    assert np.isclose(t.iloc[0]['score'], (w*y)[at].sum()/w[at].sum()) and np.isnan(t['low']).all()
    assert not np.isnan(estimate(f, log_of(A), PAST, .9).table['low']).any()

def test_delta_is_the_difference_on_shared_items():
    A = random_subsets(TOY.n, 80, 1, 5)[0]; f = frozen_of(A); d = deltas(f, log_of(A), NEW[1]); e = overall(estimate(f, log_of(A)).table)
    assert set(d['model']) == {NEW[0]} and np.isclose(d['delta'].iloc[-1], e[NEW[0]] - e[NEW[1]])
    p = deltas(f, log_of(A), PAST.models[0], PAST); assert set(p['model']) == set(NEW) and (p['items'].iloc[-1] == 80)
    S = TOY.scores.loc[TOY.items.index[A], NEW].copy(); S.iloc[:5, 0] = np.nan
    assert deltas(f, Suite(TOY.items.iloc[A], S), NEW[1])['items'].max() == 75

def test_worse_model_is_seen():
    rng = np.random.default_rng(0); n = 2000; items = pd.DataFrame(dict(item_id=[f'i{j}' for j in range(n)], benchmark='b', capability='c', prompt='p'))
    good = rng.random(n) < .7; bad = good & (rng.random(n) < .85); S = Suite(items, pd.DataFrame(dict(item_id=items['item_id'], old=good*1., new=bad*1.)))
    f = freeze(random_subsets(n, 400, 1, 0)[0], S, method='random'); d = deltas(f, S, 'old')
    assert (d['verdict'] == 'lower').all() and d['low'].iloc[-1] < bad.mean() - good.mean() < d['high'].iloc[-1]

@pytest.mark.parametrize('why, call', [
    ('another text', lambda f, A: estimate(f, Suite(TOY.items.assign(prompt='?'), TOY.scores))), ('none of the 40 chosen', lambda f, A: estimate(f, log_of(np.setdiff1d(np.arange(TOY.n), A)))),
    ('no scores', lambda f, A: estimate(f, Suite(TOY.items))), ('no scores', lambda f, A: estimate(f, log_of(A), Suite(TOY.items))), ('level', lambda f, A: deltas(f, log_of(A), NEW[0], level=95)), ('level', lambda f, A: estimate(f, log_of(A), level=1.)), ("no model 'x'", lambda f, A: deltas(f, log_of(A), 'x', PAST)),
    ('baseline', lambda f, A: deltas(f, log_of(A, NEW[:1]), NEW[0])), ('item(s) missing', lambda f, A: estimate(f, log_of(A), log_of(np.arange(100))))])
def test_refused(why, call):
    A = np.arange(0, TOY.n, 5)
    with pytest.raises(ValueError, match=why.replace('(', r'\(').replace(')', r'\)')): call(frozen_of(A), A)

def test_model_without_any_score_on_the_subset():
    A = np.arange(0, TOY.n, 5); S = TOY.scores[NEW].copy(); S.iloc[A, 0] = np.nan
    with pytest.raises(ValueError, match=NEW[0]): place(frozen_of(A), Suite(TOY.items, S))
