"""All poses of a 321 in sixty digits, for lengths at which rounding decides on their number in double precision.

The three tetrahedra of the closed form, again, and with each length moved by a few units in its last place, the error
of lengths that were computed from a pose: a height that keeps its sign then is certain, however thin the tetrahedron
is, and so are poses that stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

import numpy as np

from sixvec.arguments import Array

DIGITS = 60
"""Of these, a squared sine of 1e-32 between edges costs half."""

ROUNDING = Decimal(2) ** -50
"""Four units in the last place of a double, relative to the largest of the lengths and coordinates."""

STEPS = 8
"""The error of a length is so many steps, which are those of its ends."""

MARGIN = 2
"""A squared height is certain if it exceeds so many times the sum of its changes."""

SHARP = 1e-6
"""Poses that such a change moves further than this, in sizes of the platform, are not certain: the legs close nearly
everywhere between them."""

Point = tuple[Decimal, Decimal, Decimal]


@dataclass(frozen=True, slots=True)
class _Tops:
    """The points above a triangle, for each set of lengths; none, one or two."""

    points: tuple[list[Point], ...]
    certain: bool


def exact_321(apices: Array, roots: Array, lengths: Array, rounding: float = 0.0) -> tuple[Array, bool]:
    """The poses (k, 4, 4) for lengths (6,), and whether their number is certain: `rounding` is the error of lengths.

    Where it is not, the two points of a tetrahedron whose height is rounding are one; it closes unless rounding makes
    its base a line.
    """
    with localcontext(Context(prec=DIGITS, traps=[])):
        t3, t2, t1 = (_point(p) for p in apices)
        b = [_point(p) for p in roots]
        exact = [Decimal(float(x)) for x in lengths]
        step = max(ROUNDING * max(*exact, *(abs(x) for p in (*b, t3, t2, t1) for x in p)), Decimal(rounding) / STEPS)
        sets = [exact, *([x + step * (i == k) for i, x in enumerate(exact)] for k in range(6))]
        r32, r31, r21 = (_norm(_minus(a, c)) for a, c in ((t2, t3), (t1, t3), (t1, t2)))
        local = _triad(t3, t2, t1)
        poses: list[list[list[float]]] = []
        blurred = Decimal(SHARP) * (r32 + r31)
        first = _tops([(b[0], b[1], b[2], l[0], l[1], l[2]) for l in sets])
        certain = first.certain
        for p3 in first.points:
            second = _tops([(b[3], b[4], p, l[3], l[4], r32) for p, l in zip(p3, sets, strict=True)])
            certain &= second.certain
            for p2 in second.points:
                third = _tops([(b[5], p, q, l[5], r21, r31) for p, q, l in zip(p2, p3, sets, strict=True)])
                certain &= third.certain
                for p1 in third.points:
                    poses.append(_pose((p3[0], p2[0], p1[0]), t3, local))
                    certain &= max(_change(p) for p in (p3, p2, p1)) < blurred
        return np.array(poses).reshape(-1, 4, 4), certain


def _tops(triangles: list[tuple[Point, Point, Point, Decimal, Decimal, Decimal]]) -> _Tops:
    """Of the first triangle; the others are the same with lengths moved by rounding."""
    feet, normals, heights = zip(*(_apex(*t) for t in triangles), strict=True)
    height, change = heights[0], sum((abs(h - heights[0]) for h in heights[1:]), Decimal(0))
    if not (change.is_finite() and height.is_finite()):
        return _Tops((), False)
    if height < -MARGIN * change:
        return _Tops((), True)
    if height <= MARGIN * change:
        return _Tops((list(feet),), False)
    up = [_times(n, (h / _dot(n, n)).sqrt()) for n, h in zip(normals, heights, strict=True)]
    sides = [[_plus(f, _times(u, Decimal(s))) for f, u in zip(feet, up, strict=True)] for s in (1, -1)]
    return _Tops(tuple(sides), True)


def _change(points: list[Point]) -> Decimal:
    """How far rounding of the lengths moves the first one."""
    return sum((_norm(_minus(p, points[0])) for p in points[1:]), Decimal(0))


def _apex(P: Point, Q: Point, R: Point, p: Decimal, q: Decimal, r: Decimal) -> tuple[Point, Point, Decimal]:
    """The foot of the points at distances p, q, r from P, Q, R, the normal of their plane, and the squared height."""
    a, b = _minus(Q, P), _minus(R, P)
    aa, bb, ab = _dot(a, a), _dot(b, b), _dot(a, b)
    u, v = (p * p + aa - q * q) / 2, (p * p + bb - r * r) / 2
    n = _cross(a, b)
    nn = _dot(n, n)
    s = _plus(_times(a, (bb * u - ab * v) / nn), _times(b, (aa * v - ab * u) / nn))
    return _plus(P, s), n, p * p - _dot(s, s)


def _pose(here: tuple[Point, Point, Point], t3: Point, local: tuple[Point, Point, Point]) -> list[list[float]]:
    axes = _triad(*here)
    rows = []
    for i in range(3):  # of the rotation, Σ xᵢ x'ⱼ over the axes here and those of the platform's frame
        row = (Decimal(0), Decimal(0), Decimal(0))
        for x, y in zip(axes, local, strict=True):
            row = _plus(row, _times(y, x[i]))
        rows.append([*map(float, row), float(here[0][i] - _dot(row, t3))])
    return [*rows, [0.0, 0.0, 0.0, 1.0]]


def _triad(a: Point, b: Point, c: Point) -> tuple[Point, Point, Point]:
    x = _unit(_minus(b, a))
    z = _unit(_cross(x, _minus(c, a)))
    return x, _cross(z, x), z


def _point(p: Array) -> Point:
    x, y, z = (Decimal(float(c)) for c in p)
    return x, y, z


def _plus(a: Point, b: Point) -> Point:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _times(a: Point, k: Decimal) -> Point:
    return a[0] * k, a[1] * k, a[2] * k


def _dot(a: Point, b: Point) -> Decimal:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _norm(a: Point) -> Decimal:
    return _dot(a, a).sqrt()


def _unit(a: Point) -> Point:
    return _times(a, 1 / _norm(a))
