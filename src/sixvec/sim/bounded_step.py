"""The step of rollouts by default: a leapfrog with implicit joints, whose energy is what the forces make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.passive_forces import added, passive_forces, subtracted
from sixvec.model import Model
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, guard, where
from sixvec.sim.energy_bound import bounded
from sixvec.sim.fixed_axes import Vector, advanced, times
from sixvec.sim.friction import friction_in_step
from sixvec.sim.groups import Group, groups
from sixvec.sim.implicit_joints import implicit_part, with_implicit_joints
from sixvec.sim.integrators import DEFAULT, INTEGRATORS
from sixvec.sim.projection import projected
from sixvec.sim.step_options import StepOptions, acceleration_of
from sixvec.sim.step_rows import StepRows
from sixvec.spatial import Vec3

State = tuple[Vector, Vector]
"""(q, v)."""

UNRESOLVED = 0.5
"""Rad or m in a step, beyond which a step does not resolve the motion."""


def bounded_step(
    robot: Model,
    options: StepOptions,
    rows: StepRows,
    q: Vector,
    v: Vector,
    dt: Scalar,
    tau: Vector,
    external: Mapping[str, Sequence[Scalar]],
) -> tuple[Vector, Vector]:
    """(q, v) after a step of `bounded_leapfrog`.

    Loops and held frames are projected as with the other integrators.  Dampers of mechanisms with them are explicit.
    """
    bound = bool(robot.closures or options.hold)
    implicit = with_implicit_joints(robot, dt) if options.passive and not bound else robot
    acceleration = acceleration_of(implicit, options, tau, external, dt, rows)
    start, half = (q, v), q
    impulse: Vector = v
    resistance: Vector | None = None
    explicit = options.passive and _resists(robot, dampers=implicit is robot)
    parts = groups(robot, options.prescribed, rolls=bool(options.hold), turning=True, single=explicit)

    def slope(q_half: Any, v: Any) -> Any:
        nonlocal half, impulse, resistance
        if rows.keep_positions:  # next to a closed state, dependent rows may become independent
            q_half, v = projected(rows, q_half, v, rounds=1, dt=dt)
        friction = friction_in_step(replace(rows, model=implicit), options, q_half, v, dt, acceleration)
        a = acceleration(q_half, v, friction)
        force = added(tau, friction) if friction else list(tau)
        if options.passive:
            force = added(force, passive_forces(robot, q_half, v, coulomb=False))
            force = added(force, implicit_part(robot, dt, a)) if implicit is not robot else force
        if external:
            force = added(force, _joint_forces(robot, options, q_half, external))
        half, impulse = q_half, times(dt, force)
        if explicit:
            taken = times(dt, subtracted(passive_forces(robot, q_half, v, coulomb=False), _at_rest(robot, q_half)))
            resistance, impulse = taken, subtracted(impulse, taken)
        return _slowed(robot, parts, dt, start, (q_half, v), a, impulse, resistance)

    q1, v1 = INTEGRATORS[DEFAULT](robot, q, v, dt, slope)
    if bound:
        q1, v1 = projected(rows, q1, v1, dt=dt)
    return q1, bounded(robot, parts, dt, start, half, (q1, v1), impulse, resistance=resistance)


def _slowed(
    robot: Model,
    parts: Sequence[Group],
    dt: Scalar,
    start: State,
    half: State,
    a: Vector,
    impulse: Vector,
    resistance: Vector | None,
) -> list[Scalar]:
    """The accelerations of a step, with bounded energy where they would move a joint by more than `UNRESOLVED`.

    Positions move with these velocities, before the energy at the end of the step can be known.
    """
    ahead = advanced(robot, *half, a, dt)
    slowed = bounded(robot, parts, dt, start, half[0], (half[0], ahead), impulse, resistance=resistance)
    fastest: Scalar = 0.0
    for x in ahead:
        step = abs(dt * x)
        fastest = where(step > fastest, step, fastest)
    changes = [(x - y) / dt for x, y in zip(slowed, ahead, strict=True)]
    return added(a, guard(fastest > UNRESOLVED, changes, [0.0] * len(changes)))


def _resists(robot: Model, dampers: bool) -> bool:
    """Whether friction laws act, or dampers of joints."""
    return bool(robot.passive) or (dampers and any(any(b.dynamics.damping) for b in robot.bodies))


def _at_rest(robot: Model, q: Vector) -> list[Scalar]:
    """The passive forces of springs."""
    forces: list[Scalar] = passive_forces(robot, q, [0.0] * robot.nv, coulomb=False)
    return forces


def _joint_forces(robot: Model, options: StepOptions, q: Vector, external: Mapping[str, Any]) -> list[Scalar]:
    """Jᵀ w of external wrenches."""
    tree = replace(spanning_tree(robot), gravity=Vec3.zero())
    rest = [0.0] * robot.nv
    wrenches = {"external": external, "external_reference": options.pushed.reference}
    return [-x for x in inverse_dynamics(tree, q, rest, rest, **wrenches)]
