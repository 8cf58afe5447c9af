# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
BIN    := .venv/bin
STAMP  := .venv/.installed

.PHONY: help env demo test lint format bench results clean

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

env: $(STAMP)  ## .venv with everything that demo, tests and lint need

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,tensorboard,studio]"
	@touch $@

demo: env  ## train the default on the embedded corpus, translate, and show where it looked
	$(BIN)/jumok explain
	$(BIN)/jumok explain nadaraya-watson --plot out/nadaraya-watson.svg

test: env  ## every test
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup

lint: env  ## style, types and the rules of the architecture
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/pyright
	$(BIN)/lint-imports

format: env  ## write every file in the project's style
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

bench: env  ## what we claim about attention's speed and memory, measured here
	$(BIN)/python benchmarks/attention.py

clean:  ## remove what the commands above made, but not your runs
	rm -rf .venv out dist build .pytest_cache .ruff_cache .hypothesis
