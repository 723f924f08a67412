"Shared by the tests: the repository's root, the data folder, and hypothesis settings that give the same answer on every run."
import os, sys
from pathlib import Path
import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

settings.register_profile('benchlit', deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile('explore', deadline=None, max_examples=1000)
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'benchlit'))

@pytest.fixture(scope='session')
def root(): return ROOT

@pytest.fixture(scope='session')
def data_dir():
    "The folder BENCHLIT_DATA names; tests that need it skip without it"
    path = os.environ.get('BENCHLIT_DATA')
    if not path: pytest.skip('BENCHLIT_DATA is not set: it names a folder of evaluation records')
    if not Path(path).is_dir(): pytest.fail(f'BENCHLIT_DATA={path} is not a folder')
    return Path(path).resolve()
