"""Segments: the part of a line between two points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.geometry.point import Point
from sixvec.scalar import Scalar, where
from sixvec.spatial.norm import length
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

PARALLEL = 1e-28
"""Squared sine below which two segments count as parallel."""

SHORT = 1e-24
"""Squared length, in m², below which a segment is a point."""


@dataclass(frozen=True, slots=True)
class Segment:
    """All points between `start` and `end`, both included; they may be one point.  Bruyninckx §2.5.

    >>> from sixvec.geometry import Point, Segment
    >>> rod = Segment(Point(0.0, 0.0, 0.0), Point(2.0, 0.0, 0.0))
    >>> rod.nearest(Point(3.0, 1.0, 0.0)), rod.distance_to(Point(1.0, 0.0, 5.0))
    (Point(x=2.0, y=0.0, z=0.0), 5.0)
    """

    start: Point
    end: Point

    def __iter__(self) -> Iterator[Point]:
        return iter((self.start, self.end))

    @property
    def length(self) -> Scalar:
        return self.start.distance_to(self.end)

    @property
    def along(self) -> Vec3:
        """The vector from start to end."""
        return self.end - self.start

    def at(self, share: Scalar) -> Point:
        """The point at this share of the way, 0 the start and 1 the end."""
        point: Point = self.start + self.along * share
        return point

    def nearest(self, point: Point) -> Point:
        """The point of the segment that is nearest to another."""
        return self.at(nearest_part(self.along, point - self.start))

    def nearest_points(self, other: Segment) -> tuple[Point, Point]:
        """The points of both that are nearest to each other; of parallel segments one of many such pairs.

        >>> from sixvec.geometry import Point, Segment
        >>> a = Segment(Point(0.0, 0.0, 0.0), Point(2.0, 0.0, 0.0))
        >>> b = Segment(Point(1.0, -1.0, 3.0), Point(1.0, 1.0, 3.0))
        >>> a.nearest_points(b)
        (Point(x=1.0, y=0.0, z=0.0), Point(x=1.0, y=0.0, z=3.0))
        """
        s, t = nearest_parts(self.along, other.along, self.start - other.start)
        return self.at(s), other.at(t)

    def distance_to(self, other: Point | Segment) -> Scalar:
        """The least distance to a point or to another segment."""
        if isinstance(other, Segment):
            p, q = self.nearest_points(other)
            return length(q - p)
        if not isinstance(other, Point):
            raise TypeError(f"a segment has a distance to a Point or a Segment, not to a {type(other).__name__}")
        return length(other - self.nearest(other))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Segment:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        return Segment(self.start.moved(R, p), self.end.moved(R, p))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Segment:
        return Segment(self.start.moved_back(R, p), self.end.moved_back(R, p))


def nearest_part(w: Vec3, r: Vec3) -> Scalar:
    """t in [0, 1] for which  r - t w  is shortest.

    >>> nearest_part(Vec3(2.0, 0.0, 0.0), Vec3(1.0, 7.0, 0.0))
    0.5
    """
    return _clamped(w.dot(r) * inverse(w.dot(w)))


def nearest_parts(u: Vec3, w: Vec3, r: Vec3) -> tuple[Scalar, Scalar]:
    """s and t in [0, 1] for which  r + s u - t w  is shortest: the closest points of segments (Ericson 2005, 5.1.9).

    The products of cross products, instead of differences of products of lengths, stay accurate for axes that are
    nearly parallel.

    >>> nearest_parts(Vec3(2.0, 0.0, 0.0), Vec3(0.0, 2.0, 0.0), Vec3(-1.0, 0.0, 5.0))
    (0.5, 0.0)
    """
    across = u.cross(w)
    cross, uw, ww, uu = across.dot(across), u.dot(w), w.dot(w), u.dot(u)
    skew = cross > PARALLEL * uu * ww
    s = _clamped(where(skew, across.dot(w.cross(r)) / where(skew, cross, 1.0), 0.0))
    t = _clamped((uw * s + w.dot(r)) * inverse(ww))
    return _clamped((uw * t - u.dot(r)) * inverse(uu)), t


def _clamped(x: Scalar) -> Scalar:
    return where(x < 0.0, 0.0, where(x > 1.0, 1.0, x))


def inverse(square: Scalar) -> Scalar:
    """1 / square, and 0 for a segment that is a point.

    >>> inverse(4.0), inverse(0.0)
    (0.25, 0.0)
    """
    return where(square > SHORT, 1.0 / where(square > SHORT, square, 1.0), 0.0)
