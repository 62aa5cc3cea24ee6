"""One way in: names, paths, and what is said when there is neither."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from naming import named
from sixvec.errors import ArgumentError, FileFormatError, RobotNotFound
from sixvec.formats import load_model, parse_model
from sixvec.model.joints import Free
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Vec3

URDF = '<robot name="stick"><link name="a"/></robot>'


@pytest.mark.parametrize("name", ["stick.urdf", "stick.xml", "STICK.URDF"])
def test_urdf_is_known_by_its_suffix_and_its_root(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(URDF)
    assert load_model(file) == load_model(str(file))
    assert load_model(file).name == "stick"


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_names(name: str) -> None:
    assert load_model(name) == BUILT_IN[name]()


@pytest.mark.covers("MODEL-09")
def test_built_in_robots_can_float() -> None:
    fixed, floating = load_model("panda"), load_model("panda", floating=True)
    assert isinstance(floating.bodies[0].joint, Free) and floating.bodies[0].joint_name == "root_joint"
    assert floating.nv == fixed.nv + 6


@pytest.mark.parametrize("gravity", [(0, 0, -1.62), [0.0, 0.0, -1.62], np.array([0.0, 0.0, -1.62])])
def test_gravity_is_any_three_numbers(gravity: object, tmp_path: Path) -> None:
    file = tmp_path / "stick.urdf"
    file.write_text(URDF)
    for source in ("panda", file):
        assert load_model(source, gravity=gravity).gravity == Vec3(0.0, 0.0, -1.62)  # type: ignore[arg-type]


@pytest.mark.parametrize("gravity", [(0, 0), "down", 9.81, (0, 0, float("nan"))])
def test_gravity_that_is_something_else_raises(gravity: object) -> None:
    with pytest.raises(ArgumentError, match="gravity"):
        load_model("panda", gravity=gravity)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("pandda", ['"pandda"', 'did you mean "panda"', "no file of that name"]),
        ("zzz", ['"zzz"', "acrobot, arm_313"]),
        ("", ["built-in robots"]),
        ("arm.urdf", ['"arm.urdf" does not exist']),
        ("robots/arm", ['arm" does not exist']),
        (Path("panda_arm"), ['"panda_arm" does not exist']),
        ("~nobody_has_this_name/arm.urdf", ["does not exist"]),
    ],
)
def test_what_does_not_exist_is_named(source: str | Path, words: list[str]) -> None:
    with pytest.raises(RobotNotFound) as caught:
        load_model(source)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [("arm.txt", URDF), ("arm", URDF), ("arm.urdf", "<mujoco/>"), ("arm.urdf", "<sdf/>"), ("arm.xml", "<other/>")],
)
def test_other_formats_raise_with_a_list_of_those_that_work(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(FileFormatError, match="urdf"):
        load_model(file)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=named("robot", "mujoco")):
        load_model(tmp_path)


def test_only_names_and_paths_are_sources() -> None:
    with pytest.raises(ArgumentError, match=named("neither", "nor")):
        load_model(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 5, Path("arm.urdf"), ["<robot/>"]])
def test_a_text_that_is_none(text: object) -> None:
    with pytest.raises(ArgumentError, match=named("parse_model", "text")):
        parse_model(text, "arm.urdf")  # type: ignore[arg-type]
