"""The convex hull of a mesh or polyhedron, which represents it in distances."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import FileFormatError, MissingExtra, level_of_user
from sixvec.formats.budget import spend
from sixvec.formats.mesh_location import mesh_file
from sixvec.formats.mesh_triangles import mesh_triangles
from sixvec.model.geom import Mesh, Polyhedron

LARGER = 0.05
"""A hull whose volume exceeds that of its mesh by more than this fraction causes a warning."""


class HullWarning(UserWarning):
    """The convex hull of a mesh is noticeably larger than the mesh."""


def hull_of(shape: Mesh | Polyhedron) -> tuple[Array, str]:
    """The vertices of the convex hull of a shape, and what it approximates."""
    return _hull_of(shape, _version(shape) if isinstance(shape, Mesh) else ())


def _version(mesh: Mesh) -> tuple[object, ...]:
    """Which file the mesh is, and which version of it: another one has another hull."""
    path = mesh_file(mesh)
    if path is None:
        return ()
    state = path.stat()
    return path, state.st_mtime_ns, state.st_size, state.st_ino


@lru_cache(maxsize=256)
def _hull_of(shape: Mesh | Polyhedron, version: tuple[object, ...]) -> tuple[Array, str]:
    if isinstance(shape, Mesh):
        corners, faces = mesh_triangles(shape)
        name = shape.uri
    else:
        corners, faces = np.array([[*v] for v in shape.vertices], float), np.array(shape.triangles, int).reshape(-1, 3)
        name = "polyhedron"
    if not len(corners):
        raise FileFormatError(f"{name}: has no vertices, so there is no distance to it")
    if isinstance(shape, Mesh):
        spend("corners of hulls", len(corners), lambda message, advice: _refusal(shape, message, advice))
    vertices, volume = _hull(corners)
    if isinstance(shape, Mesh):
        spend("vertices of hulls", len(vertices), lambda message, advice: _refusal(shape, message, advice))
    vertices.flags.writeable = False
    note = f"convex hull of {name}" if isinstance(shape, Mesh) or len(faces) else ""
    inside = abs(_volume(corners, faces))
    if len(faces) and volume > (1.0 + LARGER) * inside and _is_closed(faces, corners):
        excess = f"{100.0 * (volume / inside - 1.0):.0f} % larger" if inside > 0.0 else "it has no volume itself"
        note += f", {excess}"
        warnings.warn(
            f"distances use the convex hull of {name}, whose volume is {excess} than that of the mesh; "
            "split the mesh into convex parts, or describe it by simpler shapes",
            HullWarning,
            stacklevel=level_of_user(),
        )
    return vertices, note


def _refusal(mesh: Mesh, message: str, advice: str) -> FileFormatError:
    return FileFormatError(f"{mesh.uri}: {message}", advice=advice)


def _hull(corners: Array) -> tuple[Array, float]:
    """The corners of the convex hull and its volume; all different corners, if they are in one plane."""
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError:
        raise MissingExtra("distances to meshes and polyhedra need SciPy", extra="scipy") from None
    try:
        hull = ConvexHull(corners)
    except (QhullError, ValueError):
        return np.unique(corners, axis=0), 0.0
    return corners[np.sort(hull.vertices)].copy(), float(hull.volume)


def face_normals(vertices: Array) -> Array:
    """The different normals (n, 3) of the faces of a convex hull with these vertices; of flat ones there are none."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        normals = ConvexHull(vertices).equations[:, :3]
    except (QhullError, ValueError):
        return np.empty((0, 3))
    _, different = np.unique(normals.round(12), axis=0, return_index=True)
    return np.asarray(normals[np.sort(different)])


def _volume(corners: Array, faces: Array) -> float:
    a, b, c = (corners[faces[:, k]] for k in range(3)) if len(faces) else (np.zeros((0, 3)),) * 3
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def _is_closed(faces: Array, corners: Array) -> bool:
    """Whether every edge has two triangles, after equal corners are joined: only then is the volume meaningful."""
    _, index = np.unique(corners.round(9), axis=0, return_inverse=True)
    faces = index.reshape(-1)[faces]
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    return bool((count == 2).all())
