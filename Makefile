# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
BIN    := .venv/bin
STAMP  := .venv/.installed

.PHONY: help env demo web lessons contract test test-cpu test-ray browser compilers screenshots lint format bench results clean argos

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

env: $(STAMP)  ## .venv with everything that demo, tests and lint need

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,tensorboard,studio]"
	@touch $@

demo: env  ## train the default on the embedded corpus, translate, and show where it looked
	$(BIN)/jumok demo

PAGE := src/jumok/studio/static/index.html
WEB  := $(shell find web/src web/public -type f 2>/dev/null) web/index.html web/package-lock.json web/vite.config.ts web/vite.notebook.config.ts

web: $(PAGE)  ## the studio's page, built from web/ (needs Node 20)

$(PAGE): $(WEB)
	@command -v npm >/dev/null || { echo "The page needs Node 20 or later (node and npm); everything else works without it."; exit 1; }
	cd web && npm install --no-save --no-progress && npm run build

lessons: env  ## the lessons' models that are missing from src/jumok/studio/models, trained again and stored there
	$(BIN)/python -m jumok.studio.lesson_models

contract: env  ## web/src/contract.ts again, after the studio's messages have changed
	$(BIN)/python -m jumok.studio.typescript web/src/contract.ts

test: env browser compilers  ## every test
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web && cd web && npm test; \
	else echo "Node is not installed: the tests of the page are left out."; fi
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup --ignore=tests/browser
	$(BIN)/python -m pytest -q tests/browser  # one after the other: they share a studio and its models

test-ray: env  ## batch translation and serving on a real Ray cluster of two workers on this machine (installs Ray: 700 MB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[ray]"
	$(BIN)/python -m pytest -q tests/cluster

# SHORT=1 runs a part of them, at the levels below the processor's own.
test-cpu: env  ## the numeric tests with instruction sets held down (baseline x86-64, AVX2, AVX-512 where present)
	$(BIN)/python -m tests.instructions $(if $(SHORT),--short)

compilers: env  ## clang, and a compiler and an emulator for aarch64, for the tests of the C sources, where they can be had
	@$(BIN)/python -m tests.compiled.compilers --install

browser: env  ## a Chromium for the browser tests, where one can be had
	@$(BIN)/python -m tests.browser.chromium --install

screenshots: env web browser  ## pictures of each view of the studio, into docs/images
	$(BIN)/python -m tests.browser.screenshots docs/images

argos: env  ## whether Argos Translate, in an environment of its own, translates as the run it was exported from
	$(BIN)/python benchmarks/argos.py tests/engine/trained/transformer "The doctor sleeps at the hotel today." "Who sees the garden?|The teacher reads a letter."

lint: env  ## style, types and the rules of the architecture
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/pyright
	$(BIN)/lint-imports

format: env  ## write every file in the project's style
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

bench: env  ## what we claim about attention's speed and memory, measured here
	$(BIN)/python benchmarks/attention.py

results: env  ## results on real text: make results DATA=folder with Multi30k (README says where it is)
	@test -n "$(DATA)" || { echo "Name the folder with Multi30k: make results DATA=folder"; exit 2; }
	$(BIN)/python benchmarks/results.py --data "$(DATA)"

clean:  ## remove what the commands above made, but not your runs
	rm -rf .venv out dist build .pytest_cache .ruff_cache .hypothesis
