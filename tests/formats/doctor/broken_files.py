"""URDF files that are wrong, each in its own way: what the loader must refuse and the doctor must explain."""

from __future__ import annotations

from dataclasses import dataclass

SPHERE = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
BODY = f'<inertial><mass value="1"/>{SPHERE}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
AXIS = '<axis xyz="0 0 1"/>'


def robot(*lines: str) -> str:
    """Each argument is one line of the file, from line 2 on."""
    return "\n".join(['<robot name="r">', *lines, "</robot>"])


def link(name: str, inside: str = BODY) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = AXIS + LIMIT, kind: str = "revolute") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def hinge(inside: str, kind: str = "revolute") -> str:
    """The joint stands in line 4."""
    return robot(link("a"), link("b"), joint("j", "a", "b", inside, kind))


def massive(inertial: str) -> str:
    """The inertia stands in line 3."""
    return robot(link("a"), link("b", f"<inertial>{inertial}</inertial>"), joint("j", "a", "b"))


@dataclass(frozen=True)
class Broken:
    """A file, a line where the doctor must find something, and words that it must say there."""

    data: str | bytes
    line: int
    words: str


SOUND = hinge(AXIS + LIMIT)
BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
HUGE = "1e308"

REFUSED: dict[str, Broken] = {
    # no XML
    "empty": Broken("", 1, "no element found"),
    "blank": Broken(" \n \n", 3, "no element found"),
    "text": Broken("a robot with two links", 1, "syntax error"),
    "binary": Broken(bytes(range(256)), 1, "not well-formed"),
    "nulls": Broken(b"\0" * 1000, 1, "not well-formed"),
    "truncated": Broken(SOUND[: len(SOUND) // 2], 3, "unclosed token"),
    "truncated between elements": Broken(SOUND[: SOUND.index("<joint")], 4, "no element found"),
    "not closed": Broken(robot("<link name='a'>"), 3, "mismatched tag"),
    "text behind the end": Broken(SOUND + "\nrobot", 6, "junk after document element"),
    "ampersand": Broken(robot('<link name="a&b"/>'), 2, "not well-formed"),
    "attribute twice": Broken(robot('<link name="a" name="b"/>'), 2, "duplicate attribute"),
    "unknown encoding": Broken('<?xml version="1.0" encoding="klingon"?><robot/>', 1, "encoding"),
    "not its encoding": Broken(b'<?xml version="1.0" encoding="utf-8"?><robot name="\xff"/>', 1, "not well-formed"),
    # attacks
    "entity bomb": Broken(BOMB + "]><robot>&i;</robot>", 1, "document type declaration"),
    "external entity": Broken(
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>', 1, "document type declaration"
    ),
    "external dtd": Broken('<!DOCTYPE robot SYSTEM "http://localhost:9/robot.dtd"><robot/>', 1, "document type"),
    "unknown entity": Broken(robot('<link name="&x;"/>'), 2, "undefined entity"),
    "deeply nested": Broken("<robot>" + "<link>" * 100_000 + "</link>" * 100_000 + "</robot>", 1, "inside each other"),
    "nested and truncated": Broken("<robot>" * 100_000, 1, "inside each other"),
    "too many elements": Broken("<robot>" + "<a/>" * 500_000 + "</robot>", 1, "elements"),
    "a number for Python only": Broken(hinge('<origin xyz="0 1_000 0"/>' + AXIS + LIMIT), 4, "not numbers"),
    # no tree
    "no links": Broken(robot(), 1, "no <link>"),
    "two roots": Broken(robot(link("a"), link("b")), 3, "several root links"),
    "cycle": Broken(robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")), 5, "cycle"),
    "cycle beside a tree": Broken(
        robot(link("r"), link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")), 6, "cycle"
    ),
    "own child": Broken(robot(link("a"), joint("j", "a", "a")), 3, "cycle"),
    "unknown parent": Broken(robot(link("base"), link("b"), joint("j", "bass", "b")), 4, 'did you mean "base"'),
    "unknown child": Broken(robot(link("a"), joint("j", "a", "b")), 3, 'no link "b"'),
    "no parent": Broken(robot(link("a"), '<joint name="j" type="fixed"><child link="a"/></joint>'), 3, "no <parent>"),
    "parent without link": Broken(
        robot(link("a"), link("b"), '<joint name="j" type="fixed"><parent/><child link="b"/></joint>'), 4, "is missing"
    ),
    "two parents": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "c"), joint("k", "b", "c"), joint("l", "a", "b")),
        6, "the child of several joints",
    ),
    "same link twice": Broken(robot(link("a"), link("a")), 3, "the first is in line 2"),
    "same joint twice": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("j", "a", "c")), 6, "the first is in line 5"
    ),
    "link without name": Broken(robot("<link/>"), 2, "name is missing"),
    "joint without name": Broken(robot(link("a"), link("b"), joint("", "a", "b")), 4, "name is missing"),
    # no numbers
    "nan": Broken(hinge('<origin xyz="0 nan 0"/>' + AXIS + LIMIT), 4, "not finite"),
    "inf": Broken(hinge('<origin rpy="0 0 -inf"/>' + AXIS + LIMIT), 4, "not finite"),
    "overflow": Broken(hinge('<origin xyz="0 0 1e999"/>' + AXIS + LIMIT), 4, "not finite"),
    "words": Broken(hinge('<origin xyz="0 zero 0"/>' + AXIS + LIMIT), 4, "not numbers"),
    "comma": Broken(hinge('<origin xyz="0,5 0 0"/>' + AXIS + LIMIT), 4, "not numbers"),
    "too few": Broken(hinge('<axis xyz="0 1"/>' + LIMIT), 4, "2 numbers"),
    "too many": Broken(hinge('<axis xyz="0 0 1 0"/>' + LIMIT), 4, "4 numbers"),
    "a million numbers": Broken(hinge(f'<axis xyz="{"0 " * 1_000_000}"/>' + LIMIT), 4, "1000000 numbers"),
    "zero axis": Broken(hinge('<axis xyz="0 0 0"/>' + LIMIT), 4, "has no direction"),
    "axis without xyz": Broken(hinge("<axis/>" + LIMIT), 4, "xyz is missing"),
    "nan limit": Broken(hinge(AXIS + '<limit lower="nan" upper="1"/>'), 4, "not finite"),
    "no mass": Broken(massive(SPHERE), 3, "no <mass>"),
    "no inertia": Broken(massive('<mass value="1"/>'), 3, "no <inertia>"),
    "incomplete inertia": Broken(massive('<mass value="1"/><inertia ixx="1"/>'), 3, "iyy is missing"),
    "mass without value": Broken(massive("<mass/>" + SPHERE), 3, "value is missing"),
    "nan mass": Broken(massive('<mass value="nan"/>' + SPHERE), 3, "not finite"),
    "huge numbers": Broken(
        massive(f'<origin xyz="{HUGE} 0 0"/><mass value="{HUGE}"/>{SPHERE}'), 3, "larger than anything"
    ),
    # no joint
    "unknown type": Broken(hinge(AXIS + LIMIT, "revolut"), 4, 'did you mean "revolute"'),
    "no type": Broken(hinge(AXIS + LIMIT, ""), 4, "type is missing"),
    "macro": Broken('<robot xmlns:xacro="http://ros.org/wiki/xacro">\n<xacro:arm/></robot>', 1, "xacro"),
}  # fmt: skip
"""Files that describe no robot."""

