"""Reeds-Shepp paths: the shortest way, forward and backward, from pose to pose with bounded curvature.

Every path of Reeds and Shepp (1990) is a chain of circles and lines that touch.  Given the chain, each turn is known up
to full circles, and both of its senses are admissible paths: the shorter one is used.  So the 48 words, which
differ in gears, are 20 chains for each side of the first turn's circle, a superset with the same shortest path.
"""

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
    normalised,
    polar,
    root,
    shortest,
    shortest_paths,
    wrapped,
)
from sixvec.scalar import Scalar, arctan2, where
from sixvec.spatial.norm import root as smooth_root

_LEFT = (
    "LSL", "LSL", "LSR", "LSR", "LRL", "LRL", "LRLR", "LRLR", "LRLR", "LRLR",
    "LRSL", "LRSL", "LRSR", "LRSR", "LSLR", "LSLR", "LSRL", "LSRL", "LRSLR", "LRSLR",
)  # fmt: skip
REEDS_SHEPP_WORDS = (*_LEFT, *(w.translate(str.maketrans("LR", "RL")) for w in _LEFT))
"""The letters of every chain that is tried."""

_QUARTER = math.pi / 2


@any_arrays_same_dtype
@differentiable(lambda start, goal, radius: between_poses(_answer, start, goal, radius))
def reeds_shepp(start: ArrayLike, goal: ArrayLike, radius: ArrayLike) -> CurvePath:
    """The shortest paths from poses `start` to `goal` (..., 3), in both gears, turning with `radius` (...) or wider.

    Of a start or goal (..., 2), a point, any heading will do; the best one is found to about 1e-9 radii.
    Samples that are not finite give NaN.

    >>> from sixvec.mobile import reeds_shepp
    >>> reeds_shepp([0.0, 0.0, 0.0], [0.5, 0.8, 2.5], 1.0)
    <CurvePath: L+R-L+, 2.5 m>
    """
    return shortest_paths(start, goal, radius, reeds_shepp_length, _with_heading, _answer)  # type: ignore[no-any-return]


def _answer(start: Any, goal: Any, radius: Any, length: Any) -> CurvePath:
    plan = Plan(reeds_shepp_path, REEDS_SHEPP_WORDS, start, goal, radius, length)
    return CurvePath(start, goal, radius, length, plan, gears=True)


