"""Joint rates within bounds: the task as a quadratic program.

The solver is DAQP (Arnström, Bemporad, Axehill 2022): an active-set method, so bounds hold to rounding and the
multipliers say which limits bind; two-sided bounds as they stand; MIT licence; wheels for every current Python on
Linux, macOS and Windows.  quadprog solves the same problems but is GPL; interior-point and splitting solvers
(PIQP, ProxQP, OSQP) aim at large sparse problems and stop at a tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from sixvec.errors import ArgumentError, DegenerateError, MissingExtra, ShapeError
from sixvec.redundancy.decomposition import Array, as_matrix, joint_velocity, singular_values, weight_factor
from sixvec.redundancy.limits import VelocityBounds

Policy = Literal["scaled", "nearest"]
Verdict = Literal["exact", "scaled", "nearest", "singular"]

SLACK = 1e-7
"""Weight of joint motion against the scale of the task: the scale found is at most about this below the largest."""

REGULARISATION = 1e-6
"""λ² of the nearest rates, times the largest entry of Jᵀ W J: it makes internal motion determinate."""

REACHED = 1e-9
"""A task error below this, relative to the task, is none; a task direction that J gives less than this is lost."""

ROOM = 1e-12
"""A coordinate with less room than this between its bounds stands still."""

_EQUALITY, _ITERATIONS = 5, 1000


@dataclass(frozen=True, slots=True)
class LimitedRates:
    """Joint rates within the bounds, and how the task fared.

    `verdict`: "exact" (J v = t), "scaled" (J v = s t with the largest `scale` s < 1: the same path, slower), "nearest"
    (the direction gave way) or "singular" (no multiple of the task can be had at this position).  `active` is +1 where
    the upper bound binds, -1 where the lower one does, else 0; `residual` is t - J v.
    """

    velocity: Array
    verdict: Verdict
    scale: float
    residual: Array
    active: Array
    multipliers: Array


def rates_within_limits(J: Any, t: Any, bounds: VelocityBounds | tuple[Any, Any], *, policy: Policy = "scaled",
                        secondary: Any = None, joint_weight: Any = None,
                        task_weight: Any = None) -> LimitedRates:  # fmt: skip
    """The task velocity t as far as the bounds on the joint rates allow.

    "scaled" keeps the direction of the task and slows it down: of the rates with J v = s t within bounds, the largest
    s ≤ 1, and then the v nearest to `secondary` in the joint weight.  "nearest" minimises |J v - t|²_W: it may leave
    the path.  The bounds are those of `velocity_bounds`, or a pair (lower, upper).  Bounds that
    exclude every velocity raise, naming the joint and the two limits.  One sample at a time.

    >>> import sixvec, numpy as np
    >>> from sixvec.redundancy import velocity_bounds
    >>> panda = sixvec.load("panda")
    >>> q = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    >>> J, bounds = panda.jacobian(q, "panda_link8"), velocity_bounds(panda, q, 0.01)
    >>> found = rates_within_limits(J, [0, 0, 0, 0, 5.0, 0], bounds)
    >>> found.verdict, bool(abs(found.velocity).max() <= 2.61 + 1e-9)
    ('scaled', True)
    """
    if policy not in get_args(Policy):
        raise ArgumentError(f'no policy "{policy}"; policies: {", ".join(get_args(Policy))}')
    J, t = as_matrix(J), np.asarray(t, float)
    if J.ndim != 2 or t.shape != J.shape[:1]:
        raise ShapeError(f"one sample at a time: J (m, n) and t (m,), not {J.shape} and {t.shape}")
    n, bounds = J.shape[1], VelocityBounds.of(bounds)
    if bounds.lower.shape != (n,):
        raise ShapeError(f"bounds for {len(bounds.lower)} coordinates, but J has {n} columns")
    for name, x in (("J", J), ("t", t), ("secondary", 0.0 if secondary is None else np.asarray(secondary, float))):
        if not np.isfinite(x).all():
            raise DegenerateError(f"{name} must be finite")
    if conflict := bounds.conflict():
        raise DegenerateError(f"no velocity is within the bounds; {conflict}.  Slow down earlier, or allow more")
    F = weight_factor(joint_weight, n, "joint")
    M, v0 = F.T @ F, np.zeros(n) if secondary is None else joint_velocity(J, secondary, "secondary")
    if policy == "nearest":
        return _nearest(J, t, bounds, M, v0, task_weight)
    return _scaled(J, t, bounds, M, v0)


def _nearest(J: Array, t: Array, bounds: VelocityBounds, M: Array, v0: Array, task_weight: Any) -> LimitedRates:
    F_W = weight_factor(task_weight, len(t), "task")
    A = F_W @ J
    small = (
        REGULARISATION * max(float((A * A).sum(axis=0).max(initial=0.0)), 1e-12) / float(np.diag(M).max(initial=1e-300))
    )
    found = solve_qp(A.T @ A + small * M, -A.T @ (F_W @ t) - small * M @ v0, bounds.lower, bounds.upper)
    assert found is not None  # bounds that exclude each other have been refused
    v, multipliers = found
    residual = t - J @ v
    # The regularisation alone leaves an error of its own size; more is due to the bounds.
    exact = np.abs(residual).max(initial=0.0) <= 10.0 * REGULARISATION * np.abs(t).max(initial=0.0)
    return LimitedRates(v, "exact" if exact else "nearest", 1.0, residual, _sides(multipliers), multipliers)


def _scaled(J: Array, t: Array, bounds: VelocityBounds, M: Array, v0: Array) -> LimitedRates:
    n = J.shape[1]
    U, sigma, Vt = singular_values(J)
    kept = sigma > REACHED * sigma.max(initial=0.0)
    rows, wanted = sigma[kept, None] * Vt[: len(sigma)][kept], U[:, : len(sigma)][:, kept].T @ t
    reachable = np.linalg.norm(t - U[:, : len(sigma)][:, kept] @ wanted) <= REACHED * np.linalg.norm(t)
    scale = 1.0 if reachable else 0.0
    found = solve_qp(M, -M @ v0, bounds.lower, bounds.upper, rows, scale * wanted)
    if found is None and reachable:
        # Unknowns (v, s): all of the task that the bounds allow, with hardly any price on motion.
        H = np.zeros((n + 1, n + 1))
        H[:n, :n], H[n, n] = SLACK * M / float(np.diag(M).max(initial=1e-300)), 1.0
        f = np.concatenate([np.zeros(n), [-1.0]])
        both = solve_qp(H, f, np.append(bounds.lower, 0.0), np.append(bounds.upper, 1.0),
                        np.column_stack([rows, -wanted]), np.zeros(len(rows)))  # fmt: skip
        if both is not None:
            # Rounding must not make the second program empty.
            scale = float(both[0][n]) * (1.0 - REACHED)
            found = solve_qp(M, -M @ v0, bounds.lower, bounds.upper, rows, scale * wanted)
            found = (both[0][:n], both[1][:n]) if found is None else found
    if found is None and (bounds.lower <= 0.0).all() and (bounds.upper >= 0.0).all():
        # What remains of the task is rounding: stand still.
        scale, found = 0.0, (np.zeros(n), np.zeros(n))
    if found is None:
        raise DegenerateError("no velocity within the bounds keeps the task's direction, not even standing still, "
                              'because some bound excludes 0; use policy="nearest"')  # fmt: skip
    v, multipliers = found[0], found[1][:n]
    verdict: Verdict = "singular" if not reachable else "exact" if scale == 1.0 else "scaled"
    return LimitedRates(v, verdict, scale, t - J @ v, _sides(multipliers), multipliers)


def solve_qp(
    H: Array, f: Array, lower: Array, upper: Array, A: Any = None, b: Any = None
) -> tuple[Array, Array] | None:
    """argmin ½ xᵀ H x + fᵀ x within lower ≤ x ≤ upper and A x = b, with the multipliers; None if nothing is.

    Multipliers λ (bounds first, then equations) satisfy  H x + f + λ_bounds + Aᵀ λ_equations = 0, positive at an upper
    bound and negative at a lower one.

    >>> import numpy as np
    >>> x, multipliers = solve_qp(np.eye(2), np.array([-3.0, 1.0]), np.full(2, -2.0), np.full(2, 2.0))
    >>> x.tolist(), multipliers.tolist()
    ([2.0, -1.0], [1.0, 0.0])
    """
    n = len(f)
    rows = np.zeros((0, n)) if A is None else np.ascontiguousarray(A, float)
    right = np.zeros(0) if b is None else np.asarray(b, float)
    free = upper - lower > ROOM
    if free.all():
        return _daqp(H, f, lower, upper, rows, right)
    # Coordinates without room are no unknowns, and without them equations may repeat each other: an active-set method
    # takes both for contradictions.
    x = lower.copy()
    x[free] = 0.0
    rest = right - rows @ x
    U, sigma, Vt = np.linalg.svd(rows[:, free], full_matrices=False)
    kept = sigma > REACHED * np.linalg.norm(rows)
    U, wanted = U[:, kept], U[:, kept].T @ rest
    if np.linalg.norm(rest - U @ wanted) > REACHED * (np.linalg.norm(rows) * np.linalg.norm(x) + np.linalg.norm(right)):
        return None
    slopes = (H @ x + f)[free]
    found = _daqp(H[np.ix_(free, free)], slopes, lower[free], upper[free], sigma[kept, None] * Vt[kept], wanted)
    if found is None:
        return None
    m = int(free.sum())
    x[free] = found[0]
    equations = U @ found[1][m:]
    bound = np.zeros(n)
    bound[free] = found[1][:m]
    bound[~free] = -(H @ x + f + rows.T @ equations)[~free]
    return x, np.concatenate([bound, equations])


def _daqp(H: Array, f: Array, lower: Array, upper: Array, rows: Array, right: Array) -> tuple[Array, Array] | None:
    try:
        import daqp
    except ImportError as error:
        raise MissingExtra("rates within limits need DAQP: pip install sixvec[qp]") from error
    n = len(f)
    if not n:
        return np.zeros(0), np.zeros(len(right))
    sense = np.concatenate([np.zeros(n), np.full(len(right), _EQUALITY)]).astype(np.intc)
    x, _, flag, info = daqp.solve(
        np.ascontiguousarray(H), np.ascontiguousarray(f), rows, np.concatenate([upper, right]),
        np.concatenate([lower, right]), sense, iter_limit=_ITERATIONS, primal_tol=1e-10,
    )  # fmt: skip
    return (np.array(x), np.array(info["lam"])) if flag >= 1 else None


def _sides(multipliers: Array) -> Array:
    size = np.abs(multipliers).max(initial=0.0)
    return np.asarray(np.where(np.abs(multipliers) > 1e-12 * size, np.sign(multipliers), 0.0).astype(int))
