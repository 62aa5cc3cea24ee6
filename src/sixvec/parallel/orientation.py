"""On which side of the singularities a pose is."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.border import Array
from sixvec.compiler.program import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Space
from sixvec.spatial import Vec3


@lru_cache(maxsize=64)
def rod_forces(pivots: tuple[Vec3, ...], space: Space) -> CompiledFunction:
    """Pose and centres (n, 3) of the spheres to the wrenches (n, m) of forces as long as the rods, along them."""

    def run(X: Any, centre: Any) -> Any:
        return [
            space.force(X, b, space.pivot(X, b) - Vec3.of(c), "local_world_aligned")
            for b, c in zip(pivots, centre, strict=True)
        ]

    n = len(pivots)
    identity = f"parallel rod_forces {pivots} {type(space).__name__}"
    return CompiledFunction(run, (space.port, Port("centre", (n, 3))), (Port("rows", (n, space.freedoms)),), identity)


def orientation(robot: ParallelRobot, X: Array, centre: Array) -> Array:
    """The determinant of the rods' lines at poses X, NaN where undefined: it vanishes at singularities of
    type II, so that its sign distinguishes the two sides."""
    rows = np.asarray(rod_forces(tuple(leg.platform for leg in robot.legs), robot.space)(X, centre))
    finite = np.isfinite(rows).all(axis=(-1, -2), keepdims=True)
    return np.where(finite[..., 0, 0], np.linalg.det(np.where(finite, rows, 0.0)), np.nan)
