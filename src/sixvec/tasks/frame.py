"""A frame at a pose, seen from the world or from another frame; in all six directions or some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.pose import pose
from sixvec.algorithms.relative_jacobian import relative_jacobian
from sixvec.arguments import Array
from sixvec.arguments.rigid_poses import require_rotations
from sixvec.errors import ArgumentError, unknown
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.solve.direction import Directions
from sixvec.spatial import Vec3
from sixvec.spatial.linear import dot
from sixvec.tasks.task import DIRECTIONS, Mismatch, Shape, Task, chosen_directions, keep_directions, squares
from sixvec.tasks.turn import turn


@dataclass(frozen=True, repr=False)
class OfFrame(Task):
    """Tasks of one frame, which gives them its name."""

    frame: str

    def default_name(self) -> str:
        return self.frame


@dataclass(frozen=True, repr=False)
class Position(OfFrame):
    """The origin of a frame at a point, with any orientation: the target is that point (3) in world coordinates.

    >>> import sixvec
    >>> from sixvec.tasks import Position
    >>> arm = sixvec.load("panda")
    >>> print(sixvec.ik.solve(arm, {Position("panda_link8"): [0.4, 0.1, 0.5]}))
    solved
    """

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        return (3,)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {d}" for d in DIRECTIONS[3:])

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        missing = [target[i] - X[i][3] for i in range(3)]
        return Mismatch(missing, jacobian(model, q, self.frame)[3:], squares(missing), 0.0)


@dataclass(frozen=True, repr=False)
class Orientation(OfFrame):
    """A frame with a given orientation at any position: the target is a rotation matrix (3, 3).

    >>> import sixvec
    >>> from sixvec.tasks import Orientation
    >>> robot = sixvec.load("panda")
    >>> R = robot.pose(robot.random(0), "panda_link8")[:3, :3]
    >>> print(sixvec.ik.solve(robot, {Orientation("panda_link8"): R}))
    solved
    """

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        return (3, 3)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {d}" for d in DIRECTIONS[:3])

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        here = [Vec3(*(X[i][j] for i in range(3))) for j in range(3)]
        there = [Vec3(*(target[i][j] for i in range(3))) for j in range(3)]
        # The turn from here to there is R = Σ t hᵀ: its axial vector is sin θ a, its trace 1 + 2 cos θ.
        sine = sum((h.cross(t) for h, t in zip(here, there, strict=True)), Vec3.zero()) * 0.5
        cosine = (sum(h.dot(t) for h, t in zip(here, there, strict=True)) - 1.0) * 0.5
        missing, squared = turn(sine, cosine)
        return Mismatch([*missing], jacobian(model, q, self.frame)[:3], 0.0, squared)

    def checked(self, target: Array, name: str) -> Array:
        require_rotations(target, name)
        return target


@dataclass(frozen=True, repr=False)
class Frame(OfFrame):
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

    directions: Directions = DIRECTIONS
    reference: str = "local_world_aligned"

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_directions(self)
        require_reference("Frame", self.reference)

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        return (4, 4)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in chosen_directions("Frame", self.directions))

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        J, e, rotation = missing_pose(model, q, self.frame, target)
        if self.reference == "local":
            X = pose(model, q, self.frame)
            J, e = turned(X, J), [row[0] for row in turned(X, [[x] for x in e])]
        return selected(J, e, chosen_directions("Frame", self.directions), rotation)


@dataclass(frozen=True, repr=False)
class RelativeFrame(OfFrame):
    """A frame at a pose as seen from another frame `base`: the target is a 4x4 matrix in the coordinates of the base.

    >>> from sixvec.tasks import RelativeFrame
    >>> RelativeFrame("left_hand", "right_hand").name
    'left_hand from right_hand'
    """

    base: str
    directions: Directions = DIRECTIONS

    def default_name(self) -> str:
        return f"{self.frame} from {self.base}"

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_directions(self)

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        model.frame(self.base)
        return (4, 4)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in chosen_directions("RelativeFrame", self.directions))

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X_B = pose(model, q, self.base)
        goal_axes = [[dot(X_B[i][:3], [target[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
        place = [X_B[i][3] + dot(X_B[i][:3], [target[k][3] for k in range(3)]) for i in range(3)]
        goal = [[*row, p] for row, p in zip(goal_axes, place, strict=True)] + [[0.0, 0.0, 0.0, 1.0]]
        _, missing, rotation = missing_pose(model, q, self.frame, goal)
        e = [row[0] for row in turned(X_B, [[x] for x in missing])]
        J = relative_jacobian(model, q, self.frame, self.base)
        return selected(J, e, chosen_directions("RelativeFrame", self.directions), rotation)


def missing_pose(model: Model, q: Any, frame: str, target: Any) -> tuple[list[Any], list[Scalar], Scalar]:
    """Six rows of Jacobian and error in world axes, turns first, and the squared angle of the turn."""
    place = Position(frame).mismatch(model, q, [row[3] for row in target[:3]])
    turning = Orientation(frame).mismatch(model, q, [row[:3] for row in target[:3]])
    return [*turning.jacobian, *place.jacobian], [*turning.error, *place.error], turning.rotation


def selected(J: Sequence[Any], e: Sequence[Scalar], chosen: tuple[int, ...], rotation: Scalar) -> Mismatch:
    """Those of six rows that count; `rotation` is the squared angle of all three turns."""
    turns, shifts = ([e[k] for k in chosen if (k < 3) is is_turn] for is_turn in (True, False))
    squared = rotation if len(turns) == 3 else squares(turns)
    return Mismatch([e[k] for k in chosen], [J[k] for k in chosen], squares(shifts), squared)


def turned(X: Any, rows: list[list[Scalar]]) -> list[list[Scalar]]:
    """Six rows in world axes, turns first, in the axes of the frame with the pose X."""
    columns = zip(*rows, strict=True)
    turned_columns = [
        [dot([X[i][j] for i in range(3)], c[k : k + 3]) for k in (0, 3) for j in range(3)] for c in map(list, columns)
    ]
    return [[column[k] for column in turned_columns] for k in range(6)]  # six rows even where no joint moves


def require_reference(word: str, reference: str) -> None:
    """Raise unless the reference is one that tasks have."""
    known = ("local_world_aligned", "local")
    if reference not in known:
        raise ArgumentError(f"{word}: {unknown('reference', reference, known)}")
