"""Revolute joint: rotation about an axis (pitch zero).  Featherstone Fig. 4."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.joint import Z_AXIS, Coordinates, Joint
from sixvec.scalar import cos, sin
from sixvec.spatial import Mat3, Motion, PlaneRotation, Pose, RigidInertia, Rotation, Sym3, Vec3


@dataclass(frozen=True)
class Revolute(Joint):
    """Turns about `axis` by the angle q.

    Bruyninckx (5.18).

    >>> from sixvec.model.joints import Revolute
    >>> Revolute().subspace([0.3])[0].ang
    Vec3(x=0.0, y=0.0, z=1.0)
    """

    axis: Vec3 = Z_AXIS
    nq = nv = 1
    angular = (True,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Coordinates) -> Pose:
        (angle,) = q
        if self.axis == Z_AXIS:
            return Pose(PlaneRotation(cos(angle), sin(angle)), Vec3.zero())
        return Pose(Rotation.about(self.axis, angle), Vec3.zero())

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return (Motion(self.axis, Vec3.zero()),)

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        R = z_to(self.axis)
        return (Pose(R, Vec3.zero()), Revolute()), (Pose(R.inv(), Vec3.zero()), Fixed())

    def reversed(self) -> Joint:
        return Revolute(-self.axis)

    def mirrored(self, H: Mat3) -> Joint:
        return Revolute(-(H @ self.axis))

    def transferable(self, inertia: RigidInertia) -> RigidInertia:
        if self.axis != Z_AXIS:
            return RigidInertia.zero()
        # The turn does not move mass on the axis: the mass, its first moment along z, and ∫ z² dm, which
        # contributes equally to I_xx and I_yy.
        on_axis = inertia.second_moment.zz
        return RigidInertia(inertia.mass, Vec3(0.0, 0.0, inertia.moment.z), Sym3.diagonal(on_axis, on_axis, 0.0))
