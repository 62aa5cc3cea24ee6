"""Damping and springs of joints in a step, taken at its end and in its middle: stable at any step.

A damper -d v₁ and a spring -k (x_½ + h (v₁ - v)/4), in the middle of a linear motion, depend on v₁ = v + h a.  Moved to
the other side of the equation of motion they are inertia:

    (M + h d + h² k / 4) a = f - d v - k x_½ - c

Damping never turns a velocity round then, and springs keep their energy (the implicit midpoint rule).
"""

from __future__ import annotations

from dataclasses import replace

from sixvec.model import Body, Model
from sixvec.model.coupling import coupling
from sixvec.scalar import Scalar
from sixvec.sim.fixed_axes import Vector


def with_implicit_joints(model: Model, dt: Scalar) -> Model:
    """The model for accelerations a in a step, whose armature holds what dampers and springs add.

    >>> from sixvec.model.robots import BUILT_IN
    >>> cart = BUILT_IN["cart_pole"]()
    >>> with_implicit_joints(cart, 0.1) == cart                     # no dampers, no springs
    True
    """
    bodies = tuple(_stiffened(b, dt) for b in model.bodies)
    return model if all(a is b for a, b in zip(bodies, model.bodies, strict=True)) else replace(model, bodies=bodies)


def implicit_part(model: Model, dt: Scalar, a: Vector) -> list[Scalar]:
    """The forces -(h d + h² k / 4) a of accelerations a, by which dampers and springs differ from v and x_½."""
    c = coupling(model)
    stiffened = with_implicit_joints(c.free, dt)
    rates, forces = c.velocities(a), list[Scalar]()
    for b, other in zip(c.free.moving, stiffened.moving, strict=True):
        forces += [x - y for x, y in zip(b.armature, other.armature, strict=True)]
    reduced: list[Scalar] = c.reduce([f * x for f, x in zip(forces, rates, strict=True)], [True])
    return reduced


def _stiffened(b: Body, dt: Scalar) -> Body:
    """A body on a plain joint, or on a ball joint with the same damping about all axes: others have rotor forces."""
    d, nothing = b.dynamics, (0.0,) * b.joint.nv
    damping, stiffness = d.damping or nothing, d.stiffness or nothing
    plain = b.joint.nq == b.joint.nv
    if not plain:
        stiffness = nothing
        damping = damping if len({*damping}) == 1 and not d.armature else nothing
    if not any((*damping, *stiffness)):
        return b
    total = [r + dt * x + dt * dt * (0.25 * k) for r, x, k in zip(b.armature, damping, stiffness, strict=True)]
    return replace(b, dynamics=replace(d, armature=tuple(total)))
