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
.PHONY: help demo test test-slow bench lint clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):  ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
	@echo "ARGS='...' goes to the program that runs (make test ARGS='-k gravity'); PYTHON=python3.12 picks a Python."

demo:  ## simulate an arm and drive it in one ROS graph: tracking with and without feedforward
	$(call setup,demo)
	$(say) running examples/follow_trajectory.py: torques of a motion, compared with Pinocchio's"
	@$(python) examples/follow_trajectory.py
	$(say) running the nodes simulator and feedforward in one ROS graph"
	@$(python) -m kane_dynamics.nodes.demo $(ARGS)

test:  ## run every test but the slow ones
	$(call setup,test)
	$(say) running the tests without a ROS graph, on all cores"
	@$(python) -m pytest -m 'not slow and not ros' -n auto --dist loadfile $(ARGS) || test $$? -eq 5  # 5: ARGS left none
	$(say) running the tests of the nodes, one at a time: they want the machine for themselves"
	@$(python) -m pytest -m 'not slow and ros' $(ARGS) || test $$? -eq 5

test-slow:  ## run the slow tests
	$(call setup,test)
	$(say) running the slow tests"
	@$(python) -m pytest -m slow $(ARGS) || test $$? -eq 5  # 5: none is marked slow

bench:  ## time this package beside Pinocchio, MuJoCo, CasADi, SymPy and Exudyn
	$(call setup,bench)
	$(say) running benchmark/bench.py"
	@$(python) benchmark/bench.py $(ARGS)

lint:  ## check the style (the rules of ament_flake8)
	$(call setup,lint)
	$(say) running flake8"
	@$(python) -m flake8 $(ARGS)

clean:  ## remove all that the other targets made, .venv too
	rm -rf .venv build dist install log out .pytest_cache .ruff_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
