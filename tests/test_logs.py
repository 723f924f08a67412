"Logs under accidents: lines and files in any order, shards, reruns, contradictions, wrong questions, broken files, names that would escape."
import gzip, json, random, sys
from pathlib import Path
import numpy as np, pandas as pd, pytest
from hypothesis import given, settings, strategies as st
from benchlit.cli_logs import report_notes
from benchlit.core import freeze
from benchlit.logs import item_of, read_logs

DATE = '2026-11-30T10-00-00.5'

def sample(i, acc, q=None, filter='none', prompt=None, **more):
    q = q or f'How much is {i}+{i}?'
    return dict(doc_id=i, doc=dict(question=q, level=i % 3, answer=str(2*i)), target=str(2*i), arguments=dict(gen_args_0=dict(arg_0=prompt or f'Q: {q}\nA:', arg_1=dict(until=['\n']))),
                resps=[['x']], filtered_resps=['x'], filter=filter, metrics=['acc'], acc=acc) | more

def run(folder, model, tasks, date=DATE, **info):
    (folder := Path(folder)).mkdir(parents=True, exist_ok=True); files = []
    if model: (folder/f'results_{date}.json').write_text(json.dumps({'results': {t: {} for t in tasks}, 'model_name': model, 'versions': {t: 1.0 for t in tasks}, 'n-shot': {t: 0 for t in tasks}} | info))
    for t, rows in tasks.items():
        files.append(folder/f'samples_{t}_{date}.jsonl'); files[-1].write_text(''.join(json.dumps(r) + '\n' for r in rows))
    return files

@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch): monkeypatch.chdir(tmp_path); return tmp_path

def refused(*said, paths='logs', **how):
    with pytest.raises(ValueError) as e: read_logs(paths, **how)
    for s in said: assert s in str(e.value), (s, str(e.value))

def same(a, b, scores=True):
    pd.testing.assert_frame_equal(a.suite.items, b.suite.items); assert a.content.equals(b.content)
    if scores: pd.testing.assert_frame_equal(a.suite.scores, b.suite.scores)

# ---- order, shards, reruns
@given(st.data())
@settings(max_examples=40)
def test_shuffled_sharded_and_read_twice_is_the_same_suite(tmp_path_factory, data):
    d = tmp_path_factory.mktemp('logs'); rng = random.Random(data.draw(st.integers(0, 10**6))); n, M = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 4))
    Y = {m: [rng.choice([0, 1, .25, None]) for _ in range(n)] for m in range(M)}
    for m in Y: Y[m][0] = 1
    for m, y in Y.items(): run(d/'a'/f'm{m}', f'org/m{m}', dict(t=[sample(i, a) for i, a in enumerate(y)], u=[sample(i, a, f'What is {i}?') for i, a in enumerate(y)]))
    want = read_logs(d/'a'); naive = np.array([[np.nan if a is None else a for a in y] for y in Y.values()])
    np.testing.assert_array_equal(want.suite.pick(['t']).Y, naive); assert want.suite.models == [f'org/m{m}' for m in Y] and (want.report['missing'] == np.tile(np.isnan(naive).sum(1), 2)).all()
    for m, y in Y.items():
        folder = d/'b'/f'x{rng.random()}'
        for f in run(folder, f'org/m{m}', dict(t=[sample(i, a) for i, a in enumerate(y)], u=[sample(i, a, f'What is {i}?') for i, a in enumerate(y)])):
            lines = f.read_text().splitlines(True); lines += rng.sample(lines, rng.randint(0, len(lines))); rng.shuffle(lines); f.unlink()
            for s in range(k := rng.randint(1, 3)):
                if part := lines[s::k]: (gzip.open if s else open)(f.with_name(f.name.replace('.jsonl', f'_shard{s}.jsonl') + '.gz'*bool(s)), 'wt').write(''.join(part))
        if rng.random() < .5: run(d/'b'/f'again{m}', f'org/m{m}', dict(t=[sample(i, a) for i, a in enumerate(y)]), '2026-12-01T10-00-00')
    got = read_logs(d/'b'); same(want, got); assert (got.report['contradicting'] == 0).all()
    assert got.report['duplicates'].sum() + sum(a is not None for y in Y.values() for a in y)*2 + got.report['unscored'].sum() == got.report['samples'].sum()

