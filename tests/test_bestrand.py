"""BestRand: keyed draws are uniform, one by one equals many at once equals the four steps by hand, bad input is named."""
import itertools, math
from collections import Counter
import numpy as np, pytest
from hypothesis import assume, given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare
from benchlit.bestrand import _chance, _tosses, bestrand, bestrand_from, keyed_subset, probe_sets, probe_weights
from benchlit.core import check_subset, load_suite
from benchlit.metrics import random_subsets, subset_errors

seeds = st.integers(0, 2**32 - 1)
COMPILED = _tosses()

def splitmix(key):
    "The published generator, word by word, in plain integers."
    M = 2**64 - 1; x = key
    while True:
        x = (x + 0x9E3779B97F4A7C15) & M; z = ((x ^ x >> 30)*0xBF58476D1CE4E5B9) & M; z = ((z ^ z >> 27)*0x94D049BB133111EB) & M
        yield z ^ z >> 31

def subset_by_hand(key, size, k):
    "Coins and repairs as a person would do them: one coin, one repair at a time."
    words, (q, digits) = splitmix(int(key)), _chance(k, size); A = set()
    for start in range(0, size, 64):
        heads = [q == 256]*64
        for j in range(digits):
            w = next(words); bit = q >> (8 - digits + j) & 1
            heads = [(h or w >> c & 1) if bit else (h and w >> c & 1) for c, h in enumerate(heads)]
        A |= {start + c for c, h in enumerate(heads) if h and start + c < size}
    drop = len(A) > k
    while len(A) != k:
        w = next(words)
        for half in (w >> 32, w % 2**32):
            i, low = divmod(half*size, 2**32)
            if len(A) != k and low >= 2**32 % size and (i in A) == drop: A ^= {i}
    return sorted(A)

def four_steps(Y, k, seed, m, f, norm):
    "The four steps of the paper, every candidate in the hand; ties by order of drawing."
    keys = np.random.default_rng(seed).integers(2**64, size=m + 1, dtype=np.uint64); n = Y.shape[1]
    P = keyed_subset(keys[0], n, int(min(f*k, n))); H = np.array([sum(row[P])/len(P) for row in Y])
    S = [P[keyed_subset(key, len(P), k)] for key in keys[1:]]
    d = [np.linalg.norm([sum(row[A])/k for row in Y] - H, norm) for A in S]
    return S[next(j for j, v in enumerate(d) if v <= min(d) + 1e-9*max(d))]

def agree(Y, k, seed, m=128, f=4):
    "Is there a choice, and no probe that sees a difference on the pool?"
    n = Y.shape[-1]; P = keyed_subset(np.random.default_rng(seed).integers(2**64, size=m + 1, dtype=np.uint64)[0], n, int(min(f*k, n)))
    return len(P) > k and np.ptp(Y[..., P], -1).max() == 0

def probes(seed, n, p):
    "Pass-or-fail, graded, two-valued, or integer scores that vary."
    r = np.random.default_rng(seed); kind = r.integers(4)
    Y = [(r.random((p, n)) < r.random((p, 1)))*1., r.random((p, n)), np.where(r.random((p, n)) < .5, .3, .7), r.integers(0, 4, (p, n))*1.][kind]
    Y[:, 0], Y[:, 1] = Y.min(1), Y.min(1) + 1; return Y

# --- draws ---

