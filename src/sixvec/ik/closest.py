"""The closest position: Newton's method on the squared error, within limits, for problems without a solution.

A search for zeros finds the closest position only roughly if there is no zero.  Here the squared error itself is
minimised, with its second derivatives, so the result is accurate and its kind is known: at the boundary of
the workspace the Jacobian has lost the missing motion, and curvature shows whether it is a local minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.problem import Problem
from sixvec.tasks.position_limits import Bounds
from sixvec.tolerances import RANK

NUDGE = 1e-5
"""Step of central differences of the slope: errors of 1e-10 by its cube and by rounding alike."""

LONGEST = 0.5
"""The longest Newton step along any axis, in radians or metres."""

PARTS = np.array([1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 1e-3, 0.0])
"""Fractions of a step, of which the best is taken; the last is zero."""

STEEP = 1e-4
"""Curvature, relative to the largest, of the sides of a valley."""

STILL = 1e-5
"""Slope, relative to the largest possible for the error and the lever arms, below which a position is stationary."""

UNSEEN = 1e-15
"""Fraction of the squared error below which rounding hides the gain of a step, as for distant targets."""

CUTS = 4
"""How often a step is recomputed for the joints that are not at limits."""

TOGETHER = 256
"""Problems whose second derivatives are computed in one call."""

HOLLOW, ROUNDING = 1e-4, 1e-8
"""Negative curvature, relative to the slope's scale and absolute, beyond which a stationary position is a saddle."""


class Ending(NamedTuple):
    """Where a descent ended, problem by problem."""

    q: Array
    stationary: NDArray[np.bool_]
    """To first order, no direction allowed by the limits leads closer."""
    minimum: NDArray[np.bool_]
    """Stationary, and none leads closer to second order."""


def closest(problem: Problem, q: Array, iterations: int, fixed: tuple[int, ...] = ()) -> Ending:
    """From positions (n, nq), one for each problem, down to the closest nearby, in at most `iterations` steps.

    The coordinates of v in `fixed` do not move.
    """
    q = np.array(q)
    still, hollow = np.zeros(len(q), bool), np.zeros(len(q), bool)
    rows = np.arange(len(q))
    bounds = problem.bounds()
    with np.errstate(all="ignore"):
        # Newton's method for a minimum, with second derivatives: without a root, `position_solver` converges slowly.
        for _ in range(iterations):
            subset = problem.part(rows)
            slope, at_limit, scale = _slope(subset, q[rows], bounds, fixed)
            H = _curvature(subset, q[rows])
            eigenvalues, axes = np.linalg.eigh(_without(H, at_limit))
            unseen = UNSEEN * 0.5 * scale**2
            gain = 0.5 * (_along(slope, axes) ** 2 / _size(eigenvalues, RANK)).sum(axis=1)
            still[rows] = (np.linalg.norm(slope, axis=1) <= STILL * scale) | (gain <= unseen)
            hollow[rows] = eigenvalues[:, 0] < -HOLLOW * scale - ROUNDING - 2.0 * unseen / LONGEST**2
            step = _within(
                _newton(slope, eigenvalues, axes), slope, H, at_limit, _distance_to_limits(q[rows], slope.shape, bounds)
            )
            moved, improved = _best_part(subset, q[rows], step)
            # In a curved valley a step along its floor leads up the side: then the sides come first.  Whatever limits
            # cut off, steepest descent still leads down.
            for least in (STEEP, 1.0):
                stuck = np.flatnonzero(~improved & ~still[rows])
                if stuck.size:
                    step = _newton(slope[stuck], eigenvalues[stuck], axes[stuck], least)
                    moved[stuck], improved[stuck] = _best_part(subset.part(stuck), q[rows[stuck]], step)
            q[rows] = moved
            rows = rows[improved]
            if not rows.size:
                break
    return Ending(q, still, still & ~hollow)


def _slope(
    problem: Problem, q: Array, bounds: Bounds, fixed: tuple[int, ...]
) -> tuple[Array, NDArray[np.bool_], Array]:
    """The gradient, zero where a limit holds a joint against it; which joints are held; its largest possible size."""
    _, _, cost, slope = problem.remaining(q)
    at_limit = np.zeros(slope.shape, bool)
    at_limit[:, list(fixed)] = True
    for k, (i, low, high) in bounds.of.items():
        at_limit[:, k] = ((q[:, i] <= low) & (slope[:, k] > 0.0)) | ((q[:, i] >= high) & (slope[:, k] < 0.0))
    return np.where(at_limit, 0.0, slope), at_limit, np.sqrt(2.0 * cost)


