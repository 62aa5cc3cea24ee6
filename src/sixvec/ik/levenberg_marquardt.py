"""Levenberg-Marquardt steps towards the targets of a robot's tasks, within limits, and the loop over them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sixvec.algorithms.difference import difference
from sixvec.algorithms.integrate import integrate
from sixvec.ik.position_solver import DAMPING, FOLLOWED, PATIENCE, Row, newton_step, searching
from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import Scalar
from sixvec.tasks.position_limits import Bounds
from sixvec.tasks.task import Mismatch, Task

SETTLED = 1e-9
"""The length of a step, in rad and m, below which a search has reached the nearest solution."""

SETTLING = 50.0
"""Steps after the target is reached in which the posture draws: they converge linearly."""

Limits = tuple[tuple[float, ...], tuple[float, ...]]
"""Lower and upper, for each coordinate of q."""


def mismatches(model: Model, tasks: tuple[Task, ...], q: Any, targets: Any) -> list[Mismatch]:
    return [task.mismatch(model, q, target) for task, target in zip(tasks, targets, strict=True)]


def weighted(tasks: tuple[Task, ...], mismatches: list[Mismatch]) -> tuple[Row, list[Row]]:
    """The rows of all tasks, errors and Jacobian, each times its task's weight."""
    errors = [t.weight * e for t, m in zip(tasks, mismatches, strict=True) for e in m.error]
    J = [[t.weight * x for x in row] for t, m in zip(tasks, mismatches, strict=True) for row in m.jacobian]
    return errors, J


def cost_of(tasks: tuple[Task, ...], mismatches: list[Mismatch]) -> Scalar:
    """The weighted squared error of distances and angles.  It is correct at half turns, unlike the rows."""
    return sum(t.weight * t.weight * (m.position + m.rotation) for t, m in zip(tasks, mismatches, strict=True))


def left_of(mismatches: list[Mismatch]) -> tuple[Scalar, Scalar]:
    """Remaining squared distance and angle of all tasks."""
    return sum(m.position for m in mismatches), sum(m.rotation for m in mismatches)


def push(errors: Row, J: list[Row]) -> Row:
    """Jᵀ e: where the errors drive each joint."""
    return [sum(x * e for x, e in zip(column, errors, strict=True)) for column in zip(*J, strict=True)]


def step_towards(
    model: Model,
    tasks: tuple[Task, ...],
    bounds: Bounds,
    q: Any,
    mismatches: list[Mismatch],
    drift: Row | None = None,
    fixed: tuple[int, ...] = (),
) -> tuple[Row, Scalar, Row]:
    """One damped step from q within the bounds: the next position, the cost at q, and the step in v.

    `found` are the mismatches at q, `drift` is a velocity in the null space, coordinates of v in `fixed` stay.
    """
    errors, J = weighted(tasks, mismatches)
    cost = cost_of(tasks, mismatches)
    may_move = bounds.free(q, push(errors, J))
    free = [k for k in range(model.nv) if k not in fixed]
    if fixed:
        J, may_move = [[row[k] for k in free] for row in J], [may_move[k] for k in free]
        drift = drift and [drift[k] for k in free]
    u = newton_step(errors, J, may_move, cost * FOLLOWED + DAMPING, drift)
    if fixed:
        u = [u[free.index(k)] if k in free else 0.0 for k in range(model.nv)]
    return bounds.clipped(integrate(model, q, u)), cost, u


@lru_cache(maxsize=64)
def descent(
    model: Model,
    tasks: tuple[Task, ...],
    limits: Limits,
    posture: float,
    fixed: tuple[int, ...] = (),
    settle: bool = False,
) -> CompiledFunction:
    """A step towards the targets: (q, …; tolerances, posture, *targets); coordinates of v in `fixed` stay.

    With `settle` the search goes on until the posture draws it no further: with a gain of 1 it ends at the nearest
    solution.
    """
    robot = canonical(model)
    bounds = Bounds(*limits, model)

    def step(q: Any, tolerances: Any, rest: Any, *targets: Any) -> Any:
        errors = mismatches(robot, tasks, q, targets)
        position, rotation = left_of(errors)
        at_place, turned = position < tolerances[0] * tolerances[0], rotation < tolerances[1] * tolerances[1]
        drift = _towards(robot, q, rest, posture) if posture else None
        q1, cost, u = step_towards(robot, tasks, bounds, q, errors, drift, fixed)
        settled = (sum(x * x for x in u) < SETTLED * SETTLED,) if settle else ()
        return q1, cost, (turned, at_place, *settled)

    ports = (Port("tolerances", (2,)), Port("rest", (model.nq,)))
    identity = identity_of(model, "descent", tasks, limits, posture, fixed, settle)
    patience = SETTLING if settle else PATIENCE
    return searching(step, Port("q", (model.nq,)), (*ports, *target_ports(model, tasks)), identity, patience=patience)


def identity_of(model: Model, what: str, tasks: tuple[Task, ...], *settings: Any) -> str:
    """What identifies a function of tasks in the cache; empty, for its program, if some task is a user's."""
    described = [task.identity for task in tasks]
    return " ".join(map(str, (model.fingerprint, what, *described, *settings))) if all(described) else ""


def target_shape(task: Task, model: Model) -> tuple[int, ...]:
    """The shape of a task's target for one robot; a task without one takes a zero."""
    shape = task.shape(model)
    return (1,) if shape is None else shape


def target_ports(model: Model, tasks: tuple[Task, ...]) -> tuple[Port, ...]:
    return tuple(Port(f"target{k}", target_shape(task, model)) for k, task in enumerate(tasks))


@lru_cache(maxsize=64)
def loop(
    model: Model,
    tasks: tuple[Task, ...],
    limits: Limits,
    posture: float,
    iterations: int,
    fixed: tuple[int, ...] = (),
    settle: bool = False,
) -> Iterated:
    return Iterated(descent(model, tasks, limits, posture, fixed, settle), iterations, carried=4, until=True)


def _towards(model: Model, q: Any, rest: Any, gain: float) -> Row:
    """A fraction of the displacement to a posture, in tangent coordinates."""
    return [gain * x for x in difference(model, q, rest)]
