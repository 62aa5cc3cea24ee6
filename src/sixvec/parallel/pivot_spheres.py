"""The spheres on which actuator positions hold the platform's pivots, and how far poses are from them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.leg import Legs
from sixvec.parallel.space import Space
from sixvec.spatial import Vec3

if TYPE_CHECKING:
    from sixvec.parallel.mechanism import ParallelRobot


@lru_cache(maxsize=64)
def spheres(legs: Legs) -> CompiledFunction:
    """The spheres of the platform pivots for q: centres (n, 3) and radii (n)."""

    def run(q: Any) -> Any:
        balls = [leg.sphere(x) for leg, x in zip(legs, q, strict=True)]
        return [[*c] for c, _ in balls], [r for _, r in balls]

    n = len(legs)
    outputs = (Port("centre", (n, 3)), Port("radius", (n,)))
    return CompiledFunction(run, (Port("q", (n,)),), outputs, f"parallel spheres {legs}")


def missing(robot: ParallelRobot, X: Array, centre: Array, radius: Array) -> Array:
    """The error of each rod's length at poses: (..., n)."""
    return np.asarray(rod_errors(tuple(leg.platform for leg in robot.legs), robot.space)(X, centre, radius))


@lru_cache(maxsize=64)
def rod_errors(pivots: tuple[Vec3, ...], space: Space) -> CompiledFunction:
    def run(X: Any, centre: Any, radius: Any) -> Any:
        return [
            abs(r - (space.pivot(X, b) - Vec3.of(c)).norm()) for b, c, r in zip(pivots, centre, radius, strict=True)
        ]

    n = len(pivots)
    inputs = (space.port, Port("centre", (n, 3)), Port("radius", (n,)))
    identity = f"parallel rod_errors {pivots} {type(space).__name__}"
    return CompiledFunction(run, inputs, (Port("error", (n,)),), identity)


def never_closed(robot: ParallelRobot, centre: Array, radius: Array) -> tuple[Array, Array]:
    """Two legs whose lengths are incompatible with the fixed distance of their pivots on the platform, or -1: a proof
    that there is no pose."""
    centre = np.where(np.isfinite(centre), centre, np.nan)
    first, second = (np.full(radius.shape[:-1], -1) for _ in range(2))
    for j in range(robot.n):
        for i in range(j):
            if robot.space.turns:
                a, b = centre[..., j, :] - centre[..., i, :], robot.platform[j] - robot.platform[i]
            else:  # the distance of the pivots is one of the centres'
                a = centre[..., j, :] - robot.platform[j] - centre[..., i, :] + robot.platform[i]
                b = np.zeros(3)
            a, b = np.linalg.norm(a, axis=-1), np.linalg.norm(b)
            sides = np.stack([radius[..., i], radius[..., j], a, np.broadcast_to(b, a.shape)])
            with np.errstate(invalid="ignore"):  # a quadrilateral closes unless one side exceeds all others together
                open_ = (2.0 * sides.max(axis=0) > sides.sum(axis=0) * (1.0 + 1e-12) + robot.rounding) & (first < 0)
            longest = np.where(radius[..., j] > radius[..., i], j, i)
            first, second = np.where(open_, longest, first), np.where(open_, i + j - longest, second)
    return first, second
