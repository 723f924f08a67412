"""Time greedy facility location against apricot-select's lazy greedy: n = 20,000, k = 200, t = 400, one thread.

    pip install apricot-select==0.6.1
    python tests/bench/facility.py [n k t]

apricot compiles on every fit; that cost, measured by fitting on 50 items, is taken off. It treats the rows of a precomputed
matrix as facilities, so it gets W transposed. The NumPy line is the same greedy with the inner loop in NumPy instead of numba.
Peak memory (Linux) is that of a whole process that does nothing but the selection."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMBA_NUM_THREADS'): os.environ[v] = '1'
import subprocess, sys, tempfile, time
from pathlib import Path
import numpy as np
from scipy.sparse import csr_array, csr_matrix, load_npz, save_npz
from benchlit.facility import greedy_fl
from benchlit.greedy import first_max

def cpu(f):
    a = time.process_time(); r = f()
    return time.process_time() - a, r

def numpy_greedy(W, k):
    "greedy_fl with NumPy gathers in place of the compiled loop."
    n, T = W.shape[0], W.tocsc(); c, g, idx = np.zeros(n), np.bincount(W.indices, W.data, W.shape[0]), []
    for _ in range(k):
        j = first_max(g); s = slice(T.indptr[j], T.indptr[j+1]); rows, w = T.indices[s], T.data[s]; up = w > c[rows]; rows, w = rows[up], w[up]
        m = np.diff(W.indptr)[rows]; at = np.repeat(W.indptr[rows] - np.cumsum(m) + m, m) + np.arange(m.sum()); low = np.repeat(c[rows], m)
        g -= np.bincount(W.indices[at], np.clip(W.data[at], low, np.repeat(w, m)) - low, n)
        idx.append(j); g[j] = -np.inf; c[rows] = w
    return idx

def apricot(W, k):
    from apricot import FacilityLocationSelection
    X = W.T.tocsr(); X = csr_matrix((X.data.astype(float), X.indices, X.indptr), shape=X.shape)
    fit = lambda X, k: cpu(lambda: FacilityLocationSelection(k, metric='precomputed', optimizer='lazy').fit(X))
    compile_cost = min(fit(X[:50][:, :50], 10)[0] for _ in range(2))
    t, model = fit(X, k)
    return t - compile_cost, compile_cost, float(np.sum(model.gains))

def worlds(n, t):
    from benchlit.similarity import top_t
    from benchlit.worlds import clustered_embeddings
    rng = np.random.default_rng(0)
    yield 'Gaussian vectors, d=384', top_t(rng.normal(size=(n, 384)).astype(np.float32), t)
    yield '200 clusters, d=384', top_t(clustered_embeddings(n, 384, 200, .9, 0).E, t)
    yield 'positive vectors, d=16', top_t(np.abs(rng.normal(size=(n, 16))).astype(np.float32), t)

def memory(path, k):
    code = f"from scipy.sparse import csr_array, load_npz; from benchlit.facility import greedy_fl; greedy_fl(csr_array(load_npz({str(path)!r})), {k}); print(next(int(l.split()[1])/1024 for l in open('/proc/self/status') if l.startswith('VmHWM')))"
    return float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)

if __name__ == '__main__':
    n, k, t = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (20000, 200, 400)
    print(f"n={n} k={k} t={t}, CPU seconds on one thread; ratio = apricot / benchlit")
    with tempfile.TemporaryDirectory() as d:
        for name, W in worlds(n, t):
            greedy_fl(W[:50][:, :50], 10)                          # load the compiled loops
            ours = min((cpu(lambda: greedy_fl(W, k)) for _ in range(3)), key=lambda r: r[0]); plain, idx = cpu(lambda: numpy_greedy(W, k))
            assert (idx == ours[1].idx).all()
            theirs, compiled, f = apricot(W, k); save_npz(path := Path(d)/'W.npz', W, compressed=False)
            print(f"{name:>24}: benchlit {ours[0]:.3f}  numpy {plain:.3f}  apricot lazy {theirs:.3f} (+ {compiled:.2f} compiling)  ratio {theirs/ours[0]:.1f}"
                  f"  f {ours[1].gains.sum():.2f} / {f:.2f}  peak memory {memory(path, k):.0f} MB")
