"""Shapes of URDF, MJCF and SDF: as many as the file has, of the same sizes, in the same places as others read them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geom_poses import geom_poses
from naming import named
from package_files import published_mjcf, published_urdf
from sixvec.formats import load_model, parse_model
from sixvec.formats.mesh_location import mesh_file
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import Geom, HalfSpace, Mesh, Model, Polyhedron
from sixvec.spatial import Vec3
from tolerances import PEER, assert_close

JOINT = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 2 3" rpy="1 2 3"/></joint>'
URDF = f"""<robot name="r">
<material name="blue"><color rgba="0 0 1 1"/></material>
<link name="a">
  <visual name="torso"><origin xyz="1 0 0" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry>
    <material name="blue"/></visual>
  <visual><geometry><sphere radius="2"/></geometry><material name="red"/></visual>
  <collision><origin xyz="0 1 0"/><geometry><cylinder radius="1" length="2"/></geometry></collision>
</link>
<link name="b">
  <visual><geometry><mesh filename="package://p/b.dae" scale="1 2 -3"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/><texture filename="skin.png"/></material></visual>
  <collision><geometry><capsule radius="1" length="2"/></geometry></collision>
</link>{JOINT}</robot>"""


def test_elements_of_urdf() -> None:
    geoms = parse_model(URDF, "r.urdf").geoms
    assert [g.shape for g in geoms] == [
        Box(Vec3(1.0, 2.0, 3.0)),
        Sphere(2.0),
        Cylinder(1.0, 2.0),
        Mesh("package://p/b.dae", Vec3(1.0, 2.0, -3.0)),
        Capsule(1.0, 2.0),
    ]
    assert [g.frame for g in geoms] == ["a", "a", "a", "b", "b"]
    assert [g.visual for g in geoms] == [True, True, False, True, False] == [not g.collision for g in geoms]
    assert geoms[0].name == "torso" and geoms[0].placement.pos == Vec3(1.0, 0.0, 0.0)
    assert [g.material.color for g in geoms[:2]] == [(0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 1.0)]
    assert geoms[1].material == geoms[3].material and geoms[1].material.texture == "skin.png"


@pytest.mark.parametrize(
    ("geometry", "told"),
    [
        ('<box size="1 2"/>', named("a", "visual", "geometry", "box")),
        ('<box size="0 0 0"/>', named("a", "visual", "geometry", "box")),
        ('<sphere radius="nan"/>', "nan"),
        ("<mesh/>", "filename"),
        ("<cone/>", "cone"),
        ("", named("a", "visual", "geometry", "line 1")),
    ],
)
def test_a_wrong_shape_stops_no_robot(geometry: str, told: str) -> None:
    text = f'<robot name="r"><link name="a"><visual><geometry>{geometry}</geometry></visual></link></robot>'
    with pytest.warns(UnsupportedPhysics, match=told):
        model = parse_model(text, "r.urdf")
    assert model.geoms == () and len(model.bodies) == 1


PUBLISHED = ("panda.urdf", "solo12.urdf", "simple_humanoid.urdf", "finger_edu.urdf", "double_pendulum.urdf")


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore::UserWarning")  # Pinocchio's, about its own arguments
@pytest.mark.parametrize(
    "path", [f for f in published_urdf() if f.name in PUBLISHED], ids=lambda p: f"{p.parts[-3]}/{p.stem}"
)
def test_pinocchio_sees_the_same(path: Path) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle")
    model = load_model(path)
    model = replace(model, bodies=tuple(replace(b, mimic=None) for b in model.bodies))  # as Pinocchio has it
    theirs = pinocchio.buildModelFromUrdf(str(path))
    q = np.random.default_rng(0).uniform(-1.0, 1.0, model.nq)
    assert same_as_pinocchio(pinocchio, model, theirs, str(path), q) == len(model.geoms)


def same_as_pinocchio(pinocchio: Any, model: Model, theirs: Any, path: str, q: np.ndarray) -> int:
    """How many shapes Pinocchio reads from the file, each of which is found to be one of ours."""
    assert {b.joint_name for b in model.moving} == {*theirs.names} - {"universe"}
    data, count = theirs.createData(), 0
    packages = [str(folder) for folder in Path(path).parents]
    poses = geom_poses(model, q)
    position = np.zeros(theirs.nq)
    for b in model.moving:
        joint, (value,) = theirs.joints[theirs.getJointId(b.joint_name)], q[model.q_slices[b.name]]
        at = slice(joint.idx_q, joint.idx_q + joint.nq)
        position[at] = [math.cos(value), math.sin(value)] if joint.nq == 2 else [value]
    for kind in ("visual", "collision"):
        shapes = pinocchio.buildGeomFromUrdf(theirs, path, getattr(pinocchio.GeometryType, kind.upper()), packages)
        seen = pinocchio.GeometryData(shapes)
        pinocchio.updateGeometryPlacements(theirs, data, shapes, seen, position)
        ours = [(g, X) for g, X in zip(model.geoms, poses, strict=True) if getattr(g, kind)]
        for link in {theirs.frames[g.parentFrame].name for g in shapes.geometryObjects}:
            mine = [(g, X) for g, X in ours if g.frame == link]
            their = [i for i, g in enumerate(shapes.geometryObjects) if theirs.frames[g.parentFrame].name == link]
            for (g, X), i in zip(mine, their, strict=True):
                assert_close(X, seen.oMg[i].homogeneous, PEER, batched=False)
                same_size(g, shapes.geometryObjects[i])
                count += 1
    return count


def same_size(g: Geom, other: Any) -> None:
    match g.shape:
        case Mesh(_, scale):
            assert mesh_file(g.shape) == Path(other.meshPath).resolve()
            assert_close([*scale], other.meshScale, PEER, batched=False)
        case Box(size):
            assert_close([*size], 2.0 * other.geometry.halfSide, PEER, batched=False)
        case Sphere(radius):
            assert radius == pytest.approx(other.geometry.radius)
        case Cylinder(radius, length) | Capsule(radius, length):
            assert (radius, length) == pytest.approx((other.geometry.radius, 2.0 * other.geometry.halfLength))


MJCF = """<mujoco><compiler angle="radian"/>
<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1 2 3"/><material name="red" rgba="1 0 0 1"/></asset>
<default><geom rgba="0 1 0 1"/><default class="seen"><geom contype="0" conaffinity="0" group="2"/></default>
  <default class="felt"><geom group="3" type="capsule"/></default></default>
