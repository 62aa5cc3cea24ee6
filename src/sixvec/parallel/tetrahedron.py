"""Points from distances: the apex of a tetrahedron, its velocity, and bodies from three of their points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, real_array
from sixvec.arguments.result import Result
from sixvec.errors import DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.function import compiled
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Mat3, Pose, Rotation, Vec3
from sixvec.tolerances import RANK, ROUNDING

FLAT = 1e-14
"""Squared height of a tetrahedron, relative to an edge, that is rounding."""

THIN = 1e-8
"""Squared sine of the base triangle's angle, or squared edge relative to the apex's, below which digits are lost."""

NOTHING = 1e-300
"""Avoids division by zero where the base triangle is a point."""


def apex(
    P: Vec3, Q: Vec3, R: Vec3, p: Scalar, q: Scalar, r: Scalar
) -> tuple[Vec3, Vec3, Scalar]:  # fmt: skip
    """The two points at distances p, q, r from P, Q, R, and the squared height above their plane, negative for none.

    The first is on the side to which (Q - P) × (R - P) points; they are mirror images.  s = α a + β b ± h n solves
    |s|² = p², a·s, b·s of Bruyninckx (8.20)-(8.22) for any orientation of the plane.
    """
    a, b = Q - P, R - P
    aa, bb, ab = a.dot(a), b.dot(b), a.dot(b)
    u, v = (p * p + aa - q * q) * 0.5, (p * p + bb - r * r) * 0.5
    n = a.cross(b)
    nn = n.dot(n)
    s = (a * (bb * u - ab * v) + b * (aa * v - ab * u)) * (1.0 / nn)
    height = p * p - s.dot(s)
    # Rounding may make the squared height of an apex in the base plane negative: the two points coincide there.
    flat = where(height < 0.0, where(height > -FLAT * p * p, 0.0, height), height)
    up = n * sqrt(flat / nn)
    return P + s + up, P + s - up, height


def doubt(P: Vec3, Q: Vec3, R: Vec3, p: Scalar, height: Scalar, least: float = ROUNDING) -> Scalar:
    """1 where rounding decides on the number of points of `apex`, else 0, also for a base that does not exist (NaN).

    Errors of the foot grow as the base triangle becomes thin or small: on a line, or in one point, it has circles or
    spheres of points.  `least` is the squared height, relative, that is certain.
    """
    a, b = Q - P, R - P
    aa, bb, pp = a.dot(a), b.dot(b), p * p
    n = a.cross(b)
    spread = n.dot(n) / (aa * bb + NOTHING)
    for edge in (aa, bb):
        spread = where(edge < spread * pp, edge / pp, spread)
    uncertain = where(abs(height) * spread < least * pp, 1.0, 0.0)
    return where(spread < THIN, 1.0, uncertain)


def triad(a: Vec3, b: Vec3, c: Vec3) -> Mat3:
    """Axes fixed to three points: from a to b, and the plane's normal; columns of a rotation."""
    x = b - a
    x = x * (1.0 / x.norm())
    z = x.cross(c - a)
    z = z * (1.0 / z.norm())
    y = z.cross(x)
    return Mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)


def pose_of_points(here: tuple[Vec3, Vec3, Vec3], local: tuple[Vec3, Vec3, Vec3]) -> Pose:
    """The pose that takes three points of a body to given positions; exact if the distances agree."""
    R = Rotation(triad(*here).product(triad(*local).T))
    return Pose(R, here[0] - R @ local[0])


@compiled("P[3] Q[3] R[3] lengths[3] -> points[2,3] height")
def _apex(P: Any, Q: Any, R: Any, lengths: Any) -> Any:
    first, second, height = apex(Vec3.of(P), Vec3.of(Q), Vec3.of(R), *lengths)
    return [[*first], [*second]], height


_apex.name = "tetrahedron_apex"  # as in messages


@any_arrays_same_dtype
@differentiable(lambda P, Q, R, lengths: _apex(P, Q, R, lengths)[0])
def tetrahedron_apex(P: ArrayLike, Q: ArrayLike, R: ArrayLike, lengths: ArrayLike) -> Array:
    """The points (..., 2, 3) at `lengths` (..., 3) from P, Q and R (..., 3); NaN if there are none.

    Bruyninckx (8.20)-(8.22).

    >>> import numpy as np
    >>> from sixvec.parallel import tetrahedron_apex
    >>> tetrahedron_apex([0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0], np.sqrt([3.0, 2, 2])).round(12).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]
    """
    *points, distances = (real_array(f"tetrahedron_apex: {name}", x, 3, why=f"one for each {per}") for x, name, per in (
        (P, "P", "coordinate"), (Q, "Q", "coordinate"), (R, "R", "coordinate"), (lengths, "lengths", "base point")
    ))  # fmt: skip
    common_batch("tetrahedron_apex", [x.shape[:-1] for x in (*points, distances)], ["P", "Q", "R", "lengths"])
    normal = np.cross(points[1] - points[0], points[2] - points[0])
    size = np.linalg.norm(points[1] - points[0], axis=-1) * np.linalg.norm(points[2] - points[0], axis=-1)
    if (np.linalg.norm(normal, axis=-1) <= RANK * size).any():
        raise DegenerateError("the three base points lie on one line; the apex may then be anywhere on a circle")
    return np.asarray(_apex(*points, distances)[0])


