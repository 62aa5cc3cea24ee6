"""Overlaps of two free bodies, corrected with their momenta, their angular momentum and their energy.

A correction moves and turns the two bodies relative to each other.  At the same velocities this would change their
angular momentum L about their common centre of mass.  So velocities are split into the rigid motion that carries L,
with angular velocity Ω = J⁻¹ L for the inertia J of both bodies together, and the rest, which carries no momentum and
whose energy adds to that of the rigid motion.  After the correction the rigid motion is that of the old L, and the
rest is multiplied by the number near 1 that gives the old energy.  At points of contact rigid motions have no relative
velocity: those that stick or stay together do so afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from sixvec.constraints.contacts.contact import Contact
from sixvec.model import Body, Model
from sixvec.scalar import Scalar, guard, sqrt, where
from sixvec.sim.fixed_axes import Vector, moved
from sixvec.sim.free_rotation import single_bodies, turning_of
from sixvec.spatial import Quaternion, Rotation, Sym3, Vec3
from sixvec.spatial.linear import solve_symmetric
from sixvec.tolerances import ROUNDING

MOST_ADDED = 2.0
"""The largest factor of the energy of the rest."""


class Lift(NamedTuple):
    """A correction of two bodies."""

    pair: tuple[Body, Body]
    up: Vector
    """The motion of all joints, in the coordinates of `sixvec.sim.fixed_axes`: of others than the pair zero."""
    on: Scalar
    """Whether there is any (1 or 0)."""


Pair = tuple[tuple[Body, Body], list[int]]
"""Two single free bodies, and the numbers of the points where they may touch."""


def free_pairs(robot: Model, contacts: Sequence[Contact | None]) -> list[Pair]:
    """The pairs among the bodies of contacts; there is one contact for each point, or None for a stop."""
    single = {b.name: b for b in single_bodies(robot) if b.joint.is_free}
    found: dict[tuple[str, str], list[int]] = {}
    for k, c in enumerate(contacts):
        names = sorted(str(robot.frame(f).body) for f in (c.frame, c.to) if f is not None) if c else []
        if len(names) == 2 and all(n in single for n in names):
            found.setdefault((names[0], names[1]), []).append(k)
    return [((single[a], single[b]), points) for (a, b), points in found.items()]


def lifts_of(
    pairs: Sequence[Pair], pushed: Sequence[Scalar], points: Iterable[int], motion: Callable[[list[int]], Vector]
) -> tuple[Vector, list[Lift]]:
    """The motion of all points but those of pairs, and the lifts of these; `motion` is that of some points."""
    paired = {k for _, points in pairs for k in points}
    lifts = [
        Lift(pair, motion(points), where(sum(pushed[k] for k in points) > 0.0, 1.0, 0.0)) for pair, points in pairs
    ]
    return motion([k for k in points if k not in paired]), lifts


def lifted(robot: Model, lifts: Sequence[Lift], q: Vector, rates: Vector) -> tuple[Vector, Vector]:
    """Positions and rates after all corrections, one after the other; free joints are at their centres of mass."""
    for lift in lifts:
        ahead, new = moved(robot, q, lift.up), list(rates)
        _keep_momentum(robot, lift.pair, q, ahead, rates, new)
        q, rates = guard(lift.on > 0.5, [list(ahead), new], [list(q), list(rates)])
    return q, rates


def _keep_momentum(
    robot: Model, pair: tuple[Body, Body], q: Vector, ahead: Vector, rates: Vector, new: list[Any]
) -> None:
    masses = [b.inertia.mass for b in pair]
    inertias = [b.inertia.about_center for b in pair]
    total = masses[0] + masses[1]
    reduced = masses[0] * masses[1] / total
    spins = [Vec3.of(rates[turning_of(robot, b)]) for b in pair]
    slides = [Vec3.of(rates[_sliding(robot, b)]) for b in pair]
    between, common = slides[0] - slides[1], (slides[0] * masses[0] + slides[1] * masses[1]) * (1.0 / total)
    moments = [I @ w for I, w in zip(inertias, spins, strict=True)]
    energy = 0.5 * (reduced * between.dot(between) + sum(L.dot(w) for L, w in zip(moments, spins, strict=True)))

    def momentum(turns: Sequence[Rotation], r: Vec3) -> Vec3:
        about: Vec3 = turns[0] @ moments[0] + turns[1] @ moments[1] + r.cross(between) * reduced
        return about

    (before, apart), (turns, r) = (_configuration(robot, pair, x) for x in (q, ahead))
    kept, changed = momentum(before, apart), momentum(turns, r)
    J = _inertia(turns, inertias, r, reduced)
    was, now = (solve_symmetric(J, L) for L in (changed, kept))
    rest, rigid = energy - 0.5 * changed.dot(was), 0.5 * kept.dot(now)
    left = energy - rigid
    some = rest > ROUNDING * energy
    square = where(some, left / where(some, rest, 1.0), 1.0)
    square = where(square > 0.0, where(square < MOST_ADDED, square, MOST_ADDED), 0.0)
    s = sqrt(square)
    most = square * where(rest > 0.0, rest, 0.0) + rigid
    k = sqrt(where(most > energy, energy / where(most > energy, most, 1.0), 1.0))
    relative = ((between - was.cross(r)) * s + now.cross(r)) * k
    for b, R, w, share in zip(pair, turns, spins, (masses[1] / total, -masses[0] / total), strict=True):
        turning = (w - R.inv() @ was) * s + R.inv() @ now
        new[turning_of(robot, b)] = [*(turning * k)]
        new[_sliding(robot, b)] = [*(common + relative * share)]


def _configuration(robot: Model, pair: tuple[Body, Body], q: Vector) -> tuple[list[Rotation], Vec3]:
    """The rotations of both bodies, and the vector from the second centre of mass to the first."""
    values = [q[robot.q_slices[b.name]] for b in pair]
    turns = [Quaternion(*x[3:]).as_rotation() for x in values]
    return turns, Vec3.of(values[0][:3]) - Vec3.of(values[1][:3])


def _inertia(turns: Sequence[Rotation], inertias: Sequence[Sym3], r: Vec3, reduced: Scalar) -> Sym3:
    """The inertia of both bodies together about their common centre of mass."""
    x = r * reduced
    yy = x.dot(r)
    J = Sym3(yy - x.x * r.x, -x.x * r.y, -x.x * r.z, yy - x.y * r.y, -x.y * r.z, yy - x.z * r.z)
    for R, I in zip(turns, inertias, strict=True):
        J = J + R.turn_symmetric(I)
    return J


def _sliding(robot: Model, b: Body) -> slice:
    start = robot.v_slices[b.name].start
    return slice(start + 3, start + 6)
