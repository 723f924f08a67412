"Overlap in tiles is the overlap of the definition; near-duplicates come last."
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit import overlap
from benchlit.overlap import benchmark_overlap, coverage, order_benchmarks, overlap_from
from benchlit.worlds import clustered_embeddings

def cosines(E): U = E.astype(float); U /= np.linalg.norm(U, axis=1, keepdims=True); return np.maximum(U @ U.T, 0)

def definition(E, groups, power=1.):
    "Eq. 12 of [C], with unions."
    W = cosines(E)**power; sets = [np.flatnonzero(groups == b) for b in np.unique(groups)]; f = lambda A: W[:, A].max(1).sum()
    return np.array([[(f(A) + f(B) - f(np.r_[A, B]))/min(f(A), f(B)) for B in sets] for A in sets]), np.array([f(A) for A in sets])

def world(kind, n, N, seed):
    rng = np.random.default_rng(seed); g = rng.permutation(np.r_[np.arange(N), rng.integers(N, size=n-N)])
    if kind == 'sorted': g = np.sort(g)
    E = rng.normal(size=(n, 5)) if kind != 'clusters' else clustered_embeddings(n, 5, min(n, 4), .5, seed).E
    return (E[rng.integers(max(1, n//3), size=n)] if kind == 'copies' else E), g

@given(st.sampled_from(['gaussian', 'sorted', 'clusters', 'copies']), st.integers(1, 60), st.integers(1, 12), st.integers(1, 30), st.sampled_from([1., .5, 6.]), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_tiles_equal_definition(kind, n, N, tile, power, seed):
    N = min(n, N); E, g = world(kind, n, N, seed); old = overlap.TILE
    try: overlap.TILE = tile; M, f = benchmark_overlap(E, g, power)
    finally: overlap.TILE = old
    want, wf = definition(E, g, power); W = cosines(E)
    np.testing.assert_allclose(coverage(E, g), np.stack([W[:, g == b].max(1) for b in np.unique(g)], axis=1), atol=1e-12)
    np.testing.assert_allclose(M, want, atol=1e-10); np.testing.assert_allclose(f, wf, rtol=1e-10)
    assert (M == M.T).all() and (np.diag(M) == 1).all() and M.min() >= 0 and M.max() <= 1

@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('tile', [64, 2048])
def test_a_copy_overlaps_fully_and_comes_last(dtype, tile, monkeypatch):
    monkeypatch.setattr(overlap, 'TILE', tile)
    for seed in range(10):
        E, g = world('gaussian', 300, 8, seed); E = E.astype(dtype); b = seed % 8
        M, _ = benchmark_overlap(np.r_[E, 3*E[g == b]], np.r_[g, np.full((g == b).sum(), 8)])     # scaled: the cosine does not see it
        assert M[b, 8] == pytest.approx(1, abs=1e-6 if dtype == np.float32 else 1e-12)
        s = order_benchmarks(M)
        assert s.idx[-1] == 8 and s.gains[-1] < 1e-5

def test_containment_and_labels():
    E, g = world('gaussian', 100, 4, 0); inside = E[g == 2][:5]
    M, f = benchmark_overlap(np.r_[E, inside], np.r_[g, np.full(5, 4)])
    assert M[2, 4] == pytest.approx(1) and f[4] < f[2] and M[0, 4] < 1
    names = np.array(['d', 'a', 'c', 'b'])[g]; p = np.array([1, 3, 2, 0])                         # sorted: a b c d
    np.testing.assert_allclose(benchmark_overlap(E, names).M, benchmark_overlap(E, g).M[np.ix_(p, p)], atol=1e-12)

def test_order_is_greedy_and_rounding_does_not_decide():
    rng = np.random.default_rng(0)
    for _ in range(30):
        E, g = world('clusters', 80, 9, rng.integers(10**6)); M, _ = benchmark_overlap(E, g, 3.); S, best = [], np.zeros(9)
        for _ in range(9):
            gain = np.array([np.maximum(M[:, j] - best, 0).sum() if j not in S else -1 for j in range(9)]); j = int(np.argmax(gain >= gain.max()*(1 - 1e-9))); S.append(j); best = np.maximum(best, M[:, j])
        np.testing.assert_array_equal(order_benchmarks(M).idx, S); np.testing.assert_array_equal(order_benchmarks(M, 4).idx, S[:4])
        Q = np.linalg.qr(rng.normal(size=(5, 5)))[0]; np.testing.assert_array_equal(order_benchmarks(benchmark_overlap(E.astype(float) @ Q, g, 3.).M).idx, S)

def test_power_is_a_power_of_the_similarity():
    E, g = world('gaussian', 50, 5, 1); R = coverage(E, g)
    np.testing.assert_allclose(overlap_from(R**4).M, benchmark_overlap(E, g, 4.).M, atol=1e-15)

@pytest.mark.parametrize('groups', [[0, np.nan, 1.], [0, None, 1], ['a', None, 'b'], ['a', np.nan, 'b']])
def test_an_item_without_a_benchmark_is_refused(groups):
    with pytest.raises(ValueError, match="missing for row\\(s\\) '1'"): benchmark_overlap(np.eye(3), groups)

@pytest.mark.parametrize('scale', [1e-300, 1e-22, 1e20, 1e200])
def test_scale_does_not_matter(scale):
    E, g = world('gaussian', 60, 4, 0); each = np.where(np.arange(60) % 2, scale, 1)[:, None]
    for factor in (scale, each): np.testing.assert_allclose(benchmark_overlap(E*factor, g).M, benchmark_overlap(E, g).M, atol=1e-12)

def test_what_is_no_table_is_refused_by_name():
    o = benchmark_overlap(np.eye(3), [0, 1, 1])
    for bad in (3, 'x', [[1, 2], [3]], [['1', '2'], ['3', '4']], np.eye(2)*1j, np.eye(2) > 0, np.eye(2, dtype=object), np.eye(2)*np.nan, -np.eye(2), [], o):
        with pytest.raises(ValueError, match='R, the coverages'): overlap_from(bad)
        with pytest.raises(ValueError, match='M, the overlaps'): order_benchmarks(bad)
    with pytest.raises(ValueError, match='give its M'): order_benchmarks(o)
    with pytest.raises(ValueError, match='in \\[0, 1\\], but an entry is 1.2'): order_benchmarks([[1, 1.2], [1.2, 1]])
    for power in (None, '1', True, 0, -1, np.inf, 1j, [1]):
        with pytest.raises(ValueError, match='power must be a positive, finite number'): benchmark_overlap(np.eye(3), [0, 1, 1], power)
