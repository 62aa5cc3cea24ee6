"""The velocities that forces alone lead to in a step with contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.model import Body, Model
from sixvec.sim.fixed_axes import advanced
from sixvec.sim.mass_centres import Centres, at_centres, at_origins

ROUNDS = 1
"""Rounds for the velocities in the middle of a step."""


def free_velocities(
    robot: Model, rotating: Sequence[Body], q: Any, v: Any, acceleration: Any, dt: Any, about: Centres
) -> tuple[Any, Any, Any]:
    """v_f = v + h a(q, v̄)  at  v̄ = (v + v_f) / 2,  at the centres of mass of free joints; v̄, and a.

    Computed by iteration from v.  Of a robot, if gyroscopic forces rotate a spin by y in a step, they multiply its
    energy by 1 + y² without a round and by 1 + y⁴/4 after one; `sixvec.sim.energy_balance` corrects what is left.
    Robots without freely rotating bodies need no round.  Nor do `rotating` bodies: their accelerations contain no
    gyroscopic forces, which act after the impulses (`sixvec.sim.free_rotation`).
    """
    start = middle = ahead = at_centres(robot, v, about)
    rounds = ROUNDS if any(b.joint.quaternion is not None and b not in rotating for b in robot.moving) else 0
    for i in range(1 + rounds):
        if i:
            middle = [(x + y) * 0.5 for x, y in zip(start, ahead, strict=True)]
        there = at_origins(robot, middle, about) if i else v
        a = acceleration(q, there)
        rates = at_centres(robot, a, about)
        reached = advanced(robot, q, middle, rates, dt)
        ahead = [x + y - z for x, y, z in zip(start, reached, middle, strict=True)] if i else reached
    return at_origins(robot, ahead, about), there, a
