"""Faces of more than three corners, and shapes whose mass is not that of a simple solid: never silently wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mjcf_peer import mujoco
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, mesh_file, parse_model
from sixvec.formats.mesh_file import obj, stl, triangulated
from sixvec.spatial import RigidInertia
from tolerances import PEER, assert_close

L = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
"""Three unit squares."""


def prism(outline: list[tuple[float, float]], start: int = 0) -> str:
    """An OBJ file of a prism of height 1, its lids beginning at the corner `start`."""
    n = len(outline)
    lines = [f"v {x} {y} {z}" for z in (0, 1) for x, y in outline]
    ring = [(start + i) % n for i in range(n)]
    lines.append("f " + " ".join(str(i + 1) for i in reversed(ring)))
    lines.append("f " + " ".join(str(i + 1 + n) for i in ring))
    lines += [f"f {i + 1} {(i + 1) % n + 1} {(i + 1) % n + 1 + n} {i + 1 + n}" for i in range(n)]
    return "\n".join(lines)


def moments(inertia: RigidInertia) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = inertia.about_center
    return np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@pytest.mark.parametrize("method", ["legacy", "exact", "shell"])
@pytest.mark.parametrize("start", range(len(L)))
def test_a_concave_prism_weighs_what_it_holds(start: int, method: str, tmp_path: Path) -> None:
    (tmp_path / "l.obj").write_text(prism(L, start))
    file = tmp_path / "robot.xml"
    file.write_text(
        f'<mujoco><asset><mesh name="l" file="l.obj" inertia="{method}"/></asset><worldbody><body name="a"><freejoint/>'
        '<geom type="mesh" mesh="l" density="1"/></body></worldbody></mujoco>'
    )
    inertia = load_model(file).bodies[0].inertia
    assert inertia.mass == pytest.approx(14.0 if method == "shell" else 3.0, rel=1e-14)
    if method != "shell":
        assert_close([*inertia.center], [5 / 6, 5 / 6, 0.5], 1e-14, batched=False)
        # Three unit cubes at distances from the common centre, by the parallel-axis theorem.
        far = np.array([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]]) - 5 / 6
        assert inertia.about_center.zz == pytest.approx(3 / 6 + (far**2).sum(), rel=1e-13)
    theirs = mujoco.MjModel.from_xml_path(str(file))
    assert_close([inertia.mass], theirs.body_mass[1:], 1e-6, batched=False)  # its vertices are in single precision
    assert_close(moments(inertia), np.sort(theirs.body_inertia[1]), 1e-6, batched=False)


def area(corners: np.ndarray, triangles: list[tuple[int, int, int]]) -> float:
    a, b, c = (corners[[t[i] for t in triangles]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0


def test_triangles_cover_a_polygon_once() -> None:
    """The areas add up to that of the polygon, and their vectors to its: no two overlap, none is turned round."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(4, 30))
        angle = (np.arange(n) + rng.uniform(0.0, 0.9, n)) * 2.0 * np.pi / n
        radius = rng.uniform(0.1, 1.0, n)
        flat = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)], axis=1)
        corners = flat @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + rng.normal(size=3)
        triangles = triangulated(corners)
        vector = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0) / 2.0
        parts = [np.cross(corners[j] - corners[i], corners[k] - corners[i]) / 2.0 for i, j, k in triangles]
        assert len(triangles) == n - 2
        assert_close(np.sum(parts, axis=0), vector, 1e-12, batched=False)
        assert area(corners, triangles) == pytest.approx(float(np.linalg.norm(vector)), rel=1e-12)


def test_odd_polygons() -> None:
    slit = [[0, 0], [3, 0], [3, 3], [0, 3], [0, 0], [1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
    ring = np.array([[*p, 0] for p in slit], float)
    assert area(ring, triangulated(ring)) == pytest.approx(8.0)
    line = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], float)
    assert area(line, triangulated(line)) == 0.0 or not triangulated(line)
    with_straight_corner = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 2, 0], [1, 0.5, 0]], float)
    assert area(with_straight_corner, triangulated(with_straight_corner)) == pytest.approx(1.5)
    for crossing in ([[0, 0], [1, 1], [1, 0], [0, 1]], [[0, 0], [2, 0], [2, 2], [1, -1], [0, 2]]):
        with pytest.raises(ValueError, match="crosses itself"):
            triangulated(np.array([[*p, 0] for p in crossing], float))
    star = np.arange(5) * 0.8 * np.pi
    with pytest.raises(ValueError, match="crosses itself"):
        triangulated(np.stack([np.cos(star), np.sin(star), 0.0 * star], axis=1))


FIRST, SECOND = [(0, 1, 2), (0, 2, 3)], [(0, 1, 3), (1, 2, 3)]


@pytest.mark.parametrize(
    ("corners", "triangles"),
    [
        ([[0, 0], [1, 0], [0, 1]], [(0, 1, 2)]),
        ([[0, 0], [3, 0], [2, 1], [0, 1]], FIRST),
        ([[0, 0], [2, 0], [3, 1], [0, 1]], SECOND),
        ([[0, 0], [4, 0], [1, 1], [0, 4]], FIRST),
        ([[4, 0], [1, 1], [0, 4], [0, 0]], SECOND),
        ([[0, 0], [4, 0], [5, 2], [2, 4], [-1, 2]], [(0, 1, 2), (0, 2, 3), (0, 3, 4)]),
        ([[1, 1]] * 4, []),
        ([[0, 0], [1, 0], [2, 0], [1, 0]], []),
    ],
)
def test_triangles_of_small_polygons(corners: list[list[float]], triangles: list[tuple[int, int, int]]) -> None:
    """In any plane and at any size."""
    flat = np.array([[*p, 0] for p in corners], float)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    for size in (1e-4, 1.0, 1e4):
        assert triangulated(size * flat) == triangles
        assert triangulated(size * flat @ (turn * np.linalg.det(turn)) + size) == triangles


