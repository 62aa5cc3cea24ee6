"""The contacts and stops that a file describes: which shapes may touch, with which friction."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from sixvec.constraints.contacts.contact import ROLLS, SLIDES, SPINS, Contact, Obstacle, Stop, require_obstacles, stops
from sixvec.constraints.contacts.pair import PAIRS
from sixvec.constraints.contacts.rigid_groups import RigidGroups
from sixvec.distance.hulls import hull_of
from sixvec.distance.outermost import outermost
from sixvec.errors import ArgumentError, level_of_user, unknown
from sixvec.formats.budget import one_budget
from sixvec.formats.unsupported import Unsupported, UnsupportedPhysics
from sixvec.model import WORLD, ContactParameters, Geom, collision_pairs
from sixvec.model.geom import HalfSpace, Mesh, Polyhedron, Shape
from sixvec.model.surface import SOLIMP, SOLREF, combined
from sixvec.quoting import message
from sixvec.spatial import Vec3

if TYPE_CHECKING:
    from sixvec.robot import Robot

MOST_NAMES = 8
"""Pairs of shapes that a message lists."""


def file_contacts(robot: Robot, unsupported: Literal["raise", "warn"] = "raise") -> tuple[Contact, ...]:
    """The contacts of all shapes that may touch by the rules of the model: those of `sixvec.model.collision_pairs`.

    Shapes that no joint moves belong to the world, and come second.  Pairs of shapes for which there is no function
    raise an error that names them; with "warn" they are left out, and listed in the one warning about parameters of the
    file that rigid contacts do not have.

    >>> import sixvec
    >>> from sixvec.constraints.contacts import file_contacts
    >>> file_contacts(sixvec.load("planar_2r"))
    ()
    """
    if unsupported not in ("raise", "warn"):
        raise ArgumentError(f'file_contacts: unsupported={unsupported!r}; it is "raise" or "warn"')
    notes = _Notes(robot.model.name)
    contacts = _of_file(robot, unsupported, notes)
    notes.warn()
    return contacts


@one_budget()
def _of_file(robot: Robot, unsupported: str, notes: _Notes) -> tuple[Contact, ...]:
    model = robot.model
    groups = RigidGroups(model)
    found: list[Contact] = []
    lacking: list[str] = []
    for pair in collision_pairs(model):
        first, second = pair.first, pair.second
        if groups.of(first) is WORLD or isinstance(first.shape, HalfSpace):
            first, second = second, first
        if groups.of(first) is groups.of(second):
            continue  # an explicit pair of shapes that never move apart
        if not is_supported(first.shape, second.shape):
            lacking.append(f"{_name(first)} ({_kind(first)}) with {_name(second)} ({_kind(second)})")
            continue
        found.append(_contact(groups, first, second, pair.parameters, notes))
    if lacking and unsupported == "raise":
        raise ArgumentError(
            f"{model.name}: no contacts of these pairs of shapes: {_listed(lacking)}; exclude them in the file, or "
            'leave them out with contacts=file_contacts(robot, "warn")'
        )
    if lacking:
        notes.add(f"contacts of {_listed(lacking)}")
    return tuple(found)


def floor_contacts(robot: Robot, friction: float | None = None) -> tuple[Contact, ...]:
    """The collision shapes of the last moving links, such as feet, above a floor at z = 0.

    For files without a floor (URDF).  The friction is that of the shapes, or `friction`.

    >>> import sixvec
    >>> from dataclasses import replace
    >>> from sixvec.constraints.contacts import floor_contacts
    >>> from sixvec.geometry.rigid_body import Sphere
    >>> tip = sixvec.model.Geom("tip", Sphere(0.02))
    >>> floor_contacts(sixvec.Robot(replace(sixvec.load("planar_2r").model, geoms=(tip,))))
    (Contact(tip: Sphere on HalfSpace, friction 1),)
    """
    notes = _Notes(robot.model.name)
    contacts = _on_floor(robot, friction, notes)
    notes.warn()
    return contacts


@one_budget()
def _on_floor(robot: Robot, friction: float | None, notes: _Notes) -> tuple[Contact, ...]:
    model = robot.model
    groups, ground = RigidGroups(model), Geom("", HalfSpace())
    found = []
    for g in model.geoms:
        if not g.collision or not groups.is_last(g) or isinstance(g.shape, HalfSpace):
            continue
        if not is_supported(g.shape, ground.shape):
            raise ArgumentError(f"{model.name}: no contact of {_name(g)} ({_kind(g)}) with a floor")
        surface = g.surface if friction is None else replace(g.surface, friction=(friction, *g.surface.friction[1:]))
        found.append(_contact(groups, g, ground, combined(surface, replace(surface, margin=0.0)), notes))
    if not found:
        advice = "for other shapes: contacts=sixvec.constraints.contacts.floor(frames, shape)"
        raise ArgumentError(f"{model.name}: its last links have no collision shapes that could touch a floor; {advice}")
    return tuple(found)


def file_stops(robot: Robot) -> tuple[Stop, ...]:
    """The stops of all joints with one freedom and limits, unless the file switches limits off.

    >>> import sixvec
    >>> from sixvec.constraints.contacts import file_stops
    >>> len(file_stops(sixvec.load("panda")))
    7
    """
    notes = _Notes(robot.model.name)
    found = _stops(robot, notes)
    notes.warn()
    return found


def obstacles_of(robot: Robot, contacts: Any, limits: bool, where: str) -> tuple[Obstacle, ...]:
    """The values of `contacts=` ("file", "floor", a sequence or None) and `limits=` as contacts and stops.

    What rigid contacts do not have of the file is in one warning.

    >>> import sixvec
    >>> from sixvec.constraints.contacts.file_contacts import obstacles_of
    >>> len(obstacles_of(sixvec.load("panda"), None, True, "rollout"))
    7
    """
    if not isinstance(limits, bool):
        raise ArgumentError(f"{where}: limits must be True or False, not {limits!r}")
    notes = _Notes(robot.model.name)
    if isinstance(contacts, str):
        if contacts not in ("file", "floor"):
            raise ArgumentError(f"{where}: " + unknown("kind of contacts", contacts, ("file", "floor")))
        found: tuple[Obstacle, ...] = (
            _of_file(robot, "raise", notes) if contacts == "file" else _on_floor(robot, None, notes)
        )
    else:
        found = () if contacts is None else require_obstacles(robot.model, contacts)
    if limits:
        given = {c.joint for c in found if isinstance(c, Stop)}
        found = (*found, *(stop for stop in _stops(robot, notes) if stop.joint not in given))
    notes.warn()
    return found


def _stops(robot: Robot, notes: _Notes) -> tuple[Stop, ...]:
    model = robot.model
    if "limit" in model.simulation.disabled:
        return ()
    for t in model.tendons:
        if math.isfinite(t.forces.lower) or math.isfinite(t.forces.upper):
            notes.add(f"limits of the length of a tendon ({t.name})")
    for b in model.moving:
        if b.joint.nv > 1 and any(map(math.isfinite, (*b.limits.lower, *b.limits.upper))):
            notes.add(f"limits of a joint with {b.joint.nv} freedoms ({b.joint_label})")
        if b.limits.soft is not None:
            notes.add("soft limits of joints (margin, solreflimit, solimplimit)")
    return stops(robot)


def is_supported(first: Shape, second: Shape) -> bool:
    """Whether there is a function for the pair; a mesh counts as its convex hull.

    >>> from sixvec.geometry.rigid_body import Cylinder
    >>> from sixvec.model import HalfSpace
    >>> is_supported(Cylinder(0.1, 0.2), HalfSpace()), is_supported(Cylinder(0.1, 0.2), Cylinder(0.1, 0.2))
    (True, False)
    """
    kinds = [Polyhedron if isinstance(x, Mesh) else type(x) for x in (first, second)]
    return (kinds[0], kinds[1]) in PAIRS or (kinds[1], kinds[0]) in PAIRS


class _Notes:
    """What rigid contacts do not have of a file, for one warning."""

    def __init__(self, name: str) -> None:
        self._name, self._left_out = name, Unsupported()

    def add(self, what: str) -> None:
        if what not in (item.what for item in self._left_out.left_out):
            self._left_out.add(what)

    def warn(self) -> None:
        if self._left_out.left_out:
            text = f"{self._name}: contacts and stops are rigid, without {self._left_out.summary()}"
            warnings.warn(UnsupportedPhysics(message(text), self._left_out.left_out), stacklevel=level_of_user())


def _contact(groups: RigidGroups, first: Geom, second: Geom, p: ContactParameters, notes: _Notes) -> Contact:
    """The contact of two shapes, the second of which may belong to the world."""
    if p.solref != SOLREF or p.solimp != SOLIMP:
        notes.add("soft parameters (solref, solimp)")
    if any(p.solreffriction):
        notes.add("soft friction (solreffriction)")
    if p.friction[0] != p.friction[1] or p.friction[3] != p.friction[4]:
        notes.add("different friction along two axes (the smaller one is used)")
    slide, spin, roll = min(p.friction[:2]), p.friction[2], min(p.friction[3:])
    in_world = groups.of(second) is WORLD
    return Contact(
        first.frame,
        _shape(first, notes),
        _shape(second, notes),
        None if in_world else second.frame,
        slide if p.dimension >= SLIDES else 0.0,
        p.restitution,
        first.placement,
        groups.in_world(second) if in_world else second.placement,
        p.dimension,
        spin if p.dimension >= SPINS else 0.0,
        roll if p.dimension >= ROLLS else 0.0,
        p.margin,
    )


def _shape(g: Geom, notes: _Notes) -> Shape:
    """The shape, of a mesh or polyhedron its convex hull with a limited number of corners."""
    if not isinstance(g.shape, Mesh | Polyhedron):
        return g.shape
    corners, _ = hull_of(g.shape)
    kept, error = outermost(corners)
    if len(kept) < len(corners):
        notes.add(f"details of {_name(g)} smaller than {1e3 * error:.2g} mm ({len(kept)} of {len(corners)} corners)")
    return Polyhedron(tuple(Vec3(*x) for x in kept.tolist()))


def _name(g: Geom) -> str:
    return f'"{g.name}"' if g.name else f'a shape of "{g.frame}"'


def _kind(g: Geom) -> str:
    return type(g.shape).__name__.lower()


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"
