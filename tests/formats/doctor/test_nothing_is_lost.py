"""What a check must not lose: problems that one reader tolerates, that hide behind others, or that end a reader."""

from __future__ import annotations

import struct
import warnings
from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file
from sixvec.formats.load import load_model
from sixvec.formats.unsupported import UnsupportedPhysics

CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


def errors(folder: Path, name: str, text: str) -> list[tuple[int | None, str]]:
    path = folder / name
    path.write_text(text)
    return [(f.line, f.message) for f in check_file(path).findings if f.severity.word == "error"]


def tetrahedron(path: Path) -> None:
    triangles = (struct.pack("<12fH", 0, 0, 0, *(x for i in face for x in CORNERS[i]), 0) for face in FACES)
    path.write_bytes(bytes(80) + struct.pack("<I", len(FACES)) + b"".join(triangles))


@pytest.mark.parametrize(
    ("folder", "file", "message"),
    [
        ("none", "tet.stl", '"none/tet.stl": the file does not exist'),
        ("", "lost.stl", 'the file "lost.stl" does not exist in '),
        ("", "tet.stl", ""),
    ],
)
@pytest.mark.parametrize("other", ["", '<geom size="x"/>'])
def test_a_mesh_that_is_needed(tmp_path: Path, folder: str, file: str, message: str, other: str) -> None:
    """Even where the reader finds it beside the file, which MuJoCo does not, or stops at another geom of its body."""
    tetrahedron(tmp_path / "tet.stl")
    text = f"""<mujoco><compiler meshdir="{folder}"/><asset>
        <mesh name="t" file="{file}"/></asset><worldbody><body>
        {other}<geom type="mesh" mesh="t"/></body></worldbody></mujoco>"""
    found = errors(tmp_path, "r.xml", text)
    assert [line for line, _ in found] == [2] * bool(message) + [3] * bool(other)
    assert not message or found[0][1].startswith(message)


BODY = '<body><joint name="j" {}/><geom size=".1"/></body>'
EMPTY = 'limited="true" range="2 1"'


@pytest.mark.parametrize(
    ("replicate", "inside", "message"),
    [
        ('count="x"', "", 'count="x" is not numbers'),
        ('count="-1"', "", 'count="-1" is not a number of copies'),
        ('count="2" offset="x"', "", 'offset="x" is not numbers'),
        ('count="2" euler="1"', "", 'euler="1" holds 1 number'),
        ('count="2"', "<joint/>", "is directly in a <replicate>"),
        ('count="9999999"', "", "more than 50000 copied elements"),
    ],
)
@pytest.mark.parametrize("outer", ["worldbody", "body"])
def test_a_replicate_that_cannot_be_copied(
    tmp_path: Path, replicate: str, inside: str, message: str, outer: str
) -> None:
    """Its contents are checked once; equalities may name copies, and are not judged."""
    around = ("<worldbody>", "</worldbody>") if outer == "worldbody" else ("<worldbody><body>", "</body></worldbody>")
    text = f"""<mujoco>{around[0]}<replicate {replicate}>{inside}
        {BODY.format(EMPTY)}</replicate>{around[1]}<equality><joint joint1="j0"/></equality></mujoco>"""
    assert errors(tmp_path, "r.xml", text) == [(1, message), (2, "the range 2.0 to 1.0 is empty")]


def test_one_mistake_in_many_copies_is_one_error(tmp_path: Path) -> None:
    text = f"""<mujoco><worldbody><replicate count="9"><replicate count="9">
        {BODY.format(EMPTY)}</replicate></replicate></worldbody></mujoco>"""
    assert errors(tmp_path, "r.xml", text) == [(2, "the range 2.0 to 1.0 is empty")]


LINKS = '<sdf version="{}"><model name="m"><link name="a"/><link name="b"/><link name="c"/>\n'
JOINT = '<joint name="{}" type="ball"><parent>{}</parent><child>{}</child></joint>\n'


@pytest.mark.parametrize(
    ("version", "names", "message"),
    [
        ("1.6", ("j", "j"), 'two joints are named "j"'),
        ("1.6", ("b", "b"), 'two joints are named "b"'),
        ("1.6", ("b", "a"), ""),
        ("1.9", ("j", "j"), 'two frames are named "j"'),
    ],
)
def test_two_joints_of_one_name(tmp_path: Path, version: str, names: tuple[str, str], message: str) -> None:
    joints = JOINT.format(names[0], "a", "b") + JOINT.format(names[1], "b", "c")
    found = errors(tmp_path, "r.sdf", f"{LINKS.format(version)}{joints}</model></sdf>")
    assert found == ([(3, message)] if message else [])


@pytest.mark.parametrize("side", ["parent", "child"])
def test_a_gearbox_with_an_empty_side(tmp_path: Path, side: str) -> None:
    sides = "".join(f"<{tag}>{'' if tag == side else 'b'}</{tag}>" for tag in ("parent", "child"))
    body = "<gearbox_reference_body>a</gearbox_reference_body>"
    joint = f'<joint name="g" type="gearbox">{sides}{body}</joint>'
    assert errors(tmp_path, "r.sdf", f"{LINKS.format('1.9')}{joint}</model></sdf>") == [(2, "is empty")]


def test_two_models_of_one_name_are_one_error_and_both_are_checked(tmp_path: Path) -> None:
    second = '<model name="m"><link name="a"/><link name="b"><inertial><mass>-1</mass></inertial></link></model>'
    text = f'<sdf version="1.9"><world name="w"><model name="m"><link name="a"/></model>\n{second}</world></sdf>'
    assert errors(tmp_path, "r.sdf", text) == [(2, 'two frames are named "m"'), (2, "the mass is -1.0")]


@pytest.mark.parametrize("size", ['size="1"', 'size="1 1"', 'size="0 0 0"', ""])
def test_a_plane_needs_three_numbers(tmp_path: Path, size: str) -> None:
    text = f'<mujoco><worldbody>\n<geom type="plane" {size}/></worldbody></mujoco>'
    message = "a plane needs size with 3 numbers that are not negative, the last above zero"
    assert errors(tmp_path, "r.xml", text) == [(2, message)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsupportedPhysics)
        load_model(tmp_path / "r.xml")


LOOPS = """<loop name="l" type="revolute"><predecessor link="a"/><successor link="z"/></loop>
<coupling name="c"><predecessor link="a"/><successor link="b"/><ratio value="x"/></coupling>
<coupling name="d"><predecessor link="a"/><successor link="b"/></coupling>
<constraint name="k" type="revolut"><parent link="a"/><child link="b"/></constraint>
"""


def test_loops_of_a_urdf_with_other_problems(tmp_path: Path) -> None:
    """Which joints a coupling connects is unknown as long as the tree is broken."""
    joint = '<joint name="j" type="turning"><parent link="a"/><child link="b"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b"/>{joint}\n{LOOPS}</robot>'
    assert errors(tmp_path, "r.urdf", text) == [
        (1, 'no joint type "turning" in URDF'),
        (2, 'no link "z"'),
        (3, 'value="x" is not numbers'),
        (5, 'no constraint type "revolut" in URDF'),
    ]
