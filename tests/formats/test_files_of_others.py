"""What published files have and readers forget: bodies that stand still, models that are not there, old meshes."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import mujoco
import numpy as np
import pytest

from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, parse_model
from sixvec.formats.doctor import check_file
from sixvec.formats.unsupported import UnsupportedPhysics

CORNERS = "0 0 0 1 0 0 0 1 0 0 0 1"
ARM = '<body name="link"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j" axis="0 0 1"/></body>'
SHAPES = {
    "fitted": (f'<mesh name="m" vertex="{CORNERS}"/>', '<geom type="capsule" mesh="m"/>'),
    "builtin": ('<mesh name="m" builtin="sphere" params="2"/>', '<geom type="mesh" mesh="m"/>'),
}


def standing(shape: str, joint: str = "", compiler: str = "") -> str:
    asset, geom = SHAPES[shape]
    return (
        f"<mujoco>{compiler}<asset>{asset}</asset><worldbody><body name='base'>{joint}<body name='plate'>{geom}</body>"
        f"{ARM}</body></worldbody></mujoco>"
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_that_cannot_be_weighed_matters_only_where_it_moves(tmp_path: Path, shape: str) -> None:
    """As the base of the ARX L5, a capsule fitted to a mesh, which stands in the world."""
    text = standing(shape)
    mujoco.MjModel.from_xml_string(text)
    with pytest.warns(UnsupportedPhysics, match=named("geom", "inertia")):
        model = parse_model(text, "arm.xml")
    assert model.nv == 1 and [b.inertia.mass for b in model.bodies] == [0.0, 0.0, 1.0]
    path = tmp_path / "arm.xml"
    path.write_text(text)
    assert check_file(path).status == 1
    words = {"fitted": named("capsule", "mesh"), "builtin": named("mesh", "builtin", "sphere", "MuJoCo")}[shape]
    with pytest.raises(FileFormatError, match=words):
        parse_model(standing(shape, joint='<joint axis="0 1 0"/>'), "arm.xml")
    with pytest.raises(FileFormatError, match=words):
        parse_model(text, "arm.xml", floating=True)
    with pytest.raises(FileFormatError, match=words):
        parse_model(standing(shape, compiler='<compiler settotalmass="3"/>'), "arm.xml")


def test_mistakes_in_a_body_that_stands_still_are_mistakes() -> None:
    with pytest.raises(FileFormatError, match=named("body", "geom", "line 1")):
        parse_model('<mujoco><worldbody><body><geom size="1" mass="-1"/></body></worldbody></mujoco>', "arm.xml")


def test_meshes_in_the_format_of_mujoco(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1.0, 1.0, (4, 3)).astype("<f4")
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], "<i4")
    if np.linalg.det(corners[1:] - corners[0]) < 0.0:
        faces = faces[:, ::-1]
    normals, textures = np.zeros((4, 3), "<f4"), np.zeros((4, 2), "<f4")
    normals[:] = (0, 0, 1)
    parts = (corners, normals, textures, np.ascontiguousarray(faces))
    data = struct.pack("<4i", 4, 4, 4, 4) + b"".join(part.tobytes() for part in parts)
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><mesh name="m" file="t.msh"/></asset><worldbody><body><joint/><geom type="mesh" mesh="m"/>'
        "</body></worldbody></mujoco>"
    )
    (tmp_path / "t.msh").write_bytes(data)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    mine = load_model(path).bodies[0].inertia
    assert mine.mass == pytest.approx(theirs.body_mass[1], rel=1e-5)
    assert [*mine.center] == pytest.approx(theirs.body_ipos[1], abs=1e-6)
    for broken in (
        data[:-1],
        data + b"\0",
        data[:10],
        struct.pack("<4i", -1, 0, 0, 0),
        data[:-4] + struct.pack("<i", 9),
    ):
        (tmp_path / "t.msh").write_bytes(broken)
        with pytest.raises(FileFormatError, match="mesh"):
            load_model(path)


NAMESAKES = """<sdf version="1.9"><world name="w">
<frame name="base" attached_to="m::base"/><frame name="table"/>
<model name="m"><link name="a"/><frame name="base"><pose>1 0 0 0 0 0</pose></frame><frame name="tip"/></model>
</world></sdf>"""


def test_a_frame_of_the_world_and_one_of_the_model_of_one_name(tmp_path: Path) -> None:
    model = parse_model(NAMESAKES, "w.sdf")
    names = [f.name for f in model.frames]
    assert sorted(names) == ["a", "base", "m::base", "table", "tip", "world"]
    assert {f.name: f.body for f in model.frames}["base"] == "a"
    path = tmp_path / "w.sdf"
    path.write_text(NAMESAKES)
    assert check_file(path).status == 0, check_file(path).text()


@pytest.mark.parametrize("merge", ["", ' merge="true"'])
def test_an_include_that_was_not_read_is_named_as_the_cause(tmp_path: Path, merge: str) -> None:
    path = tmp_path / "arm.sdf"
    child = "hand" if merge else "gripper::hand"
    path.write_text(
        f'<sdf version="1.9"><model name="m"><link name="a"/><include{merge}><uri>model://gripper</uri></include>'
        f'<joint name="j" type="fixed"><parent>a</parent><child>{child}</child></joint></model></sdf>'
    )
    words = named("gripper", "model://gripper", "model:", "give")
    with pytest.raises(FileFormatError, match=words):
        load_model(path)
    assert 'model://gripper" is not found' in check_file(path).text()


def test_unknown_elements_of_sdf_are_left_out_with_a_warning(tmp_path: Path) -> None:
    text = (
        '<sdf version="1.9"><model name="m"><colour>red</colour>\n<link name="a"><inertal/></link>'
        '<joint name="j" type="revolute">\n<parent>world</parent><child>a</child><axis/><speed/></joint></model></sdf>'
    )
    words = "link"
    with pytest.warns(UnsupportedPhysics, match=words):
        assert parse_model(text, "m.sdf").nv == 1
    path = tmp_path / "m.sdf"
    path.write_text(text)
    report = check_file(path)
    assert report.status == 1
    assert any("did you mean <inertial>" in f.advice and f.line == 2 for f in report.findings)


def chain(count: int) -> str:
    frames = (
        f'<frame name="f{i}" attached_to="f{i - 1}"><pose>1 0 0 0 0 0.001</pose></frame>' for i in range(1, count)
    )
    return f'<sdf version="1.9"><model name="m"><link name="a"/><frame name="f0"/>{"".join(frames)}</model></sdf>'


def test_chains_of_frames_take_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "chain.sdf"
    path.write_text(chain(5_000))
    start = time.process_time()
    model, report = load_model(path), check_file(path)
    assert time.process_time() - start < 8.0
    assert len(model.frames) == 5_002 and report.status == 0


def test_frames_that_are_far_apart_are_where_they_are() -> None:
    model = parse_model(chain(400), "chain.sdf")
    placements = {f.name: f.placement for f in model.frames}
    expected = sum(np.exp(0.001j * np.arange(399)))
    found = placements["f399"].pos
    assert complex(found.x, found.y) == pytest.approx(expected, rel=1e-12)


ORIGINS = {
    "four numbers": ('quat_xyzw="0 0 1"', "holds 3 numbers"),
    "not both": ('quat_xyzw="0 0 0 1" rpy="0 0 0"', "both rpy and quat_xyzw"),
    "not zero": ('quat_xyzw="0 0 0 0"', "quaternion is zero"),
}


def turned(origin: str) -> str:
    """An arm whose second joint is moved by the rotation of the first."""
    joint = '<joint name="j{0}" type="fixed"><parent link="l{0}"/><child link="l{1}"/><origin xyz="1 0 0" {2}/></joint>'
    links = "".join(f'<link name="l{i}"/>' for i in range(3))
    return f'<robot name="r">{links}{joint.format(0, 1, origin)}\n{joint.format(1, 2, "")}</robot>'


@pytest.mark.parametrize("name", ORIGINS)
def test_quaternions_of_urdf_are_examined(tmp_path: Path, name: str) -> None:
    origin, words = ORIGINS[name]
    path = tmp_path / "r.urdf"
    path.write_text(turned(origin))
    report = check_file(path)
    assert report.status == 2 and any(words in f.message and f.line == 1 for f in report.findings), report.text()


def test_the_doctor_turns_by_quaternions() -> None:
    from sixvec.formats import parse_model
    from sixvec.formats.doctor.loops import neutral_origins

    origins = neutral_origins(parse_model(turned('quat_xyzw="0 0 1 1"'), "r.urdf"))
    assert [*origins["l2"]] == pytest.approx([1.0, 1.0, 0.0])
