"Herding: the fast versions follow the literal rule, quotas are exact, and the numbers quoted from other notebooks are the ones they print."
import re
import numpy as np, pytest
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

SUITES = ('swebench_verified', 'gsm8k', 'bfcl')

def printed(number, column):
    "A column of the last table by suite and share that a notebook prints, for the three suites."
    nb = next(Notebook(p) for p in NBS.glob(f'{number}_*.ipynb')); head = lambda r: re.split(r'\s{2,}', r.strip())
    rows = [r for _, _, outs in nb.cells for o in outs for r in (''.join(o.get('data', {}).get('text/plain', []))).splitlines()]
    at = max(i for i, r in enumerate(rows) if head(r)[:3] == ['random', 'low', 'high'] and column in head(r)); place = head(rows[at]).index(column); out, name = [], None
    for r in rows[at+2:]:
        cells = r.split()
        if len(cells) < 4: break
        if not cells[0].endswith('%'): name = cells.pop(0)
        if name.removesuffix('_submissions') in SUITES: out.append(float(cells[1 + place]))
    return out

@pytest.mark.parametrize('method,source,quoted_in', [('facility', 20, 25), ('facility', 20, 23), ('dpp-rbf-mi', 22, 25), ('k-center', 23, 25), ('k-means', 23, 25)])
def test_quoted_numbers_are_those_printed(method, source, quoted_in):
    assert len(printed(source, method)) == 9 and printed(quoted_in, method) == printed(source, method)
