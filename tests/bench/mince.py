"""Time MINCE's drift curve against the naive NumPy draw: 7 series, n = 14,042, sizes 500..14,000 by 500, R = 10,000, one thread.

    python tests/bench/mince.py [R]

The naive draw takes a fresh subset with `Generator.choice` at each size and averages its columns; it is timed on 50 replicates and
scaled. Peak memory (Linux) is that of a whole process that does nothing but the curve, imports included."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import subprocess, sys, time
import numpy as np
from benchlit.mince import drift_curve
from benchlit.worlds import correlated_answers

N, SIZES, PROBE = 14_042, np.arange(500, 14_001, 500), 50

def world(kind):
    "Seven models of 65 %, correlation 0.4; graded scores blur them."
    Y = correlated_answers(N, 7, .65, .4, rng=0)
    return Y if kind == 'binary' else .8*Y + .2*np.random.default_rng(1).random(Y.shape)

def cpu(f):
    a = time.process_time(); r = f()
    return time.process_time() - a, r

def naive(Y, R, rng):
    "P95 of the worst drift, drawn and averaged one subset at a time."
    full = Y.mean(1); worst = np.empty((len(SIZES), R))
    for t, k in enumerate(SIZES):
        for r in range(R): worst[t, r] = np.abs(Y[:, rng.choice(N, k, replace=False)].mean(1) - full).max()
    return np.quantile(worst, .95, axis=1)

def memory(kind, sampler, R):
    code = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import mince as b; b.drift_curve(b.world({kind!r}), b.SIZES, R={R}, rng=0, sampler={sampler!r}); print(next(int(l.split()[1])/1024 for l in open('/proc/self/status') if l.startswith('VmHWM')))"
    return float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)

if __name__ == '__main__':
    R = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"7 series, n={N:,}, {len(SIZES)} sizes, R={R:,}: CPU seconds on one thread; ratio = naive / benchlit")
    for kind, samplers in (('binary', ('order', 'patterns')), ('real-valued', ('order',))):
        Y = world(kind); slow = cpu(lambda: naive(Y, PROBE, np.random.default_rng(0)))[0]*R/PROBE
        for s in samplers:
            fast, curve = min((cpu(lambda: drift_curve(Y, SIZES, R=R, rng=0, sampler=s)) for _ in range(2)), key=lambda r: r[0])
            print(f"{kind:>12}, {s:>8}: benchlit {fast:6.2f}  naive {slow:7.1f}  ratio {slow/fast:5.1f}  P95 at 1,500: {curve['p95'][2]:.4f}  peak memory {memory(kind, s, R):.0f} MB")
