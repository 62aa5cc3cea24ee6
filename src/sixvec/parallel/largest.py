"""The largest of scalars, without branches."""

from __future__ import annotations

from collections.abc import Iterable

from sixvec.scalar import Scalar, where


def larger(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two scalars.

    >>> larger(1.0, 2.0)
    2.0
    """
    return where(a < b, b, a)


def worst(errors: Iterable[Scalar]) -> Scalar:
    """The largest size, and not a number if any is.

    >>> worst([1.0, -3.0]), worst([float("nan"), 1.0])
    (3.0, nan)
    """
    total: Scalar = 0.0
    for e in errors:
        size = abs(e)
        total = where(size < total, total, where(total < size, size, (size + total) * 0.5))
    return total
