"""Faces of more than three corners, and shapes whose mass is not that of a simple solid: never silently wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mjcf_peer import mujoco
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, parse_model
from sixvec.formats.mesh_file import stl
from sixvec.formats.obj_file import first_object, obj
from sixvec.formats.polygon import MOST_CORNERS, triangulated
from sixvec.formats.unsupported import UnsupportedPhysics
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


def mesh_robot(folder: Path, text: str, method: str) -> Path:
    """A file with one body that has the mass of an OBJ mesh."""
    (folder / "m.obj").write_bytes(text.encode())
    file = folder / "robot.xml"
    file.write_text(
        f'<mujoco><asset><mesh name="m" file="m.obj" inertia="{method}"/></asset><worldbody><body name="a"><freejoint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    return file


def faces_of_mujoco(file: Path) -> np.ndarray:
    """The triangles (m, 3, 3) of the only mesh, in the frame of its file."""
    theirs = mujoco.MjModel.from_xml_path(str(file))
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.mesh_quat[0])
    return np.asarray((theirs.mesh_vert @ R.reshape(3, 3).T + theirs.mesh_pos[0])[theirs.mesh_face])


def in_order(triangles: np.ndarray) -> np.ndarray:
    """Triangles sorted, each from its first corner on, with its orientation."""
    turned = []
    for t in np.round(triangles, 3) + 0.0:
        first = min(range(3), key=lambda i: tuple(t[i]))
        turned.append([*np.roll(t, -first, axis=0).ravel()])
    return np.array(sorted(turned))


def polygon(rng: np.random.Generator) -> np.ndarray:
    """Flat or not, convex, star-shaped, crossing itself or any, in any plane, near the origin or not."""
    n, kind = int(rng.integers(4, 12)), rng.choice(["convex", "star", "bent", "any", "crossing"])
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, n))
    radius = np.ones(n) if kind == "convex" else rng.uniform(0.3, 1.0, n)
    corners = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)], axis=1)
    if kind == "bent":
        corners[:, 2] = 0.2 * rng.normal(size=n)
    if kind == "any":
        corners = rng.normal(size=(n, 3))
    if kind == "crossing":
        corners = rng.permutation(corners)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] if rng.integers(2) else np.eye(3)
    return np.round(corners @ turn + rng.normal(size=3) * rng.integers(2), 2)


TETRAHEDRON = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]


def tetrahedron(at: float, size: float, first: int) -> tuple[str, str]:
    """The lines of its vertices and of its faces; `first` is the number of its first vertex."""
    corners = [(at, 0, 0), (at + size, 0, 0), (at, size, 0), (at, 0, size)]
    faces = [" ".join(str(first + i) for i in face) for face in TETRAHEDRON]
    return "".join(f"v {x} {y} {z}\n" for x, y, z in corners), "".join(f"f {face}\n" for face in faces)


@pytest.mark.parametrize("seed", range(60))
def test_polygons_are_cut_as_mujoco_cuts_them(seed: int, tmp_path: Path) -> None:
    """Face by face.  The enclosed volume of a face that is not flat depends on it."""
    corners = polygon(np.random.default_rng(seed))
    solid = tetrahedron(5.0, 1.0, len(corners) + 1)
    lines = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    text = f"{lines}{solid[0]}f {' '.join(str(i + 1) for i in range(len(corners)))}\n{solid[1]}"
    ours, theirs = first_object(text.encode()), faces_of_mujoco(mesh_robot(tmp_path, text, "shell"))
    assert len(ours.triangles) == len(theirs)
    assert np.abs(in_order(ours.vertices[ours.triangles]) - in_order(theirs)).max() < 2e-3  # thousandths are rounded


@pytest.mark.parametrize("n", [5, 8, 300])
def test_a_convex_polygon_is_covered_once(n: int) -> None:
    """The areas add up to that of the polygon: a law that needs no other reader."""
    angle = (np.arange(n) + 0.3) * 2.0 * np.pi / n
    corners = np.stack([np.cos(angle), np.sin(angle), 0.5 * np.cos(angle)], axis=1)
    triangles = triangulated(corners)
    parts = [np.cross(corners[j] - corners[i], corners[k] - corners[i]) / 2.0 for i, j, k in triangles]
    assert len(triangles) == n - 2
    whole = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0) / 2.0
    assert_close(np.sum(parts, axis=0), whole, 1e-12, batched=False)
    assert np.linalg.norm(parts, axis=1).sum() == pytest.approx(float(np.linalg.norm(whole)), rel=1e-12)


def test_a_face_of_too_many_corners_raises() -> None:
    with pytest.raises(ValueError, match="face"):
        triangulated(np.random.default_rng(1).normal(size=(MOST_CORNERS + 1, 3)))


SEPARATORS = {
    "o second": 1,
    "g second": 1,
    "  g second": 1,
    "o\tsecond": 1,
    "g ": 1,
    "g": 2,
    "o": 2,
    "usemtl second": 2,
}
"""For each line between two solids, how many of them MuJoCo reads."""


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize("method", ["legacy", "exact", "shell", "convex"])
@pytest.mark.parametrize("separator", SEPARATORS)
def test_of_several_objects_the_first_counts(separator: str, method: str, tmp_path: Path) -> None:
    first, second = tetrahedron(0.0, 1.0, 1), tetrahedron(5.0, 2.0, 5)
    text = f"o first\n{first[0]}{first[1]}{second[0]}{separator}\n{second[1]}"
    file = mesh_robot(tmp_path, text, method)
    inertia, theirs = load_model(file).bodies[0].inertia, mujoco.MjModel.from_xml_path(str(file))
    assert_close([inertia.mass], theirs.body_mass[1:], 1e-6, batched=False)
    assert_close(moments(inertia), np.sort(theirs.body_inertia[1]), 1e-6, batched=False)
    assert len(first_object(text.encode()).triangles) == 4 * SEPARATORS[separator]
    assert len(obj(text.encode()).triangles) == 8


def test_further_objects_are_reported(tmp_path: Path) -> None:
    first, second = tetrahedron(0.0, 1.0, 1), tetrahedron(5.0, 2.0, 5)
    file = mesh_robot(tmp_path, f"o first\n{first[0]}{first[1]}{second[0]}o second\n{second[1]}", "exact")
    with pytest.warns(UnsupportedPhysics, match=named("mesh", "m", "MuJoCo")):
        load_model(file)


CROSSING = {
    "bow": [(0, 0), (2, 2), (2, 0), (0, 1)],
    "knot": [(-0.347, 0.581), (-0.234, -0.302), (-0.758, -0.61), (-0.141, -0.713), (0.07, 0.715), (-0.902, 0.26)],
    "star": [(1, 0), (-0.81, 0.59), (0.31, -0.95), (0.31, 0.95), (-0.81, -0.59)],
}


@pytest.mark.parametrize("case", CROSSING)
def test_a_face_that_crosses_itself_is_read_and_reported(case: str, tmp_path: Path) -> None:
    outline = CROSSING[case]
    corners, faces = tetrahedron(3.0, 1.0, len(outline) + 1)
    face = " ".join(str(i + 1) for i in range(len(outline)))
    text = f"{''.join(f'v {x} {y} 0.5{chr(10)}' for x, y in outline)}{corners}f {face}\n{faces}"
    with pytest.warns(UnsupportedPhysics, match="their"):
        inertia = load_model(mesh_robot(tmp_path, text, "shell")).bodies[0].inertia
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    assert_close([inertia.mass], theirs.body_mass[1:], 1e-6, batched=False)


LINES = {
    "face before its vertices": lambda v, f: f"{f}{v}",
    "two corners": lambda v, f: f"{v}{f}f 1 2\n",
    "from the end": lambda v, f: f"{v}{f.replace('f 1 3 2', 'f -4 -2 -3')}",
    "old line ends": lambda v, f: f"{v}{f}".replace("\n", "\r"),
    "points in a group": lambda v, f: f"{v}g dots\np 1\ng solid\n{f}",
    "points": lambda v, f: f"{v}o dots\np 1\no solid\n{f}v 2 2 2\n",
    "no faces": lambda v, f: v,
    "vertex 0": lambda v, f: f"{v}{f}f 0 1 2\n",
    "vertex 9": lambda v, f: f"{v}{f}f 1 2 9\n",
    "vertex -9": lambda v, f: f"{v}{f}f 1 2 -9\n",
    "comment in a face": lambda v, f: f"{v}{f}f 1 2 3 # lid\n",
}


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
@pytest.mark.parametrize("case", LINES)
def test_odd_lines_are_read_as_by_mujoco(case: str, tmp_path: Path) -> None:
    file = mesh_robot(tmp_path, LINES[case](*tetrahedron(0.0, 1.0, 1)), "exact")
    try:
        theirs = mujoco.MjModel.from_xml_path(str(file)).body_mass[1:]
    except ValueError:
        with pytest.raises(FileFormatError):
            load_model(file)
    else:
        assert_close([load_model(file).bodies[0].inertia.mass], theirs, 1e-6, batched=False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("v 1 2", "fewer than 3 numbers"),
        ("v a b c", "could not convert"),
        ("v 1_0 0 0", "underscore"),
        ("v nan 0 0", "finite"),
        ("f 1.0 2 3", named("1.0")),
    ],
)
def test_what_is_no_number_raises(line: str, message: str) -> None:
    """MuJoCo guesses a number."""
    with pytest.raises(ValueError, match=message):
        obj(f"{''.join(tetrahedron(0.0, 1.0, 1))}{line}\n".encode())


def test_a_mark_of_the_byte_order_hides_no_vertex() -> None:
    text = "".join(tetrahedron(0.0, 1.0, 1)).encode()
    assert np.array_equal(obj(b"\xef\xbb\xbf" + text).vertices, obj(text).vertices)


def test_loops_of_stl_text_are_triangles() -> None:
    loop = b"outer loop vertex 0 0 0 vertex 4 0 0 vertex 1 1 0 endloop"
    # Names that contain words of the format, and lines that hold several, are where other readers lose numbers.
    surface = stl(b"solid vertex facet normal 0 0 1 " + loop + b" endfacet endsolid")
    assert surface.vertices.tolist() == [[0, 0, 0], [4, 0, 0], [1, 1, 0]]
    with pytest.raises(ValueError, match="each"):
        stl(b"solid s facet normal 0 0 1 " + loop.replace(b" endloop", b" vertex 0 4 0 endloop") + b" endsolid")
    with pytest.raises(ValueError, match="loop"):
        stl(b"solid s facet outer loop vertex 0 0 0 vertex 1 0 0 endsolid")
    with pytest.raises(ValueError, match="could not convert"):
        stl(b"solid s facet outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 endloop")


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
def test_a_distance_function_raises_where_its_mass_matters() -> None:
    with pytest.raises(FileFormatError, match=named("nut", "plugin", "mesh", "inertial")):
        parse_model(distance_function('mesh="nut"'), "nut.xml")
    inertial = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    assert parse_model(distance_function('mesh="nut"', inertial), "nut.xml").bodies[0].inertia.mass == 2.0
    assert parse_model(distance_function('mesh="nut" mass="0"'), "nut.xml").bodies[0].inertia.mass == 0.0
    head = '<compiler inertiagrouprange="0 2"/>'
    assert parse_model(distance_function('mesh="nut" group="3"', "", head), "nut.xml").bodies[0].inertia.mass == 0.0
    with pytest.raises(FileFormatError, match="mesh"):
        parse_model(distance_function(""), "nut.xml")


def test_a_distance_function_of_a_mesh_weighs_what_that_holds(tmp_path: Path) -> None:
    text = distance_function('mesh="m" pos="1 0 0"').replace('<mesh name="nut"><plugin instance="nut"/></mesh>', "")
    theirs, inertia = mujoco.MjModel.from_xml_string(text), parse_model(text, "m.xml").bodies[0].inertia
    assert_close([inertia.mass], theirs.body_mass[1:], 1e-6, batched=False)
    assert_close([*inertia.center], theirs.body_ipos[1], 1e-6, batched=False)
