"The frozen-subset file under accidents: any edit is named, a killed writer leaves the old file, a folder of data is read by id."
import json, signal, subprocess, sys
import numpy as np, pandas as pd, pytest
from hypothesis import given, settings, strategies as st
from benchlit.core import Subset, Suite, freeze, load_subset, load_suite, read_items, read_scores, write_atomic
from benchlit.worlds import toy_suite

SUITE = toy_suite(0)

@given(st.data(), st.sampled_from(['edit', 'drop', 'add', 'swap', 'metadata']))
@settings(max_examples=60, deadline=None)
def test_every_accident_is_named(data, accident):
    i = data.draw(st.integers(0, SUITE.n - 1)); items = SUITE.items.reset_index(); who = items['item_id'][i]
    frozen = freeze(np.arange(0, SUITE.n, 7), SUITE, method='every 7th', params={}, seed=None)
    assert frozen.check(SUITE).idx.tolist() == list(range(0, SUITE.n, 7))
    if accident == 'edit': items.loc[i, 'prompt'] += ' '
    if accident == 'metadata': items['hint'] = pd.Series([None]*i + ['psst'] + [None]*(SUITE.n - i - 1), dtype=object)
    if accident == 'drop': items = items.drop(i)
    if accident == 'add': who = 'newcomer'; items = pd.concat([items, items.iloc[[i]].assign(item_id=who)])
    if accident == 'swap':
        j = data.draw(st.sampled_from([j for j in range(SUITE.n) if j != i and SUITE.groups[j] == SUITE.groups[i]])); i, j = sorted((i, j))
        order = np.arange(SUITE.n); order[[i, j]] = order[[j, i]]; items = items.iloc[order]; who = SUITE.items.index[i]
    with pytest.raises(ValueError, match='cut from another suite') as e: frozen.check(Suite(items))
    assert repr(str(who)) in str(e.value)

@given(st.integers(1, 200), st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=30, deadline=None)
def test_round_trip(tmp_path_factory, k, seed, gains, weights):
    rng = np.random.default_rng(seed); path = tmp_path_factory.mktemp('subset')/'deep'/'subset.json'
    s = Subset(rng.permutation(SUITE.n)[:k], rng.random(k) if gains else None, rng.random(k) + .1 if weights else None)
    frozen = freeze(s, SUITE, method='any', params=dict(alpha=np.float64(4), by=np.array([1, 2])), seed=np.int64(seed))
    back = load_subset(frozen.save(path)); got = back.check(SUITE)
    assert back == frozen and frozen.item_ids == SUITE.items.index[s.idx].tolist()
    for a, b in zip(s, got): assert (a is None and b is None) or (np.asarray(a) == b).all()
    first = path.read_bytes(); freeze(s, SUITE, method='any', params=dict(alpha=4., by=[1, 2]), seed=seed).save(path)
    assert path.read_bytes() == first

def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path/'subset.json'; write_atomic(path, 'old')
    code = f"from benchlit.core import atomic_path\nwith atomic_path({str(path)!r}) as tmp:\n  f = open(tmp, 'w'); f.write('half'); f.flush(); print('writing', flush=True); import time; time.sleep(60)"
    child = subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == 'writing\n'
    child.send_signal(signal.SIGKILL); child.wait()
    assert path.read_text() == 'old'

@pytest.mark.parametrize('text, message', [
    ('', 'is empty'), ('{"item_id": "a", "prompt": "x"}\n{"item_id": ', 'line 2: not valid JSON'), ('[1]\n', 'line 1: expected one JSON object'),
    ('['*100_000, 'line 1: not valid JSON'), ('{"prompt": "x"}\n', 'line 1: no item_id'), ('{"item_id": "a", "prompt": NaN}\n', 'line 1: not valid JSON'),
    ('{"item_id": "a", "prompt": "x"}\n\n{"item_id": "a", "prompt": "y"}\n', "duplicated: 'a'"), ('{"item_id": 1.5, "prompt": "x"}\n', '1.5'),
    ('{"item_id": "a", "prompt": 3}\n', "prompt must be a string or null; it is not for item\\(s\\) 'a'")])
def test_bad_items(tmp_path, text, message):
    (f := tmp_path/'items.jsonl').write_text(text)
    with pytest.raises(ValueError, match=message): load_suite(f)

def test_values_keep_their_type(tmp_path):
    "Metadata that only some items have must not turn integers into floats: it would change their text."
    (f := tmp_path/'items.jsonl').write_text('{"item_id": 7, "prompt": "x", "level": 3}\n{"item_id": "8", "prompt": "y", "flag": true}\n')
    suite = load_suite(f); r = suite.records()[0]
    assert r['item_id'] == '7' and r['level'] == 3 and type(r['level']) is int and suite.records()[1]['flag'] is True

def test_folder_of_data(data_dir):
    "Responses find their items through the manifest; models of a panel are joined by name."
    s = load_suite(data_dir, ['swebench_verified_submissions'])
    assert (s.n, s.M) == (500, 55) and s.benchmarks == ['swebench_verified'] and s.Y.mean() == pytest.approx(.3682, abs=1e-4)
    assert load_suite(data_dir, ['swebench_verified']).models == s.models
    with pytest.raises(ValueError, match="unknown benchmark 'mmlu_max'"): load_suite(data_dir, ['mmlu_max'])

