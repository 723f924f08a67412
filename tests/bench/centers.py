"""Time farthest-first against the distance-matrix loop: n = 20,000, d = 384, k = 200, one thread, CPU seconds.

    python tests/bench/centers.py [n d k]

The peers make the n x n matrix of cosine distances; the first then takes, for every pick, each item's smallest distance to all picks
so far, the second keeps the smallest distance and looks at one more row. Both find the same items as ours."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import sys, time
import numpy as np
from benchlit.centers import k_center
from benchlit.greedy import first_max
from benchlit.similarity import cosine

def cpu(f):
    a = time.process_time(); r = f()
    return time.process_time() - a, r

def loop(E, k, start):
    D = 1 - cosine(E); idx = [start]
    while len(idx) < k: far = D[:, idx].min(1); far[idx] = -np.inf; idx.append(first_max(1 + far))
    return np.array(idx)

def rows(E, k, start):
    D = 1 - cosine(E); idx, far = [start], D[start].copy()
    while len(idx) < k: far[idx[-1]] = -np.inf; j = first_max(1 + far); idx.append(j); far = np.minimum(far, D[j])
    return np.array(idx)

if __name__ == '__main__':
    n, d, k = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (20000, 384, 200)
    from benchlit.worlds import clustered_embeddings
    print(f"n={n} d={d} k={k}, CPU seconds on one thread")
    for name, E in (('Gaussian vectors', np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)), ('200 clusters', clustered_embeddings(n, d, 200, .9, 0).E)):
        ours, s = min((cpu(lambda: k_center(E, k)) for _ in range(3)), key=lambda r: r[0]); peers = {f.__name__: cpu(lambda: f(E, k, s.idx[0])) for f in (loop, rows)}
        for what, (_, idx) in peers.items(): assert (idx == s.idx).all(), what
        print(f"{name:>17}: k_center {ours:.2f}  " + '  '.join(f"{what} {t:.2f} (ratio {t/ours:.1f})" for what, (t, _) in peers.items()) + f"  radius {s.radius:.4f}")
