"""Free joints at the centre of mass of all that they carry, where flight is straight and energy is kept exactly.

A free joint has v = (ω, v) at the origin of its body.  At the point r of the body, (ω, u) with  u = v + ω × r.  If r is
the centre of mass, the kinetic energy of a body is  ½ m u² + ½ ω·I ω: a step that moves the centre of mass straight and
turns the body about it keeps this energy, whereas one that moves another point straight does not, because the centre of
mass then goes round that point.  Of a robot on a free joint, r is its centre of mass at the start of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.model import Body, Model
from sixvec.scalar import certainly
from sixvec.sim.fixed_axes import Vector
from sixvec.spatial import Quaternion, RigidInertia, Vec3

Centres = dict[str, Vec3]
"""The point r of each free joint, by the name of its body; a joint that is not listed has the origin."""


def carriers(robot: Model, prescribed: Sequence[int]) -> list[Body]:
    """Bodies on free joints that carry others: their centre of mass depends on the other joints."""
    return [b for b in _free(robot, prescribed) if robot.children(b.name)]


def centres(robot: Model, prescribed: Sequence[int], of_carriers: Sequence[Vec3]) -> Centres:
    """The centres of mass of free joints without driven coordinates: of single bodies constant, of others given."""
    centre_of = {b.name: b.inertia.center for b in _free(robot, prescribed) if not robot.children(b.name)}
    return centre_of | {b.name: r for b, r in zip(carriers(robot, prescribed), of_carriers, strict=True)}


def carried_centre(robot: Model, b: Body, M: Sequence[Sequence[Any]]) -> Vec3:
    """The centre of mass of a body on a free joint and all that it carries, from the mass matrix."""
    at = robot.v_slices[b.name]
    mass = _mass(robot, b)
    moment = RigidInertia.from_matrix([row[at] for row in M[at]]).moment
    centre: Vec3 = moment * (1.0 / mass)
    return centre


def at_centres(robot: Model, v: Vector, places: Centres) -> Vector:
    """(ω, v + ω × r) of free joints; of others v.  Velocities, or their rates in body axes."""
    return _linear(robot, v, lambda b, w, u: u + w.cross(places[b.name]) if b.name in places else u)


def at_origins(robot: Model, v: Vector, places: Centres) -> Vector:
    """The inverse of `at_centres`."""
    return _linear(robot, v, lambda b, w, u: u - w.cross(places[b.name]) if b.name in places else u)


def positions_at(robot: Model, q: Vector, places: Centres, sign: float) -> Vector:
    """q with the positions p + sign R r of free joints."""
    q = list(q)
    for b in robot.moving:
        if b.name in places:
            values = q[robot.q_slices[b.name]]
            p = Vec3.of(values[:3]) + Quaternion(*values[3:]).as_rotation() @ (places[b.name] * sign)
            q[robot.q_slices[b.name]] = [*p, *values[3:]]
    return q


def _free(robot: Model, prescribed: Sequence[int]) -> list[Body]:
    return [
        b
        for b in robot.moving
        if b.joint.is_free and not certainly(_mass(robot, b) == 0.0)
        and not _is_driven(robot, b, prescribed)
    ]  # fmt: skip


def _is_driven(robot: Model, b: Body, prescribed: Sequence[int]) -> bool:
    return any(i in prescribed for i in range(robot.nv)[robot.v_slices[b.name]])


def _mass(robot: Model, b: Body) -> Any:
    return sum(c.inertia.mass for c in robot.subtree(b.name))


def _linear(robot: Model, v: Vector, changed: Callable[[Body, Vec3, Vec3], Vec3]) -> Vector:
    result = list(v)
    for b in robot.moving:
        if b.joint.is_free:
            start = robot.v_slices[b.name].start
            w, u = (Vec3.of(result[i : i + 3]) for i in (start, start + 3))
            result[start + 3 : start + 6] = [*changed(b, w, u)]
    return result