SUSPECT: dict[str, Broken] = {
    "triangle": Broken(massive('<mass value="1"/>' + SPHERE.replace('ixx="1"', 'ixx="3"')), 3, "triangle inequality"),
    "negative mass": Broken(massive('<mass value="-1"/>' + SPHERE), 3, "the mass is -1"),
    "negative inertia": Broken(massive('<mass value="1"/>' + SPHERE.replace('iyy="1"', 'iyy="-1"')), 3, "positive"),
    "massless leaf": Broken(robot(link("a"), link("b", ""), joint("j", "a", "b")), 4, "no mass"),
    "no limit": Broken(hinge(AXIS), 4, "no <limit>"),
    "half a limit": Broken(hinge(AXIS + '<limit upper="1" effort="1" velocity="1"/>'), 4, "lower missing"),
    "no room": Broken(hinge(AXIS + LIMIT.replace("-1", "1")), 4, "cannot move"),
    "negative effort": Broken(hinge(AXIS + LIMIT.replace('effort="1"', 'effort="-1"')), 4, "negative"),
    "negative damping": Broken(hinge(AXIS + LIMIT + '<dynamics damping="-1"/>'), 4, "damping -1 is negative"),
    "millimetres": Broken(hinge('<origin xyz="0 0 333"/>' + AXIS + LIMIT), 4, "millimetres"),
    "travel": Broken(hinge(AXIS + LIMIT.replace('upper="1"', 'upper="250"'), "prismatic"), 4, "millimetres"),
    "degrees": Broken(hinge('<origin rpy="0 0 90"/>' + AXIS + LIMIT), 4, "degrees"),
    "degrees of limit": Broken(hinge(AXIS + LIMIT.replace('upper="1"', 'upper="170"')), 4, "degrees"),
    "grams": Broken(massive(f'<mass value="12000"/>{SPHERE}'), 3, "grams"),
    "kg mm²": Broken(massive('<mass value="1"/>' + SPHERE.replace('"1"', '"2500"')), 3, "mm²"),
    "mimic of nobody": Broken(
        robot(link("a"), link("b"), link("c"), joint("left", "a", "b"),
              joint("k", "a", "c", AXIS + LIMIT + '<mimic joint="lefd"/>')), 6, 'did you mean "left"',
    ),
    "mimic of itself": Broken(hinge(AXIS + LIMIT + '<mimic joint="j"/>'), 4, "follows itself"),
    "mimic cycle": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b", AXIS + LIMIT + '<mimic joint="k"/>'),
              joint("k", "a", "c", AXIS + LIMIT + '<mimic joint="j"/>')), 5, "j -> k -> j",
    ),
    "mimic of a fixed joint": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b", "", "fixed"),
              joint("k", "a", "c", AXIS + LIMIT + '<mimic joint="j"/>')), 6, "no single coordinate",
    ),
    "planar mimic": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b"),
              joint("k", "a", "c", AXIS + '<mimic joint="j"/>', "planar")), 6, "cannot follow another",
    ),
    "mimic that never moves": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b"),
              joint("k", "a", "c", AXIS + LIMIT + '<mimic joint="j" multiplier="0"/>')), 6, "multiplier is zero",
    ),
    "nan multiplier": Broken(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b"),
              joint("k", "a", "c", AXIS + LIMIT + '<mimic joint="j" multiplier="nan"/>')), 6, "not finite",
    ),
    "cut loop": Broken(
        robot(link("a"), link("b"), link("c"), link("b_loop", ""), joint("j", "a", "b"), joint("k", "a", "c"),
              joint("end", "c", "b_loop", "", "fixed")), 5, "a loop that an exporter cut",
    ),
    "misspelt element": Broken(hinge(AXIS + LIMIT.replace("limit", "limits")), 4, "did you mean <limit>"),
    "misspelt link": Broken(robot(link("a"), link("b"), joint("j", "a", "b"), '<lnik name="c"/>'), 5, "<link>"),
    "two inertials": Broken(robot(link("a", BODY + BODY)), 2, "second <inertial>"),
    "mesh not found": Broken(
        robot(link("a", BODY + '<visual><geometry><mesh filename="a.stl"/></geometry></visual>')), 2, "does not exist"
    ),
}  # fmt: skip
"""Files whose numbers or names are likely mistakes."""
