"""Small files that ask for much: one budget for a whole load stops them early, with little memory."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from memory_peak import PRINT_PEAK
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import budget as module
from sixvec.formats.budget import budget, once, one_budget, read_bytes, spend
from sixvec.formats.mesh_file import binary_stl

MOST_SECONDS = 5.0
MOST_MEMORY = 500
"""MiB."""

PROGRAM = """
import resource, sys
import sixvec as sv
before = resource.getrusage(resource.RUSAGE_SELF)
try:
    sv.load(sys.argv[1])
except sv.SixvecError as problem:
    print(problem)
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime - before.ru_utime)
"""


def attacked(file: Path) -> tuple[str, float, int]:
    """The message of a load in its own process, its seconds of the processor, its memory in MiB."""
    command = [sys.executable, "-c", PROGRAM + PRINT_PEAK, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    *message, seconds, memory = done.stdout.strip().splitlines()
    return " ".join(message), float(seconds), int(memory)


def mesh_model(folder: Path, file: str, count: int, more: str = "") -> Path:
    """A model of that many bodies, whose inertias come from one mesh at different scales."""
    meshes = "".join(f'<mesh name="m{i}" file="{file}" scale="1 1 {1 + i}" {more}/>' for i in range(count))
    bodies = "".join(f'<body><joint/><geom type="mesh" mesh="m{i}"/></body>' for i in range(count))
    path = folder / "model.xml"
    path.write_text(f"<mujoco><asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>")
    return path


def stars(folder: Path) -> Path:
    """Two thousand faces of a thousand corners each, not convex."""
    radii = [(0.5, 1.0)[i % 2] for i in range(1000)]
    turns = [2 * math.pi * i / 1000 for i in range(1000)]
    lines = [f"v {r * math.cos(t)} {r * math.sin(t)} 0" for r, t in zip(radii, turns, strict=True)]
    face = f"f {' '.join(str(i) for i in range(1, 1001))}"
    (folder / "m.obj").write_text("\n".join([*lines, *[face] * 2000]))
    return mesh_model(folder, "m.obj", 1)


def one_mesh_many_times(folder: Path) -> Path:
    count = 1_300_000
    with (folder / "m.stl").open("wb") as file:
        file.write(bytes(80) + struct.pack("<I", count))
        file.truncate(84 + 50 * count)
    return mesh_model(folder, "m.stl", 60)


def replicated(text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / "model.xml"
        path.write_text(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
        return path

    return write


def text_mesh(lines: str, count: int) -> Callable[[Path], Path]:
    """An OBJ file of a tetrahedron and many short lines."""

    def write(folder: Path) -> Path:
        faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
        (folder / "m.obj").write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{faces}{lines * count}")
        return mesh_model(folder, "m.obj", 1)

    return write


def text_stl(folder: Path) -> Path:
    """STL as text, whose words are short."""
    (folder / "m.stl").write_text("solid a facet outer loop" + " vertex 0 0 0" * 5_000_000)
    path = folder / "model.sdf"
    link = '<inertial auto="true"/><collision name="c"><geometry><mesh><uri>m.stl</uri></mesh></geometry></collision>'
    path.write_text(f'<sdf version="1.11"><model name="m"><link name="a">{link}</link></model></sdf>')
    return path


ATTACKS = {
    "faces": (text_mesh("f 1 2 3\n", 8_000_000), "words and lines of meshes"),
    "fewer faces": (text_mesh("f 1 2 3\n", 1_900_000), "triangles of inertias"),
    "objects": (text_mesh("o \n", 20_000_000), "words and lines of meshes"),
    "blank lines": (text_mesh("\n", 60_000_000), "words and lines of meshes"),
    "STL as text": (text_stl, "words and lines of meshes"),
    "stars": (stars, "comparisons of corners"),
    "one mesh": (one_mesh_many_times, "triangles of inertias"),
    "bodies": (replicated('<replicate count="100000"><body name="a"/></replicate>'), "copied elements"),
    "geoms": (replicated('<replicate count="30000"><geom size="1"/></replicate>' * 30), "copied elements"),
}


SLOW = ("fewer faces", "blank lines")


@pytest.mark.parametrize("attack", [pytest.param(a, marks=[pytest.mark.slow] if a in SLOW else []) for a in ATTACKS])
def test_a_small_file_that_asks_for_much(attack: str, tmp_path: Path) -> None:
    write, what = ATTACKS[attack]
    message, seconds, memory = attacked(write(tmp_path))
    assert what in message and "robots need fewer" in message
    assert seconds < MOST_SECONDS and memory < MOST_MEMORY


def test_a_fine_mesh_of_quadrilaterals_is_read(tmp_path: Path) -> None:
    """A torus of 100 000 of them, whose volume is known."""
    n, m = 400, 250
    u, v = 2 * np.pi * np.arange(n)[:, None] / n, 2 * np.pi * np.arange(m) / m
    r = 2 + np.cos(v)
    points = np.stack(np.broadcast_arrays(r * np.cos(u), r * np.sin(u), np.sin(v)), -1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    after_i, after_j = (i + 1) % n, (j + 1) % m
    faces = 1 + np.stack([i * m + j, after_i * m + j, after_i * m + after_j, i * m + after_j], 1)
    with (tmp_path / "m.obj").open("w") as file:
        np.savetxt(file, points, "v %.6f %.6f %.6f")
        np.savetxt(file, faces, "f %d %d %d %d")
    message, seconds, memory = attacked(path := mesh_model(tmp_path, "m.obj", 1, 'inertia="exact"'))
    assert message == "" and seconds < MOST_SECONDS and memory < MOST_MEMORY
    mass = sv.load(path).model.bodies[0].inertia.mass
    assert mass == pytest.approx(1000 * 2 * np.pi * 2 * np.pi, rel=1e-3)


def test_the_files_of_one_load_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three meshes that would be read one by one."""
    triangle = bytes(80) + struct.pack("<I12fH", 1, *[0.0] * 3, *[0, 0, 0, 1, 0, 0, 0, 1, 0], 0)
    for i in range(3):
        (tmp_path / f"{i}.stl").write_bytes(triangle)
    monkeypatch.setitem(module.LIMITS, "bytes of files", 2 * len(triangle))
    for _ in range(2):  # each load has a budget of its own
        with one_budget():
            read_bytes(tmp_path / "0.stl", 1000)
            read_bytes(tmp_path / "1.stl", 1000)
            with pytest.raises(FileFormatError, match="files"):
                read_bytes(tmp_path / "2.stl", 1000)
    with pytest.raises(FileFormatError, match="mesh"):
        read_bytes(tmp_path / "0.stl", 100, "mesh")


