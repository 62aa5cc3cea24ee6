"""Directions: unit vectors, sense included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, arctan2, certainly, is_symbolic, like, sqrt, where
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.norm import PARALLEL_SINE, largest, length, nonzero, precise_cross
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

_LARGE = 1e9
"""Its fourth power, and that of its inverse, do not overflow or underflow in float32."""


@dataclass(frozen=True, slots=True)
class Direction:
    """A point of the unit sphere; d and -d are different.

    Directions have no sum: their distance is the angle between them, along a great circle.  The length is assumed to be
    1; only `from_vector` normalises.  A pose rotates a direction and does not translate it.  Bruyninckx §2.3.

    >>> from sixvec.geometry import Direction
    >>> x, y = Direction(1.0, 0.0, 0.0), Direction(0.0, 1.0, 0.0)
    >>> x.angle_to(y)
    1.5707963267948966
    >>> x.angle_to(-x)
    3.141592653589793
    """

    x: Scalar
    y: Scalar
    z: Scalar

    @classmethod
    def of(cls, xyz: Iterable[Scalar]) -> Direction:
        """From three numbers whose squares sum to one."""
        x, y, z = xyz
        return cls(x, y, z)

    @classmethod
    def from_vector(cls, v: Vec3) -> Direction:
        """v / |v|, of any length.  The zero vector has no direction: an error on plain numbers, and (0, 0, 0) in arrays
        and traced code.

        >>> from sixvec.geometry import Direction
        >>> from sixvec.spatial import Vec3
        >>> Direction.from_vector(Vec3(0.0, 3e200, 4e200))
        Direction(x=0.0, y=0.6000000000000001, z=0.8)
        """
        if all(certainly(x == 0.0) for x in v):
            raise DegenerateError("the zero vector has no direction; test for it first, or keep the vector itself")
        v = _of_middling_size(v)
        k = 1.0 / sqrt(nonzero(v.dot(v)))
        return cls(v.x * k, v.y * k, v.z * k)

    @property
    def vec(self) -> Vec3:
        return Vec3(self.x, self.y, self.z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __neg__(self) -> Direction:
        return Direction(-self.x, -self.y, -self.z)

    def __mul__(self, distance: Scalar) -> Vec3:
        """The vector of this length (negative: backwards)."""
        return Vec3(self.x * distance, self.y * distance, self.z * distance)

    __rmul__ = __mul__

    def dot(self, other: Direction | Vec3) -> Scalar:
        return self.vec.dot(Vec3.of(other))

    def cross(self, other: Direction | Vec3) -> Vec3:
        return self.vec.cross(Vec3.of(other))

    def angle_to(self, other: Direction) -> Scalar:
        """The angle in [0, π] of the great circle between the two, with full precision also near 0 and π.

        Bruyninckx (2.4).
        """
        if not isinstance(other, Direction):
            raise TypeError(f"an angle is between two Directions, not between a Direction and a {type(other).__name__}")
        return angle_between(self.vec, other.vec)

    def perpendicular(self) -> Direction:
        """A direction at right angles to this one: z × d, or y × d where d is within 45° or so of ±z.

        No choice is continuous over the whole sphere; this one is discontinuous where |z| = 0.7.
        """
        steep = abs(self.z) > 0.7
        side = Vec3(where(steep, self.z, -self.y), where(steep, 0.0, self.x), where(steep, -self.x, 0.0))
        return Direction.from_vector(side)

    def rotation_to(self, other: Direction) -> Rotation:
        """The smallest rotation that turns this direction onto the other: R = c 1 + v× + v vᵀ / (1 + c).

        v = a × b and c = a·b.  For c < 0 the last term is (1 - c) v vᵀ / v·v, which is accurate near c = -1.
        Opposite directions have no smallest rotation (every half turn about a perpendicular is one): an error on
        plain numbers; in arrays and traced code the half turn about `perpendicular()`.

        >>> from sixvec.geometry import Direction
        >>> from sixvec.spatial import Vec3
        >>> R = Direction(1.0, 0.0, 0.0).rotation_to(Direction(0.0, 0.0, 1.0))
        >>> R @ Vec3(1.0, 0.0, 0.0)
        Vec3(x=0.0, y=0.0, z=1.0)
        """
        c, v = self.dot(other), precise_cross(self.vec, other.vec)
        obtuse = c < 0.0
        vv = where(obtuse, v.dot(v), 1.0)
        opposite = vv < PARALLEL_SINE * PARALLEL_SINE
        if certainly(opposite):
            raise DegenerateError(
                "opposite directions have no smallest rotation; "
                "use a half turn about an axis of your choice, such as `perpendicular()`"
            )
        k = where(obtuse, (1.0 - c) / where(opposite, 1.0, vv), 1.0 / (1.0 + where(obtuse, 0.0, c)))
        u = self.perpendicular().vec
        fold = Mat3(*(where(opposite, 2.0 * a, k * b) for a, b in zip(Mat3.outer(u, u), Mat3.outer(v, v), strict=True)))
        return Rotation(Mat3(c, 0.0, 0.0, 0.0, c, 0.0, 0.0, 0.0, c) + Mat3.cross_matrix(v) + fold)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> Direction:
        """From coordinates of B to those of A, where (R, p) is the pose of B in A."""
        return Direction.of(R @ self.vec)

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> Direction:
        return Direction.of(R.inv() @ self.vec)


def angle_between(a: Vec3, b: Vec3) -> Scalar:
    """arctan2(|a × b|, a·b), the angle in [0, π] between two vectors of any lengths.

    The arccos of the book loses half the digits near 0 and π; this keeps all of them for vectors of similar length.
    The derivative is 0 at exactly 0 and π, where the angle has a kink.  With the zero vector there is no angle: an
    error on plain numbers, 0 in arrays and traced code.  Bruyninckx (2.4).

    >>> from sixvec.geometry import angle_between
    >>> from sixvec.spatial import Vec3
    >>> angle_between(Vec3(1.0, 0.0, 0.0), Vec3(1.0, 1e-12, 0.0))
    1e-12
    """
    a, b = _of_middling_size(a), _of_middling_size(b)
    size = a.dot(a) * b.dot(b)
    if certainly(size == 0.0):
        raise DegenerateError("there is no angle with the zero vector; test for it first")
    return arctan2(length(precise_cross(a, b)), where(size > 0.0, a.dot(b), 1.0))


def _of_middling_size(v: Vec3) -> Vec3:
    """v, divided by its largest coordinate if powers of that would overflow or underflow.

    Symbols are unchanged: they do neither.
    """
    if any(map(is_symbolic, v)):
        return v
    m = largest(v)
    size = where(m > like(m, _LARGE), m, where(m < like(m, 1.0 / _LARGE), nonzero(m), like(m, 1.0)))
    return Vec3(v.x / size, v.y / size, v.z / size)