def test_the_newest_run_counts_and_is_reported():
    run('logs/a', 'm', dict(t=[sample(0, 0), sample(1, 1), sample(2, 0)])); run('logs/b', 'm', dict(t=[sample(0, 1), sample(1, None), sample(2, 0)]), '2026-12-01T00-00-00')
    l = read_logs('logs'); assert l.suite.scores['m'].tolist() == [1, 1, 0]
    assert l.report[['duplicates', 'contradicting', 'unscored']].to_numpy().tolist() == [[2, 1, 0], [0, 0, 1]]
    run('logs/c', 'm', dict(t=[sample(0, 0)]), '2026-12-01T00-00-00'); refused("model 'm' has the scores", "item 0, in 'logs/b/", 'logs/c/')
    assert read_logs({'m': ['logs/a', 'logs/b'], 'm-cold': 'logs/c'}).suite.scores.iloc[0].to_dict() == {'m': 1, 'm-cold': 0}

def test_a_contradiction_in_one_file_is_refused():
    run('logs', 'm', dict(t=[sample(0, 0), sample(0, 1)])); refused("'0', '1'", 'item 0')

def test_a_task_that_a_model_was_not_run_on_is_said():
    run('logs/a', 'a', dict(t=[sample(i, 1) for i in range(3)], u=[sample(i, 1) for i in range(4)], v=[sample(0, 1)])); run('logs/b', 'b', dict(t=[sample(i, 0) for i in range(2)])); l = read_logs('logs')
    gaps = l.report[l.report['file'] == '']; assert gaps[['model', 'task', 'metric', 'samples', 'missing']].to_numpy().tolist() == [['b', 'u', 'acc', 0, 4], ['b', 'v', 'acc', 0, 1]] and l.report['samples'].sum() == 10
    assert (l.report.drop_duplicates(['task', 'model']).groupby('model')['missing'].sum() == l.suite.scores.isna().sum()).all()
    assert report_notes(l.report) == ['t: b lacks 1 item(s)', "b was not run on task(s) 'u', 'v'"]
    assert report_notes(read_logs('logs/a').report) == []

def test_notes_say_which_run_won_and_what_could_not_be_read():
    run('logs/a', 'm', dict(t=[sample(i, 0, filtered_resps=['[invalid]' if i < 2 else 'x']) for i in range(10)])); run('logs/b', 'm', dict(t=[sample(0, 1)]), '2026-12-01T00-00-00'); a, b, c = report_notes(read_logs('logs').report)
    assert a.startswith("m: 2 runs of 't' read as one") and b.startswith('t: 1 item(s) of m have another score in an older run: the newest run counts') and 'logs/b/samples_t_2026-12-01' in b and 'logs/a' not in b and c.startswith('t: 2 of 11 answers of m could not be read')
    run('few', 'm', dict(t=[sample(i, 0, filtered_resps=['[invalid]' if i < 1 else 'x']) for i in range(10)])); assert report_notes(read_logs('few').report) == []

# ---- the same question?
def test_other_questions_are_never_merged():
    run('logs/a', 'a', dict(t=[sample(i, 1) for i in range(4)])); run('logs/b', 'b', dict(t=[sample(i, 0, q='Another?' if i == 2 else None) for i in range(4)]))
    refused("task 't'", "1 item(s): '2'", "'a' against 'b'"); refused('different questions', differ='docs')
    l = read_logs('logs', differ='drop'); assert list(l.suite.items.index) == ['t/0', 't/1', 't/3'] and (l.report['left_out'] == 1).all() and (l.report['missing'] == 0).all()
    run('logs/c', 'a', dict(t=[sample(3, 1, q='Yet another?')]), '2026-12-02T00-00-00'); refused("'2', '3'"); Path('logs/b').rename('b')
    refused("within 'a'", paths='logs')

