"""Groups of bodies whose energies are separate: trees, or several connected by loops or mimic joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sixvec.model import WORLD, Closure, Model


@dataclass(frozen=True)
class Group:
    """A tree of bodies, or several connected by loops or mimic joints."""

    freedoms: tuple[int, ...]
    floating: str | None
    """The body on a free joint that carries all others, if the group can fly."""
    mass: Any
    bodies: tuple[str, ...] = field(default=(), compare=False)


def groups(
    robot: Model, prescribed: Sequence[int], rolls: bool = False, turning: bool = False, single: bool = False
) -> list[Group]:
    """The groups without driven joints whose mass matrix changes; with `turning`, single bodies that rotate freely too.

    The mass matrix of a single body in its own axes is constant; `single` lists those on other joints too.
    Nothing flies if the robot `rolls` on wheels: velocities that roll do so times any number, but not
    with another velocity of the centre of mass.

    >>> import sixvec
    >>> [(len(g.freedoms), g.floating is not None) for g in groups(sixvec.load("solo12").model, ())]
    [(18, True)]
    >>> [g.freedoms for g in groups(sixvec.load("four_bar").model, ())]
    [(0, 1, 2)]
    """
    root = {b.name: robot.path(b.name)[0].name for b in robot.bodies}
    joined: dict[str | None, set[str | None]] = {r: {r} for r in (WORLD, *root.values())}

    def join(bodies: Sequence[str | None]) -> None:
        ends = [root[b] if b is not WORLD else WORLD for b in bodies]
        together = set[str | None]().union(*(joined[x] for x in ends))
        for x in together:
            joined[x] = together

    for c in robot.closures:
        tied = [robot.frame(f).body for f in (c.first, c.second)] if isinstance(c, Closure) else [b for b, _ in c.terms]
        join(tied)
    for b in robot.bodies:
        if b.mimic:
            join([b.name, b.mimic.leader])
    listed, seen = [], set[str | None]()
    for r in robot.children(WORLD):
        if r.name in seen:
            continue
        names = joined[r.name]
        seen |= names
        bodies = [b for b in robot.bodies if root[b.name] in names]
        freedoms = [i for b in robot.moving if b in bodies for i in range(robot.nv)[robot.v_slices[b.name]]]
        constant = (
            len(bodies) == 1 and not any(r.armature) and not (single or (turning and r.joint.quaternion is not None))
        )
        if constant or not freedoms or any(i in prescribed for i in freedoms):
            continue
        flies = len(names) == 1 and r.joint.is_free and not any(r.armature) and not rolls
        mass = sum(b.inertia.mass for b in bodies)
        listed.append(Group(tuple(freedoms), r.name if flies else None, mass, tuple(b.name for b in bodies)))
    return listed
