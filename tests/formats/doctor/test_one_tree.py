"""Readers and rules share one tree: a file is parsed once, and an error carries its place."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import pytest

from sixvec.errors import FileFormatError
from sixvec.formats import parse_model, xml
from sixvec.formats.doctor import check_file
from sixvec.formats.unsupported import UnsupportedPhysics

LINK = '<link name="{}"><inertial><mass>1</mass></inertial></link>'
JOINT = '<joint name="j" type="revolute"><parent>a</parent><child>{}</child><axis/></joint>'
FILES = {
    "r.urdf": {"r.urdf": '<robot name="r"><link name="a"/></robot>'},
    "r.xml": {
        "r.xml": '<mujoco><worldbody><include file="leg.xml"/></worldbody></mujoco>',
        "leg.xml": '<mujoco><body name="leg"><joint/><geom size="1"/></body></mujoco>',
    },
    "r.sdf": {
        "r.sdf": f'<sdf version="1.9"><model name="m">{LINK.format("a")}'
        "<include><uri>leg.sdf</uri><name>left</name></include><include><uri>leg.sdf</uri><name>right</name></include>"
        "</model></sdf>",
        "leg.sdf": f'<sdf version="1.9"><model name="leg">{LINK.format("b")}</model></sdf>',
    },
}


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_parsed_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file, text in FILES[name].items():
        (tmp_path / file).write_text(text)
    parsed: Counter[str] = Counter()
    original = xml.parse_xml

    def counted(data: str | bytes, where: str) -> xml.Node:
        parsed[Path(where).name] += 1
        return original(data, where)

    monkeypatch.setattr(xml, "parse_xml", counted)
    report = check_file(tmp_path / name)
    assert report.model is not None, report.text()
    assert parsed == dict.fromkeys(FILES[name], 1)


BROKEN = [
    (
        parse_model,
        '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n<joint name="j" type="revolute"><parent link="a"/>'
        '<child link="b"/>\n<limit lower="2" upper="one"/></joint></robot>',
        5,
        'joint "j": <limit>',
        'upper="one" is not numbers',
        "give 1 number such as 0.5",
    ),
    (
        parse_model,
        '<mujoco><worldbody>\n<body name="a">\n<joint range="2 1" limited="true"/><geom size="1"/></body></worldbody>'
        "</mujoco>",
        3,
        'body "a": <joint>',
        "the range 2.0 to 1.0 is empty",
        "give the lower end first",
    ),
    (
        parse_model,
        f'<sdf version="1.9"><model name="m">\n{LINK.format("a")}{JOINT.format("a")}</model></sdf>',
        2,
        'model "m": joint "j"',
        'connects "a" with itself',
        "give it another parent or child",
    ),
]


@pytest.mark.parametrize(("parse", "text", "line", "element", "message", "advice"), BROKEN)
def test_errors_carry_their_place(parse: object, text: str, line: int, element: str, message: str, advice: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        parse(text, "robot.file")  # type: ignore[operator]
    for problem in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        found = (problem.file, problem.line, problem.element, problem.message, problem.advice)
        assert found == ("robot.file", line, element, message, advice)
        assert str(problem) == f"robot.file: {element}: {message}; {advice} (line {line})"


def test_what_is_left_out_carries_its_place() -> None:
    text = '<mujoco><worldbody>\n<body name="a"><joint name="j"/><geom size="1"/></body></worldbody>\n<actuator>\n'
    with pytest.warns(UnsupportedPhysics) as caught:
        parse_model(text + '<pid joint="j"/></actuator></mujoco>', "arm.xml")
    (warned,) = caught
    assert isinstance(warned.message, UnsupportedPhysics)
    places = [(item.what, item.file, item.line) for item in warned.message.left_out]
    assert places == [("force of an actuator (pid)", "arm.xml", 4)]
