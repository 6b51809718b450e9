# Two commands are all a fresh clone needs: `make run` and `make test`.

CANDIDATES := python3 python3.15 python3.14 python3.13 python3.12 python3.11 python
IS_NEW := -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
PYTHON ?= $(shell for each in $(CANDIDATES); do $$each $(IS_NEW) && echo $$each && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock

.PHONY: run test check fmt bench chaos cluster lock clean

run: $(VENV)/.run
	@exec $(BIN)/pepper serve

test: $(VENV)/.dev
	$(BIN)/python -m pytest

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest tests/api/test_openapi.py
	$(BIN)/python tools/check_secrets.py
	$(BIN)/python tools/audit.py

fmt: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev
	$(BIN)/python -m bench

chaos: $(VENV)/.dev
	$(BIN)/python -m tests.chaos

lock: $(VENV)/.dev
	$(BIN)/pip-compile --quiet --extra dev --strip-extras --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--output-file requirements.lock pyproject.toml

$(VENV)/bin/python:
	@python="$(PYTHON)"; "$${python:-false}" $(IS_NEW) || { \
		echo "Pepper needs Python 3.11 or newer, and finds none: make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment (Debian: install python3-venv)"; exit 1; }

$(VENV)/.run: $(VENV)/bin/python pyproject.toml requirements.lock
	@echo "Installing what Pepper needs into $(VENV) ..."
	@$(PIP) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml requirements.lock
	@echo "Installing what Pepper and its tests need into $(VENV) ..."
	@$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) build *.egg-info
