"""Reachable poses of a parallel robot: limits of actuators and joints, leg collisions, and singularities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.geometry import Point, Segment
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.parallel.design import groups
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.pivot_spheres import spheres
from sixvec.parallel.rod_lines import side_of
from sixvec.parallel.space import Branch, Planar

REASONS = ("reached", "leg too short", "leg too long", "cannot reach", "base joint", "platform joint", "legs touch")


@dataclass(frozen=True, eq=False)
class Reach(Result):
    """For each pose the obstacle, an index into REASONS, and the leg concerned, or -1."""

    reason: Array
    leg: Array

    @property
    def reached(self) -> Array:
        return np.asarray(self.reason == 0)

    def __repr__(self) -> str:
        return f"<Reach: {int(self.reached.sum())} of {self.reason.size} poses>"


@any_arrays_same_dtype
def reach(
    mechanism: ParallelRobot,
    X: ArrayLike,
    branch: Branch = None,
    *,
    base_cone: tuple[ArrayLike, float] | None = None,
    platform_cone: tuple[ArrayLike, float] | None = None,
    leg_radius: float = 0.0,
) -> Reach:
    """Whether poses X (..., 4, 4) are reached within the limits of the legs.

    `base_cone` and `platform_cone` are pairs of an axis (3,) or (n, 3), in the frame of base or platform, and the
    largest angle, in radians, between it and the rod at the pivot; `leg_radius` is that of the rods, which must
    not touch each other.

    >>> from sixvec.parallel import Delta, reach
    >>> reach(Delta(0.2, 0.05, 0.25, 0.6), [[0.0, 0.0, -0.5], [0.0, 0.0, -2.0]])
    <Reach: 1 of 2 poses>
    """
    if isinstance(mechanism.space, Planar):
        raise ArgumentError("reach is for platforms in space; planar ones compare inverse_position with their limits")
    X = mechanism.space.checked(X, "reach: X")
    q = np.asarray(mechanism.inverse_position(X, branch))
    X = mechanism.space.as_user_pose(X)
    centre = np.asarray(spheres(mechanism.legs)(q)[0])
    S = np.einsum("...ij,nj->...ni", X[..., :3, :3], mechanism.platform) + X[..., None, :3, 3]
    d = S - centre
    with np.errstate(invalid="ignore"):
        e = d / np.linalg.norm(d, axis=-1, keepdims=True)
        tests = [q < mechanism.lower, q > mechanism.upper, ~np.isfinite(q)]
        tests.append(_outside(e, base_cone, mechanism.n))
        tests.append(_outside(np.einsum("...ji,...nj->...ni", X[..., :3, :3], -e), platform_cone, mechanism.n))
        tests.append(_touching(centre, S, 2.0 * leg_radius, mechanism))
    reason, leg = np.zeros(q.shape[:-1], np.int8), np.full(q.shape[:-1], -1)
    for k, bad in enumerate(tests, 1):
        new = bad.any(axis=-1) & (reason == 0)
        reason, leg = np.where(new, k, reason), np.where(new, bad.argmax(axis=-1), leg)
    return Reach(reason, leg)


@any_arrays_same_dtype
def singularity_free_radius(
    mechanism: ParallelRobot, X: ArrayLike, largest: float, count: int = 200, steps: int = 64
) -> float:
    """How far the platform can translate from X along sampled directions without a singularity.

    The determinant of the rods' lines keeps its sign inside; the radius is the smallest over `count` rays of `steps`
    samples each, an upper bound of the true one that gets better with both.  A ray also ends where a leg cannot reach.
    """
    if isinstance(mechanism.space, Planar):
        raise ArgumentError("singularity_free_radius is for platforms in space")
    if mechanism.n != mechanism.space.freedoms:
        raise DegenerateError(
            f"singularity_free_radius needs exactly {mechanism.space.freedoms} legs, not {mechanism.n}: the lines of "
            "others have no determinant"
        )
    X = mechanism.space.as_user_pose(mechanism.space.checked(X, "singularity_free_radius: X"))
    rng = np.random.default_rng(1)
    rays = rng.normal(size=(count, 3))
    rays = rays / np.linalg.norm(rays, axis=-1, keepdims=True)
    radii = largest * (np.arange(steps) + 1.0) / steps
    poses = np.tile(X, (count, steps, 1, 1))
    poses[..., :3, 3] = X[:3, 3] + rays[:, None] * radii[:, None]
    poses, X = (mechanism.space.checked(x, "singularity_free_radius: X") for x in (poses, X))
    q = np.asarray(mechanism.inverse_position(poses))
    side = side_of(mechanism, poses, q)
    here = side_of(mechanism, X, np.asarray(mechanism.inverse_position(X)))
    crossed = ~(side * here > 0.0)
    return float(np.where(crossed, radii - largest / steps, largest).min())


def _outside(directions: Array, cone: tuple[ArrayLike, float] | None, n: int) -> Array:
    """Which rods exceed the angle of their joint: (..., n)."""
    if cone is None:
        return np.zeros(directions.shape[:-1], bool)
    axis = np.broadcast_to(np.asarray(cone[0], float), (n, 3))
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.asarray((directions * axis).sum(axis=-1) < np.cos(cone[1]))


def _touching(P: Array, Q: Array, least: float, mechanism: ParallelRobot) -> Array:
    """Which rods are closer than `least` to a later one; those that share a pivot are not compared."""
    bad = np.zeros(P.shape[:-1], bool)
    if not least > 0.0:
        return bad
    above, below = groups(mechanism.platform), groups(mechanism.roots)
    for i in range(mechanism.n):
        for j in range(i + 1, mechanism.n):
            if above[i] == above[j] or below[i] == below[j]:
                continue
            gap = segment_distance(P[..., i, :], Q[..., i, :], P[..., j, :], Q[..., j, :])
            bad[..., i] |= gap < least
    return bad


def segment_distance(P0: ArrayLike, P1: ArrayLike, Q0: ArrayLike, Q1: ArrayLike) -> Array:
    """Least distance between two segments (..., 3): `sixvec.geometry.Segment`.

    >>> float(segment_distance([0.0, 0, 0], [1.0, 0, 0], [0.5, 1, -1], [0.5, 1, 1]))
    1.0
    """
    ends = [Point.of(np.moveaxis(np.asarray(x, float), -1, 0)) for x in (P0, P1, Q0, Q1)]
    return np.asarray(Segment(ends[0], ends[1]).distance_to(Segment(ends[2], ends[3])))
