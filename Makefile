# Two commands are all a newcomer needs: make demo, make test. `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/bash
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check fix fuzz bench eval bge lock serve system clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.base: pyproject.toml .venv/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

.venv/.dev: pyproject.toml .venv/bin/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch .venv/.base $@

demo: .venv/.base ## set up, then run the main job on a make-believe company; stays up until Ctrl-C
	$(BIN)/crosscheck demo

test: .venv/.dev ## set up, then run the tests
	$(BIN)/pytest -n auto

check: .venv/.dev ## format, lint, strict types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: .venv/.dev ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# `make fuzz TARGET="core.keys"` looks at one; with INPUT=.fuzz/core.keys/... it repeats one input.
FUZZ_MINUTES ?= 10

fuzz: .venv/.dev ## hostile bytes for every parser, for FUZZ_MINUTES=10; faults go to .fuzz/
	$(BIN)/python -m tests.fuzz.minutes --minutes $(FUZZ_MINUTES) $(if $(TARGET),--target "$(TARGET)") $(if $(INPUT),--input "$(INPUT)")

bench: .venv/.dev ## the benchmarks; results go to evals/results/
	$(BIN)/python -m evals.bench

eval: .venv/.dev ## retrieval, answers, reviews and latency without a model, beside the last stored run; the report goes to .eval/
	$(BIN)/crosscheck eval all --results evals/results --report .eval

bge: .venv/.dev ## BGE-M3 and what it needs: with torch, gigabytes where no build for the CPU is at hand
	$(BIN)/pip install --quiet torch==2.13.0
	$(BIN)/pip install --quiet --editable '.[dev,bge]'

# Versions that are locked stay as they are, unless pyproject.toml forbids them: `make lock UV=--upgrade` takes newer ones.
COMPILE = $(BIN)/uv pip compile --quiet --generate-hashes --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
	--only-binary :all: --no-header --no-annotate --no-emit-index-url --no-emit-find-links $(UV)

lock: .venv/.dev ## deploy/*.lock: the exact files, by hash, that the image is made of
	$(COMPILE) pyproject.toml --output-file deploy/requirements.lock
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		| $(COMPILE) - --output-file deploy/build.lock

serve: .venv/.base ## the service, with ./crosscheck.toml
	$(BIN)/crosscheck serve

system: ## Debian packages that some tests use (a real browser, PostgreSQL, MariaDB, Prometheus)
	apt-get update -q && apt-get install -qy chromium chromium-driver postgresql mariadb-server prometheus

clean: ## forget the virtual environment and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
