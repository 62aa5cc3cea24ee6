"""Shapes that are written and read again are the same shapes: for us, for Pinocchio and for MuJoCo."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_read_geoms import same_as_mujoco, same_as_pinocchio

import sixvec
from geom_poses import geom_poses
from naming import named
from package_files import published_urdf
from random_trees import random_pose
from sixvec.cli import main
from sixvec.cli.equivalence import differences
from sixvec.errors import ArgumentError
from sixvec.formats import load_model, parse_model
from sixvec.formats.fitted_geoms import _kept, dressed, for_mjcf, for_sdf, for_urdf
from sixvec.formats.mesh_location import mesh_file
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.formats.save import save
from sixvec.formats.sdf.write import write_sdf
from sixvec.formats.unsupported import UnsupportedShape
from sixvec.formats.urdf.write import write_urdf
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import Body, Frame, Geom, HalfSpace, Material, Mesh, Model, Polyhedron
from sixvec.model.joints import Prismatic, Revolute
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from tolerances import PEER, assert_close

RNG = np.random.default_rng(8)
MASS = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
BODIES = (
    Body("base"),
    Body("arm", "base", Revolute(), random_pose(RNG), MASS, "elbow"),
    Body("hand", "arm", Prismatic(), random_pose(RNG), MASS, "slide"),
)
FRAMES = (
    *(Frame(b.name, b.name) for b in BODIES),
    Frame("tip", "hand", random_pose(RNG)),
    Frame("corner", None, random_pose(RNG)),
)
RED = Material("red", (1.0, 0.0, 0.0, 1.0))
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
CORNERS = (Vec3.zero(), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
PYRAMID = Polyhedron(CORNERS, ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
Q = np.array([0.7, -0.3])

COMMON = (Box(Vec3(0.1, 0.2, 0.3)), Sphere(0.1), Cylinder(0.1, 0.3))
OF_MJCF = (*COMMON, Capsule(0.1, 0.3), Ellipsoid(Vec3(0.1, 0.2, 0.3)), PYRAMID)


def robot(*shapes: object, **options: bool) -> Model:
    """Each of the shapes on each of the frames, at random places."""
    rng = np.random.default_rng(9)
    geoms = [
        Geom(f.name, shape, random_pose(rng), f"{f.name}{i}", RED if i else Material(), **options)  # type: ignore[arg-type]
        for f in FRAMES
        for i, shape in enumerate(shapes)
    ]
    return Model("dressed", BODIES, FRAMES, geoms=tuple(geoms))


def difference(model: Model, again: Model) -> float:
    return next(d.relative for d in differences(model, again, 3) if d.quantity == "shapes")


@pytest.mark.parametrize("purpose", [{}, {"visual": False}, {"collision": False}], ids=["both", "felt", "seen"])
def test_mjcf_gives_the_same_shapes(purpose: dict[str, bool]) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    model = robot(*OF_MJCF, **purpose)
    text = write_mjcf(model)
    again = parse_model(text, "r.xml")
    assert difference(model, again) < PEER
    assert {g.name for g in again.geoms} == {g.name for g in model.geoms}
    assert sorted(str(g.material.color) for g in again.geoms) == sorted(str(g.material.color) for g in model.geoms)
    theirs = mujoco.MjModel.from_xml_string(text)
    same_as_mujoco(again, theirs, Q)
    assert theirs.body_mass.sum() == pytest.approx(2.0)  # shapes weigh nothing


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pinocchio's, about its own arguments
@pytest.mark.parametrize("purpose", [{}, {"visual": False}, {"collision": False}], ids=["both", "felt", "seen"])
def test_urdf_gives_the_same_shapes(purpose: dict[str, bool], tmp_path: Path) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle")
    model = robot(*COMMON, **purpose)
    file = tmp_path / "r.urdf"
    file.write_text(write_urdf(model))
    again = load_model(file)
    assert difference(replace(model, geoms=for_urdf(model).geoms), again) < PEER
    theirs = pinocchio.buildModelFromUrdf(str(file))
    expected = len(model.geoms) * (1 if purpose else 2)
    assert same_as_pinocchio(pinocchio, again, theirs, str(file), Q) == len(again.geoms) == expected


def test_what_urdf_cannot_hold_is_replaced_or_left_out_and_said() -> None:
    model = robot(Capsule(0.1, 0.3), Ellipsoid(Vec3(0.1, 0.2, 0.3)), Cone(0.1, 0.4), PYRAMID, HalfSpace(), visual=False)
    said = named("capsule", "cylinder", "ellipsoid", "box")
    with pytest.warns(UnsupportedShape, match=said):
        again = parse_model(write_urdf(model), "r.urdf")
    count = [sum(isinstance(g.shape, kind) for g in again.geoms) for kind in (Cylinder, Sphere, Box)]
    assert count == [10, 10, 5] and not any(g.visual for g in again.geoms)
    poses = geom_poses(again, Q)
    at = next(i for i, g in enumerate(again.geoms) if isinstance(g.shape, Cylinder))
    ends = np.array([[0.0, 0.0, 0.15, 1.0], [0.0, 0.0, -0.15, 1.0]]) @ poses[at].T
    assert_close(poses[at + 1 : at + 3, :3, 3], ends[:, :3], PEER)


def test_what_mjcf_cannot_hold_is_said() -> None:
    shapes = (Cone(0.1, 0.4), HalfSpace(), Mesh("a.dae"), Mesh("b.stl", part="lid"))
    fitted = for_mjcf(robot(*shapes))
    assert [n.split(" ", 1)[1] for n in fitted.notes] == [
        "cone became the cylinder around it",
        "mesh *.dae left out, which MuJoCo does not read",
        "part of a mesh left out, which MuJoCo does not read",
        "plane on a body that moves left out",
    ]
    assert sum(isinstance(g.shape, HalfSpace) for g in fitted.geoms) == 2  # on the base and on the world


def test_sdf_gives_the_same_shapes() -> None:
    planes = (HalfSpace(), HalfSpace((0.5, 0.25)))
    meshes = (Mesh("a.dae"), Mesh("b.stl", Vec3(1.0, 2.0, 0.5)), Mesh("c.dae", part="lid"))
    model = robot(*OF_MJCF[:-1], Cone(0.1, 0.4), *planes, *meshes, PYRAMID)
    fitted = for_sdf(model)
    on_world = len(model.geoms) // len(FRAMES)
    assert (
        fitted.notes[0] == f"{len(FRAMES) - 1} polyhedron left out"
        and "1 polyhedron in the world left out" in fitted.notes
    )
    assert sum(int(note.split()[0]) for note in fitted.notes) == on_world + len(FRAMES) - 1
    again = parse_model(write_sdf(replace(model, geoms=fitted.geoms)), "r.sdf")
    ours = sorted((repr(g.shape), g.visual, g.collision) for g in fitted.geoms)
    assert sorted((repr(g.shape), g.visual, g.collision) for g in again.geoms) == ours
    assert difference(replace(model, geoms=fitted.geoms), again) < PEER


def test_shapes_of_a_body_that_becomes_a_joint() -> None:
    bodies = (Body("base"), Body("cross", "base", Revolute()), Body("arm", "cross", Prismatic(), inertia=MASS))
    model = Model("r", bodies, geoms=(Geom("cross", Sphere(0.1)), Geom("arm", Sphere(0.2))))
    with pytest.warns(UnsupportedShape, match="mass"):
        again = parse_model(write_mjcf(model), "r.xml")
    assert [g.shape for g in again.geoms] == [Sphere(0.2)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A URDF file with meshes of one name in two folders, one of them by its package, and one that is missing."""
    home = tmp_path / "arm_description"
    for folder in ("urdf", "seen", "felt"):
        (home / folder).mkdir(parents=True)
    (home / "seen" / "m.obj").write_text(OBJ)
    (home / "felt" / "m.obj").write_text(OBJ.replace("v 1", "v 2"))

    def shape(tag: str, name: str) -> str:
        return f'<{tag}><geometry><mesh filename="{name}" scale="1 2 3"/></geometry></{tag}>'

    inside = shape("visual", "../seen/m.obj") + shape("collision", "package://arm_description/felt/m.obj")
    path = home / "urdf" / "arm.urdf"
    path.write_text(f'<robot name="arm"><link name="a">{inside}{shape("visual", "gone.obj")}</link></robot>')
    return path


