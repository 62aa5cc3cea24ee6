"""What came of asking: one word for each sample, the same for every solver."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Verdict(IntEnum):
    """Why a sample has the answer that it has; a number in arrays, a word in print.

    >>> print(Verdict.AT_LIMIT)
    at limit
    """

    SOLVED = 0
    AT_LIMIT = 1
    """Reached without position limits, but from no start within them; `Solution.joint` is the one passed furthest.
    Where a swivel angle was asked for: reached with that angle, but beyond a limit only."""
    SINGULAR = 2
    """Stuck where the joints cannot begin the missing motion, although they come closer once they have left; of linear
    maps: what is open gives fewer of the given coordinates than their number promises, at this position."""
    UNREACHABLE = 3
    """At the closest position found, every motion leads away from the target; no start came closer, nor reached it
    without position limits."""
    NOT_CONVERGED = 4
    """Still coming closer when the allowed number of steps was used up."""
    INVALID = 5
    """The input holds a number that is not finite, or whose square would not be, or is no pose."""
    UNDERDETERMINED = 6
    """Too little was given: it is met, and the smallest of many answers was taken."""
    CONTRADICTORY = 7
    """Too much was given, and it does not agree: the nearest answer was taken."""
    SCALED = 8
    """The same direction, slower: what was asked is beyond the bounds."""
    NEAREST = 9
    """The nearest answer within the bounds, in another direction."""
    TOO_FAR = 10
    """Unreachable: the wrist would be farther from the shoulder than upper arm and forearm together."""
    TOO_NEAR = 11
    """Unreachable: the wrist would be nearer to the shoulder than the difference of upper arm and forearm."""
    INSIDE_SHOULDER_CYLINDER = 12
    """Unreachable: the wrist would be nearer to the first axis than the shoulder offset allows."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


Verdicts = NDArray[np.int8]
"""Verdicts of a batch, as numbers."""


def verdicts(values: Any) -> Verdicts:
    """Numbers of verdicts as an array of the type that answers have."""
    return np.asarray(values, np.int8)


def tally(values: Verdicts) -> str:
    """Verdicts in words: of one sample the word, of a batch how many have each.

    >>> tally(np.array([0, 2, 0], np.int8)), tally(np.array(3, np.int8))
    ('2 solved, 1 singular', 'unreachable')
    """
    if values.ndim == 0:
        return str(Verdict(int(values)))
    counts = Counter(values.ravel().tolist())
    return ", ".join(f"{n} {Verdict(v)}" for v, n in sorted(counts.items())) or "nothing to solve"
