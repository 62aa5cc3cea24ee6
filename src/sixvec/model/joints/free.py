"""Free joint: six degrees of freedom, the root of a mobile robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS, Coordinates, Joint
from sixvec.model.joints.spherical import Spherical
from sixvec.scalar import cos, sin, sqrt, where
from sixvec.spatial import Motion, Pose, Quaternion, Vec3
from sixvec.spatial.quaternion import SMALL_ANGLE_SQUARED

_TURN = Spherical()


@dataclass(frozen=True)
class Free(Joint):
    """q = (position, quaternion x y z w); v = (ω, v) in the body frame.

    >>> from sixvec.model.joints import Free
    >>> Free().neutral()
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    """

    nq, nv = 7, 6
    angular = (False,) * 7
    quaternion = slice(3, 7)
    position = slice(0, 3)
    freedoms = ("turn x", "turn y", "turn z", "x", "y", "z")
    units = "position (m), quaternion; omega, v in body axes"

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Quaternion(*q[3:]).as_rotation(), Vec3.of(q[:3]))

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        """All motions: S = 1.  Rodriguez-Kreutz (b.2)."""
        axes = (X_AXIS, Y_AXIS, Z_AXIS)
        return tuple(Motion(a, Vec3.zero()) for a in axes) + tuple(Motion(Vec3.zero(), a) for a in axes)

    def rate(self, q: Coordinates, v: Coordinates) -> Coordinates:
        """The rates of the position and of the quaternion.  Rodriguez-Kreutz (b.3)-(b.5)."""
        turn = Quaternion(*q[3:])
        return [*(turn.as_rotation() @ Vec3.of(v[3:])), *turn.rate(Vec3.of(v[:3]))]

    def integrate(self, q: Coordinates, v: Coordinates) -> Coordinates:
        w, step = Vec3.of(v[:3]), Vec3.of(v[3:])
        b, c = _screw_coefficients(w.dot(w))
        along = step + w.cross(step) * b + w.cross(w.cross(step)) * c
        moved = Vec3.of(q[:3]) + Quaternion(*q[3:]).as_rotation() @ along
        return [*moved, *_TURN.integrate(q[3:], v[:3])]

    def difference(self, q0: Coordinates, q1: Coordinates) -> Coordinates:
        w = Vec3.of(_TURN.difference(q0[3:], q1[3:]))
        along = Quaternion(*q0[3:]).as_rotation().inv() @ (Vec3.of(q1[:3]) - Vec3.of(q0[:3]))
        d = _inverse_screw_coefficient(w.dot(w))
        return [*w, *(along - w.cross(along) * 0.5 + w.cross(w.cross(along)) * d)]

    def bracket(self, u: Coordinates, v: Coordinates) -> Coordinates:
        U, V = (Motion(Vec3.of(x[:3]), Vec3.of(x[3:])) for x in (u, v))
        return [*U.cross(V)]

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def sample(self, rng: np.random.Generator, lower: Any, upper: Any, shape: tuple[int, ...]) -> Any:
        position = super().sample(rng, lower, upper, shape)[..., :3]
        return np.concatenate([position, _TURN.sample(rng, lower, upper, shape)], axis=-1)


def _screw_coefficients(tt: Any) -> tuple[Any, Any]:
    """(1 - cos θ)/θ² and (θ - sin θ)/θ³ from θ², smooth through zero."""
    small = tt < SMALL_ANGLE_SQUARED
    safe = where(small, 1.0, tt)
    t = sqrt(safe)
    # 1 - cos θ = 2 sin²(θ/2) does not cancel.
    h = sin(t * 0.5)
    b = where(small, 0.5 - tt / 24.0 * (1.0 - tt / 30.0 * (1.0 - tt / 56.0)), 2.0 * h * h / safe)
    c = where(small, (1.0 - tt / 20.0 * (1.0 - tt / 42.0 * (1.0 - tt / 72.0))) / 6.0, (t - sin(t)) / (safe * t))
    return b, c


def _inverse_screw_coefficient(tt: Any) -> Any:
    """1/θ² - cot(θ/2)/(2θ) from θ², smooth through zero; θ is at most π."""
    small = tt < SMALL_ANGLE_SQUARED
    safe = where(small, 1.0, tt)
    t = sqrt(safe)
    closed = (1.0 - 0.5 * t * cos(t * 0.5) / sin(t * 0.5)) / safe
    return where(small, (1.0 + tt / 60.0 * (1.0 + tt / 42.0 * (1.0 + tt / 40.0))) / 12.0, closed)
