"""Arrays for several results: they come back by name, and no two of them may be one."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ShapeError


@pytest.fixture(scope="module")
def panda() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(3, 5, 7))


@pytest.mark.parametrize("single", [True, False])
def test_results_written_to_out_have_their_names(panda, states, single: bool) -> None:
    state = states[:, 0] if single else states
    expected = panda.inverse_dynamics_derivatives(*state)
    for _ in range(3):  # the first call takes the Python path, later ones whatever is faster
        given = tuple(np.zeros_like(x) for x in expected)
        found = panda.inverse_dynamics_derivatives(*state, out=given)
        assert type(found) is type(expected)
        assert found.dq is given[0] and found.dv is given[1] and found.da is given[2]
        assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
        panda.inverse_dynamics_derivatives(*state)
    again = panda.inverse_dynamics_derivatives(*state, out=found)
    assert again.da is found.da


def test_a_kernel_names_them_too(panda, states) -> None:
    kernel = panda.kernel("hybrid_dynamics", prescribed=(0,))
    given = [np.zeros((5, 7)), np.zeros((5, 7))]
    found = kernel(*states, states[0], out=given)
    assert found._fields == kernel(*states, states[0])._fields
    assert all(x is y for x, y in zip(found, given, strict=True))

    @sv.compiled("x y -> s d")
    def both(x, y):
        return x + y, x - y

    given = [np.zeros(4), np.zeros(4)]
    found = both(np.arange(4.0), np.ones(4), out=given)
    assert type(found) is tuple and found[1] is given[1]
    assert given[1].tolist() == [-1.0, 0.0, 1.0, 2.0]


def test_one_array_for_two_results_raises(panda, states) -> None:
    a, b = np.zeros((5, 7, 7)), np.zeros((5, 7, 7))
    with pytest.raises(ShapeError, match=named("inverse_dynamics_derivatives", "out")):
        panda.inverse_dynamics_derivatives(*states, out=(a, a, b))
    with pytest.raises(ShapeError, match=named("inverse_dynamics_derivatives", "out")):
        panda.inverse_dynamics_derivatives(*states, out=(a, b, a[:]))
    long = np.zeros((8, 7, 7))
    with pytest.raises(ShapeError, match=named("inverse_dynamics_derivatives", "out")):
        panda.inverse_dynamics_derivatives(*states, out=(a, long[:5], long[3:]))


def test_parts_of_one_array_may_lie_side_by_side(panda, states) -> None:
    expected = panda.inverse_dynamics_derivatives(*states)
    wide = np.zeros((5, 7, 21))
    blocks = panda.inverse_dynamics_derivatives(*states, out=np.split(wide, 3, axis=-1))
    striped = panda.inverse_dynamics_derivatives(*states, out=np.moveaxis(np.zeros((5, 7, 7, 3)), -1, 0))
    stacked = panda.inverse_dynamics_derivatives(*states, out=np.zeros((3, 5, 7, 7)))
    for found in (blocks, striped, stacked):
        assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
    assert np.array_equal(wide[..., 7:14], expected.dv)


@pytest.mark.parametrize(
    ("out", "found"), [(3, "not be a int"), (np.zeros((2, 5, 7, 7)), "not 2"), ([], "not 0"), ("abc", "not str")]
)
def test_what_does_not_hold_the_arrays_raises(panda, states, out, found: str) -> None:
    with pytest.raises(ShapeError, match=named("inverse_dynamics_derivatives", "out")):
        panda.inverse_dynamics_derivatives(*states, out=out)
