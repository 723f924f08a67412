"Centres: the fast farthest-first is the plain one, its radius is within twice the optimum for chords, and k items are k items."
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit.centers import k_center, k_medoids, kmeans_nearest
from benchlit.greedy import exhaustive, first_max
from benchlit.similarity import cosine
from benchlit.worlds import clustered_embeddings

def world(kind, n, seed):
    rng = np.random.default_rng(seed)
    if kind == 'scattered': return rng.normal(size=(n, 5))
    if kind == 'clustered': return clustered_embeddings(n, 6, min(4, n), .3, seed).E
    if kind == 'copies': return rng.normal(size=(n, 3))[rng.integers(max(1, n//3), size=n)]
    if kind == 'grid': return rng.integers(1, 3, size=(n, 3)).astype(float)        # many exact ties
    return np.ones((n, 4))

KINDS = st.sampled_from(['scattered', 'clustered', 'copies', 'grid', 'alike'])

def plain(E, k, start):
    D = 1 - cosine(E); A, radii = [start], []
    while True:
        far = D[:, A].min(1); far[A] = -np.inf; radii.append(max(far.max(), 0))
        if len(A) == k: return A, radii
        A.append(first_max(1 + far))

@given(KINDS, st.integers(1, 60), st.integers(1, 60), st.integers(0, 10**6), st.booleans())
@settings(max_examples=150, deadline=None)
def test_fast_k_center_is_the_plain_one(kind, n, k, seed, given_start):
    k = min(k, n); E = world(kind, n, seed); s = k_center(E, k, start=seed % n if given_start else None)
    A, radii = plain(E, k, seed % n if given_start else int(s.idx[0]))
    np.testing.assert_array_equal(s.idx, A); np.testing.assert_allclose(s.gains, radii, atol=1e-12)
    assert len(set(s.idx)) == k and (np.diff(s.gains) <= 1e-12).all() and s.radius == s.gains[-1]

@pytest.mark.parametrize('seed', range(10))
def test_more_ties_than_leaders(seed):
    "Of more items than are brought up to date at a time, all tied, the first that is truly farthest goes."
    rng = np.random.default_rng(seed); E = np.eye(4)[rng.integers(4, size=2500)]; start = int(rng.integers(2500))
    np.testing.assert_array_equal(k_center(E, 9, start=start).idx, plain(E, 9, start)[0])

def test_representatives_are_the_nearest_of_their_cluster():
    E, label = clustered_embeddings(90, 8, 3, .2, 0); s = kmeans_nearest(E, 3, 0); middle = [E[label == c].mean(0) for c in range(3)]
    assert sorted(s.idx) == [int(np.flatnonzero(label == c)[((E[label == c] - m)**2).sum(1).argmin()]) for c, m in enumerate(middle)]

@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_radius_at_most_twice_the_optimum_in_chords(seed, d, k, positive):
    X = np.random.default_rng(seed).normal(size=(11, d)); X = np.abs(X) if positive else X; C = np.sqrt(np.maximum(2 - 2*cosine(X), 0))
    s = k_center(X, k, start=seed % 11); best = -exhaustive(lambda A: -C[:, list(A)].min(1).max(), 11, k)[0]
    assert s.chord <= 2*best + 1e-9

@given(KINDS, st.integers(1, 40), st.integers(1, 40), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_k_distinct_items_with_weights(kind, n, k, seed):
    k = min(k, n); E = world(kind, n, seed)
    for s in (kmeans_nearest(E, k, seed), k_medoids(1 - cosine(E), k, seed)):
        assert len(s.idx) == len(set(s.idx)) == k and s.idx.min() >= 0 and s.idx.max() < n
        assert s.weights.sum() == pytest.approx(1) and (s.weights >= 0).all() and (np.diff(s.weights) <= 0).all()

def test_no_swap_of_medoids_helps_and_seeds_repeat():
    D = 1 - cosine(np.random.default_rng(1).normal(size=(40, 4))); total = lambda A: D[:, A].min(1).sum()
    s = k_medoids(D, 6, 3); np.testing.assert_array_equal(s.idx, k_medoids(D, 6, 3).idx)
    for a in range(6):
        for b in set(range(40)) - set(s.idx): assert total([*np.delete(s.idx, a), b]) >= total(s.idx) - 1e-9
    E = world('clustered', 40, 0); np.testing.assert_array_equal(kmeans_nearest(E, 6, 3).idx, kmeans_nearest(E, 6, 3).idx)
    np.testing.assert_allclose(k_medoids(D.astype(np.float32), 6, 3).weights, s.weights)

@pytest.mark.parametrize('scale', [1e-300, 1e-200, 1e-22, 1e20, 1e200, 1e300])
def test_scale_does_not_matter(scale):
    E = world('clustered', 50, 3).astype(float); D = 1 - cosine(E); each = np.where(np.arange(50) % 2, scale, 1)[:, None]
    for factor in (scale, each):
        s = k_center(E*factor, 9); np.testing.assert_array_equal(s.idx, k_center(E, 9).idx); assert s.radius == pytest.approx(k_center(E, 9).radius)
    np.testing.assert_array_equal(kmeans_nearest(E*scale, 9, 0).idx, kmeans_nearest(E, 9, 0).idx)
    np.testing.assert_array_equal(k_medoids(np.maximum(D, 0)*scale, 9, 0).idx, k_medoids(D, 9, 0).idx)

@pytest.mark.parametrize('bad', [np.array([['1', '2'], ['3', '4']]), np.ones((2, 2), object), np.ones((2, 2), bool), np.ones((2, 2))*1j])
def test_what_is_no_number_is_refused_and_not_converted(bad):
    for f in (lambda: k_center(bad, 1), lambda: kmeans_nearest(bad, 1, 0), lambda: k_medoids(bad, 1, 0)):
        with pytest.raises(ValueError, match='numeric array|matrix of distances'): f()

def test_a_distance_is_the_same_both_ways():
    D = np.array([[0, 1, 2], [3, 0, 1], [5, 1, 0.]])
    with pytest.raises(ValueError, match=r'D\[0, 1\] is 1 and its mirror image 3'): k_medoids(D, 2, 0)
    assert len(k_medoids(D + D.T + 1e-9*np.triu(D), 2, 0).idx) == 2             # rounding is no asymmetry
    for start in ('1', True, 1., [1], 3, -1):
        with pytest.raises(ValueError, match='start must be a whole number in 0..2'): k_center(np.eye(3), 1, start)
