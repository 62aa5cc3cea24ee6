"""The instantaneous geometry of motion: screw axis, axodes, acceleration centre, second-order axis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.twist import CentralAxis
from sixvec.scalar import Scalar, certainly, where
from sixvec.spatial.acceleration import AccelerationField
from sixvec.spatial.motion import Motion
from sixvec.spatial.norm import length, nonzero
from sixvec.spatial.pose import Pose
from sixvec.spatial.tagged import Tagged
from sixvec.spatial.vector import Vec3

PARALLEL = 1e-14
"""Sine of the angle below which two directions are parallel to rounding."""


def screw_axis(twist: Motion | Tagged[Motion]) -> CentralAxis:
    """The instantaneous screw axis, in the coordinates of the twist (Bruyninckx §4.2.2).

        nearest point  p = ω × v / ω²,   velocity along the axis  (ω·v / ω²) ω.

    A pose twist does not determine the axis; `Tagged.at_point` converts it to a screw twist.  For a translation see
    `CentralAxis`.

    >>> from sixvec.geometry.rigid_body import screw_axis
    >>> from sixvec.spatial import Motion, Vec3
    >>> screw_axis(Motion(Vec3(0.0, 0.0, 2.0), Vec3(0.0, -2.0, 0.0))).point.x
    1.0
    """
    if isinstance(twist, Tagged):
        if twist.kind is not None or twist.axes != twist.point:
            raise FrameError(
                f"{twist} does not say where its screw axis is; that takes a twist at the origin of its axes"
            )
        twist = twist.value
    return CentralAxis.of_motion(twist)


def fixed_axode(twists: Iterable[Motion]) -> tuple[CentralAxis, ...]:
    """The screw axes of a motion as rulings of a surface in the world (Bruyninckx §4.10.3).

    >>> from sixvec.geometry.rigid_body import fixed_axode
    >>> from sixvec.spatial import Motion, Vec3
    >>> spin = Motion(Vec3(0.0, 0.0, 2.0), Vec3(0.0, -2.0, 0.0))
    >>> [axis.point.x for axis in fixed_axode([spin])]
    [1.0]
    """
    return tuple(screw_axis(twist) for twist in twists)


def moving_axode(twists: Iterable[Motion], poses: Iterable[Pose]) -> tuple[CentralAxis, ...]:
    """The same rulings in body coordinates; the moving axode rolls, and slides along, the fixed one.

    >>> from sixvec.geometry.rigid_body import moving_axode
    >>> from sixvec.spatial import Motion, Pose, Vec3
    >>> spin = Motion(Vec3(0.0, 0.0, 2.0), Vec3(0.0, -2.0, 0.0))
    >>> [axis.point.x for axis in moving_axode([spin], [Pose.translation(Vec3(1.0, 0.0, 0.0))])]
    [0.0]
    """
    return tuple(X.inv() @ screw_axis(twist) for twist, X in zip(twists, poses, strict=True))


def acceleration_center(field: AccelerationField) -> Vec3:
    """The point of the body without acceleration: U r = -a,  U = α× + ω× ω×  (Bruyninckx §4.10.1).

    det U = -|ω × α|², so one point exists wherever ω and α are not parallel.  Elsewhere plain numbers raise an error,
    and other scalars get the origin; use `acceleration_pole` for motions with a fixed axis direction.

    >>> from sixvec.geometry.rigid_body import acceleration_center
    >>> from sixvec.spatial import AccelerationField, Vec3
    >>> field = AccelerationField(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 2.0, 0.0), Vec3(1.0, 1.0, 1.0))
    >>> field.at(acceleration_center(field))
    Vec3(x=0.0, y=0.0, z=0.0)
    """
    w, alpha, a = field.ang_velocity, field.ang, field.lin
    n = w.cross(alpha)
    square, least = n.dot(n), PARALLEL**2 * w.dot(w) * alpha.dot(alpha)
    exists = square > least
    if certainly(square == 0.0) or certainly(square < least):
        raise DegenerateError(
            "no single point is without acceleration: angular velocity and angular acceleration are parallel or zero; "
            "use acceleration_pole for the point without acceleration across their direction"
        )
    x, y, z = field.tensor.rows
    r = (y.cross(z) * a.x + z.cross(x) * a.y + x.cross(y) * a.z) * (1.0 / where(exists, square, 1.0))
    return Vec3.of(where(exists, c, 0.0) for c in r)


def acceleration_pole(field: AccelerationField) -> Vec3:
    """For α parallel to ω: the point, across their direction, that accelerates only along it.

        r = (ω² a + α × a) / (ω⁴ + α²),   with a perpendicular to the direction.

    In planar motion it is the pole of accelerations.  If both are zero (a translation) there is no such point.

    >>> from sixvec.geometry.rigid_body import acceleration_pole
    >>> from sixvec.spatial import AccelerationField, Vec3
    >>> spin = AccelerationField(Vec3(0.0, 0.0, 2.0), Vec3.zero(), Vec3(8.0, 0.0, 1.0))
    >>> acceleration_pole(spin)
    Vec3(x=2.0, y=0.0, z=0.0)
    """
    w, alpha = field.ang_velocity, field.ang
    ww, aa = w.dot(w), alpha.dot(alpha)
    if certainly(ww == 0.0) and certainly(aa == 0.0):
        raise DegenerateError("a body that does not turn has the same acceleration everywhere; use field.lin")
    turns = ww > 0.0
    axis = Vec3.of(where(turns, i, j) for i, j in zip(w, alpha, strict=True))
    across = field.lin - axis * (axis.dot(field.lin) / nonzero(axis.dot(axis)))
    pole: Vec3 = (across * ww + alpha.cross(across)) * (1.0 / nonzero(ww * ww + aa))
    return pole


@dataclass(frozen=True, slots=True)
class TwistRate:
    """A screw twist and its derivative."""

    twist: Motion
    rate: Motion


@dataclass(frozen=True, slots=True)
class SecondOrderScrewAxis:
    """A twist and its derivative in geometric terms: the screw axis and how it moves (Bruyninckx §4.10.3).

    The axis, now along the unit vector e, turns with rate ν about the `normal` n through the `center` and slides along
    n with rate τ; center and normal are those of the common normal with the next axis.  `ang_rate` = d|ω|/dt and
    `lin_rate` = d(v·e)/dt along the axis.  Twelve numbers in all, which determine twist and derivative.

    >>> from sixvec.geometry.rigid_body import SecondOrderScrewAxis
    >>> from sixvec.spatial import Motion, Vec3
    >>> spin, rate = Motion(Vec3(0.0, 0.0, 2.0), Vec3.zero()), Motion(Vec3(0.0, 1.0, 0.0), Vec3.zero())
    >>> SecondOrderScrewAxis.of(spin, rate).turn_rate
    0.5
    """

    axis: CentralAxis
    center: Vec3
    normal: Vec3
    turn_rate: Scalar
    slide_rate: Scalar
    ang_rate: Scalar
    lin_rate: Scalar

    @classmethod
    def of(cls, t: Motion, rate: Motion) -> SecondOrderScrewAxis:
        """From a screw twist t = (ω; v₀) and its derivative.

            e = ω/|ω|,  p = ω × v₀ / ω²,  center c = p - (ṗ·ė / ė·ė) e,  n = e × ė / |ė|,  ν = |ė|,  τ = ṗ·n

        ω = 0 and an axis that keeps its direction (ė = 0) have no common normal: plain numbers raise an error; other
        scalars get ν = τ = 0 and a zero normal.
        """
        w, wdot = t.ang, rate.ang
        size = length(w)
        e = w * (1.0 / nonzero(size))
        p, p_rate, e_rate = _axis_rates(t, rate)
        turn = length(e_rate)
        if certainly(turn == 0.0) or certainly(turn * size < PARALLEL * length(wdot)):
            raise DegenerateError(
                "the screw axis keeps its direction, so it has no common normal with the next one; use screw_axis "
                "and the derivative of its point"
            )
        back = 1.0 / nonzero(turn)
        normal = e.cross(e_rate) * back
        center = p - e * (p_rate.dot(e_rate) * back * back)
        lin_rate = rate.lin.dot(e) + t.lin.dot(e_rate)
        return cls(CentralAxis.of_motion(t), center, normal, turn, p_rate.dot(normal), wdot.dot(e), lin_rate)

    def as_twist_and_rate(self) -> TwistRate:
        """The screw twist and its derivative:  ω̇ = |ω|̇ e + |ω| ė,  v̇₀ = τ n × ω + c × ω̇ + v̇ e + v ė,  ė = ν n × e."""
        t = self.axis.as_motion()
        e = self.axis.direction()
        e_rate = self.normal.cross(e) * self.turn_rate
        ang = e * self.ang_rate + e_rate * self.axis.magnitude
        lin = self.normal.cross(t.ang) * self.slide_rate + self.center.cross(ang)
        return TwistRate(t, Motion(ang, lin + e * self.lin_rate + e_rate * self.axis.along.dot(e)))


def _axis_rates(t: Motion, rate: Motion) -> tuple[Vec3, Vec3, Vec3]:
    """The nearest point p of the screw axis, its derivative, and the derivative of the axis' unit vector."""
    w, v, wdot = t.ang, t.lin, rate.ang
    square = w.dot(w)
    if certainly(square == 0.0):
        raise DegenerateError("a translation has no screw axis; its direction is that of the linear velocity")
    k = 1.0 / nonzero(square)
    p = w.cross(v) * k
    p_rate = (wdot.cross(v) + w.cross(rate.lin)) * k - p * (2.0 * w.dot(wdot) * k)
    e_rate = (wdot - w * (w.dot(wdot) * k)) * (1.0 / nonzero(length(w)))
    return p, p_rate, e_rate
