"""`sixvec convert`: writes, and proves that what it wrote is the same robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from random_trees import JOINTS, random_inertia, random_pose
from sixvec.cli import main
from sixvec.cli.equivalence import differences
from sixvec.errors import ModelError
from sixvec.formats import load_model
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.formats.save import WRITERS
from sixvec.formats.urdf.write import write_urdf
from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Free
from sixvec.model.robots import BUILT_IN


def test_the_same_robot(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    first, second = tmp_path / "a.urdf", tmp_path / "b.urdf"
    first.write_text(write_urdf(BUILT_IN["panda"]()))
    done = sixvec("convert", first, second)
    assert done.returncode == 0, done.stderr
    assert "the same robot: 100 random states" in done.stdout
    for quantity in ("poses", "mass matrix", "inverse dynamics"):
        assert f"✓ {quantity}: largest relative difference" in done.stdout
    assert second.read_text().count("<joint") == first.read_text().count("<joint")


def test_a_wrong_writer_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def heavier(model: Model) -> str:
        return write_urdf(model).replace('mass value="1.0"', 'mass value="1.001"')

    monkeypatch.setattr("sixvec.formats.urdf.write.write_urdf", heavier)
    assert main(["convert", "planar_2r", str(tmp_path / "b.urdf")]) == 1
    shown = capsys.readouterr().out
    assert "✓ poses" in shown and "✗ mass matrix" in shown and "NOT the same robot" in shown
    assert "nothing was written" in shown and not list(tmp_path.iterdir())


def test_what_cannot_be_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "panda", str(tmp_path / "b.step")]) == 2
    assert "formats: .urdf, .xml" in capsys.readouterr().err
    path = tmp_path / "a.urdf"
    path.write_text(write_urdf(BUILT_IN["panda"]()))
    assert main(["convert", str(path), str(path)]) == 2
    assert "choose another name" in capsys.readouterr().err
    assert main(["convert", "panda", str(tmp_path / "no" / "b.urdf")]) == 4


def test_floating_and_gravity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = replace(BUILT_IN["planar_2r"](), gravity=BUILT_IN["planar_2r"]().gravity * 0.5)
    monkeypatch.setitem(BUILT_IN, "planar_2r", lambda: flat)
    assert main(["convert", "planar_2r", str(tmp_path / "b.urdf"), "--floating"]) == 0
    shown = capsys.readouterr().out
    assert "nq 9, nv 8" in shown and "cannot hold the gravity" in shown


def test_to_mjcf_and_back(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    first, second, third = tmp_path / "a.urdf", tmp_path / "b.xml", tmp_path / "c.urdf"
    first.write_text(write_urdf(BUILT_IN["panda"]()))
    for source, target in ((first, second), (second, third)):
        done = sixvec("convert", source, target)
        assert done.returncode == 0, done.stderr
        assert "the same robot: 100 random states" in done.stdout and "✓ inverse dynamics" in done.stdout
    assert second.read_text().startswith("<mujoco")
    assert all(d.relative < 1e-13 for d in differences(load_model(first), load_model(third), 5))


def without_what_urdf_lacks(model: Model) -> Model:
    """The same robot without rotor inertia and springs, and without limits of joints with several freedoms."""
    kept = []
    for b in model.bodies:
        dynamics = replace(b.dynamics, armature=(), stiffness=(), rest=())
        kept.append(replace(b, dynamics=dynamics, limits=b.limits if b.joint.nv == 1 else Limits()))
    return replace(model, bodies=tuple(kept))


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_robot_through_both_formats(name: str, tmp_path: Path) -> None:
    """To URDF, from there to MJCF, and from there to URDF again."""
    model = without_what_urdf_lacks(BUILT_IN[name]())
    first, second, third = tmp_path / "a.urdf", tmp_path / "b.xml", tmp_path / "c.urdf"
    first.write_text(write_urdf(model))
    for source, target in ((first, second), (second, third)):
        assert main(["convert", str(source), str(target)]) == 0
        assert all(d.relative < 1e-12 for d in differences(model, load_model(target), 3))


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_robot(name: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["convert", name, str(tmp_path / f"robot{suffix}")])
    shown = capsys.readouterr()
    model = BUILT_IN[name]()
    if suffix == ".urdf" and any((*b.dynamics.armature, *b.dynamics.stiffness) != () for b in model.bodies):
        assert status == 4 and "URDF has no element" in shown.err
        return
    if suffix == ".sdf" and any(b.dynamics.armature or isinstance(b.joint, Free) for b in model.bodies):
        assert status == 4 and ("SDF cannot say" in shown.err or "SDF has no free joint" in shown.err)
        return
    lost = suffix == ".urdf" and bool(model.closures)
    assert status == lost and ("NOT the same robot" in shown.out) == ("the file lacks" in shown.out) == lost


def test_mjcf_holds_gravity_and_names_lost_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = replace(BUILT_IN["humanoid"](), gravity=BUILT_IN["humanoid"]().gravity * 0.5)
    monkeypatch.setitem(BUILT_IN, "humanoid", lambda: flat)
    assert main(["convert", "humanoid", str(tmp_path / "b.xml")]) == 0
    shown = capsys.readouterr().out
    assert "cannot hold the gravity" not in shown
    assert "cannot hold these frames: l_ankle_flexion, " in shown
    assert load_model(tmp_path / "b.xml").gravity == flat.gravity


def test_joints_that_are_written_as_several(tmp_path: Path) -> None:
    """A universal, a cylindrical and a planar joint, and a ball: their coordinates are found by their names."""
    kinds = ("universal", "cylindrical", "planar", "spherical")
    rng = np.random.default_rng(1)
    bodies = [Body(k, None, JOINTS[k](rng), random_pose(rng), random_inertia(rng), f"{k}_joint") for k in kinds]
    model = Model("joints", tuple(bodies))
    (tmp_path / "b.xml").write_text(write_mjcf(model))
    again = load_model(tmp_path / "b.xml")
    assert [b.joint_name for b in again.moving][:2] == ["universal_joint/first", "universal_joint/second"]
    assert all(d.holds for d in differences(model, again, 5))
    heavy = replace(again, bodies=(*again.bodies[:-1], replace(again.bodies[-1], inertia=random_inertia(rng))))
    assert [d.holds for d in differences(model, heavy, 5)] == [True, False, False]


def test_other_joints_cannot_be_compared() -> None:
    model = BUILT_IN["planar_2r"]()
    *others, last = model.bodies
    with pytest.raises(ModelError, match="other_name"):
        differences(model, replace(model, bodies=(*others, replace(last, joint_name="other_name"))))
