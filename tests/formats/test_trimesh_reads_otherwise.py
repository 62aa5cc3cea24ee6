"""Why OBJ, text STL and MSH have readers of their own: when one of these fails, trimesh can replace a reader."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from sixvec.formats.mesh_file import stl
from sixvec.formats.obj_file import first_object, obj

trimesh = pytest.importorskip("trimesh")

FACET = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"


def theirs(text: str, suffix: str) -> Any:
    return trimesh.load(io.BytesIO(text.encode()), file_type=suffix, process=False)


def area(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


def test_polygons_with_a_hollow_corner() -> None:
    text = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1.9 0.1 0\nv 0 2 0\nf 1 2 3 4 5\n"
    surface, other = obj(text.encode()), theirs(text, "obj")
    x, y, _ = surface.vertices.T
    exact = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area(surface.vertices, surface.triangles) == pytest.approx(exact)
    assert area(other.vertices, other.faces) > 1.5 * exact


def test_objects_after_the_first() -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no a\nf 1 2 3\no b\nf 1 2 4\n"
    assert len(first_object(text.encode()).triangles) == 1
    assert len(theirs(text, "obj").faces) == 2


def test_names_in_text_stl() -> None:
    text = f"solid vertex_1 of a part\n{FACET}endsolid\n"
    assert len(stl(text.encode()).triangles) == 1
    with pytest.raises(ValueError, match="unmatched"):
        theirs(text, "stl")
