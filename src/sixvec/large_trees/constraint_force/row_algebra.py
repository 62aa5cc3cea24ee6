"""Small vectors and matrices of scalars, as nested lists for one row; for others see `spatial.linear`.

Rotations are stored minus the identity, R' = R - 1, so that a row of zeros means no rotation; a row beyond the end of
an array reads as zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sixvec.scalar import Scalar
from sixvec.spatial.linear import product, times, transpose

Vector: TypeAlias = Sequence[Scalar]
Matrix: TypeAlias = Sequence[Vector]


def added(a: Vector, b: Vector) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]


def less(a: Vector, b: Vector) -> list[Scalar]:
    return [x - y for x, y in zip(a, b, strict=True)]


def scaled(a: Vector, s: Scalar) -> list[Scalar]:
    return [x * s for x in a]


def cross(a: Vector, b: Vector) -> list[Scalar]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def skew(a: Vector) -> list[list[Scalar]]:
    """[a]×."""
    return [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]


def identity_plus(A: Matrix) -> list[list[Scalar]]:
    """1 + A."""
    return [[x + 1.0 if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]


def then(A: Matrix, B: Matrix) -> list[list[Scalar]]:
    """(1 + A)(1 + B) - 1 = A + B + A B."""
    return [added(added(a, b), ab) for a, b, ab in zip(A, B, product(A, B), strict=True)]


def symmetric(packed: Vector, size: int) -> list[list[Scalar]]:
    """The matrix whose lower triangle is given row by row.

    >>> symmetric([1.0, 2.0, 3.0], 2)
    [[1.0, 2.0], [2.0, 3.0]]
    """
    return [[packed[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(size)] for i in range(size)]


def to_body(R: Matrix, r: Vector, m: Vector) -> list[Scalar]:
    """X m: a motion of the parent in the coordinates of a body with pose (R, r) in it."""
    back = transpose(R)
    return [*times(back, m[:3]), *times(back, added(m[3:], cross(m[:3], r)))]


def to_parent(R: Matrix, r: Vector, f: Vector) -> list[Scalar]:
    """Xᵀ f: a wrench on the body, in the parent's frame."""
    force = times(R, f[3:])
    return [*added(times(R, f[:3]), cross(r, force)), *force]
