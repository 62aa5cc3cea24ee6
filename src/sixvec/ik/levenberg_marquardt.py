"""One step towards the targets, for one robot and one set of tasks, and the loop that repeats it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.algorithms.difference import difference
from sixvec.algorithms.parts.factorization import Inverse
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.ik.task import Mismatch, Task, target_shape
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import Scalar, where
from sixvec.sim.fixed_axes import moved

DAMPING = 1e-10
"""What is always added to the squared singular values: it bounds a step where the Jacobian loses rank."""

FOLLOWED = 0.5
"""How much of the squared error is added: large errors make careful steps (Sugihara, IEEE T-RO 27(5), 2011)."""

PROGRESS = 0.8
"""A step counts as progress if the squared error falls below this part of the least so far."""

PATIENCE = 8.0
"""Steps without progress after which a start is given up."""

RUNNING, SOLVED, STALLED = 0.0, 1.0, 2.0

Row = list[Scalar]
Limits = tuple[tuple[float, ...], tuple[float, ...]]
"""Lower and upper, for each coordinate of q."""


def mismatches(model: Model, tasks: tuple[Task, ...], q: Any, targets: Any) -> list[Mismatch]:
    return [task.mismatch(model, q, target) for task, target in zip(tasks, targets, strict=True)]


def weighted(tasks: tuple[Task, ...], found: list[Mismatch]) -> tuple[Row, list[Row]]:
    """The rows of all tasks, errors and Jacobian, each times its task's weight."""
    errors = [t.weight * e for t, m in zip(tasks, found, strict=True) for e in m.error]
    J = [[t.weight * x for x in row] for t, m in zip(tasks, found, strict=True) for row in m.jacobian]
    return errors, J


def cost_of(tasks: tuple[Task, ...], found: list[Mismatch]) -> Scalar:
    """The squared error: distances and angles left, times the weights.  Unlike the rows it knows of half turns."""
    return sum(t.weight * t.weight * (m.position + m.rotation) for t, m in zip(tasks, found, strict=True))


def newton_step(errors: Row, J: list[Row], free: Row, damping: Scalar, drift: Row | None) -> Row:
    """u = F Jᵀ (J F Jᵀ + λ)⁻¹ (e - J z) + F z, or the same with the smaller matrix (Jᵀ J + λ)⁻¹ Jᵀ.

    F is 1 for joints that may move and 0 for those held at a limit; the drift z acts in the null space alone.
    Bruyninckx (5.49)-(5.52), corrected, with the null space of (5.47)-(5.48); Featherstone 2010, Figure 6, is λ = 0.
    Rows that concern one joint each, those of a posture, need no matrix at all.
    """
    if drift is not None:
        drift = [f * z for f, z in zip(free, drift, strict=True)]
        errors = [e - _dot(row, drift) for e, row in zip(errors, J, strict=True)]  # (5.47)-(5.48): z - J^# J z
    shared = [k for k, row in enumerate(J) if _own_joint(row) is None]
    if len(shared) < min(len(J), len(free)):
        u = _split_step(errors, J, free, damping, shared)
        return u if drift is None else [x + z for x, z in zip(u, drift, strict=True)]
    J = [[x * f for x, f in zip(row, free, strict=True)] for row in J]
    if len(J) <= len(free):
        A = [[_dot(a, b) + (damping if i == j else 0.0) for j, b in enumerate(J)] for i, a in enumerate(J)]
        y = [row[0] for row in Inverse(A).times([[e] for e in errors])]
        u = [_dot(column, y) for column in zip(*J, strict=True)]  # (5.51): Jᵀ (J Jᵀ + λ)⁻¹ e
    else:
        columns = list(zip(*J, strict=True))
        A = [[_dot(a, b) + (damping if i == j else 0.0) for j, b in enumerate(columns)] for i, a in enumerate(columns)]
        u = [row[0] for row in Inverse(A).times([[_dot(column, errors)] for column in columns])]
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
    S = [[_dot(a, b) + (1.0 if i == j else 0.0) for j, b in enumerate(A)] for i, a in enumerate(AG)]
    left = [[errors[k] - _dot(row, u)] for k, row in zip(shared, A, strict=True)]
    y = [row[0] for row in Inverse(S).times(left)]
    return [x + _dot(column, y) for x, column in zip(u, zip(*AG, strict=True), strict=True)]