def test_polygons_that_are_none() -> None:
    assert triangulated(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)) == SECOND  # equal diagonals
    for few in range(3):
        with pytest.raises(ValueError, match=f"a face has {few} corners; it needs 3"):
            triangulated(np.zeros((few, 3)))
    bow = np.array([[0, 0, 0], [2, 2, 0], [2, 0, 0], [0, 2, 0], [0, 1, 0]], float)
    with pytest.raises(ValueError, match="a face with 5 corners crosses itself"):
        triangulated(bow)
    far = np.arange(mesh_file.MOST_CORNERS + 1) * 2.0 * np.pi / (mesh_file.MOST_CORNERS + 1)
    radius = np.where(np.arange(len(far)) % 2, 1.0, 0.9)
    with pytest.raises(ValueError, match="a face that is not convex has"):
        triangulated(np.stack([radius * np.cos(far), radius * np.sin(far), 0.0 * far], axis=1))


def test_a_quadrilateral_that_is_not_flat_is_cut_as_mujoco_does(tmp_path: Path) -> None:
    """Its two cuts enclose different volumes."""
    text = "v 0 0 0\nv 1 0 0\nv 1 1.5 0\nv 0 1 0\nv 0 0 1\nv 1 0 1.2\nv 1 1.5 0.7\nv 0 1 1\n"
    text += "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    (tmp_path / "m.obj").write_text(text)
    file = tmp_path / "robot.xml"
    file.write_text(
        '<mujoco><asset><mesh name="m" file="m.obj" inertia="exact"/></asset><worldbody><body name="a"><freejoint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    theirs = mujoco.MjModel.from_xml_path(str(file))
    assert_close([load_model(file).bodies[0].inertia.mass], theirs.body_mass[1:], 1e-6, batched=False)


def test_polygons_of_text() -> None:
    loop = b"outer loop vertex 0 0 0 vertex 4 0 0 vertex 1 1 0 vertex 0 4 0 endloop"
    surface = stl(b"solid s facet normal 0 0 1 " + loop + b" endfacet endsolid")
    assert area(surface.vertices, [tuple(t) for t in surface.triangles]) == pytest.approx(4.0)  # type: ignore[misc]
    with pytest.raises(ValueError, match="2 corners"):
        obj(b"v 0 0 0\nv 1 0 0\nf 1 2")


HFIELD = '<hfield name="hill" nrow="2" ncol="2" size="1 2 3 0.7" elevation="0 0 1 1"/>'


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")  # their shapes
@pytest.mark.parametrize("given", ["", 'mass="3"', 'density="7"', 'mass="0"'])
def test_a_terrain_weighs_what_mujoco_says(given: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(
        f'<mujoco><asset>{HFIELD}</asset><worldbody><body name="a"><freejoint/><geom size="0.1" pos="0 1 0"/>'
        f'<geom type="hfield" hfield="hill" pos="1 0 0" euler="10 20 30" {given}/></body></worldbody></mujoco>'
    )
    theirs, inertia = mujoco.MjModel.from_xml_path(str(file)), load_model(file).bodies[0].inertia
    assert_close([inertia.mass], theirs.body_mass[1:], PEER, batched=False)
    assert_close([*inertia.center], theirs.body_ipos[1], PEER, batched=False)
    assert_close(moments(inertia), np.sort(theirs.body_inertia[1]), PEER, batched=False)


def distance_function(geom: str, body: str = "", head: str = "") -> str:
    plugin = '<mesh name="nut"><plugin instance="nut"/></mesh><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
    return (
        f"<mujoco>{head}<asset>{plugin}</asset><worldbody><body name='a'><freejoint/>{body}"
        f'<geom type="sdf" {geom}/></body></worldbody></mujoco>'
    )


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")  # their shapes
def test_a_distance_function_is_refused_where_its_mass_matters() -> None:
    with pytest.raises(FileFormatError, match=r'plugin makes of the mesh "nut".*<inertial>'):
        parse_model(distance_function('mesh="nut"'), "nut.xml")
    inertial = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    assert parse_model(distance_function('mesh="nut"', inertial), "nut.xml").bodies[0].inertia.mass == 2.0
    assert parse_model(distance_function('mesh="nut" mass="0"'), "nut.xml").bodies[0].inertia.mass == 0.0
    head = '<compiler inertiagrouprange="0 2"/>'
    assert parse_model(distance_function('mesh="nut" group="3"', "", head), "nut.xml").bodies[0].inertia.mass == 0.0
    with pytest.raises(FileFormatError, match="mesh is missing"):
        parse_model(distance_function(""), "nut.xml")


def test_a_distance_function_of_a_mesh_weighs_what_that_holds(tmp_path: Path) -> None:
    text = distance_function('mesh="m" pos="1 0 0"').replace('<mesh name="nut"><plugin instance="nut"/></mesh>', "")
    theirs, inertia = mujoco.MjModel.from_xml_string(text), parse_model(text, "m.xml").bodies[0].inertia
    assert_close([inertia.mass], theirs.body_mass[1:], 1e-6, batched=False)
    assert_close([*inertia.center], theirs.body_ipos[1], 1e-6, batched=False)
