"""`sixvec emit`: source that a C compiler takes, and that computes what the robot computes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec import Robot, compiled, load
from sixvec.cli import main
from sixvec.kernels.exported import symbol
from sixvec.model import Frame
from sixvec.model.robots import BUILT_IN
from sixvec.scalar import cos
from sixvec.spatial import RigidInertia, Sym3, Vec3

CC = shutil.which("cc")
FLAGS = ("-std=c99", "-Wpedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")

USER = """
#include <stdio.h>
#include "kernel.h"
int main(void) {
    double q[7] = {0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7}, tau[7];
    panda_gravity_forces(q, tau);
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
    ctypes.CDLL(str(library)).panda_gravity_forces(q.ctypes.data_as(pointer), tau.ctypes.data_as(pointer))
    np.testing.assert_allclose(tau, robot.gravity_forces(q), rtol=0, atol=1e-12 * np.abs(tau).max())


@needs_cc
def test_output_is_source_and_header(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    done = sixvec("emit", "panda", "gravity_forces", "--output", tmp_path / "kernel.c")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["kernel.c", "kernel.h"]
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
    where = ("emit", "panda", "jacobian:panda_link8")
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
        (["panda", "pose:panda_link9"], 2, 'no frame "panda_link9" in panda; did you mean'),
        (["panda", "pose"], 2, "pose:panda_link8"),
        (["panda", "mass_matrix", "--target", "fortran"], 2, 'no target "fortran"; targets: c,'),
        (["panda", "jacobian:panda_link8", "--reference", "word"], 2, 'no reference "word"'),
        (["panda", "mass_matrix:panda_link8"], 2, "frame"),
        (["panda", "jacobian"], 2, "jacobian:panda_link8"),
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


MANY = """
#include <stdio.h>
#include "arms/first.h"
#include "second.h"
#include "third.h"
#include "panda_gravity_forces_dq.h"
#include "panda_jacobian_panda_link7.h"
#include "panda_jacobian_panda_link8.h"
static void show(const double *x, int n) { for (int i = 0; i < n; i++) printf("%.17g\\n", x[i]); }
int main(void) {
    const double q[7] = {0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7}, v[7] = {1, 2, 3, 4, 5, 6, 7};
    const double wrench[6] = {0.1, 0.2, 0.3, 4, 5, 6}, load[10] = {2, 0, 0, 0.1, 0.02, 0, 0, 0.02, 0, 0.01};
    const float q32[6] = {0.1f, 0.2f, 0.3f, -1.5f, 0.5f, 1.6f};
    double tau[7], J[42], J2[42], C[49], g[6], dg[49];
    float g32[6];
    panda_inverse_dynamics_external_panda_link8_payload_panda_link7(q, v, v, wrench, load, tau);
    show(tau, 7);
    panda_coriolis_matrix_payload_panda_link7(q, v, load, C);
    show(C, 49);
    arm_gravity_forces(q, g);
    show(g, 6);
    arm_gravity_forces_float32(q32, g32);
    for (int i = 0; i < 6; i++) printf("%.9g\\n", (double)g32[i]);
    panda_jacobian_panda_link8(q, J);
    show(J, 42);
    panda_jacobian_panda_link7(q, J2);
    show(J2, 42);
    panda_gravity_forces_dq(q, dg);
    show(dg, 49);
    return 0;
}
"""


@needs_cc
def test_two_robots_two_frames_and_two_types_in_one_program(tmp_path: Path) -> None:
    """Compiled without a warning, linked together, and right."""
    (tmp_path / "arms").mkdir()

    def emit(*arguments: object) -> None:
        assert main(["emit", *map(str, arguments)]) == 0

    first = ("panda", "inverse_dynamics", "coriolis_matrix", "--external", "panda_link8", "--payload", "panda_link7")
    emit(*first, "--output", tmp_path / "arms" / "first.c")
    emit("ur5e", "gravity_forces", "--name", "arm_gravity_forces", "--output", tmp_path / "second.c")
    single = ("--dtype", "float32", "--name", "arm_gravity_forces_float32")
    emit("ur5e", "gravity_forces", *single, "--output", tmp_path / "third.c")
    for frame in ("panda_link7", "panda_link8"):
        emit("panda", f"jacobian:{frame}", "--output", tmp_path)
    emit("panda", "gravity_forces", "--derivative", "q", "--output", tmp_path)
    (tmp_path / "user.c").write_text(MANY)
    compile_c(*sorted(tmp_path.rglob("*.c")), "-o", tmp_path / "user")
    printed = subprocess.run([tmp_path / "user"], capture_output=True, text=True, check=True, timeout=60).stdout
    found = np.array([float(line) for line in printed.split()])
    panda, ur5e = load("panda"), load("ur5e")
    q, v = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7]), np.arange(1.0, 8.0)
    held = panda.with_payload("panda_link7", RigidInertia(2.0, Vec3(0, 0, 0.1), Sym3(0.02, 0, 0, 0.02, 0, 0.01)))
    wrench = np.array([0.1, 0.2, 0.3, 4.0, 5.0, 6.0])
    right = [
        held.inverse_dynamics(q, v, v, external={"panda_link8": wrench}),
        held.coriolis_matrix(q, v),
        ur5e.gravity_forces(q[:6]),
        ur5e.gravity_forces(q[:6]),
        panda.jacobian(q, "panda_link8"),
        panda.jacobian(q, "panda_link7"),
        panda.kernel("gravity_forces").derivative("q")(q),
    ]
    start = 0
    for i, expected in enumerate(right):
        part = found[start : start + expected.size].reshape(expected.shape)
        tolerance = (1e-5 if i == 3 else 1e-12) * np.abs(expected).max()
        np.testing.assert_allclose(part, expected, rtol=0, atol=tolerance)
        start += expected.size
    assert start == len(found)


