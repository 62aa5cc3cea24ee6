"""MJCF files that are wrong, or want what they may not have: one clear error, and no other file is read."""

from __future__ import annotations

import random
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from naming import named
from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats import load_model, parse_model
from sixvec.formats.unsupported import UnsupportedPhysics

BODY = '<body name="a"><joint name="j"/><geom size="0.1"/></body>'


def mjcf(world: str, outside: str = "") -> str:
    return f"<mujoco>{outside}<worldbody>{world}</worldbody></mujoco>"


def inner(inside: str, outside: str = "") -> str:
    return mjcf(f'<body name="a">{inside}</body>', outside)


BROKEN = {
    "other_root": ("<world/>", "starts with <mujoco>"),
    "unknown_section": ("<mujoco><wordbody/></mujoco>", 'did you mean "worldbody"'),
    "unknown_element": (inner("<gem/>"), 'did you mean "geom"'),
    "unknown_class": (inner('<joint class="x"/>'), 'no default class "x"'),
    "unknown_childclass": (mjcf('<body childclass="y"><joint/></body>'), 'no default class "y"'),
    "unknown_type": (inner('<joint type="hnge"/>'), 'did you mean "hinge"'),
    "unknown_shape": (inner('<geom type="cone" size="1"/>'), 'no value "cone"'),
    "unknown_angle": (mjcf(BODY, '<compiler angle="turn"/>'), "degree, radian"),
    "unknown_eulerseq": (mjcf(BODY, '<compiler eulerseq="abc"/>'), "eulerseq"),
    "global": (mjcf(BODY, '<compiler coordinate="global"/>'), "global"),
    "two_orientations": (mjcf('<body quat="1 0 0 0" euler="0 0 0"/>'), "quat, euler"),
    "zero_quat": (mjcf('<body quat="0 0 0 0"/>'), "not a rotation"),
    "zero_axis": (inner('<joint axis="0 0 0"/>'), "no direction"),
    "zero_zaxis": (mjcf('<body zaxis="0 0 0"/>'), "zaxis"),
    "parallel_xyaxes": (mjcf('<body xyaxes="1 0 0 2 0 0"/>'), "xyaxes"),
    "zero_fromto": (inner('<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>'), "fromto"),
    "fromto_sphere": (inner('<geom size="1" fromto="0 0 0 1 1 1"/>'), "sphere"),
    "too_few_numbers": (mjcf('<body pos="1 2"/>'), "give 3 numbers"),
    "not_numbers": (mjcf('<body pos="1 2 x"/>'), "not numbers"),
    "nan": (mjcf('<body pos="1 2 nan"/>'), "finite"),
    "no_size": (inner("<geom/>"), "size"),
    "short_size": (inner('<geom type="box" size="1 2"/>'), "a box needs 3"),
    "negative_size": (inner('<geom size="-1"/>'), "positive"),
    "no_mass": (inner('<inertial pos="0 0 0" diaginertia="1 1 1"/>'), "mass"),
    "two_inertias": (inner('<inertial mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/>'), "one of them"),
    "two_inertials": (inner('<inertial mass="1"/><inertial mass="1"/>'), "second"),
    "joint_in_world": (mjcf("<joint/>"), "the world has no joints"),
    "free_inside": (inner("<body><freejoint/></body>"), "free joint"),
    "free_and_more": (inner("<freejoint/><joint/>"), "free joint"),
    "empty_range": (inner('<joint range="2 1" limited="true"/>'), "empty"),
    "limited_without_range": (inner('<joint limited="true"/>'), "range"),
    "two_bodies": (mjcf(BODY + BODY), "two bodies"),
    "body_named_world": (mjcf('<body name="world"/>'), "two bodies"),
    "two_joints": (inner('<joint name="j"/><joint name="j"/>'), "two joints"),
    "unknown_equality_joint": (mjcf(BODY, '<equality><joint joint1="j" joint2="k"/></equality>'), 'no joint "k"'),
    "unknown_mesh": (inner('<geom type="mesh" mesh="m"/>'), 'no mesh "m"'),
    "fitted_mesh": (inner('<joint/><geom type="box" mesh="m"/>'), "fitted"),
    "flat_mesh": (inner('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0" '
                        'face="0 1 2"/></asset>'), "no volume"),
    "no_such_vertex": (inner('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" vertex="0 0 0" '
                             'face="0 1 2"/></asset>'), "counted from 0"),
    "include_in_text": (mjcf(BODY, '<include file="other.xml"/>'), "only a text"),
    "mesh_in_text": (inner('<geom type="mesh" mesh="m"/>', '<asset><mesh file="m.stl"/></asset>'), "only a text"),
    "entity": ('<!DOCTYPE x [<!ENTITY e "x">]>' + mjcf(BODY), "document type"),
    "nested": ("<mujoco><worldbody>" + "<frame>" * 30_000 + "</frame>" * 30_000 + "</worldbody></mujoco>", "inside"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_said(name: str) -> None:
    text, words = BROKEN[name]
    with pytest.raises(SixvecError) as caught:
        parse_model(text, "robot.xml")
    assert words in str(caught.value)
    assert isinstance(caught.value, FileFormatError) and str(caught.value).startswith("robot.xml: ")


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "options.xml").write_text('<mujocoinclude><option gravity="0 0 -1"/></mujocoinclude>')
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude><include file="parts/options.xml"/><worldbody>{BODY}</worldbody></mujocoinclude>'
    )
    (tmp_path / "hand.xml").write_text('<x><body name="b"><geom size="1"/></body></x>')
    model = tmp_path / "model.xml"
    model.write_text(mjcf('<include file="hand.xml"/>', '<include file="parts/arm.xml"/>'))
    found = load_model(model)
    assert [b.name for b in found.bodies] == ["a", "b"]
    assert found.gravity.z == -1.0


