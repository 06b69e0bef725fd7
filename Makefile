# kane_dynamics: `make help` lists what there is. Each target sets up what it needs in .venv by itself.
PYTHON ?= python3
ARGS ?=

python := .venv/bin/python
# $(call setup,SET): .venv with requirements/SET.txt; at once when it is there already.
setup = @$(PYTHON) requirements/install.py $(1)
say = @echo "[kane_dynamics]

# The ROS wheels set their library path when Python starts, unless this says that they did: it may come from another venv.
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-plain test-slow fuzz faults soak bench lint doc dist clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):  ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
	@echo "ARGS='...' goes to the program that runs (make test ARGS='-k gravity'); PYTHON=python3.12 picks a Python."

demo:  ## torques and a picture of an arm, then simulate and drive it in one ROS graph
	$(call setup,first)
	$(say) running examples/follow_trajectory.py: the torques of a motion, and the arm as a page"
	@$(python) examples/follow_trajectory.py
	$(call setup,demo)
	$(say) running the nodes simulator and feedforward in one ROS graph"
	@$(python) -m kane_dynamics.nodes.demo $(ARGS) || test $$? -eq 3  # 3: the machine stalled, which the demo says

# COVERAGE=1 measures the lines that the tests without a ROS graph run. Nodes run in other processes and do not count.
# Python 3.12 and newer do it at little cost (sys.monitoring); 3.11 takes about 1.6 times the CPU time.
COVERAGE ?=
measured := $(if $(COVERAGE),--cov --cov-report=)
core := $(if $(COVERAGE),$(shell $(PYTHON) -c 'import sys; print("COVERAGE_CORE=sysmon" * (sys.version_info >= (3, 12)))'))

test:  ## run every test but the slow ones (COVERAGE=1 prints the line coverage)
	$(call setup,test)
	$(say) running the tests without a ROS graph, on all cores"
	@$(core) $(python) -m pytest -m 'not slow and not ros' -n auto --dist loadfile $(measured) $(ARGS) || test $$? -eq 5  # 5: ARGS left none
	$(if $(COVERAGE),@$(python) -m coverage report)
	$(say) running the tests of the nodes, one at a time: they want the machine for themselves"
	@$(python) -m pytest -m 'not slow and ros' $(ARGS) || test $$? -eq 5

test-plain:  ## run the tests that need no ROS, in an environment without it
	$(call setup,plain)
	$(say) running the tests without ROS, on all cores"
	@$(python) -m pytest -m 'not slow and not ros' -n auto --dist loadfile $(ARGS)

test-slow:  ## run the slow tests
	$(call setup,test)
	$(say) running the slow tests without a ROS graph, on all cores"
	@$(python) -m pytest -m 'slow and not ros' -n auto --dist worksteal $(ARGS) || test $$? -eq 5  # 5: ARGS left none
	$(say) running the slow tests of the nodes, one at a time"
	@$(python) -m pytest -m 'slow and ros' $(ARGS) || test $$? -eq 5

fuzz:  ## feed mutated files to every reader for a minute (ARGS='--seconds 3600 --targets urdf')
	$(call setup,test)
	$(say) running test/fuzz/fuzz.py"
	@$(python) test/fuzz/fuzz.py $(ARGS)

faults:  ## disturb running nodes and watch their torques (ARGS='--repeat 20 --load 4')
	$(call setup,test)
	$(say) running test/faults/faults.py"
	@$(python) test/faults/faults.py $(ARGS)

soak:  ## run the nodes at 1 kHz for ten minutes and watch their resources (ARGS='--minutes 60')
	$(call setup,test)
	$(say) running benchmark/soak.py"
	@$(python) benchmark/soak.py $(ARGS)

bench:  ## time this package beside Pinocchio, MuJoCo, CasADi, SymPy and Exudyn
	$(call setup,bench)
	$(say) running benchmark/bench.py"
	@$(python) benchmark/bench.py $(ARGS)

lint:  ## check the style (the rules of ament_flake8) and the types (mypy, strict)
	$(call setup,lint)
	$(say) running flake8"
	@$(python) -m flake8 $(ARGS)
	$(say) running mypy"
	@$(python) -m mypy

doc:  ## build the documentation site in doc/_build, with warnings as errors
	$(call setup,doc)
	$(say) running Sphinx"
	@$(python) -m sphinx -W --keep-going -q -b html doc doc/_build/html $(ARGS)
	$(say) open doc/_build/html/index.html"

dist:  ## build the wheel and the source distribution in dist/
	$(call setup,dist)
	$(say) running build"
	@$(python) -m build --no-isolation --outdir dist $(ARGS)

clean:  ## remove all that the other targets made, .venv too
	rm -rf .venv build dist install log out doc/_build .pytest_cache .mypy_cache .hypothesis .coverage* *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
