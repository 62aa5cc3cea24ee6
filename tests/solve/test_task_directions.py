"""One vocabulary for the directions of a task, whoever is asked."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.analysis import singularity
from sixvec.errors import ArgumentError
from sixvec.ik.redundancy import manipulability, redundancy, task_jacobian
from sixvec.solve import Metric
from sixvec.solve.direction import DIRECTIONS, TWIST, Directions, direction_rows

ARM = sixvec.load("planar_2r")
Q = np.array([0.3, 0.8])
SAME: list[Directions] = ["x z", "vx vz", "x, z", ("x", "z"), ["vx", "vz"], ("x", "vz")]


@pytest.mark.parametrize("directions", SAME)
def test_both_forms_and_both_names_mean_the_same(directions: Directions) -> None:
    assert direction_rows(directions) == [3, 5]
    np.testing.assert_array_equal(task_jacobian(ARM, Q, "tip", directions), ARM.jacobian(Q, "tip")[[3, 5]])
    assert manipulability(ARM, "tip", directions).value(Q) == pytest.approx(-np.sin(0.8))
    assert redundancy(ARM, Q, "tip", directions).task == 2
    found = singularity(ARM, Q, "tip", Metric.from_length(1.0, 2), directions=directions)
    assert found.directions == ("vx", "vz") and found.rank == 2


def test_groups_and_order() -> None:
    for names in (DIRECTIONS, TWIST, "pose", ("orientation", "position"), "orientation vx y z"):
        assert direction_rows(names) == [0, 1, 2, 3, 4, 5]
    assert direction_rows(("position", "wz")) == [3, 4, 5, 2]


@pytest.mark.parametrize(
    ("directions", "why"),
    [
        ("", "name"),
        ((), "name"),
        ("x vx", named("x", "vx")),
        ("position z", named("z")),
        ("xw", named("xw")),
        (("vx", "vw"), named("vw")),
        ([3, 5], "directions"),
        (None, "directions"),
    ],
)
def test_what_is_not_a_direction_raises(directions: Directions, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        direction_rows(directions)
    with pytest.raises(ArgumentError, match=why):
        singularity(ARM, Q, "tip", Metric.from_length(1.0, 2), directions=directions)
    with pytest.raises(ArgumentError, match=why):
        task_jacobian(ARM, Q, "tip", directions)
