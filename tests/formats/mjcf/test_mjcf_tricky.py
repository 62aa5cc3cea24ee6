"""MJCF where two rules of the format meet: each file read here and by MuJoCo."""

from __future__ import annotations

from pathlib import Path

import pytest

from mjcf_peer import compare, mujoco, quietly
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.model.joints import Free, Revolute, Spherical

EXACT = 1e-11
"""Two ways through the same few transforms in float64, and coordinate axes that are snapped at 1e-11."""

LAYER_ROUNDING = 1e-9
"""MuJoCo takes the skin of an ellipsoid as the difference of two solids a micrometre apart: 1e-6 of their digits."""

LIMB = '<geom type="capsule" fromto="0 0 0 0.1 0.2 -0.3" size="0.04"/>'
ORIENTATIONS = ['quat="0.3 -0.4 0.5 1.2"', 'axisangle="1 2 -3 40"', 'euler="30 -50 70"', 'xyaxes="1 1 0 0.2 1 3"']
ORIENTATIONS += ['zaxis="1 -2 0.5"']
PLACES = {
    "body": ('<body {} pos="1 2 3"><joint/>' + LIMB + "</body>", ""),
    "inertial": (
        '<body><joint type="ball"/><inertial pos=".1 .2 .3" mass="2" diaginertia="1 1.2 1.5" {}/></body>', ""),
    "geom": ('<body><joint type="ball"/><geom type="box" size=".1 .2 .3" {} pos=".1 .2 .3"/></body>', ""),
    "site": ('<body><joint type="ball"/>' + LIMB + '<site name="s" {} pos=".1 .2 .3"/></body>', ""),
    "frame": (
        '<frame {} pos="1 2 3"><body pos="1 0 0"><joint pos="1 0 0" axis="1 2 3"/>' + LIMB
        + '<frame {}><site name="s" pos="1 0 0"/><inertial pos="0 1 0" mass="2" fullinertia="1 2 2 .1 .2 .3"/></frame>'
        "</body></frame>", ""),
    "class of geoms": (
        '<body><joint type="ball"/><geom type="box" size=".1 .2 .3"/><geom type="box" size=".1 .2 .3" euler="9 0 0"/>'
        '<geom type="capsule" fromto="0 0 0 1 2 3" size="0.1"/></body>', "<default><geom {}/></default>"),
    "class of sites": (
        '<body><joint type="ball"/>' + LIMB + '<site name="s"/><site name="t" fromto="0 0 0 1 2 3" size="0.1" '
        'type="capsule"/></body>', "<default><site {}/></default>"),
}  # fmt: skip
"""Every element that may be turned."""


def agrees(folder: Path, world: str, outside: str = "", tolerance: float = EXACT) -> None:
    file = folder / "model.xml"
    file.write_text(f"<mujoco>{outside}<worldbody>{world}</worldbody></mujoco>")
    for what, worst in compare(file).items():
        assert worst <= tolerance, f"{what}: relative error {worst:.1e}"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("given", ORIENTATIONS)
def test_every_orientation_in_every_place(place: str, given: str, tmp_path: Path) -> None:
    world, outside = PLACES[place]
    agrees(tmp_path, world.replace("{}", given), outside.replace("{}", given))


