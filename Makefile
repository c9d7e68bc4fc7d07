# The words of this project. Everything they need beyond Python 3.11 and make, they install into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Everything from the registry has the hash that is recorded here; what is built here uses nothing else.
PIP := $(BIN)/python -m pip install --disable-pip-version-check
# The recorded facts of the Kubernetes API: `make facts` writes them, `make models` reads them.
FACTS ?= facts/kubernetes

# Each file of tests stays with one worker, for the sake of what its tests share; tests/scheduling.py says in which
# order they are begun. A worker that runs tests marked `real` has a kube-apiserver of its own. Bytecode is written also where Python
# is told not to: without it every server that a test starts takes twice as long.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q
# More than cores, since many tests wait for a server or a process.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, (os.cpu_count() or 1) + 2))')
IN_PARALLEL := -n $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder

# A link that leads nowhere is a warning, and a warning is an error. The reports of all of them are printed.
SPHINX := $(BIN)/python -m sphinx --quiet --fail-on-warning

.PHONY: help demo test test-pythons test-real check docs format bench facts models constraints clean

help:
	@echo "make demo       show an operator at work, on no cluster at all; STAY=1 keeps it for kubectl"
	@echo "make test       run the tests (needs Python and make only)"
	@echo "make test-pythons  the same on each supported Python that is found, with nox"
	@echo "make test-real  run the tests against a real kube-apiserver and upstream's own code (needs Go)"
	@echo "make check      lint, format check, types, layers, the documentation and its links"
	@echo "make docs       build the documentation: docs/_build/html/index.html"
	@echo "make bench      measure against the peers, as ratios"
	@echo "make facts      record $(FACTS) from a kube-apiserver (needs Go); FROM=KUBECONFIG names another"
	@echo "make models     generate kubewright.models from $(FACTS)"
	@echo "make constraints  record the versions and hashes of all dependencies (needs uv); UPGRADE=1 takes the newest"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kubewright needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@echo "installing what this needs into $(VENV), which is done once and takes a minute or two"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r constraints.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)
	@$(BIN)/python -m examples.custompod.demo $(if $(STAY),--stay)

test: $(READY)
	@echo "left out here: the tests marked 'oracle' (upstream's Go code), 'real' (a real kube-apiserver) and 'slow';"
	@echo "make test-real runs them"
	@command -v kubectl >/dev/null || echo "left out here: the tests with kubectl, which is not on PATH"
	@$(PYTEST) $(IN_PARALLEL) -m "not oracle and not real and not slow"

test-pythons: $(READY)
	@WORKERS=$(WORKERS) $(BIN)/nox

test-real: $(READY)
	@command -v go >/dev/null || { echo "make test-real needs Go, which is not on PATH"; exit 1; }
	@$(BIN)/python -m tests.realcluster.binaries
	@$(PIP) --quiet --require-hashes -r constraints-bench.txt
	@$(PYTEST) $(IN_PARALLEL) -m "oracle or slow or real"

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(SPHINX) --builder dummy --fresh-env docs docs/_build/check

docs: $(READY)
	@$(SPHINX) --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: $(READY)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(READY)
	@$(PIP) --quiet --require-hashes -r constraints-bench.txt
	@$(BIN)/python -m bench

facts: $(READY)
	@$(BIN)/python -m facts --output $(FACTS) $(if $(FROM),--kubeconfig $(FROM))

models: $(READY)
	@$(BIN)/python -m kubewright.codegen.models $(FACTS)/openapi-v3
	@$(BIN)/python -m kubewright.codegen.clientset

# What is pinned stays; UPGRADE=1 takes the newest versions. The files have the hashes for all systems and Pythons.
LOCK := uv pip compile --quiet --universal --python-version 3.11.5 --generate-hashes --no-header --no-annotate \
	$(if $(UPGRADE),--upgrade) pyproject.toml

constraints:
	@command -v uv >/dev/null || { echo "make constraints needs uv, which is not on PATH"; exit 1; }
	@$(LOCK) --extra dev --output-file constraints.txt
	@$(LOCK) --extra bench --constraint constraints.txt --output-file constraints-bench.txt

clean:
	@rm -rf $(VENV) .venv-newest .nox .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis bench/results docs/_build
