"""Universal (Hooke's, Cardan) joint: rotations about two axes, the second carried along by the first."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.errors import ModelError
from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Coordinates, Joint
from sixvec.model.joints.revolute import Revolute
from sixvec.spatial import Motion, Pose, Vec3
from sixvec.tolerances import EQUAL


@dataclass(frozen=True)
class Universal(Joint):
    """Turns by q₀ about `first` (fixed in the parent), then by q₁ about `second` (fixed in the body).

    Its subspace depends on q₁, so it carries a bias term.
    """

    first: Vec3 = X_AXIS
    second: Vec3 = Y_AXIS
    nq = nv = 2
    angular = (True, True)
    freedoms = ("first turn", "second turn")
    units = "two angles (rad)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first))
        object.__setattr__(self, "second", unit(self.second))
        if self.first.cross(self.second).norm() < EQUAL:
            raise ModelError(
                f"the axes {self.first} and {self.second} of a universal joint are parallel; let them cross"
            )

    def pose(self, q: Coordinates) -> Pose:
        a, b = q
        return Pose(Revolute(self.first).pose([a]).rot @ Revolute(self.second).pose([b]).rot, Vec3.zero())

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        first_in_body = Revolute(self.second).pose([q[1]]).rot.inv() @ self.first
        return Motion(first_in_body, Vec3.zero()), Motion(self.second, Vec3.zero())

    def bias(self, q: Coordinates, v: Coordinates) -> Motion:
        # d/dt (R₁ᵀ first) = -(second v₁) × (R₁ᵀ first), times v₀.
        first, second = self.subspace(q)
        return Motion(first.ang.cross(second.ang) * (v[0] * v[1]), Vec3.zero())

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        R0, R1 = z_to(self.first), z_to(self.second)
        return (
            (Pose(R0, Vec3.zero()), Revolute()),
            (Pose(R0.inv() @ R1, Vec3.zero()), Revolute()),
            (Pose(R1.inv(), Vec3.zero()), Fixed()),
        )

    def reversed_backward(self) -> Universal:
        return Universal(-self.second, -self.first)
