"""Dubins paths: the shortest way forward from pose to pose with bounded curvature."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.function import compiled
from sixvec.mobile.paths.curve import CurvePath, Plan
from sixvec.mobile.paths.words import (
    NEVER,
    Candidate,
    between_poses,
    both_sides,
    forward,
    normalised,
    polar,
    root,
    shortest,
    shortest_paths,
)
from sixvec.scalar import Scalar, arctan2, where
from sixvec.spatial.norm import root as smooth_root
from sixvec.tolerances import EQUAL, ROUNDING

DUBINS_WORDS = ("LSL", "LSR", "LRL", "RSR", "RSL", "RLR")


@any_arrays_same_dtype
@differentiable(lambda start, goal, radius: between_poses(_answer, start, goal, radius))
def dubins(start: ArrayLike, goal: ArrayLike, radius: ArrayLike) -> CurvePath:
    """The shortest paths from poses `start` to `goal` (..., 3), forward only, turning with `radius` (...) or wider.

    The shortest of all six sequences of turns and lines (Dubins 1957).  Of a start or goal (..., 2), a point, any
    heading will do.  Samples that are not finite give NaN.

    >>> from sixvec.mobile import dubins
    >>> dubins([0.0, 0.0, 0.0], [0.0, 0.0, 3.141592653589793], 1.0)
    <CurvePath: LRL, 7.33038 m>
    """
    return shortest_paths(start, goal, radius, dubins_length, _with_heading, _answer)  # type: ignore[no-any-return]


def _answer(start: Any, goal: Any, radius: Any, length: Any) -> CurvePath:
    plan = Plan(dubins_path, DUBINS_WORDS, start, goal, radius, length)
    return CurvePath(start, goal, radius, length, plan, gears=False)


@compiled("start[3] goal[3] radius -> length")
def dubins_length(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> Any:
    """The length of the shortest path alone."""
    return shortest(candidates(normalised(start, goal, radius)))[0] * radius


@compiled("start[3] goal[3] radius -> length parts[5] word")
def dubins_path(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> Any:
    """Length, parts in radii, which are angles for turns, and the number of the family of the shortest path."""
    length, parts, word = shortest(candidates(normalised(start, goal, radius), smooth_root))
    return length * radius, [*parts, 0.0, 0.0], word


@compiled("start[3] goal[3] radius -> length[6]")
def dubins_lengths(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> Any:
    """The lengths of all words, in the order of `DUBINS_WORDS`; 1e300 radii where one does not exist."""
    return [length * radius for length, _, _ in candidates(normalised(start, goal, radius))]


def candidates(goal: Sequence[Scalar], root: Callable[[Scalar], Scalar] = root) -> list[Candidate]:
    """The six words; those that begin with a right turn are mirror images of the others."""
    return both_sides(_first_left, goal, root)


def _first_left(
    x: Scalar, y: Scalar, c: Scalar, s: Scalar, angle: Scalar, root: Callable[[Scalar], Scalar]
) -> list[Candidate]:
    """LSL, LSR, LRL: turns between headings, from the vector between the centres of the first and the last circle."""
    rho, square, theta = polar(x - s, y + c - 1.0)
    straight = where(rho < EQUAL, 0.0, theta)  # on a common circle the direction of the line is rounding
    lsl = (forward(straight), rho, forward(angle - straight))
    far, far_square, direction = polar(x + s, y - c - 1.0)
    line = root(far_square - 4.0)
    heading = direction + arctan2(2.0, line)  # the line crosses from one circle to the other
    lsr = (forward(heading), line, forward(heading - angle))
    half = math.pi - arctan2(rho, root(16.0 - square))  # of the turn on the circle that touches both: over 180°
    lrl = (forward(theta + half), half * 2.0, forward(angle - theta + half))
    return [
        (sum(lsl), lsl, 0),
        (where(far < 2.0 - ROUNDING, NEVER, sum(lsr)), lsr, 1),
        (where(rho > 4.0 + ROUNDING, NEVER, sum(lrl)), lrl, 2),
    ]


def _with_heading(start: Array, goal: Array, radius: Array) -> Array:
    """The goal with the heading of the shortest path to its point: a turn and a line, or two turns.

    At a free heading the path ends in a line, or in a turn of more than 180° whose heading is stationary.
    """
    goals, radii = np.broadcast_arrays(goal, radius[..., None])[0], radius[..., None]
    c, s = np.cos(start[..., 2]), np.sin(start[..., 2])
    d = (goals - start[..., :2]) / radii
    x, y = c * d[..., 0] + s * d[..., 1], c * d[..., 1] - s * d[..., 0]
    headings = []
    with np.errstate(invalid="ignore"):
        for side in (1.0, -1.0):
            rho, theta = np.hypot(x, side * y - 1.0), np.arctan2(side * y - 1.0, x)
            headings.append(side * (theta + np.arctan2(1.0, np.sqrt(np.maximum(rho**2 - 1.0, 0.0)))))
            # two turns: a circle of the other side touches the first one and passes through the point
            to_middle = np.arccos(np.clip((rho**2 + 3.0) / (4.0 * np.maximum(rho, 1e-300)), -1.0, 1.0))
            for way in (1.0, -1.0):
                middle = theta + way * to_middle
                px, py = x - 2.0 * np.cos(middle), side * y - 1.0 - 2.0 * np.sin(middle)
                headings.append(side * (np.arctan2(py, px) - math.pi / 2))
    tried = np.stack(np.broadcast_arrays(*headings), axis=-1) + start[..., 2, None]
    poses = np.concatenate([np.broadcast_to(goals[..., None, :], (*tried.shape, 2)), tried[..., None]], axis=-1)
    lengths = dubins_length(start[..., None, :], poses, radius[..., None])
    best = np.argmin(np.where(np.isnan(lengths), np.inf, lengths), axis=-1)
    return np.take_along_axis(poses, best[..., None, None], axis=-2)[..., 0, :]
