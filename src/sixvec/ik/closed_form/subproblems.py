"""Canonical subproblems: rotations about known axes that bring known vectors to known positions.

The first three are Paden and Kahan's (Murray, Li and Sastry 1994, section 3.2); the least-squares forms are in the
spirit of Elias and Wen, "IK-Geo", 2022 (arXiv 2211.05737).  An angle is carried as its cosine and sine, `Turn`, so
no trigonometric function is called here; `Turn.angle` is computed once, at the end.  A subproblem without a solution
returns the nearest miss, which the pose error of the final solution shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.scalar import Scalar, arctan2, sqrt, where
from sixvec.spatial import Vec3

NOTHING = 1e-280
"""The squared length below which a vector has no direction."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An angle as (cos, sin).

    >>> Turn(0.0, 1.0).about(Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0))
    Vec3(x=0.0, y=1.0, z=0.0)
    """

    c: Scalar
    s: Scalar

    @classmethod
    def along(cls, c: Scalar, s: Scalar) -> Turn:
        """The angle of the direction (c, s), zero if there is no direction."""
        square = c * c + s * s
        some = square > NOTHING
        scale = 1.0 / sqrt(where(some, square, 1.0))
        # NaN must be kept: only a square that is certainly tiny is replaced.
        none = square < NOTHING
        return cls(where(none, 1.0, c * scale), where(none, 0.0, s * scale))

    @property
    def angle(self) -> Scalar:
        return arctan2(self.s, self.c)

    def inv(self) -> Turn:
        return Turn(self.c, -self.s)

    def __matmul__(self, other: Turn) -> Turn:
        """The sum of two angles about one axis."""
        return Turn(self.c * other.c - self.s * other.s, self.s * other.c + self.c * other.s)

    def about(self, h: Vec3, v: Vec3) -> Vec3:
        """v turned about the unit vector h (Rodrigues' formula, with the part along h untouched)."""
        along: Vec3 = h * h.dot(v)
        turned: Vec3 = along + (v - along) * self.c + h.cross(v) * self.s
        return turned


def turn_onto(h: Vec3, u: Vec3, v: Vec3) -> Turn:
    """Subproblem 1: the rotation about h that brings u nearest to v,  min |R(h, θ) u - v|.

    The components along h are removed first: otherwise their rounding could exceed the rest.
    """
    u, v = u - h * h.dot(u), v - h * h.dot(v)
    return Turn.along(u.dot(v), h.cross(u).dot(v))


@dataclass(frozen=True, slots=True)
class Wave:
    """a·R(h, θ) b as a function of θ:  constant + cos·cos θ + sin·sin θ."""

    constant: Scalar
    cos: Scalar
    sin: Scalar

    @classmethod
    def of(cls, a: Vec3, h: Vec3, b: Vec3) -> Wave:
        """Of a·R(h, θ) b, where a is known at trace time, so that its zeros stay zeros."""
        across, cross = _clean(a - h * h.dot(a)), _clean(a.cross(h))
        return cls(h.dot(a) * h.dot(b), across.dot(b), cross.dot(b))

    def back(self) -> Wave:
        """The same for the opposite rotation, -θ."""
        return Wave(self.constant, self.cos, -self.sin)

    @property
    def is_flat(self) -> bool:
        """Whether the angle certainly has no effect."""
        return isinstance(self.cos, float) and isinstance(self.sin, float) and not (self.cos or self.sin)

    def __mul__(self, k: Scalar) -> Wave:
        return Wave(self.constant * k, self.cos * k, self.sin * k)

    def __add__(self, other: Wave) -> Wave:
        return Wave(self.constant + other.constant, self.cos + other.cos, self.sin + other.sin)

    def at(self, t: Turn) -> Scalar:
        return self.constant + self.cos * t.c + self.sin * t.s

    def reaching(self, value: Scalar, margin: Scalar | None = None) -> tuple[Turn, Turn]:
        """Subproblem 4: the two angles at which the wave has a value, or twice the angle where it is closest.

        `margin` is cos² + sin² - (value - constant)², for callers that compute it with fewer cancellations.
        """
        gap = value - self.constant
        height = self.cos * self.cos + self.sin * self.sin
        margin = height - gap * gap if margin is None else margin
        root = sqrt(where(margin < 0.0, 0.0, margin))
        c, s = self.cos * gap, self.sin * gap
        dc, ds = self.sin * root, self.cos * root
        return Turn.along(c - dc, s + ds), Turn.along(c + dc, s - ds)


def turns_to_height(a: Vec3, h: Vec3, b: Vec3, m: Vec3) -> tuple[Turn, Turn]:
    """Subproblem 4 for unit vectors: the rotations with  a·R(h, θ) b = a·m.

    Where m is along a, the cosine a·m does not depend on the angle to first order; so the differences,
    1 - a·m and 1 + a·m, are computed from the sine: |a × m|² = (1 - a·m)(1 + a·m).
    """
    wave = Wave.of(a, h, b)
    height = sqrt(wave.cos * wave.cos + wave.sin * wave.sin)
    value, sine = a.dot(m), square(a.cross(m))
    front = value > 0.0
    over = where(front, sine / where(front, value + 1.0, 1.0), 1.0 - value)
    under = where(front, value + 1.0, sine / where(front, 1.0, 1.0 - value))
    most, least = (_rounded(height + sign * wave.constant - 1.0) for sign in (1.0, -1.0))
    return wave.reaching(value, (over + most) * (under + least))


def elbow(h: Vec3, u: Vec3, v: Vec3, reach: Scalar) -> tuple[Turn, Turn]:
    """Subproblem 3: the rotations with  |u + R(h, θ) v|² = reach,  for known u and v.

    With lengths a, b across h and r² the part of `reach` there, the margin (2ab)² - (r² - a² - b²)² is
    ((a + b)² - r²)(r² - (a - b)²): so equal lengths can be folded onto each other without loss.
    """
    along = h.dot(u + v)
    square_reach = reach - along * along
    a, b = (sqrt(square(w - h * h.dot(w))) for w in (u, v))
    margin = ((a + b) * (a + b) - square_reach) * (square_reach - (a - b) * (a - b))
    return Wave.of(u * 2.0, h, v).reaching(reach - square(u) - square(v), margin)


def slides_to(b: Scalar, c: Scalar) -> tuple[Scalar, Scalar]:
    """The two lengths with  s² + b s + c = 0,  or twice the value where that is closest to zero.

    >>> slides_to(-3.0, 2.0)
    (2.0, 1.0)
    """
    half = b * -0.5
    margin = half * half - c
    root = sqrt(where(margin < 0.0, 0.0, margin))
    return half + root, half - root


def square(v: Vec3) -> Scalar:
    return v.dot(v)


def perpendicular(h: Vec3) -> Vec3:
    """A unit vector perpendicular to a known unit vector h: made from the coordinate axis farthest from it."""
    e = min((Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)), key=lambda e: abs(e.dot(h)))
    across = _clean(e - h * h.dot(e))
    unit: Vec3 = across * (1.0 / across.norm())
    return unit


def _rounded(x: float) -> float:
    return 0.0 if abs(x) < 1e-12 else x


def _clean(v: Vec3) -> Vec3:
    """Rounding made zero in a vector of plain numbers; others as they are."""
    return Vec3.of(_rounded(x) if isinstance(x, float) else x for x in v)
