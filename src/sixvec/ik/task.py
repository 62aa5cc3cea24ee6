"""Tasks of a robot: a frame at a pose, a point at a position, an axis along a direction, a centre of mass.

A task compares the robot at q with its target.  Its error is the remaining motion, its Jacobian maps joint
velocities to that motion, so that a step solves  J u = error.  Equations on scalars, written like an algorithm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from sixvec.algorithms.center_of_mass import center_of_mass
from sixvec.algorithms.center_of_mass_jacobian import center_of_mass_jacobian
from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.closure_jacobian import closure_jacobian
from sixvec.algorithms.constraint_terms import row_names
from sixvec.algorithms.difference import difference
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.parts.known_rank import independent_rows
from sixvec.algorithms.pose import pose
from sixvec.errors import ArgumentError
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import Model
from sixvec.model.spanning_tree import without_rolling
from sixvec.scalar import Scalar, arctan2, sqrt, where
from sixvec.spatial import Vec3

NEARLY_OPPOSITE = 0.1
"""Sine of an angle near 180° below which an error is no longer scaled up: its direction is undefined there."""

TINY = 1e-16
"""Squared sine below which an angle is replaced by its sine: the relative difference is a sixth of that."""

AS_Q = 0
"""In the shape of a target: one entry for each coordinate of q."""


class Mismatch(NamedTuple):
    """The error of a task: rows of error and Jacobian, and the squared remaining distance and angle."""

    error: list[Scalar]
    jacobian: list[list[Scalar]]
    position: Scalar
    """Squared remaining distance, m²."""
    rotation: Scalar
    """Squared remaining angle, rad²."""


class Task(Protocol):
    """A task: the shape of its target (`AS_Q` for the length of q), and the mismatch with it at q.

    Steps and closest positions are correct if -Jᵀ error is the gradient of half the squared error: for an error that is
    an angle times its axis, the angular Jacobian satisfies this at any distance.

    >>> from sixvec.ik import PoseTask, Task
    >>> task: Task = PoseTask("tool0")
    >>> task.shape
    (4, 4)
    """

    shape: ClassVar[tuple[int, ...]]

    @property
    def frame(self) -> str: ...

    @property
    def weight(self) -> float: ...

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch: ...


@dataclass(frozen=True, slots=True)
class PoseTask:
    """A frame at a pose: the target is a homogeneous 4x4 matrix in world coordinates.

    >>> from sixvec.ik import PoseTask
    >>> PoseTask("tool0").shape
    (4, 4)
    """

    frame: str
    weight: float = 1.0
    shape: ClassVar[tuple[int, ...]] = (4, 4)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        place = PositionTask(self.frame, self.weight).mismatch(model, q, [row[3] for row in target[:3]])
        turn = OrientationTask(self.frame, self.weight).mismatch(model, q, [row[:3] for row in target[:3]])
        return Mismatch(
            [*turn.error, *place.error], [*turn.jacobian, *place.jacobian], place.position, turn.rotation
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PositionTask:
    """A frame's origin at a position, with any orientation: the target is a point (3) in world coordinates."""

    frame: str
    weight: float = 1.0
    shape: ClassVar[tuple[int, ...]] = (3,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        missing = [target[i] - X[i][3] for i in range(3)]
        return Mismatch(missing, jacobian(model, q, self.frame)[3:], _squares(missing), 0.0)


@dataclass(frozen=True, slots=True)
class OrientationTask:
    """A frame with a given orientation at any position: the target is a rotation matrix (3, 3).

    >>> import sixvec
    >>> from sixvec.ik import OrientationTask
    >>> robot = sixvec.load("panda")
    >>> R = robot.pose(robot.random(0), "panda_link8")[:3, :3]
    >>> print(sixvec.ik.solve(robot, {OrientationTask("panda_link8"): R}))
    solved
    """

    frame: str
    weight: float = 1.0
    shape: ClassVar[tuple[int, ...]] = (3, 3)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        here = [Vec3(*(X[i][j] for i in range(3))) for j in range(3)]
        there = [Vec3(*(target[i][j] for i in range(3))) for j in range(3)]
        # The turn from here to there is R = Σ t hᵀ: its axial vector is sin θ a, its trace 1 + 2 cos θ.
        sine = sum((h.cross(t) for h, t in zip(here, there, strict=True)), Vec3.zero()) * 0.5
        cosine = (sum(h.dot(t) for h, t in zip(here, there, strict=True)) - 1.0) * 0.5
        missing, squared = _turn(sine, cosine)
        return Mismatch([*missing], jacobian(model, q, self.frame)[:3], 0.0, squared)


@dataclass(frozen=True, slots=True)
class PointingTask:
    """An axis of a frame along a direction, free to rotate about it: the target is a unit vector (3), world axes."""

    frame: str
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    weight: float = 1.0
    shape: ClassVar[tuple[int, ...]] = (3,)

    def __post_init__(self) -> None:
        x, y, z = map(float, self.axis)
        length = math.sqrt(x * x + y * y + z * z)
        if not (math.isfinite(length) and length > 0.0):
            raise ArgumentError(f"the axis {self.axis} of a pointing task has no direction")
        object.__setattr__(self, "axis", (x / length, y / length, z / length))

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        a = Vec3(*(sum(X[i][j] * self.axis[j] for j in range(3)) for i in range(3)))
        d = Vec3.of(target)
        missing, squared = _turn(a.cross(d), a.dot(d))
        # Rotation about the axis itself does not change its direction.
        columns = [Vec3.of(column) for column in zip(*jacobian(model, q, self.frame)[:3], strict=True)]
        across = [w - a * a.dot(w) for w in columns]
        return Mismatch([*missing], [list(row) for row in zip(*across, strict=True)], 0.0, squared)


@dataclass(frozen=True, slots=True)
class CenterOfMassTask:
    """The robot's centre of mass at a position: the target is a point (3) in world coordinates.

    >>> import sixvec
    >>> from sixvec.ik import CenterOfMassTask
    >>> robot = sixvec.load("planar_2r")
    >>> point = robot.center_of_mass([0.3, 0.5])
    >>> print(sixvec.ik.solve(robot, {CenterOfMassTask(): point}))
    solved
    """

    weight: float = 1.0
    frame: ClassVar[str] = ""
    shape: ClassVar[tuple[int, ...]] = (3,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        missing = [t - c for t, c in zip(target, center_of_mass(model, q), strict=True)]
        return Mismatch(missing, center_of_mass_jacobian(model, q), _squares(missing), 0.0)


@dataclass(frozen=True, slots=True)
class PostureTask:
    """Joints at given positions: the target is a whole position (nq), of which only `joints` count (default: all).

    It is a task like the others; with a small weight it yields to them.  To attract the
    joints only in the null space of the other tasks, give `solve` a `posture=` instead.

    >>> import sixvec
    >>> from sixvec.ik import PoseTask, PostureTask, solve
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> elbow = PostureTask(joints=("panda_joint1",))
    >>> solution = solve(robot, {PoseTask("panda_link8"): robot.pose(q, "panda_link8"), elbow: q})
    >>> print(solution, abs(solution.q[0] - q[0]) < 1e-6)
    solved True
    """

    joints: tuple[str, ...] = ()
    weight: float = 1.0
    frame: ClassVar[str] = ""
    shape: ClassVar[tuple[int, ...]] = (AS_Q,)

    def __post_init__(self) -> None:
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        object.__setattr__(self, "joints", joints)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        missing = difference(model, q, target)
        rows: list[int] = []
        angles: list[Scalar] = []
        lengths: list[Scalar] = []
        for k, (joint, is_angle) in enumerate(_freedoms(model)):
            if not self.joints or joint in self.joints:
                rows.append(k)
                (angles if is_angle else lengths).append(missing[k])
        identity = [[float(k == j) for j in range(model.nv)] for k in rows]
        return Mismatch([missing[k] for k in rows], identity, _squares(lengths), _squares(angles))


@dataclass(frozen=True, slots=True)
class LoopTask:
    """All loops of the robot closed.  It is added to the tasks of robots with loops; its target is a zero."""

    weight: float = 1.0
    fixed: tuple[int, ...] = ()
    """Coordinates of v that do not move."""
    of_all_rows: bool = False
    """Whether rows that depend on others where the loops are closed take part: they help to close open loops."""
    frame: ClassVar[str] = ""
    shape: ClassVar[tuple[int, ...]] = (1,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        """Of the rows that are independent along the motion; the others are closed to the precision of dimensions."""
        model = without_rolling(model)
        names = row_names(model)
        rank = RowRank.unknown(len(names)) if self.of_all_rows else row_rank(model, (), self.fixed)
        J = [[0.0 if k in self.fixed else x for k, x in enumerate(row)] for row in closure_jacobian(model, q)]
        J, missing = independent_rows(J, [-e for e in closure_error(model, q)], rank)
        grouped = {row for group in rank.groups for row in group.rows}
        turned = ["turn about" in names[r] for r in rank.used if r not in grouped]
        turned += [False] * (len(missing) - len(turned))  # combinations are in units of length
        angles = [e for e, is_angle in zip(missing, turned, strict=True) if is_angle]
        lengths = [e for e, is_angle in zip(missing, turned, strict=True) if not is_angle]
        return Mismatch(missing, J, _squares(lengths), _squares(angles))


def target_shape(task: Task, model: Model) -> tuple[int, ...]:
    """The shape of a task's target for one robot."""
    return tuple(model.nq if n == AS_Q else n for n in task.shape)


def _freedoms(model: Model) -> list[tuple[str, bool]]:
    """For each coordinate of v the joint it belongs to, and whether it is an angle."""
    freedoms = []
    for b in model.moving:
        # Joints with a quaternion rotate first, then translate.
        is_angle = b.joint.angular if b.joint.nq == b.joint.nv else [k < 3 for k in range(b.joint.nv)]
        freedoms += [(b.joint_name or b.name, bool(x)) for x in is_angle]
    return freedoms


def _squares(x: list[Scalar]) -> Scalar:
    return sum(y * y for y in x)


def _turn(sine: Vec3, cosine: Scalar) -> tuple[Vec3, Scalar]:
    """From the axis a times sin θ, and cos θ: the axis times θ, and θ².

    Near a half turn the axis times θ is reduced: where the axis vanishes, there is no direction.
    """
    squared = sine.dot(sine)
    is_tiny = squared < TINY
    size = sqrt(where(is_tiny, 1.0, squared))
    angle = arctan2(where(is_tiny, 0.0, size), cosine)
    large = where(cosine < 0.0, where(size < NEARLY_OPPOSITE, NEARLY_OPPOSITE, size), size)
    forward = where(is_tiny, where(cosine < 0.0, math.pi / NEARLY_OPPOSITE, 1.0), angle / large)
    return sine * forward, where(is_tiny, where(cosine < 0.0, math.pi**2, squared), angle * angle)
