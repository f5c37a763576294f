SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

# The words of the goal reach the program as they are, whatever they hold: the value is not
# expanded by make, and travels in the environment, past the shell's quoting.
GOAL ?= find the red mug
override GOAL := $(value GOAL)
SEED ?= 4
OUT ?= out/demo
WORLD ?=
# No words would name the checkout itself.
ifeq ($(strip $(value OUT)),)
override OUT := out/demo
endif
ARGS ?=
export GOAL SEED OUT WORLD

# Demo and suite start hundreds of processes: each would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r name text; do
	  printf '  make %-11s %s\n' "$$name" "$$text"
	done

.PHONY: bootstrap
bootstrap: ## make or update the environment (.venv)
	@ros_wheels/bootstrap --all

.PHONY: demo
demo: bootstrap ## two missions in the simulator, to OUT/latest: GOAL="find the red mug" SEED=4 OUT=out/demo WORLD=my_flat ARGS="--record"
	@. ros_wheels/env.sh
	python -m semantic_nav demo --goal "$$GOAL" --seed "$$SEED" --out "$$OUT" $${WORLD:+--world "$$WORLD"} $(ARGS)

.PHONY: build
build: bootstrap
	@. ros_wheels/env.sh
	rm -rf build/semantic_nav/test_results build/semantic_nav/pytest.xml
	python -m colcon build --paths . semantic_nav_sim --packages-select semantic_nav semantic_nav_sim

# Four workers: two mostly wait (test/conftest.py). The last lines are pytest's own summary,
# whatever colcon prints after it.
.PHONY: test
test: build ## build with colcon and run all tests; ARGS="-k words" goes to pytest
	@. ros_wheels/env.sh
	status=0
	python -m colcon test --paths . --packages-select semantic_nav --return-code-on-test-failure \
	  --event-handlers console_direct+ --pytest-args -n 4 $(ARGS) || status=$$?
	python -m colcon test-result --test-result-base build/semantic_nav || true
	summary=$$(grep -aE '^=+ .* in [0-9.]+s' log/latest_test/semantic_nav/stdout.log | tail -1) \
	  || { echo 'make test: pytest did not finish' >&2; exit 1; }
	echo "$$summary"
	exit $$status

.PHONY: test-nightly
test-nightly: export NIGHTLY := 1
test-nightly: test ## all tests in full size, with seeds that nobody tried: some hours

.PHONY: test-unit
test-unit: export HYPOTHESIS_PROFILE := quick
test-unit: ## test/unit but for what is slow: no ROS; ARGS="-k words" goes to pytest
	@if [[ -x .venv/bin/python ]]; then
	  ros_wheels/bootstrap --all
	  . ros_wheels/env.sh
	  python -m pytest test/unit -m 'not slow' -n auto $(ARGS)
	else
	  ros_wheels/bootstrap --unit
	  PYTHONPATH=semantic_nav_sim build/venv-unit/bin/python -m pytest test/unit -m 'not slow' -n auto $(ARGS)
	fi

.PHONY: fuzz
fuzz: bootstrap ## 100 000 hostile replies through the gate; ARGS="--count 1000000 --seed 1"
	@. ros_wheels/env.sh
	python test/support/fuzz_gate.py $(ARGS)

.PHONY: looks
looks: bootstrap ## 60 looks at a real llama.cpp server with a very small model; ARGS="--count 10 --show"
	@. ros_wheels/env.sh
	python test/servers/looks_under_grammar.py $(ARGS)

.PHONY: hostile
hostile: bootstrap ## 100 000 hostile hypotheses, and a second checker beside the verifier; ARGS="--count 2000"
	@. ros_wheels/env.sh
	python test/hostile/run_hostile.py $(ARGS)

.PHONY: dst
dst: bootstrap ## whole missions while everything goes wrong: ARGS="--seed 1 --count 300 --mode safety"
	@. ros_wheels/env.sh
	python test/dst/run.py $(ARGS)

.PHONY: failsafe
failsafe: bootstrap ## try out what the robot does when something fails: docs/failsafe.html
	@. ros_wheels/env.sh
	python test/dst/failsafe.py $(ARGS)

.PHONY: recordings
recordings: bootstrap ## write anew what recorded missions decide: test/missions/recorded
	@. ros_wheels/env.sh
	python test/missions/record_missions.py

.PHONY: chaos
chaos: bootstrap ## missions in real processes, something going wrong in each; ARGS="--count 5"
	@. ros_wheels/env.sh
	python test/chaos/run.py $(ARGS)

.PHONY: test-ollama
test-ollama: ## ask a real Ollama: SEMANTIC_NAV_TEST_OLLAMA=http://localhost:11434
	@if [[ -z "$${SEMANTIC_NAV_TEST_OLLAMA:-}" ]]; then
	  echo 'off: say which server, as in'
	  echo '  make test-ollama SEMANTIC_NAV_TEST_OLLAMA=http://localhost:11434'
	  exit 0
	fi
	ros_wheels/bootstrap --all
	. ros_wheels/env.sh
	python -m pytest -rA test/servers/check_ollama.py $(ARGS)

.PHONY: lint
lint: bootstrap ## ruff, and mypy in strict mode on the core packages
	@. ros_wheels/env.sh
	status=0
	ruff check . || status=1
	mypy || status=1
	exit $$status

.PHONY: clean
clean: ## remove what builds and tests leave behind
	@rm -rf build install log .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find semantic_nav semantic_nav_sim test launch ros_wheels -name __pycache__ -prune -exec rm -rf {} +

.PHONY: distclean
distclean: clean ## remove the environment too
	@rm -rf .venv
