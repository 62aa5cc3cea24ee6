"""Reciprocal sets: all screws that do no work on given ones."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.geometry.screw import Screw
from sixvec.scalar import Scalar, certainly, sqrt, where
from sixvec.spatial.norm import nonzero, root

DEPENDENT = 1e-10
"""A screw with a smaller independent fraction counts as a combination of those before it."""

Row = list[Scalar]


def reciprocal_product(a: Screw, b: Screw) -> Scalar:
    """aᵀ Δ b = d₁·m₂ + d₂·m₁; zero for lines if and only if they intersect or are parallel.  Bruyninckx §2.6.2.

    Bruyninckx (2.18).

    >>> from sixvec.geometry import Screw, reciprocal_product
    >>> from sixvec.spatial import Vec3
    >>> spin, push = Screw(Vec3(0.0, 0.0, 1.0), Vec3.zero()), Screw(Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 0.5))
    >>> reciprocal_product(spin, push)
    0.5
    """
    return a.reciprocal(b)


def reciprocal_set(screws: Sequence[Screw], tolerance: float = DEPENDENT) -> list[Screw]:
    """A basis of the screws reciprocal to all given ones, 6 - rank of them.

    The orthogonal complement of the vectors Δ sᵢ = (mᵢ; dᵢ) in six dimensions, by Householder reflections.  The basis
    depends on the units and on the frame, the space that it spans does not; the reciprocal of the reciprocal set
    spans the original.  On plain numbers, dependent screws are detected (a remainder below `tolerance` of the screw's
    length) and skipped; arrays and traced code assume independence.

    >>> from sixvec.geometry import Screw, reciprocal_set
    >>> from sixvec.spatial import Vec3
    >>> hinge = Screw(Vec3(0.0, 0.0, 1.0), Vec3.zero())
    >>> len(reciprocal_set([hinge])), len(reciprocal_set([hinge, hinge * 2.0]))
    (5, 5)
    """
    reflections = _reflections(screws, tolerance)
    basis = []
    for axis in range(len(reflections), 6):
        column: Row = [1.0 if i == axis else 0.0 for i in range(6)]
        for v in reversed(reflections):
            column = _reflected(column, v)
        basis.append(Screw.of(column))
    return basis


def screw_rank(screws: Sequence[Screw], tolerance: float = DEPENDENT) -> int:
    """The number of independent screws, on plain numbers.

    >>> from sixvec.geometry import Screw, screw_rank
    >>> from sixvec.spatial import Vec3
    >>> slide = Screw.at_infinity(Vec3(1.0, 0.0, 0.0))
    >>> screw_rank([slide, slide * -3.0])
    1
    """
    return len(_reflections(screws, tolerance))


def _reflections(screws: Sequence[Screw], tolerance: float) -> list[Row]:
    """Unit vectors vₖ whose reflections 1 - 2 v vᵀ reduce the columns Δ sᵢ to upper triangular form."""
    reflections: list[Row] = []
    for s in screws:
        column: Row = [*s.moment, *s.direction]
        size = _dot(column, column)
        for v in reflections:
            column = _reflected(column, v)
        k = len(reflections)
        if k == 6:
            break
        below = column[k:]
        new = _dot(below, below)
        if certainly(new == 0.0) or certainly(new < size * (tolerance * tolerance)):
            continue
        length = root(new)
        below[0] = below[0] + where(below[0] < 0.0, -length, length)
        scale = 1.0 / sqrt(nonzero(_dot(below, below)))
        reflections.append([0.0] * k + [x * scale for x in below])
    return reflections


def _reflected(x: Row, v: Row) -> Row:
    """x - 2 v (v·x)."""
    k = 2.0 * _dot(v, x)
    return [a - b * k for a, b in zip(x, v, strict=True)]


def _dot(a: Row, b: Row) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), start=0.0)
