PYTHON ?= python3
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE  # else every process that a test starts compiles the package anew

.PHONY: help demo docs gallery packages lint compiled test test-slow test-gpu test-lowest check bench lock wheel licences clean

help:  ## list what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

LOOPS := hatch_build.py $(wildcard src/divulge/_compiled/*.[ch])

# What runs divulge, from a lock of its own; the loops are compiled where there is a C compiler.
.venv/.made: pyproject.toml runtime.lock $(LOOPS)
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) .venv && \
		uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r runtime.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps -e . ; \
	else \
		$(PYTHON) -m venv .venv && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r runtime.lock && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . ; \
	fi
	@touch $@

# The uv that is installed, else one of our own: it takes a fifth of pip's time for so many libraries.
UV := $(or $(shell command -v uv 2>/dev/null),$(BIN)/uv)
$(BIN)/uv: .venv/.made tools.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tools.lock
	@touch $@

INSTALL := $(UV) pip install --quiet --python $(BIN)/python --require-hashes

# The same with every extra and the tools.
.venv/.dev: .venv/.made requirements.lock | $(UV)
	@$(INSTALL) -r requirements.lock
	@touch $@

# The same with what the documentation is built with.
.venv/.docs: .venv/.dev docs.lock | $(UV)
	@$(INSTALL) -r docs.lock
	@touch $@

demo: .venv/.made  ## make up a clinic, audit it and write its report
	@$(BIN)/divulge demo demo

gallery: .venv/.dev  ## make the figures of the papers; DATA=folder has ARX's Adult
	@$(BIN)/python scripts/write_gallery.py $(if $(DATA),--data $(DATA))

docs: packages .venv/.docs  ## build the documentation with its pictures: docs/_build/html/index.html
	@$(BIN)/python scripts/draw_pages.py
	@test -d docs/_gallery || $(BIN)/python scripts/write_gallery.py --small
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -E docs docs/_build/html

packages:
	@scripts/debian-packages

lint: .venv/.dev  ## look at form and types, and change nothing
	@$(BIN)/ruff format --quiet --check src tests bench scripts
	@$(BIN)/ruff check --quiet src tests bench scripts
	@$(BIN)/mypy

compiled: .venv/.dev  # what tests import, once: four processes that start together would compile it each
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null

test: packages .venv/.dev  ## run the tests
	@$(BIN)/python -m pytest -n 4

test-slow: .venv/.dev  ## run the tests that take minutes, and see whether tests notice changes
	@$(BIN)/python -m pytest -n 2 -m slow
	@$(BIN)/python -m pytest -n 2 --hypothesis-profile many tests/laws tests/questions tests/estimation tests/counting tests/mechanisms tests/anonymization tests/safe_release
	@$(BIN)/python scripts/mutants.py

test-gpu:  ## run the tests of the engine for graphics cards, on a machine with one, by its Python
	@PYTHONPATH=src:tests:. $(PYTHON) -m pytest --noconftest -p no:cacheprovider -o addopts= -q tests/engines/test_gpu.py

test-lowest: .venv/.dev  ## run the tests with the oldest libraries that are allowed
	@$(UV) venv --quiet --clear --python $(BIN)/python .venv-lowest
	@$(UV) pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e '.[dev]'
	@.venv-lowest/bin/python -m pytest -n 4

PYTHONS ?= $(BIN)/python
wheel: .venv/.dev  ## build it and try it in fresh environments, each extra alone; PYTHONS names several
	@$(BIN)/python scripts/try_wheel.py --python $(PYTHONS)

licences: .venv/.dev  ## write a bill of materials, and docs/licences.md
	@$(BIN)/python scripts/write_licences.py

check: .venv/.dev  ## format, lint, type and test
	@$(BIN)/ruff format src tests bench scripts
	@$(BIN)/ruff check --fix src tests bench scripts
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n 4

bench: .venv/.dev  ## run the benchmarks (an hour; needs 10 GB of disk)
	@$(BIN)/python -m bench

COMPILE := pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-header --python-version 3.11

lock: .venv/.dev  ## pin what runs divulge, and the development environment, anew
	@$(UV) $(COMPILE) --extra dev -o requirements.lock pyproject.toml
	@echo uv | $(UV) $(COMPILE) --constraint requirements.lock -o tools.lock -
	@$(UV) $(COMPILE) --constraint requirements.lock -o runtime.lock pyproject.toml
	@$(UV) $(COMPILE) --constraint requirements.lock --extra docs -o docs.lock pyproject.toml

clean:  ## remove what was made
	@rm -rf .venv .venv-lowest docs/_build docs/_gallery docs/_pictures .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/data bench/results demo
	@rm -f src/divulge/_compiled/loops_*
