PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo docs lint test test-slow test-lowest check bench lock clean

help:  ## list what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.venv/.made: pyproject.toml requirements.lock
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) .venv && \
		uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps -e . ; \
	else \
		$(PYTHON) -m venv .venv && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . ; \
	fi
	@touch $@

demo: .venv/.made  ## make up a clinic, audit it and write its report
	@$(BIN)/divulge demo demo

docs: .venv/.made  ## build the documentation with its pictures: docs/_build/html/index.html
	@scripts/debian-packages
	@$(BIN)/python scripts/draw_pages.py
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -E docs docs/_build/html

lint: .venv/.made  ## look at form and types, and change nothing
	@$(BIN)/ruff format --quiet --check src tests bench scripts
	@$(BIN)/ruff check --quiet src tests bench scripts
	@$(BIN)/mypy

test: .venv/.made  ## run the tests
	@scripts/debian-packages
	@$(BIN)/python -m pytest -n 2

test-slow: .venv/.made  ## run the tests that take minutes, and see whether tests notice changes
	@$(BIN)/python -m pytest -n 2 -m slow
	@$(BIN)/python scripts/mutants.py

test-lowest: .venv/.made  ## run the tests with the oldest libraries that are allowed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	@$(BIN)/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e '.[dev]'
	@.venv-lowest/bin/python -m pytest -n 2

check: .venv/.made  ## format, lint, type and test
	@$(BIN)/ruff format src tests bench scripts
	@$(BIN)/ruff check --fix src tests bench scripts
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n 2

bench: .venv/.made  ## run the benchmarks (an hour; needs 10 GB of disk)
	@$(BIN)/python -m bench

lock: .venv/.made  ## pin the development environment anew
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.11 --extra dev -o requirements.lock pyproject.toml

clean:  ## remove what was made
	@rm -rf .venv .venv-lowest docs/_build docs/_pictures .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/data bench/results demo
