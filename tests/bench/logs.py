"""Time and memory of reading a million samples: 20 models x 50,000 items, made up in the form of lm-evaluation-harness.

    python tests/bench/logs.py [models items]

The logs are written to a temporary folder first (1.2 GB). Reading is measured in a process of its own, from the import of benchlit to
the finished suite: seconds by the clock, seconds of CPU, and the largest memory the process ever had. Targets: 60 s and 2 GB. Below
them: the same lines with nothing but the JSON parser of the standard library, which is the least that any reader must do."""
import json, subprocess, sys, tempfile, time
from pathlib import Path
import numpy as np

READ = '''
import resource, sys, time
a, c = time.perf_counter(), time.process_time()
from benchlit.logs import read_logs
logs = read_logs(sys.argv[1], metric='exact_match')
print(f"{time.perf_counter() - a:.1f} {time.process_time() - c:.1f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024:.0f} {logs.suite.n} {logs.suite.M} {logs.report['samples'].sum()} {logs.suite.Y.mean():.6f}")
'''
PARSE = '''
import json, sys, time
from pathlib import Path
a = time.perf_counter(); n = 0
for f in Path(sys.argv[1]).rglob('samples_*'):
    for line in open(f, 'rb'): n += len(json.loads(line))
print(f"{time.perf_counter() - a:.1f}")
'''

def write(folder, models, items):
    "The logs, every file in an order of its own; the mean score."
    rng = np.random.default_rng(0); words = np.array('the of a train leaves station at noon and travels towards city with speed how many apples does she keep when he gives away half'.split())
    texts = [' '.join(words[rng.integers(0, len(words), rng.integers(30, 90))]) for _ in range(items)]; total = 0
    for m in range(models):
        (at := folder/f'm{m}').mkdir(); y = rng.random(items) < .3 + .02*m; total += y.sum(); date = '2026-11-30T10-00-00.000001'
        (at/f'results_{date}.json').write_text(json.dumps(dict(results={'gen': {}}, model_name=f'org/m{m}', versions={'gen': 1.0}, **{'n-shot': {'gen': 0}})))
        with open(at/f'samples_gen_{date}.jsonl', 'w') as f:
            for i in rng.permutation(items).tolist():
                q, answer = texts[i], f'{i*17 % 1000}'
                f.write(json.dumps(dict(doc_id=i, doc=dict(question=q, answer=answer, level=i % 5), target=answer, arguments=dict(gen_args_0=dict(arg_0=f'Question: {q}\nAnswer:', arg_1=dict(until=['\n'], max_gen_toks=256))),
                    resps=[[q[:80] + f' so {answer}']], filtered_resps=[answer], filter='none', metrics=['exact_match'], doc_hash='0'*64, prompt_hash='0'*64, target_hash='0'*64, exact_match=float(y[i]))) + '\n')
    return total/models/items

def main(models=20, items=50_000):
    with tempfile.TemporaryDirectory() as d:
        mean = write(Path(d), models, items); size = sum(f.stat().st_size for f in Path(d).rglob('*.jsonl'))
        run = lambda code: subprocess.run([sys.executable, '-c', code, d], capture_output=True, text=True, check=True).stdout.split()
        clock, cpu, mb, n, M, samples, got = run(READ)
        assert (int(n), int(M), int(samples)) == (items, models, models*items) and abs(float(got) - mean) < 1e-6
        print(f'{int(samples):,} samples in {models} files, {size/1e9:.2f} GB: {clock} s by the clock ({cpu} s of CPU), {mb} MB at most; parsing alone {run(PARSE)[0]} s')
        print(f'target 60 s: {"met" if float(clock) < 60 else "MISSED"}; target 2 GB: {"met" if float(mb) < 2000 else "MISSED"}')

if __name__ == '__main__': main(*map(int, sys.argv[1:3]))
