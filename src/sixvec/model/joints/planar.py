"""Planar joint: two translations in a plane and a rotation about its normal."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS, Coordinates, Joint
from sixvec.model.joints.prismatic import Prismatic
from sixvec.model.joints.revolute import Revolute
from sixvec.spatial import Motion, Pose, Vec3


@dataclass(frozen=True)
class Planar(Joint):
    """q = (x, y, θ): the origin's position along two axes fixed in the parent, then the turn about `normal`.

    v = q̇, so the subspace depends on θ and the joint carries a bias term.  With the normal on +z, x and y are
    the parent's own axes.

    >>> from sixvec.model.joints import Planar
    >>> Planar().pose([1.0, 2.0, 0.0]).pos
    Vec3(x=1.0, y=2.0, z=0.0)
    """

    normal: Vec3 = Z_AXIS
    nq = nv = 3
    angular = (False, False, True)
    freedoms = ("x", "y", "turn")
    units = "x, y (m), angle (rad)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal))

    @property
    def _axes(self) -> tuple[Vec3, Vec3]:
        R = z_to(self.normal)
        return R @ X_AXIS, R @ Y_AXIS

    def pose(self, q: Coordinates) -> Pose:
        x_axis, y_axis = self._axes
        return Pose(Revolute(self.normal).pose([q[2]]).rot, x_axis * q[0] + y_axis * q[1])

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        back = Revolute(self.normal).pose([q[2]]).rot.inv()
        x_axis, y_axis = self._axes
        return (
            Motion(Vec3.zero(), back @ x_axis),
            Motion(Vec3.zero(), back @ y_axis),
            Motion(self.normal, Vec3.zero()),
        )

    def bias(self, q: Coordinates, v: Coordinates) -> Motion:
        x, y, turn = self.subspace(q)
        velocity = x.lin * v[0] + y.lin * v[1]
        return Motion(Vec3.zero(), velocity.cross(turn.ang) * v[2])

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        R, Rx, Ry = z_to(self.normal), z_to(X_AXIS), z_to(Y_AXIS)
        return (
            (Pose(R @ Rx, Vec3.zero()), Prismatic()),
            (Pose(Rx.inv() @ Ry, Vec3.zero()), Prismatic()),
            (Pose(Ry.inv(), Vec3.zero()), Revolute()),
            (Pose(R.inv(), Vec3.zero()), Fixed()),
        )
