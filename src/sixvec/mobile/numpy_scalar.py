"""Traced scalars for functions that were written with NumPy: `np.cos(x)` calls the method `cos` of its argument."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt

ONE_NUMBER: dict[str, Callable[[Scalar], Scalar]] = {
    "sin": sin,
    "cos": cos,
    "tan": lambda x: sin(x) / cos(x),
    "sqrt": sqrt,
    "arcsin": lambda x: arctan2(x, sqrt(1.0 - x * x)),
    "arccos": lambda x: arctan2(sqrt(1.0 - x * x), x),
    "arctan": lambda x: arctan2(x, 1.0),
}
TWO_NUMBERS: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "hypot": lambda x, y: sqrt(x * x + y * y),
    "arctan2": arctan2,
}
FUNCTIONS = (*ONE_NUMBER, *TWO_NUMBERS)


class NumPyScalar:
    """A scalar of any kind that NumPy's `FUNCTIONS` accept, alone or in an array of objects.

    >>> import numpy
    >>> numpy.cos(NumPyScalar(0.0)).scalar
    1.0
    """

    __slots__ = ("scalar",)

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar

    def __pow__(self, power: float) -> NumPyScalar:
        if not isinstance(power, int | float | np.number) or not float(2 * power).is_integer():
            raise TypeError(f"powers of a traced number are whole numbers or halves, not {power}")
        whole, half = divmod(abs(int(2 * power)), 2)
        product: Scalar = sqrt(self.scalar) if half else 1.0
        for _ in range(whole):
            product = product * self.scalar
        return NumPyScalar(product if power >= 0 else 1.0 / product)


def plain(x: Any) -> Any:
    """The scalar inside, or x itself."""
    return x.scalar if isinstance(x, NumPyScalar) else x


def _add_method(name: str, operation: Callable[..., Scalar], reverse: bool = False) -> None:
    def method(*operands: Any) -> NumPyScalar:
        return NumPyScalar(operation(*map(plain, reversed(operands) if reverse else operands)))

    setattr(NumPyScalar, name, method)


_METHODS: dict[str, Callable[..., Any]] = {**ONE_NUMBER, **TWO_NUMBERS, "__neg__": operator.neg, "__abs__": abs}
for _name, _operation in _METHODS.items():
    _add_method(_name, _operation)
for _name in ("add", "sub", "mul", "truediv"):
    _add_method(f"__{_name}__", getattr(operator, _name))
    _add_method(f"__r{_name}__", getattr(operator, _name), reverse=True)
