"""`sixvec show`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sixvec.model import Body, Gear, Limits, Mimic, Model
from sixvec.model.joints import Free, Prismatic, Revolute
from sixvec.model.text_tree import DEEPEST, text_tree
from sixvec.robots.four_bar import four_bar
from sixvec.spatial import RigidInertia, Sym3, Vec3

BALL = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))


def test_a_branching_robot() -> None:
    hand = Model(
        "hand",
        (
            Body("palm", joint=Free(), inertia=BALL, joint_name="float"),
            Body("left", "palm", Revolute(), joint_name="l", limits=Limits((-1.0,), (0.5,))),
            Body("tip", "left", Revolute(Vec3(0.0, -1.0, 0.0)), joint_name="t", mimic=Mimic("left", -0.5, 0.1)),
            Body("right", "palm", Prismatic(Vec3(3.0, 4.0, 0.0)), joint_name="r", limits=Limits((0.0,), (0.04,))),
        ),
    )
    assert text_tree(hand).splitlines() == [
        "hand: tree, 4 bodies, 3 moving joints, nq 9, nv 8, 2 kg",
        "body     joint  type                     q            limits         mass",
        "palm     float  free                     0-6          -              2 kg",
        "├ left   l      revolute z               7            -1 to 0.5 rad  -",
        "│ tip    t      revolute -y              -0.5·l +0.1  -              -",
        "└ right  r      prismatic (0.6, 0.8, 0)  8            0 to 0.04 m    -",
    ]


def test_loops_stand_below_the_tree() -> None:
    lines = text_tree(replace(four_bar(), closures=(*four_bar().closures, Gear("g", "crank", "rocker", -2.0, 0.1))))
    assert lines.splitlines()[-3:] == [
        "closure      type        between                   prevents",
        "coupler_pin  revolute z  coupler_end - rocker_end  5 motions",
        "g            gear        rocker = -2·crank +0.1    1 motion",
    ]


def test_long_and_deep_robots_have_short_lines() -> None:
    names = [str(i) for i in range(3000)]
    parents = [None, *names]
    chain = tuple(Body(n, p, Revolute()) for n, p in zip(names, parents, strict=False))
    assert max(map(len, text_tree(Model("chain", chain)).splitlines())) < 80
    comb = tuple(Body(f"{n}tooth", n, Revolute()) for n in names)
    lines = text_tree(Model("comb", chain + comb)).splitlines()
    assert len(lines) == 6002 and max(map(len, lines)) < 80 + 2 * DEEPEST


def test_the_command(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    done = sixvec("show", "panda")
    assert done.returncode == 0, done.stderr
    assert "panda: serial, 9 bodies, 7 moving joints" in done.stdout
    assert "panda_joint4" in done.stdout
    floating = sixvec("show", "panda", "--floating").stdout
    assert "root_joint" in floating and "nq 14" in floating
    loops = sixvec("show", "four_bar").stdout
    assert "four_bar: graph" in loops and "coupler_pin" in loops
    wrong = sixvec("show", "pandaa")
    assert wrong.returncode == 3 and 'did you mean "panda"' in wrong.stderr
