"""Calls in place give what plain calls give, into the same arrays, and leave constants alone."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.compiler.in_place import InPlace
from sixvec.errors import ArgumentError, DtypeError, ShapeError

COLUMNS = [1, 8, 15, 16, 17, 33, 48, 65, 100, 203]
PAST_CACHES = 45_000
"""Rows of 100 numbers that make an array which is written past the caches."""


def _function(columns: int) -> object:
    """Runs of constants of every length between entries that change, and a constant that is not zero."""
    changing = np.random.default_rng(columns).random(columns) < np.linspace(0.0, 1.0, columns)

    def row(x):
        return [x[0] * (i + 1.0) + x[1] if changing[i] else float(i % 5 == 0) for i in range(columns)]

    return sixvec.compiled(f"x[2] -> y[{columns}]")(row)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("columns", COLUMNS)
def test_equals_a_plain_call(columns: int, dtype: str) -> None:
    function, rng = _function(columns), np.random.default_rng(columns)
    for n in (0, 1, 5, 8, 33):
        in_place = InPlace(function, n, dtype)
        for _ in range(2):
            x = rng.normal(size=(n, 2)).astype(dtype)
            y = in_place(x)
            assert y is in_place.result and y.dtype == dtype
            assert np.array_equal(y, function.call(x))


def test_past_the_caches() -> None:
    function = _function(100)
    x = np.random.default_rng(0).normal(size=(PAST_CACHES, 2))
    in_place = InPlace(function, PAST_CACHES)
    in_place(x[::-1])
    assert np.array_equal(in_place(x), function.call(x))


def test_constants_are_not_written_again() -> None:
    """Spoilt behind the back of the read-only view, a whole line of constants stays as it is."""
    in_place = InPlace(sixvec.compiled("x[1] -> y[40]")(lambda x: [0.0] * 32 + [x[0]] * 8), 8)
    hidden = in_place._own[0]
    spoilt = np.ctypeslib.as_array((ctypes.c_double * hidden.size).from_address(hidden.ctypes.data)).reshape(8, 40)
    spoilt[:, 8:24] = 7.0
    y = in_place(np.ones((8, 1)))
    assert (y[:, 16:24] == 7.0).all() and (y[:, 32:] == 1.0).all()


@pytest.mark.every(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", ["mass_matrix", "inverse_dynamics_regressor", "inverse_dynamics_derivatives"])
def test_kernels_of_a_branched_robot(kernel: str, threads: int) -> None:
    robot, rng, n = sixvec.load("solo12"), np.random.default_rng(1), 3001
    code = robot.kernel(kernel)
    arrays = [robot.random(rng, n), *(rng.normal(size=(n, robot.nv)) for _ in code.inputs[1:])]
    before = sixvec.set_threads(threads)
    try:
        found, expected = code.in_place(n)(*arrays), code(*arrays)
    finally:
        sixvec.set_threads(before)
    for x, y in zip(*((found, expected) if isinstance(found, tuple) else ([found], [expected])), strict=True):
        assert np.array_equal(x, y)


def test_batches_of_several_axes_broadcast() -> None:
    robot = sixvec.load("panda")
    q, v, a = robot.random(0, 3, 4), np.zeros(7), np.ones((4, 7))
    kernel = robot.kernel("inverse_dynamics")
    tau = kernel.in_place((3, 4))(q, v, a)
    assert tau.shape == (3, 4, 7) and np.array_equal(tau, kernel(q, v, a))
    same = kernel.in_place(5)(q[0, 0], v, a[0])
    assert np.array_equal(same, np.broadcast_to(kernel(q[0, 0], v, a[0]), (5, 7)))


def test_a_result_may_be_the_next_input() -> None:
    twice = InPlace(sixvec.compiled("x[3] -> y[3]")(lambda x: [x[1] + x[2], x[2] + x[0], x[0] + x[1]]), 20)
    x = np.random.default_rng(0).normal(size=(20, 3))
    first = twice(x).copy()
    assert np.array_equal(twice(twice.result), twice.function(first))


def test_mistakes_are_named() -> None:
    kernel = sixvec.load("panda").kernel("mass_matrix")
    in_place = kernel.in_place(4)
    with pytest.raises(ShapeError, match="mass_matrix"):
        in_place(np.zeros((5, 7)))
    with pytest.raises(ShapeError, match=named("batch", "inputs")):
        in_place(np.zeros((2, 4, 7)))
    with pytest.raises(ValueError, match="read-only"):
        in_place(np.zeros((4, 7)))[0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        in_place.result.setflags(write=True)
    assert kernel.in_place(4, np.float32).dtype == kernel.in_place(4, np.dtype("float32")).dtype == "float32"
    with pytest.raises(DtypeError, match="float32"):
        kernel.in_place(4, "float32")(np.zeros((4, 7)))
    with pytest.raises(DtypeError, match=named("dtype", "float64", "float32", "int32")):
        kernel.in_place(4, "int32")
    for wrong in (-1, (2, 1.5), "many", 2.5, None, True):
        with pytest.raises(ArgumentError, match="batch"):
            kernel.in_place(wrong)
