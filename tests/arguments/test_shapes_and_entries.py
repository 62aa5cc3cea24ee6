"""Which shapes and entries of arrays are accepted, and the messages for all others."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.arguments.checks import number_for_each, real_array, require_all, require_finite, require_shape
from sixvec.arguments.rigid_poses import require_poses, require_rotations
from sixvec.errors import ArgumentError, DtypeError, ShapeError

TAKEN: list[tuple[tuple[int, ...], tuple[Any, ...], bool]] = [
    ((7,), (7,), True), ((5, 7), (7,), True), ((2, 5, 4, 4), (4, 4), True), ((), (), True), ((3,), (), True),
    ((7,), (7,), False), ((4, 4), (4, 4), False), ((0, 3), ("n", 3), False), ((9, 3), ("n", 3), False),
    ((2, 7), ("n ≥ 2", 7), False), ((3, 7), ("n ≥ 2", 7), False), ((5, 2, 7), ("n ≥ 2", 7), True), ((3,), ("n",), True),
]  # fmt: skip
REFUSED: list[tuple[tuple[int, ...], tuple[Any, ...], bool, str]] = [
    ((6,), (7,), True, "(..., 7)"), ((7, 6), (7,), True, "(..., 7)"), ((4,), (4, 4), True, "(..., 4, 4)"),
    ((), (7,), True, "(..., 7)"), ((4, 3), (4, 4), True, "(..., 4, 4)"), ((3, 4), (4, 4), True, "(..., 4, 4)"),
    ((5, 7), (7,), False, "(7,)"), ((2, 4, 4), (4, 4), False, "(4, 4)"), ((3,), ("n", 3), False, "(n, 3)"),
    ((2, 9, 3), ("n", 3), False, "(n, 3)"), ((9, 4), ("n", 3), False, "(n, 3)"),
    ((1, 7), ("n ≥ 2", 7), False, "(n ≥ 2, 7)"), ((1, 7), ("n ≥ 2", 7), True, "(..., n ≥ 2, 7)"),
    ((2, 6), ("n ≥ 2", 7), True, "(..., n ≥ 2, 7)"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "shape", "batch"), TAKEN)
def test_shapes_that_fit(found: tuple[int, ...], shape: tuple[Any, ...], batch: bool) -> None:
    require_shape("x", np.zeros(found), *shape, batch=batch)
    assert real_array("x", np.zeros(found), *shape, batch=batch).shape == found


@pytest.mark.parametrize(("found", "shape", "batch", "needed"), REFUSED)
def test_shapes_that_do_not(found: tuple[int, ...], shape: tuple[Any, ...], batch: bool, needed: str) -> None:
    for why, words in (("", ""), ("one a joint", ": one a joint"), ("or a list", ", or a list")):
        for check in (require_shape, real_array):
            with pytest.raises(ShapeError) as problem:
                check("x", np.zeros(found), *shape, batch=batch, why=why)
            assert str(problem.value) == f"x has shape {found}, but {needed} is needed{words}"


def test_reasons_are_written_for_errors_alone() -> None:
    def never() -> str:
        raise AssertionError("no error, no reason")

    for given in (np.zeros(3), np.zeros((5, 3)), [0.0, 1.0, 2.0]):
        real_array("x", given, 3, why=never)
        real_array("x", given, "n ≥ 3", why=never)
    with pytest.raises(ShapeError, match=named("x")):
        real_array("x", np.zeros(3), 4, why=lambda: "one a joint")


def test_axes_may_be_integers_of_numpy() -> None:
    require_shape("x", np.zeros((2, 3)), np.int64(3))
    require_shape("x", np.zeros((2, 3)), "n", np.int64(3))
    with pytest.raises(ShapeError, match=named("x")):
        require_shape("x", np.zeros((2, 3)), np.int64(4))


def test_arrays_of_floats_are_taken_as_they_are() -> None:
    given = np.zeros((4, 3))
    assert real_array("x", given, 3) is given
    for dtype in (np.float32, ">f8", int, bool):
        assert real_array("x", np.zeros(3, dtype)).dtype is given.dtype
    assert real_array("x", np.empty(0, object)).dtype is given.dtype


def test_real_numbers_in_arrays_of_objects() -> None:
    for given in ([1.0, 2], [Fraction(1), np.float64(2.0)], [True, np.int8(2)]):
        assert real_array("x", np.array(given, object)).tolist() == [1.0, 2.0]
    assert real_array("x", 10**20) == 1e20 and real_array("x", np.array(3.0, object)).shape == ()
    for wrong, words in ((None, "a NoneType"), (1j, "a complex"), ("1", "a str"), ([], "a list")):
        array = np.empty(2, object)
        array[:] = [0.5, None]
        array[1] = wrong
        with pytest.raises(DtypeError, match=named("x", words)):
            real_array("x", array)
    with pytest.raises(ArgumentError, match=named("x")):
        real_array("x", [10**400])


def test_entries() -> None:
    values = np.array([[1.0, 2.0], [-3.0, 4.0]])
    require_all("x", values, values < 5.0, "small")
    with pytest.raises(ArgumentError, match=named("x[1, 0]")):
        require_all("x", values, values > 0.0, "positive")
    with pytest.raises(ArgumentError, match=named("x")):
        require_all("x", np.array(1.0), np.array(False), "negative")
    require_finite("x", values)
    for bad in (math.nan, math.inf):
        with pytest.raises(ArgumentError, match=named("x", "[1]", str(bad))):
            require_finite("x", np.array([0.0, bad]))
        with pytest.raises(ArgumentError, match=named("x", str(bad))):
            require_finite("x", np.array(bad), "close it")
        assert not np.isfinite(real_array("x", [0.0, bad])).all()
        with pytest.raises(ArgumentError, match=named("x")):
            real_array("x", [0.0, bad], finite=True)


def test_one_number_for_all_or_one_for_each() -> None:
    assert number_for_each("k", 2.0, 3, "legs").tolist() == [2.0] * 3
    assert number_for_each("k", [2.0], 3, "legs").tolist() == [2.0] * 3
    assert number_for_each("k", np.array([[]]).reshape(0), 0, "legs").shape == (0,)
    assert number_for_each("k", [1.0, -2.0, 0.0], 3, "legs").tolist() == [1.0, -2.0, 0.0]
    for wrong in ([1.0, 2.0], [[1.0]], [[1.0, 2.0, 3.0]]):
        with pytest.raises(ShapeError, match="legs"):
            number_for_each("k", wrong, 3, "legs")
    assert number_for_each("k", 1e-300, 2, "legs", positive=True).tolist() == [1e-300] * 2
    for bad in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ArgumentError, match=named("k")):
            number_for_each("k", bad, 2, "legs", positive=True)
        with pytest.raises(ArgumentError, match=named("k[1]")):
            number_for_each("k", [1.0, bad], 2, "legs", positive=True)


def test_poses() -> None:
    X = np.broadcast_to(np.eye(4), (2, 3, 4, 4)).copy()
    require_poses(X, "X")
    for k in range(4):
        wrong = X.copy()
        wrong[1, 2, 3, k] += 3e-6
        with pytest.raises(ArgumentError, match=named("X[1, 2]")):
            require_poses(wrong, "X")
        wrong[1, 2, 3, k] = np.nan
        require_poses(wrong, "X")
        near = X.copy()
        near[1, 2, 3, k] -= 1e-6
        require_poses(near, "X")
    with pytest.raises(ArgumentError, match=named("X")):
        require_poses(np.diag([1.0, 1.0, 1.0, 2.0]), "X")
    longer = X.copy()
    longer[0, 1, 0, 0] = 1.1
    with pytest.raises(ArgumentError, match=r"^X\[0, 1\]"):
        require_poses(longer, "X")
    require_rotations(longer, "X", 0.22)
    with pytest.raises(ArgumentError, match=named("R", "mirror")):
        require_rotations(np.diag([1.0, -1.0, 1.0]), "R")
    require_rotations(np.full((3, 3), np.nan), "R")
