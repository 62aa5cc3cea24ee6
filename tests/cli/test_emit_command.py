"""`sixvec emit`: source that a C compiler takes, and that computes what the robot computes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec import load

CC = shutil.which("cc")
FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")

USER = """
#include <stdio.h>
#include "gravity_forces.h"
int main(void) {
    double q[7] = {0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7}, tau[7];
    gravity_forces(q, tau);
    for (int i = 0; i < 7; i++) printf("%.17g\\n", tau[i]);
    return 0;
}
"""


def compile_c(*arguments: object) -> None:
    subprocess.run([str(CC), *FLAGS, *map(str, arguments), "-lm"], check=True, timeout=120)


@needs_cc
def test_printed_source_compiles(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    done = sixvec("emit", "panda", "gravity_forces", "--target", "c")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    source, library = tmp_path / "kernel.c", tmp_path / "kernel.so"
    source.write_text(done.stdout)
    compile_c("-shared", "-fPIC", source, "-o", library)
    robot = load("panda")
    q, tau = robot.random(1), np.empty(robot.nv)
    pointer = ctypes.POINTER(ctypes.c_double)
    ctypes.CDLL(str(library)).gravity_forces(q.ctypes.data_as(pointer), tau.ctypes.data_as(pointer))
    np.testing.assert_allclose(tau, robot.gravity_forces(q), rtol=0, atol=1e-12 * np.abs(tau).max())


@needs_cc
def test_output_is_source_and_header(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    done = sixvec("emit", "panda", "gravity_forces", "--output", tmp_path / "kernel.c")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["gravity_forces.h", "kernel.c"]
    (tmp_path / "user.c").write_text(USER)
    compile_c(tmp_path / "kernel.c", tmp_path / "user.c", "-o", tmp_path / "user")
    printed = subprocess.run([tmp_path / "user"], capture_output=True, text=True, check=True, timeout=60).stdout
    right = load("panda").gravity_forces([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7])
    np.testing.assert_allclose([float(line) for line in printed.split()], right, rtol=0, atol=1e-12 * abs(right).max())


@pytest.mark.parametrize(("target", "words"), [("llvm", "define"), ("program", "%0 = ")])
def test_other_targets(target: str, words: str, sixvec: Callable[..., Any], tmp_path: Path) -> None:
    done = sixvec("emit", "double_pendulum", "mass_matrix", "--target", target)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    written = sixvec("emit", "double_pendulum", "mass_matrix", "--target", target, "--output", tmp_path / "text")
    assert written.returncode == 0, written.stderr
    assert [f.name for f in tmp_path.iterdir()] == ["text"]
    assert (tmp_path / "text").read_text() == done.stdout


def test_options_reach_the_kernel(sixvec: Callable[..., Any]) -> None:
    where = ("emit", "panda", "jacobian", "--frame", "panda_link8")
    sources = [sixvec(*where, "--reference", name).stdout for name in ("local", "world", "local_world_aligned")]
    assert len({*sources}) == 3
    assert sixvec(*where).stdout == sources[2]
    assert "float q[7]" in sixvec(*where, "--dtype", "float32").stdout
    assert "double q[14]" in sixvec(*where, "--floating").stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["pandda", "pose"], 3, 'no built-in robot "pandda"; did you mean "panda"?'),
        (["missing.urdf", "pose"], 3, 'the file "missing.urdf" does not exist'),
        (["panda", "inverse_dynamic"], 2, 'did you mean "inverse_dynamics"?'),
        (["panda", "pose", "--frame", "panda_link9"], 2, 'no frame "panda_link9" in panda; did you mean'),
        (["panda", "pose"], 2, "pose needs the option 'frame'"),
        (["panda", "mass_matrix", "--target", "fortran"], 2, 'no target "fortran"; targets: c,'),
        (["panda", "jacobian", "--frame", "panda_link8", "--reference", "word"], 2, 'no reference "word"'),
        (["panda", "mass_matrix", "--frame", "panda_link8"], 2, "mass_matrix has no option 'frame'"),
        (["panda", "mass_matrix", "--output", "no/such/folder/kernel.c"], 4, "no/such/folder/kernel.c"),
    ],
)
def test_errors_are_one_line(arguments: list[str], status: int, words: str, sixvec: Callable[..., Any]) -> None:
    done = sixvec("emit", *arguments)
    assert done.returncode == status
    assert done.stdout == ""
    assert done.stderr.startswith("sixvec: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
