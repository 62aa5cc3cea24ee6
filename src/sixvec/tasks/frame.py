"""A frame at a pose, seen from the world or from another frame; all six directions or some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.pose import pose
from sixvec.algorithms.relative_jacobian import relative_jacobian
from sixvec.errors import ArgumentError, unknown
from sixvec.ik.task import PointingTask, PoseTask
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.spatial import Vec3
from sixvec.spatial.linear import dot
from sixvec.tasks.task import DIRECTIONS, Options, Rows, Shape, chosen_directions


@dataclass(frozen=True)
class Frame(Options):
    """A frame at a pose: the target is a 4x4 matrix in world coordinates.

    `directions` are those that count, of the world's axes or, with reference "local", of the frame's: "xyz" for the
    position alone, ("turn x", "turn y", "turn z") for the orientation, all six by default.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec.tasks import Frame, Posture, Stack
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> goal = arm.pose(q, "panda_link8")
    >>> goal[2, 3] += 0.01
    >>> step = Stack(arm, Frame("panda_link8"), Posture(q, weight=1e-3))(q, {"panda_link8": goal}, dt=0.1)
    >>> bool(step), bool(abs(arm.pose(step.q, "panda_link8") - goal).max() < 1e-3)
    (True, True)
    """

    frame: str
    directions: Any = DIRECTIONS
    reference: str = "local_world_aligned"

    def default_name(self) -> str:
        return self.frame

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "directions", tuple(self.directions))
        chosen_directions("Frame", self.directions)
        require_reference("Frame", self.reference)

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        return (4, 4)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in chosen_directions("Frame", self.directions))

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        found = PoseTask(self.frame).mismatch(model, q, target)
        J, e = [list(row) for row in found.jacobian], list(found.error)
        if self.reference == "local":
            X = pose(model, q, self.frame)
            J, e = turned(X, J), [row[0] for row in turned(X, [[x] for x in e])]
        chosen = chosen_directions("Frame", self.directions)
        return Rows([J[k] for k in chosen], [self.gain / dt * e[k] for k in chosen])


@dataclass(frozen=True)
class RelativeFrame(Options):
    """A frame at a pose as seen from another frame `base`: the target is a 4x4 matrix in the coordinates of the base.

    >>> from sixvec.tasks import RelativeFrame
    >>> RelativeFrame("left_hand", "right_hand").name
    'left_hand from right_hand'
    """

    frame: str
    base: str
    directions: Any = DIRECTIONS

    def default_name(self) -> str:
        return f"{self.frame} from {self.base}"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "directions", tuple(self.directions))
        chosen_directions("RelativeFrame", self.directions)

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        model.frame(self.base)
        return (4, 4)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in chosen_directions("RelativeFrame", self.directions))

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        X_B = pose(model, q, self.base)
        goal_axes = [[dot(X_B[i][:3], [target[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
        place = [X_B[i][3] + dot(X_B[i][:3], [target[k][3] for k in range(3)]) for i in range(3)]
        goal = [[*row, p] for row, p in zip(goal_axes, place, strict=True)] + [[0.0, 0.0, 0.0, 1.0]]
        missing = list(PoseTask(self.frame).mismatch(model, q, goal).error)
        e = [row[0] for row in turned(X_B, [[x] for x in missing])]
        J = relative_jacobian(model, q, self.frame, self.base)
        chosen = chosen_directions("RelativeFrame", self.directions)
        return Rows([J[k] for k in chosen], [self.gain / dt * e[k] for k in chosen])


@dataclass(frozen=True)
class LookAt(Options):
    """An axis of a frame points at a point: the target is that point (3) in world coordinates.

    >>> from sixvec.tasks import LookAt
    >>> LookAt("camera", axis=(1.0, 0.0, 0.0)).axis
    (1.0, 0.0, 0.0)
    """

    frame: str
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def default_name(self) -> str:
        return self.frame

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", PointingTask(self.frame, tuple(self.axis)).axis)  # type: ignore[arg-type]

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        return (3,)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {d}" for d in DIRECTIONS[:3])

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        X = pose(model, q, self.frame)
        way = Vec3(*(target[i] - X[i][3] for i in range(3)))
        far = 1.0 / way.norm()
        d = way * far
        found = PointingTask(self.frame, self.axis).mismatch(model, q, [*d])
        shifts = zip(*jacobian(model, q, self.frame)[3:], strict=True)
        # moving the frame by s turns the way to the point by -d × s / distance
        columns = [
            Vec3.of(c) + d.cross(Vec3.of(s)) * far
            for c, s in zip(zip(*found.jacobian, strict=True), shifts, strict=True)
        ]
        J = [list(row) for row in zip(*columns, strict=True)]
        return Rows(J, [self.gain / dt * e for e in found.error])


def turned(X: Any, rows: list[list[Scalar]]) -> list[list[Scalar]]:
    """Six rows in world axes, turns first, in the axes of the frame with the pose X."""
    columns = zip(*rows, strict=True)
    turned_columns = [
        [dot([X[i][j] for i in range(3)], c[k : k + 3]) for k in (0, 3) for j in range(3)] for c in map(list, columns)
    ]
    return [list(row) for row in zip(*turned_columns, strict=True)]


def require_reference(word: str, reference: str) -> None:
    """Raise unless the reference is one that tasks have."""
    known = ("local_world_aligned", "local")
    if reference not in known:
        raise ArgumentError(f"{word}: {unknown('reference', reference, known)}")
