"""The shortest translation that separates two overlapping shapes, refined from a direction near that of the shortest.

Round shapes, moved apart along a direction n, are nearest along another one, which is nearer to the shortest way out;
where the difference of the shapes has an edge or a face, one such step ends on it.  Along smooth surfaces the steps are
extrapolated (Anderson 1965).  A direction counts only if it is a shorter way, so no step makes the result worse.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.tolerances import ROUNDING

Rows = NDArray[np.intp]

Along = Callable[[Array, Rows], Array]
"""(directions (m, 3), pairs (m,)) -> the gap along each: negative where shapes overlap, and at most the true one."""

Nearest = Callable[[Array, Array, Rows], Array]
"""(directions, gaps along them, pairs) -> the directions (m, 3) of the nearest points of shapes moved apart."""

STEPS = 16

STILL = 2
"""Steps that improve nothing, after which a row ends."""

DAMPING = 1e-10
"""Of the mean square of changes, added to them: those of flat directions are rounding."""


def way_out(start: Array, pair: Rows, along: Along, nearest: Nearest, enough: Array) -> tuple[Array, Array]:
    """Directions (n, 3) and gaps (n,) from those at the start, of these pairs (n,), of which some may be the same; a
    step improves something by more than `enough`."""
    n, count = start.copy(), len(start)
    rows = np.arange(count)
    gap = along(n, pair)
    still = np.zeros(count, np.intp)
    tried: list[tuple[Array, Array]] = []
    for _ in range(STEPS):
        if not len(rows):
            break
        change = nearest(n[rows], gap[rows], pair[rows]) - n[rows]
        change = np.where(np.isfinite(change).all(axis=1)[:, None], change, 0.0)
        tried = [*tried[-2:], (n[rows].copy(), change)]
        direct, further = n[rows] + change, _extrapolated(tried)
        reached, beyond = along(direct, pair[rows]), along(further, pair[rows])
        better = beyond > reached
        reached, direct = np.where(better, beyond, reached), np.where(better[:, None], further, direct)
        gain = reached - gap[rows]
        improves = gain > 0.0
        n[rows[improves]], gap[rows[improves]] = direct[improves], reached[improves]
        still[rows] = np.where(gain > enough[rows], 0, still[rows] + 1)
        on = still[rows] < STILL
        rows, tried = rows[on], [(a[on], b[on]) for a, b in tried]
    return n, gap


def _extrapolated(tried: list[tuple[Array, Array]]) -> Array:
    """The directions at which a step would change nothing, if changes were linear."""
    n, change = tried[-1]
    if len(tried) == 1:
        return n + change
    moves = np.stack([b[0] - a[0] for a, b in pairwise(tried)], axis=2)
    changes = np.stack([b[1] - a[1] for a, b in pairwise(tried)], axis=2)
    square = np.einsum("nki,nkj->nij", changes, changes)
    size = np.trace(square, axis1=1, axis2=2)
    square += (DAMPING * size + np.finfo(float).tiny)[:, None, None] * np.eye(square.shape[1])
    weights = np.linalg.solve(square, np.einsum("nki,nk->ni", changes, change)[:, :, None])[:, :, 0]
    further = n + change - np.einsum("nki,ni->nk", moves + changes, weights)
    length = np.sqrt(np.einsum("nk,nk->n", further, further))
    good = np.isfinite(length) & (length > ROUNDING)
    result: Array = np.where(good[:, None], further / np.where(good, length, 1.0)[:, None], n + change)
    return result
