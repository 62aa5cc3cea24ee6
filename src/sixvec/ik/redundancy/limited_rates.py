"""Joint rates within bounds: as much of the task as the limits allow, by least squares in stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.redundancy.limits import VelocityBounds
from sixvec.solve.bounded_least_squares import bounded_least_squares
from sixvec.solve.decomposition import rank_of, singular_values, weight_factor
from sixvec.solve.quadratic_program import QuadraticProgram, quadratic_program
from sixvec.tolerances import EQUAL, ROUNDING
from sixvec.verdict import Verdict

MOST_PROOFS = 50
"""That multiples of a task are impossible; two or three are usual."""

Policy = Literal["scaled", "nearest"]


@dataclass(frozen=True, eq=False, repr=False)
class LimitedRates(Result):
    """Joint rates v within the bounds, and the outcome for the task.

    `verdict`: SOLVED (J v = t), SCALED (J v = s t with the largest `scale` s < 1: the same path, slower), NEAREST (the
    direction changed) or SINGULAR (no multiple of the task is feasible at this position).  `active` is +1 where
    the upper bound is active, -1 where the lower one is, else 0; `residual` is t - J v.

    `multipliers` are positive at an upper bound, negative at a lower one, and measure the cost of a bound.  They
    balance the gradient: for NEAREST  Jᵀ W (J v - t) + multipliers = 0,  else  M (v - secondary) + multipliers + Jᵀ y =
    0  for some y.  A bound that only selects among velocities equally near to the task is active with multiplier 0.
    """

    v: Array
    verdict: Verdict
    scale: float
    residual: Array
    active: Array
    multipliers: Array


def rates_within_limits(
    J: ArrayLike,
    t: ArrayLike,
    bounds: VelocityBounds | tuple[ArrayLike, ArrayLike],
    *,
    policy: Policy = "scaled",
    secondary: ArrayLike | None = None,
    joint_weight: ArrayLike | None = None,
    task_weight: ArrayLike | None = None,
) -> LimitedRates:
    """The task velocity t as far as the bounds on the joint rates allow.

    "scaled" keeps the direction of the task and slows it down: of the rates with J v = s t within bounds, the largest
    s from 0 to 1, and then the v nearest to `secondary` in the joint weight.  If bounds exclude even zero velocity
    (a joint that cannot brake in one step), "nearest" is used, as the verdict shows.  "nearest" minimises |J v - t|²_W
    and then the distance to `secondary`: it may leave the path.  The bounds are those of `velocity_bounds`, or a pair
    (lower, upper).  Bounds that exclude every velocity raise an error that names the joint and both limits.  One sample
    at a time.

    >>> import sixvec, numpy as np
    >>> from sixvec.ik.redundancy import rates_within_limits, velocity_bounds
    >>> panda = sixvec.load("panda")
    >>> q = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    >>> J, bounds = panda.jacobian(q, "panda_link8"), velocity_bounds(panda, q, 0.01)
    >>> found = rates_within_limits(J, [0, 0, 0, 0, 5.0, 0], bounds)
    >>> str(found.verdict), bool(abs(found.v).max() <= 2.61 + 1e-9)
    ('scaled', True)
    """
    if policy not in get_args(Policy):
        raise ArgumentError(f'no policy "{policy}"; policies: {", ".join(get_args(Policy))}')
    J = real_array("J", J, "m", "n", batch=False, finite=True, why="one sample at a time")
    t = real_array("t", t, J.shape[0], batch=False, finite=True, why="one number for each row of J")
    n, bounds = J.shape[1], VelocityBounds.of(bounds)
    require_shape("bounds", bounds.lower, n, why="one for each column of J")
    if conflict := bounds.conflict():
        raise DegenerateError(f"no velocity is within the bounds; {conflict}.  Slow down earlier, or allow more")
    F = weight_factor(joint_weight, n, "joint")
    require_shape("joint weight", F, n, n, batch=False, why="one sample at a time")
    v0 = np.zeros(n) if secondary is None else secondary
    v0 = real_array("secondary", v0, n, batch=False, finite=True, why="one for each column of J")
    problem, F_W = _Problem.of(J, t, bounds, F, v0), weight_factor(task_weight, len(t), "task")
    if not n:
        return _without_joints(t, policy)
    if (whole := _whole(problem)) is not None:
        return whole
    if policy == "scaled" and (scaled := _scaled(problem)) is not None:
        return scaled
    return _nearest(problem, F_W)


@dataclass(frozen=True)
class _Problem:
    """The task as independent rows R v = c, which are all of it if it is reachable, and the objective of the choice."""

    J: Array
    t: Array
    bounds: VelocityBounds
    F: Array
    v0: Array
    R: Array
    c: Array
    is_reachable: bool

    @staticmethod
    def of(J: Array, t: Array, bounds: VelocityBounds, F: Array, v0: Array) -> _Problem:
        U, sigma, Vt = singular_values(J)
        retained = np.arange(int(rank_of(sigma)))
        components = U[:, retained].T @ t
        is_reachable = np.linalg.norm(t - U[:, retained] @ components) <= EQUAL * np.linalg.norm(t)
        R, c = np.zeros(J.shape), np.zeros(len(t))  # as many rows whatever the rank
        rows = min(len(t), len(retained))
        R[:rows], c[:rows] = Vt[retained], components / sigma[retained]
        return _Problem(J, t, bounds, F, v0, R, c, bool(is_reachable))

    def nearest_with(self, scale: float) -> QuadraticProgram:
        """The velocity nearest to v0 that does this multiple of the task."""
        M, values = self.F.T @ self.F, scale * self.c
        ends = [np.concatenate([end, values]) for end in (self.bounds.lower, self.bounds.upper)]
        return quadratic_program(M, -M @ self.v0, self.R, *ends)

    def rates(self, solution: QuadraticProgram, verdict: Verdict, scale: float, proof: Array) -> LimitedRates:
        n, (lower, upper) = len(self.v0), (self.bounds.lower, self.bounds.upper)
        active = solution.active[:n]
        v = np.where(active > 0, upper, np.where(active < 0, lower, np.clip(solution.x, lower, upper)))
        # Bounds that limit the scale restrict the choice further, so both sets may be combined.
        multipliers = solution.multipliers[:n] + proof
        return LimitedRates(v, verdict, scale, self.t - self.J @ v, _sides(multipliers), multipliers)


def _without_joints(t: Array, policy: Policy) -> LimitedRates:
    """Programs have one variable or more; without joints, nothing but rest is possible."""
    if not t.any():
        verdict, scale = Verdict.SOLVED, 1.0
    else:
        verdict, scale = (Verdict.SINGULAR, 0.0) if policy == "scaled" else (Verdict.NEAREST, 1.0)
    none = np.zeros(0)
    return LimitedRates(none, verdict, scale, t, none.astype(int), none)


def _whole(problem: _Problem) -> LimitedRates | None:
    """Rates that do all of the task, if there are any."""
    if not problem.is_reachable:
        return None
    solution = problem.nearest_with(1.0)
    return problem.rates(solution, Verdict.SOLVED, 1.0, np.zeros(len(problem.v0))) if solution else None


def _nearest(problem: _Problem, F_W: Array) -> LimitedRates:
    """The least error of the task, and of the velocities that have it the nearest to v0."""
    J, t, F, v0 = problem.J, problem.t, problem.F, problem.v0
    lower, upper, A = problem.bounds.lower, problem.bounds.upper, F_W @ J
    task = bounded_least_squares(A, F_W @ t, lower, upper, v0)
    least = bounded_least_squares(F, F @ v0, lower, upper, task.x, A)
    residual = t - J @ least.x
    if np.abs(residual).max(initial=0.0) <= EQUAL * np.abs(t).max(initial=0.0):
        return LimitedRates(least.x, Verdict.SOLVED, 1.0, residual, _sides(least.multipliers), least.multipliers)
    first, second = _sides(task.multipliers), _sides(least.multipliers)
    return LimitedRates(least.x, Verdict.NEAREST, 1.0, residual, np.where(first, first, second), task.multipliers)


def _scaled(problem: _Problem) -> LimitedRates | None:
    """The largest multiple of the task, and of its velocities the nearest to v0; None if there is no multiple.

    A proof that a multiple s is impossible is a sum of rows,  Σ y (bounds) + s y·c < 0,  so it holds for all s down to
    the one where this sum vanishes, which is tried next; a few proofs end at the largest.
    """
    n = len(problem.v0)
    lower, upper = problem.bounds.lower, problem.bounds.upper
    scale, proof = 1.0 if problem.is_reachable else 0.0, np.zeros(n)
    for _ in range(MOST_PROOFS):
        solution = problem.nearest_with(scale)
        if solution:
            verdict = Verdict.SINGULAR if not problem.is_reachable else Verdict.SCALED
            return problem.rates(solution, verdict, scale, proof if problem.is_reachable else np.zeros(n))
        if solution.verdict == Verdict.INFEASIBLE:
            y = solution.multipliers
            used, ends = np.flatnonzero(y[:n]), np.where(y[:n] > 0.0, upper, lower)
            at_bounds, along = float(ends[used] @ y[used]), float(y[n:] @ problem.c)
            if at_bounds < 0.0 or along >= 0.0:
                return None  # for every multiple, down to zero
            proof = y[:n]
            scale = min(at_bounds / -along, scale * (1.0 - ROUNDING))
        else:
            scale *= 1.0 - ROUNDING
    raise DegenerateError("no largest multiple of the task: the numbers are too far apart in size; scale the weights")


def _sides(multipliers: Array) -> Array:
    size = np.abs(multipliers).max(initial=0.0)
    return np.asarray(np.where(np.abs(multipliers) > 1e-12 * size, np.sign(multipliers), 0.0).astype(int))
