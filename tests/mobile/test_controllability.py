"""What fields reach: three verdicts, in any unit, within the limits of the steering."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError
from sixvec.mobile import Truck, VectorField, car, controllability
from sixvec.scalar import cos, sin
from sixvec.verdict import Verdict

DD = sv.mobile.differential_drive(0.5, 0.1)


def train(n: int, length: float, hitch: float = 0.0) -> Truck:
    truck: Any = DD
    for _ in range(n):
        truck = truck.with_trailer(hitch=hitch, length=length)
    return truck  # type: ignore[no-any-return]


@pytest.mark.covers("MOB-13")
@pytest.mark.parametrize(("n", "depth"), [(1, 3), (2, 5), (3, 8)])
def test_folded_trailers_take_fibonacci_numbers_of_fields(n: int, depth: int) -> None:
    truck, q = train(n, 1.0), np.r_[0.0, 0.0, 0.0, np.full(n, math.pi / 2)]
    found = truck.controllability(q)
    assert found and found.verdict == Verdict.SOLVED and len(found.growth) == depth and found.margin > 1e-3
    less = truck.controllability(q, depth=depth - 1)
    assert not less and less.verdict == Verdict.NOT_CONVERGED and less.depth == depth - 1
    assert str(less).startswith(f"undecided with brackets of up to {depth - 1} fields: rank {n + 2} of {n + 3}")
    near = truck.controllability(q + 1e-7 * (q != 0.0))
    assert near and (near.margin < 1e-6 or n == 1)


@pytest.mark.covers("MOB-13")
@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e3, 1e5, 1e9])
def test_units_do_not_matter(unit: float) -> None:
    rng = np.random.default_rng(0)
    for metres in (lambda u: car(u, 0.8 * u), lambda u: car(u, u).with_trailer(hitch=0.2 * u, length=2.0 * u),
                   lambda u: train(2, u), lambda u: train(2, u, 0.3 * u)):  # fmt: skip
        n = 4 if not isinstance(metres(1.0), Truck) else 5
        q = np.r_[0.0, 0.0, 0.0, rng.uniform(-0.5, 0.5, n - 3)]
        one, other = (metres(u).controllability(q) for u in (1.0, unit))
        assert one and one.growth == other.growth and one.fields == other.fields
        assert np.isclose(one.margin, other.margin, rtol=1e-3)
    fast = [
        VectorField(lambda q: [unit * cos(q[2]), unit * sin(q[2]), 0.0]),
        VectorField(lambda q: [0.0, 0.0, 1.0 / unit]),
    ]
    assert controllability(fast, [0.0, 0.0, 0.3]).growth == (2, 3)


def test_lengths_of_any_ratio() -> None:
    for length in (1e-5, 1e5):
        assert car(1.3, 0.8).with_trailer(hitch=0.1, length=length).controllability(np.zeros(5))


@pytest.mark.covers("MOB-13")
def test_no_means_that_the_algebra_is_closed() -> None:
    alone = controllability([DD.operators["drive"]], [0.0, 0.0, 0.3])
    assert alone.verdict == Verdict.UNREACHABLE and str(alone).startswith("not controllable: rank 1 of 3")
    plane = [lambda q: [1.0, 0.0, q[1]], lambda q: [0.0, 1.0, q[0]]]  # the surface z = x y
    assert controllability(plane, [0.0, 0.0, 0.0]).verdict == Verdict.UNREACHABLE
    spiral = [lambda q: [q[0]], lambda q: [q[0] * q[0]]]  # both at rest in 0, and so are all of their brackets
    assert controllability(spiral, [0.0]).verdict == Verdict.UNREACHABLE and controllability(spiral, [0.1])


@pytest.mark.parametrize("power", [1, 2, 3, 5])
def test_a_bracket_that_comes_late_is_undecided_before(power: int) -> None:
    fields = [VectorField(lambda q: [1.0, 0.0]), VectorField(lambda q: [0.0, math.prod([q[0]] * power)])]
    assert controllability(fields, [0.0, 0.0], depth=power + 1)
    if power > 1:
        early = controllability(fields, [0.0, 0.0], depth=power)
        assert early.verdict == Verdict.NOT_CONVERGED and early.rank == 1


def test_the_steering_limit_is_that_of_forward_velocity() -> None:
    base = car(1.3, 0.8)
    assert base.controllability([0.0, 0.0, 0.0, 1.570796]).growth == (2, 3, 4)
    for at in (math.pi / 2, 2.0, -math.pi / 2):
        with pytest.raises(ArgumentError, match="limit"):
            base.controllability([0.0, 0.0, 0.0, at])
        with pytest.raises(ArgumentError, match="limit"):
            base.with_trailer(length=1.0).controllability([0.0, 0.0, 0.0, at, 0.1])
