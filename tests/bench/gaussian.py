"""Time EM by pattern of holes against EM row by row on MTEB, mutual information by two Choleskys against a fresh factorisation at each
pick, and the ten-fold cross-validation of all selectors, one thread; count the EM steps that jumps save on the merged leaderboard.

    BENCHLIT_DATA=... python tests/bench/gaussian.py

The reference climb is that of the paper: plain EM from the pairwise covariances with eigenvalues cut off at 1e-3, stopped when a step
changes the covariance by less than 5e-4 of its Frobenius norm."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import time
import numpy as np
from benchlit.completion import cross_validate
from benchlit.covariance import _EM, em_step, em_step_by_row, fit_gaussian, standardize
from benchlit.datasets import leaderboard
from benchlit.gaussian import greedy_mi

def cpu(f, repeat=1):
    "Least CPU seconds of a few runs, and the result."
    runs = []
    for _ in range(repeat): a = time.process_time(); r = f(); runs.append(time.process_time() - a)
    return min(runs), r

def step():
    Z = standardize(leaderboard('mteb'))[0]; mu, S = np.zeros(56), .5*np.eye(56) + .5
    fast, a = cpu(lambda: em_step(Z, mu, S), 20); plain, b = cpu(lambda: em_step_by_row(Z, mu, S), 5)
    assert max(np.abs(x - y).max() for x, y in zip(a, b)) < 1e-12
    print(f"EM step on MTEB: by row {1e3*plain:.1f} ms, by pattern {1e3*fast:.1f} ms, ratio {plain/fast:.1f}")

def climb():
    Z = standardize(leaderboard('merged'))[0]; seen = ~np.isnan(Z); Y = np.where(seen, Z, 0); pairs = seen.T @ seen.astype(float)
    em = _EM(Z, 1e-3, 0., 0); theta = np.zeros(114), em.clip(Y.T @ Y/np.maximum(pairs - 1, 1)); moved = 1
    while moved >= 5e-4: new, _ = em(theta); moved = np.linalg.norm(new[1] - theta[1])/np.linalg.norm(theta[1]); theta = new
    top = em.value(theta); fast, plain = (1 + int(np.argmax(fit_gaussian(Z, max_iter=em.calls, accelerate=a).path >= top)) for a in (True, False))
    print(f"merged leaderboard: the paper's climb ends at {top:.2f} nats after {em.calls} EM steps; from our start it takes {plain}, with jumps {fast}, "
          f"ratios {em.calls/fast:.1f} and {plain/fast:.2f}")

def afresh(S, k):
    "Greedy mutual information with the complement factorised anew at each pick."
    A, d, L = [], np.diag(S).copy(), np.zeros((0, len(S)))
    for _ in range(k):
        rest = np.setdiff1d(np.arange(len(S)), A); T = np.linalg.inv(np.linalg.cholesky(S[np.ix_(rest, rest)]))
        score = np.full(len(S), -np.inf); score[rest] = d[rest]*(T*T).sum(0); j = int(score.argmax()); A.append(j)
        L = np.vstack([L, (S[j] - L[:, j] @ L)/np.sqrt(d[j])]); d = d - L[-1]**2
    return A

def select():
    X = np.random.default_rng(0).normal(size=(500, 600)); S = X @ X.T/600
    fast, a = cpu(lambda: greedy_mi(S, 20), 5); plain, b = cpu(lambda: afresh(S, 20), 2)
    assert a.idx.tolist() == b
    print(f"mutual information, 20 of 500: fresh factorisations {1e3*plain:.0f} ms, two Choleskys {1e3*fast:.0f} ms, ratio {plain/fast:.1f}")

def validate():
    B = leaderboard('mteb'); t, cv = cpu(lambda: cross_validate(B, list(range(1, 16)), tol=1e-6))
    print(f"ten folds of MTEB, four selectors and 20 random orders, k = 1 to 15, EM to 1e-6: {t:.1f} s")

if __name__ == '__main__': step(); climb(); select(); validate()
