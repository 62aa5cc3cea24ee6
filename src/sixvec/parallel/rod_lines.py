"""The lines of the rods at poses: how far they are from a singularity of type II, and on which side of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.pivot_spheres import missing, spheres
from sixvec.parallel.space import Space
from sixvec.spatial import Vec3

if TYPE_CHECKING:
    from sixvec.parallel.mechanism import ParallelRobot

STEADY, AMPLIFIED = 1e-6, 100.0
"""Least singular value of the legs' lines, relative, at solutions of a certified list; and its square, in errors of the
lengths by rounding.  An error ε moves a solution by ε/σ; two solutions are about σ apart, so that they may meet if
σ² is as small as ε.  On a curve of solutions σ is zero."""


def steady(robot: ParallelRobot) -> float:
    """The least singular value, relative, of solutions that stay apart whatever the last digits of the numbers are."""
    return max(STEADY, float(np.sqrt(AMPLIFIED * robot.rounding / robot.size)))


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


def side_of(robot: ParallelRobot, X: Array, q: Array) -> Array:
    """`orientation` at poses X of the kernels with actuator positions q, in the robot's normal form."""
    form = robot.normal
    return orientation(form.robot, form.pose(X), np.asarray(spheres(form.robot.legs)(form.positions(q))[0]))


def unit_lines(robot: ParallelRobot, X: Array, centre: Array) -> Array:
    """Unit forces along the rods (..., n, m) at poses X, moments in sizes of the platform; NaN where undefined."""
    rows = np.asarray(rod_forces(tuple(leg.platform for leg in robot.legs), robot.space)(X, centre))
    turns = robot.space.turns
    with np.errstate(invalid="ignore", divide="ignore"):
        if turns < robot.space.freedoms:
            rows = rows / np.linalg.norm(rows[..., turns:], axis=-1, keepdims=True)
        else:  # a platform about a point: the lengths of the rods
            rows = rows / missing(robot, X, centre, np.zeros(robot.n))[..., None]
    return np.asarray(rows / np.array([robot.size] * turns + [1.0] * (robot.space.freedoms - turns)))


def relative_least(lines: Array, leverage: float = 0.0) -> Array:
    """The least singular value of lines (..., n, m) in units of the largest, or of a larger `leverage`.

    It is zero where they are undefined.
    """
    finite = np.asarray(np.isfinite(lines).all(axis=(-1, -2)))
    s = np.linalg.svd(np.where(finite[..., None, None], lines, np.eye(*lines.shape[-2:])), compute_uv=False)
    return np.where(finite, s[..., -1] / np.maximum(s[..., 0], leverage), 0.0)


def least_values(robot: ParallelRobot, q: Array, poses: Array) -> Array:
    """`relative_least` at poses (..., k, …) of actuator positions q (..., n); infinite for poses that are NaN."""
    form = robot.normal
    axes = tuple(range(-len(robot.space.as_user_pose(np.zeros(robot.space.port.shape)).shape), 0))
    there = np.isfinite(poses).all(axis=axes)
    values = np.full(there.shape, np.inf)
    if there.any():
        centre = np.asarray(spheres(form.robot.legs)(form.positions(q))[0])
        which = np.broadcast_to(centre[..., None, :, :], (*there.shape, *centre.shape[-2:]))[there]
        X = form.pose(robot.space.checked(poses[there], "poses"))
        values[there] = relative_least(unit_lines(form.robot, X, which), form.robot.leverage)
    return values
