"""The fastest motions between moving states, whose joints arrive together, or also move in proportion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.motion.path import derivative
from sixvec.motion.pieces import PointToPoint, of_constant_derivative
from sixvec.motion.third_order import NEVER, durations_kernel, extremes_kernel, phases_kernel
from sixvec.robot import Robot
from sixvec.tolerances import EQUAL
from sixvec.verdict import Verdict

UNLIMITED = 1e9
"""Speed where no limit applies."""

SAME = 1e-7
"""Difference from the goal, in units of a joint and relative, beyond which a duration is one at which no motion
arrives."""

LONGER = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 2.0, 2.0)
"""Durations of moving joints are made longer by these factors where the fastest one has no motion that cruises."""

FACTORIALS = np.array([1.0, 1.0, 2.0, 6.0])

State = Sequence[Array]
"""What there is to travel and velocities and accelerations at the start and at the end, (..., joints)."""


def between_states(
    robot: Robot, start: Array, state: State, limits: Sequence[Array], least: Array, in_proportion: bool
) -> PointToPoint:
    """Motions from `start` within limits of velocity, acceleration and jerk, that take at least so long.

    With `in_proportion` the joints move on a straight line where their states are on one.
    """
    limits = [np.minimum(limits[0], UNLIMITED), *limits[1:]]
    if not in_proportion:
        total, verdict, knots, C = _arriving_together(state, limits, least)
    else:
        total, verdict, knots, C = _on_lines(state, limits, least)
    C[..., 0] += start[..., None]
    total = np.where(verdict == Verdict.SOLVED, total, np.nan)
    return PointToPoint(robot, total[()], verdict, lambda: (knots, C))


def _on_lines(state: State, limits: Sequence[Array], least: Array) -> tuple[Array, NDArray[np.int8], Array, Array]:
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
    total, verdict, knots, C = _arriving_together([x[..., None] for x in along], bounds, least)
    knots, C = np.repeat(knots, line.shape[-1], axis=-2), line[..., None, None] * C
    if not is_line.all():
        others = _arriving_together([x[~is_line] for x in parts], limits, least[~is_line])
        total[~is_line], verdict[~is_line] = others[:2]
        count = max(C.shape[-2], others[3].shape[-2])
        (knots, C), (k, c) = (_with_pieces(count, *x) for x in ((knots, C), others[2:]))
        knots[~is_line], C[~is_line] = k, c
    return total, verdict, knots, C


def _arriving_together(
    state: State, limits: Sequence[Array], least: Array
) -> tuple[Array, NDArray[np.int8], Array, Array]:
    """Durations, verdicts, knots and coefficients.  Each joint takes the time of the slowest, or the next longer one
    that is possible for all."""
    inputs = np.broadcast_arrays(*state, *limits)
    _, v0, a0, v1, a1, V, A, J = inputs
    stops, starts = v0 + a0 * np.abs(a0) / (2.0 * J), v1 - a1 * np.abs(a1) / (2.0 * J)
    within = [np.abs(x) <= b for x, b in ((v0, V), (v1, V), (stops, V), (starts, V), (a0, A), (a1, A))]
    possible = np.all(within, axis=(0, -1))
    sides = np.array([1.0, -1.0]).reshape(2, *(1,) * v0.ndim)
    of_sides = [np.asarray(x) for x in durations_kernel().call(sides, *inputs)]
    side = of_sides[0].argmin(axis=0)[None]
    shortest, begins, ends = (np.take_along_axis(x, side, axis=0)[0] for x in of_sides)
    total = np.asarray(np.maximum(shortest.max(axis=-1), least))
    total = np.where(possible & (total < NEVER), total, 1.0)
    for _ in range(v0.shape[-1]):  # beyond one blocked interval another joint may have one
        late = (begins < total[..., None]) & (total[..., None] < ends) & (begins < NEVER)
        total = np.where(late.any(axis=-1), np.max(np.where(late, ends, 0.0), axis=-1), total)
    knots, C, missed = _moved(inputs, total)
    for factor in LONGER:
        if not (missed & possible).any():
            break
        total = np.where(missed, factor * total, total)
        knots, C, missed = _moved(inputs, total)
    verdict = np.where(missed, Verdict.NOT_CONVERGED, Verdict.SOLVED).astype(np.int8)
    return total, np.where(possible, verdict, np.int8(Verdict.INFEASIBLE)), knots, C


def _moved(inputs: Sequence[Array], total: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Knots and coefficients of motions of given durations, and which of them do not arrive."""
    phases = np.stack(phases_kernel().call(*inputs, _each(total, inputs)), axis=-1)
    knots, C = _pieces(inputs, phases)
    missed = _misses(inputs, total, knots, C)
    which = np.asarray(missed.any(axis=-1))
    if not which.any():
        return knots, C, which
    some = [x[which] for x in inputs]
    k, c, still = _mean(some, total[which])
    knots, C = _with_pieces(c.shape[-2], knots, C)
    alone = missed[which]
    knots[which] = np.where(alone[..., None], k, knots[which])
    C[which] = np.where(alone[..., None, None], c, C[which])
    which[which] = (alone & still).any(axis=-1)
    return knots, C, which