def test_other_prompts_of_the_same_questions():
    ask = lambda tail, **info: [run('logs/a', 'a', dict(t=[sample(i, 1) for i in range(3)]), **info), run('logs/b', 'b', dict(t=[sample(i, 0, prompt=f'{i}{tail}') for i in range(3)]), **info)]
    ask(' please'); refused("3 item(s)", "'a' against 'b'", "differ='docs'"); assert read_logs('logs', differ='docs').report['reworded'].tolist() == [3, 3]
    refused('nothing is left', differ='drop'); run('logs/b', 'b', dict(t=[sample(i, 0, prompt=f'{i}') for i in range(3)]), chat_template_sha='abc')
    assert read_logs('logs').report['reworded'].tolist() == [3, 3]                                   # another chat template: another prompt is expected
    ask(' shots', **{'n-shot': dict(t=5)}); assert read_logs('logs').suite.n == 3                    # examples are drawn anew
    run('logs/b', 'b', dict(t=[sample(i, 0, prompt=f'{i}') for i in range(3)]), **{'n-shot': dict(t=3)}); refused('numbers of examples in the prompt are mixed', '5', '3')
    Path(f'logs/a/results_{DATE}.json').unlink(); Path(f'logs/b/results_{DATE}.json').unlink(); refused('in different prompts')
    assert read_logs('logs', differ='docs').suite.models == ['a', 'b']                               # folders name the models then

def test_versions_are_not_mixed():
    run('logs/a', 'a', dict(t=[sample(0, 1)])); run('logs/b', 'b', dict(t=[sample(0, 1)]), versions=dict(t='1')); assert read_logs('logs').suite.M == 2
    run('logs/b', 'b', dict(t=[sample(0, 1)]), versions=dict(t=2)); refused("task 't': versions are mixed", 'logs/a/', 'logs/b/')

def test_a_model_that_shares_nothing():
    run('logs/a', 'a', dict(t=[sample(0, 1)])); run('logs/b', 'b', dict(t=[sample(0, 1)])); run('logs/c', 'c', dict(t=[sample(1, 1)])); refused("model(s) 'c' share no item", "'t/1'")
    assert read_logs('logs/c').suite.M == 1

def test_fields_that_change_from_run_to_run():
    for m, c in (('a', ['x', 'y']), ('b', ['y', 'x'])): run(f'logs/{m}', m, dict(t=[sample(0, 1) | dict(doc=dict(question='Which?', choices=c))]))
    refused('different questions'); l = read_logs('logs', ignore=['choices']); assert l.suite.records()[0] == dict(item_id='t/0', benchmark='t', capability='t', source_id='0', prompt='Which?')

def test_a_subset_run_has_the_ids_and_texts_of_the_full_run():
    run('logs/a', 'a', dict(t=[sample(i, 1) for i in range(20)], u=[sample(i, 1, f'{i}?', extra=1) for i in range(3)])); run('new', 'n', dict(t=[sample(i, 0) for i in (11, 3)]))
    full, part = read_logs('logs').suite, read_logs('new').suite; manifest = freeze(np.arange(5), full, method='m').manifest
    assert list(part.items.index) == ['t/3', 't/11'] and all(manifest['t'][i] == d for i, d in freeze(np.arange(1), part, method='m').manifest['t'].items())

# ---- metrics and filters
def test_metric_and_filter_must_be_said():
    rows = [sample(i, 1, filter=f, metrics=['acc', 'acc_norm'], acc_norm=.5) for f in ('strict', 'loose') for i in range(2)]; run('logs/a', 'a', dict(t=rows, u=[sample(0, 1)]))
    refused("task 't' has 2 filters, 'loose', 'strict'"); refused("task 't' has 2 metrics, 'acc', 'acc_norm'", filter='strict'); refused("no metric 'f1'", filter='strict', metric='f1')
    refused("task 'u' has no metric 'acc_norm'; it has 'acc'", filter='strict', metric='acc_norm'); refused("no filter 'x'", filter='x', metric='acc')
    l = read_logs('logs', filter='strict', metric=['acc_norm', 'acc']); assert l.suite.scores['a'].tolist() == [.5, .5, 1] and l.report['metric'].tolist() == ['acc_norm', 'acc'] and l.report['samples'].tolist() == [2, 1]
    assert read_logs('logs', filter='loose', metric={'t': 'acc_norm'}).suite.scores['a'].tolist() == [.5, .5, 1]
    run('logs/b', 'b', dict(t=[sample(i, 1) for i in range(2)])); refused('logs/b/', "filter 'strict'", filter='strict', metric='acc')

