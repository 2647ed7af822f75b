# Everything sets itself up: `make demo` and `make test` need nothing but Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CORE := $(VENV)/.core
SOURCES := pyproject.toml setup.py $(wildcard src/demospec/native/*.[ch])
DATA ?=
OPTIONS ?=

.PHONY: demo docs test lint bench bench-identify bench-plan bench-recovery bench-mouse bench-weights reproduce clean bench-ask bench-monitor bench-logs fuzz sanitize bench-studio

demo: $(CORE)  ## learn the paper's task from two demonstrations and show it
	@mkdir -p out
	@$(BIN)/demospec example robot > out/robot.toml
	@$(BIN)/demospec learn out/robot.toml --seed 0 --out out/demo

docs: $(VENV)/.docs  ## the site, in out/docs; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto -b html docs out/docs
	@echo out/docs/index.html

$(VENV)/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $(VENV)/.docs

test: lint docs browser  ## all checks
	$(BIN)/python -m pytest -n auto

.PHONY: browser
browser:  ## Chromium for the tests of pages, where it can be installed
	@sh tests/browser/setup.sh

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(READY)  ## ours and the authors' package, one after the other, in one run
	$(BIN)/python benchmarks/search.py

bench-identify: $(READY)  ## identification: ours and dfa-identify on the same examples, in one run
	$(BIN)/python benchmarks/identify.py

.PHONY: bench-dfaminer
bench-dfaminer: $(CORE)  ## the 1,300 sets of DFAMiner's authors: make bench-dfaminer DATA=FOLDER
	$(BIN)/python benchmarks/dfaminer.py --data '$(or $(DATA),$(error say where the sets are: make bench-dfaminer DATA=FOLDER))'

bench-plan: $(READY)  ## planning: time and memory over the size of world, task and horizon
	$(BIN)/python benchmarks/plan.py

bench-recovery: $(READY)  ## planted tasks: how often each way to search finds one as good as the truth; OPTIONS='--suite wide'
	$(BIN)/python benchmarks/recover.py $(OPTIONS)

bench-mouse: $(CORE)  ## runs of mice in a labyrinth, held-out ones predicted: make bench-mouse DATA=FOLDER
	$(BIN)/python benchmarks/mouse.py --data '$(or $(DATA),$(error say where train.toml and test.toml are: make bench-mouse DATA=FOLDER))'

bench-weights: $(READY)  ## planted tasks: what a bit should cost in nats, for the best task and for the belief
	$(BIN)/python benchmarks/weights.py

bench-ask: $(READY)  ## planted tasks: labels asked for by their information against labels at random
	$(BIN)/python benchmarks/ask.py

bench-monitor: $(READY)  ## logs: events a second in each format, and how soon a line of a pipe is answered
	$(BIN)/python benchmarks/monitor.py

bench-logs: $(READY)  ## logs: steps a second that become demonstrations, or are counted to a world
	$(BIN)/python benchmarks/logs.py

fuzz: $(READY)  ## spoiled inputs for every format and command: CASES=20000 for more, SEED=1 for others
	$(BIN)/python tests/fuzzing/fuzz.py --cases $(or $(CASES),1200) --seed $(or $(SEED),0)

# Tests of what is compiled; those of every format are slow under a checker, and add nothing.
CHECKED := tests/tasks/test_tables.py tests/tasks/test_edits.py tests/tasks/test_detours.py \
	tests/plan/test_tabular.py tests/plan/test_many_scores.py tests/plan/test_along_tree.py \
	tests/identify/test_exact.py tests/identify/test_classes.py tests/test_golden.py

sanitize: $(READY)  ## the C, built to check every access to memory and every operation (needs gcc and its libasan)
	@mkdir -p out
	gcc -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined \
		-ffp-contract=off -shared -fPIC -o out/sanitized.so src/demospec/native/*.c -lm
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc DEMOSPEC_NATIVE=$(CURDIR)/out/sanitized.so \
		$(BIN)/python -m pytest -q -p no:cacheprovider -p no:xdist $(CHECKED)

bench-studio: $(READY)  ## the studio in a browser: from the last key to the sentence, and painting
	$(BIN)/python benchmarks/studio.py

reproduce: $(READY)  ## docs/reproduction/, as it is committed
	$(BIN)/demospec reproduce monolithic --seeds 0-9 --baselines --out docs/reproduction/monolithic
	$(BIN)/demospec reproduce incremental --seeds 0-9 --baselines --out docs/reproduction/incremental

.PHONY: wheel
wheel: $(CORE)  ## dist/: a wheel for this platform and every Python from 3.11
	DEMOSPEC_MUST_COMPILE=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

.PHONY: try-wheel
try-wheel: wheel  ## the wheel in clean environments: every Python that is found, lowest versions, no compiler
	$(BIN)/python tools/install_everywhere.py dist/demospec-*.whl --lowest --without-compiler

# Two stamps: the program alone, for those who only run it, and with what checks it on top.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "demospec needs Python 3.11 or newer; found " + sys.version.split()[0] + " (set PYTHON=…)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable $(1)
endef

$(CORE): $(SOURCES)
	$(call install,.)
	@touch $(CORE)

$(READY): $(SOURCES)
	$(call install,'.[test]')
	@touch $(CORE) $(READY)

clean:
	rm -rf $(VENV) out .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