def test_names_never_collide() -> None:
    panda, floating = load("panda"), load("panda", floating=True)
    kernels = [
        panda.kernel("jacobian", frame="panda_link8"),
        panda.kernel("jacobian", frame="panda_link7"),
        panda.kernel("jacobian", frame="panda_link8", reference="local"),
        panda.kernel("inverse_dynamics"),
        panda.kernel("inverse_dynamics", passive=True),
        panda.kernel("inverse_dynamics", external=("panda_link8",)),
        panda.kernel("inverse_dynamics", external=("panda_link8",), external_reference="world"),
        panda.with_payload("panda_link8", 1.0).kernel("inverse_dynamics"),
        panda.kernel("inverse_dynamics").derivative("q"),
        panda.kernel("inverse_dynamics").derivative("q").derivative("v"),
        panda.kernel("inverse_dynamics").directional("q", "v"),
        panda.kernel("inverse_dynamics").gradient("q"),
        panda.kernel("hybrid_dynamics", prescribed=(0,)),
        panda.kernel("hybrid_dynamics", prescribed=(1,)),
        load("ur5e").kernel("inverse_dynamics"),
    ]
    names = [symbol(kernel, dtype) for kernel in kernels for dtype in ("float64", "float32")]
    assert len({*names}) == len(names) and all(name.isascii() and name.isidentifier() for name in names)
    odd = [replace(floating.model, name=name) for name in ("my arm", "my-arm", "my_arm", "mein Ärmchen", "int", "7")]
    names = [symbol(Robot(model).kernel("gravity_forces")) for model in odd]
    assert len({*names}) == len(names) and all(name.isascii() and name.isidentifier() for name in names)


def test_the_header_says_what_a_caller_must_know(tmp_path: Path) -> None:
    where = ["--reference", "local", "--output", str(tmp_path / "k.c")]
    assert main(["emit", "solo12", "jacobian:base_link", *where]) == 0
    header = (tmp_path / "k.h").read_text()
    for words in (
        "jacobian of the robot solo12",
        "frame: base_link",
        "reference: local: origin and axes of the frame",
        "Units: m, kg, s, rad, N, N m",
        "angular first",
        "x y z w",
        "q[0..6], v[0..5]: root_joint (free: position (m), quaternion; omega, v in body axes)",
        "q[7], v[6]: FL_HAA (revolute: rad)",
        "J: 6 x 18",
        "SIXVEC_solo12_jacobian_base_link_local_H",
    ):
        assert words in header, words
    assert header.isascii()


@needs_cc
def test_odd_names_compile(tmp_path: Path) -> None:
    """Comments that would end, names that C has taken, arguments that would be one."""
    model = BUILT_IN["planar_2r"]()
    frames = [Frame(name, "link2") for name in ("a-b", "a_b", "*/ int x; /*", "??/")]
    named = replace(model, name="*/ double", frames=(*model.frames, *frames))
    kernel = Robot(named).kernel("inverse_dynamics", external=[f.name for f in frames])
    (tmp_path / "k.c").write_text(kernel.source("c"))
    compile_c("-c", tmp_path / "k.c", "-o", tmp_path / "k.o")
    taken = compiled("t1[1] sin[1] int[1] -> y0[1]")(lambda t1, sin, i: [cos(t1[0]) + sin[0] * i[0]])
    taken.function.__name__ = "fma"
    (tmp_path / "l.c").write_text(taken.source("c", name="fma"))
    compile_c("-c", tmp_path / "l.c", "-o", tmp_path / "l.o")
    idle = compiled("x[2] y[2] -> z[1]")(lambda x, y: [y[0]])
    (tmp_path / "m.c").write_text(idle.source("c"))
    compile_c("-c", tmp_path / "m.c", "-o", tmp_path / "m.o")


def test_emitted_files_replace_nothing_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = tmp_path / "k.h"
    header.write_text("mine")
    command = ["emit", "planar_2r", "mass_matrix", "--output", str(tmp_path / "k.c")]
    assert main(command) == 4
    assert header.read_text() == "mine" and not (tmp_path / "k.c").exists()
    assert main([*command, "--force"]) == 0 and "mass_matrix" in header.read_text()
    assert main(["emit", "planar_2r", "mass_matrix", "--output", str(tmp_path / "x.h")]) == 2
    assert main(["emit", "planar_2r", "mass_matrix", "--name", "two words"]) == 2
    assert main(["emit", "planar_2r", "mass_matrix", "mass_matrix"]) == 2
    assert main(["emit", "planar_2r", "mass_matrix", "gravity_forces", "--target", "llvm"]) == 2
    assert main(["emit", "planar_2r", "mass_matrix", "--passive"]) == 2
    capsys.readouterr()
    assert main(["emit", "planar_2r", "mass_matrix", "pose:link2", "--name", "left", "--target", "cuda"]) == 0
    shown = capsys.readouterr().out
    assert "void left_mass_matrix(" in shown and "void left_pose_link2(" in shown


@pytest.mark.parametrize(
    "command",
    [
        ["emit", "planar_2r", "jacobian"],
        ["export", "planar_2r", "jacobian:", "--output", "library"],
        ["export", "planar_2r", "ik", "--output", "library"],
        ["batch", "planar_2r", "jacobian", "states.zarr", "results.zarr"],
    ],
    ids=" ".join,
)
def test_functions_of_a_frame_say_how_it_is_given(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    name = command[2].rstrip(":")
    assert f"{name}:FRAME, for example {name}:tip" in capsys.readouterr().err
