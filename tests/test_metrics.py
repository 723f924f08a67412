"""Metrics against naive loops, SciPy, scikit-learn and hand arithmetic; intervals against their coverage on real records."""
import numpy as np, pytest, scipy.stats, sklearn.metrics
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from benchlit import metrics as mt
from benchlit.core import Subset, load_suite

seeds = st.integers(0, 2**32 - 1)
SUITES = ['gsm8k', 'bfcl', 'swebench_verified_submissions', 'alpaca_eval_2']

def world(seed, ties=False):
    "A random case: scores with holes, groups with gaps, subsets, weights with zeros, denominators."
    r = np.random.default_rng(seed)
    M, n, N, S = r.integers(1, 6), r.integers(2, 16), r.integers(1, 5), r.integers(1, 5); k = r.integers(1, n + 1)
    Y = r.integers(0, 3, (M, n))/2 if ties else r.random((M, n))
    Y = np.where(r.random((M, n)) < r.choice([0, .2, .7]), np.nan, Y)
    A = mt.random_subsets(int(n), int(k), int(S), r); w = r.integers(0, 3, A.shape)*r.random(A.shape); w[:, 0] += .1
    D = np.where(r.random((M, n)) < .1, np.nan, r.integers(0, 4, (M, n)))
    return r, Y, r.integers(0, N, n), A, w, D

def naive_scores(Y, groups, subset, weights=None, D=None, N=None):
    out = np.full((len(Y), max(groups) + 1 if N is None else N), np.nan)
    for m in range(len(Y)):
        for b in range(out.shape[1]):
            num = den = 0.
            for pos, i in enumerate(subset):
                w = 1. if weights is None else weights[pos]; d = 1. if D is None else D[m, i]
                if groups[i] == b and not np.isnan(Y[m, i]) and not np.isnan(d): num += w*Y[m, i]; den += w*d
            if den > 0: out[m, b] = num/den
    return out

def naive_mean(v):
    v = [x for x in v if not np.isnan(x)]
    return sum(v)/len(v) if v else np.nan

# --- scores ---

@given(seeds, st.booleans(), st.booleans())
def test_scores_equal_the_naive_loops(seed, weighted, ratio):
    _, Y, g, A, w, D = world(seed); w, D = w if weighted else None, D if ratio else None
    got = mt.benchmark_scores(Y, g, A, w, denominators=D)
    want = [naive_scores(Y, g, a, None if w is None else w[s], D) for s, a in enumerate(A)]
    assert_allclose(got, want, atol=1e-12)
    assert_allclose(mt.benchmark_scores(Y, g, Subset(A[0], None, None if w is None else w[0]), denominators=D), got[0])
    assert_allclose(mt.benchmark_scores(Y, g, denominators=D), naive_scores(Y, g, range(Y.shape[1]), None, D), atol=1e-12)
    assert_allclose(mt.overall(got), [[naive_mean(row) for row in s] for s in got], atol=1e-12)

@given(seeds)
def test_capability_scores_and_errors_equal_the_naive_loops(seed):
    r, Y, g, A, _, _ = world(seed); Y = Y + .05
    S, T = mt.benchmark_scores(Y, g, A), mt.benchmark_scores(Y, g); cap = [str(c) for c in r.integers(0, 2, T.shape[1])]
    names = list(dict.fromkeys(cap)); cols = [[j for j, c in enumerate(cap) if c == n] for n in names]
    caps = lambda X: np.array([[naive_mean(row[c]) for c in cols] for row in X])
    got, rel = mt.capability_scores(S, cap), mt.cap_mre(S, T, cap)
    P, t = mt.overall(S), mt.overall(T)
    for s in range(len(A)):
        assert_allclose(got[s], caps(S[s]), atol=1e-12)
        assert_allclose(rel[s], naive_mean([naive_mean(np.abs(caps(S[s])[:, c] - caps(T)[:, c])/caps(T)[:, c]) for c in range(len(names))]), atol=1e-12)
        e = np.abs(P[s] - t)
        assert_allclose(mt.drift(P, t)[s], e, atol=1e-15)
        assert_allclose(mt.mae(P, t)[s], naive_mean(e), atol=1e-12)
        assert_allclose(mt.mre(P, t)[s], naive_mean(e/t), atol=1e-12)
        assert_allclose(mt.worst_drift(P, t)[s], max([x for x in e if not np.isnan(x)], default=np.nan), atol=1e-15)
    assert_allclose(mt.subset_errors(Y, A, g), np.abs(P - t), atol=1e-12)
    assert_allclose(mt.subset_errors(Y, A, g, signed=True), P - t, atol=1e-12)

