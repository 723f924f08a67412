"""Real runs of lm-evaluation-harness and Inspect, offline: their logs come in, a subset goes out, they run exactly it.

The two tools live in an environment of their own, which `make clients` makes (BENCHLIT_CLIENTS names another one). Models are the
tools' own dummies; what they answer does not matter, that every number arrives on its item does."""
import json, os, random, shutil, subprocess, sys, zipfile
from pathlib import Path
import numpy as np, pandas as pd, pytest
from benchlit import cli
from benchlit.core import load_subset, load_suite
from benchlit.logs import read_logs
from conftest import ROOT

CLIENTS = Path(os.environ.get('BENCHLIT_CLIENTS') or ROOT/'.venv-clients').absolute()
pytestmark = pytest.mark.skipif(not all((CLIENTS/'bin'/c).exists() for c in ('lm_eval', 'inspect')), reason=f'lm-evaluation-harness and Inspect are not installed in {CLIENTS.name}: run `make clients` first')

def call(args, cwd, **env):
    "A program of the clients' environment, without a network."
    offline = dict(HF_HUB_OFFLINE='1', HF_DATASETS_OFFLINE='1', TRANSFORMERS_OFFLINE='1', HF_HOME=str(cwd/'hf'), NO_COLOR='1', PYTHONPATH=str(ROOT), PATH=f"{CLIENTS/'bin'}:{os.environ['PATH']}", CUDA_VISIBLE_DEVICES='', http_proxy='http://127.0.0.1:9', https_proxy='http://127.0.0.1:9')
    r = subprocess.run([str(CLIENTS/'bin'/args[0]), *map(str, args[1:])], cwd=cwd, env={**os.environ, **offline, **env}, capture_output=True, text=True, timeout=300)
    return r.returncode, r.stdout, r.stderr

def ok(*a, **b): code, out, err = call(*a, **b); assert code == 0, f'{a[0]}\n{out[-3000:]}\n{err[-6000:]}'; return out

BENCHLIT = ['python', '-c', 'import sys; from benchlit.cli import main; sys.exit(main())']

def benchlit(line, cwd):
    "A command of benchlit in this environment."
    old = os.getcwd(); os.chdir(cwd)
    try: assert cli.main(line.split()) == 0
    finally: os.chdir(old)

# ---- lm-evaluation-harness
TASKS = {
'sums': '''task: toy_sums
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/sums.jsonl}}
output_type: generate_until
test_split: test
doc_to_text: "Q: {{question}}\\nA:"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n"]}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
filter_list:
  - {name: strict-match, filter: [{function: regex, regex_pattern: "([0-9]+)"}, {function: take_first}]}
  - {name: flexible-extract, filter: [{function: regex, regex_pattern: "([0-9a-z]+)"}, {function: take_first}]}
metadata: {version: 1.0}
''', 'colours': '''task: toy_colours
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/colours.jsonl}}
output_type: multiple_choice
test_split: test
num_fewshot: 2
fewshot_split: test
doc_to_text: "Q: {{question}}\\nA:"
doc_to_choice: choices
doc_to_target: gold
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
''', 'toy': '''group: toy
task: [toy_sums, toy_colours]
aggregate_metric_list: [{metric: acc, weight_by_size: true}]
metadata: {version: 1.0}
'''}
LOOP = '''import json, sys
from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager
init = TaskManager.__init__; TaskManager.__init__ = lambda self, *a, **b: init(self, *a, **{**b, 'include_defaults': False})  # it would read the files of its own 14,000 tasks, 5 seconds a run
for args in json.loads(sys.argv[1]): sys.argv = ['lm_eval', *args]; cli_evaluate()
'''

def lm_eval(cwd, *runs):
    "The command line of lm-eval, several times in one process, which saves the seconds of its start."
    common = '--model dummy --tasks toy --include_path tasks --log_samples'.split(); ok(['python', '-c', LOOP, json.dumps([common + r.split() for r in runs])], cwd)

def samples(folder): return {f.name[8:].split('_2')[0]: [json.loads(l) for l in open(f)] for f in sorted(Path(folder).rglob('samples_*'))}

@pytest.fixture(scope='module')
def harness(tmp_path_factory):
    "A folder with logs of three models on two tasks, and the suite made of them."
    d = tmp_path_factory.mktemp('lm_eval'); (d/'tasks').mkdir(); jsonl = lambda name, rows: (d/name).write_text(''.join(json.dumps(r) + '\n' for r in rows))
    jsonl('sums.jsonl', [dict(question=f'What is {i} + {i*7 % 13}?', answer='lol' if i % 3 else str(i + i*7 % 13), level=i % 4) for i in range(40)])  # the dummy always says "lol"
    jsonl('colours.jsonl', [dict(question=f'Which colour has item {i}?', choices=['red', 'green', 'blue'], gold=i % 3) for i in range(30)])
    for name, text in TASKS.items(): (d/'tasks'/f'{name}.yaml').write_text(text.replace('FOLDER', str(d)))
    lm_eval(d, *(f'--seed {s} --output_path logs/{s}' for s in (1, 2, 3)))
    benchlit('import logs --metric acc --metric exact_match --filter flexible-extract --out suite', d)
    return d

