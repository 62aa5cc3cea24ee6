"""The rotation of single free bodies in a step: their angular momentum and their energy stay what they are.

Without moments a body that rotates freely satisfies  I ω̇ = I ω × ω.  The midpoint rule

    I (ω₁ - ω) = h I ω̄ × ω̄,    ω̄ = (ω + ω₁)/2

keeps the energy ½ ω·I ω, and the length of the angular momentum I ω.  The body turns by  exp(h ω̄), and by the least
rotation after which the angular momentum has its direction in the world again: of the order h³.

A step applies impulses first, at its start: moments about points of the world act on all bodies where they are, so
what one body gains in angular momentum another one loses.  Then the bodies rotate freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.model import WORLD, Body, Model
from sixvec.scalar import Scalar, certainly, sqrt, where
from sixvec.sim.fixed_axes import Vector, moved
from sixvec.spatial import Mat3, Quaternion, Sym3, Vec3
from sixvec.spatial.linear import solve_symmetric
from sixvec.tolerances import ROUNDING

BOUNDED_ROUNDS = 2
"""Rounds that converge linearly, from any start: each of them keeps the energy."""

NEWTON_ROUNDS = 4
"""Newton steps after them: enough for rounding errors only, up to about a radian in a step."""

LONGEST_TURN = 2.0
"""Radians in a step up to which Newton steps are taken."""

LEAST_DETERMINANT = 0.1
"""Least determinant of the Newton matrix, as a fraction of that of the inertia."""


LEAST_SQUARE = 1e-30
"""Of an angular momentum that has a direction: smaller ones vanish in products of single precision."""


def single_bodies(robot: Model, prescribed: Sequence[int] = ()) -> list[Body]:
    """Bodies that turn freely in the world and carry no others: Euler's equations hold for them."""
    return [
        b
        for b in robot.moving
        if b.joint.quaternion is not None and b.parent is WORLD and not robot.children(b.name)
        and not any(b.armature) and not any(i in prescribed for i in range(robot.nv)[robot.v_slices[b.name]])
    ]  # fmt: skip


def rotation_inertia(b: Body) -> Sym3:
    """The inertia of a body about the point about which it rotates: its centre of mass, or the centre of its joint."""
    return b.inertia.about_center if b.joint.is_free else b.inertia.rot


def gyroscopic_forces(robot: Model, bodies: Sequence[Body], v: Vector) -> list[Scalar]:
    """ω × I ω of each of these bodies, as joint forces; zero for all other joints."""
    forces: list[Scalar] = [0.0] * robot.nv
    for b in bodies:
        at = turning_of(robot, b)
        w = Vec3.of(v[at])
        forces[at] = [*w.cross(rotation_inertia(b) @ w)]
    return forces


def gyroscopic_accelerations(robot: Model, bodies: Sequence[Body], v: Vector) -> list[Scalar]:
    """Their accelerations by these forces."""
    result = gyroscopic_forces(robot, bodies, v)
    for b in bodies:
        at = turning_of(robot, b)
        turning = solve_symmetric(rotation_inertia(b), Vec3.of(result[at]))
        result[at] = [*turning]
        if b.joint.is_free:
            result[at.stop : at.stop + 3] = [*b.inertia.center.cross(turning)]
    return result


def freely_moved(
    robot: Model, bodies: Sequence[Body], q: Vector, rates: Vector, up: Vector, dt: Scalar
) -> tuple[Vector, Vector]:
    """Positions q ⊕ (h w + up), and the rates w at the end: those of `bodies` by the midpoint rule, others unchanged.

    Positions of free joints are those of the centres of mass, rates and `up` as in `sixvec.sim.fixed_axes`.
    """
    q, rates, step = list(q), list(rates), [dt * x + y for x, y in zip(rates, up, strict=True)]
    for b in bodies:
        at, I = turning_of(robot, b), rotation_inertia(b)
        if _is_isotropic(I):
            continue
        w = Vec3.of(rates[at])
        ahead, mean = rotated(I, w, dt)
        back = _least_rotation(Quaternion.exp(mean * dt).as_rotation() @ (I @ ahead), I @ w)
        where_turned = _quaternion(robot, b)
        q[where_turned] = [*(Quaternion(*q[where_turned]) @ back)]
        rates[at] = [*ahead]
        step[at] = [x * dt + y for x, y in zip(mean, up[at], strict=True)]
    return moved(robot, q, step), rates