def _distance_to_limits(q: Array, shape: tuple[int, ...], bounds: Bounds) -> tuple[Array, Array]:
    """The distance of each joint to its lower and upper limit."""
    down, up = np.full(shape, -np.inf), np.full(shape, np.inf)
    for k, (i, low, high) in bounds.of.items():
        down[:, k], up[:, k] = np.minimum(low - q[:, i], 0.0), np.maximum(high - q[:, i], 0.0)
    return down, up


def _within(step: Array, slope: Array, H: Array, at_limit: NDArray[np.bool_], allowed: tuple[Array, Array]) -> Array:
    """The Newton step within limits: joints that would pass theirs stop there, and the rest is recomputed.

    A step that is merely clipped may not descend, and is very short if a joint is next to its limit.
    """
    step = np.where(at_limit, 0.0, step)
    fixed = at_limit.copy()
    for _ in range(CUTS):
        passing = ~fixed & ((step < allowed[0]) | (step > allowed[1]))
        rows = np.flatnonzero(passing.any(axis=1))
        if not rows.size:
            break
        step[rows] = np.clip(step[rows], allowed[0][rows], allowed[1][rows])
        fixed |= passing
        at, there = fixed[rows], np.where(fixed[rows], step[rows], 0.0)
        residual = np.where(at, 0.0, slope[rows] + np.einsum("nij,nj->ni", H[rows], there))
        step[rows] = np.where(at, there, _newton(residual, *np.linalg.eigh(_without(H[rows], at))))
    return step


def _without(H: Array, at_limit: NDArray[np.bool_]) -> Array:
    """Second derivatives with the rows and columns of the identity for joints that are held."""
    return np.where(at_limit[:, :, None] | at_limit[:, None, :], np.eye(H.shape[-1]), H)


def _curvature(problem: Problem, q: Array) -> Array:
    """Second derivatives (n, nv, nv) by central differences of the gradient."""
    n = problem.robot.nv
    H = np.empty((len(q), n, n))
    steps = NUDGE * np.concatenate([np.eye(n), -np.eye(n)])[:, None]
    for first in range(0, len(q), TOGETHER):  # all directions in one call, of so many problems that they fit the caches
        rows = np.arange(first, min(first + TOGETHER, len(q)))
        slopes = problem.part(rows).remaining(problem.robot.integrate(q[rows], steps))[3]
        H[rows] = (slopes[:n] - slopes[n:]).transpose(1, 0, 2) / (2.0 * NUDGE)
    H = 0.5 * (H + H.transpose(0, 2, 1))
    return np.where(np.isfinite(H).all(axis=(1, 2), keepdims=True), H, np.eye(n))


def _newton(slope: Array, eigenvalues: Array, axes: Array, least: float = RANK) -> Array:
    """-|H|⁻¹ g: down along every axis, also where the squared error curves downwards; curvatures are at least `least`.

    `least` is relative to the largest: 1 gives steepest descent.
    """
    # Each axis is bounded separately: a long step along a flat one must not shorten the others.
    along = np.clip(-_along(slope, axes) / _size(eigenvalues, least), -LONGEST, LONGEST)
    step = np.einsum("nij,nj->ni", axes, along)
    return np.where(np.isfinite(step).all(axis=1, keepdims=True), step, 0.0)


def _along(slope: Array, axes: Array) -> Array:
    """Components along the principal axes of curvature."""
    return np.asarray(np.einsum("nij,ni->nj", axes, slope))


def _size(eigenvalues: Array, least: float) -> Array:
    size = np.abs(eigenvalues)
    return np.asarray(np.maximum(size, least * size.max(axis=1, keepdims=True)))


def _best_part(problem: Problem, q: Array, step: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The best of several parts of a step, within the limits, and whether it is better than none."""
    parts = PARTS[:-1, None, None]
    tried = np.concatenate([np.clip(problem.robot.integrate(q, parts * step), *problem.limits), q[None]])
    costs = problem.remaining(tried)[2]
    best = np.nanargmin(np.where(np.isfinite(costs), costs, np.inf), axis=0)
    at = np.arange(len(q))
    return tried[best, at], costs[best, at] < costs[-1]
