"""Prismatic joint: translation along an axis (infinite pitch).  Featherstone Fig. 4."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.joint import Z_AXIS, Coordinates, Joint
from sixvec.spatial import Mat3, Motion, Pose, RigidInertia, Rotation, Vec3


@dataclass(frozen=True)
class Prismatic(Joint):
    """Slides along `axis` by the length q.

    Bruyninckx (5.19); Rodriguez-Kreutz (2.31).

    >>> from sixvec.model.joints import Prismatic
    >>> Prismatic().pose([0.5]).pos
    Vec3(x=0.0, y=0.0, z=0.5)
    """

    axis: Vec3 = Z_AXIS
    nq = nv = 1
    angular = (False,)
    units = "m"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Rotation.identity(), self.axis * q[0])

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return (Motion(Vec3.zero(), self.axis),)

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        R = z_to(self.axis)
        return (Pose(R, Vec3.zero()), Prismatic()), (Pose(R.inv(), Vec3.zero()), Fixed())

    def reversed(self) -> Joint:
        return Prismatic(-self.axis)

    def mirrored(self, H: Mat3) -> Joint:
        return Prismatic(H @ self.axis)

    def transferable(self, inertia: RigidInertia) -> RigidInertia:
        # A slide does not rotate the body relative to its parent, so rotational inertia can belong to either.
        return RigidInertia(0.0, Vec3.zero(), inertia.rot)
