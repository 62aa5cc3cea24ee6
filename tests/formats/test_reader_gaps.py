"""What a format cannot say is told, never dropped: in reading, in writing, and in the doctor's words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from naming import named
from sixvec.cli import main
from sixvec.errors import FileFormatError, ModelError
from sixvec.formats import parse_model
from sixvec.formats.doctor import check_file
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.formats.urdf.write import write_urdf
from sixvec.formats.xml import parse_xml
from sixvec.model import Body, Gear, Model
from sixvec.model.edits import with_inertia
from sixvec.model.joints import Fixed, Revolute
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import RigidInertia

FOUR_BAR = """<mujoco><worldbody>
<body name="a"><joint name="j1" axis="0 1 0"/><geom size="1" mass="1"/>
<body name="b" pos="0 0 1"><joint name="j2" axis="0 1 0"/><geom size="1" mass="1"/></body></body>
<body name="c" pos="1 0 0"><joint name="j3" axis="0 1 0"/><geom size="1" mass="1"/></body>
</worldbody><equality><connect name="loop" body1="b" body2="c" anchor="0 0 0"/></equality></mujoco>"""


def test_wind_is_listed() -> None:
    with pytest.warns(UnsupportedPhysics, match="wind"):
        parse_model('<mujoco><option wind="1 0 0"/><worldbody><body/></worldbody></mujoco>', "gust.xml")


@pytest.mark.parametrize("name", ["solo12", "humanoid"])
def test_a_free_root_without_effort_is_written(name: str) -> None:
    model = BUILT_IN[name]()
    assert parse_model(write_urdf(model), f"{name}.urdf").nv == model.nv


def test_a_fixed_joint_without_name_gives_way() -> None:
    model = Model(
        "arm", (Body("base"), Body("link", "base", Revolute(), joint_name="tip"), Body("tip", "link", Fixed()))
    )
    again = parse_model(write_urdf(model), "arm.urdf")
    assert [b.joint_name for b in again.bodies] == ["", "tip", "tip_fixed"]


def test_a_lost_loop_is_another_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.xml").write_text(FOUR_BAR)
    assert main(["convert", str(tmp_path / "a.xml"), str(tmp_path / "b.xml")]) == 0
    assert main(["convert", str(tmp_path / "a.xml"), str(tmp_path / "b.urdf")]) == 1
    shown = capsys.readouterr().out
    assert "the file lacks loop" in shown and "NOT the same robot" in shown


def test_a_lost_gear_is_another_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = replace(BUILT_IN["planar_2r"](), closures=(Gear("gear", "link1", "link2", 2.0),))
    monkeypatch.setitem(BUILT_IN, "planar_2r", lambda: pair)
    assert main(["convert", "planar_2r", str(tmp_path / "b.urdf")]) == 1
    assert "the file lacks gear" in capsys.readouterr().out
    assert main(["convert", "planar_2r", str(tmp_path / "b.xml")]) == 0  # it comes back as a joint that mimics


BAD_AXIS = """<mujoco><worldbody>
<body name="a">
<joint axis="0 0 nan" range="-1 1"/><geom size="1"/></body></worldbody></mujoco>"""
BAD_MASS = """<sdf version="1.9"><model name="m">
<link name="l"><inertial>
<mass>x</mass></inertial></link></model></sdf>"""


@pytest.mark.parametrize(("file", "text", "element"), [("a.xml", BAD_AXIS, "<joint>"), ("a.sdf", BAD_MASS, "<mass>")])
def test_the_doctor_knows_the_line(tmp_path: Path, file: str, text: str, element: str) -> None:
    (tmp_path / file).write_text(text)
    (only,) = [found for found in check_file(tmp_path / file).findings if found.severity.word == "error"]
    assert only.line == 3 and only.element.endswith(element)
    assert "(line" not in only.message and only.text(file).startswith(f"{file}:3: error: ")


def test_messages_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nobody"):
        with_inertia(BUILT_IN["planar_2r"](), "nobody", RigidInertia.zero())
    with pytest.raises(FileFormatError, match=named("deep.xml", "elements")):
        parse_xml("<a>" * 30_000, "deep.xml")
    with pytest.raises(FileFormatError, match=named("nan", "give")):
        parse_xml('<a b="nan"/>', "a.xml").number("b")
    (tmp_path / "a.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"/>'
        '<joint name="j" type="qqq"><parent link="a"/><child link="b"/></joint></robot>'
    )
    assert (
        "joint types: revolute, continuous, prismatic, planar, fixed, floating"
        in check_file(tmp_path / "a.urdf").text()
    )
