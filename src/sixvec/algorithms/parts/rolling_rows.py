"""Rolling without slip: conditions on the velocity of the point where a wheel touches the ground.

Everything is in the axes of the wheel's frame, in which the axle is y and only the direction n of up, seen from the
wheel, changes:  ṅ = -ω × n.  With n = (h c, n_y, h s) and c² + s² = 1 the ground is touched at  -r (c, 0, s), the wheel
heads along (s, 0, -c), and  n × heading  is to its left.  There are no kernels here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.frame_columns import frame_columns
from sixvec.model import Model
from sixvec.model.held_frame import RollingFrame
from sixvec.scalar import Scalar, sqrt
from sixvec.spatial import Force, Motion, Vec3

UP = Vec3(0.0, 0.0, 1.0)


def rolling_jacobian(model: Model, q: JointVector, wheel: RollingFrame) -> list[list[Scalar]]:
    """The velocity of the wheel at its contact along each direction, for unit velocities of the joints."""
    touch = _Touch.of(_up(model, q, wheel), wheel.radius)
    columns, _ = frame_columns(model, q, model.frame(wheel.frame))
    return [[d.dot(V.at(touch.point)) for V in columns] for d in touch.directions(wheel)]


def rolling_wrenches(model: Model, q: JointVector, wheel: RollingFrame) -> list[Force]:
    """Unit forces at the contact along each direction, in the axes of the wheel's frame."""
    touch = _Touch.of(_up(model, q, wheel), wheel.radius)
    return [Force.at_point(d, touch.point) for d in touch.directions(wheel)]


@dataclass(frozen=True)
class RollingMotion:
    """A wheel with the velocity V of its frame, and the derivative C of that, both in the axes of the frame."""

    wheel: RollingFrame
    n: Vec3
    V: Motion
    C: Motion

    @classmethod
    def of(cls, model: Model, q: JointVector, wheel: RollingFrame, V: Motion, C: Motion) -> RollingMotion:
        return cls(wheel, _up(model, q, wheel), V, C)

    @cached_property
    def _touch(self) -> _Touch:
        return _Touch.of(self.n, self.wheel.radius)

    @cached_property
    def _n_dot(self) -> Vec3:
        return -self.V.ang.cross(self.n)

    @cached_property
    def _moving(self) -> _Touch:
        return self._touch.rate(self.n, self._n_dot, self.wheel.radius)

    @cached_property
    def _u(self) -> tuple[Vec3, Vec3]:
        """The velocity of the wheel at its contact, and its derivative."""
        p, p_dot = self._touch.point, self._moving.point
        return self.V.at(p), self.C.at(p) + self.V.ang.cross(p_dot)

    def accelerations(self) -> list[Scalar]:
        """The derivative of  d · u  along each direction d, exact whether the wheel slips or not."""
        u, u_dot = self._u
        pairs = zip(self._touch.directions(self.wheel), self._moving.directions(self.wheel), strict=True)
        return [d_dot.dot(u) + d.dot(u_dot) for d, d_dot in pairs]

    def slopes(self, turned: Vec3, dV: Motion, dC: Motion) -> list[Scalar]:
        """The change of `accelerations` with V and C, and with the world turned about the frame's origin."""
        n, r = self.n, self.wheel.radius
        dn = turned.cross(n)
        dn_dot = -(dV.ang.cross(n) + self.V.ang.cross(dn))
        at, moving, moved = self._touch, self._moving, self._touch.rate(n, dn, r)
        both = at.second(n, self._n_dot, dn, r) + at.rate(n, dn_dot, r)
        u, u_dot = self._u
        w, dw = self.V.ang, dV.ang
        du = dV.at(at.point) + w.cross(moved.point)
        du_dot = dC.at(at.point) + self.C.ang.cross(moved.point) + dw.cross(moving.point) + w.cross(both.point)
        parts = (x.directions(self.wheel) for x in (at, moving, moved, both))
        return [
            dd_dot.dot(u) + d_dot.dot(du) + dd.dot(u_dot) + d.dot(du_dot)
            for d, d_dot, dd, dd_dot in zip(*parts, strict=True)
        ]

    def turned_wrenches(self, turned: Vec3) -> list[Force]:
        """The change of `rolling_wrenches` with the world turned about the frame's origin."""
        moved = self._touch.rate(self.n, turned.cross(self.n), self.wheel.radius)
        pairs = zip(self._touch.directions(self.wheel), moved.directions(self.wheel), strict=True)
        return [
            Force.at_point(dd, self._touch.point) + Force(moved.point.cross(d), Vec3.zero()) for d, dd in pairs
        ]  # fmt: skip


@dataclass(frozen=True)
class _Touch:
    """The point of contact and the three directions there, or their derivatives."""

    point: Vec3
    ahead: Vec3
    left: Vec3
    up: Vec3

    @classmethod
    def of(cls, n: Vec3, radius: float) -> _Touch:
        h = sqrt(n.x * n.x + n.z * n.z)
        c, s = n.x / h, n.z / h
        return cls(Vec3(c, 0.0, s) * -radius, Vec3(s, 0.0, -c), Vec3(-n.y * c, h, -n.y * s), n)

    def rate(self, n: Vec3, n_dot: Vec3, radius: float) -> _Touch:
        h = self.left.y
        c, s = -self.ahead.z, self.ahead.x
        h_dot = c * n_dot.x + s * n_dot.z
        c_dot, s_dot = (n_dot.x - c * h_dot) / h, (n_dot.z - s * h_dot) / h
        left = Vec3(-(n_dot.y * c + n.y * c_dot), h_dot, -(n_dot.y * s + n.y * s_dot))
        return _Touch(Vec3(c_dot, 0.0, s_dot) * -radius, Vec3(s_dot, 0.0, -c_dot), left, n_dot)

    def second(self, n: Vec3, a: Vec3, b: Vec3, radius: float) -> _Touch:
        """The second derivative along changes a and b of n: with (c, s) = (cos t, sin t), it is that of t and h."""
        h, c, s = self.left.y, -self.ahead.z, self.ahead.x
        (h_a, t_a), (h_b, t_b) = ((c * x.x + s * x.z, (c * x.z - s * x.x) / h) for x in (a, b))
        t_ab, tt = -(t_a * h_b + t_b * h_a) / h, t_a * t_b
        c_ab, s_ab = -c * tt - s * t_ab, c * t_ab - s * tt
        left_x = a.y * s * t_b + b.y * s * t_a - n.y * c_ab
        left_z = -(a.y * c * t_b + b.y * c * t_a + n.y * s_ab)
        return _Touch(
            Vec3(c_ab, 0.0, s_ab) * -radius, Vec3(s_ab, 0.0, -c_ab), Vec3(left_x, h * tt, left_z), Vec3.zero()
        )

    def __add__(self, other: _Touch) -> _Touch:
        return _Touch(
            self.point + other.point, self.ahead + other.ahead, self.left + other.left, self.up + other.up
        )  # fmt: skip

    def directions(self, wheel: RollingFrame) -> list[Vec3]:
        c, s = math.cos(wheel.roller_angle), math.sin(wheel.roller_angle)
        named = {"roll": self.ahead, "side": self.left, "normal": self.up, "roller": self.ahead * c + self.left * s}
        return [named[d] for d in wheel.directions]


def _up(model: Model, q: JointVector, wheel: RollingFrame) -> Vec3:
    """The vertical in the axes of the wheel's frame."""
    F, n = model.frame(wheel.frame), UP
    for b in model.path(F.body):
        n = b.joint.pose(q[b]).rot.inv() @ (b.placement.rot.inv() @ n)
    return F.placement.rot.inv() @ n
