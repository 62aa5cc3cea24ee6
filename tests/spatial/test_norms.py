"""Lengths and largest entries, where something vanishes, coincides or overflows."""

from __future__ import annotations

from itertools import permutations
from math import inf, isnan, nan

import pytest

from sixvec.spatial import Vec3
from sixvec.spatial.norm import larger_or_nan, largest, largest_size, length, nonzero, precise_cross, root


@pytest.mark.parametrize("numbers", [*permutations([1.0, -7.0, 3.0]), *permutations([2.0, 7.0, 7.0])])
def test_the_largest_coordinate_is_found_wherever_it_is(numbers: tuple[float, ...]) -> None:
    assert largest(Vec3(*numbers)) == largest_size(numbers) == 7.0


def test_the_larger_of_two_is_nan_if_one_of_them_is() -> None:
    assert [larger_or_nan(*pair) for pair in ((1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (-2.0, -1.0))] == [
        2.0,
        2.0,
        3.0,
        -1.0,
    ]
    assert isnan(larger_or_nan(nan, 1.0)) and isnan(larger_or_nan(1.0, nan)) and isnan(largest_size([1.0, nan, 2.0]))
    assert larger_or_nan(1.0, inf) == inf and largest_size([]) == 0.0


def test_roots_and_divisors_where_something_vanishes() -> None:
    assert [root(x) for x in (0.0, -1.0, 0.25, 9.0)] == [0.0, 0.0, 0.5, 3.0]
    assert [nonzero(x) for x in (0.0, -2.0, 1e-300, 3.0)] == [1.0, 1.0, 1e-300, 3.0]
    assert length(Vec3.zero()) == 0.0 and length(Vec3(-2.0, 3.0, -6.0)) == 7.0


def test_products_of_parallel_and_opposite_vectors_keep_their_digits() -> None:
    """Plain products of these lose all digits: both terms of z are 0.21 and differ by 1e-19."""
    a, small = Vec3(0.3, 0.7, 0.2), 1e-13
    near = Vec3(0.3 + small, 0.7, 0.2)
    step = near.x - 0.3
    for sign in (1.0, -1.0):
        found, exact = precise_cross(a, near * sign), Vec3(0.0, 0.2 * step * sign, -0.7 * step * sign)
        assert [*found] == pytest.approx([*exact], rel=1e-15, abs=0.0)
    assert precise_cross(Vec3(2.0, 0.0, 0.0), Vec3(0.0, 3.0, 0.0)) == Vec3(0.0, 0.0, 6.0)
