"""Automatic inertia of SDF from meshes: what the triangles enclose, or a warning that names link and substitute."""

from __future__ import annotations

import struct
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mjcf_peer import mujoco
from naming import named
from sdf_files import model
from sixvec.errors import FileFormatError
from sixvec.formats import load_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.spatial import RigidInertia
from tolerances import IDENTITY, PEER, assert_close

Array = NDArray[np.floating]
TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
QUADS = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
CORNERS = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
BOX = CORNERS, [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def obj(vertices: Array, triangles: list[tuple[int, int, int]]) -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    return "\n".join(lines).encode()


def binary_stl(vertices: Array, triangles: list[tuple[int, int, int]]) -> bytes:
    faces = [struct.pack("<12fH", 0, 0, 0, *vertices[[*t]].ravel(), 0) for t in triangles]
    return b"solid or not".ljust(80) + struct.pack("<I", len(faces)) + b"".join(faces)


def text_stl(vertices: Array, triangles: list[tuple[int, int, int]]) -> bytes:
    def facet(t: tuple[int, int, int]) -> str:
        corners = "".join(f"  vertex {x} {y} {z}\n" for x, y, z in vertices[[*t]])
        return f"facet normal 0 0 0\n outer loop\n{corners} endloop\nendfacet\n"

    return f"solid s\n{''.join(map(facet, triangles))}endsolid s\n".encode()


FORMATS = {"binary.stl": binary_stl, "text.stl": text_stl, "m.OBJ": obj}


def link(shape: str, inertial: str = "") -> str:
    pose = "<pose>1 2 3 .1 .2 .3</pose>"
    return (
        f'<link name="hand"><inertial auto="true">{inertial}</inertial>'
        f'<collision name="c">{pose}<geometry>{shape}</geometry></collision></link>'
    )


def of(folder: Path, shape: str, inertial: str = "") -> RigidInertia:
    file = folder / "robot.sdf"
    file.write_text(model(link(shape, inertial), version="1.11"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return load_model(file).bodies[-1].inertia


def mesh(uri: str, more: str = "") -> str:
    return f"<mesh><uri>{uri}</uri>{more}</mesh>"


@pytest.mark.parametrize("given", ["", "<density>3</density>", "<mass>5</mass>"])
@pytest.mark.parametrize("scale", ["1 2 3", "-1 2 3", "-1 -2 3"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_box_of_triangles_is_a_box(name: str, scale: str, given: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMATS[name](*BOX))
    found = of(tmp_path, mesh(name, f"<scale>{scale}</scale>"), given)
    expected = of(tmp_path, "<box><size>1 2 3</size></box>", given)
    assert_close([*found], [*expected], IDENTITY, batched=False)
    assert found.mass == pytest.approx({"": 6000.0, "<mass>5</mass>": 5.0}.get(given, 18.0), rel=1e-12)


def test_a_tetrahedron_is_mujocos(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_bytes(obj(*TETRAHEDRON))
    file = tmp_path / "robot.sdf"
    file.write_text(model(link(mesh("m.obj")).replace("<pose>1 2 3 .1 .2 .3</pose>", ""), version="1.11"))
    found = load_model(file).bodies[-1].inertia
    theirs = mujoco.MjModel.from_xml_string(
        '<mujoco><asset><mesh name="m" inertia="exact" vertex="0 0 0 1 0 0 0 1 0 0 0 1" '
        'face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body>'
        "</worldbody></mujoco>"
    )
    xx, xy, xz, yy, yz, zz = found.about_center
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert_close([found.mass, *found.center], [theirs.body_mass[1], *theirs.body_ipos[1]], PEER, batched=False)
    assert_close(moments, np.sort(theirs.body_inertia[1]), PEER, batched=False)


def test_a_mesh_of_an_included_model_is_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "part"
    folder.mkdir(parents=True)
    (folder / "m.obj").write_bytes(obj(*BOX))
    (folder / "model.sdf").write_text(model(link(mesh("m.obj")), "part", version="1.11"))
    (tmp_path / "world").mkdir()
    file = tmp_path / "world" / "robot.sdf"
    for merge in ("", ' merge="true"'):
        file.write_text(model(f"<include{merge}><uri>model://part</uri></include>", version="1.11"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = load_model(file, folders=[tmp_path / "models"])
        assert found.bodies[-1].inertia.mass == pytest.approx(1000.0, rel=1e-12)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (mesh("nothing.stl"), "nothing.stl, which is not in the folders"),
        (mesh("../../secret.obj"), "secret.obj, which is not in the folders"),
        (mesh("package://arm/m.obj"), "package://arm/m.obj, which is not in the folders"),
        (mesh("m.dae"), "m.dae, which is not .stl or .obj"),
        (mesh("m.obj", "<submesh><name>a</name></submesh>"), "submesh of m.obj"),
        ("<plane><normal>0 0 1</normal></plane>", "plane"),
    ],
)
@pytest.mark.parametrize(
    ("inertial", "substitute", "mass"),
    [("", "it has 1 kg and 1 kg·m²", 1.0), ("<mass>7</mass>", "it has 7 kg and 1 kg·m²", 7.0)],
)
def test_what_cannot_be_counted_is_named(
    shape: str, reason: str, inertial: str, substitute: str, mass: float, tmp_path: Path
) -> None:
    folder = tmp_path / "models" / "robots"
    folder.mkdir(parents=True)
    (tmp_path / "secret.obj").write_bytes(obj(*BOX))
    (folder / "m.obj").write_bytes(obj(*BOX))
    (folder / "m.dae").write_text("<COLLADA/>")
    file = folder / "robot.sdf"
    file.write_text(model(link(shape, inertial), version="1.11"))
    with pytest.warns(UnsupportedPhysics) as caught:
        found = load_model(file)
    (only,) = caught
    for words in ("inertia computed from a", reason, 'of link "hand"', substitute):
        assert words in str(only.message)
    assert found.bodies[-1].inertia.mass == mass


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"v 1 2 nan", "vertex"),
        (b"f 1 2 3", "vertex"),
        (obj(BOX[0], BOX[1][:1]), named("arm", "hand", "c", "geometry")),
    ],
)
def test_a_mesh_that_is_there_and_wrong_is_an_error(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_bytes(data)
    with pytest.raises(FileFormatError, match=words):
        of(tmp_path, mesh("m.obj"))
