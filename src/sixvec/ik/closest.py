"""The closest position: Newton's method on the squared error, within limits, for problems that no start solves.

A search for zeros is content with roughly the closest position if there is no zero.  Here the squared error itself is
minimised, with its second derivatives, so that the answer is accurate and its kind is known: at the edge of what can
be reached the Jacobian has lost the missing motion, and curvature tells whether a way leads on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.ik.problem import Array, Problem

NUDGE = 1e-5
"""Step of central differences of the slope: errors of 1e-10 by its cube and by rounding alike."""

LONGEST = 0.5
"""The longest Newton step along any axis, in radians or metres."""

PARTS = np.array([1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 1e-3, 0.0])
"""Parts of a step, of which the best is taken; the last is to stay."""

FLAT = 1e-9
"""Curvature, in parts of the largest, below which a direction is flat: the joints move freely there."""

STILL = 1e-5
"""Slope, in parts of what the error and the lever arms allow, below which a position is stationary."""

HOLLOW, ROUNDING = 1e-4, 1e-8
"""Curvature downwards, in parts of the slope's scale and at least, beyond which a stationary position is no minimum."""


class Ending(NamedTuple):
    """Where a descent ended, problem by problem."""

    q: Array
    stationary: NDArray[np.bool_]
    """No direction that the limits allow leads closer, to first order."""
    minimum: NDArray[np.bool_]
    """Stationary, and none does to second order."""


def closest(problem: Problem, q: Array, iterations: int) -> Ending:
    """From positions (n, nq), one for each problem, down to the closest nearby, in at most `iterations` steps."""
    q = np.array(q)
    still, hollow = np.zeros(len(q), bool), np.zeros(len(q), bool)
    rows = np.arange(len(q))
    bounds = list(problem.bounds().of.items())
    with np.errstate(all="ignore"):
        for _ in range(iterations):
            part = problem.part(rows)
            slope, held, scale = _slope(part, q[rows], bounds)
            H = _curvature(part, q[rows])
            eigenvalues, axes = np.linalg.eigh(_without(H, held))
            still[rows] = np.linalg.norm(slope, axis=1) <= STILL * scale
            hollow[rows] = eigenvalues[:, 0] < -HOLLOW * scale - ROUNDING
            step = _newton(slope, eigenvalues, axes)
            held |= _leaving(q[rows], step, bounds)  # a step that a limit would cut no longer leads down
            step = _newton(np.where(held, 0.0, slope), *np.linalg.eigh(_without(H, held)))
            moved, improved = _best_part(part, q[rows], step)
            stuck = np.flatnonzero(~improved & ~still[rows])
            if stuck.size:
                # Whatever limits cut off, steepest descent still leads down.
                steepest = -slope[stuck] / np.abs(eigenvalues[stuck]).max(axis=1, keepdims=True)
                moved[stuck], improved[stuck] = _best_part(part.part(stuck), q[rows[stuck]], steepest)
            q[rows] = moved
            rows = rows[improved]
            if not rows.size:
                break
    return Ending(q, still, still & ~hollow)


def _slope(part: Problem, q: Array, bounds: list[Any]) -> tuple[Array, NDArray[np.bool_], Array]:
    """The gradient, zero where a limit holds a joint against it; which joints are held; how large it could be."""
    _, _, cost, slope = part.remaining(q)
    held = np.zeros(slope.shape, bool)
    for k, (i, low, high) in bounds:
        held[:, k] = ((q[:, i] <= low) & (slope[:, k] > 0.0)) | ((q[:, i] >= high) & (slope[:, k] < 0.0))
    return np.where(held, 0.0, slope), held, np.sqrt(2.0 * cost)


def _leaving(q: Array, step: Array, bounds: list[Any]) -> NDArray[np.bool_]:
    """Which joints stand at a limit and would go beyond."""
    leaving = np.zeros(step.shape, bool)
    for k, (i, low, high) in bounds:
        leaving[:, k] = ((q[:, i] <= low) & (step[:, k] < 0.0)) | ((q[:, i] >= high) & (step[:, k] > 0.0))
    return leaving


def _without(H: Array, held: NDArray[np.bool_]) -> Array:
    """Second derivatives with the rows and columns of the identity for joints that are held."""
    return np.where(held[:, :, None] | held[:, None, :], np.eye(H.shape[-1]), H)


def _curvature(part: Problem, q: Array) -> Array:
    """Second derivatives (n, nv, nv) by central differences of the gradient."""
    robot, n = part.robot, part.robot.nv
    H = np.empty((len(q), n, n))
    for k, step in enumerate(np.eye(n) * NUDGE):
        ahead, behind = (part.remaining(robot.integrate(q, s * step))[3] for s in (1.0, -1.0))
        H[:, k] = (ahead - behind) / (2.0 * NUDGE)
    H = 0.5 * (H + H.transpose(0, 2, 1))
    return np.where(np.isfinite(H).all(axis=(1, 2), keepdims=True), H, np.eye(n))


def _newton(slope: Array, eigenvalues: Array, axes: Array) -> Array:
    """-|H|⁻¹ g: down along every axis, also where the squared error curves downwards."""
    size = np.abs(eigenvalues)
    size = np.maximum(size, FLAT * size.max(axis=1, keepdims=True))
    # Each axis is bounded by itself: a long way along a flat one must not shorten the others.
    along = np.clip(-np.einsum("nij,ni->nj", axes, slope) / size, -LONGEST, LONGEST)
    step = np.einsum("nij,nj->ni", axes, along)
    return np.where(np.isfinite(step).all(axis=1, keepdims=True), step, 0.0)


def _best_part(part: Problem, q: Array, step: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The best of several parts of a step, within the limits, and whether it is better than none."""
    tried = [np.clip(part.robot.integrate(q, x * step), *part.limits) for x in PARTS[:-1]] + [q]
    costs = np.array([part.remaining(x)[2] for x in tried])
    best = np.nanargmin(np.where(np.isfinite(costs), costs, np.inf), axis=0)
    at = np.arange(len(q))
    return np.stack(tried)[best, at], costs[best, at] < costs[-1]
