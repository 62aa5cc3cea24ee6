"""The possible contacts and the joint stops of a simulation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from sixvec.constraints.contacts.pair import point_count, require_pair
from sixvec.errors import ArgumentError, unknown
from sixvec.model import ContactParameters, Geom, Model, collision_pairs
from sixvec.model.coupling import is_coupled
from sixvec.model.geom import HalfSpace, Shape
from sixvec.model.position_limits import position_limits
from sixvec.model.surface import Surface, combined
from sixvec.spatial import Pose

if TYPE_CHECKING:
    from sixvec.robot import Robot


SLIDES, SPINS, ROLLS = 3, 4, 6
"""Dimensions from which a contact resists sliding, spinning and rolling."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A shape on a frame that may touch another shape: that of a frame `to`, or of the world if it is None.

    Shapes are Sphere (a point has radius zero), Capsule, Box and HalfSpace, at `placement` and `on_placement` in their
    frames.  `friction` is Coulomb's coefficient; `restitution` the fraction of the approach speed that an impact
    returns.

    A contact of `dimension` 1 has no friction, one of 3 resists sliding, 4 also spinning about the normal, by a moment
    of up to `spin` times the normal force, 6 also rolling, by up to `roll` times that force; both are lengths.  The
    shapes touch at a gap of `margin`: there MuJoCo's contacts are at rest, the softer the deeper.

    >>> from sixvec.constraints.contacts import Contact
    >>> from sixvec.geometry.rigid_body import Sphere
    >>> Contact("foot", Sphere(0.02))
    Contact(foot: Sphere on HalfSpace, friction 0.8)
    >>> Contact("foot", Sphere(0.02), dimension=4, spin=0.005).points
    1
    """

    frame: str
    shape: Shape
    on: Shape = field(default_factory=HalfSpace)
    to: str | None = None
    friction: float = 0.8
    restitution: float = 0.0
    placement: Pose = field(default_factory=Pose.identity)
    on_placement: Pose = field(default_factory=Pose.identity)
    dimension: int = 3
    spin: float = 0.0
    roll: float = 0.0
    margin: float = 0.0

    def __post_init__(self) -> None:
        require_pair(self.shape, self.on)
        if self.to == self.frame:
            raise ArgumentError(f"the contact of {self.frame} is with {self.to} itself; give another frame, or None")
        if not (_is_finite(self.friction) and self.friction >= 0.0):
            raise ArgumentError(f"friction {self.friction!r} of the contact of {self.frame}; it is zero or more")
        _require_restitution(self.restitution, f"the contact of {self.frame}")
        # Their checks are those of every surface.
        Surface((self.friction, self.spin, self.roll), self.dimension, self.margin)
        if self.dimension < SLIDES:
            object.__setattr__(self, "friction", 0.0)

    def __repr__(self) -> str:
        on = type(self.on).__name__ + (f" of {self.to}" if self.to else "")
        bounce = f", restitution {self.restitution:g}" if self.restitution else ""
        return f"Contact({self.frame}: {type(self.shape).__name__} on {on}, friction {self.friction:g}{bounce})"

    @property
    def points(self) -> int:
        """The largest number of its contact points."""
        return point_count(self.shape, self.on)

    @property
    def described(self) -> tuple[object, ...]:
        """All that determines its rows and its law."""
        return tuple(getattr(self, f.name) for f in fields(self))


@dataclass(frozen=True, slots=True)
class Stop:
    """The stops of a joint with one freedom, at its limits: they push and never pull.

    >>> from sixvec.constraints.contacts import Stop
    >>> Stop("elbow")
    Stop(joint='elbow', restitution=0.0)
    """

    joint: str
    restitution: float = 0.0

    def __post_init__(self) -> None:
        _require_restitution(self.restitution, f"the stop of {self.joint}")


Obstacle = Contact | Stop


def floor(
    frames: Iterable[str], shape: Shape, friction: float = 0.8, restitution: float = 0.0, pose: Pose | None = None
) -> tuple[Contact, ...]:
    """The same shape on several frames above a floor: the plane z = 0 of the world, or of `pose`.

    >>> from sixvec.constraints.contacts import floor
    >>> from sixvec.geometry.rigid_body import Sphere
    >>> len(floor(["left_foot", "right_foot"], Sphere(0.02)))
    2
    """
    place = pose or Pose.identity()
    return tuple(Contact(f, shape, friction=friction, restitution=restitution, on_placement=place) for f in frames)


def stops(robot: Robot, restitution: float = 0.0) -> tuple[Stop, ...]:
    """The stops of all joints with one freedom and limits.

    >>> import sixvec
    >>> from sixvec.constraints.contacts import stops
    >>> len(stops(sixvec.load("panda")))
    7
    """
    return tuple(Stop(b.joint_name or b.name, restitution) for b in robot.model.moving if _limited(b))


def shape_pairs(
    robot: Robot, friction: float | None = None, restitution: float | None = None, floor: bool = True
) -> tuple[Contact, ...]:
    """Contacts of all collision shapes that may touch by the rules of the model, and with a floor at z = 0.

    The rules are those of `sixvec.model.collision_pairs`.  A model with a plane in its world has a floor already and
    gets no other.  Friction and restitution are those of the shapes, unless they are given.  Shapes without a pair
    (meshes, cylinders) raise an error that names them.

    >>> import sixvec
    >>> from sixvec.constraints.contacts import shape_pairs
    >>> shape_pairs(sixvec.load("planar_2r"))
    ()
    """
    model = robot.model

    def made(shape: Geom, on: Geom, parameters: ContactParameters) -> Contact:
        mu = (parameters.friction[0] if parameters.dimension > 1 else 0.0) if friction is None else friction
        bounce = parameters.restitution if restitution is None else restitution
        return Contact(shape.frame, shape.shape, on.shape, on.frame, mu, bounce, shape.placement, on.placement)

    pairs = [made(p.second, p.first, p.parameters) for p in collision_pairs(model)]
    fixed = {None} | {b.name for b in model.bodies if not any(x.joint.nv for x in model.path(b.name))}
    geoms = [(g, model.frame(g.frame).body in fixed) for g in model.geoms if g.collision]
    if not floor or any(isinstance(g.shape, HalfSpace) and still for g, still in geoms):
        return tuple(pairs)
    ground = Geom("", HalfSpace())
    below = [
        replace(made(g, ground, combined(g.surface, ground.surface, model.contact.combination)), to=None)
        for g, still in geoms
        if not still and not isinstance(g.shape, HalfSpace)
    ]
    return (*below, *pairs)


def require_obstacles(model: Model, contacts: Any) -> tuple[Obstacle, ...]:
    """The value of `contacts=`, checked against a model."""
    if not isinstance(contacts, Sequence) or isinstance(contacts, str):
        raise ArgumentError(f"contacts must be a sequence of Contact and Stop, not a {type(contacts).__name__}")
    for c in contacts:
        if isinstance(c, Contact):
            model.frame(c.frame)
            if c.to is not None:
                model.frame(c.to)
        elif isinstance(c, Stop):
            stopped(model, c)
        else:
            raise ArgumentError(f"contacts must hold Contact and Stop, not {c!r}")
    return tuple(contacts)


def stopped(model: Model, stop: Stop) -> tuple[int, int, float, float]:
    """The indices of a stop's joint in q and in v, and its limits."""
    names = {b.joint_name or b.name: b for b in model.moving}
    if stop.joint not in names:
        raise ArgumentError(unknown("joint", stop.joint, names, model.name) + " (of a Stop)")
    b = names[stop.joint]
    if not _limited(b):
        raise ArgumentError(f'"{stop.joint}" of {model.name} has no stop; a joint with one freedom and limits has')
    at = model.q_slices[b.name].start
    if is_coupled(model):
        lower, upper = (limits[at] for limits in position_limits(model))
    else:
        lower, upper = (*b.limits.lower, -math.inf)[0], (*b.limits.upper, math.inf)[0]
    return at, model.v_slices[b.name].start, lower, upper


def _limited(b: Any) -> bool:
    limits = (*b.limits.lower, *b.limits.upper)
    return bool(b.joint.nq == b.joint.nv == 1 and any(map(math.isfinite, limits)))


def _require_restitution(e: float, whose: str) -> None:
    if not (_is_finite(e) and 0.0 <= e <= 1.0):
        raise ArgumentError(f"restitution {e!r} of {whose}; it is between 0 (no rebound) and 1 (all of it)")


def _is_finite(x: Any) -> bool:
    try:
        return math.isfinite(x)
    except TypeError:
        return False
