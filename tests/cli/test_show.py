"""`sixvec show`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from sixvec.model import Body, Differential, Gear, Limits, Mimic, Model
from sixvec.model.joints import Cylindrical, Free, Helical, Planar, Prismatic, Revolute, Universal
from sixvec.model.robots.four_bar import four_bar
from sixvec.model.text_tree import DEEPEST, text_tree
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


def test_every_kind_has_its_words() -> None:
    def heavy(mass: float) -> RigidInertia:
        return RigidInertia(mass, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))

    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    bodies = (
        Body("base"),
        Body("a", "base", Revolute(x), joint_name="ja", limits=Limits((-1.0,), (inf,))),
        Body("b", "a", Prismatic(-z), inertia=heavy(0.5), joint_name="jb", limits=Limits((-inf,), (2.0,))),
        Body("c", "a", Planar(y), inertia=heavy(1.25), joint_name="jc"),
        Body("d", "b", Universal(), joint_name="jd", limits=Limits((-1.0, -2.0), (1.0, 2.0))),
        Body("e", "b", Cylindrical(-x), joint_name="je"),
        Body("f", "e", Helical(-y, 0.1), joint_name="jf", mimic=Mimic("a", 2.0)),
        Body("g", "f", Revolute(y), mimic=Mimic("a", 2.0)),
    )
    split = Differential("split", (("a", 1.0), ("b", -0.5)), 0.25)
    model = Model("kinds", bodies, closures=(Gear("gear", "a", "b", 2.0), split))
    assert text_tree(model).splitlines() == [
        "kinds: graph, 8 bodies, 5 moving joints, nq 9, nv 9, 1.75 kg",
        "body   joint  type            q     limits            mass",
        "base          fixed                                   -",
        "a      ja     revolute x      0     -1 to inf rad     -",
        "├ b    jb     prismatic -z    1     -inf to 2 m       0.5 kg",
        "│ ├ d  jd     universal       5-6   -1 to 1, -2 to 2  -",
        "│ └ e  je     cylindrical -x  7-8   -                 -",
        "│   f  jf     helical -y      2·ja  -                 -",
        "│   g         revolute y      2·ja  -                 -",
        "└ c    jc     planar y        2-4   -                 1.25 kg",
        "closure  type          between            prevents",
        "gear     gear          b = 2·a            1 motion",
        "split    differential  1·a -0.5·b = 0.25  1 motion",
    ]
    assert text_tree(Model("one", (Body("a", None, Revolute()),))).startswith("one: serial, 1 bodies, 1 moving joint, ")


def test_lines_of_the_tree_end_at_some_depth() -> None:
    names = [str(i) for i in range(40)]
    chain = tuple(Body(n, p, Revolute()) for n, p in zip(names, [None, *names], strict=False))
    comb = tuple(Body(f"tooth{n}", n, Revolute()) for n in names[:-1])
    rows = text_tree(Model("comb", chain + comb)).splitlines()[2:]
    depths = [min(row.find(c) for c in "t0123456789" if c in row.partition("revolute")[0]) for row in rows]
    assert max(depths) == 60 and DEEPEST == 30


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
