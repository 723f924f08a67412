"""Time greedy log-determinant selection from features against the published algorithms on the full kernel, one thread.

    python tests/bench/dpp.py [n d k]         default 20000 384 200

The peer of `greedy_dpp` is fast greedy MAP (Chen, Zhang & Zhou 2018, algorithm 1) on the (n, n) kernel, in NumPy, in single
and double precision, the product that forms the kernel included. The peer of `greedy_dpp_mi` is `greedy_logdet_mi` on the
kernel of 2,000 items, kernel included, and the same with LAPACK's potri for the inverse. Memory is the peak above what is held
before the call, in a child process that does nothing else; features are given in single precision, so the copy in double is counted."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import subprocess, sys, time
import numpy as np
from scipy.linalg import lapack
from benchlit.core import Subset
from benchlit.dpp import PivotedCholesky, _dense, greedy_dpp, greedy_dpp_mi, greedy_logdet, greedy_logdet_mi
from benchlit.worlds import clustered_embeddings

def cpu(f, times=3):
    "CPU seconds of the fastest of a few runs, and what the last one returned."
    best = np.inf
    for _ in range(times): a = time.process_time(); r = f(); best = min(best, time.process_time() - a)
    return best, r

def fast_greedy_map(K, k):
    "Algorithm 1 of Chen, Zhang & Zhou (2018): c_i and d_i^2 for all candidates, updated after each pick."
    n = len(K); c = np.zeros((k, n), K.dtype); d2 = np.diag(K).copy(); j = int(np.argmax(d2)); picks = [j]
    while len(picks) < k:
        s = len(picks) - 1
        e = (K[j] - c[:s, j] @ c[:s])/np.sqrt(d2[j])
        c[s] = e; d2 -= e**2; d2[j] = -np.inf
        j = int(np.argmax(d2)); picks.append(j)
    return np.array(picks)

def mi_potri(X, k, ridge):
    "greedy_logdet_mi with the cheaper of LAPACK's inverses."
    K = X @ X.T; K.flat[::len(K)+1] += ridge
    inv = lapack.dpotri(lapack.dpotrf(K, lower=1, clean=0)[0], lower=1)[0]; inv = np.tril(inv) + np.tril(inv, -1).T
    return _dense(k, PivotedCholesky(K, k), PivotedCholesky(inv, k), full_rank=True)

def worlds(n, d):
    X = np.random.default_rng(0).normal(size=(n, d))
    yield 'Gaussian', X
    yield 'Gaussian, unit norm', X/np.linalg.norm(X, axis=1, keepdims=True)
    E = clustered_embeddings(n, d, 200, .9, 0).E.astype(float)
    yield '200 clusters', E
    yield '200 clusters, centred', E - E.mean(0)

def peak(what, n, d, k):
    "Peak above what is held before the call, MB."
    code = f"""if True:
        import os; os.environ['OMP_NUM_THREADS'] = os.environ['OPENBLAS_NUM_THREADS'] = '1'
        import re, numpy as np; from pathlib import Path; from benchlit.dpp import greedy_dpp, greedy_dpp_mi
        now = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])/1024
        X = np.random.default_rng(0).standard_normal(({n}, {d}), dtype=np.float32); f = lambda X, k: {what}; f(X[:600], 5); before = now(); f(X, {k}); print(now() - before)"""
    return float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)

def main(n, d, k):
    for what in ('greedy_dpp(X, k)', 'greedy_dpp_mi(X, k, .1)'): print(f"{what:>26}: peak memory above the features {peak(what, n, d, k):.0f} MB")
    print(f"n={n} d={d} k={k}, CPU seconds on one thread; ratio = peer / benchlit (under unit norm the first pick is a tie of all: the peer takes another one)")
    for name, X in worlds(n, d):
        (t, a), (m, _) = cpu(lambda: greedy_dpp(X, k)), cpu(lambda: greedy_dpp_mi(X, k, .1))
        if n**2*12 < 24*2**30:
            x = X.astype(np.float32); single, _ = cpu(lambda: fast_greedy_map(x @ x.T, k), 1); double, b = cpu(lambda: fast_greedy_map(X @ X.T, k), 1)
            print(f"{name:>22}: greedy_dpp {t:.3f}   fast greedy MAP {double:.2f} double, {single:.2f} single   ratio {double/t:.0f}, {single/t:.0f}   same picks {np.mean(a.idx == b):.0%}   greedy_dpp_mi {m:.2f}")
    print(f"mutual information, n=2000 d={d} k=100, ridge 0.1")
    for name, X in worlds(2000, d):
        (t, a), (D, b), (p, _) = cpu(lambda: greedy_dpp_mi(X, 100, .1), 10), cpu(lambda: greedy_logdet_mi(X @ X.T, 100, .1)), cpu(lambda: mi_potri(X, 100, .1))
        print(f"{name:>22}: greedy_dpp_mi {t:.3f}   greedy_logdet_mi {D:.2f}   with potri {p:.2f}   ratio {D/t:.1f}, {p/t:.1f}   same picks {np.mean(a.idx == b.idx):.0%}   largest difference of a gain {np.abs(a.gains - b.gains).max():.0e}")

if __name__ == '__main__': main(*map(int, sys.argv[1:4] if len(sys.argv) > 3 else (20000, 384, 200)))