def test_lm_eval_logs_become_a_suite(harness):
    suite = load_suite(harness/'suite'); raw = {json.loads(next((harness/'logs'/s).rglob('results_*')).read_text())['model_name']: s for s in '123'}
    assert (suite.n, suite.M) == (70, 3) and suite.benchmarks == ['toy_colours', 'toy_sums'] and suite.capabilities == ['toy', 'toy'] and set(suite.models) == set(raw)
    for model, s in raw.items():
        results = json.loads(next((harness/'logs'/s).rglob('results_*')).read_text())['results']
        for t, key in (('toy_colours', 'acc,none'), ('toy_sums', 'exact_match,flexible-extract')):
            assert suite.pick([t]).scores[model].mean() == pytest.approx(results[t][key], abs=1e-12)       # the tool's own mean
        for t, metric in (('toy_colours', 'acc'), ('toy_sums', 'exact_match')):
            for r in samples(harness/'logs'/s)[t]:
                if r['filter'] != 'strict-match': assert suite.scores.loc[f"{t}/{r['doc_id']}", model] == r[metric] and suite.items.loc[f"{t}/{r['doc_id']}", 'prompt'] == r['doc']['question']
    assert 0 < suite.Y.mean() < 1 and suite.records()[0]['choices'] == ['red', 'green', 'blue']
    report = read_logs(harness/'logs', metric=['acc', 'exact_match'], filter='strict-match').report
    assert report.groupby('task')['unparsed'].unique().map(list).to_dict() == {'toy_colours': [0], 'toy_sums': [40]} and report.groupby('task')['reworded'].min().to_dict() == {'toy_colours': 30, 'toy_sums': 0}

def test_lm_eval_runs_exactly_the_subset(harness):
    d = harness; benchlit('select suite --method facility --encoder hashing --k 17 --out subset.json', d); benchlit('export subset.json --for lm-eval --out samples.json', d)
    ids = json.loads((d/'samples.json').read_text()); assert sorted(ids) == ['toy_colours', 'toy_sums'] and sum(map(len, ids.values())) == 17
    (d/'backwards.json').write_text(json.dumps({t: v[::-1] for t, v in ids.items()}))
    lm_eval(d, '--seed 4 --output_path new --samples samples.json', '--seed 5 --output_path backwards --samples backwards.json')
    for t, rows in samples(d/'new').items(): assert sorted(r['doc_id'] for r in rows) == sorted(ids[t]*(2 if t == 'toy_sums' else 1))
    how = dict(metric=['acc', 'exact_match'], filter='flexible-extract'); new = read_logs(d/'new', **how); frozen = load_subset(d/'subset.json'); full = read_logs(d/'logs', **how)
    assert (frozen.find(new.suite) >= 0).all() and set(new.suite.items.index) == set(frozen.item_ids) and new.content.equals(full.content[new.content.index])
    both = read_logs([d/'logs', d/'new'], **how).suite; assert both.M == 4 and both.scores[new.suite.models[0]].notna().sum() == 17
    said = call([*BENCHLIT, *f'score subset.json new --past suite --against {full.suite.models[0]} --json'.split()], d)                           # metric and filter are those of the import
    doc = json.loads(said[1]); assert said[0] == 0 and [e['items'] for e in doc['estimates']] == [len(ids['toy_colours']), len(ids['toy_sums']), 17, 17], said[2]
    y, past, B = new.suite.scores.iloc[:, 0], full.suite.scores, full.suite.items['benchmark']; mean = lambda s: s.groupby(B).mean().mean()
    assert doc['estimates'][-1]['score'] == pytest.approx(mean(y)) and any('too few to adjust' in n for n in doc['notes'])            # three past models
    assert doc['deltas'][-1]['delta'] == pytest.approx(mean(y) - mean(past.loc[y.index, past.columns[0]]))
    with pytest.raises(ValueError, match='another text here'): frozen.find(read_logs(d/'backwards', **how).suite)                     # lm-eval logs ids that do not ascend wrongly
    with pytest.raises(ValueError, match='different questions under the same id'): read_logs([d/'logs', d/'backwards'], **how)

