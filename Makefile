# One command per intent. Everything runs in .venv, which is built from requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRAIN := .venv-train
READY := $(VENV)/.ready

.PHONY: setup demo test test-all best train-test browser check format bench model docs results lock clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "samevent needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: setup  ## the bundled articles to a report
	$(BIN)/samevent demo -o samevent-demo --force

test: setup  ## run the suite on all cores, without the slow tests
	$(BIN)/python -m pytest -q -n auto -m "not slow"

test-all: setup  ## run every test, slow ones included
	$(BIN)/python -m pytest -q -n auto

best: setup  ## install the large encoder of the preset best and run its tests
	$(BIN)/samevent models install best
	$(BIN)/python -m pytest -q -m best tests/language/encoder/test_best.py

train-test: setup  ## run the tests that train encoders, with torch in an environment on top of this one
	$(PYTHON) -m venv --clear $(TRAIN)
	echo "import site; site.addsitedir('$$(echo $(CURDIR)/$(VENV)/lib/python*/site-packages)')" > $$(echo $(TRAIN)/lib/python*/site-packages)/base.pth
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check "samevent[train]"
	$(TRAIN)/bin/python -m pytest -q tests/language/encoder tests/cli/test_train_encoder.py

browser: setup  ## test the report in Debian's chromium, installing it where that is allowed
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
		|| sudo -n apt-get install -y -qq --no-install-recommends chromium || echo "no browser found, and none can be installed"
	$(BIN)/python -m pytest -q tests/browser

check: setup  ## formatting, lint, types, import contract
	$(BIN)/ruff format --no-cache --check .
	$(BIN)/ruff check --no-cache .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup  ## reformat and apply safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup  ## print one JSON object per line
	$(BIN)/python benchmarks/scoring.py --json
	$(BIN)/python benchmarks/language.py --json
	$(BIN)/python benchmarks/encoder.py --json
	$(BIN)/python benchmarks/extraction.py --json
	$(BIN)/python benchmarks/affinities.py --json
	$(BIN)/python benchmarks/sampler.py --json
	$(BIN)/python benchmarks/crp.py --json
	$(BIN)/python benchmarks/pipeline.py --json
	$(BIN)/python benchmarks/reading.py --json
	$(BIN)/python benchmarks/update.py --json
	$(BIN)/python benchmarks/gate.py --json
	$(BIN)/python benchmarks/growth.py --json

model: setup  ## build the shipped model from its sources (npm, and the data folder)
	$(BIN)/python -m tools.build_model

docs: setup  ## regenerate the generated parts of the documentation and build the site
	$(BIN)/python tools/generate_docs.py
	$(BIN)/python tools/run_notebook.py examples/notebook.ipynb
	$(BIN)/python -m tools.draw_model
	$(BIN)/python -m tools.draw_path
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

results: setup  ## write docs/results.md from the stored measurements
	$(BIN)/python -m tools.make_results

lock:  ## re-resolve requirements.lock from pyproject.toml
	$(PYTHON) -m venv --clear .lock-venv
	.lock-venv/bin/python -m pip install --quiet pip-tools
	.lock-venv/bin/pip-compile --quiet --upgrade --extra dev --strip-extras --allow-unsafe --generate-hashes --no-header \
		--no-emit-options --no-emit-index-url --no-emit-find-links --no-emit-trusted-host -o requirements.lock pyproject.toml
	rm -rf .lock-venv

clean:
	rm -rf $(VENV) $(TRAIN) .lock-venv .model-sources .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache site samevent-demo
