"""Rolling without slip: conditions on the velocity of the point where a wheel touches the ground.

Everything is in the axes of the wheel's frame, in which the axle is y and only the direction n of up, seen from the
wheel, changes:  ṅ = -ω × n.  With n = (h c, n_y, h s) and c² + s² = 1 the ground is touched at  -r (c, 0, s), the wheel
heads along (s, 0, -c), and  n × heading  is to its left.  There are no kernels here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.inverse_dynamics import acceleration_fields
from sixvec.algorithms.parts.held_frames import RollingFrame
from sixvec.model import Frame, Model
from sixvec.scalar import Scalar, sqrt
from sixvec.spatial import AccelerationField, Force, Motion, Pose, Vec3

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


def rolling_bias(model: Model, q: JointVector, v: JointVector, wheel: RollingFrame) -> list[Scalar]:
    """The derivative of these velocities at a = 0, exact whether the wheel slips or not."""
    n = _up(model, q, wheel)
    columns, _ = frame_columns(model, q, model.frame(wheel.frame))
    V = sum((S * rate for S, rate in zip(columns, v, strict=True)), Motion.zero())
    touch, change = _Touch.of(n, wheel.radius), -V.ang.cross(n)
    moving = touch.rate(n, change, wheel.radius)
    A = _acceleration(model, q, v, wheel)
    u = V.at(touch.point)
    u_dot = A.lin - V.ang.cross(V.lin) + A.ang.cross(touch.point) + V.ang.cross(moving.point)
    pairs = zip(touch.directions(wheel), moving.directions(wheel), strict=True)
    return [d_dot.dot(u) + d.dot(u_dot) for d, d_dot in pairs]


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

    def directions(self, wheel: RollingFrame) -> list[Vec3]:
        c, s = math.cos(wheel.roller_angle), math.sin(wheel.roller_angle)
        named = {"roll": self.ahead, "side": self.left, "normal": self.up, "roller": self.ahead * c + self.left * s}
        return [named[d] for d in wheel.directions]


def frame_columns(model: Model, q: JointVector, F: Frame) -> tuple[list[Motion], Pose]:
    """The columns of a frame's Jacobian in its own axes, from the frame inward, and the world in the frame."""
    columns, X = [Motion.zero()] * model.nv, F.placement.inv().as_pose()
    for b in reversed(model.path(F.body)):
        columns[model.v_slices[b.name]] = [X @ S for S in b.subspace(q)]
        X = X @ b.joint.pose(q[b]).inv() @ b.placement.inv()
    return columns, X


def _up(model: Model, q: JointVector, wheel: RollingFrame) -> Vec3:
    """The vertical in the axes of the wheel's frame."""
    F, n = model.frame(wheel.frame), UP
    for b in model.path(F.body):
        n = b.joint.pose(q[b]).rot.inv() @ (b.placement.rot.inv() @ n)
    return F.placement.rot.inv() @ n


def _acceleration(model: Model, q: JointVector, v: JointVector, wheel: RollingFrame) -> AccelerationField:
    """That of the wheel's frame while no joint accelerates."""
    F = model.frame(wheel.frame)
    rest, still = JointVector([0.0] * model.nv, model.v_slices), AccelerationField.at_rest(Vec3.zero())
    A = {None: still} | {b.name: field for b, field in acceleration_fields(model.path(F.body), still, q, v, rest)}
    return F.placement.inv() @ A[F.body]
