"""Triangles of a shape, for drawing."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError
from sixvec.formats.mesh_triangles import Triangles, joined, mesh_surfaces
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model.geom import Color, HalfSpace, Mesh, Polyhedron, Shape

Array = NDArray[np.float64]

AROUND = 24
"""Corners of a circle."""

FLOOR = 4.0
"""The drawn size of a half space, in m."""


def triangles(shape: Shape) -> Triangles:
    """The surface of a shape in its own frame; a mesh that cannot be found or read raises an error that names its file.

    >>> from sixvec.spatial import Vec3
    >>> triangles(Box(Vec3(1.0, 2.0, 3.0))).faces.shape
    (12, 3)
    """
    match shape:
        case Box(size):
            return _box(np.array([*size], float) / 2)
        case Sphere(radius):
            return _turned(_arc(radius, radius, 0.0))
        case Ellipsoid(axes):
            ball = _turned(_arc(1.0, 1.0, 0.0))
            return Triangles(ball.vertices * np.array([*axes], float), ball.faces)
        case Cylinder(radius, length):
            return _turned(np.array([[0, -length / 2], [radius, -length / 2], [radius, length / 2], [0, length / 2]]))
        case Capsule(radius, length):
            return _turned(_arc(radius, radius, length / 2))
        case Cone(radius, height):
            return _turned(np.array([[0.0, 0.0], [radius, 0.0], [0.0, height]]))
        case HalfSpace((x, y)):
            x, y = x or FLOOR, y or FLOOR
            corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]) / 2
            return Triangles(corners, np.array([[0, 1, 2], [0, 2, 3]]))
        case Polyhedron(vertices, faces):
            corners = np.array([[*v] for v in vertices], float)
            return Triangles(corners, np.array(faces)) if faces else _hull(corners)
        case Mesh():
            return joined([surface for surface, _ in colored_triangles(shape)])
    raise ArgumentError(f"no triangles are known of a {type(shape).__name__}")


def colored_triangles(shape: Shape) -> list[tuple[Triangles, Color | None]]:
    """The surfaces of a shape, each with the colour that its mesh file gives it.

    >>> [color for _, color in colored_triangles(Sphere(1.0))]
    [None]
    """
    return mesh_surfaces(shape) if isinstance(shape, Mesh) else [(triangles(shape), None)]


def _box(half: Array) -> Triangles:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    # Corners are not shared, so that edges stay sharp.
    corners = np.concatenate([signs[quad] * half for quad in quads])
    faces = [[4 * i + k for k in three] for i in range(6) for three in ([0, 1, 2], [0, 2, 3])]
    return Triangles(corners, np.array(faces))


def _arc(radius: float, height: float, shift: float) -> Array:
    """Half of a circle from the lower pole to the upper, its halves `shift` apart from the middle."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, AROUND // 2 + 1)
    low, high = angle[: len(angle) // 2 + 1], angle[len(angle) // 2 :]
    halves = [np.stack([radius * np.cos(a), height * np.sin(a) + s], 1) for a, s in ((low, -shift), (high, shift))]
    return np.concatenate(halves) if shift else np.concatenate([halves[0], halves[1][1:]])


def _turned(outline: Array) -> Triangles:
    """The surface that an outline (n, 2) of radii and heights sweeps about z, from below upward."""
    turn = np.linspace(0.0, 2 * math.pi, AROUND, endpoint=False)
    rings = [np.stack([r * np.cos(turn), r * np.sin(turn), np.full(AROUND, z)], 1) for r, z in outline]
    faces = []
    for k, (below, above) in enumerate(pairwise(outline)):
        for i in range(AROUND):
            a, b = k * AROUND + i, k * AROUND + (i + 1) % AROUND
            faces += [[a, b, b + AROUND]] if below[0] > 0 else []
            faces += [[a, b + AROUND, a + AROUND]] if above[0] > 0 else []
    return Triangles(np.concatenate(rings), np.array(faces))


def _hull(corners: Array) -> Triangles:
    try:
        from scipy.spatial import ConvexHull
    except ImportError:
        low, high = corners.min(axis=0), corners.max(axis=0)
        box = _box((high - low) / 2)  # without SciPy, the box around it
        return Triangles(box.vertices + (low + high) / 2, box.faces)
    hull: Any = ConvexHull(corners)
    faces = np.array(hull.simplices, int)
    normal = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
    inward = np.einsum("ij,ij->i", normal, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Triangles(corners, faces)
