"Log-determinants from features, from the kernel and from the definition are one algorithm; so is mutual information."
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
