"""Forces that hold frames and close loops: their variables, how they act on the joints, and their limits; on scalars.

Variables are impulses of one step per mass of the robot (m/s, with moments m²/s), so that they compare with velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sixvec.algorithms.pose import pose
from sixvec.model import Model
from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3
from sixvec.spatial.linear import Matrix, Row, dot
from sixvec.tasks.held import ClosedLoops, Held
from sixvec.tasks.task import DIRECTIONS, Task

INF = float("inf")


class Limits(NamedTuple):
    """Rows on the variables of a reaction with their bounds."""

    rows: list[Row]
    lower: list[Scalar]
    upper: list[Scalar]


class Bond:
    """Forces along the rows of a task that holds in every direction, such as a weld or a closed loop."""

    def __init__(self, task: Task, model: Model) -> None:
        self.task, self.names = task, tuple(f"{name}: force" for name in task.labels(model))
        self.limits: tuple[str, ...] = ()

    def columns(self, model: Model, q: Any, J: Matrix, turns: Matrix) -> Matrix:
        """The joint forces of a unit of each variable."""
        return [list(row) for row in J]

    def bounds(self, largest: Scalar | None) -> tuple[list[Scalar], list[Scalar]]:
        return [-INF] * len(self.names), [INF] * len(self.names)

    def limited(self, largest: Scalar | None) -> Limits:
        return Limits([], [], [])

    def wrench(self, model: Model, q: Any, f: Row) -> Row:
        """Moment and force on the frame at its origin, in world axes."""
        at = dict(zip(self.task.directions_held, f, strict=True)) if isinstance(self.task, Held) else {}
        return [at.get(k, 0.0) for k in range(len(DIRECTIONS))]


class Footing:
    """Forces at points of a frame that pushes on something and does not slide: they stay in a pyramid within the cone
    of friction."""

    def __init__(self, task: Held, model: Model) -> None:
        self.task, n = task, task.normal
        first = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        first /= np.linalg.norm(first)
        self.axes = [first.tolist(), np.cross(n, first).tolist(), list(n)]
        self.slope = float(task.friction or 0.0) / np.sqrt(2.0)
        count = len(task.points)
        self.names = tuple(f"{task.name}: lifts off" for _ in range(3 * count))
        self.limits = (*(f"{task.name}: friction" for _ in range(4 * count)), f"{task.name}: largest normal force")

    def _arms(self, model: Model, q: Any) -> list[Vec3]:
        """From the origin of the frame to the points, in world axes."""
        X = pose(model, q, self.task.frame)
        return [Vec3(*(dot(list(X[i][:3]), list(point)) for i in range(3))) for point in self.task.points]

    def columns(self, model: Model, q: Any, J: Matrix, turns: Matrix) -> Matrix:
        """`turns` are the six rows of the frame, in world axes."""
        columns = []
        for arm in self._arms(model, q):
            for axis in self.axes:
                moment = arm.cross(Vec3(*axis))
                both = [*moment, *axis]
                columns.append([dot(both, [row[j] for row in turns]) for j in range(model.nv)])
        return columns

    def bounds(self, largest: Scalar | None) -> tuple[list[Scalar], list[Scalar]]:
        return [-INF, -INF, 0.0] * len(self.task.points), [INF] * len(self.names)

    def limited(self, largest: Scalar | None) -> Limits:
        """Four sides of each pyramid, and the sum of all normal forces."""
        rows: list[Row] = []
        lower: list[Scalar] = []
        upper: list[Scalar] = []
        for k in range(0, len(self.names), 3):
            for i in (0, 1):
                for sign in (1.0, -1.0):
                    entries = {k + i: sign, k + 2: -self.slope}
                    rows.append([entries.get(j, 0.0) for j in range(len(self.names))])
                    lower.append(-INF)
                    upper.append(0.0)
        assert largest is not None
        rows.append([0.0, 0.0, 1.0] * len(self.task.points))
        lower.append(-INF)
        upper.append(where(largest > 0.0, largest, 0.0))
        return Limits(rows, lower, upper)

    def wrench(self, model: Model, q: Any, f: Row) -> Row:
        total = [0.0] * 6
        for k, arm in enumerate(self._arms(model, q)):
            force = [dot(f[3 * k : 3 * k + 3], [axis[i] for axis in self.axes]) for i in range(3)]
            moment = arm.cross(Vec3(*force))
            total = [x + y for x, y in zip(total, [*moment, *force], strict=True)]
        return total


def reactions_of(tasks: Sequence[Task], model: Model) -> list[Bond | Footing]:
    """The reactions of those tasks that have any."""
    reactions: list[Bond | Footing] = []
    for task in tasks:
        if isinstance(task, Held) and task.friction is not None:
            reactions.append(Footing(task, model))
        elif isinstance(task, Held | ClosedLoops):
            reactions.append(Bond(task, model))
    return reactions
