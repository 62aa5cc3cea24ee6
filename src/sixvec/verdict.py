"""The outcome of each sample in one word, the same for every solver."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Verdict(IntEnum):
    """The outcome of a sample and its reason; a number in arrays, a word when printed.

    >>> from sixvec.ik import Verdict
    >>> print(Verdict.AT_LIMIT)
    at limit
    """

    SOLVED = 0
    AT_LIMIT = 1
    """Reached without position limits, but from no start within them; `Solution.joint` exceeds its limit most.
    With a given swivel angle: reached with that angle, but only beyond a limit."""
    SINGULAR = 2
    """Stuck at a position where the joints cannot start the remaining motion, although a detour leads closer.  For
    linear maps: the rank at this position is lower than the number of unknowns allows."""
    UNREACHABLE = 3
    """At the closest position found, every motion leads away from the target; no other start came closer or reached it
    without position limits."""
    NOT_CONVERGED = 4
    """Still converging when the maximum number of steps was reached."""
    INVALID = 5
    """The input contains a number that is not finite, or whose square is not, or is not a pose."""
    UNDERDETERMINED = 6
    """Underdetermined: satisfied, by the solution of least norm."""
    CONTRADICTORY = 7
    """Overdetermined and inconsistent: the nearest solution is returned."""
    SCALED = 8
    """The same direction, slower: the requested motion is beyond the bounds."""
    NEAREST = 9
    """The nearest solution within the bounds, in another direction."""
    TOO_FAR = 10
    """Unreachable: the wrist would be farther from the shoulder than upper arm and forearm together."""
    TOO_NEAR = 11
    """Unreachable: the wrist would be nearer to the shoulder than the difference of upper arm and forearm."""
    INSIDE_SHOULDER_CYLINDER = 12
    """Unreachable: the wrist would be nearer to the first axis than the shoulder offset allows."""

    DIVERGED = 13
    """A simulation that stopped: its state is not finite, has more energy than the work done allows, or changes by
    more than a turn in a step."""
    OPEN = 14
    """A simulation that stopped: a loop is open by more than the precision of its dimensions."""
    INFEASIBLE = 15
    """The constraints contradict each other: nothing satisfies all of them."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


Verdicts = NDArray[np.int8]
"""Verdicts of a batch, as numbers."""


def verdicts(values: Any) -> Verdicts:
    """Numbers of verdicts as an array of the type that results have."""
    return np.asarray(values, np.int8)


def tally(values: Verdicts) -> str:
    """Verdicts as text: the word for one sample, the count of each for a batch.

    >>> tally(np.array([0, 2, 0], np.int8)), tally(np.array(3, np.int8))
    ('2 solved, 1 singular', 'unreachable')
    """
    if values.ndim == 0:
        return str(Verdict(int(values)))
    counts = Counter(values.ravel().tolist())
    return ", ".join(f"{n} {Verdict(v)}" for v, n in sorted(counts.items())) or "nothing to solve"
