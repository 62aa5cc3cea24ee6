"""What is compared in one go: the robot with itself, or with a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.distance.levers import Ways
from sixvec.kernels.devices import namespace

Names = tuple[tuple[str, str], ...]

Details = tuple[Array, Array, Array]
"""Nearest points (n, 2, 3), normals (n, 3), gradients (n, nv)."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The smallest gap of each state (n,), the index of its pair of names, and how to compute the rest."""

    gap: Array
    pair: NDArray[np.intp]
    details: Callable[[], Details]


Reach = Callable[[Array, NDArray[np.intp], Array], Array]
"""Of states on motions with these numbers, how far each motion is certainly clear on both sides, in parts of the
motion, up to a limit for each; negative or zero where a gap is."""


class Part(Protocol):
    """Pairs that are compared."""

    @property
    def names(self) -> Names:
        """The names of the pairs."""
        ...

    def nearest(self, q: Array) -> Nearest:
        """The smallest gaps at states (n, nq)."""
        ...

    def each(self, q: Array) -> Array:
        """The smallest gap of every pair of names (n, pairs)."""
        ...

    def overlaps(self, q: Array) -> NDArray[np.bool_]:
        """Whether each pair of names overlaps (n, pairs)."""
        ...

    def clear(self, q: Array, margin: float) -> NDArray[np.bool_]:
        """Whether all gaps are larger than a margin of zero or more; false of a state that is not finite."""
        ...

    def reach(self, ways: Ways) -> Reach:
        """What the gaps of states of these motions certify."""
        ...


def nearest_of_all(parts: Sequence[Part], q: Array) -> Nearest:
    """The smallest gap of several parts; pairs are counted through."""
    if len(parts) == 1:
        return parts[0].nearest(q)
    parts = [x for x in parts if x.names]
    nearest = [x.nearest(q) for x in parts]
    if len(nearest) == 1:
        return nearest[0]
    starts, xp = np.cumsum([0, *(len(x.names) for x in parts)]).tolist(), namespace(q)
    gaps = xp.stack([f.gap for f in nearest])
    best = xp.argmin(xp.where(xp.isnan(gaps), -np.inf, gaps), axis=0)  # NaN wins
    rows = xp.arange(gaps.shape[1])
    pairs = xp.stack([f.pair + start for f, start in zip(nearest, starts, strict=False)])

    def details() -> Details:
        several = [f.details() for f in nearest]
        a, b, c = (xp.stack(x)[best, rows] for x in zip(*several, strict=True))
        return a, b, c

    return Nearest(gaps[best, rows], pairs[best, rows], details)
