"""Time `top_t` against faiss's exact index: n = 20,000, d = 384, t = 400, one thread.

    pip install faiss-cpu
    python tests/bench/similarity.py [n d t]

Memory (Linux) is the peak above inputs and output, in a child process that does nothing else."""
import os
for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'): os.environ[v] = '1'
import subprocess, sys, time
import numpy as np
from benchlit.similarity import top_t
from benchlit.worlds import clustered_embeddings

def cpu(f):
    a = time.process_time(); r = f()
    return time.process_time() - a, r

def status(key): return next(int(line.split()[1])/1024 for line in open('/proc/self/status') if line.startswith(key))

def ours_alone(n, d, t):
    "Peak above what is held before the call and what the call returns, MB (Linux)."
    E = clustered_embeddings(n, d, 200, .9, 0).E; top_t(E[:100], 5)
    open('/proc/self/clear_refs', 'w').write('5'); before = status('VmRSS')      # forget the peak of making the input
    W = top_t(E, t); out = sum(a.nbytes for a in (W.data, W.indices, W.indptr))/2**20
    print(status('VmHWM') - before - out)

if __name__ == '__main__':
    if sys.argv[1:2] == ['memory']: ours_alone(*map(int, sys.argv[2:])); sys.exit()
    n, d, t = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (20000, 384, 400)
    import faiss
    faiss.omp_set_num_threads(1); E = clustered_embeddings(n, d, 200, .9, 0).E
    print(f"n={n} d={d} t={t}, CPU seconds on one thread; ratio = benchlit / faiss")
    def theirs(): index = faiss.IndexFlatIP(d); index.add(E); return index.search(E, t)[1]
    for _ in range(2):
        (a, W), (b, I) = cpu(lambda: top_t(E, t)), cpu(theirs)
        same = np.mean([len(np.intersect1d(W.indices[W.indptr[i]:W.indptr[i+1]], I[i]))/t for i in range(0, n, 50)])
        print(f"benchlit {a:.2f}  faiss IndexFlatIP {b:.2f}  ratio {a/b:.2f}  neighbours in common {same:.4f}")
    groups = np.repeat(np.arange(10), n//10); a, _ = cpu(lambda: top_t(E[:len(groups)], t, groups))
    print(f"in 10 equal blocks: {a:.2f}")
    mem = subprocess.run([sys.executable, __file__, 'memory', str(n), str(d), str(t)], capture_output=True, text=True, check=True).stdout
    print(f"peak memory above inputs and output: {float(mem):.0f} MB")
