"Log-determinants from features, from the kernel and from the definition are one algorithm; so is mutual information."
import re
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit.dpp import dpp, dpp_features, greedy_dpp, greedy_dpp_mi, greedy_logdet, greedy_logdet_mi, logdet, logdet_mi
from benchlit.greedy import first_max
from benchlit.similarity import rbf
from benchlit.worlds import clustered_embeddings

KINDS = ['gaussian', 'unit', 'clusters', 'copies', 'long', 'grid']

def world(kind, n, d, seed):
    "Features of the given kind."
    rng = np.random.default_rng(seed); X = rng.normal(size=(n, d))
    if kind == 'unit': return X/np.linalg.norm(X, axis=1, keepdims=True)
    if kind == 'clusters' and d > 1: return clustered_embeddings(n, d, min(4, n), .4, seed).E
    if kind == 'copies': return X[rng.integers(max(1, n//2), size=n)]
    if kind == 'long': return X*10.**rng.integers(-1, 2, size=(n, 1))
    if kind == 'offset': return X + 3e4                                            # residuals are a tiny share of the lengths
    if kind == 'grid': return rng.integers(-1, 2, size=(n, d)).astype(float)       # ties everywhere
    return X

def kernel(X): X = X.astype(float); return X @ X.T

def naive(f, n, k):
    "Greedy straight from a set function."
    A, values = [], []
    for _ in range(k):
        v = np.array([f(A + [j]) if j not in A else -np.inf for j in range(n)]); j = int(np.argmax(v >= v.max() - 1e-9))
        A.append(j); values.append(v[j])
    return A, np.array(values)

def slogdet(K): return lambda A: np.linalg.slogdet(K[np.ix_(A, A)])[1] if len(A) else 0.

@given(st.sampled_from(KINDS), st.integers(1, 24), st.integers(1, 12), st.integers(1, 24), st.sampled_from([0, .01, 1]), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_logdet_from_features_kernel_and_definition(kind, n, d, k, ridge, seed):
    X = world(kind, n, d, seed); K = kernel(X) + ridge*np.eye(n); k = min(k, n); eig = np.linalg.eigvalsh(K)
    rank = int((eig > 1e-9*max(eig[-1], 1e-300)).sum()) if ridge == 0 else n
    if k > rank:
        for f in (lambda: greedy_dpp(X, k), lambda: greedy_logdet(K, k)):
            with pytest.raises(ValueError, match=f'rank {rank} up to rounding, so k={k} .* ridge='): f()
        if not rank: return
        k = rank
    fast, dense = greedy_dpp(X, k, ridge), greedy_logdet(kernel(X), k, ridge); A, values = naive(slogdet(K), n, k)
    np.testing.assert_array_equal(fast.idx, dense.idx); np.testing.assert_array_equal(fast.idx, A)
    for s in (fast, dense): np.testing.assert_allclose(np.cumsum(s.gains), values, atol=1e-8, rtol=0)
    assert len(set(A)) == k and (np.diff(fast.gains) <= 1e-9).all()

@given(st.sampled_from(KINDS), st.integers(1, 20), st.integers(1, 12), st.integers(1, 20), st.sampled_from([.01, .1, 1]), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_mutual_information_from_features_kernel_and_definition(kind, n, d, k, ridge, seed):
    X = world(kind, n, d, seed); K = kernel(X) + ridge*np.eye(n); k = min(k, n); V = np.arange(n)
    f = lambda A: slogdet(K)(A) + slogdet(K)(np.setdiff1d(V, A)) - slogdet(K)(V)
    fast, dense = greedy_dpp_mi(X, k, ridge), greedy_logdet_mi(kernel(X), k, ridge); A, values = naive(f, n, k)
    half = min(k, (n + 1)//2)                            # beyond, few and nearly tied items are left, and their differences are rounding
    np.testing.assert_array_equal(fast.idx[:half], A[:half]); np.testing.assert_array_equal(dense.idx[:half], A[:half])
    for s in (fast, dense):
        assert len(set(s.idx)) == k
        np.testing.assert_allclose(np.cumsum(s.gains), [f(list(s.idx[:m+1])) for m in range(k)], atol=1e-8, rtol=0)
        if k == n: assert s.gains.sum() == pytest.approx(0, abs=1e-8)
        else: assert logdet_mi(K, s.idx) == pytest.approx(s.gains.sum(), abs=1e-8)

@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('mi', [False, True])
def test_lazy_equals_dense_where_blocks_are_renewed(kind, mi):
    "Sizes at which items are renewed a few at a time and all at once."
    X = world(kind, 900, 60, 3)
    for k, ridge in ((50, .1), (300, .5)):
        a, b = (greedy_dpp_mi(X, k, ridge), greedy_logdet_mi(kernel(X), k, ridge)) if mi else (greedy_dpp(X, k, ridge), greedy_logdet(kernel(X), k, ridge))
        np.testing.assert_array_equal(a.idx, b.idx); np.testing.assert_allclose(a.gains, b.gains, atol=1e-8, rtol=0)

@pytest.mark.parametrize('kind', KINDS + ['offset'])
def test_rounding_never_decides(kind):
    "Turning the features changes every bit of the arithmetic and not one pick; copies go by lowest index."
    X = world(kind, 200, 30, 5).astype(float); Q = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 30)))[0]
    twins = np.concatenate([X[:50] @ Q, X[:50] @ Q, X[:50] @ Q @ Q @ Q.T])       # the third copy is the first up to the last bits
    assert (greedy_dpp(twins, 20).idx < 50).all()
    if kind == 'offset': return                          # distinct items then differ by little more than rounding
    assert (greedy_dpp_mi(twins, 20, .1).idx < 50).all()
    for f in (lambda X: greedy_dpp(X, 25), lambda X: greedy_dpp(X, 100, .1), lambda X: greedy_dpp_mi(X, 60, .1)):
        np.testing.assert_array_equal(f(X).idx, f(X @ Q).idx)

def test_copies_count_once_and_rank_is_named():
    X = world('gaussian', 8, 20, 0); twice = np.concatenate([X, X])
    np.testing.assert_array_equal(greedy_dpp(twice, 8).idx, greedy_dpp(X, 8).idx)
    for f in (lambda: greedy_dpp(twice, 9), lambda: greedy_logdet(kernel(twice), 9)):
        with pytest.raises(ValueError, match='rank 8 up to rounding, so k=9'): f()
    assert sorted(greedy_dpp(twice, 16, ridge=.1).idx) == list(range(16))
    with pytest.raises(ValueError, match='rank 7 '): dpp(X, 8)                    # the mean taken off costs one dimension
    assert sorted(dpp(X, 8, 'rbf').idx) == list(range(8))

def test_gains_of_the_definition_submodular_on_random_chains():
    rng = np.random.default_rng(0); K = kernel(world('gaussian', 12, 6, 1)) + .3*np.eye(12)
    for f in (lambda A: logdet(K, A), lambda A: logdet_mi(K, A)):
        for _ in range(40):
            order = rng.permutation(12); a, b = sorted(rng.integers(0, 11, 2)); j = order[-1]
            gain = lambda A: f([*A, j]) - f(A)
            assert gain(order[:a]) >= gain(order[:b]) - 1e-9

def test_features_and_kernels_agree():
    E = world('clusters', 60, 16, 2); X = E.astype(float)
    np.testing.assert_array_equal(dpp(E, 10, 'cov').idx, greedy_logdet(kernel(X - X.mean(0)), 10).idx)
    np.testing.assert_allclose(np.linalg.norm(dpp_features(E, 'cos'), axis=1), 1, atol=1e-15)
    np.testing.assert_array_equal(dpp(E, 10, 'rbf', mi=True).idx, greedy_logdet_mi(rbf(E), 10, .1).idx)
    assert dpp(E, 1, 'cos').idx[0] == 0                                         # a tie of all
    assert dpp(E, 1, 'cov').idx[0] == first_max(((X - X.mean(0))**2).sum(1))    # farthest from the mean
    np.testing.assert_array_equal(dpp(1000*E, 10, 'dot', mi=True).idx, dpp(E, 10, 'dot', mi=True).idx)  # the ridge goes with the scale

@pytest.mark.parametrize('seed', range(200))
def test_rounding_does_not_decide_rank(seed):
    "Five of eight vectors in three dimensions are dependent; three are not."
    K = kernel(np.random.default_rng(seed).normal(size=(8, 3)))
    assert logdet(K, range(5)) == -np.inf and logdet(K, [0, 0]) == -np.inf and np.isfinite(logdet(K, [0, 1, 2]))
    for A in ([0, 1], [], range(8)):
        with pytest.raises(ValueError, match='singular up to rounding.*ridge'): logdet_mi(K, A)

def test_logdet_agrees_with_greedy_about_the_rank():
    for seed in range(60):
        rng = np.random.default_rng(seed); K = kernel(rng.normal(size=(9, 9))*10.**rng.uniform(-7, 0, size=9)); full = logdet(K, range(9))   # of any condition
        try: s = greedy_logdet(K, 9)
        except ValueError: assert full == -np.inf
        else: assert s.gains.sum() == pytest.approx(full, abs=1e-4)

def test_mutual_information_is_never_negative():
    for seed in range(30):
        rng = np.random.default_rng(seed); K = np.diag(rng.uniform(1, 3, 8)) if seed % 2 else kernel(rng.normal(size=(8, 4))) + .1*np.eye(8)
        assert all(logdet_mi(K, rng.permutation(8)[:m]) >= 0 for m in range(9))

@pytest.mark.parametrize('K', [-np.eye(3), [[0., 1], [1, 0]], [[1., 2], [2, 1]], [[2., 0, 0], [0, 1, 1.5], [0, 1.5, 1]]])
def test_what_is_no_kernel_is_called_so(K):
    for f in (lambda: greedy_logdet(K, 2), lambda: greedy_logdet_mi(K, 2), lambda: logdet(K, range(len(K))), lambda: logdet_mi(K, [0])):
        with pytest.raises(ValueError, match='not positive semidefinite'): f()

def proposed(e): return float(re.search(r'say ([-.e0-9]+)\)?$', str(e)).group(1))

@pytest.mark.parametrize('scale', [1e-200, .01, 1, 100, 1e200])
@pytest.mark.parametrize('c', ['cov', 'cos', 'dot'])
def test_the_ridge_an_error_proposes_works_and_is_a_share(c, scale):
    E = np.random.default_rng(0).normal(size=(12, 8)); r = []
    for size in (1, scale):
        with pytest.raises(ValueError, match='rank [78] up to rounding') as e: dpp(E*size, 12, c)
        r.append(proposed(e.value)); assert sorted(dpp(E*size, 12, c, ridge=r[-1]).idx) == list(range(12))
        with pytest.raises(ValueError, match='needs ridge > 0.*got 0;') as e: dpp(E*size, 12, c, mi=True, ridge=0)
        assert proposed(e.value) == .1
    assert r[0] == r[1]
    a, b = dpp(E, 5, c), dpp(E*scale, 5, c); np.testing.assert_array_equal(a.idx, b.idx)
    np.testing.assert_allclose(b.gains - a.gains, 0 if c == 'cos' else 2*np.log(scale), atol=1e-9)
    a, b = dpp(E, 5, c, mi=True), dpp(E*scale, 5, c, mi=True); np.testing.assert_array_equal(a.idx, b.idx); np.testing.assert_allclose(a.gains, b.gains, atol=1e-9)

def test_ridges_proposed_in_the_kernels_units_work():
    X = np.random.default_rng(0).normal(size=(12, 8))*.01
    for X in (X, np.zeros((3, 2))):
        k = len(X)
        for f in (lambda r: greedy_dpp(X, k, r), lambda r: greedy_logdet(kernel(X), k, r), lambda r: greedy_dpp_mi(X, k, r)):
            with pytest.raises(ValueError) as e: f(0)
            assert 'k <= 0' not in str(e.value) and 'float64' not in str(e.value); assert sorted(f(proposed(e.value)).idx) == list(range(k))
        with pytest.raises(ValueError, match='singular') as e: greedy_logdet_mi(kernel(X), k)
        assert sorted(greedy_logdet_mi(kernel(X), k, proposed(e.value)).idx) == list(range(k))

@pytest.mark.parametrize('E', [np.ones((6, 4)), np.full((6, 4), .1), np.full((2000, 3), .1), np.array([[.3, .7]]), np.full((5, 2), .1, np.float32), np.ones((5, 3))*(1 + 2e-16)])
def test_nothing_deviates_from_the_mean(E):
    "One item, or copies of one: a clear error whose advice works, or the first k."
    k = min(3, len(E))
    for r in (None, .1):
        with pytest.raises(ValueError, match="no item deviates from the mean.*take kernel='cos'") as e: dpp(E, k, ridge=r)
    assert ('with ridge=0.1' in str(e.value)) == (k > 1)
    np.testing.assert_array_equal(dpp(E, k, 'cos', ridge=.1 if k > 1 else None).idx, range(k))
    s = dpp(E, k, mi=True); np.testing.assert_array_equal(s.idx, range(k)); np.testing.assert_allclose(s.gains, 0, atol=1e-9)

@pytest.mark.parametrize('ridge', [None, '1', True, 1j, [1], -1, np.nan])
def test_a_ridge_is_a_number(ridge):
    E = np.eye(3)
    for f in (lambda: greedy_dpp(E, 1, ridge), lambda: greedy_logdet(E, 1, ridge), lambda: greedy_dpp_mi(E, 1, ridge), lambda: greedy_logdet_mi(E, 1, ridge), *([] if ridge is None else [lambda: dpp(E, 1, ridge=ridge)])):
        with pytest.raises(ValueError, match='ridge must be a finite number >= 0'): f()

def test_positions_are_positions():
    for A in ([.5], ['a'], [3], [-1], 3, [[0, 1]], [True]):
        for f in (logdet, logdet_mi):
            with pytest.raises(ValueError, match='item positions in 0..2'): f(np.eye(3), A)
    with pytest.raises(ValueError, match='each item once'): logdet_mi(np.eye(3), [0, 0])
    with pytest.raises(ValueError, match='limits of double precision'): greedy_dpp(np.eye(3)*1e200, 1)
