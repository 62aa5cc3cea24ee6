"""Which solutions were found, and how often.

The number of solutions found only once indicates how many were never found (Good, "The population frequencies of
species and the estimation of population parameters", Biometrika 40, 1953): if each was found twice, all were found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array

Index = NDArray[np.intp]

SAME = 1e-5
"""Solutions whose angles all agree within this are the same; two regular solutions this near are nearly singular."""

CAPACITY = 48
"""Solutions stored per pose: 16, and points of a continuous family."""


@dataclass(frozen=True, eq=False)
class DistinctSolutions:
    """The different solutions of n poses."""

    q: Array
    """(n, CAPACITY, 6): NaN in unused slots."""
    times: Index
    """(n, CAPACITY): how many sources gave each."""
    last: Index
    """(n, CAPACITY): the last source that found it."""

    @classmethod
    def none(cls, n: int) -> DistinctSolutions:
        """No solutions yet."""
        return cls(
            np.full((n, CAPACITY, 6), np.nan), np.zeros((n, CAPACITY), np.intp), np.full((n, CAPACITY), -1, np.intp)
        )

    def seen(self, which: Index, q: Array, source: Index) -> DistinctSolutions:
        """With solutions (k, 6) of poses `which` (k,) added; repeated finds by one source count once."""
        distinct, times, last = self.q.copy(), self.times.copy(), self.last.copy()
        order = np.argsort(which, kind="stable")
        which, q, source = which[order], q[order], source[order]
        _, first, repeats = np.unique(which, return_index=True, return_counts=True)
        rank = np.arange(len(which)) - np.repeat(first, repeats)
        for r in range(int(repeats.max(initial=0))):  # one solution of each pose at a time
            here = np.flatnonzero(rank == r)
            i = which[here]
            known = angle_gap(distinct[i], q[here, None]) < SAME
            place = np.where(known.any(-1), known.argmax(-1), (times[i] > 0).sum(-1))
            here, i, place = here[place < CAPACITY], i[place < CAPACITY], place[place < CAPACITY]
            new = times[i, place] == 0
            distinct[i[new], place[new]] = q[here[new]]
            times[i, place] += last[i, place] != source[here]
            last[i, place] = source[here]
        return DistinctSolutions(distinct, times, last)

    def __getitem__(self, which: Index) -> DistinctSolutions:
        """Those of some of the poses."""
        return DistinctSolutions(self.q[which], self.times[which], self.last[which])

    def replaced(self, which: Index, solutions: DistinctSolutions) -> DistinctSolutions:
        """With the poses `which` as in `solutions`."""
        q, times, last = self.q.copy(), self.times.copy(), self.last.copy()
        q[which], times[which], last[which] = solutions.q, solutions.times, solutions.last
        return DistinctSolutions(q, times, last)

    @property
    def any(self) -> NDArray[np.bool_]:
        """(n, CAPACITY): where there is a solution."""
        return self.times > 0


def angle_gap(a: Array, b: Array) -> Array:
    """The largest difference of angles, modulo a turn."""
    return np.asarray(np.abs(np.remainder(a - b + np.pi, 2.0 * np.pi) - np.pi).max(-1))
