"""Dual numbers x + dx ε with ε² = 0: automatic differentiation that knows nothing of the library's own derivatives.

`sixvec.scalar` finds the functions of a scalar in the module that defines it, so this file is all it takes to run
any algorithm on duals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


class Dual:
    """A number and its derivatives along any number of directions."""

    __array_ufunc__ = None  # NumPy's operators defer to these

    def __init__(self, x: float, dx: Any = 0.0) -> None:
        self.x, self.dx = x, dx

    def __add__(self, other: Any) -> Dual:
        o = dual(other)
        return Dual(self.x + o.x, self.dx + o.dx)

    def __mul__(self, other: Any) -> Dual:
        o = dual(other)
        return Dual(self.x * o.x, self.dx * o.x + self.x * o.dx)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Dual:
        return Dual(-self.x, -self.dx)

    def __sub__(self, other: Any) -> Dual:
        return self + -dual(other)

    def __rsub__(self, other: Any) -> Dual:
        return dual(other) + -self

    def __truediv__(self, other: Any) -> Dual:
        o = dual(other)
        return Dual(self.x / o.x, (self.dx - self.x / o.x * o.dx) / o.x)

    def __rtruediv__(self, other: Any) -> Dual:
        return dual(other) / self

    def __lt__(self, other: Any) -> bool:
        return self.x < dual(other).x


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(float(x))


def sin(a: Dual) -> Dual:
    return Dual(math.sin(a.x), math.cos(a.x) * a.dx)


def cos(a: Dual) -> Dual:
    return Dual(math.cos(a.x), -math.sin(a.x) * a.dx)


def along(x: Sequence[float], directions: np.ndarray) -> list[Dual]:
    """The vector x, with its derivatives along the columns of `directions` (len(x), k)."""
    return [Dual(float(value), row) for value, row in zip(x, directions, strict=True)]


def derivatives(result: Sequence[Any], count: int) -> np.ndarray:
    """The derivatives (len(result), count) of a vector."""
    return np.array([np.broadcast_to(dual(y).dx, count) for y in result])