def test_values_of_all_kinds():
    run('logs', 'a', dict(t=[sample(0, True), sample(1, .3), sample(2, float('nan')), sample(3, None)], v=[sample(0, [1, 2], metrics=['acc', 'n'], n=3.5)]))
    refused("task 'v'", 'no number per sample, but [1, 2]', metric='acc'); refused("metric 'n' of task 'v' is no share of 1: model 'a' has 3.5 on item 0", metric={'v': 'n'})
    l = read_logs('logs', bounded=False, metric={'v': 'n'}); np.testing.assert_array_equal(l.suite.Y[0], [1, .3, np.nan, np.nan, 3.5]); assert l.report['unscored'].tolist() == [2, 0]
    run('x', 'a', dict(t=[sample(0, 'good')])); refused("'acc'", paths='x'); run('y', 'a', dict(t=[sample(0, float('inf'))])); refused('has inf', paths='y'); refused('finite', paths='y', bounded=False)

def test_old_logs():
    "Lists of arguments, no names of metrics, no filter, no results file."
    (d := Path('old/pythia')).mkdir(parents=True); rows = [dict(doc_id=i, doc=dict(query=f'{i}?'), target=0, arguments=[[f'{i}?', ' a'], [f'{i}?', ' b']], resps=[[[-1.5, False]]], filtered_resps=[[-1.5, False]], acc=1.) for i in range(3)]
    (d/'samples_arc.json').write_text(json.dumps(rows, indent=2)); l = read_logs('old'); (d/'samples_arc.json').unlink(); (d/'samples_arc.jsonl').write_text('\n'.join(map(json.dumps, rows))); same(l, read_logs('old')); assert l.suite.models == ['pythia'] and l.suite.benchmarks == ['arc'] and l.report['metric'].tolist() == ['acc']

def test_groups_become_capabilities():
    groups = dict(all=['mmlu', 'gsm'], mmlu=['mmlu_law', 'mmlu_art'], gsm=[]); tasks = dict(mmlu_law=[sample(0, 1)], mmlu_art=[sample(0, 1)], gsm=[sample(0, 1)], own=[sample(0, 1)])
    run('logs/a', 'a', tasks, group_subtasks=groups); run('logs/b', 'b', tasks); l = read_logs('logs')
    assert dict(zip(l.suite.benchmarks, l.suite.capabilities)) == dict(mmlu_law='mmlu', mmlu_art='mmlu', gsm='all', own='own')
    run('d/a', 'a', dict(gsm=[sample(0, 1)]), group_subtasks=dict(a_big=['gsm', 'own', 'other'], maths=['gsm', 'own'])); run('d/b', 'b', dict(gsm=[sample(0, 1)]), group_subtasks=dict(a_big=['gsm', 'own', 'other']))
    assert read_logs('d').suite.capabilities == ['maths'] and read_logs('d/b').suite.capabilities == ['a_big']   # the closest
    run('c', 'a', tasks, group_subtasks=dict(x=['y'], y=['x', 'gsm'])); assert read_logs('c').suite.n == 4               # a circle of groups

def test_unparsed_is_counted_and_its_score_kept():
    run('logs', 'a', dict(t=[sample(0, 0, filtered_resps=['[invalid]']), sample(1, 1)])); l = read_logs('logs'); assert l.report['unparsed'].tolist() == [1] and l.suite.scores['a'].tolist() == [0, 1]

def test_items_hold_only_what_json_can():
    run('logs', 'a', dict(t=[sample(0, 1) | dict(doc=dict(question='?', a=float('nan'), b=float('inf'), c=[float('nan')], item_id='x', capability=3, café='ü', s='\ud800'))])); r = read_logs('logs').suite.records()[0]
    assert r['a'] is None and r['b'] == 'inf' and r['c'] == [None] and r['doc_item_id'] == 'x' and r['doc_capability'] == 3 and r['café'] == 'ü' and r['item_id'] == 't/0'
    assert item_of('text') == {'prompt': 'text'} and item_of({'a': 1}) == {'prompt': None, 'a': 1} and item_of(dict(text='  ', body='x')) == {'prompt': 'x', 'text': '  '}

def test_shards_by_any_name_and_results_one_folder_up():
    f, = run('logs/m', 'org/m', dict(t=[sample(i, i % 2) for i in range(6)])); want = read_logs('logs'); lines = f.read_text().splitlines(True); f.unlink()
    for s, name in enumerate(('.part0', '-1', '.shard_02')): f.with_name(f.name + name).write_text(''.join(lines[2*s:2*s + 2]))
    same(want, read_logs('logs'))
    for s, g in enumerate(sorted(f.parent.glob('samples*'))): (d := f.parent/f'worker{s}').mkdir(); g.rename(d/f.name)
    same(want, read_logs('logs'))