def test_blocks_of_subsets_do_not_change_the_answer(monkeypatch):
    r = np.random.default_rng(0); Y = np.where(r.random((3, 20)) < .2, np.nan, r.random((3, 20))); g = r.integers(0, 3, 20)
    A = mt.random_subsets(20, 6, 1000, 0); w = r.random(A.shape); whole = [mt.subset_errors(Y, A, g, v) for v in (None, w, w[0])]
    calls, scores = [], mt.benchmark_scores
    monkeypatch.setattr(mt, 'benchmark_scores', lambda *a, **k: calls.append(0) or scores(*a, **k))
    monkeypatch.setattr(mt, 'BLOCK', 9*64)
    for v, want in zip((None, w, w[0]), whole): np.testing.assert_array_equal(mt.subset_errors(Y, A, g, v), want)
    assert len(calls) > 30

# --- rank correlations ---

@given(seeds, st.booleans())
def test_rank_correlations_equal_scipy(seed, ties):
    r, Y, *_ = world(seed, ties); true = np.where(r.random(Y.shape[1]) < .2, np.nan, r.integers(0, 4, Y.shape[1]) if ties else r.random(Y.shape[1]))
    for ours, theirs in ((mt.spearman, scipy.stats.spearmanr), (mt.kendall, scipy.stats.kendalltau)):
        got = ours(Y, true)
        for row, v in zip(Y, got):
            ok = ~np.isnan(row + true); a, b = row[ok], true[ok]
            want = theirs(a, b).statistic if len(a) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0 else np.nan
            assert_allclose(v, want, atol=1e-12)

# --- random subsets ---

@given(st.integers(1, 30), st.data(), seeds)
def test_random_subsets_are_subsets_and_nested_in_S(n, data, seed):
    k, S = data.draw(st.integers(1, n)), data.draw(st.integers(1, 8)); A = mt.random_subsets(n, k, S, seed)
    assert A.shape == (S, k) and A.min() >= 0 and A.max() < n and all(len(set(a)) == k for a in A)
    np.testing.assert_array_equal(mt.random_subsets(n, k, S + 3, seed)[:S], A)

def test_random_subsets_are_uniform_in_every_order():
    A = mt.random_subsets(5, 3, 60_000, 0); code = A @ [25, 5, 1]
    counts = np.unique(code, return_counts=True)[1]                      # 5*4*3 = 60 ordered subsets
    assert len(counts) == 60 and scipy.stats.chisquare(counts).pvalue > .001

# --- intervals ---

@given(st.integers(1, 60), st.data(), st.sampled_from([.8, .95, .99]))
def test_wilson_is_scipys_on_a_large_suite(k, data, level):
    if k < 2: k = 2
    x = data.draw(st.integers(0, k)); y = np.zeros(10**5); y[:x] = 1
    i = mt.score_interval(y, np.arange(k), level=level); want = scipy.stats.binomtest(x, k).proportion_ci(level, method='wilson')
    assert_allclose([i.low, i.high], want, atol=5e-4)

def naive_normal(y, idx, groups, level=.95):
    codes = sorted(set(groups)); mean = var = 0
    for b in codes:
        v = [y[i] for i in idx if groups[i] == b and not np.isnan(y[i])]; n = sum(g == b for g in groups)
        mean += np.mean(v)/len(codes); var += (1 - len(v)/n)*np.var(v, ddof=1)/len(v)/len(codes)**2
    return mean, scipy.stats.norm.ppf(.5 + level/2)*var**.5

@given(seeds)
def test_normal_and_paired_intervals_equal_the_naive_loops(seed):
    r = np.random.default_rng(seed); g = np.repeat(np.arange(3), [5, 9, 6]); Y = r.random((4, 20)); Z = r.random((4, 20))
    Y[0, :2] = np.nan; pick = lambda: np.concatenate([r.permutation(np.flatnonzero(g == b))[:4] for b in range(3)])
    A = np.stack([pick(), pick()]); i, d = mt.score_interval(Y, A, g, method='normal'), mt.paired_delta(Y, Z, A, g, unit=0)
    for s, a in enumerate(A):
        for m in range(4):
            mean, half = naive_normal(Y[m], a, g); assert_allclose((i.score[s, m], i.low[s, m], i.high[s, m]), (mean, mean - half, mean + half), atol=1e-12)
            mean, half = naive_normal(Y[m] - Z[m], a, g); assert_allclose((d.delta[s, m], d.high[s, m]), (mean, mean + half), atol=1e-12)

