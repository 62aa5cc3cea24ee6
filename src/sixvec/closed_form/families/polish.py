"""Newton's method on the arm itself, for many candidates at once, and solutions found twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.closed_form.chain import Array, SerialChain, rodrigues

STEPS = 12
"""Newton steps at most; from an eigenvalue two or three do."""

CONVERGED = 1e-11
"""Pose error, in arm lengths and radians, of a polished solution."""

SAME = 1e-5
"""Solutions whose angles all agree within this are one: next to a double root Newton's method stops this near."""

_LONGEST = 0.5


def polished(chain: SerialChain, X: Array, q: Array) -> tuple[Array, Array]:
    """Candidates (k, 6) for the poses X (k, 4, 4) moved onto solutions, and which of them got there."""
    q = q.copy()
    length = np.array([1.0, 1.0, 1.0, *[chain.size] * 3])
    for _ in range(STEPS):
        error, J = _error(chain, X, q)
        error, J = error / length, J / length[:, None]
        open_ = ~(np.abs(error).max(-1) < 1e-15)
        step = np.einsum("kij,kj->ki", np.linalg.pinv(J, rcond=1e-10), error)
        size = np.abs(step).max(-1, keepdims=True)
        step = step * np.minimum(1.0, _LONGEST / np.maximum(size, 1e-300))
        q = np.where((open_ & np.isfinite(step).all(-1))[:, None], q + step, q)
    error, _ = _error(chain, X, q)
    return np.remainder(q + np.pi, 2.0 * np.pi) - np.pi, np.abs(error / length).max(-1) < CONVERGED


def _error(chain: SerialChain, X: Array, q: Array) -> tuple[Array, Array]:
    """The twist (about the world's origin axes, at the tool) that is missing, (k, 6), and the Jacobian (k, 6, n)."""
    k, n = q.shape
    R, p = np.broadcast_to(np.eye(3), (k, 3, 3)), np.zeros((k, 3))
    axes, places = np.empty((n, k, 3)), np.empty((n, k, 3))
    for i in range(n):
        h, c = chain.axes[i], chain.points[i]
        axes[i], places[i] = R @ h, p + R @ c
        turn = rodrigues(h, q[:, i])
        p = p + np.einsum("kij,kj->ki", R, c - turn @ c)
        R = R @ turn
    tip = p + R @ chain.tool_pos
    R = R @ chain.tool_rot
    columns = np.concatenate([axes, np.cross(axes, tip - places)], -1)
    gap = X[:, :3, :3] @ np.swapaxes(R, 1, 2)
    turn = 0.5 * np.stack([gap[:, 2, 1] - gap[:, 1, 2], gap[:, 0, 2] - gap[:, 2, 0], gap[:, 1, 0] - gap[:, 0, 1]], -1)
    trace = np.trace(gap, axis1=1, axis2=2)
    turn = np.where((trace < 0.0)[:, None], 2.0 * turn, turn)  # far away only the direction counts
    half_turn = trace < -0.999999  # where the axial part vanishes although nothing fits
    turn = np.where(half_turn[:, None], 1.0, turn)
    return np.concatenate([turn, X[:, :3, 3] - tip], -1), np.moveaxis(columns, 0, -1)


def distinct(which: NDArray[np.intp], q: Array, poses: int, room: int) -> Array:
    """(poses, room, n): the different solutions of each pose, not a number where there are no more."""
    found = np.full((poses, room, q.shape[-1]), np.nan)
    used = np.zeros(poses, int)
    for i, solution in zip(which, q, strict=True):
        known = found[i, : used[i]]
        gap = np.abs(np.remainder(known - solution + np.pi, 2.0 * np.pi) - np.pi)
        if used[i] < room and not (gap.max(-1, initial=0.0) < SAME).any():
            found[i, used[i]] = solution
            used[i] += 1
    return found