@pytest.mark.parametrize("meshes", ["keep", "copy"])
@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
def test_meshes_are_found_from_the_new_file(
    source: Path, tmp_path: Path, suffix: str, meshes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target = folder / f"new{suffix}"
    assert main(["convert", str(source), str(target), "--meshes", meshes]) == 0
    shown = capsys.readouterr().out
    assert "✓ shapes" in shown and "1 meshes are not found" in shown and "gone.obj" in shown
    again = load_model(target)
    assert len(again.geoms) == (3 if suffix == ".urdf" else 2)
    text = target.read_text()
    if meshes == "copy":
        copies = {folder / "meshes" / "m.obj", folder / "meshes" / "felt_m.obj"}
        assert {mesh_file(g.shape) for g in again.geoms if isinstance(g.shape, Mesh)} - {None} == copies
        assert (folder / "meshes" / "felt_m.obj").read_text() == OBJ.replace("v 1", "v 2")
    elif suffix == ".urdf":
        assert "package://arm_description/felt/m.obj" in text and "../arm_description/seen/m.obj" in text
    else:
        mujoco = pytest.importorskip("mujoco")
        assert mujoco.MjModel.from_xml_path(str(target)).nmesh == 2


def test_saving_keeps_and_copies_meshes(source: Path, tmp_path: Path) -> None:
    arm = sixvec.load(source)
    target = tmp_path / "new.xml"
    with pytest.warns(UserWarning, match="meshes"):
        save(arm, target, meshes="copy")
    before = sorted((tmp_path / "meshes").iterdir())
    with pytest.warns(UserWarning, match="meshes"):
        save(arm, target, meshes="copy", overwrite=True)
    assert sorted((tmp_path / "meshes").iterdir()) == before and len(before) == 2
    with pytest.raises(ArgumentError, match=named("meshes", "move")):
        save(arm, tmp_path / "b.xml", meshes="move")  # type: ignore[arg-type]


def test_a_lost_shape_is_found_out() -> None:
    model = robot(*COMMON)
    assert difference(model, replace(model, geoms=model.geoms[1:])) == float("inf")
    other = replace(model.geoms[0], shape=Box(Vec3(0.1, 0.2, 0.4)))
    assert difference(model, replace(model, geoms=(other, *model.geoms[1:]))) > 0.01
    moved = replace(model.geoms[0], placement=model.geoms[0].placement @ Pose.translation(Vec3(0.1, 0.0, 0.0)))
    assert difference(model, replace(model, geoms=(moved, *model.geoms[1:]))) > 0.01


PUBLISHED = ("ur5_robot.urdf", "z1.urdf", "talos_left_arm.urdf", "go2.urdf")


@pytest.mark.parametrize("path", [f for f in published_urdf() if f.name in PUBLISHED], ids=lambda p: p.stem)
def test_published_robots_keep_their_shapes(path: Path, tmp_path: Path) -> None:
    model = load_model(path)
    save(model, tmp_path / "again.urdf")
    again = load_model(tmp_path / "again.urdf")
    assert len(again.geoms) == len(model.geoms) > 0 and difference(model, again) < PEER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(model, tmp_path / "again.xml")
    assert len(load_model(tmp_path / "again.xml").geoms) == len(for_mjcf(model).geoms)
    mujoco = pytest.importorskip("mujoco")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml")).ngeom == len(for_mjcf(model).geoms)


@pytest.mark.parametrize(
    ("suffix", "done"), [(".urdf", "keep their names"), (".sdf", "keep their names"), (".xml", "are left out")]
)
def test_meshes_that_are_not_found_are_counted_and_five_of_them_named(suffix: str, done: str, tmp_path: Path) -> None:
    arm = BUILT_IN["planar_2r"]()
    for count in (1, 5, 6):
        names = [f"m{k}.stl" for k in range(count)]
        bare = replace(arm, geoms=tuple(Geom("link1", Mesh(name)) for name in names))
        found = dressed(bare, tmp_path / f"arm{suffix}")
        listed = ", ".join(names[:5]) + (", …" if count > 5 else "")
        assert found.notes == (f"{count} meshes are not found and {done}: {listed}",)
        left = {g.shape.uri for g in found.model.geoms if isinstance(g.shape, Mesh)}
        assert left == (set() if suffix == ".xml" else {*names}) and not found.copies


def test_materials_of_one_name_keep_their_colours_and_share_what_is_equal() -> None:
    red, green = (Material("paint", color) for color in ((1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)))
    used = (red, green, green, red, green)
    geoms = tuple(Geom("link1", Sphere(0.1 + 0.1 * k), material=m, collision=False) for k, m in enumerate(used))
    text = write_urdf(replace(BUILT_IN["planar_2r"](), geoms=geoms))
    read = parse_model(text, "arm").geoms
    assert [g.material.color for g in read] == [m.color for m in used]
    assert len({g.material.name for g in read}) == 2


def test_every_shape_that_is_replaced_or_left_out_is_counted() -> None:
    part, textured = Mesh("m.obj", part="lid"), Material("t", None, "wood.png")
    shapes = (
        Capsule(0.1, 0.4),
        Ellipsoid(Vec3(0.1, 0.2, 0.3)),
        HalfSpace(),
        PYRAMID,
        part,
        Cone(0.1, 0.6),
        Sphere(0.2),
    )
    on_hand = Model(
        "dressed",
        BODIES,
        FRAMES,
        geoms=tuple(Geom("hand", s, name="g", material=textured) for s in (*shapes, Mesh("a.dae"))),
    )
    urdf = for_urdf(on_hand)
    assert urdf.notes == (
        "1 capsule became a cylinder with two spheres",
        "1 ellipsoid became the box around it",
        "1 plane left out",
        "1 polyhedron left out",
        "1 part of a mesh left out",
        "1 cone became the cylinder around it",
    )
    made = [(g.shape, g.placement.pos, g.name) for g in urdf.geoms if g.visual]
    assert made == [
        (Cylinder(0.1, 0.4), Vec3.zero(), "g"),
        (Sphere(0.1), Vec3(0.0, 0.0, 0.2), ""),
        (Sphere(0.1), Vec3(0.0, 0.0, -0.2), ""),
        (Box(Vec3(0.2, 0.4, 0.6)), Vec3.zero(), "g"),
        (Cylinder(0.1, 0.6), Vec3(0.0, 0.0, 0.3), "g"),
        (Sphere(0.2), Vec3.zero(), "g"),
        (Mesh("a.dae"), Vec3.zero(), "g"),
    ]
    assert [(g.visual, g.collision) for g in urdf.geoms] == [(True, False), (False, True)] * len(made)

    mjcf = for_mjcf(replace(on_hand, geoms=(*on_hand.geoms, Geom("hand", Mesh("package://none/a.obj")))))
    assert mjcf.notes == (
        "1 plane on a body that moves left out",
        "1 part of a mesh left out, which MuJoCo does not read",
        "1 cone became the cylinder around it",
        "1 mesh *.dae left out, which MuJoCo does not read",
        "1 mesh package://none/a.obj left out, which is not found",
        "5 texture left out",
    )
    assert [type(g.shape) for g in mjcf.geoms] == [Capsule, Ellipsoid, Polyhedron, Cylinder, Sphere]
    assert not any(g.material.texture for g in mjcf.geoms) and all(g.visual and g.collision for g in mjcf.geoms)

    outside = (Geom("corner", HalfSpace()), Geom("corner", PYRAMID), Geom("tip", PYRAMID), Geom("corner", Sphere(0.1)))
    sdf = for_sdf(replace(on_hand, geoms=(*outside, Geom("tip", Sphere(0.1), material=textured, collision=False))))
    assert sdf.notes == (
        "1 plane in the world left out",
        "1 polyhedron in the world left out",
        "1 polyhedron left out",
        "1 sphere in the world left out",
    )
    assert [(g.frame, g.visual, g.collision, g.material) for g in sdf.geoms] == [("tip", True, False, Material())]


def test_copies_of_one_name_get_longer_ones(tmp_path: Path) -> None:
    for folder in ("a/x", "b/x", "c/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "m.obj").write_text(OBJ.replace("v 1", f"v {ord(folder[0])}"))
    meshes = tuple(Geom("hand", Mesh(f"{n}/x/m.obj", folders=(str(tmp_path),))) for n in "abc")
    target = tmp_path / "new" / "r.urdf"
    target.parent.mkdir()
    found = dressed(Model("dressed", BODIES, FRAMES, geoms=meshes), target, "copy")
    assert [to.name for to in found.copies.values()] == ["m.obj", "x_m.obj", "x_m_.obj"] and not found.notes
    found.copy()
    assert [to.read_text() == path.read_text() for path, to in found.copies.items()] == [True] * 3
    assert len({to.read_text() for to in found.copies.values()}) == 3
    written = [g.shape.uri for g in found.model.geoms if g.visual and isinstance(g.shape, Mesh)]
    assert written == ["meshes/m.obj", "meshes/x_m.obj", "meshes/x_m_.obj"]


def test_planes_on_what_stands_still_are_kept() -> None:
    for frame, kept in (("corner", True), ("base", True), ("arm", False), ("tip", False)):
        assert bool(for_mjcf(Model("m", BODIES, FRAMES, geoms=(Geom(frame, HalfSpace()),))).geoms) == kept


def test_names_of_meshes_that_are_not_copied(tmp_path: Path) -> None:
    new, far = tmp_path / "a" / "b" / "new", tmp_path / "far.obj"
    near = tmp_path / "a" / "b" / "near.obj"
    uris = {".urdf": far.as_uri(), ".sdf": far.as_uri(), ".xml": far.as_posix()}
    for suffix, uri in uris.items():
        target = new / f"r{suffix}"
        assert _kept("near.obj", near, target) == "../near.obj" and _kept("far.obj", far, target) == uri
        package = _kept("package://x/near.obj", near, target)
        assert package == ("package://x/near.obj" if suffix == ".urdf" else "../near.obj")


STL_TEXT = "solid vertex\n" + "".join(
    "facet normal 0 0 0\nouter loop\n"
    + "".join(f"vertex {' '.join(str(x) for x in CORNERS[i])}\n" for i in face)
    + "endloop\nendfacet\n"
    for face in PYRAMID.triangles
)
"""The pyramid in a file that MuJoCo does not read."""


def with_text_mesh(folder: Path) -> sixvec.Robot:
    (folder / "pyramid.stl").write_text(STL_TEXT + "endsolid\n")
    mesh = '<visual><geometry><mesh filename="pyramid.stl"/></geometry></visual>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    (folder / "arm.urdf").write_text(
        f'<robot name="arm"><link name="base"/><link name="arm">{mesh}{mass}</link>'
        '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
        '<limit lower="0" upper="0" effort="1" velocity="1"/></joint></robot>'
    )
    return sixvec.load(folder / "arm.urdf")


def test_stl_as_text_is_converted_for_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    arm = with_text_mesh(tmp_path)
    (tmp_path / "out").mkdir()
    for _ in range(2):  # the copy is found again
        save(arm, tmp_path / "out" / "arm.xml", meshes="copy", overwrite=True)
    assert [path.name for path in (tmp_path / "out" / "meshes").iterdir()] == ["pyramid.stl"]
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "arm.xml"))
    assert (theirs.nmeshvert, theirs.nmeshface) == (4, 4)


def test_stl_as_text_is_left_out_for_mujoco_if_it_is_not_copied(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    arm = with_text_mesh(tmp_path)
    with pytest.warns(UserWarning, match=named("meshes", "pyramid.stl", "copy")):
        save(arm, tmp_path / "arm.xml")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml")).nmesh == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(arm, tmp_path / "arm.sdf")  # Gazebo reads text


def test_a_joint_that_cannot_move_cannot_move_in_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    save(with_text_mesh(tmp_path), tmp_path / "arm.xml", meshes="copy")
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    assert theirs.jnt_limited[0] and [*theirs.jnt_range[0]] == pytest.approx([0.0, 0.0], abs=1e-8)
    limits = sixvec.load(tmp_path / "arm.xml").model.moving[0].limits
    assert (limits.lower, limits.upper) == ((0.0,), (0.0,))
