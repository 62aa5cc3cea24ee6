"""Accelerations as six numbers, in the two kinds that must not be mixed (Bruyninckx §4.10.1).

Six numbers do not say everything about the accelerations of a moving body: `AccelerationField` holds nine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.errors import FrameError
from sixvec.scalar import Scalar
from sixvec.spatial.acceleration import AccelerationField
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.tagged import OfOneKind
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class SpatialAcceleration(OfOneKind):
    """(ω̇; v̇₀): the derivative of the six numbers of a screw twist; also called Eulerian or screw acceleration.

    v̇₀ is the rate at which the velocity *of whatever point passes the origin* changes.  It is a motion vector: it adds
    over joints and moves with `X @ a`.

    >>> V = Motion(Vec3(0.0, 0.0, 2.0), Vec3(3.0, 0.0, 0.0))
    >>> SpatialAcceleration.from_motion(Motion.zero()).as_classical(V).lin.y
    6.0
    """

    ang: Vec3
    lin: Vec3

    @classmethod
    def from_motion(cls, rate: Motion) -> SpatialAcceleration:
        return cls(rate.ang, rate.lin)

    @property
    def motion(self) -> Motion:
        return Motion(self.ang, self.lin)

    def as_classical(self, V: Motion) -> ClassicalAcceleration:
        """(ω̇; v̇₀ + ω × v₀), for a body that moves with V."""
        return ClassicalAcceleration(self.ang, self.lin + V.ang.cross(V.lin))

    def as_field(self, V: Motion) -> AccelerationField:
        """The accelerations of all points of a body that moves with V."""
        return AccelerationField.from_motion(V, self.motion)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> SpatialAcceleration:
        return SpatialAcceleration.from_motion(self.motion.moved(R, p))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> SpatialAcceleration:
        return SpatialAcceleration.from_motion(self.motion.moved_back(R, p))


@dataclass(frozen=True, slots=True)
class ClassicalAcceleration(OfOneKind):
    """(ω̇; p̈): angular acceleration and ordinary acceleration of the body-fixed point at the origin.

    Also called material, Lagrangian or pose acceleration.  Its value at another point needs ω as well, so a pose cannot
    act on it; `as_field` can be moved.
    """

    ang: Vec3
    lin: Vec3

    @classmethod
    def of_field(cls, field: AccelerationField, r: Vec3) -> ClassicalAcceleration:
        """That of the body point at r: (ω̇; a + U r)."""
        return cls(field.ang, field.at(r))

    def as_spatial(self, V: Motion) -> SpatialAcceleration:
        """(ω̇; p̈ - ω × v₀), for a body that moves with V."""
        return SpatialAcceleration(self.ang, self.lin - V.ang.cross(V.lin))

    def as_field(self, ang_velocity: Vec3) -> AccelerationField:
        """The accelerations of all points of a body that turns with ω."""
        return AccelerationField(ang_velocity, self.ang, self.lin)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> ClassicalAcceleration:
        raise FrameError(
            "a ClassicalAcceleration cannot change its point without the angular velocity; "
            "move as_field(w), or the SpatialAcceleration from as_spatial(V)"
        )

    moved_back = moved


def body_fixed_rate(V: Motion, s: Motion) -> Motion:
    """The derivative of a screw that is fixed in a body moving with V: the motor product V × s (Bruyninckx §4.10.2).

    >>> axis = Motion(Vec3(1.0, 0.0, 0.0), Vec3.zero())
    >>> body_fixed_rate(Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero()), axis).ang
    Vec3(x=0.0, y=1.0, z=0.0)
    """
    return V.cross(s)


def jacobian_rate(columns: Sequence[Motion], rates: Sequence[Scalar]) -> tuple[Motion, ...]:
    """The derivative of a serial chain's screw Jacobian: J̇ᵢ = (Σ_{j<i} Jⱼ q̇ⱼ) × Jᵢ (Bruyninckx §4.10.2).

    The columns are screws in fixed coordinates, ordered from the base outward.  The acceleration of the last body is
    then  J q̈ + J̇ q̇, a SpatialAcceleration.
    """
    V = Motion.zero()
    result = []
    for column, rate in zip(columns, rates, strict=True):
        result.append(body_fixed_rate(V, column))
        V = V + column * rate
    return tuple(result)