<worldbody>
  <geom name="floor" type="plane" size="5 4 0.1"/>
  <body name="a" pos="1 2 3" euler="0.1 0.2 0.3"><joint name="j" axis="1 2 3" pos="0.1 0 0" ref="0.5"/>
    <geom size="0.1" pos="1 0 0"/>
    <frame pos="0 0 1" euler="0 1 0"><geom name="limb" class="felt" fromto="0 0 0 1 1 0" size="0.1"/></frame>
    <body name="b" pos="0 0 1"><joint name="k" type="slide"/>
      <geom type="box" size="1 2 3" class="seen" rgba="1 1 0 1" euler="1 0 0"/>
      <geom type="ellipsoid" size="1 2 3" class="seen"/><geom type="cylinder" size="1 2" group="4"/>
      <geom type="mesh" mesh="m" pos="0 1 0" quat="1 2 3 4"/>
    </body>
  </body>
</worldbody></mujoco>"""


def test_elements_of_mjcf() -> None:
    geoms = parse_model(MJCF, "r.xml").geoms
    assert [type(g.shape) for g in geoms] == [
        HalfSpace, Sphere, Capsule, Box, Ellipsoid, Cylinder, Polyhedron,
    ]  # fmt: skip
    assert [g.frame for g in geoms] == ["world", "a", "a", "b", "b", "b", "b"]
    assert [(g.visual, g.collision) for g in geoms] == [
        (True, True), (True, True), (False, True), (True, False), (True, False), (False, True), (True, True),
    ]  # fmt: skip
    assert geoms[0].shape == HalfSpace((10.0, 8.0)) and geoms[3].shape == Box(Vec3(2.0, 4.0, 6.0))
    assert [g.material.color for g in geoms[1:4]] == [(0, 1, 0, 1), (0, 1, 0, 1), (1, 1, 0, 1)]


def same_as_mujoco(model: Model, theirs: Any, q: np.ndarray) -> None:
    """Every shape in its place and of its size; MuJoCo moves a mesh to its centre and turns it to its axes."""
    mujoco = pytest.importorskip("mujoco")
    data = mujoco.MjData(theirs)
    data.qpos = q
    mujoco.mj_kinematics(theirs, data)
    assert len(model.geoms) == theirs.ngeom
    for i, (g, X) in enumerate(zip(model.geoms, geom_poses(model, q), strict=True)):
        Y, size = np.eye(4), theirs.geom_size[i]
        Y[:3, 3], Y[:3, :3] = data.geom_xpos[i], data.geom_xmat[i].reshape(3, 3)
        match g.shape:
            case Mesh() | Polyhedron():
                mesh, inner = theirs.geom_dataid[i], np.eye(4)
                turn = np.zeros(9)
                mujoco.mju_quat2Mat(turn, theirs.mesh_quat[mesh])
                inner[:3, 3], inner[:3, :3] = theirs.mesh_pos[mesh], turn.reshape(3, 3)
                Y = Y @ np.linalg.inv(inner)
                assert_close(X, Y, 1e-6, batched=False)  # vertices are in single precision
                continue
            case Sphere(radius):
                expected = [radius]
            case Capsule(radius, length) | Cylinder(radius, length):
                expected = [radius, length / 2.0]
            case Box(edges):
                expected = [x / 2.0 for x in edges]
            case Ellipsoid(axes):
                expected = [*axes]
            case HalfSpace(edges):
                expected = [x / 2.0 for x in edges]
        assert_close(X, Y, PEER, batched=False)
        assert_close(size[: len(expected)], expected, PEER, batched=False)


def test_mujoco_sees_the_same() -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    same_as_mujoco(parse_model(MJCF, "r.xml"), mujoco.MjModel.from_xml_string(MJCF), np.array([0.7, -0.3]))


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize("path", published_mjcf(), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_published_mjcf(path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("MuJoCo does not take it")
    terrains = int((theirs.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).sum())
    assert len(load_model(path).geoms) == theirs.ngeom - terrains


@pytest.mark.parametrize(
    "reference", ['refpos="1 2 3"', 'refpos="1 2 3" scale="2 3 4"', 'refquat="1 2 0 1" scale="2 2 2"']
)
def test_the_frame_of_a_mesh(reference: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    file = tmp_path / "r.xml"
    file.write_text(
        f'<mujoco><asset><mesh name="m" file="m.obj" {reference}/></asset><worldbody><body name="a"><freejoint/>'
        '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/></body></worldbody></mujoco>'
    )
    model, theirs = load_model(file), mujoco.MjModel.from_xml_path(str(file))
    (g,), data = model.geoms, mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    assert isinstance(g.shape, Mesh) and mesh_file(g.shape) == (tmp_path / "m.obj").resolve()
    (X,) = geom_poses(model, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * [*g.shape.scale]
    ours = corners @ X[:3, :3].T + X[:3, 3]
    shown = theirs.mesh_vert[:4] @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    assert_close(ours[np.lexsort(ours.round(4).T)], shown[np.lexsort(shown.round(4).T)], 1e-5, batched=False)


def test_what_mjcf_has_and_no_model_holds() -> None:
    text = (
        '<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>'
        '<geom name="hill" type="hfield" hfield="h"/><geom name="nothing" type="mesh" mesh="n"/></worldbody></mujoco>'
    )
    with pytest.warns(UnsupportedPhysics, match=named("hill", "type", "hfield", "nothing")):
        assert parse_model(text, "r.xml").geoms == ()


SDF = """<sdf version="1.9"><model name="m"><link name="a"><pose>1 2 3 0 0 1</pose>
  <visual name="v"><pose>1 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
    <material><diffuse>1 0 0 1</diffuse></material></visual>
  <visual name="w"><geometry><mesh><uri>model://m/x.dae</uri><scale>1 2 3</scale><submesh><name>s</name></submesh>
    </mesh></geometry></visual>
  <collision name="c"><pose relative_to="f"/><geometry><cone><radius>1</radius><length>2</length></cone></geometry>
  </collision>
  <collision name="p"><geometry><plane><normal>1 0 0</normal><size>3 4</size></plane></geometry></collision>
  <collision name="q"><geometry><polyline/></geometry></collision>
  </link><frame name="f"><pose>0 0 5 0 0 0</pose></frame></model></sdf>"""


def test_elements_of_sdf() -> None:
    with pytest.warns(UnsupportedPhysics, match="polyline"):
        model = parse_model(SDF, "m.sdf")
    assert [g.shape for g in model.geoms] == [
        Box(Vec3(1.0, 2.0, 3.0)), Mesh("model://m/x.dae", Vec3(1.0, 2.0, 3.0), "s"), Cone(1.0, 2.0),
        HalfSpace((3.0, 4.0)),
    ]  # fmt: skip
    box, _, cone, plane = geom_poses(model, np.zeros(0))
    c, s = math.cos(1.0), math.sin(1.0)
    assert_close(box[:3, 3], [1.0 + c, 2.0 + s, 3.0], PEER, batched=False)
    assert_close(cone[:3, 3], [0.0, 0.0, 4.0], PEER, batched=False)  # its base, half a length below
    assert_close(plane[:3, 2], [c, s, 0.0], PEER, batched=False)
    assert model.geoms[0].material.color == (1.0, 0.0, 0.0, 1.0)


def test_meshes_are_found_where_they_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = tmp_path / "ws" / "arm_description"
    for folder in (robot / "urdf", robot / "meshes", tmp_path / "ws" / "hand", tmp_path / "ros" / "tool"):
        folder.mkdir(parents=True)
        (folder / "m.stl").touch()
    (tmp_path / "secret.stl").touch()
    assert mesh_file(Mesh("package://hand/m.stl", folders=(str(robot / "urdf"), str(robot)))) is None
    (tmp_path / "ws" / "hand" / "package.xml").touch()  # now it is a package
    (robot / "meshes" / "key.txt").touch()
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    home = (str(robot / "urdf"), str(robot))

    def found(uri: str) -> str | None:
        path = mesh_file(Mesh(uri, folders=home))
        return None if path is None else str(path.relative_to(tmp_path.resolve()))

    assert found("m.stl") == "ws/arm_description/urdf/m.stl"
    assert found("../meshes/m.stl") == found("package://arm_description/meshes/m.stl")
    assert found(f"file://{robot}/meshes/m.stl") == "ws/arm_description/meshes/m.stl"
    assert found("package://hand/m.stl") == "ws/hand/m.stl" and found("package://tool/m.stl") == "ros/tool/m.stl"
    for uri in (
        "../../../secret.stl", f"{tmp_path}/secret.stl", "package://hand/../../secret.stl", "package://../m.stl",
        "../meshes/key.txt", "http://example.com/m.stl", "nothing.stl", "package://", "", "m.stl\0", "a" * 5000,
    ):  # fmt: skip
        assert found(uri) is None


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf"])
def test_meshes_in_folders_of_the_caller(suffix: str, tmp_path: Path) -> None:
    home, other = tmp_path / "deep" / "home", tmp_path / "other"
    for folder in (home, other):
        folder.mkdir(parents=True)
    (other / "m.stl").touch()
    (file := home / f"r{suffix}").write_text(
        {
            ".urdf": '<robot name="r"><link name="a"><visual><geometry><mesh filename="m.stl"/></geometry></visual>'
            "</link></robot>",
            ".xml": '<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody>'
            '<geom type="mesh" mesh="m"/></worldbody></mujoco>',
            ".sdf": '<sdf version="1.9"><model name="r"><link name="a"><visual name="v"><geometry><mesh>'
            "<uri>m.stl</uri></mesh></geometry></visual></link></model></sdf>",
        }[suffix]
    )
    (alone,), (trusting,) = load_model(file).geoms, load_model(file, folders=[other]).geoms
    assert isinstance(alone.shape, Mesh) and mesh_file(alone.shape) is None
    assert isinstance(trusting.shape, Mesh) and mesh_file(trusting.shape) == (other / "m.stl").resolve()


def test_no_mesh_is_read_for_kinematics(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    mesh = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    file.write_text(f'<robot name="r"><link name="a">{mesh}</link></robot>')
    (g,) = load_model(file).geoms
    assert isinstance(g.shape, Mesh) and mesh_file(g.shape) is None