# ---- Inspect
TOY = '''
import os, random
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice, includes, match
from inspect_ai.solver import generate, multiple_choice

def mock(seed):
    rng = random.Random(seed)
    def answer(input, tools, tool_choice, config):
        out = ModelOutput.from_content('mock', rng.choice(['2', '4', 'ANSWER: A', 'ANSWER: B', 'no idea'])); out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2); return out
    return get_model(f'mockllm/model{seed}', custom_outputs=answer)

def chosen(dataset, task): return dataset
if os.environ.get('FILTER'): from chosen_few import chosen

@task
def sums(seed: int = 0):
    data = [Sample(input=f'What is {i}+{i}?', target=str(2*i), id=f's{i}', metadata=dict(level=i)) for i in range(12)]
    return Task(dataset=chosen(MemoryDataset(data), 'sums'), solver=generate(), scorer=[includes(), match()], epochs=3, model=mock(seed))

@task
def pick(seed: int = 0):
    return Task(dataset=chosen(MemoryDataset([Sample(input=f'Pick one for {i}' + ' again'*400, choices=['a', 'b'], target='AB'[i % 2]) for i in range(15)]), 'pick'), solver=multiple_choice(), scorer=choice(), model=mock(seed))

@task
def odd(seed: int = 0):
    return Task(dataset=chosen(MemoryDataset([Sample(input=f'{i}?', target='2', id=f'x,{i}*') for i in range(6)]), 'odd'), solver=generate(), scorer=includes(), model=mock(seed))
'''
FULL = '''
import json
from inspect_ai import eval
from inspect_ai.log import read_eval_log
out = []
for seed in (1, 2, 3):
    for log in eval(['toy.py@sums', 'toy.py@pick', 'toy.py@odd'], task_args=dict(seed=seed), log_dir=f'logs/{seed}', log_format='json' if seed == 3 else 'eval', display='none'):
        out += [[log.eval.task, log.eval.model, s.name, s.metrics['accuracy'].value] for s in log.results.scores]
print('RESULTS', json.dumps(out))
'''

@pytest.fixture(scope='module')
def inspect(tmp_path_factory):
    "A folder with logs of three models on three tasks, the tool's own means, and the suite made of them."
    d = tmp_path_factory.mktemp('inspect'); (d/'toy.py').write_text(TOY); out = ok(['python', '-c', FULL], d)
    ok([*BENCHLIT, *'import logs --metric includes --metric choice --out suite'.split()], d)
    return d, json.loads(out.split('RESULTS ')[1])

def test_inspect_logs_become_a_suite(inspect):
    d, means = inspect; suite = load_suite(d/'suite'); assert (suite.n, suite.M, suite.benchmarks) == (33, 3, ['odd', 'pick', 'sums']) and {Path(f).suffix for _, _, fs in os.walk(d/'logs') for f in fs} == {'.eval', '.json'}
    seen = 0
    for task, model, scorer, mean in means:
        if scorer != 'match': seen += 1; assert suite.pick([task]).scores[model].mean() == pytest.approx(mean, abs=1e-12)             # epochs reduced by their mean
    assert seen == 9 and set((suite.pick(['sums']).Y*3).round(9).ravel()) <= {0, 1, 2, 3} and len(np.unique(suite.Y)) > 2
    assert suite.items.loc['pick/1', 'prompt'].startswith('Pick one for 0 again') and suite.items.loc['pick/1', 'choices'] == ['a', 'b'] and len(suite.items.loc['pick/1', 'prompt']) > 2000
    code, _, err = call([*BENCHLIT, *'import logs --out other'.split()], d); assert code == 2 and "task 'sums' has 2 metrics, 'includes', 'match'" in err and not (d/'other').exists()

def logged(d, folder):
    "The ids in the logs of a folder, by task, as Inspect reads them."
    code = "import glob, json\nfrom inspect_ai.log import read_eval_log\nprint('IDS', json.dumps({(l := read_eval_log(f)).eval.task: sorted({str(s.id) for s in l.samples or []}) for f in sorted(glob.glob('%s/*'))}))" % folder
    return json.loads(ok(['python', '-c', code], d).split('IDS ')[1])