def test_results_of_another_form():
    for odd in (3, [], 'x', {'t': {}}, None):
        run('logs', 'm', dict(t=[sample(0, 1)]), versions=odd, group_subtasks=odd, **{'n-shot': odd}); assert read_logs('logs').suite.models == ['m']

# ---- bad files
def put(name, text, mode='w'): (p := Path('logs')/name).parent.mkdir(parents=True, exist_ok=True); p.write_bytes(text) if isinstance(text, bytes) else p.write_text(text)
GOOD = json.dumps(sample(0, 1)) + '\n'

@pytest.mark.parametrize('text, said', [(GOOD + GOOD[:-40], 'line 2: not valid JSON'), (GOOD + GOOD[:-40], 'cut off'), ('', 'is empty'), ('\n \n', 'is empty'), (GOOD + '[1]\n', 'line 2: expected one JSON object'), ('['*100_000, 'not valid JSON'), ('{"a":'*100_000, 'line 1: not valid JSON'), ('[]', 'is empty'), ('[1]', 'expected one JSON object'), ('[{"doc_id": 1}', 'not valid JSON'),
    (b'\xff\xfe\n', 'line 1: not valid JSON'), ('{"doc": {}}\n', 'line 1: doc_id must be an integer, got None'), ('{"doc_id": "7", "doc": {}}\n', "got '7'"), ('{"doc_id": true, "doc": {}}\n', 'got True'), ('{"doc_id": 7}\n', 'line 1: no doc'), ('{"doc_id": 7, "doc": {}, "metrics": 3}\n', 'line 1: not a sample'), ('{"doc_id": 7, "doc": {}, "acc": 1' + '0'*400 + '}\n', 'line 1: not a sample')])
def test_bad_lines(text, said): put('samples_t.jsonl', text); refused('logs/samples_t.jsonl', said)

def test_bad_files():
    refused_ = lambda name, *said, **how: refused(*said, paths=f'logs/{name}', **how)
    put('samples_t.jsonl.gz', gzip.compress(GOOD.encode())[:-9]); refused_('samples_t.jsonl.gz', 'cannot be read'); put('notes.txt', 'x'); refused_('notes.txt', 'unknown format'); put('a.json', '{}'); refused_('a.json', 'unknown format')
    with pytest.raises(FileNotFoundError, match='no file or folder nowhere'): read_logs('nowhere')
    with pytest.raises(FileNotFoundError, match='no file matches'): read_logs('logs/*.eval')
    refused('no log', paths='logs/*.txt'); refused("unknown format 'x'", format='x'); refused("differ must be", differ='x'); Path('empty').mkdir(); refused('no log', paths='empty')

def test_results_that_do_not_say_which_model():
    run('logs', 'a', dict(t=[sample(0, 1)])); (Path('logs')/'results_2026-12-01T00-00-00.json').write_text(json.dumps(dict(results=dict(t={}), model_name='b')))
    assert read_logs('logs').suite.models == ['a']                                                   # the date decides
    next(Path('logs').glob('samples*')).rename('logs/samples_t.jsonl'); refused('cannot tell which model', "'a', 'b'")
    put(f'results_{DATE}.json', '{"results": '); refused(f'results_{DATE}.json', 'not valid JSON')

def test_one_name_for_several_models_is_refused():
    put('w.csv', 'item_id,a,b\n1,1,0\n'); refused("'x'", "'a', 'b'", paths={'x': 'logs/w.csv'}); refused("given to two models", paths={'x': 'logs/w.csv', 'y': 'logs'})