@given(seeds)
def test_wilson_stays_in_bounds_and_shrinks_to_a_point(seed):
    r = np.random.default_rng(seed); n = 12; g = np.repeat([0, 1], 6); y = (r.random(n) < r.random())*(1. if seed % 2 else r.random(n)); a = r.permutation(6)[:3]
    i = mt.score_interval(y, np.concatenate([a, 6 + a]), g)
    assert 0 <= i.low <= i.score <= i.high <= 1
    full = mt.score_interval(y, np.arange(n), g); assert_allclose((full.low, full.high), (full.score,)*2, atol=1e-12)
    flip = mt.score_interval(1 - y, np.concatenate([a, 6 + a]), g); assert_allclose((flip.low, flip.high), (1 - i.high, 1 - i.low), atol=1e-12)

def test_interval_of_a_model_without_enough_scores_is_nan():
    Y = np.ones((2, 6)); Y[0, :2] = np.nan; i = mt.score_interval(Y, np.arange(3))
    assert np.isnan(i.low[0]) and np.isnan(i.high[0]) and np.isfinite(i.low[1])

def test_bootstrap_has_the_variance_of_the_formula():
    y = np.random.default_rng(0).random(60); g = np.repeat([0, 1], 30); a = np.r_[0:12, 30:40]
    n, b = (mt.score_interval(y, a, g, method=m, B=20_000) for m in ('normal', 'bootstrap'))
    assert abs((b.high - b.low)/(n.high - n.low) - 1) < .08

@pytest.mark.parametrize('name', SUITES)
@pytest.mark.parametrize('share', [.05, .2])
def test_coverage_on_real_records(data_dir, name, share):
    "95 % intervals of random subsets cover 93-97 % of the models' full scores"
    Y = load_suite(data_dir, [name]).Y; Y = Y[~np.isnan(Y).any(1)]; true = Y.mean(1)
    i = mt.score_interval(Y, mt.random_subsets(Y.shape[1], round(share*Y.shape[1]), 1000, 7))
    cover = ((i.low <= true + 1e-12) & (true - 1e-12 <= i.high)).mean()
    assert .93 <= cover <= .97, cover

def test_graded_scores_need_the_steadied_design_effect(data_dir, monkeypatch):
    "Without the imaginary pass/fail items the interval trusts calm samples and covers too little"
    Y = load_suite(data_dir, ['alpaca_eval_2']).Y; Y = Y[~np.isnan(Y).any(1)]; A, true = mt.random_subsets(805, 40, 1000, 7), Y.mean(1)
    monkeypatch.setattr(mt, 'PRIOR_ITEMS', 1e-9); i = mt.score_interval(Y, A)
    assert ((i.low <= true) & (true <= i.high)).mean() < .9

@given(seeds)
def test_pair_variances_equal_the_naive_loops(seed):
    _, Y, *_ = world(seed); M = len(Y)
    if M < 2: return
    want, apart = [], []
    for i in range(M):
        for j in range(i + 1, M):
            ok = ~np.isnan(Y[i] + Y[j])
            if ok.sum() > 1: want.append(np.var(Y[i, ok] - Y[j, ok])); apart.append(np.var(Y[i, ok]) + np.var(Y[j, ok]))
    if not want:
        with pytest.raises(ValueError, match='share'): mt.pair_variances(Y)
    else:
        assert_allclose(mt.pair_variances(Y), want, atol=1e-12); assert_allclose(mt.pair_variances(Y, paired=False), apart, atol=1e-12)

def test_items_for_delta_has_its_power():
    "Model a wins 15 % of the items and loses 10 %: the paired interval clears zero in 80 % of draws of the size asked for"
    d = np.zeros(4000); d[:600], d[600:1000] = 1, -1; Y = np.stack([.5 + d/2, .5 - d/2]); k = mt.items_for_delta(Y, .05)
    power = (mt.paired_delta(*Y, mt.random_subsets(4000, k, 4000, 0)).low > 0).mean()
    assert abs(power - .8) < .03, (k, power)
    assert_allclose(mt.pair_variances(Y), .25 - .05**2); assert_allclose(mt.pair_variances(Y, paired=False), (.25 - .05**2)/2)

# --- leaderboards and methods ---

@given(seeds)
def test_r2_equals_scikit_learn_and_skips_holes(seed):
    r = np.random.default_rng(seed); Z, P = r.normal(size=(12, 4)), r.normal(size=(12, 4)); Z -= Z.mean(0)
    assert_allclose(mt.r2_standardized(P, Z), sklearn.metrics.r2_score(Z, P, multioutput='variance_weighted'), atol=1e-12)
    H = np.where(r.random(Z.shape) < .3, np.nan, Z); A = r.permutation(4)[:2]
    num = den = 0
    for i in range(12):
        for j in range(4):
            if j not in A and not np.isnan(H[i, j]): num += (P[i, j] - H[i, j])**2; den += H[i, j]**2
    if den: assert_allclose(mt.r2_standardized(P, H, A), 1 - num/den, atol=1e-12)