def test_inspect_runs_exactly_the_subset(inspect):
    d, _ = inspect; benchlit('select suite --benchmark sums --benchmark pick --method random --seed 3 --k 11 --out subset.json', d); benchlit('export subset.json --for inspect --out ids.txt', d)
    want = {t: sorted(i.split('/')[1] for i in r['item_ids']) for t, r in load_subset(d/'subset.json').benchmarks.items()}; assert set(want) == {'sums', 'pick'}
    ok(['inspect', 'eval', 'toy.py@sums', 'toy.py@pick', '-T', 'seed=4', '--sample-id', (d/'ids.txt').read_text().strip(), '--log-dir', 'new', '--display', 'none'], d); assert logged(d, 'new') == want
    ok([*BENCHLIT, *'import new --metric includes --metric choice --out newsuite'.split()], d); frozen, new, full = load_subset(d/'subset.json'), load_suite(d/'newsuite'), load_suite(d/'suite')
    assert (frozen.find(new) >= 0).all() and new.n == 11 and new.models == ['mockllm/model4']
    assert {i: full.items.loc[i, 'prompt'] for i in new.items.index} == new.items['prompt'].to_dict()
    said = call([*BENCHLIT, *'score subset.json new --metric includes --metric choice --json'.split()], d); rows = json.loads(said[1])['estimates']; assert said[0] == 0, said[2]
    assert {r['name']: r['score'] for r in rows if r['level'] == 'benchmark'} == pytest.approx(new.scores.iloc[:, 0].groupby(new.items['benchmark']).mean().to_dict())

def test_inspect_runs_a_filter_where_ids_are_no_words(inspect):
    d, _ = inspect; benchlit('select suite --method random --seed 1 --k 14 --out odd.json', d); want = {t: sorted(i.split('/', 1)[1] for i in r['item_ids']) for t, r in load_subset(d/'odd.json').benchmarks.items()}; assert set(want) == {'odd', 'pick', 'sums'}
    with pytest.raises(AssertionError): benchlit('export odd.json --for inspect --out odd.txt', d)
    assert not (d/'odd.txt').exists(); benchlit('export odd.json --for inspect --out chosen_few.py', d)
    ok(['inspect', 'eval', 'toy.py', '-T', 'seed=5', '--log-dir', 'filtered', '--display', 'none'], d, FILTER='1', PYTHONPATH=f'{d}:{ROOT}'); assert logged(d, 'filtered') == want

def test_an_archive_cannot_escape(inspect, tmp_path):
    d, _ = inspect; (tmp_path/'a'/'b').mkdir(parents=True); evil = shutil.copy(next((d/'logs'/'1').glob('*pick*.eval')), tmp_path/'a'/'b'/'evil.eval')
    with zipfile.ZipFile(evil, 'a', zipfile.ZIP_STORED) as z:
        for name in ('../../escaped.json', '/tmp/escaped.json', 'samples/../../escaped_epoch_1.json'): z.writestr(name, '{}')
    before = sorted(str(p) for p in tmp_path.rglob('*')); code, out, err = call([*BENCHLIT, 'import', str(evil), '--out', 'suite'], tmp_path/'a')
    made = {p.split('/a/', 1)[1].split('/')[0] for p in (str(p) for p in tmp_path.rglob('*')) if p not in before}; assert made <= {'suite'} and not Path('/tmp/escaped.json').exists() and (code == 2 or load_suite(tmp_path/'a'/'suite').n == 15), (made, err)

def test_a_damaged_archive_is_one_line(inspect, tmp_path):
    d, _ = inspect; f = next((d/'logs'/'1').glob('*pick*.eval')); (tmp_path/'cut.eval').write_bytes(f.read_bytes()[:-200]); j = next((d/'logs'/'3').glob('*pick*.json')); (tmp_path/'cut.json').write_text(j.read_text()[:-200])
    for name in ('cut.eval', 'cut.json'):
        code, out, err = call([*BENCHLIT, 'import', name, '--out', 'suite'], tmp_path); last = err.strip().splitlines()[-1]
        assert code == 2 and last.startswith('benchlit: error: ') and name in last and 'Traceback' not in err and not (tmp_path/'suite').exists(), err

def test_a_cancelled_run_is_read_and_said(inspect, tmp_path):
    d, _ = inspect; log = json.loads(next((d/'logs'/'3').glob('*sums*.json')).read_text()); assert log['status'] == 'success'
    log['samples'] = [s for s in log['samples'] if s['id'] not in ('s0', 's1') or s['epoch'] < 3]; log['status'] = 'cancelled'; (tmp_path/'stopped.json').write_text(json.dumps(log))
    code, out, err = call([*BENCHLIT, *'import stopped.json --metric includes --out suite --json'.split()], tmp_path); r, = json.loads(out)['report']; assert code == 0 and (r['status'], r['samples'], r['uneven'], r['epochs']) == ('cancelled', 34, 2, 3)
    assert 'did not finish (cancelled), stopped.json' in err and '2 item(s) of mockllm/model3 have fewer epochs' in err
    code, out, err = call([*BENCHLIT, 'import', str(d/'logs'/'3'), *'--metric includes --metric choice --out whole --json'.split()], tmp_path); assert code == 0 and {(r['status'], r['uneven']) for r in json.loads(out)['report']} == {('', 0)} and 'did not finish' not in err