class Bounds:
    """Position limits of the coordinates that have them, as numbers at trace time."""

    def __init__(self, lower: Any, upper: Any, model: Model) -> None:
        self.of: dict[int, tuple[int, float, float]] = {}
        for b in model.moving:
            if b.joint.nq != b.joint.nv:
                continue  # quaternions have no limits, one by one
            at_q, at_v = model.q_slices[b.name].start, model.v_slices[b.name].start
            for k in range(b.joint.nv):
                if np.isfinite(lower[at_q + k]) or np.isfinite(upper[at_q + k]):
                    self.of[at_v + k] = (at_q + k, float(lower[at_q + k]), float(upper[at_q + k]))

    def free(self, q: Any, push: Row) -> Row:
        """1 for each joint that may follow `push`, 0 for one that stands at a limit and is pushed against it."""
        free: Row = [1.0] * len(push)
        for k, (i, low, high) in self.of.items():
            held = free[k]
            if np.isfinite(low):
                held = where(q[i] > low, held, where(push[k] < 0.0, 0.0, held))
            if np.isfinite(high):
                held = where(q[i] < high, held, where(push[k] > 0.0, 0.0, held))
            free[k] = held
        return free

    def clipped(self, q: Any) -> Row:
        result = list(q)
        for i, low, high in self.of.values():
            x = result[i]
            x = where(x < low, low, x) if np.isfinite(low) else x
            result[i] = where(x > high, high, x) if np.isfinite(high) else x
        return result


@lru_cache(maxsize=64)
def descent(model: Model, tasks: tuple[Task, ...], limits: Limits, posture: float) -> CompiledFunction:
    """A step as a compiled function: (q, best, waited, state; tolerances, posture, *targets) to the same, and go on."""
    robot = canonical(model)
    bounds = Bounds(*limits, model)

    def step(q: Any, best: Scalar, waited: Scalar, state: Scalar, tolerances: Any, rest: Any, *targets: Any) -> Any:
        found = mismatches(robot, tasks, q, targets)
        position, rotation = sum(m.position for m in found), sum(m.rotation for m in found)
        at_place, turned = position < tolerances[0] * tolerances[0], rotation < tolerances[1] * tolerances[1]
        errors, J = weighted(tasks, found)
        cost = cost_of(tasks, found)
        drift = _towards(robot, q, rest, posture) if posture else None
        push = [_dot(column, errors) for column in zip(*J, strict=True)]
        u = newton_step(errors, J, bounds.free(q, push), cost * FOLLOWED + DAMPING, drift)
        q1 = bounds.clipped(moved(robot, q, u))
        better = cost < best * PROGRESS
        waited1 = where(better, 0.0, waited + 1.0)
        not_yet = where(waited1 > PATIENCE, STALLED, RUNNING)
        state1 = where(at_place, where(turned, SOLVED, not_yet), not_yet)
        running = state < 0.5
        moves = where(running, state1, state) < 0.5
        return (
            [where(moves, new, old) for new, old in zip(q1, q, strict=True)],
            where(running, where(better, cost, best), best),
            where(running, waited1, waited),
            where(running, state1, state),
            where(moves, 1.0, 0.0),
        )  # fmt: skip

    state = (Port("q", (model.nq,)), Port("best", ()), Port("waited", ()), Port("state", ()))
    given = (Port("tolerances", (2,)), Port("rest", (model.nq,)))
    targets = tuple(Port(f"target{k}", target_shape(task, model)) for k, task in enumerate(tasks))
    identity = f"{model.fingerprint} descent {tasks} {limits} {posture}"
    return CompiledFunction(step, (*state, *given, *targets), (*state, Port("go", ())), identity)


@lru_cache(maxsize=64)
def loop(
    model: Model,
    tasks: tuple[Task, ...],
    limits: Limits,
    posture: float,
    iterations: int,
) -> Iterated:
    return Iterated(descent(model, tasks, limits, posture), iterations, carried=4, until=True)


def _towards(model: Model, q: Any, rest: Any, gain: float) -> Row:
    """A part of the way to a posture, in tangent coordinates."""
    return [gain * x for x in difference(model, q, rest)]


def _dot(a: Any, b: Any) -> Scalar:
    return sum(x * y for x, y in zip(a, b, strict=True))
