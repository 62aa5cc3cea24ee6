"""Making machine code: who may touch LLVM, and when."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler import executable, lower
from sixvec.compiler.forks import building
from sixvec.compiler.target import llvm
from sixvec.spatial import Vec3


def test_llvm_is_only_touched_under_the_lock_that_a_fork_waits_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ffi = llvm().ffi
    robot = sv.load("planar_2r")
    robot.mass_matrix(np.zeros(2))  # the first call asks LLVM about this machine
    calls: list[bool] = []
    call = ffi._lib_fn_wrapper.__call__

    def watched(self: Any, *arguments: Any, **keywords: Any) -> Any:
        calls.append(building._is_owned())  # type: ignore[attr-defined]
        return call(self, *arguments, **keywords)

    monkeypatch.setattr(ffi._lib_fn_wrapper, "__call__", watched)
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    for k in range(3):  # machine code that goes, too
        sv.Robot(robot.model.with_gravity(Vec3(0.1 * k, 0.0, -9.0))).mass_matrix(np.zeros((40, 2)))
    assert len(calls) > 20 and all(calls)


FORK_DURING_AN_IMPORT = """
import os, signal, sys, threading, time
import sixvec
from sixvec.compiler import forks

sixvec.__path__.append(sys.argv[1])
thread = threading.Thread(target=lambda: __import__("sixvec.slow_to_import"))
thread.start()
while "sixvec.slow_to_import" not in sys.modules:
    time.sleep(0.01)
child = os.fork()
if child == 0:
    signal.alarm(10)
    import sixvec.slow_to_import
    os._exit(0 if sixvec.slow_to_import.whole else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no forks there")
def test_a_fork_waits_for_an_import_in_another_thread(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.5)\nwhole = True\n")
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK_DURING_AN_IMPORT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "0\n", done.stderr


def test_a_program_is_lowered_once_for_one_sample_and_batches() -> None:
    program = sv.load("planar_2r").kernel("mass_matrix").program
    first = lower.lowered(program, "float64")
    assert lower.lowered(program, "float64") is first
    assert lower.lowered(program, "float32") is not first
    del program, first
    gc.collect()
    assert lower._latest is None


def test_garbage_is_collected_again_after_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def failing(*args: object) -> None:
        seen.append(gc.isenabled())
        raise ZeroDivisionError

    monkeypatch.setattr(executable, "build", failing)
    with pytest.raises(ZeroDivisionError):
        sv.load("planar_2r").with_gravity([1.0, 2.0, 3.5]).gravity_forces(np.zeros(2))
    assert seen == [False] and gc.isenabled()
