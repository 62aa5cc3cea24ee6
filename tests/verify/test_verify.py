"""`verify` confirms every robot that is right, and sees what is wrong with one that is not."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec
from random_trees import random_tree
from settled_files import wait_until_settled
from sixvec import Robot, load, save
from sixvec.cli.main import main
from sixvec.compiler.fingerprint import files_are_what_runs
from sixvec.errors import ArgumentError
from sixvec.kernels import kernel
from sixvec.model import Body, Closure, Frame, Gear, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.verify import Verification, peers, verify
from sixvec.verify.interpreted import Interpreted

UNIT = Sym3.diagonal(1.0, 1.0, 1.0)


def verdicts(found: Verification) -> dict[str, str]:
    return {f.statement: f.verdict for f in found.findings}


@pytest.mark.parametrize("name", ["panda", "four_bar", "slider_crank", "cart_pole"])
def test_robots_of_the_library_hold(name: str) -> None:
    found = verify(load(name), samples=5)
    assert found, str(found)
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    assert set(verdicts(found).values()) == {"holds"}, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["humanoid", "solo12", "ur5e", "iiwa14", "stanford_arm", "acrobot", "double_pendulum"])
def test_more_robots_hold(name: str) -> None:
    found = verify(load(name))
    assert found, str(found)


def test_published_inertias_that_cannot_exist_are_all_that_fails_of_the_puma() -> None:
    assert [f.statement for f in verify(load("puma560"), samples=3, peers=False).failed] == ["inertias"]


@pytest.mark.parametrize("bodies", [3, pytest.param(9, marks=pytest.mark.slow)])
def test_every_joint_type_holds_and_what_peers_cannot_read_is_skipped(bodies: int) -> None:
    found = verify(Robot(random_tree(2, bodies=bodies, floating=True)), samples=3)
    assert found, str(found)
    skipped = [f for f in found.findings if f.verdict == "skipped"]
    assert {f.statement for f in skipped} == {"ID = Pinocchio", "ID = MuJoCo"}
    assert all(f.note for f in skipped)


def test_a_load_that_may_change_is_part_of_the_robot() -> None:
    arm = load("planar_2r")
    found = verify(arm.with_payload(arm.frame_names[-1], 2.0), samples=3)
    assert found, str(found)
    assert verdicts(found)["ID = MuJoCo"] == "skipped"


def test_gears_hold() -> None:
    arm = load("planar_2r")
    first, second = (b.name for b in arm.model.moving)
    geared = Robot(replace(arm.model, closures=(Gear("pair", first, second, 2.0),)))
    found = verify(geared, samples=3, peers=False)
    assert found, str(found)
    assert verdicts(found)["A a + γ = 0"] == "holds"


def apart(distance: float) -> Robot:
    """Two arms of 1 m on a base, their tips pinned to each other."""
    arms = tuple(
        Body(name, None, Revolute(), Pose.translation(Vec3(x, 0.0, 0.0)), RigidInertia(1.0, Vec3.zero(), UNIT))
        for name, x in (("a", 0.0), ("b", distance))
    )
    tips = tuple(Frame(f"{b.name} tip", b.name, Pose.translation(Vec3(1.0, 0.0, 0.0))) for b in arms)
    return Robot(Model("arms", arms, tips, closures=(Closure("pin", "a tip", "b tip", Revolute()),)))


def test_loops_that_no_position_closes_fail_with_the_gap() -> None:
    assert verify(apart(1.5), samples=3, peers=False)
    found = verify(apart(50.0), samples=3, peers=False)
    (failed,) = found.failed
    assert failed.statement == "e(q) = 0" and "none of 40 random starts" in failed.note
    assert failed.residual is not None and 48.0 <= failed.residual < 48.1 and "least gap found is 48 m" in failed.note
    assert verdicts(found)["A a + γ = 0"] == "skipped"


def test_a_body_that_cannot_exist_is_named() -> None:
    model = load("planar_2r").model
    odd = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 5.0))
    bodies = tuple(replace(b, inertia=odd) if b is model.moving[-1] else b for b in model.bodies)
    found = verify(Robot(replace(model, bodies=bodies)), samples=3, peers=False)
    assert not found
    (failed,) = found.failed
    assert failed.statement == "inertias" and model.moving[-1].name in failed.note and "triangle" in failed.note


@pytest.mark.parametrize(
    ("method", "statements"),
    [
        ("momentum", {"m dc/dt = p", "A v = h"}),
        ("inverse_dynamics_derivatives", {"∂ID = differences", "M ∂FD = -∂ID"}),
        ("forward_dynamics_derivatives", {"M ∂FD = -∂ID"}),
        ("mass_matrix_inverse", {"M M⁻¹ = 1"}),
    ],
)
def test_a_wrong_kernel_fails_by_name(method: str, statements: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    right = Interpreted.__getattr__

    def spoiled(robot: Interpreted, name: str) -> Callable[..., Any]:
        function = right(robot, name)
        if name != method:
            return function

        def wrong(*arguments: Any) -> Any:
            answer = function(*arguments)
            return type(answer)(*(1.00001 * x for x in answer)) if isinstance(answer, tuple) else 1.00001 * answer

        return wrong

    monkeypatch.setattr(Interpreted, "__getattr__", spoiled)
    found = verify(load("planar_2r"), samples=3, peers=False)
    assert {f.statement for f in found.failed} == statements


def test_machine_code_that_differs_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = load("planar_2r")
    right = robot.mass_matrix
    monkeypatch.setattr(Robot, "mass_matrix", lambda self, q: right(q) * (1 + 1e-7))
    failed = {f.statement for f in verify(load("planar_2r"), samples=3, peers=False).failed}
    assert failed == {"machine code of mass_matrix"}


def test_another_robot_in_the_file_is_seen_by_the_peers(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    save(load("planar_2r"), file)
    robot = load(file)
    assert verdicts(verify(robot, samples=3))["ID = MuJoCo"] == "holds"
    bodies = tuple(replace(b, inertia=b.inertia + b.inertia) for b in robot.model.bodies)
    heavier = Robot(replace(robot.model, bodies=bodies))
    heavier.source = robot.source
    assert verdicts(verify(heavier, samples=3))["ID = MuJoCo"] == "fails"


def test_without_the_peers_the_rest_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(peers, "import_module", missing)
    found = verify(load("planar_2r"), samples=3)
    assert found and [f.note for f in found.findings[-2:]] == ["Pinocchio is not installed", "MuJoCo is not installed"]


def test_the_second_verification_traces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    wait_until_settled(Path(sixvec.__path__[0]))
    if not files_are_what_runs():
        pytest.skip("files have changed since the import")
    first = verify(load("planar_2r"), samples=3, peers=False)

    def traced(*arguments: object) -> None:
        raise AssertionError("traced again")

    monkeypatch.setattr(kernel, "trace", traced)
    assert verify(load("planar_2r"), samples=3, peers=False) == first
    with pytest.raises(AssertionError, match="traced again"):  # another robot
        verify(load("planar_2r", gravity=(0.0, 0.0, -1.62)), samples=3, peers=False)


def test_the_command_prints_a_table_and_its_status(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["verify", "planar_2r", "--no-peers", "--samples", "3"]) == 0
    shown = capsys.readouterr().out
    assert "planar_2r from planar_2r: nq 2, nv 2" in shown and "✓  cond M" in shown and "19 holds" in shown
    file = tmp_path / "odd.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/>'
    file.write_text(
        '<robot name="odd"><link name="base"/><link name="arm"><inertial><mass value="1"/>' + inertia + "</inertial>"
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'
    )
    assert main(["verify", str(file), "--no-peers"]) == 1
    assert "✗  inertias" in capsys.readouterr().out


def test_columns_are_straight_in_every_character_set(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = verify(load("planar_2r"), samples=3, peers=False).findings
    for encoding in ("ascii", "cp1252", "utf-8"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["verify", "planar_2r", "--no-peers", "--samples", "3"]) == 0
        stream.flush()
        lines = stream.buffer.getvalue().decode(encoding).splitlines()[2:-1]  # type: ignore[attr-defined]
        assert len({line.index(f.meaning) for line, f in zip(lines, findings, strict=True)}) == 1


def test_bad_numbers_of_samples_and_robots_without_joints() -> None:
    robot = load("planar_2r")
    for samples in (0, -1, 2.5):
        with pytest.raises(ArgumentError, match="positive number of states"):
            robot.verify(samples=samples)  # type: ignore[arg-type]
    still = Robot(replace(robot.model, bodies=robot.model.bodies[:0], frames=(), geoms=(), closures=()))
    assert np.all([f.holds for f in verify(still).findings])
