# Every target does its own set-up: a virtual environment in .venv, then the work.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CALLS := $(addprefix tests/kernels/test_, call_path.py call_safety.py call_stub.py several_outputs.py)
BITS := $(VENV)/bits.json
SEED ?= 0
COUNT ?= 40
ANYWHERE := tests/compiler/test_recorded_bits.py tests/compiler/test_sincos.py tests/compiler/test_bits.py \
  tests/compiler/test_bytecode.py \
  tests/compiler/test_build.py tests/kernels/test_call_path.py tests/laws/test_forward_undoes_inverse_dynamics.py \
  tests/laws/test_every_target_computes_the_same.py
# qemu-user cannot fork a process that has threads ("cpu_exec: assertion failed"), whatever the program.
EMULATED := -m "not slow" --deselect tests/kernels/test_call_path.py::test_a_forked_child_can_use_threads $(ANYWHERE)

.PHONY: demo docs test stress test-slow test-cluster test-arm test-old-cpu mutants check bench bench-geometry stubs map clean

demo: $(VENV)/.ready-demo  ## a robot, whether its numbers are right, how fast they are, and a film
	$(BIN)/sixvec demo --force

test: $(READY)  ## everything but the slow sweeps; the call path once more without its machine-code call stub
	$(BIN)/python -m pytest -n auto -m "not slow and not stress and not cluster"
	SIXVEC_CALL_STUB=off $(BIN)/python -m pytest -n auto -m "not slow" $(CALLS)

stress: $(READY)  ## threads, interrupts, forks, leaks: STRESS_SECONDS a scenario, 3 unless said otherwise
	$(BIN)/python -m pytest -n auto -m stress tests/stress

test-cluster: $(VENV)/.ready-cluster  ## real clusters of dask and ray on this machine; a worker is killed
	$(BIN)/python -m pytest -p no:xdist -m cluster tests/interop tests/cli

test-slow: $(READY)  ## the long sweeps
	$(BIN)/python -m pytest -n auto -m slow

# OPENBLAS_CORETYPE would make NumPy use instructions that the emulated processor lacks.
test-old-cpu: $(READY) $(BITS)  ## bits, calls and a law on emulated processors, the older one without fused multiply-add (qemu-user)
	for cpu in Haswell Nehalem; do \
	  env -u OPENBLAS_CORETYPE SIXVEC_RECORDED_BITS=$(BITS) qemu-x86_64 -cpu $$cpu $(BIN)/python -m pytest -p no:xdist \
	    -W "ignore:this processor has no fused" $(EMULATED) || exit 1; \
	done

test-arm: $(READY) $(BITS) .arm/.ready  ## the same on an emulated aarch64 processor, with a Python and wheels of its own
	SIXVEC_RECORDED_BITS=$(BITS) PYTHONPATH=src .arm/bin/python -m pytest -p no:cacheprovider $(EMULATED)

.arm/.ready: tools/arm_root.sh
	sh tools/arm_root.sh .arm $(BIN)/pip

.PHONY: $(BITS)
$(BITS): $(READY)  # of the source as it is now
	$(BIN)/python tests/recorded_bits.py $@

mutants: $(READY)  ## change one token of the source, COUNT times as SEED decides: does a test see it?  MUTANTS="--help"
	$(BIN)/python tools/mutants.py --seed $(SEED) --count $(COUNT) $(MUTANTS)

check: $(READY)  ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready-bench $(VENV)-placo/.ready  ## side by side with the peers, ratios, JSON and chart
	$(BIN)/python benchmarks/run.py --json benchmarks/results.json --chart docs/benchmark.png
	$(BIN)/python benchmarks/readme_table.py

bench-geometry: $(VENV)/.ready-bench  ## a million rotations and poses, side by side with SciPy
	$(BIN)/python benchmarks/geometry.py

docs: $(VENV)/.ready-docs  ## the site in site/: every page is run, every link followed, a warning is an error
	$(BIN)/python -m sphinx -E -W --keep-going -q -b html -d site/.doctrees docs site

stubs: $(READY)  ## write the typed signatures of Robot's generated methods
	$(BIN)/python tools/write_stubs.py

map: $(READY)  ## write the textbook map from docstrings, marks of tests and the register
	$(BIN)/python tools/write_textbook_map.py

$(VENV)/.ready-demo: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[film]'
	touch $@

$(READY): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

$(VENV)/.ready-bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	touch $@

$(VENV)-placo/.ready: $(READY)  # needs other versions of Pinocchio and coal
	test -d $(VENV)-placo || $(BIN)/python -m venv $(VENV)-placo
	$(VENV)-placo/bin/python -m pip install --quiet --disable-pip-version-check 'placo>=0.10'
	touch $@

$(VENV)/.ready-cluster: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,cluster]' 'ray[data]>=2.40'
	touch $@

$(VENV)/.ready-docs: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-placo .arm .mypy_cache .ruff_cache .pytest_cache .hypothesis site demo.gif docs/reference docs/groups docs/_static docs/_build .jupyter_cache
