"""Whether a robot is clear of itself and of obstacles on a whole straight motion, by bounds and not by samples.

In a part of a motion no gap can shrink by more than the way of both shapes, which `levers` bounds, counting
only the joints between them.  If at its middle every gap is larger than that for half of the part, the part is clear;
otherwise it is halved, until a state overlaps or all parts are clear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.gaps import Indices
from sixvec.distance.levers import Levers, levers, travel_of, tree_motion
from sixvec.distance.search import PlacedRobot
from sixvec.tolerances import ROUNDING

HALVINGS = 30
"""After so many, what is left is narrower than rounding: it counts as not clear."""

MOST_CHECKS = 20_000
"""States of a motion that are looked at: one that needs more runs along an obstacle at nearly no distance, and counts
as not clear."""

AT_ONCE = 4096
"""Parts of motions that are looked at together."""


class Bounded(Protocol):
    """Pairs with a bound of their relative motion each."""

    robot: PlacedRobot

    def ways(self, speeds: Array) -> Array:
        """What bounds (n, shapes, nv) mean for each pair (n, pairs)."""
        ...

    def closer_than(self, q: Array, margin: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each state whether a gap is at most its margin (n, pairs), and whether one is zero or less."""
        ...


@dataclass(frozen=True, eq=False)
class Motions:
    """Straight motions from q0 (n, nq) by dq (n, nv)."""

    q0: Array
    q1: Array
    dq: Array
    integrate: Callable[[Array, Array], Array]


def clear_between(parts: list[Bounded], motions: Motions) -> tuple[NDArray[np.bool_], Indices]:
    """Which motions are certainly clear, and how many states of each were looked at."""
    n = len(motions.q0)
    clear, checks = np.array(np.isfinite(motions.dq).all(axis=1)), np.zeros(n, np.intp)
    if not n or not parts:
        return clear, checks
    robot = parts[0].robot
    arms = levers(robot.tree, robot.shapes)
    todo = np.flatnonzero(clear)
    for start in range(0, len(todo), AT_ONCE):
        _certify(parts, motions, arms, todo[start : start + AT_ONCE], clear, checks)
    return clear, checks


def _certify(
    parts: list[Bounded], motions: Motions, arms: Levers, which: Indices, clear: NDArray[np.bool_], checks: Indices
) -> None:
    tree = parts[0].robot.tree
    q0, q1, dq = motions.q0[which], motions.q1[which], motions.dq[which]
    whole = tree_motion(tree, dq)
    speeds = arms.speeds(whole, travel_of(arms, tree, q0, q1, whole))
    ways = [pairs.ways(speeds) for pairs in parts]
    row, middle, half = np.arange(len(which)), np.full(len(which), 0.5), 0.5
    for _ in range(HALVINGS):
        if not row.size:
            return
        again, hit = np.zeros(len(row), bool), np.zeros(len(row), bool)
        for start in range(0, len(row), AT_ONCE):
            block = slice(start, start + AT_ONCE)
            r = row[block]
            q = motions.integrate(q0[r], dq[r] * middle[block, None])
            for pairs, way in zip(parts, ways, strict=True):
                near, touches = pairs.closer_than(q, way[r] * half + ROUNDING)
                again[block] |= near
                hit[block] |= touches
        np.add.at(checks, which[row], 1)
        clear[which[row[hit]]] = False
        clear[which[checks[which] > MOST_CHECKS]] = False
        again &= clear[which[row]]
        row, middle, half = row[again], middle[again], 0.5 * half
        row, middle = np.tile(row, 2), np.concatenate([middle - half, middle + half])
    clear[which[row]] = False
