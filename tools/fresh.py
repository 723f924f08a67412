"""Are the outputs committed in nbs/ what the code gives today?

    fresh.py [--write] [--flags data[,slow]] [NOTEBOOK ...]
    fresh.py --left-out [--flags data]

Re-executes the notebooks (all of nbs/ when none is named) as nbdev_test does and compares what they print with what is
committed: exit 1 if a cell is stale or fails. `--write` stores the new outputs instead. Cells that nbdev_test skips
(`notest`, `slow`, `data`, `eval: false`) are skipped here and keep their outputs, unless `--flags` asks for them.
Compared are stdout and text/plain; stderr, images and memory addresses are not, and `--write` drops stderr.
`--left-out` runs nothing: it names the cells that a run leaves out."""
import argparse, difflib, multiprocessing as mp, os, re, sys, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

def skipped(cell, flags):
    "The skip rules of nbdev.test.test_nb"
    d = getattr(cell, 'directives_', None) or {}
    return (cell.cell_type != 'code' or 'nbdev_export'+'(' in cell.source
            or d.get('eval:', [''])[0].lower() == 'false' or bool(flags & d.keys()))

def text(cell):
    "The comparable part of a cell's outputs"
    res = []
    for o in cell.get('outputs', []):
        if o.get('name') == 'stderr': continue
        t = o.get('text') or o.get('data', {}).get('text/plain', '')
        t = t if isinstance(t, str) else ''.join(t)
        res.append(re.sub(r'( at )?0x[0-9a-f]+|<Figure size.*?>', '', t).strip())
    return '\n'.join(filter(None, res))

def diff(i, old, new, most=40):
    ls = list(difflib.unified_diff(old.splitlines(), new.splitlines(), 'committed', 'now', n=1, lineterm=''))
    return '\n'.join([f'  cell {i} is stale:', *('    '+l for l in ls[2:most+2]), *(['    ...'] if len(ls) > most+2 else [])])

def run(fn, flags=(), write=False):
    "Execute notebook `fn` in this process: (seconds, [report per stale or failing cell], failed)"
    from execnb.nbio import read_nb, write_nb
    from execnb.shell import CaptureShell
    from nbdev.clean import clean_nb
    from nbdev.config import get_config
    from nbdev.frontmatter import FrontmatterProc
    from nbdev.process import NBProcessor
    sys.path.insert(0, str(ROOT)); os.chdir(fn.parent)
    flags, start = set(get_config().tst_flags.split()) - set(flags), time.time()
    old, nb = read_nb(fn), read_nb(fn)
    for cells in zip(old.cells, nb.cells):
        for c in cells: c.setdefault('id', f'cell{c.idx_}')
    nb = NBProcessor(nb=nb, procs=FrontmatterProc, process=True).nb
    if str(getattr(nb, 'frontmatter_', {}).get('skip_exec', '')).lower() == 'true': return 0., [], False
    before = {c.id: c for c in old.cells}
    live = [c for c in nb.cells if not skipped(c, flags)]
    for c in live: c['outputs'] = []
    shell = CaptureShell(fn)
    try: shell.run_all(nb, exc_stop=True, preproc=lambda c: skipped(c, flags))
    except BaseException: return time.time()-start, [shell.prettytb(fn.name)], True
    bad = [diff(c.idx_, a, b) for c in live if (a := text(before[c.id])) != (b := text(c))]
    if write:
        for c in live: before[c.id]['outputs'] = [o for o in c.outputs if o.get('name') != 'stderr']
        clean_nb(old); write_nb(old, fn)
    return time.time()-start, bad, False

def left_out(fns, flags):
    "Print which flagged cells a run with `flags` does not execute"
    from execnb.nbio import read_nb
    from nbdev.config import get_config
    from nbdev.process import NBProcessor
    for flag in sorted(set(get_config().tst_flags.split()) - set(flags)):
        cells = {fn.stem: n for fn in fns if (n := sum(flag in c.directives_ for c in NBProcessor(nb=read_nb(fn)).nb.cells if c.cell_type == 'code'))}
        if cells: print(f"left out, flagged {flag}: " + ', '.join(f'{k} ({n} cell{"s"*(n > 1)})' for k, n in cells.items()))

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('notebooks', nargs='*', type=Path, metavar='NOTEBOOK')
    p.add_argument('--write', action='store_true', help='store the new outputs')
    p.add_argument('--flags', default='', help='also run cells with these flags, e.g. data or data,slow')
    p.add_argument('--left-out', action='store_true', help='only name the cells that are left out')
    p.add_argument('--workers', type=int, default=2, help='notebooks run at a time')
    a = p.parse_args()
    flags = a.flags.replace(',', ' ').split()
    if data := os.environ.get('BENCHLIT_DATA'): os.environ['BENCHLIT_DATA'] = data = str(Path(data).resolve())
    if 'data' in flags and not (data and Path(data).is_dir()):
        sys.exit('fresh.py: --flags data needs BENCHLIT_DATA to name the data folder; it is '+(f'{data!r}, no folder' if data else 'not set'))
    fns = [f.resolve() for f in a.notebooks] or sorted(f for f in (ROOT/'nbs').rglob('*.ipynb')
                                                       if not any(p[0] in '._' for p in f.relative_to(ROOT/'nbs').parts))
    if gone := [f for f in fns if not f.exists()]: sys.exit(f'fresh.py: no such notebook: {gone[0]}')
    os.chdir(ROOT)
    if a.left_out: return left_out(fns, flags)
    workers = max(1, min(a.workers, len(fns)))
    env = dict(IN_TEST='1', COLUMNS='80', LINES='24', NO_COLOR='1', TERM='dumb')  # outputs must not depend on the terminal
    os.environ.update(env); os.environ.setdefault('OMP_NUM_THREADS', '1')  # nor on how many threads add up a sum
    stale = broken = 0
    with ProcessPoolExecutor(workers, mp_context=mp.get_context('spawn'), max_tasks_per_child=1) as ex:
        for fn, res in [(fn, ex.submit(run, fn, flags, a.write)) for fn in fns]:
            secs, bad, failed = res.result()
            state = 'FAILED' if failed else (f'{len(bad)} cell(s) '+('rewritten' if a.write else 'STALE') if bad else 'fresh')
            print(f'{fn.name:<28} {secs:6.1f} s  {state}', *([] if a.write and not failed else bad), sep='\n', flush=True)
            broken += failed; stale += 0 if failed else len(bad)
    if broken or stale and not a.write: sys.exit(f'fresh.py: {broken} notebook(s) failed, {stale} stale cell(s)')
    print(f'{len(fns)} notebook(s), {stale} stale cell(s)'+(' rewritten' if a.write and stale else ''))

if __name__ == '__main__': main()
