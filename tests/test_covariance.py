"EM on tables with holes: the fast step is the plain one, the climb never falls, and intervals cover."
import numpy as np, pandas as pd, pytest
from hypothesis import given, settings, strategies as st
from scipy.special import ndtri
from benchlit.covariance import _EM, _table, calibrate, conformal_factor, constant_benchmarks, em_step, em_step_by_row, fit_gaussian, gaussian_loglik, impute, predict_left_out, standardize
from benchlit.datasets import leaderboard
from benchlit.worlds import gaussian_leaderboard

def world(M, N, seed, missing, blocks=None):
    "Standardised scores with holes, and a law to start from."
    missing = min(missing, 1 - max(M, N)/(M*N) - 1e-9) if blocks is None else missing
    rng = np.random.default_rng(seed); w = gaussian_leaderboard(M, N, seed, missing=max(missing, 0), blocks=blocks)
    Z = w.B[:, np.setdiff1d(np.arange(N), constant_benchmarks(w.B))]; Z = standardize(Z[(~np.isnan(Z)).any(1)], drop_constant=True)[0]
    A = rng.normal(size=(Z.shape[1],)*2)
    return Z, rng.normal(size=Z.shape[1]), A @ A.T + .1*np.eye(len(A))

@given(st.integers(8, 40), st.integers(2, 12), st.integers(0, 10**6), st.floats(0, .6))
@settings(max_examples=60)
def test_step_by_pattern_is_the_step_by_row(M, N, seed, missing):
    Z, mu, S = world(M, N, seed, missing)
    for a, b in zip(em_step(Z, mu, S), em_step_by_row(Z, mu, S)): np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-8)

@given(st.integers(10, 40), st.integers(2, 10), st.integers(0, 10**6), st.floats(0, .6), st.sampled_from([1e-1, 1e-3, 1e-6]),
       st.sampled_from([0, .05, .5, 'auto']), st.sampled_from([0, 10]), st.booleans())
@settings(max_examples=60)
def test_never_falls(M, N, seed, missing, floor, shrinkage, min_count, accelerate):
    Z = world(M, N, seed, missing)[0]
    f = fit_gaussian(Z, floor=floor, shrinkage=shrinkage, min_count=min_count, accelerate=accelerate, max_iter=60)
    assert np.diff(f.path).min(initial=0) >= -1e-7*max(1, abs(f.path).max()) and f.n_iter <= 60
    assert np.linalg.eigvalsh(f.Sigma)[0] >= floor*(1 - 1e-9) and np.array_equal(f.Sigma, f.Sigma.T)
    assert f.loglik == pytest.approx(gaussian_loglik(Z, f.mu, f.Sigma))
    thin = f.counts < min_count
    assert not (f.Sigma[thin] - np.diag(np.diag(f.Sigma))[thin]).any()

def test_a_bad_jump_is_taken_back():
    "Long climbs, on which jumps do fail: the path still never falls, and its end is the objective of what is returned."
    failed = 0
    for seed in range(4):
        Z = standardize(gaussian_leaderboard(30, 12, seed, missing=.5).B)[0]; f = fit_gaussian(Z, min_count=0, tol=1e-9, max_iter=300)
        assert np.diff(f.path).min() >= -1e-8 and f.path[-1] == pytest.approx(gaussian_loglik(Z, f.mu, f.Sigma), abs=1e-8); failed += (np.diff(f.path) == 0).sum()
    assert failed > 10

def test_end_of_the_climb_is_a_maximum():
    "No small change of the law raises the objective, with floor and prior."
    Z = world(30, 6, 2, .3)[0]
    for shrinkage in (0, .2):
        f = fit_gaussian(Z, shrinkage=shrinkage, tol=1e-10, max_iter=20_000); assert f.converged
        em = _EM(Z, 1e-3, shrinkage, 10); best = em.value((f.mu, f.Sigma)); rng = np.random.default_rng(0)
        for _ in range(200):
            D = rng.normal(size=(6, 6)); e = 10.**rng.uniform(-5, -2)
            assert em.value((f.mu + e*rng.normal(size=6), em.clip(f.Sigma + e*(D + D.T)))) <= best + 1e-8

def test_complete_table_is_mean_and_covariance():
    Z = standardize(gaussian_leaderboard(50, 5, 0).full)[0]; f = fit_gaussian(Z, floor=1e-9)
    np.testing.assert_allclose(f.Sigma, np.cov(Z.T, ddof=0), atol=1e-12); np.testing.assert_allclose(f.mu, 0, atol=1e-12)

def test_order_of_models_and_benchmarks_does_not_matter():
    Z = world(60, 8, 3, .3)[0]; rng = np.random.default_rng(0); p, q = rng.permutation(len(Z)), rng.permutation(Z.shape[1])
    a, b = fit_gaussian(Z), fit_gaussian(Z[p][:, q])
    np.testing.assert_allclose(a.Sigma[np.ix_(q, q)], b.Sigma, atol=2e-4)

