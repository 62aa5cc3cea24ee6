"""Traced scalars for functions that were written with NumPy: `np.cos(x)` calls the method `cos` of its argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt

FUNCTIONS = ("sin", "cos", "tan", "sqrt", "hypot", "arcsin", "arccos", "arctan", "arctan2")


class NumPyScalar:
    """A scalar of any kind that NumPy's `FUNCTIONS` accept, alone or in an array of objects.

    >>> import numpy
    >>> numpy.cos(NumPyScalar(0.0)).scalar
    1.0
    """

    __slots__ = ("scalar",)

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar

    def __neg__(self) -> NumPyScalar:
        return NumPyScalar(-self.scalar)

    def __abs__(self) -> NumPyScalar:
        return NumPyScalar(abs(self.scalar))

    def __pow__(self, power: float) -> NumPyScalar:
        if not isinstance(power, int | float | np.number) or not float(2 * power).is_integer():
            raise TypeError(f"powers of a traced number are whole numbers or halves, not {power}")
        whole, half = divmod(abs(int(2 * power)), 2)
        found: Scalar = sqrt(self.scalar) if half else 1.0
        for _ in range(whole):
            found = found * self.scalar
        return NumPyScalar(found if power >= 0 else 1.0 / found)

    def sin(self) -> NumPyScalar:
        return NumPyScalar(sin(self.scalar))

    def cos(self) -> NumPyScalar:
        return NumPyScalar(cos(self.scalar))

    def tan(self) -> NumPyScalar:
        return NumPyScalar(sin(self.scalar) / cos(self.scalar))

    def sqrt(self) -> NumPyScalar:
        return NumPyScalar(sqrt(self.scalar))

    def hypot(self, other: Any) -> NumPyScalar:
        x, y = self.scalar, plain(other)
        return NumPyScalar(sqrt(x * x + y * y))

    def arcsin(self) -> NumPyScalar:
        return NumPyScalar(arctan2(self.scalar, sqrt(1.0 - self.scalar * self.scalar)))

    def arccos(self) -> NumPyScalar:
        return NumPyScalar(arctan2(sqrt(1.0 - self.scalar * self.scalar), self.scalar))

    def arctan(self) -> NumPyScalar:
        return NumPyScalar(arctan2(self.scalar, 1.0))

    def arctan2(self, other: Any) -> NumPyScalar:
        return NumPyScalar(arctan2(self.scalar, plain(other)))


def plain(x: Any) -> Any:
    """The scalar inside, or x itself."""
    return x.scalar if isinstance(x, NumPyScalar) else x


def _two_sided(operation: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def forward(self: NumPyScalar, other: Any) -> NumPyScalar:
        return NumPyScalar(operation(self.scalar, plain(other)))

    def backward(self: NumPyScalar, other: Any) -> NumPyScalar:
        return NumPyScalar(operation(plain(other), self.scalar))

    return forward, backward


for _name, _operation in (
    ("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
    ("truediv", lambda a, b: a / b),
):  # fmt: skip
    _forward, _backward = _two_sided(_operation)
    setattr(NumPyScalar, f"__{_name}__", _forward)
    setattr(NumPyScalar, f"__r{_name}__", _backward)
