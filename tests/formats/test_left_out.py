"""What a reader says that it leaves out is not in the model: the model is that of the file without it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from sdf_files import joint, link, model
from sixvec.formats import parse_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model import Model

BALL = '<geom size="1"/>'
MJCF = {
    "equality (tendon)": ("<equality><tendon tendon1='t'/></equality>", ""),
    "equality (flex)": ("<equality><flex flex='f'/></equality>", ""),
    "equality (joint)": ("<equality><joint joint1='k' joint2='j' polycoef='0 1 1'/></equality>", ""),
    "equality (joint), for a ball leads": ("<equality><joint joint1='k' joint2='ball'/></equality>", ""),
    "equality (joint), for a ball follows": ("<equality><joint joint1='ball' joint2='j'/></equality>", ""),
    "fluid density": ("<option density='1000'/>", ""),
    "fluid viscosity": ("<option viscosity='0.1'/>", ""),
    "wind": ("<option wind='1 0 0'/>", ""),
    "alignfree": ("<compiler alignfree='true'/>", "<compiler alignfree='false'/>"),
}
"""Sections: with what is left out, and without."""

IN_WORLD = {
    "gravcomp of a body": (f"<body gravcomp='1'><joint/>{BALL}</body>", f"<body><joint/>{BALL}</body>"),
    "mocap body": (f"<body mocap='true' pos='1 2 3'>{BALL}</body>", f"<body pos='1 2 3'>{BALL}</body>"),
    "springdamper of a joint": (
        f"<body><joint springdamper='1 1'/>{BALL}</body>", f"<body><joint/>{BALL}</body>"),
    "damping of higher order": (
        f"<body><joint damping='1 2'/>{BALL}</body>", f"<body><joint damping='1'/>{BALL}</body>"),
    "stiffness of higher order": (
        f"<body><joint stiffness='1 2'/>{BALL}</body>", f"<body><joint stiffness='1'/>{BALL}</body>"),
    "range of a ball joint": (
        f"<body><joint type='ball' range='0 90' damping='2'/>{BALL}</body>",
        f"<body><joint type='ball' damping='2'/>{BALL}</body>"),
    "stiffness of a free joint": (
        f"<body><joint type='free' stiffness='2' damping='3'/>{BALL}</body>",
        f"<body><joint type='free' damping='3'/>{BALL}</body>"),
    "align (free bodies": (
        "<body><freejoint align='true'/><geom size='1' pos='1 2 3'/></body>",
        "<body><freejoint align='false'/><geom size='1' pos='1 2 3'/></body>"),
    "composite (its bodies are missing)": (
        f"<body><joint/>{BALL}<composite type='cable' count='2 1 1'/></body>", f"<body><joint/>{BALL}</body>"),
    "flexcomp (its bodies are missing)": (
        f"<body><joint/>{BALL}<flexcomp name='f'/></body>", f"<body><joint/>{BALL}</body>"),
}  # fmt: skip
"""Bodies: with what is left out, and without."""

TREE = f"<body name='a'><joint name='j'/>{BALL}</body><body name='b'><joint name='k'/>{BALL}</body>"
TREE += f"<body name='c'><joint name='ball' type='ball'/>{BALL}</body>"


def read(parse: object, text: str, words: str | None) -> Model:
    """The model of a text; with one warning that has these words, or with none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found: Model = parse(text, "robot")  # type: ignore[operator]
    messages = [str(w.message) for w in caught if w.category is UnsupportedPhysics]
    if words is None:
        assert not messages
    else:
        (only,) = messages
        assert words.partition(", for ")[0] in only
    return found


def same(a: Model, b: Model) -> bool:
    """The same physics: what is seen may differ."""
    return replace(a, geoms=()) == replace(b, geoms=()) and a.fingerprint == b.fingerprint


@pytest.mark.parametrize("words", [*MJCF, *IN_WORLD])
def test_mjcf(words: str) -> None:
    def text(section: str, body: str) -> str:
        return f"<mujoco>{section}<worldbody>{TREE}{body}</worldbody></mujoco>"

    sections, bodies = MJCF.get(words, ("", "")), IN_WORLD.get(words, ("", ""))
    with_it, without = (text(section, body) for section, body in zip(sections, bodies, strict=True))
    assert same(read(parse_model, with_it, words), read(parse_model, without, None))


LINKS = link("a") + link("b", "0 0 1 0 0 0")
HINGE = joint("j", "a", "b")
BOX = '<collision name="box"><geometry><box><size>1 1 1</size></box></geometry></collision>'
MESH = '<collision name="mesh"><geometry><mesh><uri>model://m.dae</uri></mesh></geometry></collision>'


def third(inside: str = "", inertial: str = "", auto: bool = False) -> str:
    """A third link and its joint."""
    own = f'<inertial auto="{str(auto).lower()}">{inertial}</inertial>'
    return link("c", inside=own + inside) + joint("k", "a", "c")


SDF = {
    "gripper": ('<gripper name="claw"/>', ""),
    "wind": ("<enable_wind>true</enable_wind>", "<enable_wind>false</enable_wind>"),
    "thing (an extension": ('<x:thing xmlns:x="http://x"/>', ""),
    "gearbox joint": (third() + joint("g", "b", "c", "gearbox", "0 0 1"), third()),
    "gravity of a link": (third("<gravity>false</gravity>"), third()),
    "velocity_decay": (third("<velocity_decay><linear>1</linear></velocity_decay>"), third()),
    "kinematic": (third("<kinematic>1</kinematic>"), third()),
    "fluid_added_mass": (
        third(inertial="<mass>2</mass><fluid_added_mass><xx>1</xx></fluid_added_mass>"),
        third(inertial="<mass>2</mass>")),
    "computed from a mesh": (third(MESH + BOX, auto=True), third(BOX, auto=True)),
    "friction or spring of a joint that closes a loop": (
        joint("k", "a", "b", axis="", inside="<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>"),
        joint("k", "a", "b")),
    "include of model://hand": ("<include><uri>model://hand</uri></include>", ""),
}  # fmt: skip
"""Parts of a model: with what is left out, and without."""


@pytest.mark.parametrize("words", SDF)
def test_sdf(words: str) -> None:
    with_it, without = (model(LINKS + HINGE + inside, version="1.11") for inside in SDF[words])
    assert same(read(parse_model, with_it, words), read(parse_model, without, None))
