"MINCE: three samplers with one law, apportionment, and the rule."
from math import comb
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from benchlit.core import load_suite
from benchlit.mince import _sums, apportion, drift_curve, leave_out, mince, strategy_ablation, subset_at, threshold_sweep
from benchlit.worlds import correlated_answers

R3 = np.random.default_rng(0)
MATRICES = {'pass/fail': correlated_answers(300, 5, .6, .4, rng=0), 'graded': R3.beta(.6, .4, (4, 250)), 'many series': correlated_answers(220, 30, .8, .3, rng=1),
            'lopsided': (R3.random((3, 400)) < np.array([[.02], [.5], [.97]]))*1., 'quarters': R3.integers(0, 5, (6, 260))/4}

@pytest.mark.parametrize('name', MATRICES)
@pytest.mark.parametrize('sampler', ['patterns', 'order'])
def test_p95_agrees_with_the_naive_draw(name, sampler):
    Y = MATRICES[name]; n = Y.shape[1]; sizes = np.array([5, n//5, n//2, n//2 + 1, n-1, n])
    a, b = (drift_curve(Y, sizes, R=r, rng=5, sampler=s) for s, r in ((sampler, 5000), ('naive', 1000)))
    gap = (a['p95'] - b['p95']).abs()
    lattice = .5/sizes/np.where((Y*4 == np.floor(Y*4)).all(), 1, 1e9)     # P95 of lattice scores may sit on either side of a gap
    assert (gap <= 4*np.hypot(a['se'], b['se']) + lattice).all() and a['p95'].iloc[-1] == 0

@pytest.mark.parametrize('sampler', ['patterns', 'order', 'naive'])
def test_law_of_counts_is_multivariate_hypergeometric(sampler):
    "All outcomes of a draw from 3 patterns, and of a second, nested size, against their exact probabilities."
    V = np.repeat(np.eye(3), [4, 3, 2], axis=1)[:2]; R = 20_000
    S = _sums(V, np.array([4, 6]), R, np.random.default_rng(1), sampler).astype(int)
    for t, k in enumerate((4, 6)):
        for x in range(5):
            for y in range(4):
                p = comb(4, x)*comb(3, y)*comb(2, k-x-y)/comb(9, k) if 0 <= k-x-y <= 2 else 0
                got = ((S[t, 0] == x) & (S[t, 1] == y)).mean()
                assert abs(got - p) <= 5*np.sqrt(p*(1-p)/R) + 1e-12, (k, x, y)

@pytest.mark.parametrize('sampler', ['patterns', 'order'])
def test_every_block_may_be_the_largest(sampler):
    "Mean and variance where the block that is not drawn is the first, a middle one, the last."
    Y = MATRICES['pass/fail']; n, R = 300, 6000
    for sizes in ([200, 230, 260], [20, 240, 260], [10, 20, 30], [299], [1]):
        S = _sums(Y, np.array(sizes), R, np.random.default_rng(2), sampler)
        for k, s in zip(sizes, S):
            var = k*(n-k)/(n-1)*Y.var(1)
            assert (np.abs(s.mean(1) - k*Y.mean(1)) <= 5*np.sqrt(var/R)).all() and (np.abs(s.var(1)/var - 1) < 6*np.sqrt(2/R) + .02).all()
        assert (np.diff(S, axis=0) >= 0).all()                           # nested: sums only grow

def test_short_random_keys_do_not_bend_the_law():
    "Keys so short that most replicates are thrown away: items with a low code must not come first."
    class Coarse:
        def __init__(self): self.rng = np.random.default_rng(3)
        def integers(self, low, high, size, dtype, endpoint): return self.rng.integers(0, 16, size).astype(dtype) << dtype(28)
    V = np.stack([np.arange(12.) < 6, np.arange(12.) % 2]); R = 20_000
    S = _sums(V, np.array([3, 6]), R, Coarse(), 'order')
    assert np.abs(S[0, 0].mean() - 1.5) < 5*np.sqrt(.75*9/11/R)

def test_ratio_metric_against_the_plain_formula():
    r = np.random.default_rng(4); D = r.integers(1, 5, (3, 120)); Y = r.binomial(D, .6); sizes = [30, 90, 120]
    naive, fast = (drift_curve(Y, sizes, R=3000, rng=6, denominators=D, sampler=s) for s in ('naive', 'order'))
    assert ((naive['p95'] - fast['p95']).abs() <= 4*np.hypot(naive['se'], fast['se'])).all()
    x = np.empty(3000)
    for i in range(3000): s = r.choice(120, 30, replace=False); x[i] = np.abs(Y[:, s].sum(1)/D[:, s].sum(1) - Y.sum(1)/D.sum(1)).max()
    assert abs(np.quantile(x, .95) - fast['p95'][0]) < 6*fast['se'][0]

def test_stated_error_is_the_spread():
    Y = MATRICES['graded']; runs = [drift_curve(Y, [40, 80], R=1000, rng=s) for s in range(120)]
    for col in ('se', 'gain_se'):
        spread = np.std([c['p95' if col == 'se' else 'gain'][1] for c in runs]); said = np.mean([c[col][1] for c in runs])
        assert .75 < said/spread < 1.3, col

def test_nested_draws_make_the_gain_more_precise():
    Y = MATRICES['graded']; a, b = (drift_curve(Y, [100, 110], R=4000, rng=1, sampler=s) for s in ('order', 'naive'))
    assert a['gain_se'][1] < .85*b['gain_se'][1]

def test_literal_and_fast_agree_or_are_flagged():
    Y = correlated_answers(200, 5, .6, .4, rng=7)
    for seed in range(20):
        a, b = (mince(Y, 40, tau=.02, R=400, rng=seed, sampler=s) for s in ('order', 'naive'))
        assert a.n_star == b.n_star or a.flagged or b.flagged

counts = st.lists(st.integers(0, 60), min_size=1, max_size=12).filter(lambda c: sum(c) > 0)

@given(counts, st.data(), st.sampled_from(['remainder', 'webster']))
@settings(max_examples=150, deadline=None)
def test_apportionment_is_exact(c, data, method):
    k = data.draw(st.integers(1, sum(c))); a = apportion(np.array(c), k, method); q = k*np.array(c)/sum(c)
    assert a.sum() == k and (a >= 0).all() and (a <= c).all()
    if method == 'remainder': assert (a >= np.floor(q - 1e-9)).all() and (a <= np.ceil(q + 1e-9)).all()

@given(counts)
@settings(max_examples=60, deadline=None)
def test_webster_is_house_monotone_and_rounds_by_a_divisor(c):
    table = np.array([apportion(np.array(c), k, 'webster') for k in range(1, sum(c) + 1)])
    assert (np.diff(table, axis=0) >= 0).all()
    N = np.array(c, float)
    for a in table:                                                     # some divisor d rounds every N/d to a: ranges overlap
        low, high = N/(a + .5), np.divide(N, a - .5, out=np.full(len(N), np.inf), where=a > 0)
        assert low.max() <= high.min()*(1 + 1e-12)

def test_alabama_paradox_is_there_for_remainders_only():
    assert apportion([6, 6, 2], 10)[2] > apportion([6, 6, 2], 11)[2]

@given(st.integers(1, 90), st.sampled_from(['remainder', 'webster']), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_stratified_subsets_hold_their_shares(k, method, seed):
    strata = np.repeat(['a', 'b', 'c'], [50, 30, 10]); s = subset_at(k, 'stratified', strata=strata, method=method, rng=seed).idx
    assert len(np.unique(s)) == k and (np.diff(s) > 0).all()
    assert [int((strata[s] == x).sum()) for x in 'abc'] == apportion([50, 30, 10], k, method).tolist()

def test_tables_add_up():
    Y = correlated_answers(300, 6, .6, .4, rng=3); names = list('aabbcc')
    t = leave_out(Y, 30, (1, 2), models=names, tau=.02, R=1000, rng=0)
    assert t['K'].tolist() == [0, 1, 1, 1, 2, 2, 2] and t['left_out'].tolist() == ['', 'a', 'b', 'c', 'a, b', 'a, c', 'b, c']
    assert (t['max_drift'][1:] >= t['mean_drift'][1:]).all() and np.isnan(t['max_drift'][0])
    m = mince(Y, 30, tau=.02, R=1000, rng=0); s = threshold_sweep(m.curve, 300, (.01, .02, .04))
    assert s.loc[.02, 'n_star'] == m.n_star == t['n_star'][0] and s['n_star'].dropna().is_monotonic_decreasing
    a = strategy_ablation(Y, 60, {'uniform': None}, 5); i = subset_at(60, n=300, rng=3).idx
    assert a['max_drift'][3] == pytest.approx(np.abs(Y[:, i].mean(1) - Y.mean(1)).max())

@pytest.mark.parametrize('call, says', [
    (lambda Y: mince(Y[:1], 10, rng=0), 'L >= 2'), (lambda Y: mince(Y[0], 10, rng=0), 'L >= 2'), (lambda Y: mince(Y, 101, rng=0), 'step must'),
    (lambda Y: mince(Y, 10, tau=0, rng=0), 'tau'), (lambda Y: mince(Y, 10, tau=-.1, rng=0), 'tau'), (lambda Y: mince(Y, 10, tau=np.nan, rng=0), 'tau'),
    (lambda Y: mince(np.where(Y == 1, np.nan, Y), 10, rng=0), 'missing'), (lambda Y: mince(2*Y, 10, rng=0), r'\[0, 1\]'), (lambda Y: mince(-Y, 10, rng=0), r'\[0, 1\]'),
    (lambda Y: mince(Y, 10, rng=0, denominators=0*Y), 'denominators must be > 0'), (lambda Y: mince(Y, 10, rng=0, denominators=Y[:2]), 'shape'),
    (lambda Y: drift_curve(Y, [5, 101], rng=0), '1..100'), (lambda Y: drift_curve(Y, [0], rng=0), '1..100'), (lambda Y: drift_curve(Y, [5.5], rng=0), 'whole'),
    (lambda Y: drift_curve(Y, [5], rng=None), 'rng'), (lambda Y: drift_curve(Y, [5], R=0, rng=0), 'R=0'), (lambda Y: subset_at(101, n=100, rng=0), '1..100'),
    (lambda Y: mince(Y, 10.5, rng=0), 'step must'), (lambda Y: mince([['a', 'b'], ['c', 'd']], 1, rng=0), 'numbers')])
def test_bad_input_is_refused(call, says):
    with pytest.raises(ValueError, match=says): call(correlated_answers(100, 3, .5, .3, rng=0))

@pytest.mark.parametrize('name', ['ifeval', 'gsm8k', 'mmlu_redux', 'swebench_verified_submissions', 'alpaca_eval_2'])
def test_samplers_agree_on_real_matrices(name, data_dir):
    Y = load_suite(data_dir, [name]).Y; Y = Y[:, ~np.isnan(Y).all(0)]; Y = Y[~np.isnan(Y).any(1)][:7]; n = Y.shape[1]; sizes = [n//10, n//3, 2*n//3]
    runs = {s: drift_curve(Y, sizes, R=r, rng=8, sampler=s) for s, r in (('patterns', 4000), ('order', 4000), ('naive', 1000)) if s != 'patterns' or name != 'alpaca_eval_2'}
    for c in runs.values(): assert ((c['p95'] - runs['naive']['p95']).abs() <= 4*np.hypot(c['se'], runs['naive']['se']) + .5/np.array(sizes)).all()
