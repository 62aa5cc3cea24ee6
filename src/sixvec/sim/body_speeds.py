"""How fast points of bodies move relative to each other, and balls around shapes: which pairs can meet in a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.parts.places import Places
from sixvec.constraints.contacts.contact import Contact
from sixvec.distance.shapes import of_geom
from sixvec.model.geom import Geom, HalfSpace
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Motion, Vec3


class BodySpeeds:
    """Bounds of the speeds of points of bodies."""

    def __init__(self, places: Places, v: Sequence[Any]) -> None:
        self._places = places
        self._rates = places.rates(v)
        self._known: dict[str | None, Motion] = {None: Motion.zero()}
        self._common: Vec3 | None = None

    def _of(self, name: str | None) -> Motion:
        if name not in self._known:
            b = self._places.model.by_name[name]  # type: ignore[index]
            velocity = self._of(b.parent)
            at = range(*self._places.model.v_slices[b.name].indices(self._places.model.nv))
            for i, S in zip(at, self._places.axes(b.name), strict=True):
                velocity = velocity + S * self._rates[i]
            self._known[name] = velocity
        return self._known[name]

    def _frame(self, name: str | None) -> Motion:
        return self._of(None if name is None else self._places.model.frame(name).body)

    def at(self, c: Contact, point: Vec3) -> Scalar:
        """The relative speed of the two bodies at a point."""
        d = (self._frame(c.frame) - self._frame(c.to)).at(point)
        return sqrt(d.dot(d) + 1e-30)

    def motions(self, c: Contact) -> tuple[Motion, Motion]:
        """The velocities of both bodies."""
        return self._frame(c.frame), self._frame(c.to)

    def largest(self, contacts: Sequence[Contact]) -> Scalar:
        """A bound of the speed in the world of all points of their shapes, but of half spaces."""
        most: Scalar = 0.0
        for c in contacts:
            for frame, placement, shape in ((c.frame, c.placement, c.shape), (c.to, c.on_placement, c.on)):
                if isinstance(shape, HalfSpace):
                    continue
                (centre, radius), V = bounding_ball(shape), self._frame(frame)
                d = V.at((self._places.pose(frame) @ placement) * centre)
                speed = sqrt(d.dot(d) + 1e-30) + radius * sqrt(V.ang.dot(V.ang) + 1e-30)
                most = where(speed > most, speed, most)
        return most

    def most_relative(self, c: Contact, centres: Sequence[Vec3], radii: Sequence[float]) -> Scalar:
        """A larger bound than `relative`, from numbers of each ball alone: quick to compute for many pairs.

        They are speeds relative to the first ball that is asked for: a robot may fly fast.
        """
        if self._common is None:
            self._common = self._frame(c.frame).at(centres[0])
        total: Scalar = 0.0
        for frame, centre, r in zip((c.frame, c.to), centres, radii, strict=True):
            V = self._frame(frame)
            d = V.at(centre) - self._common
            total = total + (sqrt(d.dot(d) + 1e-30) + r * sqrt(V.ang.dot(V.ang) + 1e-30))
        return total

    def relative(self, c: Contact, centres: Sequence[Vec3], radii: Sequence[float]) -> Scalar:
        """A bound of the relative speed of any two points of two balls."""
        first, second = self._frame(c.frame), self._frame(c.to)
        d = first.at(centres[0]) - second.at(centres[1])
        speed = sqrt(d.dot(d) + 1e-30)
        for V, r in zip((first, second), radii, strict=True):
            speed = speed + r * sqrt(V.ang.dot(V.ang) + 1e-30)
        return speed


def bounding_ball(shape: Any) -> tuple[Vec3, float]:
    """The centre and the radius of a ball around a shape."""
    centre, radius = of_geom(Geom("", shape), "").bounding_ball()
    return Vec3(*centre.tolist()), radius
