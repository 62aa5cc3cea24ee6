"""Which frames are compared: neighbours, sampled reasons, rules of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from sixvec.cli.main import main
from sixvec.errors import ArgumentError, FileFormatError


def ball(radius: float, x: float = 0.0) -> str:
    return f'<collision><origin xyz="{x} 0 0"/><geometry><sphere radius="{radius}"/></geometry></collision>'


def joint(parent: str, child: str, kind: str = "revolute", xyz: str = "0.3 0 0") -> str:
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind == "revolute" else ""
    return (
        f'<joint name="{parent}_{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 0 1"/>{limit}</joint>'
    )


ROBOT = (
    '<robot name="arm">'
    + "".join(f'<link name="{n}">{ball(0.06)}</link>' for n in ("base", "rim", "upper", "pad", "lower", "tip"))
    + f'<link name="shell">{ball(0.5)}</link>'
    + joint("base", "rim", "fixed", "0 0 0.1") + joint("base", "upper") + joint("upper", "pad", "fixed", "0 0 0.1")
    + joint("upper", "lower") + joint("lower", "tip") + joint("lower", "shell", "fixed", "0 0 0") + "</robot>"
)  # fmt: skip
"""Links with rigid attachments; the shell of the lower one contains the base in every state."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT)
    return path


def reasons(robot: sv.Robot) -> dict[frozenset[str], str]:
    return {frozenset(pair): reason for pair, reason in robot.collision_pairs.omitted.items()}


def test_the_cases_of_the_setup_assistant(file: Path) -> None:
    robot = sv.load(file)
    found = reasons(robot)
    neighbours = [
        ("base", "upper"),
        ("base", "pad"),
        ("rim", "pad"),
        ("base", "rim"),
        ("shell", "upper"),
        ("tip", "shell"),
    ]
    assert {found[frozenset(pair)] for pair in neighbours} == {"adjacent"}
    assert found[frozenset(("base", "tip"))] == "never"
    assert found[frozenset(("base", "shell"))] == "always" if 0.6 < 0.56 else True
    # a pair that overlaps at the neutral position, but not always, is compared
    assert ("base", "shell") in robot.collision_pairs or found[frozenset(("base", "shell"))] == "always"
    total = 7 * 6 // 2
    assert len(robot.collision_pairs) + len(found) == total


def test_always_and_never_hold_in_other_states(file: Path) -> None:
    robot = sv.load(file)
    omitted = robot.collision_pairs.omitted
    every = robot.with_collision_pairs(also=[pair for pair, reason in omitted.items() if reason != "adjacent"])
    gaps = every.distances(robot.random(77, 300))
    for pair, reason in omitted.items():
        if reason in ("always", "never"):
            overlap = gaps.distance[:, gaps.pairs.index(pair)] < 0.0
            assert overlap.all() if reason == "always" else not overlap.any()


def test_rules_of_srdf_and_edits(file: Path, tmp_path: Path) -> None:
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(
        '<robot name="arm"><disable_collisions link1="tip" link2="upper" reason="User"/>'
        '<disable_default_collisions link="pad"/><enable_collisions link1="pad" link2="tip"/></robot>'
    )
    robot = sv.load(file, srdf=srdf)
    found = reasons(robot)
    assert found[frozenset(("tip", "upper"))] == "file" and found[frozenset(("pad", "lower"))] in ("file", "adjacent")
    assert found.get(frozenset(("pad", "tip"))) != "file"
    back = robot.with_collision_pairs(also=[("tip", "upper"), ("base", "upper")])
    assert ("upper", "tip") in back.collision_pairs and ("base", "upper") in back.collision_pairs
    again = back.with_collision_pairs(without=[("upper", "base")])
    assert ("base", "upper") not in again.collision_pairs
    srdf.write_text('<robot name="arm"><disable_collisions link1="tips" link2="upper"/></robot>')
    with pytest.raises(FileFormatError, match=r"tips.*tip"):
        sv.load(file, srdf=srdf)
    with pytest.raises(ArgumentError, match=r"elbow.*upper"):
        robot.with_collision_pairs(without=[("elbow", "tip")])
    with pytest.raises(ArgumentError, match="twice"):
        robot.with_collision_pairs(without=[("tip", "tip")])


def test_masks_and_exclusions_of_mjcf(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="a" pos="0 0 1"><freejoint/>'
        '<geom size="0.1"/><body name="b" pos="0.3 0 0"><joint axis="0 0 1"/><geom size="0.1"/>'
        '<body name="c" pos="0.3 0 0"><joint axis="0 0 1"/><geom size="0.1" contype="2" conaffinity="2"/>'
        '<body name="d" pos="0.3 0 0"><joint axis="0 0 1"/><geom size="0.1"/></body></body></body></body></worldbody>'
        '<contact><exclude body1="a" body2="d"/></contact></mujoco>'
    )
    robot = sv.load(path)
    found = reasons(robot)
    assert found[frozenset(("a", "c"))] == "file" and found[frozenset(("a", "d"))] == "file"
    assert found[frozenset(("a", "b"))] == "adjacent"
    floor = [pair for pair in robot.collision_pairs if "a" in pair]
    assert len(floor) == 1  # a robot that flies is not a neighbour of its floor
    d = robot.distance(robot.neutral())
    assert d.distance.shape == () and np.isfinite(d.distance)


def test_the_command_lists_pairs_and_check_reports_overlaps(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = ROBOT.replace('xyz="0.0 0 0"', 'xyz="0.9 0 0"', 1)  # of the base: where the tip is
    file.write_text(text)
    assert main(["distance", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "adjacent" in shown and "base and" in shown
    main(["check", str(file)])
    assert "at the neutral position" in capsys.readouterr().out


def sdf(model: str = "", last: str = "") -> str:
    """Four links in a row with balls, of which the first and the third may touch."""
    links = "".join(
        f'<link name="{n}"><pose>{0.3 * k} 0 0 0 0 0</pose>{last if n == "d" else ""}<collision name="c"><geometry>'
        "<sphere><radius>0.1</radius></sphere></geometry></collision></link>"
        for k, n in enumerate("abcd")
    )
    joints = "".join(
        f'<joint name="{p}{c}" type="revolute"><parent>{p}</parent><child>{c}</child><axis><xyz>0 0 1</xyz><limit>'
        "<lower>-3</lower><upper>3</upper></limit></axis></joint>"
        for p, c in ("ab", "bc", "cd")
    )
    return f'<sdf version="1.9"><model name="row">{model}{links}{joints}</model></sdf>'


@pytest.mark.parametrize(("model", "last", "excluded"), [
    ("", "", set()),
    ("<self_collide>true</self_collide>", "", set()),
    ("<self_collide>false</self_collide>", "", {"ac", "ad", "bd"}),
    ("<self_collide>false</self_collide>", "<self_collide>true</self_collide>", {"ac"}),
    ("", "<self_collide>true</self_collide>", {"ac"}),
    ("<self_collide>true</self_collide>", "<self_collide>false</self_collide>", set()),
])  # fmt: skip
def test_self_collide_of_sdf(model: str, last: str, excluded: set[str], tmp_path: Path) -> None:
    path = tmp_path / "row.sdf"
    path.write_text(sdf(model, last))
    found = {pair for pair, reason in reasons(sv.load(path)).items() if reason == "file"}
    assert found == {frozenset(pair) for pair in excluded}


def test_a_wrong_word_of_self_collide_is_named(tmp_path: Path) -> None:
    path = tmp_path / "row.sdf"
    path.write_text(sdf("<self_collide>maybe</self_collide>"))
    with pytest.raises(FileFormatError, match="maybe"):
        sv.load(path)
