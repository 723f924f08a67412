"`top_t` against all cosines sorted: any shape, copies, groups, budgets."
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit.similarity import cosine, top_t

def brute(E, t, groups):
    "Full rows sorted by cosine, itself first, ties (1e-9) to the lower index."
    C = cosine(E); n = len(C); W = np.zeros((n, n))
    for i in range(n):
        near = [j for j in range(n) if groups[j] == groups[i]]
        near.sort(key=lambda j: (j != i, -round(C[i, j], 9), j))
        for j in near[:t]: W[i, j] = max(0, C[i, j])
    return W

@given(st.integers(1, 60), st.integers(2, 12), st.integers(1, 60), st.integers(1, 4), st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=120, deadline=None)
def test_top_t_is_exact(n, d, t, blocks, copies, seed):
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(-(-n//copies), d)).repeat(copies, 0)[rng.permutation(-(-n//copies)*copies)[:n]].astype(np.float32)
    groups = rng.integers(blocks, size=n); t = min(t, n)
    W, ref = top_t(E, t, groups).toarray(), brute(E, t, groups)
    np.testing.assert_allclose(W, ref, atol=5e-7)
    assert ((W > 1e-6) == (ref > 1e-6)).all()

def test_sampled_threshold_path_is_exact():
    "Large enough for the guessed threshold, with items sorted by cluster, as real suites are."
    rng = np.random.default_rng(0); C = rng.normal(size=(15, 24))
    E = (np.repeat(C, 200, 0) + rng.normal(size=(3000, 24))*.5).astype(np.float32)
    W = top_t(E, 30); K = np.clip(cosine(E), 0, 1); np.fill_diagonal(K, 1)
    kept = W.toarray() > 0
    assert (kept.sum(1) == 30).all()
    lowest_kept, best_left = np.where(kept, K, 2).min(1), np.where(kept, -1, K).max(1)
    assert (lowest_kept >= best_left - 1e-9).all()

def test_copies_are_treated_alike():
    "Rounding inside the matrix product must not tell copies apart."
    rng = np.random.default_rng(1); E = rng.normal(size=(700, 33)).astype(np.float32); E[[5, 77, 400, 699]] = E[300]
    W = top_t(E, 700).toarray()
    for j in (5, 77, 400, 699): np.testing.assert_array_equal(W[:, j], W[:, 300])

@pytest.mark.parametrize('groups', [[0, None, 1], [0., np.nan, 1.]])
def test_an_item_without_a_group_is_refused(groups):
    with pytest.raises(ValueError, match="missing for row\\(s\\) '1'"): top_t(np.eye(3), 1, groups)