@given(seeds, st.integers(1, 200), st.data())
def test_keyed_subset_is_what_a_person_would_draw_and_what_the_compiled_loop_draws(key, size, data):
    k = data.draw(st.integers(1, size)); key = np.uint64(key*0x9E3779B9); A = keyed_subset(key, size, k)
    assert A.tolist() == subset_by_hand(key, size, k)
    _, toss, places = COMPILED; mask, out = np.empty(-(-size//64), np.uint64), np.empty(k, np.int64)
    toss(mask, key, size, k, *_chance(k, size)); places(mask, out)
    assert_array_equal(out, A)

@pytest.mark.parametrize('size, k', [(5, 2), (6, 3), (8, 2), (7, 6), (66, 1), (64, 63)])
def test_every_subset_is_equally_likely(size, k):
    keys = np.random.default_rng(size).integers(2**64, size=200*min(math.comb(size, k), 70), dtype=np.uint64)
    seen = Counter(tuple(keyed_subset(key, size, k).tolist()) for key in keys)
    counts = [seen[c] for c in itertools.combinations(range(size), k)]
    assert sum(counts) == len(keys) and chisquare(counts).pvalue > 1e-3

def test_places_that_would_be_favoured_are_passed_over_alike():
    "Only on huge suites do 32 bits favour some places often enough to be seen."
    size, k = 2_500_009, 1_250_000; _, toss, places = COMPILED; mask, out = np.empty(-(-size//64), np.uint64), np.empty(k, np.int64)
    for key in np.random.default_rng(0).integers(2**64, size=8, dtype=np.uint64):
        toss(mask, key, size, k, *_chance(k, size)); places(mask, out); assert_array_equal(out, keyed_subset(key, size, k))

def test_a_large_draw_has_the_moments_of_sampling_without_replacement():
    r = np.random.default_rng(0); y = r.random(1000)
    for k in (37, 250, 613):
        e = np.array([y[keyed_subset(key, 1000, k)].mean() for key in r.integers(2**64, size=3000, dtype=np.uint64)]) - y.mean(); sd = y.std()*np.sqrt((1000 - k)/(k*999))
        assert abs(e.mean()) < 4*sd/np.sqrt(3000) and e.std() == pytest.approx(sd, rel=.06)

# --- picks ---

@given(seeds, st.integers(2, 90), st.integers(1, 4), st.sampled_from([1, 2, np.inf]), st.sampled_from([1, 1.5, 4, 30]), st.sampled_from([1, 2, 33]), st.data())
@settings(max_examples=60)
def test_one_by_one_is_many_at_once_is_the_four_steps(seed, n, p, norm, f, m, data):
    k, Y = data.draw(st.integers(1, n - 1)), probes(seed, n, p); o = dict(m=m, pool_factor=f, norm=norm)
    fast = bestrand_from(Y, k, rng=seed, many=3, **o)
    for s in range(3):
        if m > 1 and agree(Y, k, seed + s, m, f):
            with pytest.raises(ValueError, match='all .* items of the pool'): bestrand_from(Y, k, rng=seed + s, **o)
            continue
        one = bestrand_from(Y, k, rng=seed + s, **o)
        assert_array_equal(one.idx, fast[s]); assert_array_equal(one.idx, four_steps(Y, k, seed + s, m, f, norm))
        assert len(set(one.idx)) == k and one.gains is None and one.weights is None

@given(seeds, st.integers(6, 60), st.data())
@settings(max_examples=30)
def test_stacked_metrics_and_weights_agree_too(seed, n, data):
    k = data.draw(st.integers(1, n - 1)); Y = np.stack([probes(seed, n, 2), 7*probes(seed + 1, n, 2) - 3]); assume(not any(agree(Y, k, seed + s) for s in range(2)))
    A, w = bestrand_from(Y, k, rng=seed, many=2, adjust=True)
    for s in range(2):
        one = check_subset(bestrand_from(Y, k, rng=seed + s, adjust=True), n)
        assert_array_equal(one.idx, A[s]); assert_allclose(one.weights, w[s], atol=1e-9); assert w[s].sum() == pytest.approx(1)
    assert_array_equal(bestrand_from(Y[:, :1], k, rng=seed).idx, bestrand_from(Y[:, :1]*np.array([[[5.]], [[.1]]]), k, rng=seed).idx)    # units do not matter

@pytest.mark.parametrize('n, k, R, m', [(700, 90, 7, 300), (641, 400, 5, 257), (128, 32, 11, 256), (64, 7, 1, 3)])
def test_sums_by_sixteens_for_many_probes_candidates_and_words(n, k, R, m):
    "Groups of five probes, batches of 256 candidates, words of 64 items: none of their edges shows."
    r = np.random.default_rng(n)
    for Y in (r.random((R, n)), r.standard_normal((R, n)) - 5, np.round(r.random((R, n)), 1), (r.random((R, n)) < .3)*1.):
        for stack in (False, True):
            Y3 = np.stack([Y, 9*Y[::-1]**2 + 3]) if stack else Y; fast = bestrand_from(Y3, k, rng=5, many=3, m=m)
            for s in range(3): assert_array_equal(fast[s], bestrand_from(Y3, k, rng=5 + s, m=m).idx)

@pytest.mark.parametrize('kind', [np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_sizes_in_any_kind_of_integer(kind):
    Y = probes(3, 300, 2); few = dict(m=kind(9), pool_factor=kind(3)); got = bestrand_from(Y, 5, rng=2, m=9, pool_factor=3).idx
    assert_array_equal(bestrand_from(Y.astype(kind), kind(5), rng=kind(2), **few).idx, bestrand_from(Y.astype(kind), 5, rng=2, m=9, pool_factor=3).idx)
    assert_array_equal(bestrand(lambda i: Y[:, i], kind(300), kind(5), rng=kind(2), norm=kind(2), **few).idx, got)
    assert_array_equal(bestrand_from(Y, kind(5), rng=kind(2), many=kind(3), **few)[0], got)
    assert_array_equal(keyed_subset(kind(5), kind(300), kind(3)), keyed_subset(5, 300, 3)); assert len(probe_sets(Y[:, 0], kind(2), 'uniform')) == 2

def test_the_size_of_the_pool_is_not_rounded_down():
    asked = []
    bestrand(lambda i: asked.append(len(i)) or np.arange(len(i))[None]*1., 2000, 1000, rng=0, pool_factor=1.005, m=3); assert asked == [1005]          # 1.005*1000 = 1004.9999...

def test_whoever_runs_the_probes_may_keep_or_change_what_it_was_handed():
    Y = probes(0, 200, 3)
    def spoil(items): got = Y[:, items]; items[:] = 0; return got
    assert_array_equal(bestrand(spoil, 200, 10, rng=3).idx, bestrand_from(Y, 10, rng=3).idx)

def test_ten_thousand_seeds_in_one_call():
    Y = probes(4, 60, 5); fast = bestrand_from(Y, 6, rng=0, many=10_000, m=16)
    for s in range(0, 10_000, 23): assert_array_equal(fast[s], bestrand_from(Y, 6, rng=s, m=16).idx)
    gen = np.random.default_rng(9); one = [bestrand_from(Y, 6, rng=gen).idx for _ in range(5)]
    assert_array_equal(bestrand_from(Y, 6, rng=np.random.default_rng(9), many=5), one)

def test_probes_are_asked_about_the_pool_once_and_about_nothing_else():
    Y, asked = probes(0, 200, 3), []
    def ask(items): asked.append(items); return Y[:, items]
    got = bestrand(ask, 200, 10, rng=3)
    assert len(asked) == 1 and len(set(asked[0])) == 40 and set(got.idx) <= set(asked[0])
    assert_array_equal(got.idx, bestrand_from(Y, 10, rng=3).idx)
    assert len(bestrand(ask, 200, 10, rng=3, pool_factor=2.5).idx) == 10 and len(asked[1]) == 25
    bestrand(ask, 200, 150, rng=3); assert len(asked[2]) == 200

def test_more_candidates_never_match_worse_and_one_candidate_is_a_random_subset():
    Y = probes(1, 300, 4); H = Y.mean(1)
    d = [np.linalg.norm(Y[:, bestrand_from(Y, 75, rng=5, m=m).idx].mean(1) - H) for m in (1, 4, 16, 64, 256)]        # the pool is everything
    assert (np.diff(d) <= 1e-12).all() and d[-1] < d[0]
    a, b = subset_errors(Y, bestrand_from(Y, 20, rng=0, many=3000, m=1)).mean(1), subset_errors(Y, random_subsets(300, 20, 3000, 0)).mean(1)
    assert a.mean() == pytest.approx(b.mean(), rel=.03) and a.std() == pytest.approx(b.std(), rel=.08)

# --- probes and weights ---

@given(seeds, st.integers(1, 4), st.integers(2, 40))
def test_weights_are_weights_and_hit_the_reference_when_free(seed, R, k):
    r = np.random.default_rng(seed); X = r.random((3, R, k)); H = X.mean(-1) + .02*r.standard_normal((3, R)); V = np.full((3, R), 1/12)
    for ridge in (0, 3.):
        w = probe_weights(X, H, V, ridge); assert w.shape == (3, k) and (w >= 0).all(); assert_allclose(w.sum(-1), 1, atol=1e-9)
        assert_allclose(w[1], probe_weights(X[1], H[1], V[1], ridge), atol=1e-9)
    w = probe_weights(X, H, V, 0); free = (w.min(-1) > 1e-9) & (k > 3*R)
    assert_allclose((w[:, None]*X).sum(-1)[free], H[free], atol=1e-5)
    assert_allclose(probe_weights(X, X.mean(-1), V), 1/k)                                    # nothing to correct
    assert_allclose(probe_weights(np.ones((R, k)), np.full(R, .5), np.full(R, .25)), 1/k)    # nothing to go by
    assert_allclose(probe_weights(np.ones((R, k)), np.ones(R), np.zeros(R)), 1/k)

def test_a_probe_that_hardly_varies_on_the_subset_moves_little():
    "The ridge is measured by the pool: a subset with one odd score is not weighted by it alone."
    X = np.full((1, 16), .01); X[0, 3] = .02
    assert probe_weights(X, [.1], [.06]).max() < .1 < probe_weights(X, [.1], [.06], ridge=0).max()

@given(seeds, st.integers(1, 12))
def test_probe_sets(seed, p):
    s = np.random.default_rng(seed).integers(0, 6, 12)/5
    for how in ('random', 'uniform', 'low', 'high'): assert len(set(probe_sets(s, p, how, rng=seed))) == p
    low, high = probe_sets(s, p, 'low'), probe_sets(s, p, 'high')
    assert sorted(s[low]) == sorted(s)[:p] and sorted(s[high]) == sorted(s)[-p:]
    if p > 1: assert {s.min(), s.max()} <= set(s[probe_sets(s, p, 'uniform')])

@given(seeds, st.integers(1, 12), st.sampled_from(['uniform', 'low', 'high']))
def test_probe_sets_do_not_depend_on_rounding(seed, p, how):
    "The same scores as whole numbers, as tenths, and as sums of tenths: one choice, the lowest position of those that tie."
    s = np.random.default_rng(seed).integers(0, 8, 12); want = probe_sets(s, p, how)
    for same in (s/10, s*.1, np.array([sum([.1]*v) for v in s]), s/7 + 1e6): assert_array_equal(probe_sets(same, p, how), want)

def test_probe_sets_by_hand():
    for s in ([0, .1, .3, .4], [0, 1, 3, 4], [0, 3, 1, 4]): assert probe_sets(s, 3, 'uniform').tolist() == [0, 1, 3]
    assert probe_sets([.3, .1 + .2, .1], 1, 'high').tolist() == [0] and probe_sets([.1 + .2, .3, .9], 2, 'low').tolist() == [0, 1]

# --- what goes wrong ---

Y5 = np.random.default_rng(0).random((3, 30)); NAN = Y5.copy(); NAN[1, 4] = np.nan
ask = lambda i: Y5[:, i]

@pytest.mark.parametrize('call, words', [
    (lambda: bestrand_from(NAN, 5, rng=0), 'probe 1 has no score on item 4'), (lambda: bestrand(lambda i: NAN[:, i], 30, 29, rng=0), 'probe 1 has no score on item 4'),
    (lambda: bestrand_from(np.stack([Y5, NAN]), 5, rng=0), r'item 4 \(metric 1\)'), (lambda: bestrand_from(np.where(np.isnan(NAN), np.inf, NAN), 5, rng=0), 'got inf'),
    (lambda: bestrand_from(Y5[:0], 5, rng=0), 'at least one model'), (lambda: bestrand(lambda i: np.empty((0, len(i))), 30, 5, rng=0), 'at least one model'),
    (lambda: bestrand(ask, 30, 30, rng=0), 'nothing to choose'), (lambda: bestrand_from(Y5, 30, rng=0), 'nothing to choose'),
    (lambda: bestrand(ask, 30, 0, rng=0), r'1\.\.30'), (lambda: bestrand(ask, 30, 31, rng=0), r'1\.\.30'), (lambda: bestrand(ask, 30, 2.5, rng=0), 'whole number'),
    (lambda: bestrand(ask, 30, 5, rng=0, m=0), 'candidates'), (lambda: bestrand(ask, 30, 5, rng=0, m=-3), 'candidates'), (lambda: bestrand(ask, 30, 5, rng=0, m=2.), 'candidates'),
    (lambda: bestrand(ask, 30, 5, rng=0, pool_factor=.9), 'at least k items'), (lambda: bestrand(ask, 30, 5, rng=0, pool_factor=np.nan), 'pool_factor'),
    (lambda: bestrand(ask, 30, 5, rng=0, norm='l2'), 'norm'), (lambda: bestrand(ask, 30, 5, rng=None), 'rng'), (lambda: bestrand_from(Y5, 5, rng=-1), 'rng'),
    (lambda: bestrand(lambda i: Y5, 30, 5, rng=0), r'\(p, 20\).*\(3, 30\)'), (lambda: bestrand(lambda i: Y5[:, i].T, 30, 5, rng=0), 'one column for each item'),
    (lambda: bestrand(lambda i: Y5[0, i], 30, 5, rng=0), r'\(20,\)'), (lambda: bestrand(lambda i: None, 30, 5, rng=0), r'\(\)|numbers'), (lambda: bestrand(lambda i: [['x']*len(i)], 30, 5, rng=0), 'numbers'),
    (lambda: bestrand(lambda i: np.ones((2, len(i))), 30, 5, rng=0), 'one and the same score'), (lambda: bestrand_from(np.r_[Y5, np.ones((1, 30))], 5, rng=0), r'row\(s\) 3 of Y_probe'),
    (lambda: bestrand_from(Y5, 5, rng=0, many=0), 'selections'), (lambda: bestrand_from(Y5[0], 5, rng=0), r'\(p, 30\)'), (lambda: bestrand_from(3., 5, rng=0), 'shape'),
    (lambda: keyed_subset(1, 5, 6), r'1\.\.5'), (lambda: probe_sets([.1, .2], 0), r'1\.\.2'), (lambda: probe_sets([.1, np.nan], 1), 'missing'), (lambda: probe_sets([.1, .2], 1, 'middle'), 'middle'),
    (lambda: probe_weights(Y5, np.ones(2), np.ones(3)), 'shape'), (lambda: probe_weights(NAN, np.ones(3), np.ones(3)), 'finite'), (lambda: probe_weights(Y5, np.ones(3), np.ones(3), -1), 'ridge'),
    (lambda: probe_weights(Y5, np.ones(3), np.ones(3), np.inf), 'ridge must be finite'), (lambda: probe_weights(Y5, np.ones(3), np.ones(3), '3'), "ridge must be a number, got '3'"), (lambda: probe_weights(Y5, np.ones(3), np.full(3, np.inf)), 'finite'),
    (lambda: probe_weights(Y5*1j, np.ones(3), np.ones(3)), 'real numbers'), (lambda: probe_weights(Y5, np.ones(3), np.full(3, np.nan)), 'NaN'),
    (lambda: bestrand_from(np.r_[Y5, np.ones((7, 30))], 5, rng=0), r'row\(s\) 3, 4, 5, 6, 7, \.\.\. of Y_probe'), (lambda: bestrand_from(np.stack([Y5, np.r_[Y5[:2], np.zeros((1, 30))]]), 5, rng=0), r'row\(s\) 2 of metric 1 of Y_probe'),
    (lambda: bestrand_from(Y5*1e200, 5, rng=0), 'rescale'), (lambda: bestrand_from(Y5*1e-200, 5, rng=0), 'rescale'), (lambda: bestrand_from(np.r_[Y5, 1e-200*Y5[:1]], 5, rng=0, many=2), 'rescale'), (lambda: bestrand(lambda i: 1e200*Y5[:, i], 30, 5, rng=0), 'rescale'),
    (lambda: bestrand_from(Y5*(1 + 1j), 5, rng=0), 'real numbers'), (lambda: bestrand_from(Y5.astype(str), 5, rng=0), 'real numbers'), (lambda: bestrand(lambda i: Y5[:, i].astype(str).astype(object), 30, 5, rng=0), 'real numbers'),
    (lambda: bestrand(ask, 30, 5, rng=0, pool_factor='4'), "pool_factor must be a number, got '4'"), (lambda: bestrand(ask, 30, 5, rng=0, pool_factor=None), 'pool_factor'), (lambda: bestrand(ask, 30, 5, rng=0, norm=np.array([2, 2])), 'norm must be'),
    (lambda: bestrand(ask, 30, 5, rng=0, norm=None), 'norm must be'), (lambda: bestrand(ask, 30, 5, rng=0, norm=True), 'norm must be'), (lambda: bestrand(ask, 2**33, 5, rng=0), '4294967295'),
    (lambda: bestrand(Y5, 30, 5, rng=0), 'bestrand_from'), (lambda: bestrand_from([[1, 0, 1], [1]], 1, rng=0), 'Y_probe must be real numbers'), (lambda: bestrand(ask, 30., 5, rng=0), 'n must be a whole number'), (lambda: bestrand(ask, 30, 5, rng=0, m='3'), "m must be a whole number.*'3'"), (lambda: bestrand_from(Y5, 5, rng=0, many=2.), 'many'),
    (lambda: keyed_subset(-1, 5, 2), 'key'), (lambda: keyed_subset(2**64, 5, 2), 'key'), (lambda: keyed_subset(1., 5, 2), 'key'), (lambda: keyed_subset(1, 0, 1), 'items to draw from'), (lambda: keyed_subset(1, 2.5, 1), 'whole number'),
    (lambda: probe_sets(['.1', '.2'], 1), 'real numbers'), (lambda: probe_sets([.1, .2j], 1), 'real numbers'), (lambda: probe_sets([.1, None], 1), 'missing')])
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words): call()

def test_a_pool_on_which_all_probes_agree_is_refused_and_of_many_gives_a_plain_draw():
    for level in (0., .7, 1/3, 123.4):
        Y = np.full((2, 400), level); Y[:, :20] += 1; A, plain = (bestrand_from(Y, 3, rng=0, many=50, m=m) for m in (128, 1)); same = 0
        for s in range(50):
            if not agree(Y, 3, s): assert_array_equal(A[s], bestrand_from(Y, 3, rng=s).idx); continue
            same += 1
            with pytest.raises(ValueError, match='12 items of the pool.*seed'): bestrand_from(Y, 3, rng=s)
            with pytest.raises(ValueError, match='12 items of the pool.*seed'): bestrand(lambda i: Y[:, i], 400, 3, rng=s)
            keys = np.random.default_rng(s).integers(2**64, size=129, dtype=np.uint64)
            assert_array_equal(A[s], keyed_subset(keys[0], 400, 12)[keyed_subset(keys[1], 12, 3)])                       # the first candidate, whatever the rounding
        assert 10 < same < 45 and len(plain) == 50
    assert len(bestrand_from(Y, 3, rng=0, m=1).idx) == len(bestrand_from(Y, 3, rng=0, pool_factor=1).idx) == 3          # nothing to choose from: nothing to refuse

# --- real records ---

@pytest.mark.parametrize('name', ['swebench_verified_submissions', 'gsm8k', 'agentdojo', 'ifeval'])
def test_less_tail_than_random_on_real_records(data_dir, name):
    Y = load_suite(data_dir, [name]).Y; Y = Y[~np.isnan(Y).any(1)]; n = Y.shape[1]; k = round(.2*n)
    e = {m: np.concatenate([subset_errors(Y[w[5:]], A).mean(1) for s in range(4) for w in [np.random.default_rng(s).permutation(len(Y))]
                            for A in [bestrand_from(Y[w[:5]], k, rng=1000*s, many=500) if m == 'bestrand' else random_subsets(n, k, 500, s)]]) for m in ('bestrand', 'random')}
    assert np.quantile(e['bestrand'], .95) < .9*np.quantile(e['random'], .95) and e['bestrand'].mean() < e['random'].mean()
