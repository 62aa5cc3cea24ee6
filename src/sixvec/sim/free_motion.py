"""Positions and velocities at the end of a step with contacts, from the velocities after its impulses."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.model import Body, Model
from sixvec.scalar import Scalar
from sixvec.sim.fixed_axes import Vector, body_velocities, fixed_rates
from sixvec.sim.free_rotation import freely_moved
from sixvec.sim.lifted_pairs import Lift, lifted
from sixvec.sim.mass_centres import Centres, at_centres, at_origins, positions_at


def moved_freely(
    robot: Model, rotating: Sequence[Body], q: Vector, dt: Scalar, v: Vector, lift: Vector, about: Centres,
    lifts: Sequence[Lift] = (),
) -> tuple[Vector, Vector]:  # fmt: skip
    """(q₁, v₁): centres of mass of free joints move straight, and `rotating` bodies as Euler's equations say.

    `lift` is a motion of positions alone, which corrects overlaps; `lifts` are those of pairs of free bodies.
    """

    def in_fixed_axes(x: Vector) -> Vector:
        return fixed_rates(robot, q, at_centres(robot, x, about))

    q1, rates = freely_moved(
        robot, rotating, positions_at(robot, q, about, 1.0), in_fixed_axes(v), in_fixed_axes(lift), dt
    )
    q1, rates = lifted(robot, [lift._replace(up=in_fixed_axes(lift.up)) for lift in lifts], q1, rates)
    q1 = positions_at(robot, q1, about, -1.0)
    return q1, at_origins(robot, body_velocities(robot, q1, rates), about)
