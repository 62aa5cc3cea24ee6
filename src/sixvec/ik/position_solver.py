"""The search for a position: damped Newton steps in one compiled loop, until solved or without progress.

It moves a robot with its tasks, including closed loops (`levenberg_marquardt.py`), or the platform of a parallel
robot (`parallel/forward_position.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, where
from sixvec.spatial.linear import dot, solve

DAMPING = 1e-10
"""Always added to the squared singular values: it bounds a step where the Jacobian loses rank."""

FOLLOWED = 0.5
"""The fraction of the squared error that is added: large errors make short steps (Sugihara, IEEE T-RO 27(5), 2011)."""

PROGRESS = 0.8
"""A step counts as progress if the squared error falls below this fraction of the least so far."""

PATIENCE = 8.0
"""Steps without progress after which a start is abandoned."""

RUNNING, SOLVED, STALLED = 0.0, 1.0, 2.0

LARGEST = 1e300
"""Squared errors below this are finite."""

Row = list[Scalar]


def searching(
    step: Callable[..., tuple[Any, Scalar, Sequence[Any]]],
    moving: Port,
    constants: Sequence[Port],
    identity: str,
    progress: float = PROGRESS,
    patience: float = PATIENCE,
) -> CompiledFunction:
    """A step of the loop: (x, best, waited, state; *given) to the same, and whether to go on.

    `step(x, *given)` gives the next x, and at x the squared error and the conditions under which x solves the problem.
    Samples that are solved, without progress for too long, or NaN, do not move.
    """

    def run(x: Any, best: Scalar, waited: Scalar, state: Scalar, *constants: Any) -> Any:
        x1, cost, conditions = step(x, *constants)
        better = cost < best * progress
        waited1 = where(better, 0.0, waited + 1.0)
        not_yet = where(waited1 > patience, STALLED, RUNNING)
        state1: Scalar = SOLVED
        for condition in conditions:
            state1 = where(condition, state1, not_yet)
        state1 = where(cost < LARGEST, state1, STALLED)
        running = state < 0.5
        moves = where(running, state1, state) < 0.5
        return (
            _where(moves, x1, x),
            where(running, where(better, cost, best), best),
            where(running, waited1, waited),
            where(running, state1, state),
            where(moves, 1.0, 0.0),
        )  # fmt: skip

    state = (moving, Port("best", ()), Port("waited", ()), Port("state", ()))
    return CompiledFunction(run, (*state, *constants), (*state, Port("go", ())), identity)


def _where(condition: Any, yes: Any, no: Any) -> Any:
    if not isinstance(yes, list | tuple):
        return where(condition, yes, no)
    return [_where(condition, y, n) for y, n in zip(yes, no, strict=True)]


def newton_step(errors: Row, J: list[Row], free: Row, damping: Scalar, drift: Row | None) -> Row:
    """u = F Jᵀ (J F Jᵀ + λ)⁻¹ (e - J z) + F z, or the same with the smaller matrix (Jᵀ J + λ)⁻¹ Jᵀ.

    F is 1 for joints that may move and 0 for those held at a limit; the drift z acts only in the null space.
    Bruyninckx (5.49)-(5.52), corrected, with the null space of Bruyninckx (5.47)-(5.48); Featherstone Fig. 6
    is λ = 0.
    Rows that concern one joint each, those of a posture, need no matrix at all.
    """
    if not free:
        return []
    if drift is not None:
        drift = [f * z for f, z in zip(free, drift, strict=True)]
        errors = [e - dot(row, drift) for e, row in zip(errors, J, strict=True)]  # z - J^# J z
    shared = [k for k, row in enumerate(J) if _own_joint(row) is None]
    if len(shared) < min(len(J), len(free)):
        u = _split_step(errors, J, free, damping, shared)
        return u if drift is None else [x + z for x, z in zip(u, drift, strict=True)]
    J = [[x * f for x, f in zip(row, free, strict=True)] for row in J]
    if len(J) <= len(free):
        A = [[dot(a, b) + (damping if i == j else 0.0) for j, b in enumerate(J)] for i, a in enumerate(J)]
        y = solve(A, errors)
        u = [dot(column, y) for column in zip(*J, strict=True)]  # Bruyninckx (5.51): Jᵀ (J Jᵀ + λ)⁻¹ e
    else:
        columns = list(zip(*J, strict=True))
        A = [[dot(a, b) + (damping if i == j else 0.0) for j, b in enumerate(columns)] for i, a in enumerate(columns)]
        u = solve(A, [dot(column, errors) for column in columns])
    return u if drift is None else [x + z for x, z in zip(u, drift, strict=True)]


def _own_joint(row: Row) -> int | None:
    """The one joint that a row of a Jacobian concerns, known at trace time, or None."""
    places = [k for k, x in enumerate(row) if not (isinstance(x, int | float) and x == 0.0)]
    return places[0] if len(places) == 1 else None


def _split_step(errors: Row, J: list[Row], free: Row, damping: Scalar, shared: list[int]) -> Row:
    """The same step where J = [A; D], each row of D with one entry:  Λ = Dᵀ D + λ is diagonal.

    u = u₀ + F Λ⁻¹ Aᵀ (A F Λ⁻¹ Aᵀ + 1)⁻¹ (e - A u₀),  u₀ = F Λ⁻¹ Dᵀ f: the stationary point of
    |A u - e|² + |D u - f|² + λ |u|², with a matrix as large as A has rows.
    """
    squares, pull = [damping] * len(free), [0.0] * len(free)
    for row, error in zip(J, errors, strict=True):
        if (k := _own_joint(row)) is not None:
            squares[k], pull[k] = squares[k] + row[k] * row[k], pull[k] + row[k] * error
    give = [f / x for f, x in zip(free, squares, strict=True)]
    u = [g * p for g, p in zip(give, pull, strict=True)]
    if not shared:
        return u
    A = [J[k] for k in shared]
    AG = [[x * g for x, g in zip(row, give, strict=True)] for row in A]
    S = [[dot(a, b) + (1.0 if i == j else 0.0) for j, b in enumerate(A)] for i, a in enumerate(AG)]
    y = solve(S, [errors[k] - dot(row, u) for k, row in zip(shared, A, strict=True)])
    return [x + dot(column, y) for x, column in zip(u, zip(*AG, strict=True), strict=True)]
