"""One step of one sample in arrays of NumPy: the arguments are compared with what is expected, and little else."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.arguments.rigid_poses import ROTATION_DEVIATION
from sixvec.tasks.pose_check import deviation
from sixvec.tasks.step import Step
from sixvec.tasks.task import Shape, Task

_DOUBLE = np.dtype(np.float64)
_POSE = (4, 4)


class OneSample:
    """What a stack expects of the arguments of one sample, and the constant parts of the result."""

    def __init__(self, loop: Any, nq: int, nv: int, targets: dict[str, Shape], names: tuple[Any, ...]) -> None:
        self.loop, self.q, self.names = loop, (nq,), names
        self.targets = [(name, shape, shape == _POSE) for name, shape in targets.items()]
        self.v, self.near = np.zeros(nv), np.zeros(0, np.int32)
        self.time_step = (0.0, np.zeros(()))
        """The last one, and its array: one object, since several threads may call."""

    @staticmethod
    def suits(task: Task, shape: Shape | None) -> bool:
        """Whether the target of a task is any array of its shape, or a pose."""
        return type(task).checked is Task.checked and task.usual_target() is None

    def step(self, q: Any, targets: Any, dt: Any) -> Step | None:
        """The step, or None where the arguments are not such arrays, or not right."""
        if type(q) is not np.ndarray or q.dtype is not _DOUBLE or q.shape != self.q or type(targets) is not dict:
            return None
        if type(dt) is not float or not 0.0 < dt < 1e300 or len(targets) != len(self.targets):
            return None
        arrays = []
        for name, shape, is_pose in self.targets:
            x = targets.get(name)
            if type(x) is not np.ndarray or x.dtype is not _DOUBLE or x.shape != shape:
                return None
            if is_pose and not deviation(x) <= ROTATION_DEVIATION:
                return None
            arrays.append(x[None])
        known, array = self.time_step
        if dt != known:
            array = np.array(dt)
            self.time_step = dt, array
        q1, v1, _, _, *parts = self.loop(q, self.v, array, *arrays)
        step = object.__new__(Step)
        names, joints, clearances = self.names
        step.__dict__.update(
            v=v1, q=q1, near=self.near, names=names, joints=joints, clearances=clearances, _of_loop=parts
        )
        return step
