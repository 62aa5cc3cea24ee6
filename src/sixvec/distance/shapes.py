"""The collision shapes of a robot, as distances see them: a kind, its sizes, and where it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.distance.vertex_table import vertex_table
from sixvec.errors import ArgumentError
from sixvec.formats.budget import one_budget
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.kernels import VertexTable
from sixvec.lazy import lazy
from sixvec.model import Geom, Model
from sixvec.model.geom import HalfSpace, Mesh, Polyhedron, Shape
from sixvec.spatial import Pose, Vec3

KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "half space", "convex hull")
"""The shapes between which there are distances."""

SIZES = 3
"""Numbers that describe a shape other than a hull; unused ones are zero."""


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """A shape on a frame.

    `sizes` are the radius of a sphere; radius and half length of the axis of a capsule or cylinder; half edges of a
    box; semi-axes of an ellipsoid; radius and height of a cone.  A convex hull has `vertices` (n, 3) instead.  Axes are
    along z, origins in the middle (of a cone, in the middle of its base), and a half space is below z = 0.

    >>> from sixvec.distance import CollisionShape
    >>> CollisionShape("thumb", "hand", "capsule", (0.01, 0.03))
    <capsule 'thumb' on 'hand': 0.01, 0.03>
    """

    name: str
    frame: str
    kind: str
    sizes: tuple[float, ...]
    placement: Pose = field(default_factory=Pose.identity)
    vertices: Array | None = None
    approximation: str = ""
    """What the shape approximates, if it is not the one in the file."""

    def __repr__(self) -> str:
        sizes = ", ".join(f"{x:g}" for x in self.sizes)
        shown = sizes if self.vertices is None else f"{len(self.vertices)} vertices"
        note = f"; {self.approximation}" if self.approximation else ""
        return f"<{self.kind} {self.name!r} on {self.frame!r}: {shown}{note}>"

    @property
    def radius(self) -> float:
        """What is added around the core: a sphere is a point and a capsule a segment with a radius."""
        return self.sizes[0] if self.kind in ("sphere", "capsule") else 0.0

    def bounding_ball(self) -> tuple[Array, float]:
        """Centre, in the frame of the shape, and radius of a ball around it; infinite for a half space."""
        return self._ball

    @lazy
    def _ball(self) -> tuple[Array, float]:
        match self.kind, self.sizes:
            case "sphere", (r,):
                return np.zeros(3), r
            case "capsule", (r, h):
                return np.zeros(3), r + h
            case "cylinder", (r, h):
                return np.zeros(3), math.hypot(r, h)
            case "box" | "ellipsoid", sizes:
                return np.zeros(3), math.hypot(*sizes) if self.kind == "box" else max(sizes)
            case "cone", (r, height):
                up = max(0.0, (height * height - r * r) / (2.0 * height)) if height else 0.0
                return np.array([0.0, 0.0, up]), max(height - up, math.hypot(r, up))
            case "half space", _:
                return np.zeros(3), math.inf
        assert self.vertices is not None
        return smallest_ball(self.vertices)

    @lazy
    def box(self) -> Array:
        """A box around its core, as numbers."""
        from sixvec.distance.boxes_around import box_around

        return box_around(self)

    @lazy
    def table(self) -> VertexTable:
        """Of a hull, which vertices can be the farthest in which directions."""
        assert self.vertices is not None
        return vertex_table(self.vertices)

    @lazy
    def face_normals(self) -> Array:
        """Of a hull, the normals of its faces (n, 3); of other shapes none."""
        from sixvec.distance.hulls import face_normals

        return np.empty((0, 3)) if self.vertices is None else face_normals(self.vertices)

    def inner_radius(self) -> float:
        """The radius of a ball around the centre of the bounding ball that is certainly inside; it may be zero."""
        match self.kind:
            case "sphere" | "capsule":
                return self.sizes[0]
            case "box" | "ellipsoid" | "cylinder":
                return min(self.sizes)
        return 0.0

    @property
    def size(self) -> float:
        """A length with which errors are compared; infinite for a half space."""
        return self.bounding_ball()[1]


def smallest_ball(points: Array, rounds: int = 300) -> tuple[Array, float]:
    """Centre and radius of a ball around points (n, 3), nearly the smallest one (Bădoiu and Clarkson 2003)."""
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    best, radius = centre, float(np.linalg.norm(points - centre, axis=1).max())
    for k in range(1, rounds):
        away = np.linalg.norm(points - centre, axis=1)
        far = int(away.argmax())
        if away[far] < radius:
            best, radius = centre, float(away[far])
        centre = centre + (points[far] - centre) / (k + 1.0)
    return best, radius * (1.0 + 1e-12)


@one_budget()
def collision_shapes(model: Model) -> tuple[CollisionShape, ...]:
    """The collision shapes of a model, in its order; meshes are read and represented by their convex hulls."""
    taken: dict[str, int] = {}
    described = []
    for g in model.geoms:
        if g.collision:
            count = taken[g.frame] = taken.get(g.frame, 0) + 1
            described.append(of_geom(g, g.name or f"{g.frame}/{count}"))
    return tuple(described)


def of_geom(g: Geom, name: str) -> CollisionShape:
    """The shape of a geom."""
    kind, sizes, vertices, note = described(g.shape, name)
    return CollisionShape(name, g.frame, kind, sizes, g.placement, vertices, note)


def described(shape: Shape, name: str) -> tuple[str, tuple[float, ...], Array | None, str]:
    """Kind, sizes, vertices and approximation of a shape."""
    match shape:
        case Sphere(radius):
            return "sphere", _numbers(name, radius), None, ""
        case Capsule(radius, length):
            return "capsule", _numbers(name, radius, length * 0.5), None, ""
        case Cylinder(radius, length):
            return "cylinder", _numbers(name, radius, length * 0.5), None, ""
        case Box(size):
            return "box", _numbers(name, *(x * 0.5 for x in size)), None, ""
        case Ellipsoid(axes):
            return "ellipsoid", _numbers(name, *axes), None, ""
        case Cone(radius, height):
            return "cone", _numbers(name, radius, height), None, ""
        case HalfSpace():
            return "half space", (), None, ""
        case Mesh() | Polyhedron():
            from sixvec.distance.hulls import hull_of

            vertices, note = hull_of(shape)
            return "convex hull", (), vertices, note
    raise ArgumentError(
        f"{name} is a {type(shape).__name__}, to which there is no distance; there are distances between: "
        f"{', '.join(KINDS)}"
    )


def _numbers(name: str, *sizes: Any) -> tuple[float, ...]:
    try:
        return tuple(float(x) for x in sizes)
    except TypeError:
        raise ArgumentError(f"{name} has sizes that are symbols; distances need numbers") from None


def padded_sizes(shapes: Sequence[CollisionShape]) -> Array:
    """The sizes of shapes as rows (n, SIZES)."""
    table = np.zeros((len(shapes), SIZES))
    for row, shape in zip(table, shapes, strict=True):
        row[: len(shape.sizes)] = shape.sizes
    return table


def matrix(X: Pose) -> Array:
    """A pose of numbers as the twelve numbers of kernels: the rotation row by row, then the position."""
    return np.array([*(float(x) for row in X.rot.matrix.rows for x in row), *map(float, X.pos)])


def vector(x: Sequence[float] | Array) -> Vec3:
    return Vec3(*map(float, x))
