"""Following a path: each pose solved from the one before, in one compiled loop."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.compiler.iteration import iterated
from sixvec.compiler.program import Port
from sixvec.errors import ShapeError
from sixvec.function import CompiledFunction
from sixvec.ik.inputs import angle_left, as_position, as_target, checked_settings, coordinate_names, require_solvable
from sixvec.ik.levenberg_marquardt import Bounds, mismatches, newton_step, weighted
from sixvec.ik.solve import solve
from sixvec.ik.starts import GROUPS
from sixvec.ik.task import PoseTask, Task
from sixvec.ik.verdict import Solution, Verdict
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.scalar import where
from sixvec.sim.integrators import moved

if TYPE_CHECKING:
    from sixvec.robot import Robot

ROUNDS = 4
"""Newton steps for each pose of a path: an error of e becomes about e², three times over, and one to spare."""

FOLLOWED, DAMPING = 1e-3, 1e-12
"""Damping as in the search for a pose, but weaker: the way is short, and accuracy is what counts."""


def track(
    robot: Robot,
    q0: Any,
    poses: Any,
    frame: str,
    *,
    position_tolerance: float = 1e-6,
    rotation_tolerance: float = 1e-6,
) -> Solution:
    """Joint positions (..., n, nq) that take a frame along the poses (..., n, 4, 4), starting near `q0`.

    Each pose is solved from the solution of the one before with a fixed number of steps, so neighbouring poses have
    neighbouring answers; joints stay within their limits.  Where the path leaves what the robot can do, the verdict
    says so, and the steps go on from where they have led; `solve` tells whether there is another way.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q0 = robot.random(0)
    >>> path = numpy.repeat(robot.pose(q0, "panda_link8")[None], 50, axis=0)
    >>> path[:, 0, 3] += numpy.linspace(0.0, 0.05, 50)
    >>> answer = track(robot, q0, path, "panda_link8")
    >>> print(answer, answer.q.shape)
    50 solved (50, 7)
    """
    task = PoseTask(frame)
    robot.model.frame(frame)
    require_solvable(robot)
    checked_settings(position_tolerance, rotation_tolerance)
    targets = as_target(task, poses)
    if targets.ndim < 3:
        raise ShapeError(f"track: a path has the shape (..., n, 4, 4), not {targets.shape}")
    limits = (tuple(map(float, robot.lower)), tuple(map(float, robot.upper)))
    step = follow(robot.model, (task,), limits)
    steps = targets.shape[-3]
    _, q, far, apart = iterated(step, steps, 1, 1).call(as_position(robot, q0), targets)
    position, rotation = np.sqrt(far), angle_left(apart)
    done = (position < position_tolerance) & (rotation < rotation_tolerance)
    verdict = np.where(done, Verdict.SOLVED, Verdict.NOT_CONVERGED).astype(np.int8)
    verdict[~np.isfinite(position)] = Verdict.INVALID
    joint = np.full(verdict.shape, -1)
    failed = verdict == Verdict.NOT_CONVERGED
    if failed.any():
        # The same poses, searched from where the path left them: what can be reached at all was lost on the way.
        searched = solve(robot, {task: targets[failed]}, q0=q[failed], starts=GROUPS)
        reasons = np.where(searched.solved, Verdict.NOT_CONVERGED, searched.verdict)
        verdict[failed], joint[failed] = reasons, searched.joint
    return Solution(q, verdict, position, rotation, joint, np.ones(verdict.shape, np.int64), coordinate_names(robot))


@lru_cache(maxsize=64)
def follow(
    model: Model, tasks: tuple[Task, ...], limits: tuple[tuple[float, ...], tuple[float, ...]]
) -> CompiledFunction:
    """From the position at one pose of a path to that at the next: (q; target) to (q; q, far, apart)."""
    robot, bounds = canonical(model), Bounds(*limits, model)

    def step(q: Any, *targets: Any) -> Any:
        before = q
        for _ in range(ROUNDS):
            errors, J = weighted(tasks, mismatches(robot, tasks, q, targets))
            push = [sum(x * e for x, e in zip(column, errors, strict=True)) for column in zip(*J, strict=True)]
            damping = sum(e * e for e in errors) * FOLLOWED + DAMPING
            q = bounds.clipped(moved(robot, q, newton_step(errors, J, bounds.free(q, push), damping, None)))
        left = mismatches(robot, tasks, q, targets)
        far, apart = sum(m.position for m in left), sum(m.rotation for m in left)
        is_number = far + apart < math.inf
        q = [where(is_number, new, old) for new, old in zip(q, before, strict=True)]
        return q, q, far, apart

    state = Port("q", (model.nq,))
    targets = tuple(Port(f"target{k}", task.shape) for k, task in enumerate(tasks))
    outputs = (state, state, Port("far", ()), Port("apart", ()))
    return CompiledFunction(step, (state, *targets), outputs, f"{model.fingerprint} follow {tasks} {limits}")