def _each(total: Array, inputs: Sequence[Array]) -> Array:
    return np.broadcast_to(total[..., None], inputs[0].shape)


def _pieces(inputs: Sequence[Array], phases: Array) -> tuple[Array, Array]:
    start = [np.zeros_like(inputs[0]), inputs[1], inputs[2]]
    return of_constant_derivative(phases[..., :7], phases[..., 7:], 3, start)


def _states(C: Array, t: Array) -> list[Array]:
    """Positions and their three derivatives on pieces (..., 4) at times from their starts."""
    return [np.asarray(derivative(C[..., None], t, order)[..., 0]) for order in range(4)]


def _misses(inputs: Sequence[Array], total: Array, knots: Array, C: Array) -> NDArray[np.bool_]:
    """Which joints are not at their goals when the time is over."""
    end = _states(C[..., -1, :], knots[..., -1] - knots[..., -2])
    misses: NDArray[np.bool_] = ~(np.abs(knots[..., -1] - total[..., None]) <= SAME * total[..., None])
    for x, y in zip(end, (inputs[0], *inputs[3:5]), strict=False):
        misses |= ~(np.abs(x - y) <= SAME * (np.abs(y) + 1.0))
    return misses


def _mean(inputs: Sequence[Array], total: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Means of the motions that go farthest and least far in a time, and which of them do not arrive.

    Limits are convex, and so is the set of motions within them between two states: a mean of two is one of them.
    """
    phases = np.stack(extremes_kernel().call(*inputs, _each(total, inputs)), axis=-1)
    two = [_pieces(inputs, phases[..., k : k + 14]) for k in (0, 14)]
    ways = [_states(c[..., -1, :], k[..., -1] - k[..., -2])[0] for k, c in two]
    span = ways[1] - ways[0]
    share = (inputs[0] - ways[0]) / np.where(np.abs(span) > 0.0, span, 1.0)
    knots = np.sort(np.concatenate([two[0][0], two[1][0][..., 1:-1]], axis=-1), axis=-1)
    each = []
    for k, c in two:
        piece = (knots[..., :-1, None] >= k[..., None, 1:-1]).sum(axis=-1)
        after = knots[..., :-1] - np.take_along_axis(k, piece, axis=-1)
        each.append(np.stack(_states(np.take_along_axis(c, piece[..., None], axis=-2), after), axis=-1) / FACTORIALS)
    C = each[0] + share[..., None, None] * (each[1] - each[0])
    misses = _misses(inputs, total, knots, C) | ~((share >= -EQUAL) & (share <= 1.0 + EQUAL))
    for k, _ in two:
        misses |= ~(np.abs(k[..., -1] - total[..., None]) <= SAME * total[..., None])
    return knots, C, misses


def _with_pieces(count: int, knots: Array, C: Array) -> tuple[Array, Array]:
    """The same motions with more pieces, of no duration, at the end."""
    more = count - C.shape[-2]
    end = np.stack(_states(C[..., -1, :], knots[..., -1] - knots[..., -2]), axis=-1) / FACTORIALS
    end = np.broadcast_to(end[..., None, :], (*end.shape[:-1], more, 4))
    last = np.broadcast_to(knots[..., -1:], (*knots.shape[:-1], more))
    return np.concatenate([knots, last], axis=-1), np.concatenate([C, end], axis=-2)
