"""Surfaces of shapes: closed, turned outward, of the right volume; meshes from files, good and bad."""

from __future__ import annotations

import struct
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec import Robot, load
from sixvec.cli.main import main
from sixvec.errors import FileFormatError
from sixvec.formats.mesh_file import stl
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model.geom import Geom, HalfSpace, Mesh, Polyhedron
from sixvec.spatial import Vec3
from sixvec.viz import draw_robot, scene
from sixvec.viz.pieces import pieces
from sixvec.viz.triangles import AROUND, FLOOR, triangles

TETRAHEDRON = (Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
STL = b"solid s " + b" ".join(
    b"facet normal 0 0 0 outer loop vertex %s vertex %s vertex %s endloop endfacet" % corners
    for corners in (
        (b"0 0 0", b"0 1 0", b"1 0 0"), (b"0 0 0", b"1 0 0", b"0 0 1"),
        (b"0 0 0", b"0 0 1", b"0 1 0"), (b"1 0 0", b"0 1 0", b"0 0 1"),
    )
)  # fmt: skip


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """By the divergence theorem: right only for a closed surface that is turned outward."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize(
    "shape",
    [Box(Vec3(1.0, 2.0, 3.0)), Sphere(0.5), Ellipsoid(Vec3(0.1, 0.2, 0.3)), Cylinder(0.3, 1.0), Capsule(0.2, 0.7),
     Cone(0.4, 1.2)],
)  # fmt: skip
def test_solids_are_closed_and_of_their_volume(shape: Box) -> None:
    assert volume(*triangles(shape)) == pytest.approx(float(shape.volume), rel=0.04)


def test_polyhedra_and_their_hulls() -> None:
    pytest.importorskip("scipy")
    assert volume(*triangles(Polyhedron(TETRAHEDRON))) == pytest.approx(1 / 6)
    floor = triangles(HalfSpace((2.0, 3.0)))
    assert np.ptp(floor.vertices, axis=0).tolist() == [2.0, 3.0, 0.0]


def test_meshes_of_files_scaled_and_mirrored(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(STL)
    mesh = Mesh("part.stl", folders=(str(tmp_path),))
    assert volume(*triangles(mesh)) == pytest.approx(1 / 6)
    assert volume(*triangles(replace(mesh, scale=Vec3(2.0, -1.0, 1.0)))) == pytest.approx(2 / 6)


def test_a_mesh_outside_of_the_folders_is_named_as_such_and_converting_says_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("meshes", "results/out"):
        (tmp_path / folder).mkdir(parents=True)
    surface = stl(STL)
    corners = surface.vertices[surface.triangles].reshape(-1, 9)  # MuJoCo reads binary files only
    packed = b"".join(struct.pack("<12fH", 0, 0, 0, *each, 0) for each in corners)
    (tmp_path / "meshes" / "part.stl").write_bytes(bytes(80) + struct.pack("<I", len(corners)) + packed)
    shape = '<visual><geometry><mesh filename="meshes/part.stl"/></geometry></visual>'
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="a">{shape}</link></robot>')
    written = tmp_path / "results" / "out" / "arm.xml"
    assert main(["convert", str(tmp_path / "arm.urdf"), str(written)]) == 0
    allowed = f'folders=["{tmp_path / "meshes"}"]'
    assert f"note: its meshes are in other folders: load it with {allowed}" in capsys.readouterr().out
    with pytest.raises(FileFormatError, match="folders") as problem:
        triangles(load(written).model.geoms[0].shape)
    assert allowed in str(problem.value)
    assert len(triangles(load(written, folders=[tmp_path / "meshes"]).model.geoms[0].shape).faces) == 4
    assert main(["convert", str(tmp_path / "arm.urdf"), str(written), "--force", "--meshes", "copy"]) == 0
    assert "other folders" not in capsys.readouterr().out


@pytest.mark.parametrize(("name", "content"), [("part.stl", b""), ("part.dae", b"<xml/>"), ("part.msh", b"")])
def test_garbage_is_called_no_mesh_in_words_of_the_user(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match="mesh") as problem:
        triangles(Mesh(name, folders=(str(tmp_path),)))
    assert "unpack" not in str(problem.value) and "NoneType" not in str(problem.value)


def test_warnings_name_the_line_of_the_user() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    robot = Robot(replace(load("planar_2r").model, geoms=(Geom("link1", Mesh("nowhere.stl")),)))
    with pytest.warns(UserWarning, match=named("nowhere.stl")) as caught:
        draw_robot(robot, [0.0, 0.0], scene(Figure()))
    assert caught[0].filename == __file__


def test_a_mesh_that_is_none_or_missing_leaves_a_skeleton(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"not a mesh")
    (tmp_path / "part.dae").write_bytes(b"<xml/>")
    model = load("planar_2r").model
    for name in ("part.stl", "part.dae", "nowhere.stl"):
        mesh = Mesh(name, folders=(str(tmp_path),))
        with pytest.raises(FileFormatError, match=named(name)):
            triangles(mesh)
        dressed = replace(model, geoms=(Geom("link1", mesh),))
        with pytest.warns(UserWarning, match=named(name)):
            assert {p.frame for p in pieces(dressed)} == {"base", "link1", "link2"}


def test_shapes_for_contacts_replace_visual_ones_that_are_missing() -> None:
    model = load("planar_2r").model
    seen = [Geom(frame, Mesh("nowhere.stl"), collision=False) for frame in ("link1", "link2")]
    touched = [Geom(frame, Sphere(0.1), visual=False) for frame in ("link1", "link2")]
    with pytest.warns(UserWarning, match=named("nowhere.stl")):
        found = pieces(replace(model, geoms=(*seen, *touched)))
    assert [p.frame for p in found] == ["link1", "link2"]
    partly = (*seen, Geom("base", Sphere(0.1)))
    with pytest.warns(UserWarning, match=named("nowhere.stl")):
        assert {p.frame for p in pieces(replace(model, geoms=partly))} == {"base", "link1", "link2"}


def distance(shape: Any, p: np.ndarray) -> np.ndarray:
    """Of points to the surface, where it is round; zero on the flat ends."""
    across, z = np.hypot(p[:, 0], p[:, 1]), p[:, 2]
    match shape:
        case Sphere(radius):
            return np.linalg.norm(p, axis=1) - radius
        case Ellipsoid(axes):
            return np.linalg.norm(p / np.array([*axes]), axis=1) - 1.0
        case Cylinder(radius, length):
            return np.minimum(np.abs(across - radius), across) + np.abs(np.abs(z) - length / 2)
        case Cone(radius, height):
            return np.minimum(np.abs(across - radius * (1.0 - z / height)), across + np.abs(z))
        case Capsule(radius, length):
            beyond = np.maximum(np.abs(z) - length / 2, 0.0)
            return np.hypot(across, beyond) - radius
        case _:
            return np.abs(np.abs(p) - np.array([*shape.size]) / 2).max(axis=1)


@pytest.mark.parametrize(
    ("shape", "low", "high", "faces"),
    [
        (Box(Vec3(1.0, 2.0, 3.0)), (-0.5, -1.0, -1.5), (0.5, 1.0, 1.5), 12),
        (Sphere(0.5), (-0.5,) * 3, (0.5,) * 3, AROUND * AROUND),
        (Ellipsoid(Vec3(0.5, 1.0, 2.0)), (-0.5, -1.0, -2.0), (0.5, 1.0, 2.0), AROUND * AROUND),
        (Cylinder(0.5, 3.0), (-0.5, -0.5, -1.5), (0.5, 0.5, 1.5), 4 * AROUND),
        (Capsule(0.5, 3.0), (-0.5, -0.5, -2.0), (0.5, 0.5, 2.0), AROUND * (AROUND + 2)),
        (Cone(0.5, 3.0), (-0.5, -0.5, 0.0), (0.5, 0.5, 3.0), 2 * AROUND),
    ],
)
def test_corners_lie_on_the_surface(shape: Any, low: Any, high: Any, faces: int) -> None:
    """All triangles together are closed: their areas as vectors add up to zero, and point outward."""
    found = triangles(shape)
    used = found.vertices[np.unique(found.faces)]
    assert np.allclose(used.min(axis=0), low) and np.allclose(used.max(axis=0), high)
    assert len(found.faces) == faces and np.abs(distance(shape, used)).max() < 1e-12
    a, b, c = (found.vertices[found.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert np.abs(normals.sum(axis=0)).max() < 1e-12
    middle = (np.array(low) + np.array(high)) / 2
    assert (np.einsum("ij,ij->i", normals, (a + b + c) / 3 - middle) > -1e-12).all()


def test_floors_and_hulls_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (AROUND, FLOOR) == (24, 4.0)
    for size, half in (((2.0, 3.0), (1.0, 1.5)), ((0.0, 3.0), (FLOOR / 2, 1.5)), ((0.0, 0.0), (FLOOR / 2, FLOOR / 2))):
        floor = triangles(HalfSpace(size))
        assert np.allclose(floor.vertices.max(axis=0), (*half, 0.0))
        assert np.allclose(floor.vertices.min(axis=0), (-half[0], -half[1], 0.0))
        a, b, c = (floor.vertices[floor.faces[:, k]] for k in range(3))
        assert np.allclose(np.cross(b - a, c - a).sum(axis=0) / 2, [0.0, 0.0, 4.0 * half[0] * half[1]])
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    box = triangles(Polyhedron(TETRAHEDRON))
    assert np.allclose(box.vertices.min(axis=0), 0.0) and np.allclose(box.vertices.max(axis=0), 1.0)
    assert volume(*box) == pytest.approx(1.0)
