"""Speed of the metrics on one thread: errors of 10,000 subsets of 100 of 500 items for 55 models, and ratios against plain loops.

    OMP_NUM_THREADS=1 python tests/bench/metrics.py"""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import time
import numpy as np, scipy.stats
from benchlit import metrics as mt

S, M, n, k = 10_000, 55, 500, 100

def best(f, times=3):
    "CPU seconds of the fastest of a few runs."
    return min((lambda t: (f(), time.process_time() - t)[1])(time.process_time()) for _ in range(times))

def loop(Y, A):
    "One subset at a time, in NumPy."
    true = np.nanmean(Y, 1)
    return np.stack([np.abs(np.nanmean(Y[:, a], 1) - true) for a in A])

def main():
    rng = np.random.default_rng(0); full = (rng.random((M, n)) < .4)*1.; holes = np.where(rng.random((M, n)) < .1, np.nan, full)
    A = mt.random_subsets(n, k, S, 0); groups = np.arange(n) % 6
    print(f'{S:,} subsets x {M} models x k={k} of n={n}, one thread')
    print(f'random_subsets                 {best(lambda: mt.random_subsets(n, k, S, 0)):6.3f} s')
    for name, Y in (('complete', full), ('10 % missing', holes)):
        assert np.allclose(mt.subset_errors(Y, A[:100]), loop(Y, A[:100]))
        t, l = best(lambda: mt.subset_errors(Y, A)), 10*best(lambda: loop(Y, A[:1000]), 1)
        print(f'subset_errors, {name:<14}  {t:6.3f} s   target 0.5 s: {"met" if t < .5 else "MISSED"}   NumPy loop {l:.2f} s, ratio {l/t:.0f}')
    print(f'subset_errors, 6 benchmarks    {best(lambda: mt.subset_errors(full, A, groups)):6.3f} s')
    P = mt.overall(mt.benchmark_scores(full, None, A)); true = full.mean(1)
    for f, g in ((mt.spearman, scipy.stats.spearmanr), (mt.kendall, scipy.stats.kendalltau)):
        t, l = best(lambda: f(P, true)), 50*best(lambda: [g(p, true) for p in P[:200]], 1)
        print(f'{f.__name__:<30} {t:6.3f} s   SciPy, row by row {l:.2f} s, ratio {l/t:.0f}')
    print(f'error_summary                  {best(lambda: mt.error_summary(full, A)):6.3f} s')
    print(f'score_interval (wilson)        {best(lambda: mt.score_interval(full, A)):6.3f} s')

if __name__ == '__main__': main()
