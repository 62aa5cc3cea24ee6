"""Paths of poses in one compiled loop: each solution is the start of the next."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.algorithms.difference import difference
from sixvec.algorithms.integrate import integrate
from sixvec.arguments import Array
from sixvec.ik.inputs import with_loops_closed
from sixvec.ik.levenberg_marquardt import Limits, identity_of, left_of, mismatches, push, target_ports, weighted
from sixvec.ik.machine import CPU, Machine
from sixvec.ik.position_solver import newton_step
from sixvec.kernels import Port, iterated
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.robot import Robot
from sixvec.scalar import where
from sixvec.tasks.frame import Frame
from sixvec.tasks.position_limits import Bounds
from sixvec.tasks.task import Task

ROUNDS = 4
"""Newton steps for each pose of a path: an error of e becomes about e² in each of three, and one is in reserve."""

FOLLOWED, DAMPING = 1e-3, 1e-12
"""Damping as in the search for a pose, but weaker: steps are short, and accuracy matters."""

ARRIVED = 1e-6
"""Squared error, m² and rad², above which a step failed: the robot keeps its last position and continues from there."""

FINER = 32
"""Steps between two poses of a path if one does not suffice."""


def follow(robot: Robot, frame: str, q: Any, drift: Any, targets: Any, machine: Machine = CPU) -> tuple[Any, Any, Any]:
    """From positions (m, nq) along poses (m, n, 4, 4): positions (m, n, nq), distances and angles left (m, n).

    `drift` (m, nv) is the last step of a non-redundant arm, or zero: where two branches meet, at a
    singularity, it selects the branch that continues the motion smoothly.  The arrays are those
    of the machine.
    """
    xp = machine.xp
    m, n = targets.shape[:2]
    # Loops are compiled for lengths that are powers of two, so there are few of them.
    length = 1 << max(0, n - 1).bit_length()
    padded = xp.concatenate([targets, xp.repeat(targets[:, -1:], length - n, axis=1)], axis=1)
    limits = (tuple(map(float, robot.lower)), tuple(map(float, robot.upper)))
    tasks = tuple(with_loops_closed(robot, {Frame(frame): None}))
    step = _step(robot.model, tasks, limits)
    closed = [xp.zeros((m, length, 1)) for _ in tasks[1:]]
    run = machine.run(iterated(step, length, 2, len(tasks)))
    _, _, path, far, turned = run(q, drift, padded, *closed)
    position, rotation = xp.sqrt(far[:, :n]), xp.sqrt(turned[:, :n])
    return path[:, :n].reshape(m, n, robot.nq), position, rotation


def slowly(robot: Robot, frame: str, q: Array, drift: Array, target: Array) -> tuple[Array, Array, Array]:
    """From positions (m, nq) to a pose each (m, 4, 4) in many small steps: positions and remaining errors."""
    here = robot.pose(q, frame)
    s = (np.arange(FINER) + 1.0)[:, None, None] / FINER
    between = (1.0 - s) * here[:, None] + s * target[:, None]
    # The rotation nearest to the mean of two is half way between them; the last is the target itself.
    U, _, Vh = np.linalg.svd(between[..., :3, :3])
    U[..., -1] *= np.linalg.det(U @ Vh)[..., None]
    between[..., :3, :3] = U @ Vh
    between[:, -1] = target
    path, position, rotation = follow(robot, frame, q, drift / FINER, between)
    return path[:, -1], position[:, -1], rotation[:, -1]


@lru_cache(maxsize=64)
def _step(model: Model, tasks: tuple[Task, ...], limits: Limits) -> CompiledFunction:
    """From the position at one pose of a path to that at the next: (q, drift; target) to (q, drift; q, far, turned)."""
    robot, bounds = canonical(model), Bounds(*limits, model)
    goes_on = not has_joints_to_spare(model, tasks)

    def step(q: Any, drift: Any, *targets: Any) -> Any:
        before, first = q, mismatches(robot, tasks, q, targets)
        misfit = first
        if goes_on:
            q = bounds.clipped(integrate(robot, q, drift))
            misfit = mismatches(robot, tasks, q, targets)
        for _ in range(ROUNDS):
            errors, J = weighted(tasks, misfit)
            damping = sum(e * e for e in errors) * FOLLOWED + DAMPING
            u = newton_step(errors, J, bounds.free(q, push(errors, J)), damping, None)
            q = bounds.clipped(integrate(robot, q, u))
            misfit = mismatches(robot, tasks, q, targets)
        (far, turned), (far0, turned0) = left_of(misfit), left_of(first)
        arrived = far + turned < ARRIVED  # false for NaN
        q = [where(arrived, new, old) for new, old in zip(q, before, strict=True)]
        drift = difference(robot, before, q) if goes_on else drift
        return q, drift, q, where(arrived, far, far0), where(arrived, turned, turned0)

    state, drift = Port("q", (model.nq,)), Port("drift", (model.nv,))
    outputs = (state, drift, Port("found", (model.nq,)), Port("far", ()), Port("turned", ()))
    identity = identity_of(model, "follow", tasks, limits)
    return CompiledFunction(step, (state, drift, *target_ports(model, tasks)), outputs, identity)


def has_joints_to_spare(model: Model, tasks: tuple[Task, ...]) -> bool:
    """Whether more freedoms move a frame than a pose has, or may: internal motion would continue forever."""
    if model.closures:
        return True
    frames = [model.frame(task.frame).body for task in tasks if isinstance(task, Frame)]
    return any(sum(b.joint.nv for b in model.path(body)) > 6 for body in frames)