@given(seeds, st.integers(0, 4))
def test_residual_variance_is_the_schur_complement(seed, k):
    r = np.random.default_rng(seed); X = r.normal(size=(9, 5)); S = X.T @ X; A = r.permutation(5)[:k]; R = np.setdiff1d(np.arange(5), A)
    want = np.trace(S[np.ix_(R, R)] - S[np.ix_(R, A)] @ np.linalg.inv(S[np.ix_(A, A)]) @ S[np.ix_(A, R)])/np.trace(S)
    assert_allclose(mt.residual_variance(S, A), want, atol=1e-8)

@given(seeds)
def test_ranks_and_normalised_scores_equal_the_naive_loops(seed):
    r = np.random.default_rng(seed); k, B = r.integers(1, 6), r.integers(1, 5)
    m = np.where(r.random((k, B)) < .2, np.nan, r.integers(0, 8, (k, B))/10); s = r.integers(0, 3, (k, B))/10
    ranks, scores = [], []
    for i in range(k):
        rank, score = [], []
        for b in range(B):
            if np.isnan(m[i, b]): continue
            col = m[:, b][~np.isnan(m[:, b])]
            rank.append(1 + sum(round(10*(m[j, b] + s[j, b])) < round(10*(m[i, b] - s[i, b])) for j in range(k) if not np.isnan(m[j, b])))
            score.append((m[i, b] - col.min())/(np.ptp(col) or 1))
        ranks.append(np.mean(rank) if rank else np.nan); scores.append(np.mean(score) if score else np.nan)
    assert_allclose(mt.mean_average_rank(m, s), ranks, atol=1e-12)
    assert_allclose(mt.normalized_score(m), scores, atol=1e-12)

# --- what is refused ---

@pytest.mark.parametrize('call,says', [
    (lambda: mt.benchmark_scores([1, 0], None), r'shape \(M, n\)'),
    (lambda: mt.benchmark_scores([[1, 0]], [0, -1]), 'benchmark codes'),
    (lambda: mt.benchmark_scores([[1, 0]], None, [0, 2]), '0..1'),
    (lambda: mt.benchmark_scores([[1, 0]], None, np.zeros((2, 0), int)), 'positions'),
    (lambda: mt.benchmark_scores([[1, 0]], None, [0, 1], [1, np.nan]), 'missing'),
    (lambda: mt.benchmark_scores([[1, 0]], None, Subset(np.array([0]), None, np.array([1.])), [1]), 'weights of its own'),
    (lambda: mt.benchmark_scores([[1, 0]], None, denominators=[-1, 1]), 'negative'),
    (lambda: mt.mre([.5, .5], [.5, 0], models=['a', 'lazy']), "'lazy'"),
    (lambda: mt.cap_mre([[.5, .5]], [[.5, 0]], ['maths', 'code'], models=['lazy']), "'code' is not positive for model"),
    (lambda: mt.mre([.5], [.5], floor=0), 'floor'),
    (lambda: mt.cap_mre([.5], [.5]), 'per model and benchmark'),
    (lambda: mt.spearman(['x'], [1]), 'numbers'),
    (lambda: mt.random_subsets(5, 6, 1, 0), '1..5'),
    (lambda: mt.random_subsets(5, 2, 1, None), 'seed'),
    (lambda: mt.score_interval(np.ones(4), [0, 1], level=95), 'level'),
    (lambda: mt.score_interval(np.ones(4), [0, 1], method='exact'), 'method'),
    (lambda: mt.score_interval(np.ones(4), [[0, 1]], method='bootstrap'), 'one subset'),
    (lambda: mt.score_interval(np.ones(4), [0]), 'at least 2'),
    (lambda: mt.paired_delta(np.ones(4), np.ones(4), [0, 1], unit=-1), 'unit'),
    (lambda: mt.items_for_delta(np.ones((1, 4)), .1), 'two models'),
    (lambda: mt.items_for_delta(np.ones((2, 4)), .1, power=80), 'power'),
    (lambda: mt.high_error_risk([], [1.]), 'at least one'),
    (lambda: mt.high_error_risk([1.], [1.], at='median'), 'quantile'),
    (lambda: mt.r2_standardized([[0.]], [[0.]]), 'undefined'),
    (lambda: mt.r2_standardized([[0.]], [[1.]], mean=[0.]), 'both'),
    (lambda: mt.residual_variance([[1, .5], [.4, 1]], [0]), 'symmetric'),
    (lambda: mt.mean_average_rank([[1.], [2.]], [[.1], [-.1]]), 'se must be'),
    (lambda: mt.normalized_score([1., 2.]), 'methods x budgets'),
    (lambda: mt.error_summary([[1, np.nan]], [1]), 'no model'),
])
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says): call()