@any_arrays_same_dtype
def tetrahedron_velocity(points: ArrayLike, apex: ArrayLike, velocities: ArrayLike, rates: ArrayLike = 0.0) -> Array:
    """Velocity (..., 3) of the apex whose base points (..., 3, 3) move and whose edges lengthen at `rates` (..., 3).

    e_i·v = e_i·v_i + l̇_i (Bruyninckx (8.25)-(8.28), with edges that change).  NaN if the four are coplanar.

    >>> import numpy as np
    >>> from sixvec.parallel import tetrahedron_velocity
    >>> tetrahedron_velocity(np.eye(3), [1.0, 1, 1], np.zeros((3, 3)), [1.0, 1.0, 1.0]).round(4).tolist()
    [0.7071, 0.7071, 0.7071]
    """
    d = np.asarray(apex, float)[..., None, :] - np.asarray(points, float)
    e = d / np.linalg.norm(d, axis=-1, keepdims=True)
    speeds = np.einsum("...ij,...ij->...i", e, np.asarray(velocities, float)) + np.asarray(rates, float)
    flat = np.abs(np.linalg.det(e)) < RANK
    e = np.where(flat[..., None, None], np.nan, e)
    return np.asarray(np.linalg.solve(e, speeds[..., None])[..., 0])


@dataclass(frozen=True, eq=False, repr=False)
class PointsVelocity(Result):
    """ω (..., 3), and the largest residual speed of a rigid motion (...)."""

    omega: Array
    residual: Array


@dataclass(frozen=True, eq=False, repr=False)
class PointsPose(Result):
    """The pose (..., 4, 4), and the largest remaining distance (...), due to noise."""

    pose: Array
    residual: Array


@any_arrays_same_dtype
def angular_velocity_from_points(points: ArrayLike, velocities: ArrayLike) -> PointsVelocity:
    """ω of a body from the velocities (..., k, 3) of k ≥ 3 of its points, by least squares.

    v_j - v̄ = ω × (r_j - r̄).

    >>> import numpy as np
    >>> from sixvec.parallel import angular_velocity_from_points
    >>> r = np.eye(3)
    >>> np.allclose(angular_velocity_from_points(r, np.cross([0.0, 0.0, 2.0], r)).omega, [0.0, 0.0, 2.0])
    True
    """
    r = real_array("points", points, "k ≥ 3", 3)
    v = real_array("velocities", velocities, *r.shape[-2:], why="one for each point")
    leads = [x.shape[:-2] for x in (r, v)]
    common_batch("angular_velocity_from_points", leads, ["points", "velocities"], [r.shape, v.shape])
    r, v = r - r.mean(axis=-2, keepdims=True), v - v.mean(axis=-2, keepdims=True)
    # Σ |ω × r - v|² is least where (Σ |r|² 1 - r rᵀ) ω = Σ r × v.
    inertia = (r * r).sum(axis=(-1, -2))[..., None, None] * np.eye(3) - np.einsum("...ki,...kj->...ij", r, r)
    if (np.linalg.cond(inertia) > 1.0 / RANK).any():
        raise DegenerateError("the points lie on one line, about which the body may turn at any rate")
    w = np.linalg.solve(inertia, np.cross(r, v).sum(axis=-2)[..., None])[..., 0]
    residual = np.linalg.norm(np.cross(w[..., None, :], r) - v, axis=-1).max(axis=-1)
    return PointsVelocity(np.asarray(w), np.asarray(residual))


@any_arrays_same_dtype
def pose_from_points(local: ArrayLike, points: ArrayLike) -> PointsPose:
    """The pose that brings points of a body (k, 3) nearest to measured ones (..., k, 3).

    Least squares over rotations (Kabsch).

    >>> import numpy as np
    >>> from sixvec.parallel import pose_from_points
    >>> found = pose_from_points(np.eye(3), np.eye(3) + 1.0)
    >>> found.pose[:3, 3].round(12).tolist(), bool(found.residual < 1e-12)
    ([1.0, 1.0, 1.0], True)
    """
    b = real_array("local", local, "k ≥ 3", 3, batch=False)
    s = real_array("points", points, *b.shape, why="the points of local, measured")
    centre, middle = b.mean(axis=0), s.mean(axis=-2)
    if np.linalg.matrix_rank(b - centre, tol=RANK * np.abs(b).max()) < 2:
        raise DegenerateError("the points of the body lie on one line; a third one off it decides the rotation")
    U, _, Vt = np.linalg.svd(np.einsum("...ki,kj->...ij", s - middle[..., None, :], b - centre))
    mirror = np.ones((*U.shape[:-2], 3))
    mirror[..., 2] = np.sign(np.linalg.det(U @ Vt))
    R = (U * mirror[..., None, :]) @ Vt
    X = np.zeros((*R.shape[:-2], 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = R, middle - R @ centre, 1.0
    residual = np.linalg.norm(np.einsum("...ij,kj->...ki", R, b) + X[..., None, :3, 3] - s, axis=-1).max(axis=-1)
    return PointsPose(X, np.asarray(residual))
