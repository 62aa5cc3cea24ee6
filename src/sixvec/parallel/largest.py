"""The largest of scalars, without branches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from sixvec.scalar import Scalar, where
from sixvec.spatial.norm import larger_or_nan


def larger(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two scalars.

    >>> larger(1.0, 2.0)
    2.0
    """
    return where(a < b, b, a)


def worst(errors: Iterable[Scalar]) -> Scalar:
    """The largest size, NaN if any is NaN.

    >>> worst([1.0, -3.0]), worst([float("nan"), 1.0])
    (3.0, nan)
    """
    return reduce(larger_or_nan, map(abs, errors), 0.0)
