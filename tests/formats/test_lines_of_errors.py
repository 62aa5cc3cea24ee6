"""Mistakes of structure name the file and the line of what is wrong."""

from __future__ import annotations

import pytest

from sixvec.errors import FileFormatError
from sixvec.formats import parse_model

PARSERS = {"urdf": parse_model, "xml": parse_model, "sdf": parse_model}


def urdf(*lines: str) -> tuple[str, str]:
    return "urdf", "\n".join(["<robot name='r'>", *lines, "</robot>"])


def joint(name: str, parent: str, child: str) -> str:
    return f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'


def sdf(*lines: str) -> tuple[str, str]:
    return "sdf", "\n".join(["<sdf version='1.9'>", "<model name='m'>", *lines, "</model></sdf>"])


A, B, C = (f'<link name="{name}"/>' for name in "abc")

WRONG = {
    "duplicate links": (urdf(A, B, A), 4, 'link "a": two links are named "a"; .* the first is in line 2'),
    "duplicate joints": (urdf(A, B, C, joint("j", "a", "b"), joint("j", "b", "c")), 6, 'joint "j": two joints'),
    "several roots": (urdf(A, B, C, joint("j", "b", "c")), 3, 'link "b": the robot has several root links: a, b;'),
    "two parents": (urdf(A, B, C, joint("j", "a", "c"), joint("k", "b", "c")), 6, 'joint "k": .* joints \\(j, k\\)'),
    "cycle": (
        urdf(A, B, C, '<link name="d"/>', joint("j", "a", "d"), joint("k", "b", "c"), joint("l", "c", "b")),
        8, 'joint "l": its joints form a cycle, through the links b, c;'),
    "cycle of all": (urdf(A, B, joint("j", "a", "b"), joint("k", "b", "a")), 5, 'joint "k": .* the links a, b;'),
    "overflow": (
        urdf(A, '<link name="b"><inertial><origin xyz="1e200 0 0"/><mass value="1e200"/><inertia ixx="1" ixy="0" '
             'ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>', joint("j", "a", "b")),
        3, 'link "b": .* not a finite number'),
    "bodies of one name": (
        ("xml", "<mujoco><worldbody>\n<body name='a'/>\n<body name='a'/></worldbody></mujoco>"), 3, "two bodies"),
    "links of one name": (sdf(A, B, A), 5, 'two frames are named "a"'),
    "poses in a circle": (
        sdf('<link name="a"><pose relative_to="b"/></link>', '<link name="b"><pose relative_to="a"/></link>'),
        3, "leads in a circle: m::a"),
    "mimics in a circle": (
        sdf(A, B, *(
            f'<joint name="{j}" type="revolute"><parent>{p}</parent><child>{c}</child><axis><mimic joint="{k}"/></axis>'
            "</joint>" for j, p, c, k in (("j", "world", "a", "k"), ("k", "a", "b", "j")))),
        5, "follows itself: j -> k -> j"),
    "two worlds": (
        ("sdf", "<sdf version='1.9'>\n<world name='a'/>\n<world name='b'/></sdf>"), 3, 'world "b": .* several'),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_the_line_is_that_of_the_mistake(name: str) -> None:
    (kind, text), line, words = WRONG[name]
    with pytest.raises(FileFormatError, match=rf"^robot\.{kind}: .*{words}.* \(line {line}\)$"):
        PARSERS[kind](text, f"robot.{kind}")
