"""Helical (screw) joint: rotation about an axis, and a proportional translation along it.

Featherstone Fig. 4.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.joint import Z_AXIS, Coordinates, Joint
from sixvec.model.joints.revolute import Revolute
from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Motion, Pose, RigidInertia, Sym3, Vec3


@dataclass(frozen=True)
class Helical(Joint):
    """Turns about `axis` by q and moves along it by `pitch` q; the pitch is in metres per radian.

    >>> from sixvec.model.joints import Helical
    >>> Helical(pitch=0.01).pose([2.0]).pos
    Vec3(x=0.0, y=0.0, z=0.02)
    """

    axis: Vec3 = Z_AXIS
    pitch: float = 0.0
    nq = nv = 1
    angular = (True,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Revolute(self.axis).pose(q).rot, self.axis * (self.pitch * q[0]))

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return (Motion(self.axis, self.axis * self.pitch),)

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        R = z_to(self.axis)
        return (Pose(R, Vec3.zero()), Helical(Z_AXIS, self.pitch)), (Pose(R.inv(), Vec3.zero()), Fixed())

    @property
    def periodic(self) -> tuple[bool, ...]:
        return (False,)

    def with_pitch(self, pitch: Scalar) -> Joint:
        return Helical(self.axis, pitch)

    def reversed(self) -> Joint:
        return Helical(-self.axis, self.pitch)

    def mirrored(self, H: Mat3) -> Joint:
        return Helical(-(H @ self.axis), -self.pitch)

    def transferable(self, inertia: RigidInertia) -> RigidInertia:
        # As for a hinge, ∫ z² dm without a mass: the mass and its moment do move.
        on_axis = inertia.second_moment.zz if self.axis == Z_AXIS else 0.0
        return RigidInertia(0.0, Vec3.zero(), Sym3.diagonal(on_axis, on_axis, 0.0))
