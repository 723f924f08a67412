"""Properties of the toy worlds over many shapes and seeds."""
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit.worlds import (TOPICS, clustered_embeddings, correlated_answers, correlated_models, gaussian_leaderboard,
                             holes, irt_responses, topic_texts, toy_suite, toy_world)

seeds = st.integers(0, 2**32)

@settings(deadline=None)
@given(st.integers(1, 60), st.integers(2, 20), st.data(), st.floats(0, 3), seeds)
def test_clusters_are_unit_vectors_sorted_by_cluster(n, d, data, spread, seed):
    c = data.draw(st.integers(1, n)); w = clustered_embeddings(n, d, c, spread, seed)
    assert w.E.dtype == np.float32 and w.E.shape == (n, d)
    np.testing.assert_allclose(np.linalg.norm(w.E, axis=1), 1, rtol=1e-5)
    sizes = np.bincount(w.labels)
    assert (np.diff(w.labels) >= 0).all() and len(sizes) == c and np.ptp(sizes) <= 1
    if c <= d: np.testing.assert_allclose(w.cosine, np.exp(-spread**2)*np.eye(c), atol=1e-12)
    E, labels = w
    assert E is w.E and labels is w.labels

def test_no_spread_puts_items_on_their_centre():
    w = clustered_embeddings(12, 8, [2, 4, 6], 0, 0)
    np.testing.assert_allclose(w.E, w.centers[w.labels], atol=1e-6)

@settings(deadline=None)
@given(st.integers(1, 12), st.integers(2, 40), st.floats(0.01, 10), st.floats(0, 1), st.floats(-5, 5), seeds)
def test_exact_moments(M, extra, sigma, rho, mean, seed):
    Y = correlated_models(M + extra, M, sigma, rho, seed, mean=mean)
    want = sigma**2*(rho + (1 - rho)*np.eye(M))
    np.testing.assert_allclose(np.cov(Y, ddof=0).reshape(M, M), want, atol=1e-10*sigma**2)
    np.testing.assert_allclose(Y.mean(1), mean, atol=1e-10*(sigma + abs(mean)))

def test_sampled_moments_within_monte_carlo_error():
    rng = np.random.default_rng(0)
    c = np.array([np.cov(correlated_models(100, 2, 0.4, 0.3, rng, exact=False))[0, 1] for _ in range(500)])
    assert abs(c.mean() - 0.3*0.16) < 4*c.std()/np.sqrt(500)

@pytest.mark.parametrize('rho,equal', [(1, True), (0, False)])
def test_answers_copy_or_not(rho, equal):
    Y = correlated_answers(200, 3, 0.5, rho, 0)
    assert set(np.unique(Y)) == {0, 1} and (Y == Y[0]).all() == equal

@settings(deadline=None)
@given(st.integers(2, 30), st.integers(2, 30), st.floats(0, 0.99), st.data(), seeds)
def test_holes_leave_something_everywhere(M, N, missing, data, seed):
    blocks = data.draw(st.none() | st.integers(1, min(M, N)))
    R, C = (blocks, blocks) if blocks else (M, N)
    if round(missing*R*C) > R*C - max(R, C):
        with pytest.raises(ValueError, match='at most'): holes(M, N, missing, seed, blocks)
        return
    H = holes(M, N, missing, seed, blocks)
    assert not H.all(0).any() and not H.all(1).any()
    if blocks: assert len(np.unique(H, axis=0)) <= blocks and len(np.unique(H, axis=1).T) <= blocks
    else: assert H.sum() == round(missing*M*N)

def test_holes_are_spread_evenly():
    "Away from the kept place, every cell is as likely to be hidden as any other."
    H = np.mean([holes(6, 6, 0.5, s) for s in range(2000)], axis=0)
    assert np.abs(H - 0.5).max() < 5*np.sqrt(0.25/2000)

def test_leaderboard_hides_but_does_not_change():
    w = gaussian_leaderboard(40, 15, 3, missing=0.3, blocks=4); seen = ~np.isnan(w.B)
    assert (w.B[seen] == w.full[seen]).all() and np.linalg.eigvalsh(w.Sigma).min() > 0
    assert (gaussian_leaderboard(40, 15, 3).full == w.full).all()

@pytest.mark.parametrize('kind,D', [('1pl', 1), ('2pl', 1), ('multi', 3)])
def test_irt_kinds(kind, D):
    w = irt_responses(50, 20, 0, kind=kind)
    assert w.theta.shape == (20, D) and w.a.shape == (50, D) and (w.a >= 0).all()
    np.testing.assert_allclose(w.P, 1/(1 + np.exp(w.b - w.theta @ w.a.T)))
    if kind == '1pl': assert np.allclose(w.a, 1)

def test_texts_never_repeat_and_run_out():
    for _, topics in TOPICS.values():
        for t, (template, *gaps) in topics.items():
            assert template.count('{}') == len(gaps) and all(len(set(g)) == len(g) for g in gaps)
            n = int(np.prod([len(g) for g in gaps]))
            assert len(set(topic_texts([t]*n, 0))) == n
            with pytest.raises(ValueError, match='different prompts'): topic_texts([t]*(n + 1), 0)

@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(list(TOPICS)), min_size=1, max_size=4, unique=True), st.integers(1, 30), st.integers(1, 8), seeds)
def test_toy_world_is_consistent(names, each, M, seed):
    w = toy_world(seed, benchmarks=names, items_each=each, M=M)
    assert w.suite.benchmarks == names and w.suite.n == each*len(names) == len(w.E) == len(w.b)
    template = {t: v[0] for _, ts in TOPICS.values() for t, v in ts.items()}
    for text, z in zip(w.suite.items['prompt'], w.labels): assert all(part in text for part in template[w.topics[z]].split('{}'))
    again = toy_suite(seed, benchmarks=names, items_each=each, M=M)
    assert again.items.equals(w.suite.items) and again.scores.equals(w.suite.scores)

def test_difficulty_follows_the_topic():
    "With signal 1 all items of a topic are equally hard, with signal 0 topics explain what chance explains."
    w = toy_world(0, signal=1.)
    assert max(np.ptp(w.b[w.labels == z]) for z in range(12)) == 0
    worlds = [toy_world(s, signal=0., items_each=9, M=1) for s in range(40)]
    share = np.mean([np.var([w.b[w.labels == z].mean() for z in range(12)], ddof=1) for w in worlds])
    assert abs(share - 1/3) < 4*share*np.sqrt(2/(40*11))
