# Everything starts here: `make demo` and `make test` on a machine with python3 >= 3.11, pip, a C++17 compiler and make.
# The environment goes to .venv, the installer to .tools, builds to build, runs to results.

PYTHON ?= python3
ARGS ?=
# One more than cores: some tests wait for other processes.
TEST_PROCESSES ?= $(shell $(PYTHON) -c "import os; print(len(os.sched_getaffinity(0)) + 1)" 2>/dev/null || echo 2)

# An unset or empty HOME would send caches to /.
ifeq ($(strip $(HOME)),)
export HOME := $(CURDIR)/.tools/home
endif
export UV_SYSTEM_CERTS ?= 1
export UV_PYTHON_DOWNLOADS ?= never
export PIP_ROOT_USER_ACTION ?= ignore
export MLFLOW_DISABLE_TELEMETRY ?= true
unexport VIRTUAL_ENV CONDA_PREFIX PYTHONHOME PYTHONPATH
# The tests start a hundred processes, each of which would compile our modules.
unexport PYTHONDONTWRITEBYTECODE

UV := .tools/bin/uv
VENV := .venv
PY := $(VENV)/bin/python
IN_VENV := PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

# Pinned versions with hashes; build requirements also for the one dependency that comes as source.
# Says every five seconds how far uv is.
TELLING := $(PY) requirements/install.py
INSTALL := $(UV) pip install --compile-bytecode --python $(PY) --require-hashes --build-constraints requirements/build.txt
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--no-header --no-emit-index-url --no-emit-find-links

CORE_SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp/core cpp/elastic cpp/bindings -name '*.[ch]pp') \
	$(shell find support solvers datasets experiments -name __init__.py)
CXX_FILES = $(shell find cpp -name '*.[ch]pp')
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev
SITE_READY := $(VENV)/.ready-site
SWEEP_READY := $(VENV)/.ready-sweep
BENCH_READY := $(VENV)/.ready-bench
CORE_READY := $(VENV)/.ready-core

