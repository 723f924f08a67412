"Importing the library is light: no deep-learning stack, no plotting, under a second."
import subprocess, sys
import pytest
from notebooks import BOOK

HEAVY = 'torch', 'sentence_transformers', 'transformers', 'wordllama', 'sklearn', 'numba'
DRAWING = 'matplotlib', 'seaborn'
MODULES = [n.module for n in BOOK if n.module]

def loaded(module, names):
    code = f'import sys, benchlit.{module}; print(*[m for m in {names!r} if m in sys.modules])'
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout.split()

@pytest.mark.parametrize('module', MODULES)
def test_loads_nothing_heavy(module):
    assert loaded(module, HEAVY + (() if module == 'plots' else DRAWING)) == []

@pytest.mark.skipif('facility' not in MODULES, reason='there is no 20_facility yet')
def test_facility_imports_in_under_a_second():
    code = 'import time; t = time.process_time(); import benchlit.facility; print(time.process_time() - t)'  # a busy machine must not decide
    best = min(float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout) for _ in range(5))
    assert best < 1, f'{best:.2f} s of CPU time'

def test_version_is_the_one_in_settings(root):
    import benchlit
    assert f'version = {benchlit.__version__}' in (root/'settings.ini').read_text()
