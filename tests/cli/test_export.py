"""`sixvec export`: a library of C without warnings, without libm, whose test finds the recorded bits."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec import load
from sixvec.cli import main
from sixvec.compiler.emit.c_companions import _hex
from sixvec.errors import ArgumentError
from sixvec.ik.closed_form import closed_form
from sixvec.interop.controller import _ik, _input, _search_step, controller_library
from sixvec.kernels.function import CompiledProgram

FLAGS = (
    "-std=c99",
    "-O1",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
)


def write(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).write_text(text)
    return next(name for name in files if name.endswith(".c") and not name.startswith("test_")).removesuffix(".c")


def passes(folder: Path, name: str, command: Sequence[str], *runner: str) -> None:
    subprocess.run([*command, *FLAGS, f"{name}.c", f"test_{name}.c", "-o", "test", "-lm"], cwd=folder, check=True)
    done = subprocess.run([*runner, "./test"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "0 wrong numbers", done.stdout


LIBRARIES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "panda": (["inverse_dynamics", "jacobian:panda_link8", "ik:panda_link8"], {"payload": ["panda_link8"]}),
    "ur5e": (["ik:tool0", "step:rk4"], {"external": ["tool0"], "passive": True}),
    "planar_2r": (["gravity_forces", "mass_matrix"], {"derivative": ["q"]}),
    "four_bar": (["forward_dynamics", "step:euler"], {}),
    "double_pendulum": (["forward_dynamics", "constrained_dynamics"], {"hold": {"tip": ("x",)}}),
}
DAILY = [("gcc", "panda", "float32"), ("gcc", "four_bar", "float32"), ("gcc", "double_pendulum", "float64")]
ALL = [(c, r, d) for c in ("gcc", "clang") for r in LIBRARIES for d in ("float64", "float32")]
CASES = [pytest.param(*case, marks=() if case in DAILY else pytest.mark.slow) for case in ALL]


@pytest.mark.parametrize(("compiler", "robot", "dtype"), CASES)
def test_the_library_computes_the_recorded_bits(compiler: str, robot: str, dtype: str, tmp_path: Path) -> None:
    """Without hardware for fused multiply-add, so that the one in software is what runs."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    kernels, options = LIBRARIES[robot]
    name = write(tmp_path, controller_library(load(robot), kernels, dtype=dtype, **options))
    passes(tmp_path, name, [compiler])


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_no_libm_no_memory_no_state(tmp_path: Path) -> None:
    name = write(tmp_path, controller_library(load("panda"), ["ik:panda_link8"]))
    subprocess.run(["cc", "-std=c99", "-O2", "-c", f"{name}.c"], cwd=tmp_path, check=True)
    if (nm := shutil.which("nm")) is None:
        pytest.skip("no nm")
    found = subprocess.run([nm, f"{name}.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    wanted = {line.split()[-1] for line in found.splitlines() if " U " in line}
    assert wanted <= {"sqrt", "memcpy"}
    assert not re.search(r" [bBdD] ", found), "variables"


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_the_header_for_cpp(tmp_path: Path) -> None:
    write(tmp_path, controller_library(load("panda"), ["jacobian:panda_link8"], dtype="float32", name="arm"))
    (tmp_path / "use.cpp").write_text(
        '#include "arm.hpp"\nvoid use(std::span<const float, 7> q, std::span<float, 42> J) '
        "{ sixvec::arm_robot::jacobian_panda_link8(q, J); }\n"
    )
    subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-c", "use.cpp"], cwd=tmp_path, check=True)


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["aarch64-linux-gnu", "arm-linux-gnueabihf"])
def test_the_same_bits_on_other_processors(machine: str, tmp_path: Path) -> None:
    compiler, qemu = shutil.which(f"{machine}-gcc"), shutil.which(f"qemu-{machine.partition('-')[0]}")
    if compiler is None or qemu is None:
        pytest.skip(f"no compiler or emulator for {machine}")
    name = write(tmp_path, controller_library(load("panda"), ["forward_dynamics", "jacobian:panda_link8"]))
    passes(tmp_path, name, [compiler, "-static"], qemu)


def test_the_command(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "controller"
    command = ("export", "double_pendulum", "mass_matrix", "--output", str(folder))
    done = sixvec(*command)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5 and (folder / "CMakeLists.txt").exists()
    header = (folder / "double_pendulum.h").read_text()
    assert "q[0]" in header and "At every call" in header and "SIXVEC_DOUBLE_PENDULUM_H" in header
    assert "exists" in sixvec(*command).stderr


def test_what_cannot_be_raises() -> None:
    arm = load("double_pendulum")
    with pytest.raises(ArgumentError, match="double_pendulum_mass_matrix"):
        controller_library(arm, ["mass_matrix", "crba"])
    with pytest.raises(ArgumentError, match="external"):
        controller_library(arm, ["mass_matrix"], external=["tip"])
    for option, text in {"payload": ["tip"], "hold": {"tip": ("x",)}, "derivative": ["q"]}.items():
        with pytest.raises(ArgumentError, match=named("step", option)):
            controller_library(arm, ["constrained_dynamics", "step"], **{option: text})
    with pytest.raises(ArgumentError, match="derivative"):
        controller_library(arm, ["inverse_dynamics", "ik:tip"], derivative=["q"])
    with pytest.raises(ArgumentError, match=named("mass_matrix", "a")):
        controller_library(arm, ["inverse_dynamics", "mass_matrix"], derivative=["a"])
    for kernel in ("inverse_dynamics", "step"):
        with pytest.raises(ArgumentError, match=named(kernel, "external", "tip")):
            controller_library(arm, [kernel], external=["tip", "tip"])
    with pytest.raises(ArgumentError, match=named("ik")):
        controller_library(arm, ["ik"])
    with pytest.raises(ArgumentError, match=named("integrator", "rk5", "rk4")):
        controller_library(arm, ["step:rk5"])


def test_names_say_what_a_function_takes() -> None:
    arm = load("double_pendulum")

    def names(kernel: str, **options: Any) -> list[str]:
        header = controller_library(arm, [kernel], **options)["double_pendulum.h"]
        return re.findall(r"^void double_pendulum_(\w+)\(", header, re.MULTILINE)

    assert names("step:euler") == ["step_euler"]
    assert names("step:euler", external=["tip"]) == ["step_euler_external_tip"]
    assert names("constrained_dynamics", hold={"tip": "point"}) == ["constrained_dynamics_hold_tip_point"]
    assert names("constrained_dynamics", hold={"tip": ("x", "world z")}) == ["constrained_dynamics_hold_tip_x_world_z"]


def test_headers_say_whether_forces_of_the_joints_act() -> None:
    arm = load("double_pendulum")
    headers = [controller_library(arm, ["step:euler"], passive=on)["double_pendulum.h"] for on in (True, False)]
    acts = "damping, friction and springs of the joints act"
    assert [acts in header for header in headers] == [True, False]


def test_frames_to_hold_are_named_with_their_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["export", "double_pendulum", "constrained_dynamics", "--output", str(tmp_path / "c")]
    assert main([*command, "--hold", "tip=point"]) == 0
    assert "double_pendulum_constrained_dynamics_hold_tip_point(" in (tmp_path / "c" / "double_pendulum.h").read_text()
    assert main([*command, "--hold", "tip"]) == 2
    assert "must be FRAME=KIND" in capsys.readouterr().err


def test_the_recorded_program_holds_the_results() -> None:
    """Inputs and outputs in hexadecimal notation, as the interpreter computes them."""
    arm = load("double_pendulum")
    for dtype, suffix in (("float64", ""), ("float32", "f")):
        text = controller_library(arm, ["mass_matrix"], dtype=dtype)["test_double_pendulum.c"]
        found = {
            name: np.array([[float.fromhex(x.removesuffix("f")) for x in row.split(",")] for row in rows])
            for name, rows in (
                (name, re.findall(r"\{([^{}]*)\}", block))
                for name, block in re.findall(r"(\w+)_recorded\[3\]\[\d\] = \{\n(.*?)\};", text, re.DOTALL)
            )
        }
        assert [x.shape for x in found.values()] == [(3, 2), (3, 4)]
        q, M = found.values()
        assert len(np.unique(q)) == 6
        np.testing.assert_array_equal(arm.mass_matrix(q.astype(dtype)).reshape(3, 4), M.astype(dtype))
        assert f"p+0{suffix}," in text or f"p-1{suffix}," in text


def test_numbers_in_notation_of_c() -> None:
    assert [_hex(x, "f") for x in (1.0, -0.75, np.inf, -np.inf, np.nan, 0.0)] == [
        "0x1.0000000000000p+0f", "-0x1.8000000000000p-1f", "INFINITY", "-INFINITY", "NAN", "0x0.0p+0f",
    ]  # fmt: skip


def test_names_of_other_libraries_and_kernels_that_are_missing() -> None:
    arm = load("double_pendulum")
    files = controller_library(arm, ["mass_matrix"], name="arm")
    assert "void arm_mass_matrix(const double q[2], double M[4]);" in files["arm.h"]
    assert "inline void mass_matrix(std::span<const double, 2> q, std::span<double, 4> M)" in files["arm.hpp"]
    with pytest.raises(ArgumentError, match="name"):
        controller_library(arm, ["mass_matrix"], name="two words")
    with pytest.raises(ArgumentError, match="kernel"):
        controller_library(arm, [])
    with pytest.raises(ArgumentError, match=named("dtype", "float16", "float64", "float32")):
        controller_library(arm, ["mass_matrix"], dtype="float16")


def test_a_step_of_the_search_comes_closer_and_says_how_far_it_was() -> None:
    arm = load("planar_2r")
    step = CompiledProgram(_search_step(arm, "tip"))
    goal = arm.pose(np.array([0.5, 0.7]), "tip")
    q = np.array([0.45, 0.8])
    _, error = step.call(q, goal)
    here = arm.pose(q, "tip")
    assert error[0] == pytest.approx(np.linalg.norm(here[:3, 3] - goal[:3, 3]), rel=1e-12)
    assert error[1] == pytest.approx(abs(0.45 + 0.8 - 0.5 - 0.7), rel=1e-9)
    for _ in range(6):
        q, error = step.call(q, goal)
    assert error.max() < 1e-6
    np.testing.assert_allclose(q, [0.5, 0.7], atol=1e-6)


def test_states_of_the_test_of_a_library() -> None:
    """Positions within limits, a pose that is reached, a step of a millisecond, a load that can exist."""
    robot = load("panda")

    def given(name: str, *shape: int) -> np.ndarray:
        return _input(robot, "panda_link8", SimpleNamespace(name=name, shape=shape), np.random.default_rng(3))  # type: ignore[arg-type]

    for name in ("q", "q0", "q1"):
        assert np.array_equal(given(name, 7), robot.random(np.random.default_rng(3)))
    X = robot.pose(robot.random(np.random.default_rng(3)), "panda_link8")
    assert np.array_equal(given("pose", 4, 4), X) and given("pose", 16).shape == (16,)
    assert float(given("dt")) == 0.001
    assert given("payload[tip]", 10).tolist() == [1.0, 0.0, 0.0, 0.1, 0.02, 0.0, 0.0, 0.02, 0.0, 0.01]
    for name in ("v", "payload"):
        assert np.array_equal(given(name, 7), np.random.default_rng(3).normal(size=7))


@pytest.mark.parametrize(
    ("name", "frame", "count"), [("planar_2r", "tip", 2), ("arm_321", "tool", 8), ("arm_313", "tool", 8)]
)
def test_closed_forms_are_exported_with_their_notes(name: str, frame: str, count: int) -> None:
    robot = load(name)
    solver = closed_form(robot, frame, general=False)
    for dtype in ("float64", "float32"):
        member = _ik(robot, frame, dtype, "lib")
        assert (member.function.symbol, member.dtype, member.computed) == (f"lib_ik_{frame}", dtype, "float64")
        wanted, other = (solver.straight_line(single=s).program for s in (dtype == "float32", dtype != "float32"))
        assert str(member.function.program) == str(wanted) != str(other)
        notes = member.function.notes
        assert notes[0].startswith("Inverse kinematics in closed form: ") and f"All {count} solutions" in notes[1]
        assert len(notes) == (4 if name == "arm_313" else 3) and ("swivel" in notes[-1]) == (name == "arm_313")
    with pytest.raises(ArgumentError, match=named("ik", "frame:")):
        _ik(robot, "", "float64", "lib")