# ---- tables
def test_tables_long_and_wide_are_the_same():
    rng = np.random.default_rng(0); Y = pd.DataFrame(rng.integers(0, 2, (12, 3)).astype(float), [f'{i:03}' for i in range(12)], list('abc')); Y.iloc[3, 1] = np.nan
    meta = pd.DataFrame(dict(item_id=Y.index, benchmark=['p']*6 + ['q']*6, capability='c', prompt=[f'{i}?' for i in range(12)]), Y.index); wide = meta.join(Y)
    long = wide.melt(['item_id', 'benchmark', 'capability', 'prompt'], var_name='model', value_name='score').sample(frac=1, random_state=1)
    wide.to_csv('w.csv', index=False); wide.to_parquet('w.parquet'); wide.set_index('item_id').to_parquet('i.parquet'); long.to_csv('l.csv.gz', index=False); long.to_parquet('l.parquet')
    for name, df in (('w.jsonl', wide), ('l.jsonl', long)): Path(name).write_text('\n'.join(json.dumps({k: v for k, v in r.items() if v == v}) for r in df.to_dict('records')))
    want = read_logs('w.csv'); np.testing.assert_array_equal(want.suite.Y, Y.to_numpy().T); assert list(want.suite.items.index[:2]) == ['p/000', 'p/001'] and want.suite.capabilities == ['c', 'c']
    for f in ('w.parquet', 'i.parquet', 'l.csv.gz', 'l.parquet', 'w.jsonl', 'l.jsonl'): same(want, read_logs(f))
    same(want, read_logs(['w.csv', 'l.csv.gz'])); long.drop(columns=['benchmark', 'prompt']).to_csv('bare.csv', index=False); assert read_logs('bare.csv').suite.benchmarks == ['all']

@pytest.mark.parametrize('text, said', [('a,b\n1,2\n', "no column 'item_id'"), ('item_id,a\n', 'is empty'), ('item_id\n1\n', 'no scores'), ('item_id,a,a\n1,1,1\n', "duplicated: 'a'"), ('item_id,a\n1,x\n', "'x' in column 'a', row 1"), ('item_id,a\n,1\n', 'row 1 has no item_id'),
    ('item_id,model,score\n1,m,x\n', "'x' in column 'score'"), ('item_id,model,score\n1,,1\n', 'row 1 has no model'), ('item_id,model,score\n1,m,1\n1,m,0\n', "'0', '1'"), ('item_id,a\n1,7\n', "no share of 1: model 'a' has 7 on item '1'"), ('item_id,a\n1,1\n' + '"x\n', 'x.csv'), ('', 'x.csv'), ('item_id,capability,benchmark,a\n1,c,t,1\n2,d,t,1\n', '2 capabilities')])
def test_bad_tables(text, said): put('x.csv', text); refused(said)

def test_the_scores_of_a_table_are_what_they_are_named():
    "A table does not say its metric: it can be read beside logs that do."
    put('l.csv', 'item_id,benchmark,model,score\n1,t,m,1\n2,t,m,0\n1,u,m,1\n'); put('w.csv', 'item_id,benchmark,m\n1,t,1\n2,t,0\n1,u,1\n')
    for f in ('l.csv', 'w.csv'):
        for how, want in ((dict(), [('score', 'none')]*2), (dict(metric='acc', filter='strict'), [('acc', 'strict')]*2), (dict(metric={'t': ['acc_norm', 'acc']}, filter={'u': 'loose'}), [('acc_norm', 'none'), ('score', 'loose')])):
            l = read_logs(f'logs/{f}', **how); assert list(zip(l.report['metric'], l.report['filter'])) == want and l.suite.scores['m'].tolist() == [1, 0, 1]
    refused("no metric 'id'", paths='logs/l.csv', metric='id'); assert l.report['textless'].tolist() == [2, 1] and [n.split(' and are')[0] for n in report_notes(l.report)] == ['t: 2 item(s) have no text', 'u: 1 item(s) have no text']
    put('p.csv', 'item_id,benchmark,prompt,model,score\n1,t,Why?,m,1\n2,t,,m,0\n'); assert read_logs('logs/p.csv').report['textless'].tolist() == [1]

def test_ids_of_tables_are_text_or_integers():
    pd.DataFrame(dict(item_id=[7, 8], a=[1., 0.])).to_parquet('i.parquet'); assert list(read_logs('i.parquet').suite.items.index) == ['7', '8']
    pd.DataFrame(dict(item_id=[7., 8.], a=[1., 0.])).to_parquet('f.parquet'); refused('text or an integer', '7.0', paths='f.parquet'); put('x.csv', 'item_id,a\n1,1\n"",1\n'); refused('row 2 has no item_id')

