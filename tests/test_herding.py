"Herding: the fast versions follow the literal rule, quotas are exact, columns are told by what they say; and the closing tables of the prompts-only notebooks agree."
import re
from fractions import Fraction
import numpy as np, pandas as pd, pytest
from hypothesis import given, settings, strategies as st
from benchlit.greedy import first_max
from benchlit.herding import apportion, described, herd_suite, herding
from benchlit.similarity import dot, rbf
from benchlit.worlds import clustered_embeddings, toy_world
from notebooks import NBS, Notebook

def world(kind, n, seed):
    rng = np.random.default_rng(seed)
    if kind == 'scattered': return rng.normal(size=(n, 5))
    if kind == 'clustered': return clustered_embeddings(n, 6, min(4, n), .3, seed).E
    if kind == 'copies': return rng.normal(size=(n, 3))[rng.integers(max(1, n//3), size=n)].astype(np.float32)
    if kind == 'kinds': return np.eye(4)[rng.integers(4, size=n)]                  # ties at nearly every pick
    if kind == 'centred': X = rng.normal(size=(n, 4)); return X - X.mean(0)         # the mean is nothing but rounding
    return np.full((n, 3), .7)

KINDS = st.sampled_from(['scattered', 'clustered', 'copies', 'kinds', 'centred', 'alike'])

def literal(K, k):
    "The rule item by item, O(n k^2)."
    n, A = len(K), []; top = max(abs(K).max(), 1e-300)
    for t in range(1, k+1):
        A.append(first_max(np.array([-np.inf if j in A else sum(K[i, j] for i in range(n))/n - sum(K[i, j] for i in A)/t + top for j in range(n)])))
    return A

@given(KINDS, st.integers(1, 25), st.integers(1, 25), st.integers(0, 10**6), st.sampled_from(['linear', 'rbf']))
@settings(max_examples=120, deadline=None)
def test_fast_herding_is_the_literal_rule(kind, n, k, seed, kernel):
    k = min(k, n); E = world(kind, n, seed)
    try: K = dot(E) if kernel == 'linear' else rbf(E)
    except ValueError:                                                           # half of the pairs coincide: refused alike
        with pytest.raises(ValueError, match='coincide'): herding(E, k, kernel=kernel)
        return
    s = herding(E, k, kernel=kernel); np.testing.assert_array_equal(s.idx, literal(K, k))
    mmd = [K.mean() - 2*K[:, s.idx[:t]].mean() + K[np.ix_(s.idx[:t], s.idx[:t])].mean() for t in range(1, k+1)]
    np.testing.assert_allclose(s.gains, mmd, atol=1e-6*max(abs(K).max(), 1)); assert (s.gains >= 0).all()

@pytest.mark.parametrize('seed', range(5))
def test_mmd_falls_with_k(seed):
    g = herding(clustered_embeddings(800, 48, 20, .5, seed).E, 400).gains
    assert (np.diff(g[[4, 9, 19, 49, 99, 199, 399]]) < 0).all() and g[99] < g[9]/10

@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 40))
@settings(max_examples=80, deadline=None)
def test_each_group_is_herded_on_its_own(seed, N, k):
    rng = np.random.default_rng(seed); n = 40; E = rng.normal(size=(n, 4)); groups = rng.integers(N, size=n)*3; codes, size = np.unique(groups, return_counts=True)
    q = apportion(k, size); s = herding(E, k, groups=groups)
    assert len(set(s.idx)) == k and [(groups[s.idx] == c).sum() for c in codes] == q.tolist()
    for c, m in zip(codes, q):
        if m: at = np.flatnonzero(groups == c); np.testing.assert_array_equal(s.idx[groups[s.idx] == c], at[herding(E[at], int(m)).idx])
    for t in range(1, k+1):                                                      # every beginning is divided alike
        assert (np.abs(np.array([(groups[s.idx[:t]] == c).sum() for c in codes]) - q*t/k) <= 1 + len(codes)/2).all()

@given(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.integers(1, 300))
@settings(max_examples=200, deadline=None)
def test_largest_remainder(sizes, k):
    if not sum(sizes): return
    k = min(k, sum(sizes)); q = apportion(k, sizes); share = k*np.array(sizes)/sum(sizes)
    assert q.sum() == k and (q <= sizes).all() and (q >= np.floor(share - 1e-9)).all() and (q <= np.ceil(share + 1e-9)).all()

def test_columns_of_several_benchmarks():
    toy = toy_world(1); S, U = toy.suite, described(toy.suite)
    np.testing.assert_allclose((U**2).sum(1), 1)
    for g in range(len(S.benchmarks)):                                           # benchmarks share no coordinate
        own = (U[S.groups == g] != 0).any(0); assert not (U[S.groups != g][:, own] != 0).any()
    s = herd_suite(S, toy.E, 30); assert len(set(s.idx)) == 30
    assert np.bincount(S.groups[s.idx], minlength=len(S.benchmarks)).tolist() == apportion(30, np.bincount(S.groups)).tolist()

def closing(number):
    "The closing table of a notebook: method -> errors at 5, 10 and 20 % of the three suites, as printed."
    nb = next(Notebook(p) for p in NBS.glob(f'{number}_*.ipynb'))
    texts = [''.join(o.get('data', {}).get('text/plain', [])) for _, _, outs in nb.cells for o in outs]
    lines = next(t for t in texts if re.match(r'.*swebench_verified +gsm8k +bfcl +ratio below', t)).splitlines(); assert lines[1].split() == ['5%', '10%', '20%']*3
    return {m: v.split()[:9] for m, v in (re.split(r'\s{2,}', r, maxsplit=1) for r in lines[2:])}

def facility_alone():
    "What the notebook on facility location prints for the same cases."
    nb = next(Notebook(p) for p in NBS.glob('20_*.ipynb')); out, name = [], None
    text = next(t for _, _, outs in nb.cells for o in outs if 'weighted' in (t := ''.join(o.get('data', {}).get('text/plain', []))))
    for cells in (r.split() for r in text.splitlines()[2:]):
        if not cells[0].endswith('%'): name = cells.pop(0).removesuffix('_submissions')
        if name in ('swebench_verified', 'gsm8k', 'bfcl'): out.append(cells[4])
    return out

def test_closing_tables_hold_every_selector_so_far_with_the_same_numbers():
    tables = {n: closing(n) for n in (22, 23, 24, 25)}
    for low, high, own in ((22, 23, {'facility', 'dpp-cov', 'dpp-cov-mi', 'dpp-rbf-mi'}), (23, 24, {'k-center', 'k-means', 'k-medoids'}), (24, 25, {'mis', 'coverage', 'agreement', 'neighbourhood'})):
        for n, table in tables.items():
            if n < high: continue
            assert own <= set(table)
            for m in own | {'random', 'low', 'high'}: assert table[m] == tables[low][m], (m, low, n)
    assert {'herding', 'herding (rbf)', 'herding (columns)'} <= set(tables[25]) and tables[22]['facility'] == facility_alone()

@pytest.mark.parametrize('scale', [1e-99, 1e-22, 1e-5, 1e20, 1e99])
@pytest.mark.parametrize('seed', range(10))
def test_scale_does_not_matter(scale, seed):
    E = np.random.default_rng(seed).normal(size=(50, 8)); a, b = herding(E, 20), herding(E*scale, 20)
    np.testing.assert_array_equal(a.idx, b.idx); np.testing.assert_allclose(b.gains/scale/scale, a.gains, rtol=1e-9)
    np.testing.assert_array_equal(herding(E*scale, 20, kernel='rbf').idx, herding(E, 20, kernel='rbf').idx)

def test_beyond_double_precision():
    E = np.random.default_rng(0).normal(size=(50, 8)); toy = toy_world(1)
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        with pytest.raises(ValueError, match='limits of double precision to be squared; divide them by it'): herding(E*scale, 5)
        np.testing.assert_array_equal(herding(E*scale, 5, kernel='rbf').idx, herding(E, 5, kernel='rbf').idx)
        np.testing.assert_array_equal(herd_suite(toy.suite, toy.E*np.float64(scale), 9).idx, herd_suite(toy.suite, toy.E, 9).idx)
    assert list(herding(np.zeros((3, 2)), 2).idx) == [0, 1]

@pytest.mark.parametrize('sizes', [[2.5, 2.5], [-1, 5], [np.nan, 5], [np.inf, 5], ['a'], [[1, 2]], [], [0, 0], 5, [True, True], [None]])
def test_sizes_are_whole_numbers(sizes):
    with pytest.raises(ValueError, match='sizes must be a list of whole numbers >= 0'): apportion(2, sizes)

def test_apportion_is_exact_however_large():
    for sizes in ([10**12 + 1, 10**12, 1], [3]*7, [2**40]*3):
        k = sum(sizes)//2 + 1; q = apportion(k, sizes); assert q.sum() == k and (q <= sizes).all()
        assert all(abs(int(a)*sum(sizes) - k*s) < sum(sizes) for a, s in zip(q, sizes))
    assert apportion(10**11, [10**11, 10**11]).tolist() == [5*10**10]*2

def columns(values):
    from benchlit.core import Suite
    x = pd.Series(values, [str(i) for i in range(len(values))], dtype=object)
    return described(Suite(pd.DataFrame({'benchmark': 'b', 'capability': 'c', 'prompt': None, 'x': x}, x.index)))

GAPS = [None, np.nan, pd.NA, np.float32('nan')]

@pytest.mark.parametrize('gap', GAPS, ids=str)
def test_a_gap_disturbs_no_rank(gap):
    "Of thirty different numbers, one is missing: the others keep their order, and no two coincide."
    v = [float(i) for i in range(1, 31)]; whole = columns(v); U = columns([gap] + v[1:])
    assert len(np.unique(U.round(9), axis=0)) == 30
    near = (U @ U.T)[1:, 1:]; assert (np.diff(near[0]) < 0).all() and np.abs(U[0] @ U[1:].T).max() < 1e-12     # in order, and the gap is like none
    assert (np.diff((whole @ whole.T)[0]) < 0).all(); np.testing.assert_allclose((U**2).sum(1), 1)

@pytest.mark.parametrize('kind', [int, float, np.int64, np.float32, np.float64, Fraction, lambda v: 10**400 + int(v)])
def test_numbers_are_numbers_of_whatever_type(kind):
    v = np.random.default_rng(0).permutation(30) + 1
    np.testing.assert_allclose(columns([kind(int(x)) for x in v]), columns(v.tolist()))

def test_equal_numbers_are_one_category():
    for a, b in ((0., -0.), (1, 1.), (1, np.float32(1)), (2, np.int8(2)), (np.nan, None), (True, np.True_)):
        U = columns([a, b, 7, 7]*9); assert len(np.unique(U, axis=0)) == 2
    for a, b in ((1, '1'), ('', None), (1, True), (0, False)):                   # alike to the eye, not the same
        U = columns([a, b, a, b]*9); assert len(np.unique(U, axis=0)) == 2

def test_numbers_among_texts_are_ranked_apart():
    v = [*range(20), *('x'*i for i in range(1, 16)), None]; U = columns(v)
    assert len(np.unique(U.round(9), axis=0)) == 36 and np.abs(U[:20] @ U[20:].T).max() < 1e-12
    assert columns([[1, 2], np.arange(3), {'a': 1}, 'abc']*3).shape[1] == 3      # lists and arrays are told by what they say

def test_wrong_kinds_of_settings_are_named():
    toy = toy_world(1); V = np.eye(4)
    for w in ('2', None, True, -1, np.nan, [2]):
        with pytest.raises(ValueError, match='weight must be a finite number >= 0'): herd_suite(toy.suite, toy.E, 9, weight=w)
    for bad in (toy.E.astype(str), toy.E.astype(object), toy.E > 0, toy.E*1j):
        with pytest.raises(ValueError, match='numeric array'): herd_suite(toy.suite, bad, 9)
    for kernel in (V, None, 3, ['linear'], 'cubic'):
        with pytest.raises(ValueError, match="kernel must be 'linear', 'rbf' or a function"): herding(V, 2, kernel=kernel)
    for g in ([0, np.nan, 1., 1], ['a', None, 'b', 'b'], ['a', np.nan, 'b', 'b']):
        with pytest.raises(ValueError, match="missing for row\\(s\\) '1'"): herding(V, 2, groups=g)
