"""The meaning of URDF elements, the numbering of joints, and what is said about files that are wrong."""

from __future__ import annotations

import math
import time
from itertools import pairwise
from pathlib import Path

import pytest

from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, parse_model
from sixvec.formats import xml as xml_module
from sixvec.model import STANDARD_GRAVITY, Model
from sixvec.model.joints import Fixed, Free, Planar, Prismatic, Revolute
from sixvec.spatial import Rotation, Vec3


def robot(inside: str) -> Model:
    return parse_model(f'<robot name="r">{inside}</robot>', "r.urdf")


def links(*names: str) -> str:
    return "".join(f'<link name="{name}"/>' for name in names)


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def hinge(inside: str, kind: str = "revolute") -> Model:
    return robot(links("a", "b") + joint("j", "a", "b", kind, inside))


@pytest.mark.covers("MODEL-07")
def test_numbering_is_depth_first_in_the_order_of_the_file() -> None:
    model = robot(
        links("z", "m", "root", "a", "k", "b")
        + joint("j_z", "root", "z")
        + joint("j_b", "a", "b")
        + joint("j_a", "root", "a")
        + joint("j_m", "z", "m")
        + joint("j_k", "a", "k")
    )
    assert [b.name for b in model.bodies] == ["root", "z", "m", "a", "b", "k"]
    assert [b.joint_name for b in model.moving] == ["j_z", "j_m", "j_a", "j_b", "j_k"]
    assert [f.name for f in model.frames] == [b.name for b in model.bodies]
    before: set[str | None] = {None}
    for b in model.bodies:
        assert b.parent in before
        before.add(b.name)


def test_a_long_chain_is_not_limited_by_the_stack() -> None:
    names = [f"l{i}" for i in range(3000)]
    chain = "".join(joint(f"j{b}", a, b) for a, b in pairwise(names))
    assert robot(links(*names) + chain).nv == 2999


@pytest.mark.covers("MODEL-09")
def test_a_floating_robot_has_a_free_joint_under_its_root() -> None:
    text = f"<robot>{links('a', 'b') + joint('j', 'a', 'b')}</robot>"
    fixed, floating = parse_model(text, "r.urdf"), parse_model(text, "r.urdf", floating=True)
    root = floating.bodies[0]
    assert isinstance(root.joint, Free) and root.joint_name == "root_joint" and root.parent is None
    assert (floating.nq, floating.nv) == (fixed.nq + 7, fixed.nv + 6)
    assert isinstance(fixed.bodies[0].joint, Fixed)
    assert floating.bodies[1:] == fixed.bodies[1:]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", Revolute(Vec3(0.0, 1.0, 0.0))),
        ("continuous", Revolute(Vec3(0.0, 1.0, 0.0))),
        ("prismatic", Prismatic(Vec3(0.0, 1.0, 0.0))),
        ("planar", Planar(Vec3(0.0, 1.0, 0.0))),
        ("fixed", Fixed()),
        ("floating", Free()),
    ],
)
def test_joint_types_and_axes_that_are_not_normalised(kind: str, expected: object) -> None:
    assert hinge('<axis xyz="0 2 0"/>', kind).bodies[1].joint == expected


def test_what_is_left_out_has_a_meaning() -> None:
    model = hinge("")
    child = model.bodies[1]
    assert child.joint == Revolute(Vec3(1.0, 0.0, 0.0))
    assert child.placement.rot == Rotation.identity() and child.placement.pos == Vec3.zero()
    assert child.inertia.mass == 0.0 and child.limits.lower == ()
    assert model.gravity == STANDARD_GRAVITY
    assert parse_model("<robot><link name='world'/></robot>", "dir/arm.urdf").name == "arm"


def test_the_axis_of_a_joint_without_one_is_not_looked_at() -> None:
    assert isinstance(hinge('<axis xyz="0 0 0"/>', "fixed").bodies[1].joint, Fixed)


def test_origin_turns_about_fixed_axes() -> None:
    X = hinge('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>').bodies[1].placement
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    R = Rotation.about(z, 0.3) @ Rotation.about(y, 0.2) @ Rotation.about(x, 0.1)
    assert X.pos == Vec3(1.0, 2.0, 3.0)
    assert [*X.rot.matrix] == pytest.approx([*R.matrix], abs=1e-15)


def test_the_inertial_frame_turns_and_moves_the_tensor() -> None:
    inertial = (
        '<inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/></inertial>'
    )
    inertia = robot(f'<link name="a">{inertial}</link>').bodies[0].inertia
    # A quarter turn about z swaps xx and yy; the parallel axes add m x² to yy and zz.
    assert (inertia.mass, inertia.moment) == (2.0, Vec3(2.0, 0.0, 0.0))
    assert [*inertia.rot] == pytest.approx([2.0, 0.0, 0.0, 1.0 + 2.0, 0.0, 3.0 + 2.0], abs=1e-15)


def test_limits() -> None:
    full = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
    limits = hinge(full).bodies[1].limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == ((-1.0,), (2.0,), (3.0,), (4.0,))
    turning = hinge(full, "continuous").bodies[1].limits
    assert (turning.lower, turning.upper, turning.velocity, turning.effort) == ((), (), (3.0,), (4.0,))
    partial = hinge('<limit effort="4"/>').bodies[1].limits
    assert (partial.lower, partial.upper, partial.velocity) == ((-math.inf,), (math.inf,), (math.inf,))


_INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{izz}"/>'


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", ["no <link>", "at least one"]),
        (links("a", "b"), ["several root links", "a, b"]),
        (links("a", "b") + joint("j", "a", "b") + joint("k", "b", "a"), ["cycle", "a, b"]),
        (links("r", "a", "b") + joint("j", "a", "b") + joint("k", "b", "a"), ["cycle", "a, b"]),
        (links("a") + joint("j", "a", "a"), ["cycle", "a"]),
        (links("base", "b") + joint("j", "bass", "b"), ['joint "j"', "parent", '"bass"', 'did you mean "base"']),
        (links("a", "tool") + joint("j", "a", "tol"), ['joint "j"', "child", '"tol"', 'did you mean "tool"']),
        (links("a", "a"), ["two links", '"a"']),
        (
            links("a", "b", "c") + joint("j", "a", "b") + joint("j", "a", "c"),
            ["two joints", '"j"'],
        ),
        (
            links("a", "b", "c") + joint("j", "a", "b") + joint("k", "b", "c") + joint("l", "a", "c"),
            ['link "c"', "several joints", "k, l", "one parent"],
        ),
        (
            links("a", "b") + joint("j", "a", "b", "revolut"),
            ['joint "j"', '"revolut"', "revolute, continuous, prismatic, planar, fixed, floating"],
        ),
        (links("a", "b") + joint("j", "a", "b", ""), ['joint "j"', "type", "missing"]),
        (links("a", "b") + '<joint name="j" type="fixed"><parent link="a"/></joint>', ['joint "j"', "no <child>"]),
        (links("a", "b") + joint("j", "a", "b", inside='<axis xyz="0 0 0"/>'), ['joint "j"', "no direction"]),
        (links("a", "b") + joint("j", "a", "b", inside='<axis xyz="0 1"/>'), ['joint "j"', "<axis>", "3 numbers"]),
        (
            links("a", "b") + joint("j", "a", "b", inside='<origin rpy="0 0 east"/>'),
            ['joint "j"', "<origin>", 'rpy="0 0 east"', "3 numbers"],
        ),
        (
            links("a", "b") + joint("j", "a", "b", inside='<origin xyz="0 0 inf"/>'),
            ['joint "j"', "<origin>", "xyz", "not finite"],
        ),
        (links("a", "b") + joint("j", "a", "b", inside='<limit lower="nan"/>'), ['joint "j"', "lower", "not finite"]),
        (
            f'<link name="a"><inertial><mass value="1"/>{_INERTIA.format(izz="nan")}</inertial></link>',
            ['link "a"', "<inertia>", "izz", "not finite"],
        ),
        (
            f'<link name="a"><inertial><mass value="heavy"/>{_INERTIA.format(izz=1)}</inertial></link>',
            ['link "a"', "<mass>", 'value="heavy"'],
        ),
        ('<link name="a"><inertial><mass value="1"/></inertial></link>', ['link "a"', "no <inertia>"]),
        ("<link/>", ["<link>", "name", "missing"]),
        (
            '<x:leg xmlns:x="http://www.ros.org/wiki/xacro"/>' + links("a"),
            ["xacro:leg", "expand"],
        ),
        (
            '<link name="a" xmlns:xacro="http://ros.org/xacro"><xacro:sphere_mass m="1"/></link>',
            ["xacro:sphere_mass", "expand"],
        ),
    ],
)
def test_errors_name_the_file_the_element_and_what_would_be_valid(inside: str, words: list[str]) -> None:
    with pytest.raises(FileFormatError) as caught:
        robot(inside)
    for word in ["r.urdf", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("robot", ["not well-formed XML"]),
        ("", ["not well-formed XML"]),
        ("<robot><link name='a'></robot>", ["not well-formed XML", "line 1"]),
        ("<html/>", ["<html>", "<robot>"]),
        (b"<?xml version='1.0' encoding='klingon'?><robot/>", ["not well-formed XML", "encoding"]),
    ],
)
def test_what_is_not_urdf_raises(text: str | bytes, words: list[str]) -> None:
    with pytest.raises(FileFormatError) as caught:
        parse_model(text, "r.urdf")
    for word in ["r.urdf", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 20)),
        '<!ENTITY l19 SYSTEM "file:///etc/hostname">',
        '<!ENTITY % remote SYSTEM "http://localhost/x.dtd"> %remote;',
    ],
    ids=["expansion", "file", "remote"],
)
def test_entities_raise_quickly(declaration: str) -> None:
    text = f'<?xml version="1.0"?><!DOCTYPE robot [{declaration}]><robot><link name="a">&l19;</link></robot>'
    start = time.process_time()
    with pytest.raises(FileFormatError, match="type"):
        parse_model(text, "r.urdf")
    assert time.process_time() - start < 1.0


def test_files_beyond_the_bound_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert xml_module.LARGEST_FILE == 64 * 2**20
    file = tmp_path / "big.urdf"
    file.write_text(f"<robot>{links('a')}</robot>")
    assert load_model(file).name == "big"
    monkeypatch.setattr(xml_module, "LARGEST_FILE", 10)
    with pytest.raises(FileFormatError, match=named("big.urdf")):
        load_model(file)
