"""Traced scalars for functions that were written with NumPy: `np.cos(x)` calls the method `cos` of its argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt


class NumPyScalar:
    """A scalar of any kind that NumPy's sin, cos, tan, sqrt and arctan2 accept, alone or in an array of objects.

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

    def __pow__(self, power: int) -> NumPyScalar:
        if not isinstance(power, int) or power < 0:
            raise TypeError(f"powers of a traced number are whole and not negative, not {power}")
        found: Scalar = 1.0
        for _ in range(power):
            found = found * self.scalar
        return NumPyScalar(found)

    def sin(self) -> NumPyScalar:
        return NumPyScalar(sin(self.scalar))

    def cos(self) -> NumPyScalar:
        return NumPyScalar(cos(self.scalar))

    def tan(self) -> NumPyScalar:
        return NumPyScalar(sin(self.scalar) / cos(self.scalar))

    def sqrt(self) -> NumPyScalar:
        return NumPyScalar(sqrt(self.scalar))

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
