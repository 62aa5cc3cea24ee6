"""Complex numbers made of scalars, so that programs of real operations can track complex paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.scalar import Scalar, where


@dataclass(frozen=True, slots=True)
class Complex:
    """re + i im; operators accept complex and real numbers.

    >>> Complex(1.0, 2.0) * Complex(3.0, -1.0)
    Complex(re=5.0, im=5.0)
    """

    re: Scalar
    im: Scalar

    def __add__(self, other: Any) -> Complex:
        if isinstance(other, Complex):
            return Complex(self.re + other.re, self.im + other.im)
        return Complex(self.re + other, self.im)

    __radd__ = __add__

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __sub__(self, other: Any) -> Complex:
        if isinstance(other, Complex):
            return Complex(self.re - other.re, self.im - other.im)
        return Complex(self.re - other, self.im)

    def __rsub__(self, other: Any) -> Complex:
        return Complex(other - self.re, -self.im)

    def __mul__(self, other: Any) -> Complex:
        if isinstance(other, Complex):
            return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
        return Complex(self.re * other, self.im * other)

    __rmul__ = __mul__

    def __rtruediv__(self, other: Scalar) -> Complex:
        k = other / self.squared
        return Complex(self.re * k, -(self.im * k))

    @property
    def squared(self) -> Scalar:
        """|z|²."""
        return self.re * self.re + self.im * self.im


def chosen(condition: Any, yes: Any, no: Any) -> Any:
    """`where` for complex numbers, real scalars and lists of them."""
    if isinstance(yes, Complex):
        return Complex(where(condition, yes.re, no.re), where(condition, yes.im, no.im))
    if isinstance(yes, list):
        return [chosen(condition, y, n) for y, n in zip(yes, no, strict=True)]
    return where(condition, yes, no)


def paired(numbers: Sequence[Scalar]) -> list[Complex]:
    """Complex numbers from their parts, which alternate: the memory layout of complex arrays."""
    return [Complex(*numbers[k : k + 2]) for k in range(0, len(numbers), 2)]


def parts(numbers: Iterable[Complex]) -> list[Scalar]:
    return [x for z in numbers for x in (z.re, z.im)]


def total_squared(numbers: Iterable[Complex]) -> Scalar:
    return sum((z.squared for z in numbers), 0.0)
