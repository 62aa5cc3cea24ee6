"""Cylindrical joint: rotation about an axis and independent translation along it."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.joint import Z_AXIS, Coordinates, Joint
from sixvec.model.joints.prismatic import Prismatic
from sixvec.model.joints.revolute import Revolute
from sixvec.spatial import Motion, Pose, Vec3


@dataclass(frozen=True)
class Cylindrical(Joint):
    """Turns about `axis` by q₀ and slides along it by q₁.

    >>> from sixvec.model.joints import Cylindrical
    >>> Cylindrical().pose([0.0, 0.5]).pos
    Vec3(x=0.0, y=0.0, z=0.5)
    """

    axis: Vec3 = Z_AXIS
    nq = nv = 2
    angular = (True, False)
    freedoms = ("turn", "slide")
    units = "angle (rad), length (m)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Coordinates) -> Pose:
        angle, slide = q
        return Pose(Revolute(self.axis).pose([angle]).rot, self.axis * slide)

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return Motion(self.axis, Vec3.zero()), Motion(Vec3.zero(), self.axis)

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        R = z_to(self.axis)
        return (
            (Pose(R, Vec3.zero()), Revolute()),
            (Pose.identity(), Prismatic()),
            (Pose(R.inv(), Vec3.zero()), Fixed()),
        )
