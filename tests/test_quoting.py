"""Names of files of anybody never reach a terminal raw, and never fill it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import sixvec
from sixvec.errors import FileFormatError, FrameNotFound, SixvecError
from sixvec.formats.doctor import check_file
from sixvec.quoting import LONGEST_LINE, message

ODD = {
    "escape": "&#x9b;2J",
    "direction": "\u202eevil",
    "long": "a" * 300_000,
    "lines": "a&#10;b&#13;c",
    "wide": "\u2028",
}
"""Control characters that XML allows, a mark that turns the direction of writing, and a name without end."""

BODY = '<mujoco><worldbody><body name="b"/></worldbody>'
MODEL = '<sdf version="1.9"><model name="m"><link name="a"/>'

FILES = {
    "link.urdf": '<robot name="r"><link name="{0}"/><link name="{0}"/></robot>',
    "roots.urdf": '<robot name="r"><link name="a{0}"/><link name="b{0}"/></robot>',
    "robot.urdf": '<robot name="{0}"/>',
    "tag.urdf": '<robot name="r"><link name="a"><inertial><mass value="{0}"/></inertial></link></robot>',
    "type.urdf": '<robot name="r"><link name="a"/><link name="b"/><joint name="{0}" type="{0}"><parent link="a"/>'
    '<child link="b"/></joint></robot>',
    "parent.urdf": '<robot name="r"><link name="a{0}"/><joint name="{0}" type="fixed"><parent link="{0}"/>'
    '<child link="b"/></joint></robot>',
    "cycle.urdf": '<robot name="r"><link name="{0}"/><joint name="{0}" type="fixed"><parent link="{0}"/>'
    '<child link="{0}"/></joint></robot>',
    "body.xml": '<mujoco><worldbody><body name="{0}"><joint name="{0}" type="{0}"/></body></worldbody></mujoco>',
    "class.xml": '<mujoco><worldbody><body name="{0}"><geom class="{0}"/></body></worldbody></mujoco>',
    "twice.xml": '<mujoco><worldbody><body name="{0}"/><body name="{0}"/></worldbody></mujoco>',
    "include.xml": '<mujoco><include file="{0}"/></mujoco>',
    "mesh.xml": '<mujoco><asset><mesh name="m" file="{0}"/></asset><worldbody><body name="b"><joint/>'
    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    "compiler.xml": '<mujoco><compiler angle="{0}" eulerseq="{0}"/><worldbody><body name="b"/></worldbody></mujoco>',
    "equality.xml": '{1}<equality><joint joint1="{0}"/></equality></mujoco>',
    "model.sdf": '<sdf version="1.9"><model name="{0}"><link name="{0}"/><link name="{0}"/></model></sdf>',
    "version.sdf": '<sdf version="{0}"><model name="m"><link name="a"/></model></sdf>',
    "frame.sdf": '{2}<frame name="{0}" attached_to="b{0}"/></model></sdf>',
    "circle.sdf": '{2}<frame name="{0}" attached_to="{0}"/></model></sdf>',
    "joint.sdf": '{2}<joint name="{0}" type="{0}"><parent>{0}</parent><child>{0}</child></joint></model></sdf>',
    "uri.sdf": '<sdf version="1.9"><model name="m"><link name="{0}"/><include><uri>model://{0}</uri></include></model></sdf>',
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("odd", ODD)
def test_messages_of_loaders_and_doctor(tmp_path: Path, name: str, odd: str) -> None:
    path = tmp_path / name
    text = FILES[name].replace("{1}", BODY).replace("{2}", MODEL)
    path.write_text(text.replace("{0}", ODD[odd]), encoding="utf-8")
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            sixvec.load(path)
        except SixvecError as problem:
            said.append(str(problem))
    said += [str(w.message) for w in caught]
    report = check_file(path)
    said += [*report.text().split("\n"), *(str(v) for f in report.as_dict()["findings"] for v in f.values())]  # type: ignore[attr-defined]
    for text in said:
        assert text.isprintable(), text
        assert len(text) < 1500, text[:200]


def test_one_long_name_does_not_hide_the_advice() -> None:
    problem = FrameNotFound(sixvec.errors.unknown("frame", "x" * 10_000, ["a" * 10_000, "b"]))
    assert str(problem).endswith("…, b") and len(str(problem)) < 300


def test_an_error_never_fills_the_screen() -> None:
    assert len(str(FileFormatError("x" * 1_000_000))) <= LONGEST_LINE + 1
    assert message("plain – text, é") == "plain – text, é"
