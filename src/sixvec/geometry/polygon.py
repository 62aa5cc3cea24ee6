"""Flat polygons, convex or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from sixvec.errors import ArgumentError, DegenerateError
from sixvec.geometry.direction import Direction
from sixvec.geometry.plane import Plane
from sixvec.geometry.point import Point
from sixvec.geometry.segment import Segment
from sixvec.scalar import Scalar, certainly, where
from sixvec.spatial.norm import length
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import DRAWN, EQUAL

LEAST = 3


@dataclass(frozen=True, slots=True)
class Polygon:
    """The part of a plane inside a closed line through `corners`, the line included.

    The corners are in one plane to six digits, in order, counter-clockwise as seen from the tip of the `normal`.  Where
    the line crosses itself, a point is inside if the line goes around it, in whatever sense.  Bruyninckx §2.5.

    >>> from sixvec.geometry import Point, Polygon
    >>> table = Polygon.through([(0.0, 0.0, 1.0), (2.0, 0.0, 1.0), (2.0, 1.0, 1.0), (0.0, 1.0, 1.0)])
    >>> table.area, table.contains(Point(1.0, 0.5, 1.0)), table.distance_to(Point(1.0, 0.5, 3.0))
    (2.0, True, 2.0)
    """

    corners: tuple[Point, ...]

    def __post_init__(self) -> None:
        if len(self.corners) < LEAST:
            raise ArgumentError(f"a polygon has three corners or more, not {len(self.corners)}")
        area = self.area_vector
        size = reduce(lambda a, b: where(a < b, b, a), (length(p - self.corners[0]) for p in self.corners[1:]))
        if certainly(length(area) <= EQUAL * size * size):
            raise DegenerateError("the corners of this polygon are on one line, so it has no area")
        for i, p in enumerate(self.corners):
            gap = abs(area.dot(p - self.corners[0]))
            if certainly(gap > DRAWN * size * length(area)):
                off = f"corner {i} is {float(gap / length(area)):.3g} m outside it"
                raise DegenerateError(f"the corners of this polygon are not in one plane: {off}")

    @classmethod
    def through(cls, corners: Iterable[Iterable[Scalar]]) -> Polygon:
        """Through points or rows of three numbers."""
        return cls(tuple(Point.of(p) for p in corners))

    @property
    def edges(self) -> tuple[Segment, ...]:
        """From each corner to the next, the last one back to the first."""
        return tuple(Segment(a, b) for a, b in zip(self.corners, self.corners[1:] + self.corners[:1], strict=True))

    @property
    def area_vector(self) -> Vec3:
        """The area times the normal:  ½ Σ (p_i - p_0) × (p_{i+1} - p_0)."""
        first = self.corners[0]
        spokes = [p - first for p in self.corners[1:]]
        return sum((a.cross(b) * 0.5 for a, b in pairwise(spokes)), Vec3.zero())

    @property
    def area(self) -> Scalar:
        return length(self.area_vector)

    @property
    def normal(self) -> Direction:
        return Direction.from_vector(self.area_vector)

    @property
    def plane(self) -> Plane:
        return Plane.from_point(self.corners[0], self.normal)

    @property
    def centroid(self) -> Point:
        """The centre of its area."""
        first, n = self.corners[0], self.area_vector
        spokes = [p - first for p in self.corners[1:]]
        parts = [((a + b) * (1.0 / 3.0), 0.5 * a.cross(b).dot(n)) for a, b in pairwise(spokes)]
        moment: Vec3 = sum((c * w for c, w in parts), Vec3.zero())
        center: Point = first + moment * (1.0 / n.dot(n))
        return center

    def contains(self, point: Point) -> Scalar:
        """Whether the foot of a point on the plane is inside: the line winds around it.

        Points on an edge are inside or outside, as rounding decides; their distance is 0 in both cases.
        """
        n = self.area_vector
        winding: Scalar = 0.0
        for edge in self.edges:
            a, b = edge.start - point, edge.end - point
            side = n.dot(a.cross(b))
            # A ray along u, at right angles to n: edges that cross it upward count +1, downward -1.
            low, high = self._height(a), self._height(b)
            up = where(low > 0.0, 0.0, where(high > 0.0, where(side > 0.0, 1.0, 0.0), 0.0))
            down = where(low > 0.0, where(high > 0.0, 0.0, where(side < 0.0, 1.0, 0.0)), 0.0)
            winding = winding + up - down
        return abs(winding) > 0.5

    def _height(self, r: Vec3) -> Scalar:
        """The coordinate of a vector along the first edge's normal within the plane."""
        return self.area_vector.cross(self.corners[1] - self.corners[0]).dot(r)

    def nearest(self, point: Point) -> Point:
        """The point of the polygon that is nearest to another: its foot on the plane, or a point of an edge."""
        foot, best = self.plane.closest_point_to(point), self.nearest_on_boundary(point)
        inside = self.contains(point)
        return Point.of(where(inside, a, b) for a, b in zip(foot, best, strict=True))

    def nearest_on_boundary(self, point: Point) -> Point:
        """The nearest point of the edges."""
        best, least = None, None
        for edge in self.edges:
            p = edge.nearest(point)
            d = point - p
            square = d.dot(d)
            if best is None:
                best, least = p, square
                continue
            nearer = square < least
            best = Point.of(where(nearer, a, b) for a, b in zip(p, best, strict=True))
            least = where(nearer, square, least)
        assert best is not None
        return best

    def distance_to(self, point: Point) -> Scalar:
        """The least distance to a point, 0 on the polygon."""
        return length(point - self.nearest(point))

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Polygon:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        return Polygon(tuple(c.moved(R, p) for c in self.corners))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Polygon:
        return Polygon(tuple(c.moved_back(R, p) for c in self.corners))
