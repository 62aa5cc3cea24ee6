"""Which poses a parallel robot reaches: limits of actuators and joints, legs that touch, and singularities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.errors import ArgumentError
from sixvec.parallel.design import groups
from sixvec.parallel.forward_position import spheres
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.orientation import orientation
from sixvec.parallel.space import Array, Spatial

REASONS = ("reached", "leg too short", "leg too long", "cannot reach", "base joint", "platform joint", "legs touch")


@dataclass(frozen=True, eq=False)
class Reach:
    """For each pose what stands in the way, an index into REASONS, and which leg it is, or -1."""

    reason: Array
    leg: Array

    @property
    def reached(self) -> Array:
        return np.asarray(self.reason == 0)

    def __repr__(self) -> str:
        return f"<Reach: {int(self.reached.sum())} of {self.reason.size} poses>"


def reach(
    mechanism: ParallelRobot,
    X: Any,
    branch: Any = None,
    *,
    base_cone: tuple[Any, float] | None = None,
    platform_cone: tuple[Any, float] | None = None,
    leg_radius: float = 0.0,
) -> Reach:
    """Whether poses X (..., 4, 4) are reached within the limits of the legs.

    `base_cone` and `platform_cone` are pairs of an axis (3,) or (n, 3), in the frame of base or platform, and the
    largest angle, in radians, between it and the rod, seen from the pivot; `leg_radius` is that of the rods, which must
    not touch each other.
    """
    if not isinstance(mechanism.space, Spatial):
        raise ArgumentError("reach is for platforms in space; planar ones compare inverse_position with their limits")
    X = mechanism.space.checked(X, "reach: X")
    q = np.asarray(mechanism.inverse_position(X, branch) if branch is not None else mechanism.inverse_position(X))
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


@dataclass(frozen=True, eq=False)
class PlatformWorkspace:
    """A grid of positions (nx, ny, nz, 3), which of them are reached, and the volume that these stand for."""

    points: Array
    reached: Array
    volume: float
    dexterity: Array
    """(nx, ny, nz): smallest over largest singular value of the rods' lines; 0 where singular or not reached."""

    def __repr__(self) -> str:
        return f"<PlatformWorkspace: {int(self.reached.sum())} of {self.reached.size} points, {self.volume:.3g} m³>"


def workspace(
    mechanism: ParallelRobot, box: Any, orientations: Any = None, count: int = 20, branch: Any = None, **limits: Any
) -> PlatformWorkspace:
    """Positions in a box, ((x0, x1), (y0, y1), (z0, z1)), that the platform reaches in one of the orientations.

    With one rotation (3, 3), the identity by default, it is the workspace of constant orientation; with several
    (k, 3, 3) a position counts if any of them reaches it.  `limits` are those of `reach`.
    """
    sides = np.asarray(box, float)
    if sides.shape != (3, 2) or not (sides[:, 0] < sides[:, 1]).all():
        raise ArgumentError("box is ((x0, x1), (y0, y1), (z0, z1)) with the smaller number first")
    cell = (sides[:, 1] - sides[:, 0]) / count
    axes = [low + size * (np.arange(count) + 0.5) for low, size in zip(sides[:, 0], cell, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    turns = np.eye(3)[None] if orientations is None else np.asarray(orientations, float).reshape(-1, 3, 3)
    reached, best = np.zeros(points.shape[:3], bool), np.zeros(points.shape[:3])
    for R in turns:
        X = np.tile(np.eye(4), (*points.shape[:3], 1, 1))
        X[..., :3, :3], X[..., :3, 3] = R, points
        inside = reach(mechanism, X, branch, **limits).reached
        A = np.asarray(mechanism._run("lines", X[inside], branch=branch)[0])
        values = np.linalg.svd(mechanism._scale[:, None] * A, compute_uv=False)
        here = np.zeros(inside.shape)
        here[inside] = (
            values[:, mechanism.space.freedoms - 1] / values[:, 0] if mechanism.n >= mechanism.space.freedoms else 0.0
        )
        reached, best = reached | inside, np.maximum(best, here)
    return PlatformWorkspace(points, reached, float(reached.sum() * cell.prod()), best)


def singularity_free_radius(
    mechanism: ParallelRobot, X: Any, largest: float, count: int = 200, steps: int = 64
) -> float:
    """How far the platform can move from X without turning and, along sampled directions, without a singularity.

    The determinant of the rods' lines keeps its sign inside; the radius is the smallest over `count` rays of `steps`
    samples each, an upper bound of the true one that gets better with both.
    """
    X = mechanism.space.checked(X, "singularity_free_radius: X")
    rng = np.random.default_rng(1)
    rays = rng.normal(size=(count, 3))
    rays = rays / np.linalg.norm(rays, axis=-1, keepdims=True)
    radii = largest * (np.arange(steps) + 1.0) / steps
    poses = np.tile(X, (count, steps, 1, 1))
    poses[..., :3, 3] = X[:3, 3] + rays[:, None] * radii[:, None]
    q = np.asarray(mechanism.inverse_position(poses))
    side = orientation(mechanism, poses, np.asarray(spheres(mechanism.legs)(q)[0]))
    here = orientation(mechanism, X, np.asarray(spheres(mechanism.legs)(np.asarray(mechanism.inverse_position(X)))[0]))
    crossed = ~(side * here > 0.0)
    return float(np.where(crossed, radii - largest / steps, largest).min())


def _outside(directions: Array, cone: tuple[Any, float] | None, n: int) -> Array:
    """Which rods lean further than their joint allows: (..., n)."""
    if cone is None:
        return np.zeros(directions.shape[:-1], bool)
    axis = np.broadcast_to(np.asarray(cone[0], float), (n, 3))
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.asarray((directions * axis).sum(axis=-1) < np.cos(cone[1]))


def _touching(P: Array, Q: Array, least: float, mechanism: ParallelRobot) -> Array:
    """Which rods are nearer to a later one than `least`; those that share a pivot are not compared."""
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


def segment_distance(P0: Any, P1: Any, Q0: Any, Q1: Any) -> Array:
    """Least distance between two segments (..., 3), by clamping (Ericson, Real-Time Collision Detection, 5.1.9).

    >>> float(segment_distance([0.0, 0, 0], [1.0, 0, 0], [0.5, 1, -1], [0.5, 1, 1]))
    1.0
    """
    P0, P1, Q0, Q1 = (np.asarray(x, float) for x in (P0, P1, Q0, Q1))
    u, v, w = P1 - P0, Q1 - Q0, P0 - Q0
    a, b, c = (u * u).sum(-1), (u * v).sum(-1), (v * v).sum(-1)
    d, e = (u * w).sum(-1), (v * w).sum(-1)
    D = a * c - b * b
    with np.errstate(invalid="ignore", divide="ignore"):
        s = np.clip(np.where(1e-14 * a * c < D, (b * e - c * d) / np.where(D > 0.0, D, 1.0), 0.0), 0.0, 1.0)
        t = (b * s + e) / c
        clamped = np.clip(t, 0.0, 1.0)
        s = np.where(t == clamped, s, np.clip((b * clamped - d) / a, 0.0, 1.0))
    return np.asarray(np.linalg.norm(w + s[..., None] * u - clamped[..., None] * v, axis=-1))
