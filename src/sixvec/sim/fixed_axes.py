"""Integrators on velocities in non-rotating axes, so that a free joint keeps its linear momentum.

A free joint has q = (p, R) and v = (ω, v) in body axes, with  ṗ = R v.  Its acceleration a = (ω̇, v̇) is the rate of
these components, and since the axes rotate,  v̇ = Rᵀ p̈ - ω × v: a body that moves straight while it spins has v̇ ≠ 0.
Steps along v̇ would therefore not conserve momentum.  Integrators step

    w = (ω, ṗ),   ẇ = (ω̇, R (v̇ + ω × v)),   p ⊕ h ṗ = p + h ṗ,   R ⊕ h ω = R exp(h ω)

instead: translations and rotations separately, as on the group SO(3) × R³.  The other joints' velocities are w already:
those of ball joints contain only ω, those of all others are rates of plain coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.model import Model
from sixvec.model.joints import Spherical
from sixvec.model.joints.joint import Coordinates, Joint
from sixvec.scalar import Scalar
from sixvec.spatial import Quaternion, Rotation, Vec3

Vector = Sequence[Scalar]
Acceleration = Callable[[Vector, Vector], Vector]
Integrator = Callable[..., tuple[Vector, Vector]]

_TURN = Spherical()
_STILL = (0.0, 0.0, 0.0)


def in_fixed_axes(integrator: Integrator) -> Integrator:
    """A method for  q̇ = w,  ẇ = f(q, w)  as an integrator of  q̇ = v,  v̇ = a(q, v)."""

    @wraps(integrator)
    def step(
        model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration, rows: Any = None
    ) -> tuple[Vector, Vector]:
        start = fixed_rates(model, q, v)

        def slope(q: Vector, w: Vector) -> Vector:
            now = v if w is start else body_velocities(model, q, w)
            return _changes(model, q, now, acceleration(q, now))

        q1, w1 = integrator(model, q, start, dt, slope)
        return q1, body_velocities(model, q1, w1)

    return step


def fixed_rates(model: Model, q: Vector, v: Vector) -> Vector:
    """w = (ω, R v) of free joints."""
    return _each(model, lambda q, v: [*v[:3], *(_rotation(q) @ Vec3.of(v[3:]))], q, v)


def body_velocities(model: Model, q: Vector, w: Vector) -> Vector:
    """v = (ω, Rᵀ ṗ) of free joints."""
    return _each(model, lambda q, w: [*w[:3], *(_rotation(q).inv() @ Vec3.of(w[3:]))], q, w)


def _changes(model: Model, q: Vector, v: Vector, a: Vector) -> Vector:
    """ẇ = (ω̇, R (v̇ + ω × v)) of free joints; of all others the acceleration itself."""

    def change(q: Coordinates, v: Coordinates, a: Coordinates) -> Coordinates:
        turning = Vec3.of(v[:3]).cross(Vec3.of(v[3:]))
        return [*a[:3], *(_rotation(q) @ (Vec3.of(a[3:]) + turning))]

    return _each(model, change, q, v, a)


def advanced(model: Model, q: Vector, v: Vector, a: Vector, dt: Scalar) -> Vector:
    """The velocities after accelerations a for the time dt, in the fixed axes of the bodies at q.

    For a free joint v + dt (a + (0, ω × v)), which is R v + dt ẇ in body axes; for others v + dt a.
    """
    ahead = plus(v, dt, a)

    def in_place(q: Coordinates, v: Coordinates, ahead: Coordinates) -> Coordinates:
        turning = Vec3.of(v[:3]).cross(Vec3.of(v[3:])) * dt
        return [*ahead[:3], *(Vec3.of(ahead[3:]) + turning)]

    return _each(model, in_place, q, v, ahead)


def mean_velocities(model: Model, start: tuple[Vector, Vector], half: Vector, end: tuple[Vector, Vector]) -> Vector:
    """The mean of the velocities of two states (q, v), in the axes of bodies at the positions `half`."""
    w, w1 = (fixed_rates(model, *state) for state in (start, end))
    return body_velocities(model, half, [(x + y) * 0.5 for x, y in zip(w, w1, strict=True)])


def moved(model: Model, q: Vector, u: Vector) -> Vector:
    """q ⊕ u for a step u in the coordinates of w."""
    q, u = JointVector(q, model.q_slices), JointVector(u, model.v_slices)
    return [x for b in model.moving for x in _joint_moved(b.joint, q[b], u[b])]


def bracket(model: Model, u: Vector, w: Vector) -> Vector:
    """[u, w]: the commutator of steps in the coordinates of w."""
    u, w = JointVector(u, model.v_slices), JointVector(w, model.v_slices)
    return [x for b in model.moving for x in _joint_bracket(b.joint, u[b], w[b])]


def _joint_moved(joint: Joint, q: Coordinates, u: Coordinates) -> Coordinates:
    if joint.is_free:
        return [*(Vec3.of(q[:3]) + Vec3.of(u[3:])), *_TURN.integrate(q[3:], u[:3])]
    return joint.integrate(q, u)


def _joint_bracket(joint: Joint, u: Coordinates, w: Coordinates) -> Coordinates:
    if joint.is_free:
        return [*_TURN.bracket(u[:3], w[:3]), *_STILL]
    return joint.bracket(u, w)


def _each(model: Model, of_free: Callable[..., Coordinates], q: Vector, *vectors: Vector) -> Vector:
    """`of_free` of each free joint; of every other joint the last vector's entries as they are."""
    q, parts = JointVector(q, model.q_slices), [JointVector(x, model.v_slices) for x in vectors]
    rates: list[Scalar] = []
    for b in model.moving:
        values = [x[b] for x in parts]
        rates += of_free(q[b], *values) if b.joint.is_free else values[-1]
    return rates


def times(h: Scalar, x: Vector) -> Vector:
    """h x."""
    return [h * y for y in x]


def plus(x: Vector, h: Scalar, rate: Vector) -> Vector:
    """x + h rate."""
    return [a + h * b for a, b in zip(x, rate, strict=True)]


def _rotation(q: Coordinates) -> Rotation:
    return Quaternion(*q[3:]).as_rotation()