def test_impute_is_the_conditional_law():
    Z, mu, S = world(20, 7, 4, 0); f = fit_gaussian(Z)._replace(mu=mu, Sigma=S); A = [5, 0, 2]; z = Z[:4, A].copy(); z[1, 1] = z[2] = np.nan
    mean, sd = impute(f, z, A, ridge=0)
    for i, x in enumerate(z):
        a, o = np.array(A)[~np.isnan(x)], x[~np.isnan(x)]; K = S[:, a] @ np.linalg.pinv(S[np.ix_(a, a)])
        np.testing.assert_allclose(mean[i], mu + K @ (o - mu[a]), atol=1e-9)
        np.testing.assert_allclose(sd[i]**2, np.maximum(np.diag(S - K @ S[a]), 0), atol=1e-9)
        one = impute(f, x, A, ridge=0); np.testing.assert_allclose(one, (mean[i], sd[i]), atol=1e-12)

def test_three_scores_make_no_hub():
    w = gaussian_leaderboard(80, 15, 1, missing=.2); B = w.B.copy(); B[3:, 4] = np.nan; B[:3, 4] = w.full[:3, 4]; Z = standardize(B)[0]
    careful, naive = fit_gaussian(Z), fit_gaussian(Z, min_count=0, max_iter=300)
    gain = lambda f: np.diag(np.linalg.inv(f.Sigma))*np.diag(f.Sigma)
    assert gain(naive).argmax() == 4 and gain(careful)[4] == pytest.approx(1) and gain(careful)[4] == gain(careful).min()

@pytest.mark.parametrize('M, N, missing', [(25, 20, 0), (60, 12, .3), (300, 10, 0)])
def test_calibrated_intervals_cover(M, N, missing):
    hits = []
    for seed in range(10):
        w = gaussian_leaderboard(M + 500, N, seed); X = w.full.copy(); hide = np.random.default_rng(seed).random((M, N)) < missing; hide[:, :2] = False
        X[:M][hide] = np.nan; Z, mean, std = standardize(X[:M]); new = (X[M:] - mean)/std; A = [0, 1]
        f = fit_gaussian(Z, tol=1e-4); m, sd = impute(f, new[:, A], A); scale = calibrate(f, Z, A)
        hits.append((np.abs(new - m) <= 1.6449*scale*sd)[:, 2:].mean())
    assert .87 <= np.mean(hits) <= .93

def test_calibrate_survives_benchmarks_that_vanish_from_a_fold():
    w = gaussian_leaderboard(30, 6, 0); B = w.B.copy(); B[2:, 5] = np.nan; Z = standardize(B)[0]
    assert 0 < calibrate(fit_gaussian(Z), Z, [0, 5]) < 10

def test_left_out_means_left_out():
    "A model's own scores outside A do not reach its prediction, those on A and the other models' do."
    Z = world(40, 6, 5, .2)[0]; A = [0, 3]; f = fit_gaussian(Z); before = predict_left_out(f, Z, A)
    seen = np.flatnonzero((~np.isnan(Z[:, A])).all(1) & (~np.isnan(Z)).all(1)); i = seen[0]
    Y = Z.copy(); Y[i, [1, 2, 4, 5]] += 3; after = predict_left_out(f, Y, A)
    for x, y in zip(before, after): np.testing.assert_array_equal(x[i], y[i])
    assert (np.nan_to_num(before[0]) != np.nan_to_num(after[0])).any()
    Y = Z.copy(); Y[i, 0] += 1; assert (predict_left_out(f, Y, A)[0][i, 1] != before[0][i, 1])
    assert np.isnan(before[0][:, A]).all() and np.isnan(before[0][np.isnan(Z[:, A]).all(1)]).all()

def test_the_factor_is_the_quantile_with_one_more():
    r = np.random.default_rng(0).exponential(size=20); q = np.append(r, np.nan)
    assert (r <= 1.6448536*conformal_factor(q)*(1 + 1e-6)).sum() == 19 and conformal_factor(q) == conformal_factor(r[::-1])

def test_the_rank_is_no_matter_of_rounding():
    "At every n and two-digit coverage the rank is the ceiling of an exact fraction."
    from fractions import Fraction; from math import ceil
    for n in range(1, 200):
        r = np.arange(1., n + 1)
        for c in range(50, 100, 5):
            nth = ceil(Fraction(c, 100)*(n + 1))
            if nth <= n: assert conformal_factor(r, c/100) == pytest.approx(nth/ndtri(.5 + c/200))
            else:
                with pytest.raises(ValueError, match='too few for intervals.*ask for less coverage'): conformal_factor(r, c/100)

