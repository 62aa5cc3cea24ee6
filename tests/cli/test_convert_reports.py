"""What `sixvec convert` says where the other format holds less, or another program will read the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from random_trees import random_inertia
from sixvec.cli import main
from sixvec.cli.equivalence import differences
from sixvec.formats import load_model
from sixvec.formats.mjcf.rejected import rejected_bodies
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.formats.urdf.lacking import DROPPABLE, joints_lacking, without
from sixvec.model import Body, JointDynamics, Limits, Model
from sixvec.model.joints import Fixed, Planar, Revolute
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import RigidInertia, Sym3, Vec3

SPRUNG = (
    '<mujoco><worldbody><body name="a"><joint name="j" armature="0.1" stiffness="2" damping="0.3"/>'
    '<geom size="0.1"/></body></worldbody></mujoco>'
)


def test_what_urdf_cannot_say_is_dropped_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.xml", tmp_path / "b.urdf"
    source.write_text(SPRUNG)
    for given in ([], ["--drop", "spring"]):
        assert main(["convert", str(source), str(target), *given]) == 4
        told = capsys.readouterr().err
        assert "URDF has no element for the armature of j" in told and "--drop armature,spring" in told
        assert not target.exists()
    assert main(["convert", str(source), str(target), "--drop", "armature, spring"]) == 1
    shown = capsys.readouterr().out
    assert "✗ armature dropped: the file lacks that of j" in shown and "✗ spring dropped" in shown
    assert "✓ inverse dynamics" in shown and "NOT the same robot" in shown and "\nthe same robot" not in shown
    (moving,) = load_model(target).moving
    assert moving.dynamics == JointDynamics(damping=(0.3,))


def test_nothing_to_drop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "b.urdf")
    assert main(["convert", "panda", target, "--drop", "armature"]) == 0
    assert "dropped" not in capsys.readouterr().out
    assert main(["convert", "panda", target, "--drop", "armatur"]) == 2
    assert 'did you mean "armature"' in capsys.readouterr().err
    assert main(["convert", "panda", str(tmp_path / "b.xml"), "--drop", "armature"]) == 2
    assert "leave --drop out" in capsys.readouterr().err


def test_everything_that_can_be_dropped() -> None:
    dynamics = JointDynamics((0.1,) * 3, (0.2,) * 3, (0.3,) * 3, (0.4,) * 3, (0.5,) * 3)
    b = Body("a", None, Planar(), joint_name="j", dynamics=dynamics, limits=Limits((-1.0,) * 3, (1.0,) * 3))
    model = Model(
        "plate", (b, replace(b, name="b", parent="a", joint=Fixed(), joint_name="k", dynamics=JointDynamics()))
    )
    assert joints_lacking(model) == {what: ["j"] for what in DROPPABLE}
    for what in DROPPABLE:
        assert [*joints_lacking(without(model, [what]))] == [other for other in DROPPABLE if other != what]
    assert without(model, DROPPABLE).bodies[0] == Body("a", None, Planar(), joint_name="j")


@pytest.mark.parametrize("name", ["panda", "cart_pole", "double_pendulum", "solo12"])
def test_trips_between_the_formats_add_nothing(name: str, tmp_path: Path) -> None:
    """In particular no link for the world at each trip.  Only at the first one sites become links, and stay that."""
    shapes: dict[str, list[tuple[object, set[str]]]] = {".xml": [], ".urdf": []}
    last: str | Path = name
    for trip in range(3):
        for suffix, found in shapes.items():
            target = tmp_path / f"{trip}{suffix}"
            assert main(["convert", str(last), str(target)]) == 0
            again = load_model(target)
            found.append(([(b.name, b.parent, b.joint_name) for b in again.bodies], {f.name for f in again.frames}))
            last = target
    for first, second, third in shapes.values():
        assert second == third and first[1] == second[1]
        assert "world" in first[1] and "world_" not in first[1]
    assert all(d.relative < 1e-12 for d in differences(BUILT_IN[name](), load_model(last), 3))


def test_warnings_are_lines_for_users(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    source = tmp_path / "a.xml"
    source.write_text(SPRUNG.replace("</mujoco>", '<deformable><skin name="s"/></deformable></mujoco>'))
    for command in (("show", source), ("convert", source, tmp_path / "b.xml")):
        done = sixvec(*command)
        assert done.returncode == 0
        cannot = "read without what the model cannot hold: skin"
        assert done.stderr == f"sixvec: warning: {source}: {cannot}\n"


def test_an_output_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder.xml").mkdir()
    cases = {tmp_path / "no" / "p.xml": f'in the folder "{tmp_path / "no"}", which does not exist',
             tmp_path / "folder.xml": "is a folder"}  # fmt: skip
    for output, words in cases.items():
        assert main(["convert", "panda", str(output)]) == 4
        told = capsys.readouterr().err
        assert words in told and str(output) in told and "Errno" not in told


def test_bodies_that_mujoco_rejects_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    thin = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 3.0))
    bodies = (Body("good", None, Revolute(), inertia=sound), Body("bad", "good", Revolute(), inertia=thin))
    (tmp_path / "a.xml").write_text(write_mjcf(Model("pair", bodies)))
    assert main(["convert", str(tmp_path / "a.xml"), str(tmp_path / "b.xml")]) == 0
    told = "note: MuJoCo will reject the file: no body has principal moments with A + B < C: bad\n"
    assert capsys.readouterr().out.endswith(told)
    assert main(["convert", str(tmp_path / "a.xml"), str(tmp_path / "b.urdf")]) == 0
    assert "MuJoCo" not in capsys.readouterr().out


def test_those_that_mujoco_rejects_are_those_that_it_rejects() -> None:
    """Trees of four bodies, each with or without a joint and with one of many inertias: MuJoCo has the last word."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    rng = np.random.default_rng(5)
    kinds: list[Callable[[], RigidInertia]] = [
        lambda: random_inertia(rng),
        RigidInertia.zero,
        lambda: RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 2.5)),
        lambda: RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(-1.0, 1.0, 1.0)),
        lambda: RigidInertia(1.0, Vec3.zero(), Sym3(1.0, 2.0, 0.0, 1.0, 0.0, 1.0)),
        lambda: RigidInertia(0.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0)),
    ]
    verdicts = {True: 0, False: 0}
    for _ in range(300):
        bodies: list[Body] = []
        for i in range(4):
            inertia = kinds[rng.integers(6) if rng.random() < 0.3 else 0]()
            parent = None if i == 0 or rng.random() < 0.3 else f"b{rng.integers(i)}"
            bodies.append(Body(f"b{i}", parent, Revolute() if rng.random() < 0.6 else Fixed(), inertia=inertia))
        text = write_mjcf(Model("tree", tuple(bodies)))
        try:
            mujoco.MjModel.from_xml_string(text)
            taken = True
        except ValueError:
            taken = False
        assert taken == (rejected_bodies(text) == {}), text
        verdicts[taken] += 1
    assert min(verdicts.values()) > 50
