"""Time linear herding, and measure its memory: n = 20,000, d = 384, k = 200, one thread, CPU seconds.

    python tests/bench/herding.py [n d k]

Beside it: the same greedy that keeps sums over the kernel's rows in double precision (no kernel matrix), and the plain one that
makes the kernel first. The literal O(n k^2) rule, which sums the kernel over all picks anew, is compared on the first picks."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import resource, subprocess, sys, time
import numpy as np
from benchlit.greedy import first_max
from benchlit.herding import herding

def cpu(f):
    a = time.process_time(); r = f()
    return time.process_time() - a, r

def double(E, k):
    "Sums over the kernel's rows, in double precision."
    E = E.astype(float); a = E @ E.mean(0); c, closed, idx = np.zeros(len(E)), np.zeros(len(E)), []
    for t in range(1, k+1): j = first_max(a - c/t + closed + a.max()); idx.append(j); closed[j] = -np.inf; c += E @ E[j]
    return np.array(idx)

def matrix(E, k):
    "The kernel first, then its rows."
    E = E.astype(float); K = E @ E.T; a = K.mean(0); c, closed, idx = np.zeros(len(E)), np.zeros(len(E)), []
    for t in range(1, k+1): j = first_max(a - c/t + closed + a.max()); idx.append(j); closed[j] = -np.inf; c += K[j]
    return np.array(idx)

def literal(E, k):
    "The rule as it stands: for every candidate the kernel with all picks so far, O(n k^2)."
    E = E.astype(float); a = E @ E.mean(0); closed, idx = np.zeros(len(E)), []
    for t in range(1, k+1): j = first_max(a - (E @ E[idx].T).sum(1)/t + closed + a.max()); idx.append(j); closed[j] = -np.inf
    return np.array(idx)

def memory(n, d, k):
    "Peak memory above the vectors, MB."
    code = f"""
import resource, numpy as np
from benchlit.herding import herding
E = np.random.default_rng(0).normal(size=({n}, {d})).astype(np.float32); peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024
herding(E[:50], 5); base = peak(); herding(E, {k}); print(peak() - base)"""
    return float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)

if __name__ == '__main__':
    n, d, k = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (20000, 384, 200)
    rng = np.random.default_rng(0); G = rng.normal(size=(n, d)).astype(np.float32)
    print(f"n={n} d={d} k={k}, CPU seconds on one thread")
    for name, E in (('Gaussian vectors', G), ('unit vectors', G/np.linalg.norm(G, axis=1, keepdims=True)), ('positive vectors', np.abs(G))):
        ours, s = min((cpu(lambda: herding(E, k)) for _ in range(3)), key=lambda r: r[0]); others = {f.__name__: cpu(lambda: f(E, k)) for f in (double, matrix, literal)}
        for what, (_, idx) in others.items(): assert (idx == s.idx).all(), what
        print(f"{name:>17}: herding {ours:.2f}  " + '  '.join(f"{what} {t:.2f} (ratio {t/ours:.1f})" for what, (t, _) in others.items()) + f"  MMD at k/4, k/2, k: {' '.join(f'{np.sqrt(s.gains[i-1]):.3f}' for i in (k//4, k//2, k))}")
    print(f"peak memory above the vectors: {memory(n, d, k):.0f} MB; Gaussian kernel: {cpu(lambda: herding(G, k, kernel='rbf'))[0]:.1f} s")