@compiled("start[3] goal[3] radius -> length")
def reeds_shepp_length(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> Any:
    """The length of the shortest path alone."""
    return shortest(candidates(normalised(start, goal, radius)))[0] * radius


@compiled("start[3] goal[3] radius -> length parts[5] word")
def reeds_shepp_path(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> Any:
    """Length, parts in radii, which are angles for turns, and the number of the chain of the shortest path."""
    length, parts, word = shortest(candidates(normalised(start, goal, radius), smooth_root))
    return length * radius, list(parts), word


@compiled("start[3] goal[3] radius -> length[40]")
def reeds_shepp_lengths(start: Sequence[Scalar], goal: Sequence[Scalar], radius: Scalar) -> Any:
    """The lengths of all chains, in the order of `REEDS_SHEPP_WORDS`; 1e300 radii where one does not exist."""
    return [length * radius for length, _, _ in candidates(normalised(start, goal, radius))]


def candidates(goal: Sequence[Scalar], root: Callable[[Scalar], Scalar] = root) -> list[Candidate]:
    """All chains; those that begin on the right circle are mirror images of the others."""
    return both_sides(_first_left, goal, root)


def _first_left(
    x: Scalar, y: Scalar, c: Scalar, s: Scalar, angle: Scalar, root: Callable[[Scalar], Scalar]
) -> list[Candidate]:
    """The chains that begin on the left circle.

    With h₁, h₂ … the headings where segments meet, the centre of the first circle is joined to that of the last by a
    vector that depends on them; `near` leads to the left circle of the goal, `far` to the right one.
    """
    near, near_square, near_angle = polar(x - s, y + c - 1.0)
    far, far_square, far_angle = polar(x + s, y - c - 1.0)
    near_line, far_line = root(near_square - 4.0), root(far_square - 4.0)
    near_cross, far_cross = arctan2(2.0, near_line), arctan2(2.0, far_line)
    near_apart, far_apart = near < 2.0, far < 2.0
    candidates: list[Candidate] = []

    def add(chain: str, headings: Sequence[Scalar], line: Scalar = 0.0, unless: Any = None) -> None:
        """A chain from the headings at its joints; one more than turns, since a line keeps its heading."""
        parts, length, at = [], 0.0, 0.0
        joints = iter((*headings, angle))
        for letter in chain:
            if letter == "S":
                parts.append(line)
                length = length + abs(line)
                continue
            after = next(joints)
            turn = wrapped(after - at)
            parts.append(turn if letter == "L" else -turn)
            length, at = length + abs(turn), after
        total = length if unless is None else where(unless, NEVER, length)
        candidates.append((total, (*parts, *[0.0] * (5 - len(parts))), len(candidates)))

    # LSL: the line is parallel to the vector.  LSR: it crosses it.
    add("LSL", [near_angle], near)
    add("LSL", [near_angle + math.pi], -near)
    add("LSR", [far_angle + far_cross], far_line, far_apart)
    add("LSR", [far_angle + math.pi - far_cross], -far_line, far_apart)
    # LRL: the third circle is on one or the other side of the vector.
    half = arctan2(near, root(16.0 - near_square))
    add("LRL", [near_angle + half, near_angle - half], unless=near > 4.0)
    add("LRL", [near_angle + math.pi - half, near_angle - math.pi + half], unless=near > 4.0)
    # LRLR with equal turns in the middle, both of which change the heading the same way ...
    cosine = (far + 2.0) * 0.25
    turn, middle = arctan2(root(1.0 - cosine * cosine), cosine), far_angle + _QUARTER
    add("LRLR", [middle - turn, middle, middle + turn], unless=far > 2.0)
    add("LRLR", [middle + turn, middle, middle - turn], unless=far > 2.0)
    # ... or opposite ways.
    cosine = (20.0 - far_square) * 0.0625
    sine = root(1.0 - cosine * cosine)
    turn, lean = arctan2(sine, cosine), arctan2(sine, 2.0 - cosine)
    impossible = abs(cosine) > 1.0
    first = far_angle + _QUARTER + lean
    add("LRLR", [first, first + turn, first], unless=impossible)
    first = far_angle + _QUARTER - lean
    add("LRLR", [first, first - turn, first], unless=impossible)
    # A quarter turn between a cusp and a line.
    line = near_angle - math.pi + near_cross
    add("LRSL", [line - _QUARTER, line], 2.0 - near_line, near_apart)
    line = near_angle - near_cross
    add("LRSL", [line + _QUARTER, line], near_line - 2.0, near_apart)
    line = far_angle + math.pi
    add("LRSR", [line - _QUARTER, line], 2.0 - far)
    add("LRSR", [far_angle + _QUARTER, far_angle], far - 2.0)
    add("LSLR", [far_angle, far_angle + _QUARTER], far - 2.0)
    add("LSLR", [far_angle + math.pi, far_angle + _QUARTER], 2.0 - far)
    line = near_angle + near_cross
    add("LSRL", [line, line - _QUARTER], near_line - 2.0, near_apart)
    line = near_angle + math.pi - near_cross
    add("LSRL", [line, line + _QUARTER], 2.0 - near_line, near_apart)
    # Quarter turns on both sides of the line.
    line = far_angle - math.pi + far_cross
    add("LRSLR", [line - _QUARTER, line, line - _QUARTER], 4.0 - far_line, far_apart)
    line = far_angle - far_cross
    add("LRSLR", [line + _QUARTER, line, line + _QUARTER], far_line - 4.0, far_apart)
    return candidates


_COARSE, _FINE, _ROUNDS = 720, 17, 10
"""Headings tried around the circle, then repeatedly around the best, each time eight times finer."""


def _with_heading(start: Array, goal: Array, radius: Array) -> Array:
    """The goal with the heading of the shortest path to its point."""
    offsets = np.linspace(-math.pi, math.pi, _COARSE, endpoint=False)
    step = offsets[1] - offsets[0]
    heading = np.zeros(np.broadcast_shapes(start.shape[:-1], goal.shape[:-1], radius.shape))
    for _ in range(_ROUNDS):
        tried = heading[..., None] + offsets
        places = np.broadcast_to(goal[..., None, :], (*tried.shape, 2))
        poses = np.concatenate([places, tried[..., None]], axis=-1)
        lengths = reeds_shepp_length(start[..., None, :], poses, radius[..., None])
        best = np.argmin(np.where(np.isnan(lengths), np.inf, lengths), axis=-1)
        heading = np.take_along_axis(tried, best[..., None], axis=-1)[..., 0]
        offsets = np.linspace(-step, step, _FINE)
        step = offsets[1] - offsets[0]
    return np.concatenate([np.broadcast_to(goal, (*heading.shape, 2)), heading[..., None]], axis=-1)
