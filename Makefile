# The words of this project. Everything they need beyond Python 3.11 and make, they install into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Where the recorded facts of the Kubernetes API are; `make models` reads them.
FACTS ?= ../shared/k8s-1.36

# Each file of tests stays with one worker, for the sake of what its tests share. Bytecode is written also where Python
# is told not to: without it every server that a test starts takes twice as long.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q
WORKERS ?= auto
IN_PARALLEL := -n $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-real check format bench models clean

help:
	@echo "make demo       show what kubewright does, on no cluster at all"
	@echo "make test       run the tests (needs Python and make only)"
	@echo "make test-real  run the tests against a real kube-apiserver and upstream's own code (needs Go)"
	@echo "make check      lint, format check, types, layers"
	@echo "make bench      measure against the peers, as ratios"
	@echo "make models     generate kubewright.models anew from FACTS=$(FACTS)"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kubewright needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY)
	@$(BIN)/python -m examples.tour
	@$(BIN)/python -m examples.first_steps
	@$(BIN)/python -m examples.pod_informer
	@$(BIN)/python -m examples.workqueue_controller

test: $(READY)
	@echo "left out here: the tests marked 'oracle' (upstream's Go code), 'real' (a real kube-apiserver) and 'slow';"
	@echo "make test-real runs them"
	@command -v kubectl >/dev/null || echo "left out here: the tests with kubectl, which is not on PATH"
	@$(PYTEST) $(IN_PARALLEL) -m "not oracle and not real and not slow"

test-real: $(READY)
	@command -v go >/dev/null || { echo "make test-real needs Go, which is not on PATH"; exit 1; }
	@$(PYTEST) $(IN_PARALLEL) -m "(oracle or slow) and not real"
	@$(PYTEST) -m real

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(READY)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@$(BIN)/python -m bench

models: $(READY)
	@$(BIN)/python -m kubewright.codegen.models $(FACTS)/openapi-v3
	@$(BIN)/python -m kubewright.codegen.clientset

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis bench/results