ARCHIVE = svm-cost-curves-$(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo environment test test-slow test-versions wheels run ui extras archive bench article site size lint format stub sanitize sanitize-threads requirements check clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  %-20s %s\n", $$1, $$2}'

demo: $(CORE_READY) ## Figure 2 of the SBP paper on Adult, three seeds: a table, a picture and a sentence
	$(PY) -m svm_cost_curves.experiments.demo $(ARGS)

environment: $(CORE_READY) ## the environment and the core only: what run.py and reproduce.py need

test: $(CORE_READY) $(DEV_READY) ## the tests
	$(PY) -m pytest -n $(TEST_PROCESSES) --dist loadfile

test-slow: $(CORE_READY) $(DEV_READY) $(SITE_READY) $(SWEEP_READY) ## the tests that take minutes
	$(PY) -m pytest -m slow

# pytest of an environment of its own, in which other versions than those of requirements/ are: of the libraries that
# pyproject.toml names, the lowest that it allows, or the newest, also before their release. Types are checked with the
# versions of requirements/ alone.
VERSIONS ?= lowest
VERSIONS_OPTIONS_lowest := --resolution lowest-direct
VERSIONS_OPTIONS_newest := --upgrade --prerelease allow
test-versions: $(UV) ## the tests with other versions of libraries: make test-versions VERSIONS=lowest|newest
	$(UV) venv --quiet --clear --python $(PYTHON) build/$(VERSIONS)
	$(UV) pip install --quiet --python build/$(VERSIONS)/bin/python $(VERSIONS_OPTIONS_$(VERSIONS)) \
		--config-setting build-dir=build/$(VERSIONS)-core --editable '.[dev,mpi,server]' -r requirements/build.in
	build/$(VERSIONS)/bin/python -m pytest -n $(TEST_PROCESSES) --dist loadfile \
		--deselect tests/test_contributing.py::test_the_solver_is_typed $(ARGS)

wheels: $(UV) ## wheels for every supported Python, each tried, by cibuildwheel, which needs docker or podman: build/wheels
	$(UV) tool run cibuildwheel --output-dir build/wheels

run: $(CORE_READY) ## one run or sweep: make run ARGS="algo=sbp dataset=adult"
	$(PY) run.py $(ARGS)

ui: $(CORE_READY) ## mlflow's web pages on the runs in results/
	@$(PY) -m svm_cost_curves.experiments.store ui $(ARGS)

extras: $(CORE_READY) $(DEV_READY) $(SWEEP_READY) ## what MPI, Ray, Slurm and a server need: the extras mpi, ray, slurm, server

bench: $(CORE_READY) $(DEV_READY) $(BENCH_READY) ## the benchmarks of docs/benchmarks.md, or some: make bench ARGS="-k libsvm"
	$(PY) -m pytest benchmarks $(ARGS)

article: $(CORE_READY) $(DEV_READY) ## the article, from the published runs: build/article/article.pdf and .html
	$(PY) docs/article/build.py

site: article $(SITE_READY) ## documents, article, gallery, notebooks and API as pages: build/site/index.html
	$(PY) -u -m sphinx -W --keep-going -c docs/site -d build/doctrees . build/site

archive: ## the last commit as a tarball for an archive such as Zenodo: the same bytes each time
	@mkdir -p build/archive
	git archive --format=tar --prefix=$(ARCHIVE)/ HEAD | gzip -9n > build/archive/$(ARCHIVE).tar.gz
	@cd build/archive && sha256sum $(ARCHIVE).tar.gz

lint: $(CORE_READY) $(DEV_READY) ## ruff, mypy, stubtest, import-linter and clang-format, changing nothing
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	PYTHONPATH=package $(VENV)/bin/lint-imports
	$(PY) -m mypy.stubtest svm_cost_curves.solvers._core svm_cost_curves.solvers.estimators \
		--allowlist tests/stubtest_allowlist.txt --mypy-config-file pyproject.toml
	$(VENV)/bin/clang-format --dry-run -Werror $(CXX_FILES)

format: $(DEV_READY) ## rewrite the sources as lint wants them
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(VENV)/bin/clang-format -i $(CXX_FILES)

stub: $(CORE_READY) $(DEV_READY) ## write the stubs of the core and of the estimators, for editors and type checkers
	$(PY) tests/solvers/core_stub.py
	$(PY) tests/solvers/estimators_stub.py

sanitize: $(RUN_READY) ## the core's own tests under the address and undefined-behaviour sanitizers
	$(IN_VENV) cmake --preset sanitize
	$(IN_VENV) cmake --build --preset sanitize
	$(IN_VENV) ctest --preset sanitize

sanitize-threads: $(RUN_READY) ## the core's tests of threads under the thread sanitizer
	$(IN_VENV) cmake --preset thread
	$(IN_VENV) cmake --build --preset thread
	$(IN_VENV) ctest --preset thread

size: ## lines of Python and of documents, by part
	@count() { printf '%-28s %6d\n' "$$1" $$(shift; git ls-files -- "$$@" | xargs cat | wc -l); }; \
	count 'Python without tests' '*.py' ':!tests'; \
	count 'experiments without papers' 'experiments/*.py' ':!experiments/papers'; \
	for part in experiments/papers datasets solvers benchmarks tests; do count "$$part" "$$part/*.py"; done; \
	count 'docs without results' 'docs/*.md' ':!docs/results'

requirements: $(UV) ## pin the newest allowed versions in requirements/*.txt
	$(COMPILE) --upgrade requirements/uv.in -o requirements/uv.txt
	$(COMPILE) --upgrade pyproject.toml -o requirements/run.txt
	$(COMPILE) --upgrade -c requirements/run.txt requirements/build.in -o requirements/build.txt
	$(COMPILE) --upgrade -c requirements/run.txt -c requirements/build.txt --extra dev --extra mpi --extra server \
		pyproject.toml -o requirements/dev.txt
	$(COMPILE) --upgrade -c requirements/run.txt -c requirements/build.txt --extra bench pyproject.toml -o requirements/bench.txt
	$(COMPILE) --upgrade -c requirements/dev.txt -c requirements/build.txt --extra site pyproject.toml -o requirements/site.txt
	$(COMPILE) --upgrade -c requirements/dev.txt -c requirements/build.txt --extra ray --extra slurm pyproject.toml \
		-o requirements/sweep.txt

clean: ## remove the environment, the installer and the builds; keep results and downloaded data
	rm -rf $(VENV) .tools build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One sentence for each thing that a machine may lack.
check:
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) is not installed; Python 3.11 or newer is needed (or make PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -c '' 2>/dev/null || { $(PYTHON) -c ''; echo "error: $(PYTHON) does not start, for the reason above; name another with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: $(PYTHON) is older than Python 3.11; name a newer one with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { echo "error: $(PYTHON) has no pip (Debian: python3-pip; in an activated environment: deactivate)" >&2; exit 1; }
	@$(PYTHON) -c 'import pathlib, sys, sysconfig; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file())' || { echo "error: Python.h of $(PYTHON) is missing; the compiled core needs it (Debian: python3-dev)" >&2; exit 1; }
	@for compiler in $$CXX c++ g++ clang++; do \
		echo 'int main() { if constexpr (true) return 0; }' | $$compiler -std=c++17 -fsyntax-only -x c++ - 2>/dev/null && exit 0; \
	done; echo "error: there is no C++17 compiler (Debian: g++)" >&2; exit 1

$(UV): requirements/uv.txt
	@$(MAKE) --no-print-directory check
	@echo "environment: fetching uv"
	@$(PYTHON) -m pip install --quiet --upgrade --target .tools --require-hashes -r requirements/uv.txt
	@touch $@

$(PY): | $(UV)
	@$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)

$(RUN_READY): requirements/run.txt requirements/build.txt | $(PY)
	@$(TELLING) "environment: installing requirements/run.txt into $(VENV)" $(INSTALL) -r requirements/run.txt -r requirements/build.txt
	@touch $@

$(DEV_READY): requirements/dev.txt $(RUN_READY)
	@$(TELLING) "environment: installing requirements/dev.txt into $(VENV)" $(INSTALL) -r requirements/dev.txt
	@touch $@

$(SITE_READY): requirements/site.txt $(DEV_READY)
	@$(TELLING) "environment: installing requirements/site.txt into $(VENV)" $(INSTALL) -r requirements/site.txt
	@touch $@

$(SWEEP_READY): requirements/sweep.txt $(DEV_READY)
	@$(TELLING) "environment: installing requirements/sweep.txt into $(VENV)" $(INSTALL) -r requirements/sweep.txt
	@touch $@

$(BENCH_READY): requirements/bench.txt $(RUN_READY)
	@$(TELLING) "environment: installing requirements/bench.txt into $(VENV)" $(INSTALL) -r requirements/bench.txt
	@touch $@

$(CORE_READY): $(CORE_SOURCES) $(RUN_READY)
	@$(IN_VENV) $(TELLING) "core: building" $(UV) pip install --python $(PY) --no-deps --no-build-isolation \
		--reinstall-package svm-cost-curves --editable .
	@touch $@
