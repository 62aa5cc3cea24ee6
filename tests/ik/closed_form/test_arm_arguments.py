"""The structures take a pose or its matrix, and say what they need when given something else."""

from __future__ import annotations

import numpy as np
import pytest
from arms_321_313 import BOOK_ARM, BOOK_Q, SEVEN, SEVEN_Q, matrix

from naming import named
from sixvec.errors import ShapeError
from sixvec.ik.closed_form import arm_313, arm_321


def test_a_matrix_is_as_good_as_a_pose() -> None:
    X, Y = arm_321.forward_position(BOOK_ARM, BOOK_Q), arm_313.forward_position(SEVEN, SEVEN_Q)
    for given in (matrix(X), matrix(X).tolist()):
        assert arm_321.inverse_position(BOOK_ARM, given) == arm_321.inverse_position(BOOK_ARM, X)
    for given in (matrix(Y), matrix(Y).tolist()):
        assert arm_313.inverse_position(SEVEN, given, 0.3) == arm_313.inverse_position(SEVEN, Y, 0.3)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (np.zeros((5, 4, 4)), named("sixvec.compiled")),
        (np.eye(3), named("target", "(3, 3)")),
        (np.zeros(6), named("target", "(6,)")),
        ("pose", named("target", "str")),
        (None, "NoneType"),
    ],
)
def test_other_targets_raise(wrong: object, why: str) -> None:
    with pytest.raises(ShapeError, match=why):
        arm_321.inverse_position(BOOK_ARM, wrong)
    with pytest.raises(ShapeError, match=why):
        arm_313.inverse_position(SEVEN, wrong)


@pytest.mark.parametrize("count", [0, 6, 8])
def test_a_313_structure_has_seven_angles(count: int) -> None:
    q = (0.1,) * count
    for ask in (arm_313.singularity, arm_313.forward_position, arm_313.null_vector, arm_313.swivel, arm_313.volume):
        with pytest.raises(ShapeError, match=named(str(count))):
            ask(SEVEN, q)
    with pytest.raises(ShapeError, match=named("313")):
        arm_313.forward_acceleration(SEVEN, q, q, q)


@pytest.mark.parametrize("count", [0, 5, 7])
def test_a_321_structure_has_six_angles(count: int) -> None:
    q = (0.1,) * count
    for ask in (arm_321.singularity, arm_321.forward_position):
        with pytest.raises(ShapeError, match=named(str(count))):
            ask(BOOK_ARM, q)
    with pytest.raises(ShapeError, match=named("321")):
        arm_321.forward_velocity(BOOK_ARM, q, q)
