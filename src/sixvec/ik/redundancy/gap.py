"""Gaps to be closed: a task, its target at one moment, and how fast both approach each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sixvec.algorithms.integrate import integrate
from sixvec.arguments import Array, one_number, real_array
from sixvec.errors import ArgumentError
from sixvec.ik.inputs import as_target
from sixvec.ik.levenberg_marquardt import identity_of, target_shape
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.robot import Robot
from sixvec.tasks.task import Task

POSE, ROTATION = (4, 4), (3, 3)
"""The shapes of targets that turn: their velocity is a twist or an angular velocity."""


NOW = np.zeros(())


@dataclass(frozen=True)
class Gap:
    """The error e of a task, which should vanish as exp(-K time) while the target moves:  A q̇ = t + K e,  A = -∂e/∂q.

    `task` is one of `sixvec.tasks` with an error at q, such as `Frame("tool0")`, or `RelativeFrame("left", "right")`
    with the target `np.eye(4)` for a loop that was cut: both frames coincide where it is closed.  For a hinge omit the
    rotation about its axis from the `directions` of the task.  `gain` K is in 1/s (that of the task is not used).
    `velocity` is that of the target: a twist (ω; v of its origin) of a pose, an angular velocity of a rotation matrix,
    else of the target's shape.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import Gap
    >>> from sixvec.tasks import Frame
    >>> panda = sixvec.load("panda")
    >>> q = panda.random(0)
    >>> gap = Gap(Frame("panda_link8"), panda.pose(q, "panda_link8"), gain=10.0)
    >>> bool(abs(gap.error(panda, q)).max() < 1e-12), gap.matrix(panda, q).shape
    (True, (6, 7))
    """

    task: Task
    target: Any = None
    velocity: Any = field(default=None, kw_only=True)
    gain: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.task, Task) or not self.task.is_of_positions:
            raise ArgumentError(f"Gap: task must be a task with an error at q, such as Frame(frame), not {self.task!r}")
        if not 0.0 <= one_number("Gap: gain", self.gain) < np.inf:
            raise ArgumentError(f"Gap: gain is {self.gain}/s; it must be finite, and negative ones open the gap")

    def error(self, robot: Robot, q: Any) -> Array:
        """e at q."""
        functions, arguments = self._on(robot)
        return np.asarray(functions.error(_position(robot, q), *arguments))

    def matrix(self, robot: Robot, q: Any) -> Array:
        """A at q: the error that joint velocities remove per second."""
        functions, arguments = self._on(robot)
        return np.asarray(functions.matrix(np.zeros(robot.nv), NOW, _position(robot, q), *arguments)) * -1.0

    def rates(self, robot: Robot, q: Any) -> Array:
        """t + K e: what A q̇ should be."""
        rates = self.gain * self.error(robot, q)
        if self.velocity is None:
            return np.asarray(rates)
        functions, arguments = self._on(robot)
        return np.asarray(functions.drift(np.zeros(robot.nv), NOW, _position(robot, q), *arguments) + rates)

    def _on(self, robot: Robot) -> tuple[_Functions, tuple[Array, Array]]:
        """The functions for a robot, and the target with its derivative by time, which are checked once."""
        known: tuple[Model, _Functions, tuple[Array, Array]] | None = self.__dict__.get("_known")
        if known is None or known[0] is not robot.model:
            task = self.task.on(robot.model)
            target = np.zeros(1) if task.shape(robot.model) is None else as_target(robot, task, self.target)
            known = robot.model, _functions(robot.model, task), (target, self._motion(target))
            object.__setattr__(self, "_known", known)
        return known[1:]

    def _motion(self, target: Array) -> Array:
        """The derivative of the target by time."""
        if self.velocity is None:
            return np.zeros(target.shape)
        name, shape = f"Gap of {self.task}: velocity", target.shape[-2:]
        if shape not in (POSE, ROTATION):
            return real_array(name, self.velocity, *target.shape)
        velocity = real_array(name, self.velocity, 6 if shape == POSE else 3, why="of the target, in world axes")
        motion = np.zeros((*np.broadcast_shapes(target.shape[:-2], velocity.shape[:-1]), *shape))
        axes = np.swapaxes(target[..., :3, :3], -1, -2)
        motion[..., :3, :3] = np.swapaxes(np.cross(velocity[..., None, :3], axes), -1, -2)
        if shape == POSE:
            motion[..., :3, 3] = velocity[..., 3:]
        return motion


class _Functions(NamedTuple):
    """e(q, target, motion), and its derivatives by q and by time as the target moves, which also take zeros."""

    error: CompiledFunction
    matrix: Any
    drift: Any


@lru_cache(maxsize=64)
def _functions(model: Model, task: Task) -> _Functions:
    """The error at q ⊕ u with target + s motion, of which both derivatives are those at u = 0 and s = 0."""
    robot, shape = canonical(model), target_shape(task, model)

    def error(q: Any, target: Any, motion: Any) -> Any:
        return task.mismatch(robot, q, _moved(target, motion, 0.0)).error

    def moved(u: Any, s: Any, q: Any, target: Any, motion: Any) -> Any:
        return error(integrate(robot, list(q), list(u)), _moved(target, motion, s), motion)

    inputs = Port("q", (model.nq,)), Port("target", shape), Port("motion", shape)
    outputs = (Port("e", (len(task.labels(robot)),)),)
    ahead = CompiledFunction(
        moved, (Port("u", (model.nv,)), Port("s", ()), *inputs), outputs, identity_of(model, "moved gap", (task,))
    )
    here = CompiledFunction(error, inputs, outputs, identity_of(model, "gap", (task,)))
    return _Functions(here, ahead.derivative("u"), ahead.derivative("s"))


def _position(robot: Robot, q: Any) -> Array:
    return real_array("Gap: q", q, robot.nq)


def _moved(target: Any, motion: Any, s: Any) -> Any:
    if isinstance(target, list | tuple):
        return [_moved(x, y, s) for x, y in zip(target, motion, strict=True)]
    return target + s * motion
