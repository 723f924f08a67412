# make demo | test | clients | docs | notebooks | clean.  Needs Python >= 3.11, make and a package index; everything else goes into .venv.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
# The torch to install first; a requirement with pip options works too, for a CPU build from another index
TORCH ?= torch==2.13.0
# The evaluation tools that the tests run, in an environment of their own, which sees the packages of the first
CLIENTS := .venv-clients
TOOLS ?= lm_eval==0.4.13 inspect_ai==0.3.285
ARGS ?=

READY := $(VENV)/.ready
PY := $(abspath $(VENV))/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check --no-input

# The data folder, absolute, for every step; without it the cells and tests that need it are left out, by name
ifneq ($(strip $(BENCHLIT_DATA)),)
override BENCHLIT_DATA := $(abspath $(BENCHLIT_DATA))
FLAGS := --flags data
endif
export BENCHLIT_DATA
unexport VIRTUAL_ENV

.PHONY: help venv demo test clients docs notebooks clean
help:
	@echo "make demo       shrink SWE-bench Verified and see what it costs (ARGS='--suite lite' for the other suite)"
	@echo "make test       every check: export, notebooks, freshness, site, pytest"
	@echo "make clients    lm-evaluation-harness and Inspect in $(CLIENTS), for the tests that run them"
	@echo "make docs       build the site preview in _site"
	@echo "make notebooks  export the notebooks, run them, store their outputs, write README.md"
	@echo "make clean      remove what the others made, except $(VENV) and $(CLIENTS)"

venv: $(READY)
$(READY): settings.ini setup.py
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("benchlit needs Python >= 3.11, and $(PYTHON) is %d.%d; name another with: make PYTHON=python3.12" % v[:2])'
	@echo "== environment in $(VENV) ($$($(PYTHON) -V), $(TORCH))"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@$(PIP) --upgrade pip
	@$(PIP) $(TORCH)
	@PYTHONWARNINGS=ignore $(PIP) --editable '.[embed,dev]'
	@touch $@

clients: $(CLIENTS)/.ready
$(CLIENTS)/.ready: Makefile | $(READY)
	@echo "== $(TOOLS) in $(CLIENTS)"
	@rm -rf $(CLIENTS); $(PY) -m venv --without-pip $(CLIENTS)
	@site='import sysconfig; print(sysconfig.get_path("purelib"))'; $(PY) -c "$$site" > $$($(CLIENTS)/bin/python -c "$$site")/first.pth
	@$(PY) -m pip --python $(CLIENTS)/bin/python install -qq --disable-pip-version-check --no-input $(TOOLS) || { rm -rf $(CLIENTS); exit 1; }
	@touch $@

demo: $(READY)
	@$(abspath $(VENV))/bin/benchlit demo $(ARGS)

# pytest runs last: the browser test opens the site, and its summary closes the log
test: $(READY)
	@$(if $(FLAGS),,echo "== BENCHLIT_DATA is not set: what needs the data folder is left out";)
	@$(PY) tools/fresh.py --left-out $(FLAGS)
	@echo "== export is clean"
	@$(PY) tools/export.py --check
	@echo "== nbdev_test $(FLAGS)"
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(abspath $(VENV))/bin/nbdev_test $(FLAGS) --n_workers 2 --timing
	@echo "== committed outputs are fresh"
	@$(PY) tools/fresh.py $(FLAGS)
	@echo "== site preview"
	@$(PY) tools/build_site.py
	@echo "== pytest: order and anatomy of the notebooks, properties, the site in a browser"
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -q -rs --durations=5 -n 2 --dist loadfile tests

docs: $(READY)
	@$(PY) tools/build_site.py
	@$(PY) tools/readme.py

notebooks: $(READY)
	@$(PY) tools/export.py
	@$(PY) tools/fresh.py --write $(FLAGS)
	@$(PY) tools/readme.py

clean:
	rm -rf _proc _docs _site _smalldocs _katex build dist demo *.egg-info .pytest_cache .hypothesis nbs/nbdev.yml
	find benchlit tests tools -name __pycache__ -prune -exec rm -rf {} +
