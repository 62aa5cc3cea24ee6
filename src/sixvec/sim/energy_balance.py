"""The energy and the linear momentum of a robot over a step with contacts: what forces and contacts do, no more.

The mass matrix of bodies with joints between them changes as they move.  Coriolis forces make up for that, but they are
those of the start of a step, so velocities that stay as they are while the positions move have an energy

    T(q₁, v₁) = T(q, v₁) + h Ṫ(v₁) + O(h²),    while Coriolis forces have taken    h Ṫ(v̄)

with v̄ in the middle between the velocities v and v_f before and after the forces: an error of order h² in every step,
and of order h in an impact, where v₁ differs from v̄.  The balance of a step is exact instead: with the work W = h v̄·f
of all forces f but those of inertia, and the change of energy by contacts at q,

    T* = T(q, v) + W + (T(q, v₁) - T(q, v_f))

is the energy after it, and the linear momentum P* of what flies is found in the same way.  Velocities relative to the
centre of mass are multiplied by the number near 1 that gives T*, those of the centre of mass are P*/m.

Positions move by h v₁, so the forces do the work h (v + v₁)/2·f: that is T* - T(q, v) and what contacts dissipate.
Impacts that dissipate more than these errors leave velocities as they are, so that they satisfy Newton's law exactly,
unless the energy would then be larger than without contacts: that is never so.

In steps that are too long for the speed of a robot, Coriolis forces would multiply its energy, and P* can carry more
than T*.  So v_f is first slowed to the energy T(q, v) + W, and v₁ in the end to T*, each with its linear momentum if
velocities relative to the centre of mass must lose more than `MOST` of their energy: no step adds energy at any speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sixvec.algorithms.canonical_momenta import canonical_momenta
from sixvec.algorithms.gravity_forces import gravity_forces
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.parts.factorization import dot
from sixvec.model import Model
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, guard, sqrt, where
from sixvec.sim.energy_bound import potential_energy_of
from sixvec.sim.fixed_axes import Vector
from sixvec.sim.groups import Group
from sixvec.spatial import Quaternion, Vec3
from sixvec.spatial.norm import nonzero
from sixvec.tolerances import ROUNDING

MOST = 0.1
"""Largest fraction of the energy relative to the centre of mass that is removed at the same momentum."""

ADDED = 3.0
"""Largest fraction that is added: velocities are at most doubled."""

HARD = 1e-3
"""Impacts that dissipate more than this fraction of the energy are not corrected if there is no need."""

MOVING = 2e-3
"""Rad or m in a step, beyond which the work of weight is that along the way."""

LEAST = 1e-36
"""Energies, in J, below which ratios of them are not used: their derivatives would overflow."""

NUMBERS = 6
"""Of a group in a balance: T(q, v_f), the parts of T* that do not depend on contacts and that are due to weight; then
of what flies the part of P*, and of others the acceleration of free fall."""


def balances(
    robot: Model,
    groups: Sequence[Group],
    M: Sequence[Vector],
    q: Any,
    v: Vector,
    free: Vector,
    middle: Vector,
    a: Vector,
    dt: Scalar,
    reaction: Vector = (),
) -> tuple[list[Scalar], list[Scalar]]:
    """`free` with no more energy than forces give it; `NUMBERS` of each group, the energy of all bodies, and h f.

    The step is from v to `free` with accelerations a at velocities `middle`.  Loops and wheels do no work: their joint
    forces are `reaction`, if they are in a.
    """
    weightless = replace(spanning_tree(robot), gravity=Vec3.zero())
    force = list(inverse_dynamics(weightless, q, middle, a))
    if reaction:
        force = [x - y for x, y in zip(force, reaction, strict=True)]
    before, after = ([dot(row, x) for row in M] for x in (v, free))
    mean = [(x + y) * 0.5 for x, y in zip(v, free, strict=True)]
    numbers: list[Scalar] = []
    slowed, rest = list(free), set(range(robot.nv))
    total: Scalar = 0.0
    for g in groups:
        rest -= {*g.freedoms}
        reached = 0.5 * _dot(g.freedoms, free, after)
        T, work = 0.5 * _dot(g.freedoms, v, before), dt * _dot(g.freedoms, mean, force)
        rounding = ROUNDING * _positive(reached - 2.0 * (T + work))
        lost = rounding > MOST * (T + where(work > 0.0, work, -work))  # in the rounding of Coriolis forces
        for i in g.freedoms:
            force[i] = where(lost, 0.0, force[i])
        target = where(lost, T, _positive(T + work - rounding))
        centre = _centre(robot, g, after)
        central = 0.5 * g.mass * centre.dot(centre)
        s, k = _slowing(1.0, reached - central, central, target, _divisor(reached - central + ROUNDING * reached))
        _assign(robot, g, slowed, free, s, centre, centre * k)
        reached = k * k * central + s * s * (reached - central)
        pushed: list[Scalar] = list(robot.gravity)
        counted = _gained_by_weight(robot, g, dt, q, v, where(lost, 0.0, 1.0), free)
        if g.floating is not None:
            pushed = [dt * force[i] + before[i] - k * after[i] for i in _linear(robot, g)]
        numbers += [reached, target - reached, counted, *pushed]
        total = total + reached
    return slowed, [*numbers, total + 0.5 * _dot(sorted(rest), free, after), *(dt * x for x in force)]


def balanced(
    robot: Model,
    groups: Sequence[Group],
    numbers: Sequence[Scalar],
    q: Any,
    free: Vector,
    v: Vector,
    q1: Any,
    v1: Vector,
    dt: Scalar,
) -> list[Scalar]:
    """The velocities v1 at q1, corrected; v are those at q, after contacts, and `numbers` those of `balances`."""
    now, then = canonical_momenta(robot, q, v), canonical_momenta(robot, q1, v1)
    push, jump = numbers[-robot.nv :], [x - y for x, y in zip(v, free, strict=True)]
    of_group = [numbers[NUMBERS * k : NUMBERS * (k + 1)] for k in range(len(groups))]

    def lost_at(freedoms: Sequence[int], reached: Scalar) -> Scalar:
        return _positive(reached - 0.5 * _dot(freedoms, v, now) + 0.5 * _dot(freedoms, jump, push))

    total = lost_at(range(robot.nv), numbers[NUMBERS * len(groups)])
    before = [0.5 * _dot(g.freedoms, v, now) for g in groups]
    losses = [lost_at(g.freedoms, of[0]) for g, of in zip(groups, of_group, strict=True)]
    share = total / _divisor(sum(losses, 0.0))
    corrected = list(v1)
    for g, (reached, lost, counted, *pushed), T, loss in zip(groups, of_group, before, losses, strict=True):
        T1 = 0.5 * _dot(g.freedoms, v1, then)
        heavy = replace(robot, gravity=Vec3.of(pushed)) if g.floating is None else robot
        target = T + lost + _work_of_weight(heavy, g, dt, (q, v), jump, (q1, v1), (T + lost) / _divisor(T1), counted)
        scale = ROUNDING * (reached + T + T1)
        centre = new_centre = _centre(robot, g, then)
        if g.floating is not None:
            momentum = Vec3.of([now[i] + x for i, x in zip(_linear(robot, g), pushed, strict=True)])
            turn = _rotation(robot, g, q1).inv() @ (_rotation(robot, g, q) @ momentum)
            new_centre = turn * (1.0 / g.mass)
        T1 = T1 - 0.5 * g.mass * centre.dot(centre)
        central = 0.5 * g.mass * new_centre.dot(new_centre)
        energy = _divisor(T1 + scale)
        change = (target - central - T1) / energy
        square = 1.0 + where(loss > HARD * reached, 0.0, where(change > ADDED, ADDED, change))
        s, k = _slowing(square, T1, central, _positive(target + loss * share), energy)
        _assign(robot, g, corrected, v1, s, centre, new_centre * k)
    return corrected


def _gained_by_weight(robot: Model, g: Group, dt: Scalar, q: Any, v: Vector, known: Scalar, free: Vector) -> Scalar:
    """Of fast steps on a fixed base: h f·v / 2, f of weight, less its work in T(q, v) + W, none if not `known`."""
    if g.floating is not None:
        return 0.0
    weight = gravity_forces(robot, q)
    rise = _dot(g.freedoms, weight, [known * (x + y) - x for x, y in zip(v, free, strict=True)])
    counted: Scalar = guard(_fastest(g, dt, free) > MOVING, 0.5 * dt * rise, 0.0)
    return counted


def _work_of_weight(
    robot: Model, g: Group, dt: Scalar, start: Any, jump: Vector, end: Any, growth: Scalar, counted: Scalar
) -> Scalar:
    """What is missing of the work of weight in a fast step without contacts, of which `counted` is in T*.

    Weight acts half a step apart from velocities: T + U - h v·∂U/∂q / 2 is kept.  The velocities at the end of the step
    will be multiplied by the square root of `growth`.
    """
    (q, v), (q1, v1) = start, end
    if g.floating is not None:
        return 0.0
    ahead = sqrt(where(growth > 0.0, where(growth > 1.0 + ADDED, 1.0 + ADDED, growth), 0.0) + LEAST)
    fallen = potential_energy_of(robot, g, q) - potential_energy_of(robot, g, q1)
    fallen = fallen + counted + 0.5 * dt * ahead * _dot(g.freedoms, gravity_forces(robot, q1), v1)
    touched = _dot(g.freedoms, jump, jump) > ROUNDING * _dot(g.freedoms, v, v)
    more: Scalar = guard(where(touched, 0.0, _fastest(g, dt, v)) > MOVING, fallen, 0.0)
    return more


def _fastest(g: Group, dt: Scalar, v: Vector) -> Scalar:
    """The largest motion of a joint in a step."""
    largest: Scalar = 0.0
    for i in g.freedoms:
        step = abs(dt * v[i])
        largest = where(step > largest, step, largest)
    return largest


def _slowing(square: Scalar, relative: Scalar, central: Scalar, most: Scalar, energy: Scalar) -> tuple[Scalar, Scalar]:
    """Factors of velocities relative to the centre of mass and of its own, for an energy of no more than `most`.

    They have the energies `relative`, to be multiplied by `square` if possible, and `central`; `energy` is `relative`
    or larger, if that is rounding.
    """
    fitting = 1.0 + (most - central - relative) / energy
    square = where(square > fitting, fitting, square)
    square = where(square < 1.0 - MOST, 1.0 - MOST, square)
    total = central + square * relative
    over = total > most
    share = where(over, most / where(over, _divisor(total), 1.0), 1.0)
    k = where(share > 0.0, sqrt(nonzero(share)), 0.0)
    return sqrt(square) * k, k


def _assign(robot: Model, g: Group, to: list[Scalar], v: Vector, s: Scalar, centre: Vec3, new_centre: Vec3) -> None:
    """s v, but with another velocity of the centre of mass."""
    for i in g.freedoms:
        to[i] = s * v[i]
    if g.floating is not None:
        for i, x, y in zip(_linear(robot, g), new_centre, centre, strict=True):
            to[i] = x + s * (v[i] - y)


def _centre(robot: Model, g: Group, momenta: Vector) -> Vec3:
    """The velocity of the centre of mass of what flies, in body axes."""
    if g.floating is None:
        return Vec3.zero()
    velocity: Vec3 = Vec3.of([momenta[i] for i in _linear(robot, g)]) * (1.0 / g.mass)
    return velocity


def _linear(robot: Model, g: Group) -> range:
    assert g.floating is not None
    start = robot.v_slices[g.floating].start
    return range(start + 3, start + 6)


def _rotation(robot: Model, g: Group, q: Any) -> Any:
    assert g.floating is not None
    return Quaternion(*q[robot.q_slices[g.floating]][3:]).as_rotation()


def _dot(at: Sequence[int], x: Vector, y: Vector) -> Scalar:
    return sum((x[i] * y[i] for i in at), 0.0)


def _divisor(x: Scalar) -> Scalar:
    return where(x > LEAST, x, 1.0)


def _positive(x: Scalar) -> Scalar:
    return where(x > 0.0, x, 0.0)
