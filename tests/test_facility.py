"Plain, lazy and fast greedy facility location are one algorithm."
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import coo_array, csr_array
from benchlit.facility import FLOracle, fl_value, greedy_fl
from benchlit.greedy import greedy, lazy_greedy
from benchlit.similarity import cosine, top_t
from benchlit.worlds import clustered_embeddings

def world(kind, n, seed):
    "A similarity of the given kind, dense."
    rng = np.random.default_rng(seed)
    if kind == 'random': return np.where(rng.random((n, n)) < .6, rng.random((n, n)), 0)
    if kind == 'steep': return rng.random((n, n))**30                     # gains over many orders of magnitude
    if kind == 'clustered': return top_t(clustered_embeddings(n, 6, min(4, n), .4, seed).E, max(1, n//3)).toarray()
    if kind == 'copies': return np.maximum(cosine(rng.normal(size=(n, 4))[rng.integers(max(1, n//3), size=n)]), 0)
    W = np.maximum(cosine(rng.normal(size=(n, 4))), 0); W[n//2:] = 0; W[:, n//2:] = 0   # disconnected: half of the items are like nobody
    return W

@given(st.sampled_from(['random', 'steep', 'clustered', 'copies', 'disconnected']), st.integers(1, 40), st.integers(1, 40), st.integers(0, 10**6),
       st.sampled_from(['dense', 'csr', 'coo']), st.sampled_from([np.float32, np.float64]))
@settings(max_examples=200, deadline=None)
def test_three_versions_agree(kind, n, k, seed, form, dtype):
    k = min(k, n); W = world(kind, n, seed).astype(dtype); W = dict(dense=np.asarray, csr=csr_array, coo=coo_array)[form](W)
    fast = greedy_fl(W, k)
    for other in (greedy(FLOracle(W), n, k), lazy_greedy(FLOracle(W), n, k)):
        np.testing.assert_array_equal(fast.idx, other.idx)
        np.testing.assert_allclose(fast.gains, other.gains, rtol=1e-9, atol=1e-300)
    assert len(set(fast.idx)) == k and (np.diff(fast.gains) <= 1e-9*max(fast.gains[0], 1e-300)).all()
    assert fast.gains.sum() == pytest.approx(fl_value(W, fast.idx), rel=1e-9)
    assert 0 <= fast.weights.sum() <= 1 + 1e-12

def test_rounding_never_decides():
    "Permuting the clients changes the order of summation, not one pick; and copies go by lowest index."
    rng = np.random.default_rng(0); W = world('clustered', 120, 3); p = rng.permutation(120)
    a = greedy_fl(csr_array(W), 60)
    np.testing.assert_array_equal(a.idx, greedy_fl(csr_array(W[p]), 60).idx)
    twins = np.concatenate([W[:, :60]]*2, axis=1)                          # facility j and j + 60 are the same
    assert (greedy_fl(csr_array(twins), 30).idx < 60).all()

def test_monotone_and_submodular_on_random_chains():
    rng = np.random.default_rng(0)
    for kind in ('random', 'clustered', 'copies', 'disconnected'):
        W = world(kind, 30, 7)
        for _ in range(50):
            order = rng.permutation(30); a, b = sorted(rng.integers(0, 29, 2)); j = order[-1]
            small, large = order[:a], order[:b]
            gain = lambda A: fl_value(W, [*A, j]) - fl_value(W, A)
            assert gain(small) >= gain(large) - 1e-9 and gain(large) >= -1e-12

@pytest.mark.parametrize('column', [-1, 3])
def test_columns_that_do_not_exist_are_refused(column):
    "scipy lets them pass, and the compiled loops would read past the end."
    W = csr_array((np.ones(3), np.array([0, 2, 1]), np.arange(4)), shape=(3, 3)); W.indices[1] = column
    with pytest.raises(ValueError, match='column indices outside 0..2'): greedy_fl(W, 1)
