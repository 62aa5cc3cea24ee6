"""Pairs of any convex shapes, one at a time, by the library coal, for shapes without a traced function."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.distance.pairs.touch import Touch
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model.geom import HalfSpace, Polyhedron, Shape
from sixvec.spatial import Pose, Vec3


def coal_touch(first: Shape, X_first: Pose, second: Shape, X_second: Pose) -> Touch:
    """The point where two shapes at these poses are nearest, or overlap most, as one `Touch`.  Needs the extra `coal`.

    Accepts cylinders, cones, ellipsoids and the convex hulls of polyhedra in addition to the shapes of `touches`.  For
    numbers only: it is a search, neither traced nor differentiated, and gives one point even for touching faces.

    >>> from sixvec.constraints.contacts import coal_touch
    >>> from sixvec.geometry.rigid_body import Cylinder
    >>> from sixvec.model import HalfSpace
    >>> from sixvec.spatial import Pose, Vec3
    >>> upright = Pose.translation(Vec3(0.0, 0.0, 1.0))
    >>> found = coal_touch(Cylinder(0.2, 1.0), upright, HalfSpace(), Pose.identity())
    >>> round(found.gap, 6), round(found.normal.z, 6)
    (0.5, 1.0)
    """
    try:
        import coal
    except ImportError as error:
        raise MissingExtra("coal_touch needs the library coal", extra="coal") from error
    (one, at_one), (two, at_two) = _shape(coal, first), _shape(coal, second)
    places = [_placed(coal, X @ at) for X, at in ((X_first, at_one), (X_second, at_two))]
    request, result = coal.DistanceRequest(True), coal.DistanceResult()
    request.enable_signed_distance = True
    gap = float(coal.distance(one, places[0], two, places[1], request, result))
    normal, point = -np.asarray(result.normal, float), np.asarray(result.getNearestPoint2(), float)
    return Touch(Vec3(*point.tolist()), Vec3(*normal.tolist()), gap)


def _placed(coal: Any, X: Pose) -> Any:
    R = np.array([[float(x) for x in row] for row in X.rot.matrix.rows])
    return coal.Transform3s(R, np.array([*map(float, X.pos)]))


def _shape(coal: Any, shape: Shape) -> tuple[Any, Pose]:
    """The shape in coal, and the pose of its frame in ours."""
    here = Pose.identity()
    match shape:
        case Sphere(radius):
            return coal.Sphere(radius), here
        case Capsule(radius, length):
            return coal.Capsule(radius, length), here
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length), here
        case Cone(radius, height):  # centred in coal, with the origin at its base here
            return coal.Cone(radius, height), Pose.translation(Vec3(0.0, 0.0, height * 0.5))
        case Ellipsoid(semi_axes):
            return coal.Ellipsoid(*semi_axes), here
        case Box(size):
            return coal.Box(*size), here
        case HalfSpace():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), here
        case Polyhedron(vertices):
            points = coal.StdVec_Vec3s()
            for v in vertices:
                points.append(np.array([*v], float))
            return coal.Convex.convexHull(points, False, None), here
    raise ArgumentError(
        f"coal_touch: no {type(shape).__name__}; shapes: Sphere, Capsule, Cylinder, Cone, Ellipsoid, Box, HalfSpace, "
        "Polyhedron (of a mesh, its vertices)"
    )
