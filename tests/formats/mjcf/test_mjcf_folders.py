"""Files that MJCF names are those that MuJoCo reads, where their folders are allowed."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import pytest

import sixvec
from sixvec.errors import FileFormatError
from sixvec.formats import load_model
from sixvec.formats.doctor import check_file

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def tetrahedron(size: float) -> bytes:
    """A binary STL file of volume size³ / 6."""
    corners = (struct.pack("<9f", *(size * x for i in face for x in CORNERS[i])) for face in FACES)
    return bytes(80) + struct.pack("<I", len(FACES)) + b"".join(bytes(12) + c + bytes(2) for c in corners)


def body(name: str, mass: float) -> str:
    return f'<mujoco><worldbody><body name="{name}"><geom size="1" mass="{mass}"/></body></worldbody></mujoco>'


def include(file: str) -> str:
    return f'<mujoco><include file="{file}"/></mujoco>'


def mesh(file: str, compiler: str = "") -> str:
    return (
        f'<mujoco>{compiler}<asset><mesh name="m" file="{file}"/></asset><worldbody><body name="b"><joint/>'
        '<geom type="mesh" mesh="m" density="6"/></body></worldbody></mujoco>'
    )


CASES: dict[str, dict[str, str | float]] = {
    "an include beside the including file": {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": include("b.xml"), "main/sub/b.xml": body("b", 2)},
    "the main file's folder goes first": {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": include("b.xml"), "main/sub/b.xml": body("b", 2),
        "main/b.xml": body("b", 3)},
    "three files deep": {
        "main/m.xml": include("s/a.xml"), "main/s/a.xml": include("t/b.xml"), "main/s/t/b.xml": include("c.xml"),
        "main/s/t/c.xml": body("c", 2), "main/s/c.xml": body("c", 4)},
    "an include above": {
        "main/m.xml": include("../other/a.xml"), "other/a.xml": include("b.xml"), "other/b.xml": body("b", 2)},
    "a mesh beside the included file": {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": mesh("t.stl"), "main/sub/t.stl": 1.0},
    "a mesh beside the main file goes first": {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": mesh("t.stl"), "main/sub/t.stl": 1.0, "main/t.stl": 2.0},
    "meshdir is of the main file": {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": mesh("t.stl", '<compiler meshdir="as"/>'),
        "main/as/t.stl": 2.0, "main/sub/as/t.stl": 3.0, "main/sub/t.stl": 4.0},
    "without meshdir beside the included file": {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": mesh("t.stl", '<compiler meshdir="as"/>'),
        "main/sub/as/t.stl": 3.0, "main/sub/t.stl": 4.0},
    "a meshdir above": {"main/m.xml": mesh("t.stl", '<compiler meshdir="../as/"/>'), "as/t.stl": 1.0},
    "a meshdir two folders above": {
        "main/m/m.xml": mesh("t.stl", '<compiler meshdir="../../as/"/>'), "as/t.stl": 1.0},
    "up from meshdir": {
        "main/m.xml": mesh("../q/t.stl", '<compiler meshdir="as"/>'), "main/q/t.stl": 1.0, "main/as/x": 1.0},
    "meshdir before assetdir": {
        "main/m.xml": mesh("t.stl", '<compiler meshdir="as" assetdir="xx"/>'), "main/as/t.stl": 1.0,
        "main/xx/t.stl": 2.0},
    "a later assetdir": {
        "main/m.xml": mesh("t.stl", '<compiler meshdir="as"/><compiler assetdir="xx"/>'), "main/as/t.stl": 1.0,
        "main/xx/t.stl": 2.0},
    "strippath": {"main/m.xml": mesh("../q/t.stl", '<compiler meshdir="as" strippath="true"/>'), "main/as/t.stl": 1.0},
    "the other slash": {"main/m.xml": mesh("q\\t.stl"), "main/q/t.stl": 1.0},
}  # fmt: skip


def written(folder: Path, files: dict[str, str | float]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else tetrahedron(content))
    return folder / next(iter(files))


@pytest.mark.parametrize("name", CASES)
def test_the_files_are_those_of_mujoco(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, CASES[name])
    theirs = mujoco.MjModel.from_xml_path(str(path)).body_mass.sum()
    model = load_model(path, folders=[tmp_path])
    assert sum(b.inertia.mass for b in model.bodies) == pytest.approx(theirs, rel=1e-6)
    assert check_file(path, folders=[tmp_path]).status == 0


@pytest.mark.parametrize("name", ["an include above", "a meshdir two folders above"])
def test_what_is_above_must_be_allowed(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, CASES[name])
    above = next(tmp_path / f for f in CASES[name] if not f.startswith("main")).parent
    words = rf'leads out of the folders that may be read; .*folders=\["{above}"\]'
    with pytest.raises(FileFormatError, match=words):
        sixvec.load(path)
    report = check_file(path)
    assert report.status == 2 and str(above) in report.text()
    assert sixvec.load(path, folders=[str(above)]).model.bodies


def test_a_mesh_next_to_the_folder_of_the_model(tmp_path: Path) -> None:
    """As in MuJoCo, without folders=."""
    path = written(tmp_path, CASES["a meshdir above"])
    assert sixvec.load(path).model.bodies and check_file(path).status == 0


def test_a_file_outside_that_goes_first_is_not_passed_over(tmp_path: Path) -> None:
    """MuJoCo would read the one above; the one beside the included file is another."""
    files: dict[str, str | float] = {
        "main/m.xml": include("sub/a.xml"), "main/sub/a.xml": include("../b.xml"), "b.xml": body("b", 1),
        "main/b.xml": body("b", 2),
    }  # fmt: skip
    path = written(tmp_path, files)
    with pytest.raises(FileFormatError, match="folders"):
        load_model(path)
    (tmp_path / "b.xml").unlink()
    assert load_model(path).bodies[0].inertia.mass == 2.0


@pytest.mark.parametrize("way", ["link.xml", "/etc/hostname", "../../../../../../../../etc/hostname"])
def test_no_way_out(tmp_path: Path, way: str) -> None:
    path = written(tmp_path, {"main/m.xml": include(way), "secret.xml": body("b", 1)})
    (path.parent / "link.xml").symlink_to(tmp_path / "secret.xml")
    with pytest.raises(FileFormatError, match="folders"):
        load_model(path)
