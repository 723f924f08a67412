"`top_t` against all cosines sorted: any shape, copies, groups, budgets."
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit.similarity import check_groups, check_real, check_whole, cosine, dot, rbf, top_t, unit

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

@pytest.mark.parametrize('groups', [['a', float('nan'), 'b'], ['a', None, 'b'], np.array([0, np.nan, 1]), np.array([0, None, 1], object)])
def test_missing_group_labels_are_named(groups):
    with pytest.raises(ValueError, match="missing for row\\(s\\) '1'"): check_groups(groups, 3)

def test_group_labels_of_any_one_kind():
    for g in (['b', 'a', 'b'], np.array(['b', 'a', 'b']), [2, 1, 2], (2., 1., 2.), np.array([2, 1, 2], object)):
        assert check_groups(g, 3)[1].tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match='all names or all numbers'): check_groups([1, 'a', 2], 3)
    for g in (3, 'abc', [[0, 1, 2]], [0, 1]):
        with pytest.raises(ValueError, match='each of 3 items'): check_groups(g, 3)

@pytest.mark.parametrize('scale', [1e-300, 1e-200, 1e-22, 1e20, 1e200, 1e300])
def test_directions_do_not_depend_on_scale(scale):
    E = np.random.default_rng(0).normal(size=(30, 6)); each = np.where(np.arange(30) % 2, scale, 1.)[:, None]
    for factor in (scale, each):
        np.testing.assert_allclose(unit(E*factor), unit(E), rtol=1e-14); np.testing.assert_allclose(cosine(E*factor), cosine(E), atol=1e-14)
        np.testing.assert_allclose(top_t(E*factor, 5).toarray(), top_t(E, 5).toarray(), atol=1e-6)
    np.testing.assert_allclose(rbf(E*scale), rbf(E), rtol=1e-12)
    np.testing.assert_array_equal(rbf(E*scale, 1.), np.ones((30, 30)) if scale < 1 else np.eye(30))
    if not 1e-100 < scale < 1e100:
        with pytest.raises(ValueError, match='limits of double precision'): dot(E*scale)

@pytest.mark.parametrize('bad', [np.array([['1', '2'], ['3', '4']]), np.ones((2, 2), object), np.ones((2, 2), bool), np.ones((2, 2))*1j])
def test_what_is_no_number_is_refused_and_not_converted(bad):
    for f in (cosine, unit, dot, rbf):
        with pytest.raises(ValueError, match='numeric array'): f(bad)

def test_numbers_are_checked():
    for x in (None, '1', True, np.True_, 1j, [1], np.nan, np.inf, -1):
        with pytest.raises(ValueError, match='weight must be a finite number >= 0'): check_real(x, 'weight')
    with pytest.raises(ValueError, match='positive, finite number, got 0.0$'): check_real(np.float64(0), 'weight', positive=True)
    for x in (None, '2', True, 2., 2.5, [2], 1, 9):
        with pytest.raises(ValueError, match='heads must be a whole number in 2..8'): check_whole(x, 'heads', 2, 8)
    assert [type(check_real(np.float32(1), 'x')), type(check_whole(np.int8(3), 'x', 1))] == [float, int]
