"""Gauss-Newton iteration for batches of small problems in NumPy, with a verdict for each.

Calibrations, poses from redundant readings and projections onto constraints all repeat one loop: evaluate the
equations, solve them linearised, move, stop.  They differ in how a step is solved (by rank, damped, in a metric) and in
what an unknown is (numbers, positions of joints, poses), so these are arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.solve.decomposition import least_squares
from sixvec.tolerances import RANK
from sixvec.verdict import Verdict, Verdicts, tally

Rows = NDArray[np.intp]
"""Which problems of the batch are evaluated: an index for each."""

Equations = Callable[[Array, Rows], tuple[Array, Array | None]]
"""(x, rows) -> residual (k, m) and its Jacobian (k, m, n) with respect to a step, or None if `step` does without."""

Step = Callable[[Array, Array | None, Array, Rows], Array]
"""(residual, Jacobian, x, rows) -> step (k, n)."""

Move = Callable[[Array, Array, Rows], Array]
"""(x, step, rows) -> the next x."""


@dataclass(frozen=True, eq=False)
class Fit(Result):
    """Where the iteration ended, one row for each start."""

    x: Array
    residual: Array
    """(k, m), at x."""
    jacobian: Array | None
    """(k, m, n), at x; None if the equations have none."""
    steps: NDArray[np.intp]
    """(k,): steps taken."""
    verdict: Verdicts
    """(k,): SOLVED where a tolerance was met, NOT_CONVERGED, or INVALID where the start has no finite residual."""

    @property
    def solved(self) -> NDArray[np.bool_]:
        return np.asarray(self.verdict == Verdict.SOLVED)

    def __repr__(self) -> str:
        return f"<Fit: {tally(self.verdict)}, residual {np.abs(self.residual).max(initial=0.0):.2g}>"


def rank_step(tolerance: float = RANK) -> Step:
    """The shortest solution of  J step = -residual  in the least-squares sense, over singular values above `tolerance`
    times the largest."""

    def step(residual: Array, J: Array | None, x: Array, rows: Rows) -> Array:
        assert J is not None
        return least_squares(J, -residual, tolerance)

    return step


def added(x: Array, step: Array, rows: Rows) -> Array:
    """x + step: unknowns that are plain numbers."""
    return x + step


def gauss_newton(
    x: Array,
    equations: Equations,
    *,
    step: Step | None = None,
    move: Move = added,
    tolerance: float = 0.0,
    step_tolerance: float = 0.0,
    units: ArrayLike = 1.0,
    longest: float = np.inf,
    halvings: int = 0,
    iterations: int = 50,
) -> Fit:
    """Iterate  x ← move(x, step)  from each start x (k, ...), where the step solves the linearised equations.

    A problem is solved when every entry of its residual is at most `tolerance`, or after a step whose entries, divided
    by `units`, are at most `step_tolerance` if that is positive; it then leaves the batch.  The first rule is for
    equations that can be satisfied, the second for least squares, whose residual stays.  Steps longer than `longest`,
    in units, are shortened.  With `halvings` a step is halved until the residual decreases, at most that many times; a
    problem in which none does ends there.  A step that is not finite ends its problem too.  Each problem's result is
    independent of the others in the batch if `equations`, `step` and `move` treat rows separately.

    >>> import numpy as np
    >>> def circle_and_line(x, rows):  # x² + y² = 5, y = 2 x
    ...     residual = np.stack([x[:, 0] ** 2 + x[:, 1] ** 2 - 5.0, x[:, 1] - 2.0 * x[:, 0]], axis=-1)
    ...     J = np.stack([2.0 * x, np.broadcast_to([-2.0, 1.0], x.shape)], axis=-2)
    ...     return residual, J
    >>> fit = gauss_newton(np.array([[2.0, 1.0], [-3.0, 0.5]]), circle_and_line, tolerance=1e-12)
    >>> fit.x.round(12).tolist(), fit.solved.all()
    ([[1.0, 2.0], [-1.0, -2.0]], np.True_)
    """
    solve_step = rank_step() if step is None else step
    x = np.array(x, float)
    everything = np.arange(len(x))
    residual, J = equations(x, everything)
    residual, J = np.array(residual, float), None if J is None else np.array(J, float)
    verdict = np.where(_largest(residual) <= tolerance, Verdict.SOLVED, Verdict.NOT_CONVERGED).astype(np.int8)
    verdict[~np.isfinite(residual).all(axis=-1)] = Verdict.INVALID
    steps = np.zeros(len(x), np.intp)
    running = everything[verdict == Verdict.NOT_CONVERGED]
    state = _State(x, residual, J, steps)
    for _ in range(iterations):
        if not running.size:
            break
        full = solve_step(residual[running], None if J is None else J[running], x[running], running)
        finite = np.isfinite(full).all(axis=-1)
        running, full = running[finite], full[finite]
        size = _largest(full / units)
        full = full * np.where(size > longest, longest / np.where(size > 0.0, size, 1.0), 1.0)[:, None]
        accepted = state.advance(running, full, equations, move, halvings)
        if step_tolerance > 0.0:  # otherwise a step of zero is the end at a singular point, not a solution
            verdict[running[size <= step_tolerance]] = Verdict.SOLVED
        verdict[running[_largest(residual[running]) <= tolerance]] = Verdict.SOLVED
        running = running[accepted & (verdict[running] == Verdict.NOT_CONVERGED)]
    return Fit(x, residual, J, steps, verdict)


@dataclass(frozen=True)
class _State:
    """The arrays of the iteration; `advance` changes rows in place."""

    x: Array
    residual: Array
    jacobian: Array | None
    steps: NDArray[np.intp]

    def advance(self, rows: Rows, step: Array, equations: Equations, move: Move, halvings: int) -> NDArray[np.bool_]:
        """Take each step, with `halvings` the first half that decreases the residual; True where one was taken."""
        accepted = np.zeros(len(rows), bool)
        pending = np.arange(len(rows))
        for _ in range(max(1, halvings)):
            at = rows[pending]
            x = move(self.x[at], step[pending], at)
            residual, J = equations(x, at)
            better = np.full(len(at), not halvings) | (_norm(residual) < _norm(self.residual[at]))
            chosen = at[better]
            self.x[chosen], self.residual[chosen] = x[better], residual[better]
            if self.jacobian is not None and J is not None:
                self.jacobian[chosen] = J[better]
            self.steps[chosen] += 1
            accepted[pending[better]] = True
            pending = pending[~better]
            if not pending.size:
                break
            step = step / 2.0
        return accepted


def _largest(entries: Array) -> Array:
    return np.asarray(np.abs(entries).max(axis=-1, initial=0.0))


def _norm(residual: Array) -> Array:
    return np.asarray(np.linalg.norm(residual, axis=-1))
