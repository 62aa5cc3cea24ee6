"""The rules alone, on outlines made by hand: on both sides of every bound, with all words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sixvec.formats.doctor import joints, masses, meshes, names, spelling, units
from sixvec.formats.doctor.check import MOST_OF_A_KIND, _bounded
from sixvec.formats.doctor.finding import Finding, Findings, Report, Severity, worst
from sixvec.formats.doctor.outline import (
    Follow,
    Format,
    Inner,
    Joint,
    Link,
    Mesh,
    Motion,
    Outline,
    Reference,
    Written,
    number,
    numbers,
    parsed,
)
from sixvec.formats.node import Node
from sixvec.formats.vocabulary import Vocabulary
from sixvec.formats.xml import parse_xml
from sixvec.geometry.rigid_body.consistency import inconsistencies
from sixvec.model import Model
from sixvec.spatial import RigidInertia, Sym3, Vec3

GRAPH = Format("GF", "part")
TREE = Format("TF", "part", one_tree=True)
ROOT = Node("robot", {}, 1, "r.xml")
NOTE, WARNING, ERROR = Severity


def node(tag: str, line: int = 2, **attributes: str) -> Node:
    return Node(tag, attributes, line, "r.xml", ROOT)


def no_model() -> Model:
    raise AssertionError("rules do not read")


def outline(format: Format = GRAPH, **parts: Any) -> Outline:
    return Outline(format, ROOT, no_model, **parts)


def joint(motion: Motion = Motion.TURN, name: str = "j", line: int = 2, **more: Any) -> Joint:
    more = {"kind": "hinge", "parent": "a", "child": "b"} | more
    return Joint(node("joint", line, name=name), name, motion=motion, **more)


def link(name: str = "a", line: int = 2, mass: float = 0.0, **more: Any) -> Link:
    more = {"heavy": mass > 0.0} | more
    return Link(node("part", line, name=name), name, node("inertial", line), None, **more)


def body(mass: float, *moments: float) -> RigidInertia:
    return RigidInertia(mass, Vec3.zero(), Sym3.diagonal(*moments))


def told(findings: Findings) -> list[tuple[Severity, str]]:
    return [(f.severity, f.message) for f in findings]


LIMIT = node("limit", 3)
UNDRIVEN = "is zero: the joint cannot be driven"


@pytest.mark.parametrize(
    ("bound", "turns", "slides"),
    [
        (20.0, None, None),
        (20.1, None, "20.1 m of travel: are these millimetres?"),
        (25.0, None, "25 m of travel: are these millimetres?"),
        (25.2, "a limit of 25.2 rad is 4.01 turns: are these degrees?", "25.2 m of travel: are these millimetres?"),
        (-90.0, "a limit of -90 rad is 14.3 turns: are these degrees?", "-90 m of travel: are these millimetres?"),
        (999.0, "a limit of 999 rad is 159 turns: are these degrees?", "999 m of travel: are these millimetres?"),
        (1001.0, None, None),
        (-1e9, None, None),
    ],
)
def test_limits_in_other_units(bound: float, turns: str | None, slides: str | None) -> None:
    for bounds in ((bound,), (0.5, bound), (bound, 0.5)):
        assert told(units.turn_is_radians(LIMIT, bounds)) == ([(WARNING, turns)] if turns else [])
        assert told(units.slide_is_metres(LIMIT, bounds, "GF")) == ([(WARNING, slides)] if slides else [])
    assert not [*units.turn_is_radians(LIMIT, ())] and not [*units.slide_is_metres(LIMIT, (), "GF")]


@pytest.mark.parametrize(
    ("values", "length", "angle"),
    [
        ((0.0, 6.2839, -1.0), None, None),
        (
            (0.0, 6.2852, -1.0),
            None,
            "an angle of 6.2852 rad is more than a turn: are these degrees?",
        ),
        ((0.0, 1.0, -20.0), None, "an angle of 20 rad is more than a turn: are these degrees?"),
        (
            (0.0, 1.0, -20.5),
            "20.5 m is very far: are these millimetres?",
            "an angle of 20.5 rad is more than a turn: are these degrees?",
        ),
    ],
)
def test_lengths_and_angles_in_other_units(values: tuple[float, ...], length: str | None, angle: str | None) -> None:
    assert told(units.length_is_metres(LIMIT, values, "GF")) == ([(WARNING, length)] if length else [])
    assert told(units.angle_is_radians(LIMIT, values)) == ([(WARNING, angle)] if angle else [])


@pytest.mark.parametrize(
    ("mass", "moments", "messages"),
    [
        (4999.0, (1.0, 1.0, 1.0), []),
        (5001.0, (1.0, 1.0, 1.0), ["a mass of 5001 kg: are these grams?"]),
        (2.0, (199.0, 199.0, 199.0), []),
        (2.0, (201.0, 1.0, 1.0), ["the inertia is that of its mass 10 m away: is it in kg mm² or g mm²?"]),
        (2.0, (1.0, -800.0, 1.0), ["the inertia is that of its mass 20 m away: is it in kg mm² or g mm²?"]),
        (2.0, (1.0, 1.0, 1800.0), ["the inertia is that of its mass 30 m away: is it in kg mm² or g mm²?"]),
        (0.0, (1.0, 1.0, 1.0), []),
        (-1.0, (200.0, 1.0, 1.0), []),
        (0.5, (200.0, 1.0, 1.0), ["the inertia is that of its mass 20 m away: is it in kg mm² or g mm²?"]),
    ],
)
def test_masses_in_other_units(mass: float, moments: tuple[float, float, float], messages: list[str]) -> None:
    found = [*units.mass_is_kilograms(LIMIT, body(mass, *moments), "GF")]
    assert [f.message for f in found] == messages
    assert {f.advice for f in found} <= {"GF is in kilograms", "GF is in kg m²"}


@pytest.mark.parametrize(
    ("text", "least", "most", "infinite", "message", "advice"),
    [
        ("1", 1, 1, False, None, ""),
        ("", 3, 3, False, "the attribute size is missing or empty", 'add size="…"'),
        ("a", 1, 1, False, 'size="a" is not numbers', "give 1 number such as 0.5"),
        ("1 2", 3, 3, False, 'size="1 2" holds 2 numbers', "give 3 numbers"),
        ("1", 2, 3, False, 'size="1" holds 1 number', "give 2 to 3 numbers"),
        ("1e15", 1, 1, False, None, ""),
        ("1.1e15", 1, 1, False, 'size="1.1e15" is larger than anything about a robot', "give numbers in SI units"),
        ("-2e15", 1, 1, False, 'size="-2e15" is larger than anything about a robot', "give numbers in SI units"),
        ("2e15", 1, 1, True, None, ""),
        ("inf", 1, 1, True, None, ""),
        ("inf", 1, 1, False, 'size="inf" is not finite', "give 1 finite number"),
    ],
)
def test_numbers_that_are_none(
    text: str, least: int, most: int, infinite: bool, message: str | None, advice: str
) -> None:
    given, between = node("limit", size=text), node("size")
    between.content_text = [text]
    o = outline(written=lambda: iter([Written(given, "size", least, most, infinite)]))
    found = [*units.numbers_are_numbers(o)]
    assert [(f.severity, f.message, f.advice) for f in found] == ([(ERROR, message, advice)] if message else [])
    o = outline(written=lambda: iter([Written(between, "", least, most, infinite)]))
    words = message and message.replace("size=", "").replace("the attribute size is missing or empty", "is empty")
    assert told(units.numbers_are_numbers(o)) == ([(ERROR, words)] if words else [])


def test_numbers_of_attributes() -> None:
    t = node("limit", size="1 2", mass="3", word="x")
    assert numbers(t, "size", 2) == (1.0, 2.0) and numbers(t, "size", 3) is None and numbers(t, "none", 1) is None
    assert number(t, "mass") == 3.0 and number(t, "size") is None and number(t, "word") is None
    assert number(None, "mass") is None and numbers(None, "mass", 1) is None
    assert parsed("0 1", 2) == (0.0, 1.0) and parsed("0 1", 1) is None


@pytest.mark.parametrize(
    ("lower", "upper", "effort", "velocity", "said"),
    [
        (-1.0, 1.0, 1.0, 1.0, []),
        (1.0, -1.0, 1.0, 1.0, []),  # a reader refuses it
        (1.0, 1.0, None, None, [(WARNING, "lower and upper are both 1: it cannot move")]),
        (1.0, None, None, None, []),
        (None, -1.0, None, None, []),
        (None, None, -1.0, 0.0, [(WARNING, "effort -1 is negative"), (NOTE, f"velocity {UNDRIVEN}")]),
        (None, None, 0.0, -2.0, [(NOTE, f"effort {UNDRIVEN}"), (WARNING, "velocity -2 is negative")]),
        (None, None, 0.5, 0.5, []),
    ],
)  # fmt: skip
def test_limits_make_sense(
    lower: float | None,
    upper: float | None,
    effort: float | None,
    velocity: float | None,
    said: list[tuple[Severity, str]],
) -> None:
    found = [*joints.range_is_not_empty(LIMIT, lower, upper), *joints.joint_can_be_driven(LIMIT, effort, velocity)]
    assert told(iter(found)) == said


def test_limits_are_given() -> None:
    follow = Follow(LIMIT, "other")
    for motion in Motion:
        one = motion in (Motion.TURN, Motion.SLIDE)
        assert told(joints.limits_are_given(outline(joints=[joint(motion)]))) == [(NOTE, "has no limits")] * one
        assert not [*joints.limits_are_given(outline(joints=[joint(motion, follow=follow)]))]
        assert not [*joints.limits_are_given(outline(joints=[joint(motion, endless=True)]))]
        assert not [*joints.limits_are_given(outline(joints=[joint(motion, bounds=())]))]


def test_limits_of_urdf_are_written() -> None:
    expected = "has no <limit> and is taken as unlimited, which other programs reject"
    for turns in (False, True):
        (found,) = joints.limit_is_written(LIMIT, None, turns)
        assert (found.severity, found.message) == (ERROR, expected)
        assert found.advice.endswith("or make it continuous") == turns
    for words, said in (
        (("lower", "upper"), None),
        (("upper", "effort"), "lower"),
        (("lower",), "upper"),
        (("velocity",), "lower and upper"),
    ):
        limit = node("limit", **dict.fromkeys(words, "1"))
        messages = [(WARNING, f"{said} missing: unlimited here, zero for most other programs")] if said else []
        assert told(joints.limit_is_written(LIMIT, limit, True)) == messages


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        ((0.0, 0.0, 1.0), []),
        ((0.0, 0.0, -1.0), []),
        ((0.6, 0.0, 0.8), []),
        ((0.0, 0.0, 0.0), []),  # a reader refuses it
        ((0.0, 0.0, -2e-9), [(NOTE, "the axis is not of unit length and is normalised")]),
        ((0.0, 0.0, 1.0004), []),
        ((0.0, 0.0, 1.0006), [(NOTE, "the axis is not of unit length and is normalised")]),
        ((0.0, -0.9994, 0.0), [(NOTE, "the axis is not of unit length and is normalised")]),
        ((1.0, 1.0, 0.0), [(NOTE, "the axis is not of unit length and is normalised")]),
    ],
)
def test_axes(axis: tuple[float, ...], said: list[tuple[Severity, str]]) -> None:
    assert told(joints.axis_is_usual(ROOT, LIMIT, axis)) == said
    assert told(joints.axis_is_usual(ROOT, None, axis)) == [(NOTE, "has no <axis> and so moves along x")]


def test_friction_and_followers() -> None:
    assert told(joints.friction_brakes(LIMIT, "damping", -0.5)) == [
        (WARNING, "damping -0.5 is negative and would drive the joint")
    ]
    assert not [*joints.friction_brakes(LIMIT, "friction", 0.0)]
    assert not [*joints.friction_brakes(LIMIT, "damping", None)]
    leaders = {m: joint(m, f"led_{m.value}", kind=m.value) for m in Motion}
    for motion in Motion:
        for led, leader in leaders.items():
            for multiplier in (0.0, 1.0, None):
                follower = joint(motion, kind="x", follow=Follow(LIMIT, leader.name, multiplier))
                said = told(joints.followers_can_follow(outline(joints=[follower, leader])))
                if motion is Motion.NONE:
                    assert said == [(NOTE, "a fixed joint follows nobody")]
                elif motion is Motion.SEVERAL:
                    assert said == [(ERROR, "a x joint cannot follow another")]
                elif led in (Motion.NONE, Motion.SEVERAL):
                    words = f'follows "{leader.name}", a {led.value} joint, which has no single coordinate'
                    assert said == [(ERROR, words)]
                else:
                    assert said == [(WARNING, "the multiplier is zero: it never moves")] * (multiplier == 0.0)
        nobody = joint(motion, follow=Follow(LIMIT, "nobody", 0.0))
        assert len([*joints.followers_can_follow(outline(joints=[nobody]))]) == (
            motion in (Motion.NONE, Motion.SEVERAL)
        )


@pytest.mark.parametrize(
    ("mass", "moments", "severity"),
    [
        (1.0, (1.0, 1.0, 1.9), None),
        (1.0, (1.0, 1.0, 2.0), None),
        (1.0, (1.0, 1.0, 2.03), NOTE),  # 0.015 of 2.03 are missing
        (1.0, (1.0, 1.0, 2.05), WARNING),
        (1.0, (2.05, 1.0, 1.0), WARNING),
        (1.0, (1.0, 2.03, 1.0), NOTE),
        (1.0, (-1.0, 1.0, 1.0), ERROR),
        (-1.0, (1.0, 1.0, 1.0), None),  # a reader refuses it
        (0.0, (1.0, 1.0, 1.0), WARNING),
        (4.0, (0.0, 0.0, 7.9e-12), NOTE),  # smaller than a micrometre
        (4.0, (0.0, 0.0, 8.1e-12), WARNING),
    ],
)
def test_inertias(mass: float, moments: tuple[float, float, float], severity: Severity | None) -> None:
    found = [*masses.inertia_is_possible(LIMIT, body(mass, *moments))]
    assert [f.severity for f in found] == ([] if severity is None else [severity])
    assert [f.message.endswith(", but very nearly so") for f in found] == [severity is NOTE] * len(found)


def test_what_is_plainly_possible_is_possible() -> None:
    """By minors as by principal moments, for tensors with all products of inertia."""
    steps = (-0.9, -0.4, 0.0, 0.3, 0.8)
    tensors = [
        Sym3(a, xy, xz, 1.0, yz, c)
        for a in (0.61, 1.13, 1.87)
        for c in (0.5, 1.3)
        for xy in steps
        for xz in steps
        for yz in steps
    ]
    plain = [masses._is_plainly_possible(1.0, t) for t in tensors]
    assert plain == [not inconsistencies(RigidInertia(1.0, Vec3.zero(), t)) for t in tensors]
    assert 40 < sum(plain) < len(plain) - 40
    assert not masses._is_plainly_possible(0.0, Sym3.diagonal(1.0, 1.0, 1.0))
    assert masses._is_plainly_possible(0.5, Sym3.diagonal(1e-12, 1e-12, 1e-12))


def test_point_masses() -> None:
    for mass, moments, said in ((1.0, 0.0, 1), (0.5, 0.0, 1), (1.0, 0.1, 0), (0.0, 0.0, 0), (-1.0, 0.0, 0)):
        found = masses.mass_has_inertia(LIMIT, body(mass, 0.0, moments, 0.0))
        assert told(found) == [(NOTE, "a point mass: its inertia is zero")] * said


def test_leaves_that_move_without_mass() -> None:
    def told_joints(*made: Joint, heavy: str = "", format: Format = GRAPH) -> list[str]:
        links = [link(n, mass=float(n in heavy)) for n in "abcd"]
        o = outline(format, links=links, joints=[*made])
        return [f.element for f in masses.moving_leaves_have_mass(o)]

    chain = [joint(name=f"j{c}", parent=p, child=c) for p, c in ("ab", "bc", "cd")]
    assert told_joints(*chain) == ['joint "jb"', 'joint "jc"', 'joint "jd"']
    assert told_joints(*chain, heavy="c") == ['joint "jd"']
    assert told_joints(*chain, heavy="a") == told_joints(*chain)
    assert not told_joints(*chain, heavy="d")
    assert not told_joints(*chain, format=Format("W", "part", weight_expected=True))
    for motion in Motion:
        said = [] if motion in (Motion.NONE, Motion.UNKNOWN) else ['joint "j"']
        assert told_joints(joint(motion)) == said
    assert not told_joints(joint(child="nowhere"))

    lead, follow = joint(name="lead", child="b"), joint(name="f", child="c", follow=Follow(LIMIT, "lead"))
    last = joint(name="g", child="d", follow=Follow(LIMIT, "f"))
    assert not told_joints(last, follow, lead, heavy="b")
    assert not told_joints(lead, follow, last, heavy="b")
    lost = joint(name="g", child="d", follow=Follow(LIMIT, "nobody"))
    assert told_joints(lead, lost, heavy="b") == ['joint "g"']
    ring = [joint(name=n, child=c, follow=Follow(LIMIT, to)) for n, c, to in ("fbg", "gcf", "hdg")]
    assert told_joints(*ring) == ['joint "f"', 'joint "g"', 'joint "h"']


def test_names() -> None:
    wanted = [
        Reference(LIMIT, "part", "arn", ("arm", "leg")),
        Reference(LIMIT, "part", "arm", ("arm", "leg")),
        Reference(LIMIT, "part", "foot", ("arm",), "part1"),
    ]
    found = [(f.message, f.advice) for f in names.references_lead_somewhere(outline(references=wanted))]
    assert found == [
        ('no part "arn"', 'did you mean "arm"? parts: arm, leg'),
        ('part1: no part "foot"', "parts: arm"),
    ]
    assert not [*names.references_lead_somewhere(outline(references=wanted, complete=False))]


def test_circles_of_links() -> None:
    links = [link(n, k + 2) for k, n in enumerate("abc")]
    own = [joint(parent="b", line=5)]
    assert not [*names.no_cycles(outline(links=links, joints=own))]
    ring = [joint(name=f"j{c}", line=ord(c), parent=p, child=c) for p, c in ("ab", "bc", "ca")]
    (found,) = names.no_cycles(outline(links=links, joints=ring))
    assert (found.severity, found.line) == (WARNING, ord("a"))
    assert found.message == "closes a cycle of links: a -> b -> c -> a"
    assert not [*names.no_cycles(outline(TREE, links=links, joints=ring))]  # a reader refuses it


def test_the_first_of_a_name_counts() -> None:
    links, made = [link("a", 2), link("a", 3), link("", 4)], [joint(line=2), joint(line=3), joint(name="", child="")]
    o = outline(links=links, joints=made)
    assert o.link_named == {"a": links[0]} and o.joint_named == {"j": made[0]} and o.joint_above == {"b": made[0]}
    assert o.joints_below == {"a": made}


def test_elements_of_owners() -> None:
    owner = node("part")
    owner.inside = [node(t, k + 3) for k, t in enumerate(("mas", "mass", "mass", "zzz", "zzz", "my:own"))]
    inner = [Inner(owner, ("mass", "pose", *(f"e{k}" for k in range(20))), ("mass",))]
    strict = Format("SF", "part", rejects_unknown=True)

    def found(rule: Callable[[Outline], Findings], format: Format) -> list[tuple[Severity, int | None, str, str]]:
        return [(f.severity, f.line, f.message, f.advice) for f in rule(outline(format, owners=inner))]

    foreign = "it belongs to another program, or can go"
    assert found(spelling.elements_are_known, GRAPH) == [
        (WARNING, 3, "is not read", "did you mean <mass>?"),
        (NOTE, 6, "is not read", foreign),
        (NOTE, 7, "is not read", foreign),
    ]
    assert not found(spelling.elements_are_known, strict)
    assert found(spelling.elements_stand_once, GRAPH) == [
        (WARNING, 5, "a second <mass>", "only the one at line 4 counts")
    ]


def test_similar_words() -> None:
    assert spelling.similar("rang", {"range", "pose"}) == "range" and spelling.similar("RANGE", {"range"}) == "range"
    assert spelling.similar("abc", {"abx"}) == "abx"  # two of three letters
    assert spelling.similar("abcd", {"abxy"}) == "" and spelling.similar("x", ()) == ""
    assert spelling.similar("a" * 40 + "b" * 60, {"a" * 40}) == "a" * 40
    assert spelling.is_foreign("gazebo:x") and not spelling.is_foreign("gazebo")


def test_missing_meshes_are_reported_once(tmp_path: Path) -> None:
    (tmp_path / "there.stl").touch()
    root = Node("robot", {}, 1, str(tmp_path / "r.xml"))
    given = [
        Mesh(LIMIT, "gone.stl"), Mesh(LIMIT, "gone.stl", True), Mesh(LIMIT, "there.stl"), Mesh(LIMIT, ""),
        Mesh(LIMIT, "lost.stl", True), Mesh(LIMIT, "https://x.org/a.stl"), Mesh(LIMIT, f"file://{tmp_path}/there.stl"),
        Mesh(LIMIT, f"file://{tmp_path}/no.stl"), Mesh(LIMIT, "package://nowhere_at_all/a"), Mesh(LIMIT, "x" * 5000),
    ]  # fmt: skip
    found = [*meshes.meshes_are_there(Outline(GRAPH, root, no_model, meshes=given))]
    assert [f.severity for f in found] == [WARNING, WARNING, NOTE, WARNING, NOTE, WARNING]


def test_many_findings_of_a_kind_are_cut() -> None:
    made = [Finding(NOTE, k, "", f"m{k}", "a") for k in range(MOST_OF_A_KIND + 5)]
    assert _bounded(made[:MOST_OF_A_KIND]) == made[:MOST_OF_A_KIND]
    listed = _bounded(made)
    assert MOST_OF_A_KIND == 100 and listed[:100] == made[:100] and len(listed) == 101
    assert listed[100].text("f") == "f:100: note: and more of the kind: m100; correct the first ones and run again"


def test_reports_count_and_name_the_worst() -> None:
    made = {s: Finding(s, None, "", "m", "a") for s in Severity}
    assert worst(()) is NOTE and worst(made.values()) is ERROR
    said = {
        (): "f: healthy: ",
        (NOTE,): "f: healthy: 1 note",
        (NOTE, WARNING, NOTE): "f: loads, with warnings: 1 warning, 2 notes",
        (ERROR, ERROR, NOTE): "f: broken: 2 errors, 1 note",
    }
    for kinds, words in said.items():
        report = Report("f", tuple(made[s] for s in kinds), None)
        assert report.summary.rstrip() == words.rstrip() and report.status == max(kinds, default=0)
    assert made[NOTE].text("f") == "f: note: m; a"
    assert Finding(ERROR, 0, "e", "m", "a", "g").text("f") == "g:0: error: e: m; a"
    assert made[WARNING].as_dict("f")["file"] == "f"


@pytest.mark.parametrize("strict", [True, False])
def test_words_of_a_vocabulary(strict: bool) -> None:
    words = Vocabulary(
        "robot: name > part joint free bare\npart: name size > mass pose\njoint: * > axis\nfree: a > *\nbare:"
    )
    root = parse_xml(
        """<robot xmlns:my="u" name="r" nam="s" zzzzzz="1">
        <part sizes="1" name="p" nme="n" my:own="1"><mas/><qqqqqq/><my:own/><mass unknown="1"/></part>
        <joint anything="1"><axs/></joint>
        <free b="1"><anything/></free>
        <bare kkkkkk="1"><inner/></bare>
        <part><mas/></part><unread><mas/></unread></robot>""",
        "r.xml",
    )
    asked = [t for t in root.inside if t.tag == "part"][1]
    o = Outline(Format("F", "part", vocabulary=words, strict=strict), root, no_model, owners=[Inner(asked, ("mass",))])
    severity, foreign = (WARNING if strict else NOTE), "it belongs to another program, or can go"

    def otherwise(advice: str) -> str:
        return advice if strict else foreign

    def attribute(name: str, tag: str, near: bool) -> str:
        return f"the attribute {name} is not one of <{tag}>" if near or strict else f"the attribute {name} is not read"

    assert [(f.line, f.severity, f.message, f.advice) for f in spelling.words_are_known(o)] == [
        (1, severity, attribute("nam", "robot", False), otherwise("attributes that are: name")),
        (1, severity, attribute("zzzzzz", "robot", False), otherwise("attributes that are: name")),
        (6, severity, "is not an element of <robot>", otherwise("elements that are: bare, free, joint, part")),
        (2, WARNING, attribute("sizes", "part", True), 'did you mean size="…"?'),
        (2, severity, attribute("nme", "part", False), otherwise("attributes that are: name, size")),
        (2, WARNING, "is not an element of <part>", "did you mean <mass>?"),
        (2, severity, "is not an element of <part>", otherwise("elements that are: mass, pose")),
        (3, WARNING, "is not an element of <joint>", "did you mean <axis>?"),
        (4, severity, attribute("b", "free", False), otherwise("attributes that are: a")),
        (5, severity, attribute("kkkkkk", "bare", False), otherwise("it has no attributes")),
        (5, severity, "is not an element of <bare>", otherwise("it has no elements")),
    ]
    assert not [*spelling.words_are_known(Outline(GRAPH, root, no_model))]


def test_meshes_of_packages(tmp_path: Path) -> None:
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "a.stl").touch()
    robot = tmp_path / "arm" / "r.urdf"
    assert meshes.missing("package://arm/meshes/a.stl", robot) == (NOTE, "")
    assert meshes.missing("package://arm/meshes/b.stl", robot) == (
        WARNING,
        f"is not in the package at {tmp_path / 'arm'}",
    )
    for kind, variable in (("package", "ROS_PACKAGE_PATH"), ("model", "GZ_SIM_RESOURCE_PATH")):
        words = f'the {kind} "nowhere_at_all" is neither near this file nor in {variable}'
        assert meshes.missing(f"{kind}://nowhere_at_all/b.stl", robot) == (NOTE, words)


def test_similar_notes_are_grouped_and_nothing_else_is() -> None:
    def finding(severity: Severity, element: str, message: str = "m", file: str = "") -> Finding:
        return Finding(severity, 3, element, message, "a", file)

    made = (
        finding(NOTE, "e1"), finding(WARNING, "e1"), finding(NOTE, "e2"), finding(WARNING, "e1"), finding(NOTE, "e3"),
        finding(NOTE, "e4", "other"), finding(NOTE, "e5", file="g"), finding(NOTE, ""), finding(NOTE, ""),
    )  # fmt: skip
    lines = Report("f", made, None).text(grouped=True).splitlines()
    assert lines[:-1] == [
        "f:3: note: e1 and 2 more: m; a", "f:3: warning: e1: m; a", "f:3: warning: e1: m; a",
        "f:3: note: e4: other; a", "g:3: note: e5: m; a", "f:3: note: m; a", "f:3: note: m; a",
    ]  # fmt: skip
    assert len(Report("f", made, None).text().splitlines()) == len(made) + 1
