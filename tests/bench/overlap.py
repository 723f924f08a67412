"""Time and weigh `benchmark_overlap` on 30,000 embeddings of 20 unequal benchmarks, one thread.

    python tests/bench/overlap.py [n d N]

The peer computes whole rows of similarities in chunks, in the same precision, without using their symmetry. Memory is the peak above
what is held before the call, in a child process that does nothing else; a sample is compared with the definition."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import re, subprocess, sys, tempfile, time
from pathlib import Path
import numpy as np
from benchlit.overlap import benchmark_overlap, coverage
from benchlit.worlds import clustered_embeddings

def world(n, d, N):
    "Embeddings in single precision; benchmark sizes fall from a third of the items to a handful."
    share = .75**np.arange(N); g = np.repeat(np.arange(N), np.maximum(1, (n*share/share.sum()).astype(int)))
    g = np.r_[g, np.zeros(n - len(g), int)] if len(g) < n else g[:n]
    return clustered_embeddings(n, d, 200, .9, 0).E, np.random.default_rng(0).permutation(g)

def rows(E, g):
    "Coverage by chunks of whole rows."
    order = np.argsort(g, kind='stable'); U = E[order].astype(float); U /= np.linalg.norm(U, axis=1, keepdims=True); first = np.flatnonzero(np.r_[True, np.diff(g[order]) > 0])
    R = np.concatenate([np.maximum.reduceat(U[a:a+256] @ U.T, first, axis=1) for a in range(0, len(U), 256)]); out = np.empty_like(R); out[order] = np.clip(R, 0, 1)
    return out

def weigh(path):
    "In a child: load, measure, print. The kernel's high-water mark belongs to this program alone (ru_maxrss is inherited from the parent)."
    peak = lambda: int(re.search(r'VmHWM:\s+(\d+)', Path('/proc/self/status').read_text())[1])/1024
    E, g = np.load(f'{path}/E.npy'), np.load(f'{path}/g.npy'); benchmark_overlap(E[:100], g[:100]); before = peak()
    benchmark_overlap(E, g); print(f"peak memory above the embeddings {peak() - before:.0f} MB, of the whole process {peak():.0f} MB")

def cpu(f): a = time.process_time(); r = f(); return time.process_time() - a, r

if __name__ == '__main__':
    if sys.argv[1:2] == ['weigh']: weigh(sys.argv[2]); sys.exit()
    n, d, N = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (30000, 384, 20)
    print(f"n={n} d={d} N={N}, CPU seconds on one thread"); E, g = world(n, d, N)
    with tempfile.TemporaryDirectory() as path:
        np.save(f'{path}/E.npy', E); np.save(f'{path}/g.npy', g)
        print(subprocess.run([sys.executable, __file__, 'weigh', path], capture_output=True, text=True, check=True).stdout.strip())
    (t, M), (s, R) = cpu(lambda: benchmark_overlap(E, g)), cpu(lambda: rows(E, g))
    print(f"benchmark_overlap {t:.1f}   whole rows {s:.1f}   ratio {s/t:.1f}")
    A = np.random.default_rng(1).choice(n, 2000, replace=False); e, h = E[A], g[A]; W = np.maximum(e.astype(float) @ e.T, 0)/np.outer(*[np.linalg.norm(e.astype(float), axis=1)]*2)
    sets = [np.flatnonzero(h == b) for b in np.unique(h)]; f = lambda a: W[:, a].max(1).sum()
    want = np.array([[(f(a) + f(b) - f(np.r_[a, b]))/min(f(a), f(b)) for b in sets] for a in sets])
    print(f"largest difference from the definition on 2,000 items: {np.abs(benchmark_overlap(e, h).M - want).max():.0e}; R of whole rows: {np.abs(coverage(E, g) - R).max():.0e}")
