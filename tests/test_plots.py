"""The styles can be told apart without colour, every figure kind composes, refuses nonsense before it draws, and leaks nothing."""
import gc, itertools
import matplotlib; matplotlib.use('Agg')
import matplotlib.pyplot as plt, numpy as np, pandas as pd, pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.sparse import csr_array
from benchlit import plots as P

rng = np.random.default_rng(0)
ERRORS = pd.DataFrame(dict(method=['random']*40 + ['facility']*2, k=[10, 20]*21, error=rng.random(42)*0.1))
SAMPLE = {'random': rng.random(500), 'bestrand': rng.random(300)/2}
RANKS = pd.DataFrame(dict(a=[1, 2.5, np.nan], b=[2, 1, 3.]), index=['random', 'facility', 'dpp-cov'])
KINDS = {
    'error_vs_budget': lambda ax: P.plot_error_vs_budget(ERRORS, ax),
    'error_distribution': lambda ax: P.plot_error_distribution(SAMPLE, ax, law=lambda t: np.exp(-t)),
    'rank_heatmap': lambda ax: P.plot_rank_heatmap(RANKS, ax),
    'pred_vs_true': lambda ax: P.plot_pred_vs_true([0.1, 0.4, 0.8], [0.2, 0.4, 0.7], ax, interval=([0.1, 0.3, 0.6], [0.3, 0.5, 0.8])),
    'gains': lambda ax: P.plot_gains({2: [3, 2, 0.], 4: [5, 1]}, ax, name='α', log=True),
    'kernel': lambda ax: P.plot_kernel(csr_array(np.eye(6)), ax, groups=[1, 0, 1, 0, 2, 2], names=['x', 'y', 'z'], label='cosine (-1 to 1)'),
    'spectrum': lambda ax: P.plot_spectrum([1, 3, 2.], ax, residual={'entropy': [3.2, 1.1, 0]}),
    'marginal_p95': lambda ax: P.plot_marginal_p95([10, 20, 30], [0.2, 0.1, 0.095], ax, series=[[0.1, 0.08, 0.07]], se=[0.01, 0.01])}

def test_dash_and_marker_identify_a_method():
    looks = [(str(P.method_style(m)['linestyle']), P.method_style(m)['marker']) for m in P.METHODS]
    assert len(set(looks)) == len(P.METHODS) == len(set(P.METHOD_COLORS.values()))

def test_lightness_separates_relatives_and_white():
    "CIE lightness; relatives share a marker."
    def light(c):
        v = np.array(to_rgb(c)); y = np.where(v <= 0.04045, v/12.92, ((v + 0.055)/1.055)**2.4) @ [0.2126, 0.7152, 0.0722]
        return 116*np.cbrt(y) - 16 if y > 0.008856 else 903.3*y
    L = {m: light(c) for m, c in P.METHOD_COLORS.items()}
    assert max(L.values()) <= 76
    for a, b in itertools.combinations(P.METHODS, 2):
        if P.METHODS[a][2] == P.METHODS[b][2]: assert abs(L[a] - L[b]) >= 6, (a, b)

def test_names_are_forgiving_and_variants_differ():
    a, b, c = P.method_style('facility'), P.method_style('Facility (alpha=2)', 1), P.method_style('facility (alpha=4)', 2)
    assert a['color'] == b['color'] == c['color'] and len({str(s['linestyle']) for s in (a, b, c)}) == 3 and b['label'] == 'Facility (alpha=2)'
    assert P.method_style('DPP_cov mi') == P.method_style('dpp-cov-mi')
    ax = P.plot_gains({'facility (a)': [2, 1.], 'facility (b)': [2, 1.5]})
    assert len({str(line.get_linestyle()) + line.get_markerfacecolor() for line in ax.lines}) == 2

@pytest.mark.parametrize('kind', KINDS)
def test_takes_and_returns_axes(kind):
    plt.ioff(); P.style()
    ax = Figure().subplots()
    assert KINDS[kind](ax) is ax
    new = KINDS[kind](None)
    new.figure.canvas.draw()
    texts = ' '.join([new.get_xlabel(), new.get_ylabel(), *(a.get_ylabel() for a in new.figure.axes)])
    assert '(' in texts and not plt.get_fignums()

@pytest.mark.parametrize('kind', KINDS)
def test_drawn_twice_is_the_same_file(kind, tmp_path):
    for suffix in ('png', 'svg', 'pdf') if kind == 'gains' else ('png',):
        a, b = (P.save(x, tmp_path/f'{i}.{suffix}').read_bytes() for i, x in enumerate((KINDS[kind](None), KINDS[kind](None).figure)))
        assert a == b and len(a) > 1000

