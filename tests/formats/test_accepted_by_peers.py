"""Files that MuJoCo or Pinocchio load: they load here too, with a warning where something is lost, or say why not."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest

from mjcf_peer import mujoco
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import load_model
from sixvec.formats.doctor import check_file
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.formats.xml import LooseXml
from sixvec.model import Model
from sixvec.spatial import RigidInertia, Sym3, Vec3

TENSOR = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
MASS = f'<inertial><mass value="1"/>{TENSOR}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
ENDS = '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'


def urdf(*, inertial: str = MASS, limit: str = LIMIT, inside: str = "", before: str = "", after: str = "") -> str:
    links = f'<link name="a">{MASS}</link><link name="b">{inertial}</link>'
    head = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
    return f'{before}{head}{links}<joint name="j" type="revolute">{ENDS}{limit}</joint>{inside}</robot>{after}'


BALL = '<geom size="0.1" pos="0.1 0 0"/>'


def mjcf(body: str = f"<joint/>{BALL}", inside: str = "", *, before: str = "", after: str = "") -> str:
    return f'{before}<mujoco>{inside}<worldbody><body name="b">{body}</body></worldbody></mujoco>{after}'


SKY = '<texture type="skybox" builtin="gradient" width="8" height="8"/>'

LOADED = {
    "unnamed textures": ("r.xml", mjcf(inside=f"<asset>{SKY}{SKY}</asset>"), None, ""),
    "range the wrong way round": ("r.xml", mjcf(f'<joint range="2 1"/>{BALL}'), UnsupportedPhysics, "range 2 to 1"),
    "force the wrong way round": (
        "r.xml", mjcf(f'<joint actuatorfrcrange="2 1"/>{BALL}'), UnsupportedPhysics, "actuatorfrcrange 2 to 1"),
    "no force": ("r.xml", mjcf(f'<joint actuatorfrcrange="0 0"/>{BALL}'), None, ""),
    "end of MJCF twice": ("r.xml", mjcf(after="\n</mujoco>"), LooseXml, "follows </mujoco> is not read .line 2"),
    "two MJCF files in one": ("r.xml", mjcf(after=mjcf()), LooseXml, "follows </mujoco> is not read"),
    "MJCF of a type": ("r.xml", mjcf(before="<!DOCTYPE mujoco>"), None, ""),
    "no world": ("r.xml", '<mujoco model="x"/>', UnsupportedPhysics, "no <worldbody>"),
    "no colour": ("r.xml", mjcf('<joint/><geom size="0.1" rgba=""/>'), None, ""),
    "limits the wrong way round": (
        "r.urdf", urdf(limit=LIMIT.replace('"-1"', '"2"')), UnsupportedPhysics, 'limits of joint "j"'),
    "end of URDF twice": ("r.urdf", urdf(after="\n</robot>"), LooseXml, "follows </robot> is not read"),
    "URDF of a type": ("r.urdf", urdf(before="<!DOCTYPE robot>"), None, ""),
    "property of xacro": (
        "r.urdf", urdf(inside='<xacro:property name="p" value="1"/>'), UnsupportedPhysics, "<xacro:property>"),
    "macro of xacro": (
        "r.urdf", urdf(inside='<xacro:macro name="m"><link name="c"/></xacro:macro>'), UnsupportedPhysics, ":macro>"),
}  # fmt: skip
"""For each file its name and text, and the warning."""


def read(path: Path) -> tuple[Model, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        return load_model(path), warned


@pytest.mark.parametrize("case", LOADED)
def test_what_mujoco_loads_loads_here(case: str, tmp_path: Path) -> None:
    name, text, kind, words = LOADED[case]
    path = tmp_path / name
    path.write_text(text)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    ours, warned = read(path)
    assert ours.nv == theirs.nv
    limits = [b.limits for b in ours.moving]
    assert [math.isfinite((*x.lower, -math.inf)[0]) for x in limits] == [bool(x) for x in theirs.jnt_limited]
    assert [math.isfinite((*x.effort, math.inf)[0]) for x in limits] == [bool(x) for x in theirs.jnt_actfrclimited]
    if name.endswith("xml"):  # MuJoCo merges the masses of a URDF's fixed links into the world
        assert sum(b.inertia.mass for b in ours.bodies) == pytest.approx(theirs.body_mass.sum())
        assert len(ours.geoms) == theirs.ngeom
    assert [w.category for w in warned] == ([] if kind is None else [kind])
    for w in warned:
        assert words.split(" .line")[0] in str(w.message)
    assert check_file(path).status < 2


REFUSED = {
    "document type with a file": ("r.urdf", urdf(before='<!DOCTYPE robot SYSTEM "r.dtd">'), "name of another file"),
    "document type with entities": ("r.urdf", urdf(before="<!DOCTYPE robot [<!ENTITY e 'x'>]>"), "entities"),
    "call of a macro": ("r.urdf", urdf(inside="<xacro:leg/>"), 'name the file "*.xacro"'),
    "call of a macro in a link": ("r.urdf", urdf(inertial='<xacro:sphere m="1"/>'), 'name the file "*.xacro"'),
    "no mass": ("r.urdf", urdf(inertial=f"<inertial>{TENSOR}</inertial>"), "no <mass>"),
    "no inertia": ("r.urdf", urdf(inertial='<inertial><mass value="1"/></inertial>'), "no <inertia>"),
    "no moment": ("r.urdf", urdf(inertial=MASS.replace('ixx="1" ', "")), "ixx is missing"),
    "two roots": ("r.urdf", urdf(inside='<link name="c"/>'), "several root links: a, c"),
    "mesh that MuJoCo makes": (
        "r.xml",
        mjcf('<joint/><geom type="mesh" mesh="m"/>', '<asset><mesh name="m" builtin="sphere" params="2"/></asset>'),
        "a mesh that MuJoCo itself makes"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_stays_an_error_says_why(case: str, tmp_path: Path) -> None:
    name, text, words = REFUSED[case]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        load_model(path)
    assert words in str(caught.value)


def test_products_of_inertia_that_are_missing_are_zero(tmp_path: Path) -> None:
    """Pinocchio drops the whole tensor then, and MuJoCo refuses the file."""
    path = tmp_path / "r.urdf"
    path.write_text(urdf(inertial=MASS.replace('ixy="0" ', "")))
    with pytest.warns(UnsupportedPhysics, match=named("inertia", "link", "b")):
        inertia = load_model(path).by_name["b"].inertia
    assert inertia == RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    (finding,) = (f for f in check_file(path).findings if "taken as zero" in f.message)
    assert "ixy" in finding.message


EMPTY = {
    "geom": ("pos quat euler rgba mass density group contype conaffinity material friction", "<joint/><geom {}/>"),
    "joint": ("pos axis range ref damping armature stiffness springref frictionloss springdamper group",
              f"<joint {{}}/>{BALL}"),
    "inertial": ("quat fullinertia", '<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1" {}/>'),
    "body": ("pos quat euler user", f"<body {{}}><joint/>{BALL}</body>"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "attribute"), [(tag, attribute) for tag, (words, _) in EMPTY.items() for attribute in words.split()]
)
def test_empty_numbers_are_not_given(tag: str, attribute: str, tmp_path: Path) -> None:
    """Neither is what a class gives replaced by them."""
    given = f'{attribute}=""' + (' size="0.1"' if tag == "geom" else "")
    path = tmp_path / "r.xml"
    default = '<default><geom pos="0.1 0.2 0.3" rgba="1 0 0 1"/><joint damping="2" range="-10 20"/></default>'
    path.write_text(mjcf(EMPTY[tag][1].format(given), default))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    ours, warned = read(path)
    assert not warned and len(ours.geoms) == theirs.ngeom
    body = ours.bodies[-1]
    assert body.inertia.mass == pytest.approx(theirs.body_mass[-1])
    center = ours.frame(body.name).placement.inv() * body.inertia.center
    assert [*center] == pytest.approx([*theirs.body_ipos[-1]], abs=1e-12)
    if theirs.njnt:
        joint = ours.moving[-1]
        assert (joint.dynamics.damping or (0.0,))[0] == theirs.dof_damping[0]
        assert (joint.limits.lower or (0.0,))[0] == pytest.approx(theirs.jnt_range[0][0])


def test_a_moving_shape_without_mass_is_reported(tmp_path: Path) -> None:
    shape = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'
    joint = f'<joint name="k" type="revolute"><parent link="b"/><child link="c"/>{LIMIT}</joint>'
    wrist = joint + f'<link name="c">{MASS}</link>'
    path = tmp_path / "r.urdf"
    for inertial, reported in ((shape, True), ("", False), (shape + MASS, False)):
        path.write_text(urdf(inertial=inertial, inside=wrist))
        found = [f for f in check_file(path).findings if "counts without mass" in f.message]
        assert bool(found) == reported
