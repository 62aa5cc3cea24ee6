"""The rows of contacts: gaps, and how joint velocities change the distance and the slip at each point.

A point of contact has three rows, along its normal and along two tangents that complete a right-handed frame; a stop
has one.  With v the joint velocities, J v is the velocity of the first body relative to the second, and the impulses p
along the rows act on the robot as Jᵀ p.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sixvec.algorithms.parts.places import Places
from sixvec.constraints.contacts.contact import ROLLS, SPINS, Contact, Obstacle, Stop, stopped
from sixvec.constraints.contacts.pair import touches
from sixvec.distance.pairs.touch import Touch
from sixvec.model import Model
from sixvec.scalar import Scalar, where
from sixvec.spatial import Motion, Vec3


@dataclass(frozen=True, slots=True)
class Rows:
    """One point of contact, or one stop: its gap, its rows of J (normal first), and its laws.

    Contacts that resist spinning and rolling also have the `turning` rows: the angular velocity along the same axes.
    """

    gap: Scalar
    jacobian: list[list[Any]]
    friction: float
    restitution: float
    turning: list[list[Any]] = field(default_factory=list)
    room: Scalar | None = None
    """Of a joint with two stops, how far it is from the other one."""


def contact_rows(
    model: Model, q: Sequence[Scalar], contacts: Sequence[Obstacle], way: Sequence[Scalar] = ()
) -> list[Rows]:
    """The rows of all points of all contacts at q, in order; traced and differentiable.

    `way` is how far the joints will move: of two stops the one that is nearer then has the row.
    """
    places = Places(model, q)
    blocks: list[Rows] = []
    for c in contacts:
        if isinstance(c, Stop):
            blocks.append(_stop_rows(model, q, c, way))
        else:
            first, second = places.pose(c.frame) @ c.placement, places.pose(c.to) @ c.on_placement
            for touch in touches(c.shape, first, c.on, second):
                gap = touch.gap - c.margin if c.margin else touch.gap
                jacobian, turning = contact_jacobian(places, touch, c)
                blocks.append(Rows(gap, jacobian, c.friction, c.restitution, turning))
    return blocks


def tangents(n: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors that complete a unit vector to a right-handed frame, for every n (Duff et al. 2017).

    >>> tangents(Vec3(0.0, 0.0, 1.0))
    (Vec3(x=1.0, y=0.0, z=0.0), Vec3(x=0.0, y=1.0, z=0.0))
    """
    s = where(n.z < 0.0, -1.0, 1.0)
    a = -1.0 / (s + n.z)
    b = n.x * n.y * a
    return Vec3(s * n.x * n.x * a + 1.0, s * b + 0.0, 0.0 - s * n.x), Vec3(b + 0.0, s + n.y * n.y * a, 0.0 - n.y)


def contact_jacobian(places: Places, touch: Touch, contact: Contact) -> tuple[list[list[Any]], list[list[Any]]]:
    """The velocity of the first frame's body at the point, relative to the second's, along normal and tangents.

    Of contacts that resist spinning and rolling also the angular velocity about these axes.
    """
    model, directions = places.model, (touch.normal, *tangents(touch.normal))
    rows: list[list[Any]] = [[0.0] * model.nv for _ in directions]
    turning: list[list[Any]] = [[0.0] * model.nv for _ in directions[: turning_rows(contact)]]
    for i, S, sign in moving_axes(places, contact):
        at = S.at(touch.point)
        for row, d in zip(rows, directions, strict=True):
            row[i] = d.dot(at) * sign
        for row, d in zip(turning, directions, strict=False):
            row[i] = d.dot(S.ang) * sign
    return [places.reduced(row) for row in rows], [places.reduced(row) for row in turning]


def turning_rows(contact: Contact) -> int:
    """How many rows resist spinning (1) and rolling (2 more)."""
    return 3 if contact.dimension >= ROLLS else 1 if contact.dimension >= SPINS else 0


def moving_axes(places: Places, contact: Contact) -> Iterator[tuple[int, Motion, float]]:
    """The joint axes that move the two bodies of a contact differently: index, axis in the world, and its sign."""
    model = places.model
    paths = [model.path(None if f is None else model.frame(f).body) for f in (contact.frame, contact.to)]
    shared = sum(a is b for a, b in zip(*paths, strict=False))  # joints before the branches move both alike
    for path, sign in zip(paths, (1.0, -1.0), strict=True):
        for b in path[shared:]:
            for i, S in zip(range(model.nv)[model.v_slices[b.name]], places.axes(b.name), strict=True):
                yield i, S, sign


def _stop_rows(model: Model, q: Sequence[Scalar], stop: Stop, way: Sequence[Scalar]) -> Rows:
    """The nearer of the two stops after a way."""
    at, i, lower, upper = stopped(model, stop)
    below, above = q[at] - lower, upper - q[at]
    row: list[Any] = [0.0] * model.nv
    if upper == float("inf"):
        row[i] = 1.0
        return Rows(below, [row], 0.0, stop.restitution)
    if lower == float("-inf"):
        row[i] = -1.0
        return Rows(above, [row], 0.0, stop.restitution)
    ahead = 2.0 * way[i] if way else 0.0
    at_lower = below + ahead < above
    row[i] = where(at_lower, 1.0, -1.0)
    room = where(at_lower, above, below)
    return Rows(where(at_lower, below, above), [row], 0.0, stop.restitution, room=room)