FILES = {
    "ball after hinge": (
        '<body pos="0 0 1"><joint axis="1 2 3" pos=".1 .2 .3" ref="20"/><joint type="ball" pos="0 .1 .2"/>' + LIMB
        + '<body pos="1 0 0"><joint type="slide" axis="1 1 1" ref=".3"/><joint type="ball" pos="1 2 3"/>' + LIMB
        + "</body></body>", ""),
    "free joint with a class of joints": (
        '<body pos="1 2 3" euler="10 20 30"><joint type="free"/>' + LIMB + "</body>",
        '<default><joint damping="2" pos="1 1 1" axis="1 0 0" ref="3"/></default>'),
    "freejoint feels no class": (
        '<body pos="1 2 3" euler="10 20 30"><freejoint/>' + LIMB + "</body>",
        '<default><joint damping="2" armature="5" pos="1 1 1"/></default>'),
    "free body in frames": (
        '<frame pos="1 2 3" euler="9 8 7"><body pos="1 0 0"><freejoint/>' + LIMB + "</body></frame>", ""),
    "classes of frames and bodies": (
        '<body name="a" childclass="x"><joint/>' + LIMB + '<frame childclass="y"><geom type="box"/><frame><body>'
        '<joint/><geom/><frame childclass="x"><geom pos="1 0 0"/></frame><body childclass="y"><joint class="x"/><geom/>'
        '</body></body></frame></frame><body><joint/><geom class="y"/></body></body>',
        '<default><geom size=".1 .2 .3"/><default class="x"><geom type="ellipsoid" density="10"/><joint axis="1 0 0"/>'
        '<default class="y"><geom type="box"/><joint type="slide"/></default></default></default>'),
    "sizes of a class": (
        '<body><joint type="ball"/><geom type="box" size=".5"/><geom type="capsule" size=".2"/><geom/></body>',
        '<default><geom size=".1 .2 .3"/></default>'),
    "fromto of a class": (
        '<body><joint type="ball"/><geom type="capsule" size=".1"/></body>',
        '<default><geom fromto="0 0 0 1 2 3"/></default>'),
    "fromto along z, and with spare sizes": (
        '<body><joint type="ball"/><geom type="capsule" size=".1" fromto="0 0 0 0 0 3"/>'
        '<geom type="box" size=".1 .4" fromto="0 0 3 0 0 0"/><geom type="ellipsoid" size=".1 .2" fromto="0 0 0 1 2 3"/>'
        "</body>", ""),
    "radians in a fixed sequence": (
        '<body euler=".1 .2 .3"><joint ref=".2" axis="1 2 3" range="-1 1"/>' + LIMB
        + '<site name="s" euler=".3 .2 .1"/></body>', '<compiler angle="radian" eulerseq="ZYX"/>'),
    "several sections": (
        '<body euler=".1 .2 .3"><joint/>' + LIMB + '</body></worldbody><worldbody><body pos="1 0 0">'
        '<joint type="ball"/>' + LIMB + "</body>", '<compiler angle="radian"/><compiler eulerseq="zyx"/>'),
    "balanced full inertia": (
        '<body><joint type="ball"/><inertial pos=".1 0 0" mass="1" fullinertia="0.1 0.1 0.5 0.01 0 0"/></body>',
        '<compiler balanceinertia="true"/>'),
    "bounds on bodies without mass": (
        '<body><joint/><body pos="1 2 3" euler="10 20 30"><joint axis="0 1 0"/><frame pos="1 0 0"><body pos="0 0 1">'
        '<joint axis="1 0 0"/></body></frame></body></body>', '<compiler boundmass="0.5" boundinertia="0.2"/>'),
    "bounds on an inertial without mass": (
        '<body><joint axis="1 2 3"/><inertial mass="0" pos="4 5 6"/></body>',
        '<compiler boundmass="0.5" boundinertia="0.2"/>'),
    "bounds where the group leaves nothing": (
        '<body><joint/><geom size=".3"/><body pos="1 0 0"><joint axis="0 1 0"/><geom size=".2" pos="1 0 0" group="3"/>'
        "</body></body>", '<compiler inertiagrouprange="0 2" boundmass=".1" boundinertia=".1"/>'),
    "groups in frames": (
        '<body><joint/><frame pos="1 2 3"><geom size=".1" group="2"/></frame><geom size=".2" pos="1 0 0" group="1"/>'
        "</body>", '<compiler inertiagrouprange="2 2"/>'),
    "groups do not touch what is given": (
        '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size=".1" group="2"/></body>',
        '<compiler inertiagrouprange="2 2"/>'),
    "mass before density": (
        '<body><joint/><geom size=".1" mass="0"/><geom size=".2" density="0"/><geom size=".3" pos="1 0 0" density="3" '
        'mass="2"/></body>', ""),
    "mocap and keyframe": (
        '<body mocap="true" pos="1 2 3"><geom size=".1"/></body><body><joint/>' + LIMB + "</body>",
        '<keyframe><key name="home" qpos="1"/></keyframe>'),
    "rotors of balls and slides": (
        '<body><joint type="ball" armature="2"/>' + LIMB + '<body pos="1 0 0"><joint type="slide" armature="3"/>' + LIMB
        + "</body></body>", '<option gravity="1 2 3"/>'),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_where_two_rules_meet(name: str, tmp_path: Path) -> None:
    agrees(tmp_path, *FILES[name])


SKINS = ['sphere" size=".1', 'box" size=".1 .2 .3', 'capsule" size=".1 .2', 'cylinder" size=".1 .2']
SKINS += [
    'cylinder" size=".1" fromto="0 0 0 1 2 3',
    'ellipsoid" size=".1 .2 .3',
    'ellipsoid" size=".5" fromto="0 0 0 1 2 3',
]


@pytest.mark.parametrize("extra", ["", 'mass="2"', 'density="3"'])
@pytest.mark.parametrize("shape", SKINS)
def test_skins(shape: str, extra: str, tmp_path: Path) -> None:
    world = f'<body><joint type="ball"/><geom type="{shape}" shellinertia="true" {extra}/></body>'
    agrees(tmp_path, world, tolerance=LAYER_ROUNDING if "ellipsoid" in shape else EXACT)


def test_a_mesh_says_itself_that_it_is_a_skin() -> None:
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    body = '<body><joint/><geom type="mesh" mesh="m" shellinertia="true"/></body>'
    with pytest.raises(FileFormatError, match=named("inertia", "shell")):
        parse_model(f"<mujoco>{mesh}<worldbody>{body}</worldbody></mujoco>", "m.xml")


def test_limits_are_those_of_mujoco(tmp_path: Path) -> None:
    """autolimits, `limited`, and ranges in degrees for hinges only."""
    joints = ['range="-30 40"', 'range="0 0"', 'limited="false" range="-1 1"', 'type="slide" range="-0.5 0.25"', ""]
    body = "".join(f'<body pos="1 0 0"><joint {joint}/>{LIMB}' for joint in joints) + "</body>" * len(joints)
    file = tmp_path / "model.xml"
    file.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    theirs = mujoco.MjModel.from_xml_path(str(file))
    for i, b in enumerate(quietly(file).bodies):
        assert bool(b.limits.lower) == theirs.jnt_limited[i]
        if b.limits.lower:
            assert (*b.limits.lower, *b.limits.upper) == pytest.approx(tuple(theirs.jnt_range[i]), rel=1e-15)


def test_joints_of_a_body_keep_their_order() -> None:
    body = f'<body name="a"><joint name="turn"/><joint name="ball" type="ball"/>{LIMB}</body>'
    free = f'<body name="b"><joint type="free" name="fly"/>{LIMB}</body>'
    model = parse_model(f"<mujoco><worldbody>{body}{free}</worldbody></mujoco>", "a.xml")
    assert [(b.joint_name, type(b.joint)) for b in model.bodies] == [
        ("turn", Revolute), ("ball", Spherical), ("fly", Free),
    ]  # fmt: skip
