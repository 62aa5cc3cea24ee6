"""An axis of a frame along a direction, or towards a point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.pose import pose
from sixvec.arguments import Array, one_number
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.spatial import Vec3
from sixvec.tasks.frame import OfFrame
from sixvec.tasks.task import DIRECTIONS, Mismatch, Shape
from sixvec.tasks.turn import turn


@dataclass(frozen=True, repr=False)
class Pointing(OfFrame):
    """An axis of a frame along a direction, free to rotate about it: the target is a vector (3) in world axes.

    >>> from sixvec.tasks import Pointing
    >>> Pointing("drill", axis=(0.0, 0.0, 2.0)).axis
    (0.0, 0.0, 1.0)
    """

    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        x, y, z = (one_number(f"{type(self).__name__}: axis", a) for a in self.axis)
        length = math.sqrt(x * x + y * y + z * z)
        if not (math.isfinite(length) and length > 0.0):
            raise ArgumentError(f"{type(self).__name__}: the axis {self.axis} has no direction")
        object.__setattr__(self, "axis", (x / length, y / length, z / length))

    def shape(self, model: Model) -> Shape:
        model.frame(self.frame)
        return (3,)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {d}" for d in DIRECTIONS[:3])

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        a = Vec3(*(sum(X[i][j] * self.axis[j] for j in range(3)) for i in range(3)))
        d = Vec3.of(target)
        missing, squared = turn(a.cross(d), a.dot(d))
        # Rotation about the axis itself does not change its direction.
        columns = [Vec3.of(column) for column in zip(*jacobian(model, q, self.frame)[:3], strict=True)]
        across = [w - a * a.dot(w) for w in columns]
        return Mismatch([*missing], [list(row) for row in zip(*across, strict=True)], 0.0, squared)

    def checked(self, target: Array, name: str) -> Array:
        lengths = np.linalg.norm(target, axis=-1)
        if (lengths == 0.0).any():
            raise ArgumentError(f"{name} is a zero vector, which points nowhere")
        return np.asarray(target / lengths[..., None])


@dataclass(frozen=True, repr=False)
class LookAt(Pointing):
    """An axis of a frame points at a point: the target is that point (3) in world coordinates.

    >>> from sixvec.tasks import LookAt
    >>> LookAt("camera", axis=(1.0, 0.0, 0.0)).axis
    (1.0, 0.0, 0.0)
    """

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        X = pose(model, q, self.frame)
        way = Vec3(*(target[i] - X[i][3] for i in range(3)))
        far = 1.0 / way.norm()
        d = way * far
        of_direction = super().mismatch(model, q, [*d])
        shifts = zip(*jacobian(model, q, self.frame)[3:], strict=True)
        # moving the frame by s turns the way to the point by -d × s / distance
        columns = [
            Vec3.of(c) + d.cross(Vec3.of(s)) * far
            for c, s in zip(zip(*of_direction.jacobian, strict=True), shifts, strict=True)
        ]
        J = [list(row) for row in zip(*columns, strict=True)]
        return Mismatch(of_direction.error, J, 0.0, of_direction.rotation)

    def checked(self, target: Array, name: str) -> Array:
        return target
