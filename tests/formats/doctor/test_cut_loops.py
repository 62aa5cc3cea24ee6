"""Links that were one before an exporter cut a loop are found; other coinciding links are not."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from broken_files import AXIS, BODY, LIMIT, joint, link, robot

from sixvec.formats.doctor import Finding, check_file

PATIENCE = 10.0
"""Seconds; a free machine needs one."""


def at(x: float, y: float = 0.0) -> str:
    return f'<origin xyz="{x} {y} 0"/>' + AXIS + LIMIT


def found(folder: Path, *lines: str) -> list[Finding]:
    path = folder / "robot.urdf"
    path.write_text(robot(*lines))
    report = check_file(path)
    assert report.status < 2, report.text()
    return [f for f in report.findings if "a loop that an exporter cut" in f.message]


def four_bar(first: str, second: str, inside: str = "", away: float = 0.0) -> list[str]:
    """Two cranks on the ground, a rod on the first, and where the rod meets the second one or two marks.

    The lines are 2: ground, 3: left, 4: rod, 5: right, 6: first mark, 7: second mark.
    """
    return [
        link("ground"), link("left"), link("rod"), link("right"), link(first, inside), link(second, inside),
        joint("turn_left", "ground", "left", at(0.0)), joint("turn_right", "ground", "right", at(1.0)),
        joint("turn_rod", "left", "rod", at(0.0, 0.5)),
        joint("mark_1", "rod", first, f'<origin xyz="1 {away} 0"/>', "fixed"),
        joint("mark_2", "right", second, '<origin xyz="0 0.5 0"/>', "fixed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("closing_knee_1", "closing_knee_2"),
        ("rod_end", "rod_end_loop"),
        ("loop_a", "loop_b"),
        ("rodEnd", "rodEndDummy"),
        ("pin", "pin-copy"),
        ("cut_joint_here", "some_pin"),
    ],
)
def test_marks_at_a_cut(tmp_path: Path, first: str, second: str) -> None:
    (finding,) = found(tmp_path, *four_bar(first, second))
    lines = {6: (first, second, 7), 7: (second, first, 6)}
    name, other, line = lines[finding.line or 0]
    assert finding.element == f'link "{name}"' and f'"{other}" (line {line})' in finding.message
    assert finding.severity.word == "warning" and "Closure" in finding.advice


def test_a_cut_is_found_among_many_links_of_one_stem(tmp_path: Path) -> None:
    others = [f"pin_ghost_{k}" for k in range(5)]
    before = [link(name, "") for name in others]
    placed = [joint(f"at_{n}", "ground", n, f'<origin xyz="{3 + k} 0 0"/>', "fixed") for k, n in enumerate(others)]
    (finding,) = found(tmp_path, *before, *four_bar("pin", "pin_copy"), *placed)
    assert {"pin", "pin_copy"} == {*re.findall('"([^"]*)"', finding.element + finding.message)[:2]}


def test_a_copy_of_a_whole_link(tmp_path: Path) -> None:
    """The rod hangs on one crank, and an empty copy of it, numbered, on the other."""
    lines = [
        link("ground"), link("left"), link("right"), link("rod"), link("rod_1", ""),
        joint("turn_left", "ground", "left", at(0.0)), joint("turn_right", "ground", "right", at(1.0)),
        joint("turn_rod", "left", "rod", at(0.0, 0.5)), joint("cut", "right", "rod_1", at(-1.0, 0.5)),
    ]  # fmt: skip
    (finding,) = found(tmp_path, *lines)
    assert finding.line == 6 and '"rod" (line 5)' in finding.message


def test_marks_that_do_not_meet_are_no_loop(tmp_path: Path) -> None:
    assert not found(tmp_path, *four_bar("closing_knee_1", "closing_knee_2", away=0.01))


@pytest.mark.parametrize("away", [0.5 + 9e-5, 0.5 - 9e-5])
def test_marks_of_unlike_names_meet_across_rounded_digits(tmp_path: Path, away: float) -> None:
    """Whatever else lies at a mark that says so is found, on either side of the border between two cells."""
    assert found(tmp_path, *four_bar("cut_joint_here", "some_pin", away=away - 0.5))


def test_a_mark_is_found_among_many_frames_elsewhere(tmp_path: Path) -> None:
    frames = [f"sensor{i}" for i in range(40)]
    places = [f'<origin xyz="3 {0.02 * i} 0"/>' for i in range(40)]
    spread = [joint(f"at_{f}", "ground", f, place, "fixed") for f, place in zip(frames, places, strict=True)]
    (finding,) = found(tmp_path, *(link(f) for f in frames), *spread, *four_bar("cut_joint_here", "some_pin"))
    assert '"some_pin"' in finding.message


def test_numbered_frames_of_two_fingers_may_touch(tmp_path: Path) -> None:
    assert not found(tmp_path, *four_bar("tip_1", "tip_2"))
    assert not found(tmp_path, *four_bar("left_tip", "right_tip"))
    assert not found(tmp_path, *four_bar("tip_dummy_1", "tip_dummy_2", BODY))


def test_a_wrist_has_its_links_in_one_point(tmp_path: Path) -> None:
    lines = [
        link("arm"), link("wrist"), link("wrist_1"), link("wrist_dummy", ""),
        joint("a", "arm", "wrist"), joint("b", "wrist", "wrist_1"), joint("c", "wrist_1", "wrist_dummy", kind="fixed"),
    ]  # fmt: skip
    assert not found(tmp_path, *lines)


def test_frames_on_one_body_are_no_loop(tmp_path: Path) -> None:
    lines = [link("a"), link("tool", ""), link("tool_copy", "")]
    assert not found(
        tmp_path, *lines, joint("j", "a", "tool", kind="fixed"), joint("k", "a", "tool_copy", kind="fixed")
    )


def test_hundreds_of_marks_in_one_place_take_little_time(tmp_path: Path) -> None:
    """All pairs of them would be half a million, each with a way of hundreds of joints to the root."""
    count = 1000
    chain = [link("l0")] + [link(f"l{i}") for i in range(1, count)] + [link(f"loop_{i}", "") for i in range(1, count)]
    joints = [joint(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, count)]
    ends = [joint(f"k{i}", f"l{i - 1}", f"loop_{i}", kind="fixed") for i in range(1, count)]
    start = time.process_time()
    assert not found(tmp_path, *chain, *joints, *ends)  # one chain, through one point
    assert time.process_time() - start < PATIENCE


def test_bodies_side_by_side_are_no_loop(tmp_path: Path) -> None:
    """The hands of a clock turn about one point of one body."""
    lines = [link("clock"), link("hand_1"), link("hand_2", ""), joint("hour", "clock", "hand_1")]
    assert not found(tmp_path, *lines, joint("minute", "clock", "hand_2"))
    behind = [link("wheel"), joint("drive", "clock", "wheel"), joint("minute", "wheel", "hand_2")]
    assert found(tmp_path, *lines, *behind)