def test_no_pickle_is_read(monkeypatch):
    import pickle; put('x.pkl', pickle.dumps({'a': 1})); refused('no log'); refused('unknown format', paths='logs/x.pkl')
    df = pd.DataFrame(dict(item_id=['1'], a=[1.])); df.to_parquet('logs/x.parquet'); monkeypatch.setattr(pickle, 'loads', None); monkeypatch.setattr(pickle, 'Unpickler', None); assert read_logs('logs').suite.n == 1

# ---- HELM
def helm(folder, model, scores, texts=None, name=None, trials=1, **more):
    (d := Path(folder)).mkdir(parents=True); texts = texts or {i: f'Q{i}' for i in scores}
    inst = lambda i: dict(id=i, input=dict(text=texts[i]), references=[dict(output=dict(text='yes'), tags=['correct']), dict(output=dict(text='no'), tags=[])], split='test')
    (d/'scenario_state.json').write_text(json.dumps(dict(adapter_spec=dict(model=model, max_train_instances=5), request_states=[dict(instance=inst(i), train_trial_index=t, request=dict(prompt=texts[i])) for i in scores for t in range(trials)])))
    (d/'per_instance_stats.json').write_text(json.dumps([dict(instance_id=i, train_trial_index=t, stats=[dict(name=dict(name='exact_match', split='test'), count=1, sum=v, mean=v), dict(name=dict(name='num_prompt_tokens'), count=1, sum=9, mean=9)])
        for i, vs in scores.items() for t, v in enumerate(vs if isinstance(vs, list) else [vs])]))
    if name: (d/'run_spec.json').write_text(json.dumps(dict(name=name, groups=['mmlu'])))

def test_helm():
    helm('runs/a', 'org/a', {'id3': 1., 'id20': 0.}, name='mmlu:subject=law,model=org_a'); helm('runs/b', 'org/b', {'id20': [1., 0.], 'id3': [0., 0.]}, name='mmlu:subject=law,model=org_b,model_deployment=x', trials=2)
    refused("2 metrics, 'exact_match', 'num_prompt_tokens'", paths='runs'); l = read_logs('runs', metric='exact_match'); s = l.suite
    assert s.benchmarks == ['mmlu:subject=law'] and s.capabilities == ['mmlu'] and s.scores.to_dict('list') == {'org/a': [1, 0], 'org/b': [0, .5]} and l.report['epochs'].tolist() == [1, 2]
    assert s.records()[0] == dict(item_id='mmlu:subject=law/id3', benchmark='mmlu:subject=law', capability='mmlu', source_id='id3', prompt='Qid3', references=['yes', 'no'], correct=['yes'])
    helm('runs/c', 'org/c', {'id3': 1.}, {'id3': 'Other'}, name='mmlu:subject=law,model=org_c'); refused("'id3'", "'org/a', 'org/b' against 'org/c'", paths='runs', metric='exact_match')

def test_uneven_epochs_are_counted():
    helm('runs/a', 'a', {'id1': [1., 0.], 'id2': [1.], 'id3': [0., 1.]}, name='t:model=a', trials=2); helm('runs/b', 'b', {'id1': 0., 'id2': 1., 'id3': 1.}, name='t:model=b'); l = read_logs('runs', metric='exact_match')
    assert l.report[['model', 'epochs', 'uneven']].to_numpy().tolist() == [['a', 2, 1], ['b', 1, 0]] and l.suite.scores['a'].tolist() == [.5, 1, .5]
    assert report_notes(l.report) == ['t: 1 item(s) of a have fewer epochs than its others; the score of an item is the mean of what there is', 't: b was run for 1 epoch(s) and a for 2; fewer epochs make noisier scores']

