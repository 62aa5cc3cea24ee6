"""Redundant arms with a closed form: the swivel angle is chosen within limits, near a given position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.closed_form import Solver

ANGLES = 72
"""Swivel angles of the first scan, one every 5°."""

ZOOM, ROUNDS = 8, 5
"""Each round scans this many angles on either side of the best with as much finer spacing: finally 3 µrad."""

AT_ONCE = 512
"""Poses scanned in one call: 72 angles, 8 solutions and 7 joints each are some megabytes."""


def scanned(solver: Solver, target: Array, near: Array, limits: bool) -> tuple[Array, NDArray[np.bool_]]:
    """The solution nearest to `near` over all swivel angles, and whether there is one: (n, nq) and (n).

    An interval of angles within the limits that is narrower than 5° may be missed.
    """
    q, solved = np.full(near.shape, np.nan), np.zeros(len(near), bool)
    for first in range(0, len(near), AT_ONCE):
        chunk = slice(first, first + AT_ONCE)
        q[chunk], solved[chunk] = _zoomed(solver, target[chunk], near[chunk], limits)
    return q, solved


def _zoomed(solver: Solver, target: Array, near: Array, limits: bool) -> tuple[Array, NDArray[np.bool_]]:
    step = 2.0 * np.pi / ANGLES
    swivel = np.broadcast_to(np.arange(ANGLES) * step - np.pi, (len(near), ANGLES))
    q, solved, best = _best(solver, target, swivel, near, limits)
    for _ in range(ROUNDS):
        rows = np.flatnonzero(solved)
        if not rows.size:
            break
        step /= ZOOM
        # Zero is included, so no round is worse than the previous.
        around = best[rows, None] + np.arange(-ZOOM, ZOOM + 1) * step
        q[rows], still, best[rows] = _best(solver, target[rows], around, near[rows], limits)
        solved[rows] = still
    return q, solved


def _best(solver: Solver, target: Array, swivel: Array, near: Array, limits: bool) -> tuple[Any, Any, Any]:
    """The nearest solution for any of the angles (n, k): positions (n, nq), whether there is one, and its angle."""
    nearest = solver(target[:, None], swivel).nearest(near[:, None], limits=limits)
    q, solved = nearest.q, nearest.solved
    gap = np.where(solved, np.abs(q - near[:, None]).max(axis=-1), np.inf)
    best, each = gap.argmin(axis=1), np.arange(len(near))
    return q[each, best], solved[each, best], swivel[each, best]
