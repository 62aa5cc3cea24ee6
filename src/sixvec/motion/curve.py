"""A piece of a path on scalars: positions and their derivatives with respect to s, from polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.model import Model
from sixvec.motion.exponential import positions_of
from sixvec.scalar import Scalar


def evaluated(coefficients: Sequence[Sequence[Scalar]], r: Scalar) -> list[list[Scalar]]:
    """A polynomial with the coefficients of 1, r, r², …, and its first and second derivatives."""
    value = [0.0 * x for x in coefficients[0]]
    for row in reversed(coefficients):
        value = [x * r + c for x, c in zip(value, row, strict=True)]
    return [value, *rates(coefficients[1:], r)]


def rates(coefficients: Sequence[Sequence[Scalar]], r: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """The first and second derivatives of a polynomial with the coefficients of r, r², …"""
    first, second = [0.0 * x for x in coefficients[0]], [0.0 * x for x in coefficients[0]]
    for k in range(len(coefficients), 0, -1):
        row = coefficients[k - 1]
        first = [x * r + _multiple(k, c) for x, c in zip(first, row, strict=True)]
        if k > 1:
            second = [x * r + _multiple(k * (k - 1), c) for x, c in zip(second, row, strict=True)]
    return first, second


def _multiple(k: int, c: Scalar) -> Scalar:
    """k c by doubling, rounded once as the product, which could be fused with a sum in one program and not in another
    one, where it occurs in more sums."""
    powers = [c]
    while 2 ** len(powers) <= k:
        powers.append(powers[-1] + powers[-1])
    return sum((x for bit, x in enumerate(powers) if k >> bit & 1), 0.0)


@dataclass(frozen=True)
class Curve:
    """Polynomials with the coefficients of 1, r, r², …, or without the first where positions do not matter.

    With joints that have quaternions, they are exponential coordinates about the reference.
    """

    coefficients: Sequence[Sequence[Scalar]]
    is_whole: bool
    model: Model | None = None
    reference: Sequence[Scalar] = ()

    def rates(self, r: Scalar) -> tuple[list[Scalar], list[Scalar]]:
        """q' and q''."""
        if self.model is not None:
            _, first, second = self.at(r)
            return first, second
        return rates(self.coefficients[1:] if self.is_whole else self.coefficients, r)

    def at(self, r: Scalar) -> list[list[Scalar]]:
        """q, q' and q''."""
        values = evaluated(self.coefficients, r)
        return values if self.model is None else positions_of(self.model, self.reference, *values)