def test_elements_of_included_files_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "more.xml").write_text(f"<mujoco>{'<option/>' * 10}</mujoco>")
    (tmp_path / "model.xml").write_text('<mujoco><include file="more.xml"/><worldbody/></mujoco>')
    monkeypatch.setitem(module.LIMITS, "elements", 14)
    sv.load(tmp_path / "model.xml")
    monkeypatch.setitem(module.LIMITS, "elements", 13)
    with pytest.raises(FileFormatError, match=named("more.xml", "elements")):
        sv.load(tmp_path / "model.xml")


def test_a_mesh_is_read_once_in_a_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sixvec.formats.mjcf import mesh

    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    data = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for k in f for x in corners[k]), 0) for f in faces)
    (tmp_path / "m.stl").write_bytes(bytes(80) + struct.pack("<I", 4) + data)
    read: list[int] = []
    monkeypatch.setitem(mesh.READERS, ".stl", lambda data: (read.append(len(data)), binary_stl(data))[1])
    path = mesh_model(tmp_path, "m.stl", 5)
    assert sv.load(path).nv == 5 and read == [284]
    assert sv.load(path).nv == 5 and read == [284, 284]


def test_a_budget_ends_with_its_load() -> None:
    with one_budget() as outer:
        spend("elements", 10)
        with one_budget():
            spend("elements", 400_000)
        assert outer.spent["elements"] == 10 and budget() is outer
        assert once("key", lambda: 1) == once("key", lambda: 2) == 1
    assert budget() is not outer and once("key", lambda: 3) == 3


def test_a_load_has_a_deadline() -> None:
    with one_budget() as running:
        running.deadline = 0.0
        with pytest.raises(FileFormatError):
            spend("elements")
