"The number is the dependency order: a notebook imports only from notebooks with lower numbers, and some rooms never meet."
import pytest
from notebooks import BOOK

RANK = {n.module: n.number for n in BOOK if n.module}
APART = ({20, 30}, {20, 50}, {30, 50})  # the 20s, 30s and 50s never import each other
FORTIES_USE = {22}                      # of the rooms between, the 40s may use only the log-det algebra

def ours(nb, cells=None): return sorted({m.split('.')[1] for m in nb.imports(cells) if m.startswith('benchlit.')})

def breaches(number, modules, rank=RANK):
    "What a notebook with `number` may not import, and why"
    out = []
    for m in modules:
        if m not in rank: out.append(f'benchlit.{m} comes from no notebook'); continue
        if rank[m] >= number: out.append(f'{m} is notebook {rank[m]:02}, not below {number:02}')
        a, b = number//10*10, rank[m]//10*10
        if {a, b} in APART: out.append(f'the {a}s and the {b}s never import each other: {m}')
        if a == 40 and 20 <= rank[m] < 40 and rank[m] not in FORTIES_USE: out.append(f'the 40s use nothing of the 20s and 30s but 22: {m}')
    return out

@pytest.mark.parametrize('nb', BOOK, ids=repr)
def test_imports_only_lower_numbers(nb):
    assert not breaches(nb.number, ours(nb))

@pytest.mark.parametrize('nb', [n for n in BOOK if n.number < 90], ids=repr)
def test_library_below_the_90s_does_not_import_plots(nb):
    "Modules stay light: figures are drawn in notebooks, not by the library"
    assert 'plots' not in ours(nb, nb.exported)

def test_numbers_and_modules_are_unique():
    numbers, modules = [n.number for n in BOOK], [n.module for n in BOOK if n.module]
    assert len(set(numbers)) == len(numbers) and len(set(modules)) == len(modules)

def test_the_rule_itself():
    rank = dict(core=0, facility=20, dpp=22, irt=31, covariance=40, sampling=50)
    assert not breaches(40, ['core', 'dpp'], rank) and not breaches(61, ['irt', 'facility'], rank)
    assert breaches(20, ['facility'], rank) and breaches(50, ['facility'], rank) and breaches(31, ['dpp'], rank)
    assert breaches(41, ['facility'], rank) and breaches(0, ['dpp'], rank) and breaches(50, ['nowhere'], rank)