def rotated(I: Sym3, w: Vec3, dt: Scalar) -> tuple[Vec3, Vec3]:
    """ω₁ and ω̄ by the midpoint rule, from ω.

    >>> I, w = Sym3.diagonal(1.0, 2.0, 3.0), Vec3(0.3, -0.2, 0.5)
    >>> w1, _ = rotated(I, w, 0.5)
    >>> abs(w1.dot(I @ w1) - w.dot(I @ w)) < 1e-15, abs((I @ w1).norm() - (I @ w).norm()) < 1e-15
    (True, True)
    """
    ahead = w
    for _ in range(BOUNDED_ROUNDS):
        ahead = _with_moment(I, w, ahead, dt)
    short = dt * dt * w.dot(w) < LONGEST_TURN * LONGEST_TURN
    least = LEAST_DETERMINANT * _determinant(I.full)
    for _ in range(NEWTON_ROUNDS):
        mean = (w + ahead) * 0.5
        L = I @ mean
        missing = I @ (ahead - w) + mean.cross(L) * dt
        slope = I.full + (Mat3.cross_matrix(mean).product(I.full) - Mat3.cross_matrix(L)) * (0.5 * dt)
        fine = where(short, _determinant(slope) - least, -1.0) > 0.0
        ahead = ahead - _solved(slope, missing, fine)
    ahead = _with_moment(I, w, ahead, dt)
    return ahead, (w + ahead) * 0.5


def _with_moment(I: Sym3, w: Vec3, ahead: Vec3, dt: Scalar) -> Vec3:
    """ω₁ with  I (ω₁ - ω) = h L × (ω + ω₁)/2  for L = I (ω + `ahead`)/2: the same energy, whatever L is.

    The determinant of the equations, det I + k·I k with k = -h L/2, is positive.
    """
    L = I @ ((w + ahead) * 0.5)
    k: Mat3 = Mat3.cross_matrix(L * (-0.5 * dt))
    return w + _solved(I.full + k, L.cross(w) * dt)


def _solved(A: Mat3, b: Vec3, fine: Any = None) -> Vec3:
    """x with  A x = b; zero unless `fine`."""
    x, y, z = A.rows
    yz, zx, xy = y.cross(z), z.cross(x), x.cross(y)
    determinant = x.dot(yz)
    scale = 1.0 / determinant if fine is None else where(fine, 1.0 / where(fine, determinant, 1.0), 0.0)
    result: Vec3 = (yz * b.x + zx * b.y + xy * b.z) * scale
    return result


def _determinant(A: Mat3) -> Scalar:
    x, y, z = A.rows
    return x.dot(y.cross(z))


def _least_rotation(a: Vec3, b: Vec3) -> Quaternion:
    """The least rotation that turns the direction of a into that of b; none if one of them is next to zero."""
    squares = a.dot(a), b.dot(b)
    some = where(squares[0] > LEAST_SQUARE, where(squares[1] > LEAST_SQUARE, 1.0, 0.0), 0.0) > 0.5
    a, b = (x * (1.0 / sqrt(where(some, square, 1.0))) for x, square in zip((a, b), squares, strict=True))
    real, axis = 1.0 + a.dot(b), a.cross(b)
    fine = where(some, real, 0.0) > ROUNDING
    scale = 1.0 / sqrt(where(fine, real * real + axis.dot(axis), 1.0))
    x = axis * scale
    return Quaternion(
        where(fine, x.x, 0.0), where(fine, x.y, 0.0), where(fine, x.z, 0.0), where(fine, real * scale, 1.0)
    )


def _is_isotropic(I: Sym3) -> bool:
    """Whether every axis is a principal one, as of a sphere or a cube."""
    x, y, z = I.full.rows
    return all(certainly(d == 0.0) for d in (x.x - y.y, y.y - z.z, x.y, y.z, x.z))


def turning_of(robot: Model, b: Body) -> slice:
    """Where the angular velocity of a body on a free or ball joint is in v."""
    start = robot.v_slices[b.name].start
    return slice(start, start + 3)


def _quaternion(robot: Model, b: Body) -> slice:
    end = robot.q_slices[b.name].stop
    return slice(end - 4, end)
