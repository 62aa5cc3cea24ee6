"""A check of a URDF reads each element once, and its rules about values run where they are read, only in a check."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sixvec.formats import load_model
from sixvec.formats.doctor import check_file, joints
from sixvec.formats.problems import MOST_NOTED, examine, examining, strictly
from sixvec.formats.urdf import elements, read

LINK = (
    '<link name="{}"><inertial><origin xyz="50 0 0"/><mass value="9000"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="{1}"><origin rpy="90 0 0"/><parent link="a"/><child link="{0}"/><axis xyz="0 0 2"/>'
    '<limit lower="40" upper="40" effort="-1" velocity="0"/><dynamics damping="-1"/>{2}</joint>'
)
ROBOT = "".join((
    '<robot name="r">', *map(LINK.format, "abcd"),
    JOINT.format("b", "revolute", '<mimic joint="c" multiplier="0"/>'),
    JOINT.format("c", "prismatic", ""),
    JOINT.format("d", "fixed", '<mimic joint="c"/>'),
    "</robot>",
))  # fmt: skip

MESSAGES = {
    "very far": 4,
    "more than a turn": 3,
    "no body can have this inertia": 4,
    "are these grams": 4,
    "the axis is not of unit length": 2,
    "it cannot move": 2,
    "effort -1 is negative": 2,
    "velocity is zero": 2,
    "turns: are these degrees": 1,
    "m of travel": 1,
    "damping -1 is negative": 2,
    "the multiplier is zero": 1,
    "a fixed joint follows nobody": 1,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    return path


@pytest.mark.parametrize("broken", [False, True])
def test_every_rule_about_values_reports(file: Path, broken: bool) -> None:
    """Also in a file that cannot be loaded, for the elements that can be read."""
    if broken:
        file.write_text(ROBOT.replace("</robot>", '<link name="z"><inertial/></link></robot>'))
    report = check_file(file)
    assert (report.model is None) == broken
    said = [f.message for f in report.findings]
    assert {part: sum(part in message for message in said) for part in MESSAGES} == MESSAGES


def test_many_problems_hide_no_other_one(file: Path) -> None:
    broken = "".join(f'<link name="l{i}"><inertial/></link>' for i in range(MOST_NOTED + 100))
    file.write_text(ROBOT.replace('<link name="a">', f'{broken}<link name="a">'))
    said = [f.message for f in check_file(file).findings]
    assert {part: sum(part in message for message in said) for part in MESSAGES} == MESSAGES


def test_each_element_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def counting(module: object, name: str) -> None:
        function = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: (calls.update([name]), function(*given))[1])

    counting(elements, "_central_inertia")
    for name in ("joint_motion", "placement", "limits", "dynamics"):
        counting(read, name)
    check_file(file)
    assert calls == {"_central_inertia": 4, "joint_motion": 3, "placement": 3, "limits": 3, "dynamics": 3}


def test_a_load_applies_no_rule(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[object] = []
    monkeypatch.setattr(joints, "axis_is_usual", lambda *values: applied.append(values) or ())
    assert load_model(file).nv == 1 and not applied
    check_file(file)
    assert len(applied) == 2


def test_findings_are_those_of_one_check() -> None:
    def rule(value: float) -> list[float]:
        return [value] if value > 1.0 else []

    examine(rule, 2.0)
    with examining() as outer:
        examine(rule, 2.0)
        with examining() as inner:
            examine(rule, 3.0)
            examine(rule, 0.5)
        strictly(lambda: examine(rule, 4.0))
        examine(rule, 5.0)
    assert outer == {rule: [2.0, 5.0]} and inner == {rule: [3.0]}
