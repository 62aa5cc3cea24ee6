"""`sixvec convert`: writes, and proves that what it wrote is the same robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sixvec.cli import convert, main
from sixvec.cli.equivalence import differences
from sixvec.errors import ModelError
from sixvec.loaders.urdf_writer import write_urdf
from sixvec.model import Model
from sixvec.robots import BUILT_IN


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

    monkeypatch.setitem(convert.WRITERS, ".urdf", heavier)
    assert main(["convert", "planar_2r", str(tmp_path / "b.urdf")]) == 1
    shown = capsys.readouterr().out
    assert "✓ poses" in shown and "✗ mass matrix" in shown and "NOT the same robot" in shown


def test_what_cannot_be_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "panda", str(tmp_path / "b.step")]) == 2
    assert "formats: .urdf" in capsys.readouterr().err
    path = tmp_path / "a.urdf"
    path.write_text(write_urdf(BUILT_IN["panda"]()))
    assert main(["convert", str(path), str(path)]) == 2
    assert "choose another name" in capsys.readouterr().err
    assert main(["convert", "panda", str(tmp_path / "no" / "b.urdf")]) == 2


def test_floating_and_gravity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = replace(BUILT_IN["planar_2r"](), gravity=BUILT_IN["planar_2r"]().gravity * 0.5)
    monkeypatch.setitem(BUILT_IN, "planar_2r", lambda: flat)
    assert main(["convert", "planar_2r", str(tmp_path / "b.urdf"), "--floating"]) == 0
    shown = capsys.readouterr().out
    assert "nq 9, nv 8" in shown and "cannot hold the gravity" in shown


def test_other_joints_cannot_be_compared() -> None:
    model = BUILT_IN["planar_2r"]()
    *others, last = model.bodies
    with pytest.raises(ModelError, match="other_name"):
        differences(model, replace(model, bodies=(*others, replace(last, joint_name="other_name"))))
