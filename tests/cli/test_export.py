"""`sixvec export`: a library of C without warnings, without libm, whose test finds the recorded bits."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sixvec import load
from sixvec.errors import ArgumentError
from sixvec.interop.controller import controller_library

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
    assert done.returncode == 0 and done.stdout == "0 wrong numbers\n", done.stdout


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
    command = ("export", "double_pendulum", "--kernel", "mass_matrix", "--out", str(folder))
    done = sixvec(*command)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5 and (folder / "CMakeLists.txt").exists()
    header = (folder / "double_pendulum.h").read_text()
    assert "q[0]" in header and "At every call" in header and "SIXVEC_DOUBLE_PENDULUM_H" in header
    assert "exists" in sixvec(*command).stderr


def test_what_cannot_be_is_refused() -> None:
    arm = load("double_pendulum")
    with pytest.raises(ArgumentError, match="double_pendulum_mass_matrix is asked for twice"):
        controller_library(arm, ["mass_matrix", "crba"])
    with pytest.raises(ArgumentError, match="has the option 'external'; leave it out"):
        controller_library(arm, ["mass_matrix"], external=["tip"])
    for option, text in {"payload": ["tip"], "hold": {"tip": ("x",)}, "derivative": ["q"]}.items():
        with pytest.raises(ArgumentError, match=f"step takes no {option}"):
            controller_library(arm, ["constrained_dynamics", "step"], **{option: text})
    with pytest.raises(ArgumentError, match="ik:tip takes no derivative"):
        controller_library(arm, ["inverse_dynamics", "ik:tip"], derivative=["q"])
    with pytest.raises(ArgumentError, match='mass_matrix has no input "a"; inputs: q'):
        controller_library(arm, ["inverse_dynamics", "mass_matrix"], derivative=["a"])
    for kernel in ("inverse_dynamics", "step"):
        with pytest.raises(ArgumentError, match=f'{kernel}: external has "tip" more than once'):
            controller_library(arm, [kernel], external=["tip", "tip"])
    with pytest.raises(ArgumentError, match="ik needs a frame"):
        controller_library(arm, ["ik"])
    with pytest.raises(ArgumentError, match=r'no integrator "rk5"; did you mean "rk4"'):
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
