"""Complex numbers of scalars against those of Python."""

from __future__ import annotations

import cmath
import operator
from itertools import product

import pytest

from sixvec.parallel.complex_scalar import Complex, chosen

NUMBERS = [1.0 + 2.0j, -0.5 + 3.0j, 2.0 - 1.5j, 0.25 + 0.0j]
REALS = [2.0, -0.75]


def ours(z: complex | float) -> Complex | float:
    return Complex(z.real, z.imag) if isinstance(z, complex) else z


def theirs(z: Complex) -> complex:
    return complex(z.re, z.im)


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_operators(name: str) -> None:
    apply = getattr(operator, name)
    for a, b in product([*NUMBERS, *REALS], repeat=2):
        if isinstance(a, complex) or isinstance(b, complex):
            assert cmath.isclose(theirs(apply(ours(a), ours(b))), apply(a, b))


def test_reciprocals_and_sizes() -> None:
    for z in NUMBERS:
        mine = Complex(z.real, z.imag)
        assert theirs(-mine) == -z and mine.squared == pytest.approx(abs(z) ** 2)
        for x in REALS:
            assert cmath.isclose(theirs(x / mine), x / z)


def test_choices_of_numbers_and_lists() -> None:
    a, b = Complex(1.0, 2.0), Complex(3.0, 4.0)
    assert chosen(True, a, b) == a and chosen(False, a, b) == b
    assert chosen(True, [a, 1.0], [b, 2.0]) == [a, 1.0] and chosen(False, [a, 1.0], [b, 2.0]) == [b, 2.0]