def test_strengths_of_one_perturbation_are_different_items():
    "As HELM's data augmenter writes them: every version has the id of the original; (id, perturbation, trial) is the key."
    kinds = [None, dict(name='lowercase', robustness=True, fairness=False), *(dict(name='misspellings', robustness=True, fairness=False, prob=p) for p in (.1, .5))]; more = lambda p: {} if p is None else dict(perturbation=p)
    (d := Path('runs/t:model=m')).mkdir(parents=True); inst = lambda j, p: dict(id='id7', input=dict(text=f'text {j}'), references=[dict(output=dict(text='yes'), tags=['correct'])], split='test', **more(p))
    (d/'scenario_state.json').write_text(json.dumps(dict(adapter_spec=dict(method='generation', model='m', max_train_instances=0), request_states=[dict(instance=inst(j, p), train_trial_index=0, request=dict(prompt='x'), num_train_instances=0) for j, p in enumerate(kinds)])))
    stat = lambda name, v, p: dict(name=dict(name=name, split='test', **more(p)), count=1, sum=v, sum_squared=v*v, min=v, max=v, mean=v, variance=0.0, stddev=0.0)
    (d/'per_instance_stats.json').write_text(json.dumps([dict(instance_id='id7', train_trial_index=0, stats=[stat(n, v, p)], **more(p)) for n in ('exact_match', 'num_bytes') for v, p in zip((1., 0., 1., .5), kinds)]))
    s = read_logs('runs', metric='exact_match').suite; assert dict(zip(s.items['prompt'], s.scores['m'])) == {'text 0': 1, 'text 1': 0, 'text 2': 1, 'text 3': .5}
    assert set(s.items.index) == {'t/id7', 't/id7+lowercase', 't/id7+misspellings(prob=0.1)', 't/id7+misspellings(prob=0.5)'}

def test_bad_helm():
    helm('runs/t:model=m', 'm', {'id3': 1.}); assert read_logs('runs', metric='exact_match').suite.benchmarks == ['t']; d = Path('runs/t:model=m'); keep = (d/'scenario_state.json').read_text()
    for text, said in (('{"adapter_spec": {}}', 'not as HELM writes them'), ('[', 'not valid JSON'), (keep.replace('id3', 'id4'), "'id3' is not in scenario_state.json")): (d/'scenario_state.json').write_text(text); refused(said, paths='runs', metric='exact_match')
    (d/'scenario_state.json').unlink(); refused('needs a file scenario_state.json', paths='runs'); (d/'scenario_state.json').write_text(keep); (d/'per_instance_stats.json').write_text('[]'); refused('is empty', paths='runs')

# ---- Inspect
def test_inspect_logs_need_inspect(monkeypatch):
    put('x.eval', b'PK'); monkeypatch.setitem(sys.modules, 'inspect_ai', None); monkeypatch.setitem(sys.modules, 'inspect_ai.log', None); refused('logs/x.eval', 'pip install inspect_ai')

# ---- damage of any kind
JUNK = (None, True, 0, -1, 3.5, float('nan'), float('inf'), '', 'x', '\ud800', [], [1], ['a', ['b']], {}, {'a': 1}, {'': None}, 10**30)

def damaged(o, rng):
    "Data with one value replaced or gone."
    places = []
    def walk(x, p):
        places.append(p)
        for k, v in x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else (): walk(v, (*p, k))
    walk(o, ()); *p, last = rng.choice(places[1:]); t = o
    for k in p: t = t[k]
    if rng.random() < .3: del t[last]
    else: t[last] = json.loads(json.dumps(rng.choice(JUNK)))
    return o

@pytest.mark.parametrize('kind', ['samples_t_*', 'results_*', 'per_instance*', 'scenario*', 'run_spec*', 't.jsonl'])
def test_whatever_is_damaged_is_read_or_refused(kind):
    "Never another error than a clear one."
    outcomes = set()
    for seed in range(30):
        rng = random.Random(seed); d = Path(f'x{seed}')
        if '_*' in kind:
            for m in 'ab': run(d/m, m, dict(t=[sample(i, i % 2) for i in range(3)], u=[sample(0, 1)]), group_subtasks=dict(g=['t', 'u']))
        elif '*' in kind:
            for m in 'ab': helm(d/m, m, {'id3': [1., 1.], 'id4': [0., 1.]}, name=f't:model={m}', trials=2)
        else: d.mkdir(); (d/kind).write_text('\n'.join(json.dumps(dict(item_id=f'q{i}', benchmark='t', capability='c', prompt='p', model=m, score=1)) for i in range(2) for m in 'ab'))
        f = sorted(d.rglob(kind))[0]; lines = 'jsonl' in f.name; text = f.read_text(); data = [json.loads(l) for l in text.splitlines()] if lines else json.loads(text)
        data = damaged(data, rng); f.write_text('\n'.join(map(json.dumps, data)) if lines else json.dumps(data))
        try: read_logs(d, metric=['acc', 'exact_match', 'score'], differ=rng.choice(['refuse', 'drop', 'docs'])); outcomes.add('read')
        except ValueError as e: assert str(e); outcomes.add('refused')
    assert outcomes == {'read', 'refused'}