@pytest.mark.parametrize('power', [-1000, -300, -6, 6, 300, 990])
def test_units_do_not_matter_to_standard_scores(power):
    B = gaussian_leaderboard(30, 5, 0, missing=.2).B; Z = standardize(B)[0]; Y, mean, std = standardize(B*2.**power)
    np.testing.assert_array_equal(Y, Z); np.testing.assert_allclose(Y*std + mean, B*2.**power, rtol=1e-9, atol=0)
    with pytest.raises(ValueError, match="'x' tell no two"): standardize(pd.DataFrame(dict(x=[2.**power]*3, y=[1., 2, 3])))

def test_what_the_floor_would_swallow_is_refused():
    Z = world(40, 6, 5, .2)[0]
    for bad in (1e-6*Z, Z*np.array([1, 1, 1, 1, 1, .01])):
        with pytest.raises(ValueError, match='vary less than the floor'): fit_gaussian(bad)
    with pytest.raises(ValueError, match="'5' vary less"): fit_gaussian(Z*np.array([1, 1, 1, 1, 1, .01]))
    fit_gaussian(1e-3*Z, floor=1e-9, tol=1e-9)
    Y = np.random.default_rng(0).normal(size=(40, 3)); Y[:, 2] *= 1e-4; Y[7, 2] = 6; Y = standardize(Y)[0]   # one score holds all of the variance: without it nothing is left
    left = predict_left_out(fit_gaussian(Y), Y, [0])[0]; assert np.isnan(left[:, 2]).sum() == 8 and np.isnan(left[7, 2])

@pytest.mark.parametrize('mu, Sigma, words', [([0, 0], [[1, 2], [2, 1]], 'not positive'), ([0, 0], [[1, np.nan], [np.nan, 1]], 'finite'), ([0, 0], -np.eye(2), 'not positive'), ([0], np.eye(2), 'shapes'),
    ([0, np.nan], np.eye(2), 'finite'), ([0, 0], [[1, .5], [.2, 1]], 'symmetric')])
def test_what_is_no_law_is_refused(mu, Sigma, words):
    Z = world(20, 2, 0, 0)[0]; law = fit_gaussian(Z)._replace(mu=np.array(mu), Sigma=np.array(Sigma))
    for f in (lambda: impute(law, [1.], [0]), lambda: impute(law, [np.nan], [0]), lambda: em_step(Z, mu, Sigma), lambda: em_step_by_row(Z, mu, Sigma), lambda: gaussian_loglik(Z, mu, Sigma)):
        with pytest.raises(ValueError, match=words): f()
    mean, sd = impute(law._replace(mu=np.zeros(2), Sigma=np.ones((2, 2))), [1.], [0]); assert mean[1] == pytest.approx(1, abs=.02) and sd[1] < .15   # singular, but a law

@pytest.mark.parametrize('bad', [dict(min_count='3'), dict(min_count=2.5), dict(min_count=-1), dict(max_iter=0), dict(max_iter='9'), dict(floor='1'), dict(tol=None), dict(shrinkage=None), dict(shrinkage=[.1])])
def test_settings_that_are_none(bad):
    with pytest.raises(ValueError, match=next(iter(bad))): fit_gaussian(world(20, 3, 0, 0)[0], **bad)

def test_names_in_messages():
    B = pd.DataFrame(np.arange(6.).reshape(3, 2), ['m', 'n', 'o'], ['x', 'y'])
    with pytest.raises(ValueError, match="model 'n' on benchmark 'y'"): standardize(B.replace(3, -np.inf))
    with pytest.raises(ValueError, match="nothing is observed of model.s. 'n'"): standardize(B.drop('n').reindex(B.index))
    assert list(_table(B)[2]) == ['x', 'y']

def test_mteb_and_merged(data_dir):
    Z = standardize(leaderboard('mteb'))[0]; mu, S = np.zeros(56), .5*np.eye(56) + .5
    assert gaussian_loglik(Z, mu, S) == pytest.approx(-10080.2945, abs=1e-4)
    assert gaussian_loglik(Z, *em_step(Z, mu, S)) == pytest.approx(-4978.0893, abs=1e-4)
    f = fit_gaussian(Z, floor=1e-6); assert f.converged and f.loglik >= -672.865 and np.diff(f.path).min() >= -1e-9
    Z = standardize(leaderboard('merged'))[0]; f = fit_gaussian(Z, floor=1e-3, max_iter=91)
    assert f.path[-1] >= 2859.84 and f.loglik >= 2859.84 and np.diff(f.path).min() >= -1e-9 and not f.converged
    plain = fit_gaussian(Z, floor=1e-3, max_iter=100, accelerate=False); reach = lambda f: int(np.argmax(f.path >= 2859.84)) + 1
    assert plain.path[-1] >= 2859.84 and 1 < reach(f) <= reach(plain)/3
