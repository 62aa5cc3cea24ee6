"""Findings that had no line or were not told: what the loader leaves out, motors of nothing, followers of nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_files import AXIS, LIMIT, joint, link, robot

from sixvec.formats.doctor import Finding, check_file

GEOM = '<geom size="0.1"/>'


def findings(folder: Path, name: str, *lines: str) -> list[Finding]:
    path = folder / name
    path.write_text("\n".join(lines))
    return [*check_file(path).findings]


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ('<actuator><pid joint="j"/></actuator>', "", "<tendon/>"),
        ('<tendon><fixed damping="1"><joint joint="j" coef="1"/></fixed></tendon>', "", ""),
        ('<option density="1.2"/>', "", ""),
        ('<worldbody><body gravcomp="1"/></worldbody>', "", ""),
        ('<worldbody><body><joint type="ball" range="0 9"/>' + GEOM + "</body></worldbody>", "", ""),
    ],
)
def test_omissions_of_the_loader_are_reported_with_lines(tmp_path: Path, line: str, before: str, after: str) -> None:
    arm = f'<mujoco><worldbody><body name="a"><joint name="j" range="-9 9"/>{GEOM}</body></worldbody>{before}'
    (told,) = (
        f for f in findings(tmp_path, "r.xml", arm, "", line, f"{after}</mujoco>") if "read without" in f.message
    )
    assert told.line == 3 and told.severity.word == "warning"


def test_omissions_of_an_included_file_are_reported_there(tmp_path: Path) -> None:
    motors = tmp_path / "motors.xml"
    motors.write_text('<mujoco>\n<actuator>\n<pid joint="j"/></actuator></mujoco>')
    arm = f'<mujoco><worldbody><body name="a"><joint name="j" range="-9 9"/>{GEOM}</body></worldbody>'
    (told,) = findings(tmp_path, "r.xml", arm, '<include file="motors.xml"/></mujoco>')
    assert (told.file, told.line) == (str(motors), 3)


def test_a_transmission_of_an_unknown_joint(tmp_path: Path) -> None:
    lines = [link("a"), link("b"), joint("elbow", "a", "b")]
    drive = '<transmission name="t"><joint name="{}"/></transmission>'
    path = tmp_path / "robot.urdf"
    path.write_text(robot(*lines, drive.format("elbow"), drive.format("elbw"), drive.format("")))
    told = [(f.line, f.severity.word, f.message, f.advice) for f in check_file(path).findings]
    assert told == [
        (6, "warning", 'no joint "elbw"', 'did you mean "elbow"? joints: elbow'),
        (7, "warning", "names no joint", 'add name="…"'),
    ]


def test_a_leaf_without_mass_that_follows_nobody(tmp_path: Path) -> None:
    """A follower needs no mass of its own; one in a circle, or after a joint that is not there, moves for itself."""
    lines = [link("a"), link("b"), link("tip", ""), joint("lead", "a", "b")]
    path = tmp_path / "robot.urdf"
    for leader, told in (("lead", False), ("k", True), ("none", True)):
        path.write_text(robot(*lines, joint("k", "b", "tip", AXIS + LIMIT + f'<mimic joint="{leader}"/>')))
        assert any("no mass" in f.message for f in check_file(path).findings) is told


def test_names_that_exist_are_listed(tmp_path: Path) -> None:
    inside = '<geom type="mesh" mesh="zzz"/><joint class="yyy"/>'
    equal = '<equality><weld body1="xxx"/></equality>'
    assets = '<asset><mesh name="m" file="m.stl"/><mesh name="n" file="n.stl"/></asset>'
    classes = '<default><default class="c"/></default>'
    world = f"<worldbody><body>{inside}</body></worldbody>"
    told = findings(tmp_path, "r.xml", f"<mujoco>{assets}{classes}{world}{equal}</mujoco>")
    advice = " ".join(f.advice for f in told)
    assert "meshes: m, n" in advice and "default classes: main, c" in advice and "bodies: " in advice
