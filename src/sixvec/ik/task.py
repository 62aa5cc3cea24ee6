"""What a robot is asked to do: a frame at a pose, a point at a place, a camera towards a direction, a balance.

A task compares the robot at q with its target.  Its error is the motion still missing, its Jacobian how joint
velocities make that motion, so that a step solves  J u = error.  Equations on scalars, written like an algorithm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from sixvec.algorithms.center_of_mass import center_of_mass
from sixvec.algorithms.center_of_mass_jacobian import center_of_mass_jacobian
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.pose import pose
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Vec3

NEARLY_OPPOSITE = 0.05
"""Cosine of half an angle below which an error of nearly 180° is no longer enlarged: its direction is lost there."""


class Mismatch(NamedTuple):
    """How far a task is from done: rows of error and Jacobian, and the sizes of what is missing, squared."""

    error: list[Scalar]
    jacobian: list[list[Scalar]]
    position: Scalar
    """Squared distance still to go, m²."""
    rotation: Scalar
    """Squared angle still to turn, as 2 - 2 cos: rad² for small angles, 4 at a half turn."""


class Task(Protocol):
    """A task: the shape of its target, and the mismatch with it at q."""

    shape: ClassVar[tuple[int, ...]]

    @property
    def frame(self) -> str: ...

    @property
    def weight(self) -> float: ...

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch: ...


@dataclass(frozen=True, slots=True)
class PoseTask:
    """A frame at a pose: the target is a homogeneous 4x4 matrix in world coordinates.

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
    """A frame's origin at a place, however it is turned: the target is a point (3) in world coordinates."""

    frame: str
    weight: float = 1.0
    shape: ClassVar[tuple[int, ...]] = (3,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        missing = [target[i] - X[i][3] for i in range(3)]
        return Mismatch(missing, jacobian(model, q, self.frame)[3:], _squares(missing), 0.0)


@dataclass(frozen=True, slots=True)
class OrientationTask:
    """A frame turned as asked, wherever it is: the target is a rotation matrix (3, 3)."""

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
        missing = sine * _angle_over_sine(cosine)
        return Mismatch([*missing], jacobian(model, q, self.frame)[:3], 0.0, _apart(sine, cosine))


@dataclass(frozen=True, slots=True)
class PointingTask:
    """An axis of a frame along a direction, free to turn about it: the target is a unit vector (3), world axes."""

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
        sine, cosine = a.cross(d), a.dot(d)
        missing = sine * _angle_over_sine(cosine)
        # Turning about the axis itself points nowhere else.
        columns = [Vec3.of(column) for column in zip(*jacobian(model, q, self.frame)[:3], strict=True)]
        across = [w - a * a.dot(w) for w in columns]
        return Mismatch([*missing], [list(row) for row in zip(*across, strict=True)], 0.0, _apart(sine, cosine))


@dataclass(frozen=True, slots=True)
class CenterOfMassTask:
    """The robot's centre of mass at a place: the target is a point (3) in world coordinates."""

    weight: float = 1.0
    frame: str = ""
    shape: ClassVar[tuple[int, ...]] = (3,)

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        missing = [t - c for t, c in zip(target, center_of_mass(model, q), strict=True)]
        return Mismatch(missing, center_of_mass_jacobian(model, q), _squares(missing), 0.0)


def _squares(x: list[Scalar]) -> Scalar:
    return sum(y * y for y in x)


def _apart(sine: Vec3, cosine: Scalar) -> Scalar:
    """2 - 2 cos θ, from the sine where that is more accurate: sin² θ = 2 (1 - cos θ) for small angles."""
    return where(cosine > 0.0, sine.dot(sine) * 2.0 / (1.0 + where(cosine > 0.0, cosine, 0.0)), 2.0 - 2.0 * cosine)


def _angle_over_sine(cosine: Scalar) -> Scalar:
    """About θ / sin θ: exact for small angles and within some percent up to 170°, which only directs a step.

    With s = sin(θ/2) and c = cos(θ/2) it is  asin(s) / (s c).
    """
    s2 = (1.0 - cosine) * 0.5
    c = sqrt(where(cosine > 2.0 * NEARLY_OPPOSITE**2 - 1.0, (1.0 + cosine) * 0.5, NEARLY_OPPOSITE**2))
    return (1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0 + s2 * 0.3))) / c
