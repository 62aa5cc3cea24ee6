"""A check of an MJCF file reads each joint and inertia once, and its rules about values run where they are read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sixvec.formats import load_model
from sixvec.formats.doctor import check_file
from sixvec.formats.mjcf import inertia, joint, read

INERTIAL = '<inertial pos="0 0 0" mass="9000" diaginertia="1 1 9"/>'
BODY = '<body name="{0}"><joint name="j{0}" {1} damping="-1" range="{2}"/>{3}</body>'
ROBOT = "\n".join((
    '<mujoco><compiler angle="radian"/><worldbody>',
    BODY.format("a", "", "-40 40", INERTIAL),
    BODY.format("b", 'type="slide"', "0 300", INERTIAL),
    BODY.format("c", 'limited="true"', "0 1", '<geom size="0.1"/>'),
    '<replicate count="60">' + BODY.format("d", 'frictionloss="-2"', "-50 50", INERTIAL) + "</replicate>",
    "</worldbody></mujoco>",
))  # fmt: skip

MESSAGES = {
    "no body can have this inertia": 3,
    "are these grams": 3,
    "damping -1 is negative": 4,
    "frictionloss -2 is negative": 1,
    "a limit of -40 rad": 1,
    "a limit of -50 rad": 1,
    "300 m of travel": 1,
    "has no limits": 0,
    "and more of the kind": 0,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.xml"
    path.write_text(ROBOT)
    return path


@pytest.mark.parametrize("around", ["", '<body name="z"><joint type="hing"/></body>', '<geom mesh="none"/>'])
def test_every_rule_about_values_reports(file: Path, around: str) -> None:
    """Copies of an element once, and also in a file that cannot be loaded, for the elements that can be read."""
    file.write_text(ROBOT.replace("</worldbody>", f"{around}</worldbody>"))
    messages = [f.message for f in check_file(file).findings]
    assert {part: sum(part in message for message in messages) for part in MESSAGES} == MESSAGES


@pytest.mark.parametrize("wrong", ['pos="x"', 'ref="x"', 'axis="0 0"', 'springdamper="1"', 'armature="x"'])
def test_other_values_of_a_joint_are_examined(tmp_path: Path, wrong: str) -> None:
    """Although one of its attributes cannot be read."""
    file = tmp_path / "r.xml"
    joint_lines = f'<joint name="j" {wrong} type="slide" range="0 300" damping="-1"/>\n{INERTIAL}'
    file.write_text(f"<mujoco><worldbody><body>\n{joint_lines}</body></worldbody></mujoco>")
    report = check_file(file)
    assert report.model is None
    messages = [f.message for f in report.findings if f.line == 2]
    assert len(messages) == 3
    for part in ("300 m of travel", "damping -1 is negative", wrong.split("=")[0]):
        assert any(part in message for message in messages)


def test_bounds_of_the_compiler_make_inertias_possible(tmp_path: Path) -> None:
    """Then the numbers of the file are not those of the robot."""
    for bound, count in (("", 2), ('balanceinertia="true"', 0), ('boundmass="1"', 0)):
        file = tmp_path / "r.xml"
        body = BODY.format("a", "", "-1 1", INERTIAL)
        file.write_text(f'<mujoco><compiler angle="radian" {bound}/><worldbody>{body}</worldbody></mujoco>')
        messages = [f.message for f in check_file(file).findings]
        assert sum("inertia" in m or "grams" in m for m in messages) == count, bound


def test_each_element_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def counting(module: object, name: str) -> None:
        function = getattr(module, name)

        def counted(*given: object, **options: object) -> object:
            calls.update([name])
            return function(*given, **options)

        monkeypatch.setattr(module, name, counted)

    for module, name in ((inertia, "_central_inertia"), (joint, "_examined_range"), (read, "read_joint")):
        counting(module, name)
    report = check_file(file)
    assert report.model is not None and len(report.model.bodies) == 63
    assert calls == {"_central_inertia": 62, "_examined_range": 63, "read_joint": 63}


def test_loads_as_before(file: Path) -> None:
    """A check does not change what a load reads."""
    before = load_model(file)
    assert check_file(file).model == before
    assert load_model(file) == before
