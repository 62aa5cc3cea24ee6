"""Common functions of sequences of circles and lines, on scalars: lengths are in radii, angles in radians."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.compiler.graph import rint
from sixvec.errors import ArgumentError, ShapeError
from sixvec.kernels.any_arrays import alike
from sixvec.mobile.wheel import warn_of_degrees
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where
from sixvec.tolerances import ROUNDING

TURN = 2.0 * math.pi
NEVER = 1e300
"""The length of a word that does not exist here."""


def wrapped(angle: Scalar) -> Scalar:
    """The equal angle in [-π, π]."""
    return angle - rint(angle * (1.0 / TURN)) * TURN


def forward(angle: Scalar) -> Scalar:
    """The equal angle in [0, 2π): a turn in one direction only."""
    a = wrapped(angle)
    return where(a < -ROUNDING, a + TURN, where(a < 0.0, 0.0, a))


def polar(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Length, its square, and direction of a vector."""
    square = x * x + y * y
    return sqrt(square), square, arctan2(y, x)


def root(x: Scalar) -> Scalar:
    """The square root, 0 for negative numbers; NaN is passed on."""
    return sqrt(where(x < 0.0, 0.0, x))


def normalised(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> tuple[Scalar, ...]:
    """The goal relative to the start, in radii: x, y, cos φ, sin φ, φ."""
    c, s, unit = cos(start[2]), sin(start[2]), 1.0 / radius
    dx, dy, angle = (goal[0] - start[0]) * unit, (goal[1] - start[1]) * unit, goal[2] - start[2]
    return c * dx + s * dy, c * dy - s * dx, cos(angle), sin(angle), angle


Candidate = tuple[Scalar, tuple[Scalar, ...], int]
"""The length of a word, its signed segments, and its number."""


def shortest(candidates: Sequence[Candidate]) -> Candidate:
    """The candidate of least length; the first of equal ones; NaN is passed on."""
    length, segments, word = candidates[0]
    best: list[Scalar] = [*segments, float(word)]
    for other, parts, number in candidates[1:]:
        shorter = other < length
        length = where(shorter, other, length)
        best = [where(shorter, new, old) for new, old in zip((*parts, float(number)), best, strict=True)]
    return length, tuple(best[:-1]), best[-1]


def both_sides(
    first_left: Callable[..., list[Candidate]], goal: Sequence[Scalar], root: Callable[[Scalar], Scalar]
) -> list[Candidate]:
    """The words that begin on the left circle, then their mirror images."""
    x, y, c, s, angle = goal
    left = first_left(x, y, c, s, angle, root)
    right = first_left(x, -y, c, -s, -angle, root)
    return [*left, *((length, parts, k + len(left)) for length, parts, k in right)]


def shortest_paths(
    start: ArrayLike, goal: ArrayLike, radius: ArrayLike,
    length: Callable[..., Array], heading: Callable[..., Array], path: Callable[..., Any],
) -> Any:  # fmt: skip
    """The paths between checked poses with their headings, of these lengths."""
    a, b, r = check_poses(start, goal, radius)
    a, b = with_headings(a, b, r, heading)
    lengths = length(a, b, r)
    require_comparable(a, b, r, lengths)
    return path(a, b, r, lengths)


def with_headings(start: Array, goal: Array, radius: Array, best: Callable[..., Array]) -> tuple[Array, Array]:
    """Start and goal as poses, with the headings of the shortest path where they are points.

    `best` finds that of a goal.  A path driven back from a goal turned by 180° is the same path, so it finds that of a
    start, too; between points it is a line.
    """
    if start.shape[-1] == 3:
        return start, goal if goal.shape[-1] == 3 else best(start, goal, radius)
    if goal.shape[-1] == 3:
        back = np.array([0.0, 0.0, math.pi])
        return best(goal + back, start, radius) - back, goal
    d = goal - start
    heading = np.arctan2(d[..., 1], d[..., 0])[..., None]
    a, b = (np.broadcast_to(p, d.shape) for p in (start, goal))
    return np.concatenate([a, heading], axis=-1), np.concatenate([b, heading], axis=-1)


def between_poses(function: Callable[..., Any], *arguments: Any) -> Any:
    """The shortest paths on arrays of another library; None if a heading is free, whose choice has no derivative."""
    poses = alike(*arguments)
    if not poses[0].shape[-1] == poses[1].shape[-1] == 3:
        return None
    length = function(*poses, None).plan.solve(*poses)[0]
    return function(*poses, length)


_FARTHEST = 1e100
"""Radii between start and goal, at most: the square of more is not a number."""


def require_comparable(a: Array, b: Array, r: Array, length: Array) -> None:
    """Raise an error for poses too far apart for the radius, and for paths of no length or of an infinite one."""
    if (length <= _FARTHEST * r).all():
        return
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = np.abs(b[..., :2] - a[..., :2]).max(axis=-1) / r
    far = np.isfinite(a).all(axis=-1) & np.isfinite(b).all(axis=-1) & (ratio > _FARTHEST)
    if far.any():
        raise ArgumentError(
            f"start and goal are {ratio[far].max():.3g} turning radii apart; paths are known up to {_FARTHEST:.0e}"
        )


def check_poses(start: ArrayLike, goal: ArrayLike, radius: ArrayLike) -> tuple[Array, Array, Array]:
    """Poses and radius as arrays; start and goal may lack their heading."""
    a, b, r = real_array("start", start), real_array("goal", goal), real_array("radius", radius)
    for name, pose in (("start", a), ("goal", b)):
        if pose.shape[-1:] not in ((3,), (2,)):
            raise ShapeError(f"{name} has shape {pose.shape}; a pose is (x, y, φ), (..., 3), or a point (..., 2)")
    wrong = r[~((r > 0.0) & (r < np.inf))]
    if wrong.size:
        raise ArgumentError(f"the turning radius is {wrong[0]:g}; it must be positive and finite, in metres")
    for name, pose in (("start", a), ("goal", b)):
        if pose.shape[-1] == 3:
            warn_of_degrees(pose, name)
    return a, b, r
