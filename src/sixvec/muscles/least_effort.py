"""Forces within bounds that have a given effect with the least effort, one problem per sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sixvec.arguments import Array
from sixvec.solve.bounded_least_squares import bounded_least_squares
from sixvec.solve.quadratic_program import LARGEST, quadratic_program
from sixvec.tolerances import EQUAL
from sixvec.verdict import Verdict, Verdicts, verdicts


class LeastEffort(NamedTuple):
    """The forces x, what they lack of the effect, and a verdict for each sample."""

    x: Array
    lack: Array
    verdict: Verdicts


def least_effort(A: Array, b: Array, lower: Array, upper: Array, weight: Array, aim: Array) -> LeastEffort:
    """The x with  A x = b  and  lower ≤ x ≤ upper  for which  Σ ((x - aim) / weight)²  is least; all with batch axes.

    Quadratic programs in a batch.  Where no x within the bounds has the effect b, the nearest effect is produced, with
    the least effort, by two bounded least-squares problems, and `lack` is what is missing.  Numbers that are not finite
    spoil their sample only.
    """
    batch = np.broadcast_shapes(A.shape[:-2], *(x.shape[:-1] for x in (b, lower, upper, weight, aim)))
    n, m = A.shape[-2:]
    A, b = np.broadcast_to(A, (*batch, n, m)), np.broadcast_to(b, (*batch, n))
    lower, upper, weight, aim = (np.broadcast_to(y, (*batch, m)) for y in (lower, upper, weight, aim))
    finite = np.asarray(np.isfinite(A).all((-1, -2)) & np.isfinite(b).all(-1) & np.isfinite(aim).all(-1))
    x = np.where(finite[..., None], _by_programs(A, b, lower, upper, weight, aim), np.nan)
    for i in map(tuple, np.argwhere(finite & ~_has_effect(A, b, x))):
        x[i] = _nearest(A[i], b[i], lower[i], upper[i], weight[i], aim[i])
    solved = _has_effect(A, b, x)
    verdict = np.where(finite, np.where(solved, int(Verdict.SOLVED), int(Verdict.INFEASIBLE)), int(Verdict.INVALID))
    return LeastEffort(x, b - np.einsum("...ij,...j->...i", A, x), verdicts(verdict))


def _by_programs(A: Array, b: Array, lower: Array, upper: Array, weight: Array, aim: Array) -> Array:
    """The solutions of quadratic programs, NaN where there are none; unknowns are x / weight."""
    m = A.shape[-1]
    if not 0 < m <= LARGEST or not b.size:
        return np.full(lower.shape, np.nan)
    size = np.abs(A).max(axis=(-1, -2), keepdims=True, initial=0.0)
    size = np.where(size > 0.0, size, 1.0)
    rows, goal = A * weight[..., None, :] / size, b / size[..., 0]
    ends = [np.concatenate([limit / weight, goal], -1) for limit in (lower, upper)]
    solution = quadratic_program(np.eye(m), -aim / weight, rows, *ends)
    x = np.clip(solution.x * weight, lower, upper)
    return np.where((solution.verdict == int(Verdict.SOLVED))[..., None], x, np.nan)


def _has_effect(A: Array, b: Array, x: Array) -> Array:
    """Whether A x = b up to rounding; not where x is NaN, also if there are no rows."""
    terms = np.einsum("...ij,...j->...i", np.abs(A), np.abs(x)) + np.abs(b)
    lack = np.abs(b - np.einsum("...ij,...j->...i", A, x))
    close = (lack <= EQUAL * terms.max(-1, keepdims=True, initial=0.0)).all(-1)
    return np.asarray(close & np.isfinite(x).all(-1))


def _nearest(A: Array, b: Array, lower: Array, upper: Array, weight: Array, aim: Array) -> Array:
    """In two stages: the nearest effect, then the least effort for it."""
    size = np.abs(A).max(initial=0.0) or 1.0
    start = bounded_least_squares(A / size, b / size, lower, upper, np.clip(aim, lower, upper)).x
    return np.asarray(bounded_least_squares(np.diag(1.0 / weight), aim / weight, lower, upper, start, A / size).x)
