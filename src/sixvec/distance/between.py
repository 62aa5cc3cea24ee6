"""Whether a robot is clear of itself and of obstacles on a whole straight motion, by bounds and not by samples.

No gap can shrink faster than the way of both shapes, which `levers` bounds, counting only the joints between
them.  So each state of a motion certifies a stretch around it: as long as its gaps last.  The middle of what no state
has certified is looked at next, until a state overlaps or nothing is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.gaps import Indices
from sixvec.distance.levers import Ways, travel_of, tree_motion
from sixvec.distance.part import Part
from sixvec.distance.search import PlacedRobot

HALVINGS = 40
"""Rounds, of which each at least halves what is left of a motion; then it is narrower than rounding and counts as not
clear."""

MOST_CHECKS = 20_000
"""States of a motion that are looked at: one that needs more runs along an obstacle at nearly no distance, and counts
as not clear."""

AT_ONCE = 4096
"""Stretches of motions that are looked at together."""


@dataclass(frozen=True, eq=False)
class Motions:
    """Straight motions from q0 (n, nq) by dq (n, nv)."""

    q0: Array
    q1: Array
    dq: Array
    integrate: Callable[[Array, Array], Array]


def clear_between(robot: PlacedRobot, parts: Sequence[Part], motions: Motions) -> tuple[NDArray[np.bool_], Indices]:
    """Which motions are certainly clear, and how many states of each were looked at."""
    n = len(motions.q0)
    clear, checks = np.array(np.isfinite(motions.dq).all(axis=1)), np.zeros(n, np.intp)
    if not n or not parts:
        return clear, checks
    todo = np.flatnonzero(clear)
    for start in range(0, len(todo), AT_ONCE):
        _certify(robot, parts, motions, todo[start : start + AT_ONCE], clear, checks)
    return clear, checks


def _certify(
    robot: PlacedRobot, parts: Sequence[Part], motions: Motions, which: Indices, clear: NDArray[np.bool_],
    checks: Indices,
) -> None:  # fmt: skip
    q0, q1, dq = motions.q0[which], motions.q1[which], motions.dq[which]
    whole = tree_motion(robot.tree, dq)
    ways = Ways(robot.levers, np.abs(whole), travel_of(robot.levers, robot.tree, q0, q1, whole))
    reaches = [pairs.reach(ways) for pairs in parts]
    row, low, high = np.arange(len(which)), np.zeros(len(which)), np.ones(len(which))
    for _ in range(HALVINGS):
        if not row.size:
            return
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        reach = half.copy()
        for start in range(0, len(row), AT_ONCE):
            block = slice(start, start + AT_ONCE)
            r = row[block]
            q = motions.integrate(q0[r], dq[r] * middle[block, None])
            for each in reaches:
                reach[block] = np.minimum(reach[block], each(q, r, reach[block]))
        np.add.at(checks, which[row], 1)
        clear[which[row[reach <= 0.0]]] = False
        clear[which[checks[which] > MOST_CHECKS]] = False
        again = (reach < half) & clear[which[row]]
        twice = np.tile(again, 2)
        low, high = np.append(low, middle + reach)[twice], np.append(middle - reach, high)[twice]
        row = np.tile(row, 2)[twice]
    clear[which[row]] = False
