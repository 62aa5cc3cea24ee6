"""The energy of a robot over a step: what the forces give it, whatever the step and the speed.

The mass matrix changes as a robot moves.  Fictitious forces make up for that in continuous time, where they do no work;
in a step they do, an error of order h² that adds up, and that multiplies the energy once links turn by a radian in a
step.  Of a step from (q, v) to (q₁, v₁) through the middle position q_½, with joint impulses P = h f + Jᵀ p at q_½,

    T* = T(q, v) + P·v̄ + W,    v̄ = (v + v₁)/2,

is the kinetic energy that the impulses and gravity, with its work W, leave.  The velocities v₁ are multiplied by the
number that gives T*.  It is near 1 where the step resolves the motion, since T(q₁, v₁) - T* is of third order in the
velocities: nothing changes close to rest, and steps keep their order.  It is at most 2, and 0 if T* is negative.

W is  -h g(q_½)·v̄,  and V(q) - V(q₁) in steps so long that this differs: then no step adds energy at any speed.

What flies keeps its momenta: energies are those relative to the centre of mass, where gravity does no work, and what is
multiplied are the velocities relative to the rigid motion with the same linear and angular momentum, which are
orthogonal to it in the metric of M.  Only if these would lose more than `MOST` of their energy does the rigid motion
turn more slowly too.

A multiple of v₁ obeys loops, held frames and contacts that stick or slide, A v₁ = 0, if v₁ does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.gravity_forces import gravity_forces
from sixvec.algorithms.parts.factorization import inverse
from sixvec.algorithms.velocity import body_velocities
from sixvec.model import WORLD, Model
from sixvec.model.canonical import regrouped
from sixvec.model.coupling import coupling
from sixvec.scalar import Scalar, guard, where
from sixvec.sim.fixed_axes import Vector, mean_velocities
from sixvec.sim.groups import Group
from sixvec.spatial import Force, Quaternion, RigidInertia, Vec3
from sixvec.spatial.norm import nonzero, root

MOST = 0.1
"""Largest fraction of the energy relative to a rigid motion that is removed without slowing that motion."""

ADDED = 3.0
"""Largest fraction of the kinetic energy that is added: velocities are at most doubled."""

FAST = 0.02
"""Rad or m in a step, beyond which the work of gravity is the difference of the potential energies."""

SLIGHT = 1e-4
"""Kinetic energies below this fraction of the potential energy are less than its rounding in float32."""


def bounded(
    robot: Model,
    parts: Sequence[Group],
    dt: Scalar,
    start: tuple[Vector, Vector],
    half: Vector,
    end: tuple[Vector, Vector],
    impulse: Vector,
    touching: Scalar | None = None,
    resistance: Vector | None = None,
) -> list[Scalar]:
    """The velocities at the end of a step, with the energy that the step's impulses and gravity leave.

    `parts` are `groups(robot, prescribed, rolls, turning=True)`; joints of other groups keep their velocities.  The
    step leads from `start`, (q, v), through the positions `half` to `end`, (q₁, v₁).  `impulse` holds the impulses of
    joints at `half`, without gravity and inertia, and without those of loops and held frames, which do no work: h times
    the forces of motors, springs and wrenches as the step used them (an implicit damper: -d v₁), and Jᵀ p of contacts.

    From a step with contacts: move to q_½ = q ⊕ h v/2, take M, the forces, the gaps and their rows J there, solve
    v₁ = v + M⁻¹ (h f + Jᵀ p), move on to q₁ = q_½ ⊕ h v₁/2, and call `bounded(robot, parts, dt, (q, v), q_½, (q₁, v₁),
    h f + Jᵀ p, touching)`, f without gravity.  `touching`, 1 where a contact acts and 0 elsewhere, selects whether
    something on a free joint is slowed as a whole, so that contacts that stick or slide still do so, or keeps its
    momenta.  Before the positions move on, q₁ is `half` itself: then W is the work of weight at q_½.  A step that
    moves from q to q₁ with v₁ alone gives q as `half`: it loses energy of order h.

    `resistance` holds further impulses, which only take energy: those of explicit dampers, which may turn a velocity
    round within the step.

    >>> import sixvec
    >>> from sixvec.sim.groups import groups
    >>> arm = sixvec.load("planar_2r").with_gravity([0.0, 0.0, 0.0])    # a step that folds it, without forces
    >>> start, half, end = ([0.0, 1.0], [1.0, 2.0]), [0.05, 1.1], ([0.1, 1.2], [1.0, 2.0])
    >>> v1 = bounded(arm.model, groups(arm.model, (), turning=True), 0.1, start, half, end, [0.0, 0.0])
    >>> [round(float(arm.kinetic_energy(q, v)), 6) for q, v in (start, end, (end[0], v1))]
    [7.120907, 6.587073, 7.120907]
    """
    mean = mean_velocities(robot, start, half, end)
    before, after = (_motions(robot, parts, *state) for state in (start, end))
    energies = [a.energy + b.energy for a, b in zip(before, after, strict=True)]
    work = _gravity_works(robot, parts, dt, start, half, end, mean, energies, touching is not None)
    result = list(end[1])
    for g, a, b, W in zip(parts, before, after, work, strict=True):
        work_of_joints = sum((impulse[i] * mean[i] for i in g.freedoms), 0.0)
        for x in () if resistance is None else [resistance[i] * mean[i] for i in g.freedoms]:
            work_of_joints = work_of_joints + where(x < 0.0, x, 0.0)
        scaled: list[Scalar] = []
        if g.floating is None or touching is not None:
            factor = _factor(a.energy + work_of_joints + W, b.energy, 0.0, 1.0 + ADDED)
            scaled = [factor * end[1][i] for i in g.freedoms]
        if g.floating is not None:
            pushed = Vec3.of([impulse[i] for i in _linear(robot, g)])
            centre = (_turned(robot, g, start[0], half, a.centre) + _turned(robot, g, end[0], half, b.centre)) * 0.5
            target = a.energy - a.of_centre(g) + work_of_joints - pushed.dot(centre)
            flying = _flying(robot, g, end[1], b, target)
            scaled = flying if touching is None else _chosen(touching > 0.5, scaled, flying)
        for i, x in zip(g.freedoms, scaled, strict=True):
            result[i] = x
    return result


class _Motion(NamedTuple):
    """The kinetic energy of a group; of one that flies also its momentum and inertia, in axes of the free body."""

    energy: Scalar
    momentum: Force
    inertia: RigidInertia

    @property
    def centre(self) -> Vec3:
        """The velocity of the centre of mass, in body axes."""
        velocity: Vec3 = self.momentum.lin * (1.0 / self.inertia.mass)
        return velocity

    def of_centre(self, g: Group) -> Scalar:
        """The energy of the centre of mass."""
        return 0.5 * g.mass * self.centre.dot(self.centre)


def _motions(robot: Model, parts: Sequence[Group], q: Vector, v: Vector) -> list[_Motion]:
    c = coupling(robot)
    tree = regrouped(c.free)
    at, rates = JointVector(c.positions(q), tree.q_slices), JointVector(c.velocities(v), tree.v_slices)
    V = body_velocities(tree.bodies, at, rates)
    motions = []
    for g in parts:
        bodies = [b for b in tree.bodies if b.name in g.bodies]
        h: dict[str | None, Force] = {b.name: b.inertia @ V[b.name] for b in bodies}
        twice: Scalar = sum((V[b.name].dot(h[b.name]) for b in bodies), 0.0)
        rotors = (r * x * x for b in bodies for r, x in zip(b.armature, rates[b], strict=True))
        inertia: dict[str | None, RigidInertia] = {b.name: b.inertia for b in bodies}
        for b in reversed(bodies):
            if g.floating is not None and b.parent is not WORLD:
                X = b.pose_in_parent(at)
                h[b.parent], inertia[b.parent] = h[b.parent] + X @ h[b.name], inertia[b.parent] + X @ inertia[b.name]
        free = g.floating or bodies[0].name
        motions.append(_Motion(0.5 * (twice + sum(rotors, 0.0)), h[free], inertia[free]))
    return motions


def _gravity_works(
    robot: Model,
    parts: Sequence[Group],
    dt: Scalar,
    start: tuple[Vector, Vector],
    half: Vector,
    end: tuple[Vector, Vector],
    mean: Vector,
    energies: Sequence[Scalar],
    grounded: bool,
) -> list[Scalar]:
    """The work of gravity on each group; 0 for those that fly, relative to whose centre of mass it does none."""
    weight = gravity_forces(robot, half)
    works: list[Scalar] = []
    for g, energy in zip(parts, energies, strict=True):
        if g.floating is not None and not grounded:
            works.append(0.0)
            continue
        work = sum((weight[i] * mean[i] for i in g.freedoms), 0.0) * -dt
        fastest: Scalar = 0.0
        for i in g.freedoms:
            step = abs(dt * mean[i])
            fastest = where(step > fastest, step, fastest)
        if end[0] is half:
            works.append(work)
            continue
        U0, U1 = (potential_energy_of(robot, g, q) for q, _ in (start, end))
        precise = energy > SLIGHT * (abs(U0) + abs(U1))
        works.append(guard(fastest > FAST, where(precise, U0 - U1, work), work))
    return works


def potential_energy_of(robot: Model, g: Group, q: Vector) -> Scalar:
    """The potential energy of a group, up to a constant."""
    c = coupling(robot)
    tree = regrouped(c.free)
    at = JointVector(c.positions(q), tree.q_slices)
    bodies = [b for b in tree.bodies if b.name in g.bodies]
    mass: dict[str | None, Scalar] = {b.name: b.inertia.mass for b in bodies}
    moment: dict[str | None, Vec3] = {b.name: b.inertia.moment for b in bodies} | {WORLD: Vec3.zero()}
    for b in reversed(bodies):
        joint, weight = b.joint.pose(at[b]), mass[b.name]
        arm = b.placement.rot @ (joint.rot @ moment[b.name] + joint.pos * weight)
        if b.parent is not WORLD:  # where the root stands does not matter
            arm = arm + b.placement.pos * weight
            mass[b.parent] = mass[b.parent] + weight
        moment[b.parent] = moment[b.parent] + arm
    return -robot.gravity.dot(moment[WORLD])


def _flying(robot: Model, g: Group, v: Vector, m: _Motion, target: Scalar) -> list[Scalar]:
    """Velocities with the same momenta and, relative to the centre of mass, the energy `target`."""
    r = m.inertia.center
    L = m.momentum.ang - r.cross(m.momentum.lin)
    turn = Vec3.of([Vec3.of(row).dot(L) for row in inverse([[*row] for row in m.inertia.about_center.full.rows])])
    rigid = 0.5 * turn.dot(L)
    inner = m.energy - m.of_centre(g) - rigid
    s = _factor(target - rigid, inner, 1.0 - MOST, 1.0 + ADDED)
    k = _factor(target, rigid + s * s * inner, 0.0, 1.0)
    start = _linear(robot, g).start - 3
    carried, moved = [*turn, *(m.centre - turn.cross(r))], [*(turn * k), *(m.centre - turn.cross(r) * k)]
    rates = [v[i] for i in g.freedoms]
    at = g.freedoms.index(start)
    zeros = [0.0] * at, [0.0] * (len(rates) - at - 6)
    return [
        z + k * s * (x - y)
        for x, y, z in zip(rates, [*zeros[0], *carried, *zeros[1]], [*zeros[0], *moved, *zeros[1]], strict=True)
    ]


def _chosen(condition: Scalar, yes: Vector, no: Vector) -> list[Scalar]:
    return [where(condition, x, y) for x, y in zip(yes, no, strict=True)]


def _factor(target: Scalar, energy: Scalar, least: float, most: float) -> Scalar:
    """The factor of velocities that takes their energy to `target`, with its square between these."""
    square = where(energy > 0.0, target / nonzero(energy), 1.0)
    square = where(square > most, most, square)
    return root(where(square < least, least, square))


def _linear(robot: Model, g: Group) -> range:
    assert g.floating is not None
    start = robot.v_slices[g.floating].start
    return range(start + 3, start + 6)


def _turned(robot: Model, g: Group, q: Vector, to: Vector, x: Vec3) -> Vec3:
    """A vector in axes of the free body at q, in its axes at the positions `to`."""
    assert g.floating is not None
    at, there = (Quaternion(*p[robot.q_slices[g.floating]][3:]).as_rotation() for p in (list(q), list(to)))
    turned: Vec3 = there.inv() @ (at @ x)
    return turned