def test_many_figures_leave_nothing():
    plt.ioff()
    for _ in range(150): P.plot_gains([3., 2., 1.])
    gc.collect()
    assert not plt.get_fignums() and sum(isinstance(o, Figure) for o in gc.get_objects()) < 5

def test_the_numbers_drawn():
    ax = P.plot_error_vs_budget(ERRORS)
    mean = 100*ERRORS[ERRORS['method'] == 'random'].groupby('k')['error'].mean()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), mean)
    assert len(ax.collections) == 1                                   # a band for random, none for the single facility subset
    e = np.array([0.01, 0.02, 0.03, 0.04]); tail = P.plot_error_distribution(e, quantiles=(0.5,)).figure.axes[1].lines[0]
    np.testing.assert_allclose(tail.get_xdata(), 100*e); np.testing.assert_allclose(tail.get_ydata(), [1, 0.75, 0.5, 0.25])
    bound = P.plot_spectrum([1, 3., 4]).lines[0]
    np.testing.assert_allclose(bound.get_ydata(), [100, 50, 12.5])
    assert [t.get_text() for t in P.plot_rank_heatmap(RANKS).get_yticklabels()] == ['random', 'facility', 'dpp-cov']
    for tau, star in ((0.01, 'n* = 30'), (0.2, 'n* = 20'), (0.001, None)):
        texts = [t.get_text() for t in P.plot_marginal_p95([10, 20, 30], [0.2, 0.1, 0.095], tau=tau).texts]
        assert texts == ([star] if star else [])
    K = np.arange(16.).reshape(4, 4); drawn = P.plot_kernel(K, groups=[1, 0, 1, 0]).collections[0].get_array()
    np.testing.assert_array_equal(np.asarray(drawn).reshape(4, 4), K[np.ix_([1, 3, 0, 2], [1, 3, 0, 2])])

BAD = [
    (lambda: P.plot_error_vs_budget([1, 2]), 'DataFrame'), (lambda: P.plot_error_vs_budget(ERRORS.iloc[:0]), 'at least one row'),
    (lambda: P.plot_error_vs_budget(ERRORS.drop(columns='k')), "'k'"), (lambda: P.plot_error_vs_budget(ERRORS, band=1), 'band'),
    (lambda: P.plot_error_vs_budget(ERRORS.assign(error=np.inf)), 'finite'), (lambda: P.plot_error_vs_budget(ERRORS.assign(method='x')), 'unknown method'),
    (lambda: P.plot_error_distribution({}), 'nothing to draw'), (lambda: P.plot_error_distribution([0.1], quantiles=(2,)), 'quantiles'),
    (lambda: P.plot_error_distribution(['a']), 'numbers'), (lambda: P.plot_error_distribution({'x': [0.1]}), 'unknown method'),
    (lambda: P.plot_rank_heatmap(RANKS.assign(c=0.)), '>= 1'), (lambda: P.plot_rank_heatmap(RANKS*np.nan), 'no rank'), (lambda: P.plot_rank_heatmap(pd.DataFrame()), 'non-empty'),
    (lambda: P.plot_pred_vs_true([0.5], [0.5, 0.6]), 'one value per model'), (lambda: P.plot_pred_vs_true([0.5], [0.5], interval=([0.6], [0.7])), 'low <= prediction'),
    (lambda: P.plot_pred_vs_true([0.5], [np.nan]), 'finite'), (lambda: P.plot_gains([0., -1], log=True), 'positive'), (lambda: P.plot_gains([]), 'non-empty'),
    (lambda: P.plot_kernel(np.ones(3)), 'square'), (lambda: P.plot_kernel(csr_array((4000, 4000))), 'more than a figure'), (lambda: P.plot_kernel(np.eye(3), names=['a']), 'names'),
    (lambda: P.plot_kernel(np.full((2, 2), np.nan)), 'finite'), (lambda: P.plot_spectrum([0., 0]), 'not all 0'), (lambda: P.plot_spectrum([1., 1], residual=[1, 0, 0]), 'only 2 columns'),
    (lambda: P.plot_spectrum([3., 1], residual=[0.9]), 'below'), (lambda: P.plot_marginal_p95([10], [0.1]), 'two or more'), (lambda: P.plot_marginal_p95([10, 20], [0.2, 0.1], tau=0), 'tau'),
    (lambda: P.plot_marginal_p95([10, 20], [0.2, 0.1], se=[0.1, 0.1]), 'se must'), (lambda: P.plot_marginal_p95([10, 20], [0.2, 0.1], series=[[0.1]]), 'series'),
    (lambda: P.save(Figure(), 'figure'), '.png')]

@pytest.mark.parametrize('call,says', BAD)
def test_refused_before_anything_is_drawn(call, says):
    with plt.ion(), pytest.raises(ValueError, match=says.replace('*', r'\*')): call()
    assert not plt.get_fignums()
