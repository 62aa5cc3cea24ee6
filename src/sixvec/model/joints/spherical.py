"""Spherical (ball) joint: any rotation about a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS, Coordinates, Joint
from sixvec.spatial import Motion, Pose, Quaternion, RigidInertia, Sym3, Vec3


@dataclass(frozen=True)
class Spherical(Joint):
    """q is a unit quaternion (x, y, z, w); v the angular velocity in the body's axes.

    >>> from sixvec.model.joints import Spherical
    >>> len(Spherical().neutral()), Spherical().nv
    (4, 3)
    """

    nq, nv = 4, 3
    angular = (False, False, False, False)
    quaternion = slice(0, 4)
    freedoms = ("turn x", "turn y", "turn z")
    units = "quaternion; omega in body axes"

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Quaternion(*q).as_rotation(), Vec3.zero())

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return tuple(Motion(axis, Vec3.zero()) for axis in (X_AXIS, Y_AXIS, Z_AXIS))

    def rate(self, q: Coordinates, v: Coordinates) -> Coordinates:
        return [*Quaternion(*q).rate(Vec3.of(v))]

    def integrate(self, q: Coordinates, v: Coordinates) -> Coordinates:
        return [*(Quaternion(*q) @ Quaternion.exp(Vec3.of(v))).normalized()]

    def difference(self, q0: Coordinates, q1: Coordinates) -> Coordinates:
        return [*(Quaternion(*q0).inv() @ Quaternion(*q1)).log()]

    def bracket(self, u: Coordinates, v: Coordinates) -> Coordinates:
        return [*Vec3.of(u).cross(Vec3.of(v))]

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0)

    def sample(self, rng: np.random.Generator, lower: Any, upper: Any, shape: tuple[int, ...]) -> Any:
        q = rng.normal(size=(*shape, 4))
        return q / np.linalg.norm(q, axis=-1, keepdims=True)

    def transferable(self, inertia: RigidInertia) -> RigidInertia:
        # Only a point mass at the centre is invariant under every rotation.
        return RigidInertia(inertia.mass, Vec3.zero(), Sym3.zero())