@pytest.mark.parametrize('damage', [dict(params=[]), dict(method=3), dict(seed='x'), dict(benchmarks=None), dict(benchmarks={}), dict(k=8), dict(manifest={}), dict(version=99), dict(format='other')])
def test_a_damaged_file_is_refused(tmp_path, damage):
    path = freeze(np.arange(9), SUITE, method='first', params={}, seed=None).save(tmp_path/'subset.json'); doc = json.loads(path.read_text())
    path.write_text(json.dumps({**doc, **damage}))
    with pytest.raises(ValueError, match='subset.json'): load_subset(path)
    b = next(iter(doc['benchmarks'])); doc['benchmarks'][b]['picks'][0] = 5; path.write_text(json.dumps(doc))
    with pytest.raises(ValueError, match='picks'): load_subset(path)
    doc = json.loads(json.dumps(doc)); doc['benchmarks'][b].update(picks=list(range(9)), weights=['x']*9); path.write_text(json.dumps(doc))
    with pytest.raises(ValueError, match='not numbers'): load_subset(path)

def test_an_item_listed_twice_and_json_nested_too_deep(tmp_path):
    path = freeze(np.arange(9), SUITE, method='first', params={}, seed=None).save(tmp_path/'subset.json'); doc = json.loads(path.read_text())
    r = max(doc['benchmarks'].values(), key=lambda r: len(r['item_ids'])); r['item_ids'][1] = r['item_ids'][0]; path.write_text(json.dumps(doc))
    with pytest.raises(ValueError, match='subset.json is damaged: an item is listed more than once'): load_subset(path)
    path.write_text('['*100_000)
    with pytest.raises(ValueError, match='not valid JSON'): load_subset(path)

def test_a_model_in_two_columns_of_a_csv_is_refused(tmp_path):
    "pandas would rename the second one."
    (f := tmp_path/'scores.csv').write_text('item_id,m,m\na,1,0\n')
    with pytest.raises(ValueError, match="scores.csv: column names must be unique; duplicated: 'm'"): read_scores(f)
    f.write_text('item_id,m\na,1\n'); assert list(read_scores(f)) == ['m']

def test_only_files_are_written(tmp_path):
    (tmp_path/'real').write_text('old'); (tmp_path/'link').symlink_to(tmp_path/'real'); write_atomic(tmp_path/'link', 'new')
    assert (tmp_path/'link').is_symlink() and (tmp_path/'real').read_text() == 'new'
    for place in (tmp_path, '/dev/null'):
        with pytest.raises(ValueError, match='name a file'): write_atomic(place, 'x')

def test_a_part_without_texts_is_found_by_its_ids(tmp_path):
    "A table of scores has ids alone; a text that is there must be the right one, and the message says what a table can do."
    suite = Suite(SUITE.items.assign(level=[j % 3 for j in range(SUITE.n)])); frozen = freeze(np.array([7, 3, 150]), suite, method='by hand'); bare = SUITE.items[['benchmark', 'capability', 'prompt']].iloc[::-1]; at = SUITE.n - 1 - np.array([7, 3, 150])
    for empty in (None, '  '): np.testing.assert_array_equal(frozen.find(Suite(bare.assign(prompt=empty))), at)
    np.testing.assert_array_equal(frozen.find(Suite(suite.items.iloc[::-1])), at); np.testing.assert_array_equal(frozen.find(Suite(bare.assign(prompt=None).iloc[at[:1]])), [0, -1, -1])
    with pytest.raises(ValueError, match='3 of its items have another text here.*no metadata.*leave the prompts out of this table'): frozen.find(Suite(bare))
    with pytest.raises(ValueError, match='1 of its items have another text here') as e: frozen.find(Suite(suite.items.assign(prompt=['Other?' if j == 3 else p for j, p in enumerate(SUITE.items['prompt'])])))
    assert 'leave the prompts' not in str(e.value)
    with pytest.raises(ValueError, match='1 of its items'): frozen.find(Suite(suite.items.assign(prompt=[None if j == 3 else p for j, p in enumerate(SUITE.items['prompt'])])))  # metadata, and no prompt any more

def test_a_folder_is_no_file(tmp_path):
    for read, said in ((load_subset, 'is a folder, and a subset file is wanted'), (read_items, 'is a folder; name a file')):
        with pytest.raises(ValueError, match=said): read(tmp_path)
    with pytest.raises(ValueError, match='no column of a model beside item_id'): Suite(SUITE.items, pd.DataFrame(index=SUITE.items.index))
    (f := tmp_path/'ids.csv').write_text('item_id\n1\n'); g = tmp_path/'own.csv'; g.write_text('id,a\n1,1\n'); assert list(read_scores(g)) == ['a']
    with pytest.raises(ValueError, match='ids.csv has no column of a model'): read_scores(f)
