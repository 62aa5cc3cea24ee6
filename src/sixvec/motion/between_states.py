"""The fastest motions between moving states, whose joints arrive together, or also move in proportion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.motion.path import derivative
from sixvec.motion.pieces import PointToPoint, of_constant_derivative
from sixvec.motion.third_order import NEVER, RISES, SIDES, blocked_kernel, mean_kernel
from sixvec.robot import Robot
from sixvec.tolerances import EQUAL, ROUNDING
from sixvec.verdict import Verdict

UNLIMITED = 1e9
"""Speed where no limit applies."""

SAME = 1e-7
"""Difference from the goal, in units of a joint and relative, beyond which a motion does not arrive."""

FACTORIALS = np.array([1.0, 1.0, 2.0, 6.0])

State = Sequence[Array]
"""What there is to travel and velocities and accelerations at the start and at the end, (..., joints)."""

Polynomials = Callable[[], tuple[Array, Array]]
"""Knots and coefficients, computed when they are needed."""


def between_states(
    robot: Robot, start: Array, state: State, limits: Sequence[Array], least: Array, in_proportion: bool
) -> PointToPoint:
    """Motions from `start` within limits of velocity, acceleration and jerk, that take at least so long.

    With `in_proportion` the joints move on a straight line where their states are on one.
    """
    limits = [np.minimum(limits[0], UNLIMITED), *limits[1:]]
    total, verdict, polynomials = (_on_lines if in_proportion else _arriving_together)(state, limits, least)

    def from_start() -> tuple[Array, Array]:
        knots, C = polynomials()
        C[..., 0] += start[..., None]
        return knots, C

    total = np.where(verdict == Verdict.SOLVED, total, np.nan)
    return PointToPoint(robot, total[()], verdict, from_start)


def _on_lines(state: State, limits: Sequence[Array], least: Array) -> tuple[Array, NDArray[np.int8], Polynomials]:
    """Motions in proportion where all parts of the state have one direction; others only arrive together."""
    parts = np.stack(np.broadcast_arrays(*state))
    sizes = np.abs(parts).max(axis=-1)
    longest = np.take_along_axis(parts, sizes.argmax(axis=0)[None, ..., None], axis=0)[0]
    largest = np.where(sizes.max(axis=0) > 0.0, sizes.max(axis=0), 1.0)
    line = longest / largest[..., None]
    along = (parts * line).sum(axis=-1) / np.maximum((line**2).sum(axis=-1), EQUAL)
    is_line = (np.abs(parts - along[..., None] * line).max(axis=-1) <= EQUAL * sizes).all(axis=0)
    with np.errstate(divide="ignore"):
        bounds = [(b / np.abs(line)).min(axis=-1, keepdims=True) for b in limits]
    bounds = [np.minimum(bounds[0], UNLIMITED), *(np.where(np.isfinite(b), b, 1.0) for b in bounds[1:])]
    total, verdict, polynomials = _arriving_together([x[..., None] for x in along], bounds, least)
    off = ~is_line
    others = _arriving_together([x[off] for x in parts], limits, least[off])
    total[off], verdict[off] = others[:2]

    def of_joints() -> tuple[Array, Array]:
        knots, C = polynomials()
        knots, C = np.repeat(knots, line.shape[-1], axis=-2), line[..., None, None] * C
        knots[off], C[off] = others[2]()
        return knots, C

    return total, verdict, of_joints


def _arriving_together(
    state: State, limits: Sequence[Array], least: Array
) -> tuple[Array, NDArray[np.int8], Polynomials]:
    """Durations and verdicts.  Each joint takes the time of the slowest, or the next longer one that is possible for
    all."""
    inputs = np.broadcast_arrays(*state, *limits)
    distance, v0, a0, v1, a1, V, A, J = inputs
    stops, starts = v0 + a0 * np.abs(a0) / (2.0 * J), v1 - a1 * np.abs(a1) / (2.0 * J)
    within = [np.abs(x) <= b * (1.0 + EQUAL) for x, b in
              ((v0, V), (v1, V), (stops, V), (starts, V), (a0, A), (a1, A))]  # fmt: skip
    possible = np.all(within, axis=(0, -1))
    total = _possible(np.where(possible, least, NEVER), *_blocked(inputs))
    total = np.where(possible & (total < NEVER), total, 1.0)
    *phases, share, missing = mean_kernel().call(*inputs, np.broadcast_to(total[..., None], distance.shape))
    missed = ~(missing <= SAME * (np.abs(distance) + 1.0)).all(axis=-1)
    verdict = np.where(missed, Verdict.NOT_CONVERGED, Verdict.SOLVED).astype(np.int8)
    verdict = np.where(possible, verdict, np.int8(Verdict.INFEASIBLE))
    return total, verdict, partial(_mean, inputs, phases, share)


def _blocked(inputs: Sequence[Array]) -> tuple[Array, Array]:
    """Intervals of durations (..., intervals of all joints) in which a joint has no motion."""
    sides = np.array(SIDES).reshape(2, *(1,) * inputs[0].ndim)
    ends = np.stack(blocked_kernel().call(sides, *inputs), axis=-1)  # (sides, ..., joints, begins and ends)
    ends = np.moveaxis(ends, 0, -2)
    ends = ends.reshape(*ends.shape[:-3], -1, 2)
    return ends[..., 0], ends[..., 1]


def _possible(least: Array, begins: Array, ends: Array) -> Array:
    """The shortest durations from `least` on in none of the intervals."""
    total = np.asarray(least, float)
    while True:  # each round leaves an interval for good
        T = total[..., None]
        late = (begins < T * (1.0 - EQUAL)) & (ends > T * (1.0 + ROUNDING))
        if not late.any():
            return total
        total = np.maximum(total, np.where(late, ends, 0.0).max(axis=-1))


def _mean(inputs: Sequence[Array], phases: Sequence[Array], share: Array) -> tuple[Array, Array]:
    """Knots and coefficients of means of the motions that go farthest and least far in a time.

    Limits are convex, and so is the set of motions within them between two states: a mean of two is one of them.
    """
    start = [np.zeros_like(inputs[0]), inputs[1], inputs[2]]
    count, jerk = len(RISES), inputs[-1][..., None] * RISES
    parts = np.stack(phases, axis=-1)
    two = [of_constant_derivative(times, side * jerk, 3, start)
           for times, side in zip((parts[..., :count], parts[..., count:]), SIDES, strict=True)]  # fmt: skip
    knots = np.sort(np.concatenate([two[0][0], two[1][0][..., 1:-1]], axis=-1), axis=-1)
    each = []
    for k, c in two:
        piece = (knots[..., :-1, None] >= k[..., None, 1:-1]).sum(axis=-1)
        after = knots[..., :-1] - np.take_along_axis(k, piece, axis=-1)
        c = np.take_along_axis(c, piece[..., None], axis=-2)
        each.append(np.stack([derivative(c[..., None], after, order)[..., 0] for order in range(4)], axis=-1))
    C = (each[0] + share[..., None, None] * (each[1] - each[0])) / FACTORIALS
    return knots, np.asarray(C)
