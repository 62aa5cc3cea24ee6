"""A check of an SDF file reads each element once, and its rules about values run where they are read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sixvec.formats import load_model
from sixvec.formats.doctor import check_file, units
from sixvec.formats.sdf import elements, joint, world

LINK = (
    '<link name="{0}"><pose>50 0 0 90 0 0</pose><inertial><pose>0 0 0 0 0 70</pose><mass>9000</mass>'
    "<inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial></link>"
)
JOINT = (
    '<joint name="{0}" type="{1}"><pose degrees="true">0 0 30 90 0 0</pose><parent>a</parent><child>{0}</child>'
    "<axis><xyz>0 0 1</xyz><limit>{2}</limit></axis></joint>"
)
STILL = "<lower>40</lower><upper>40</upper><effort>0</effort><velocity>-1</velocity>"
ROBOT = "".join((
    '<sdf version="1.9"><model name="r">', *map(LINK.format, "abcd"),
    JOINT.format("j1", "revolute", STILL).replace(">j1</child>", ">b</child>"),
    JOINT.format("j2", "prismatic", STILL).replace(">j2</child>", ">c</child>"),
    JOINT.format("j3", "continuous", STILL).replace(">j3</child>", ">d</child>"),
    "</model></sdf>",
))  # fmt: skip

MESSAGES = {
    "50 m is very far": 4,
    "30 m is very far": 3,
    "more than a turn": 8,  # of links and of inertias; the joints say that they are in degrees
    "no body can have this inertia": 4,
    "are these grams": 4,
    "it cannot move": 2,
    "effort is zero": 3,
    "negative": 0,
    "turns: are these degrees": 1,
    "m of travel": 1,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.sdf"
    path.write_text(ROBOT)
    return path


@pytest.mark.parametrize("broken", [False, True])
def test_every_rule_about_values_reports(file: Path, broken: bool) -> None:
    """Also in a file that cannot be loaded, for the elements that can be read."""
    if broken:
        file.write_text(ROBOT.replace("</model>", '<joint name="z" type="revolute"/></model>'))
    report = check_file(file)
    assert (report.model is None) == broken
    said = [f.message for f in report.findings]
    assert {part: sum(part in message for message in said) for part in MESSAGES} == MESSAGES


def test_each_element_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def counting(module: object, name: str) -> None:
        function = getattr(module, name)

        def counted(*given: object, **options: object) -> object:
            calls.update([name])
            return function(*given, **options)

        monkeypatch.setattr(module, name, counted)

    for module, name in ((elements, "_central_inertia"), (world, "placement"), (joint, "_axis_limits")):
        counting(module, name)
    check_file(file)
    assert calls == {"_central_inertia": 4, "placement": 7, "_axis_limits": 3}


def test_a_load_applies_no_rule(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[object] = []
    monkeypatch.setattr(units, "mass_is_kilograms", lambda *values: applied.append(values) or ())
    assert load_model(file).nv == 3 and not applied
    check_file(file)
    assert len(applied) == 4


def test_a_joint_whose_limits_contradict_has_some(tmp_path: Path) -> None:
    path = tmp_path / "r.sdf"
    path.write_text(ROBOT.replace("<upper>40</upper>", "<upper>30</upper>"))
    said = [f.message for f in check_file(path).findings]
    assert sum("is above upper" in message for message in said) == 3
    assert not any("has no limits" in message for message in said)