@pytest.mark.parametrize("name", ["../secret.xml", "{}/secret.xml", "link.xml", "nothing.xml", "", "a\0b", "model.xml"])
def test_includes_stay_in_the_folder_and_end(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text(mjcf(BODY))
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "link.xml").symlink_to(tmp_path / "secret.xml")
    (folder / "loop.xml").write_text('<x><include file="model.xml"/></x>')
    model = folder / "model.xml"
    if "\0" in name:
        model.write_text(mjcf("", '<include file="' + "x" * 5000 + '"/>'))
    else:
        model.write_text(mjcf("", f'<include file="{name.format(tmp_path)}"/><include file="loop.xml"/>'))
    with pytest.raises(FileFormatError) as caught:
        load_model(model)
    assert str(caught.value).startswith(str(model))


def test_errors_in_an_included_file_name_it(tmp_path: Path) -> None:
    (tmp_path / "hand.xml").write_text('<x><body name="b"><gem/></body></x>')
    (tmp_path / "model.xml").write_text(mjcf('<include file="hand.xml"/>'))
    with pytest.raises(FileFormatError, match=named("hand.xml", "b", "gem", "element")):
        load_model(tmp_path / "model.xml")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("m.stl", b"", "mesh"),
        ("m.stl", b"solid" + b" " * 79, "announced"),
        ("m.stl", b" " * 80 + b"\0\0\0\0", "SciPy|volume|vertices"),
        ("m.obj", b"v 1 2\nf 1 2 3", "mesh"),
        ("m.obj", b"v 1 2 3\nf 1 2 3", "vertex"),
        ("m.obj", b"v 1 2 nan", "finite"),
        ("m.dae", b"", "mesh"),
        ("n.stl", b"", named("m.stl")),
    ],
)
def test_meshes_that_cannot_be_read(name: str, data: bytes, words: str, tmp_path: Path) -> None:
    file = name.replace("n.", "m.") if name == "n.stl" else name
    (tmp_path / name).write_bytes(data)
    (tmp_path / "model.xml").write_text(
        inner('<geom type="mesh" mesh="m"/>', f'<asset><mesh name="m" file="{file}"/></asset>')
    )
    with pytest.raises(SixvecError, match=words):
        load_model(tmp_path / "model.xml")


def test_meshes_that_weigh_nothing_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(
        inner('<geom type="mesh" mesh="m"/><inertial pos="0 0 0" mass="1"/>', '<asset><mesh file="../m.stl"/></asset>')
    )
    assert load_model(tmp_path / "model.xml").bodies[0].inertia.mass == 1.0


def test_physics_that_is_left_out_is_listed_in_one_warning() -> None:
    text = mjcf(
        '<body name="a" gravcomp="1"><joint name="j" springdamper="1 1"/><joint name="k" damping="1 2"/>'
        '<joint name="b" type="ball" range="0 1"/><geom size="1"/></body><body name="m" mocap="true"/>'
        '<body name="f"><joint type="free" stiffness="2"/><geom size="1"/></body>',
        '<option density="1000" wind="1 0 0"/>'
        '<actuator><pid joint="j"/><pid joint="k"/><motor joint="j" armature="1"/></actuator>'
        '<tendon><fixed stiffness="1"><joint joint="j" coef="2"/></fixed></tendon>'
        '<equality><flex/><tendon/><joint joint1="j" joint2="k" polycoef="0 1 1"/></equality>',
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parse_model(text, "robot.xml")
    (only,) = caught
    assert only.category is UnsupportedPhysics
    for words in (
        "robot.xml", "2 × force of an actuator (pid)", "stiffness of a tendon", "armature of an actuator",
        "equality (flex)", "equality (tendon)",
        "equality (joint)", "fluid density", "gravcomp", "springdamper", "damping of higher order", "ball joint",
        "mocap", "wind", "stiffness of a free joint",
    ):  # fmt: skip
        assert words in str(only.message)


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
def test_damaged_files_raise_only_our_errors() -> None:
    rng = random.Random(5)
    sound = [text for text, _ in BROKEN.values() if len(text) < 1000]
    words = ["nan", "1e400", "-1", "0", "", "frame", "body", "joint", "mesh", "<", ">", '"', "&", "\0", "é", "free"]
    for _ in range(3000):
        text = rng.choice(sound)
        for _ in range(rng.randint(1, 3)):
            at, length = rng.randrange(len(text)), rng.choice([0, 1, 4, 20])
            text = text[:at] + rng.choice([*words, rng.choice(sound)[10:60]]) + text[at + length :]
        with suppress(SixvecError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse_model(text, "robot.xml")
