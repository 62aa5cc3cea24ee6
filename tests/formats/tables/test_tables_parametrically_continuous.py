"""Parametrically continuous tables: the transform in both forms, its smoothness, and reversed axes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from table_arms import deviation, poses, random_arm

import sixvec
from random_trees import random_pose
from sixvec.errors import ArgumentError, DegenerateError, ModelError
from sixvec.formats.tables import DHRow, PCRow, PCTable, pc_row_to, pc_transform
from sixvec.geometry.line import Line
from sixvec.geometry.pc_line import PCLine
from sixvec.geometry.point import Point
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, Vec3
from tolerances import ROUNDING


def some_axes(seed: int) -> list[Line]:
    rng = np.random.default_rng(seed)
    made = [random_pose(rng) for _ in range(100)]
    return [Line(Point.of(X.pos), X.rot.axes[2]) for X in made]


@pytest.mark.covers("CHAIN-06")
def test_the_rotation_is_the_smallest_that_leads_from_z_to_b() -> None:
    for axis in some_axes(0):
        b = axis.direction
        R = pc_transform(b.x, b.y, 0.0, 0.0, b.z).rot
        assert R.deviation() < ROUNDING / (1.0 + b.z)
        np.testing.assert_allclose([*R.axes[2]], [*b], atol=ROUNDING)
        assert R.matrix.xx + R.matrix.yy + R.matrix.zz == pytest.approx(1.0 + 2.0 * b.z)  # its angle is that of z and b
        assert R.matrix.xy == R.matrix.yx  # and its axis has no z


@pytest.mark.covers("CHAIN-06")
def test_z_lies_on_the_axis_in_both_forms() -> None:
    for axis in some_axes(1):
        for form in ("turned", "printed"):
            row = pc_row_to(axis, form=form)
            X = pc_transform(row.b_x, row.b_y, row.l_x, row.l_y, row.b_z, form)
            reach = X.pos.norm() + 1.0
            assert Line(Point.of(X.pos), X.rot.axes[2]).distance_to(axis.point) < ROUNDING * reach
            # By the words: in the plane through the old origin across the axis.  As printed: in the old xy-plane.
            assert abs(X.pos.dot(axis.direction) if form == "turned" else X.pos.z) < ROUNDING * reach


@pytest.mark.covers("CHAIN-06", "Bruyninckx (5.8)")
def test_the_words_and_the_matrix_of_the_book_differ() -> None:
    turned = pc_transform(0.6, 0.0, 0.5, 0.2)
    printed = pc_transform(0.6, 0.0, 0.5, 0.2, form="printed")
    assert turned.rot == printed.rot
    assert [*printed.pos] == [0.5, 0.2, 0.0]
    np.testing.assert_allclose([*turned.pos], [0.4, 0.2, -0.3], atol=ROUNDING)


@pytest.mark.covers("CHAIN-06")
def test_the_line_of_the_same_numbers() -> None:
    for axis in some_axes(2):
        row, line = pc_row_to(axis), PCLine.from_line(axis)
        scale = 1.0 / (1.0 + axis.direction.z)
        np.testing.assert_allclose((row.l_x, row.l_y), (line.l_x, line.l_y), atol=ROUNDING * scale)


@pytest.mark.covers("CHAIN-06")
def test_a_small_error_of_the_arm_is_a_small_change_of_the_numbers() -> None:
    at, tilt = Point(0.5, 0.1, 0.2), 1e-7
    straight = pc_row_to(Line(at, Vec3(0.0, 0.0, 1.0)))
    for angle in np.linspace(0.0, 6.0, 7).tolist():
        row = pc_row_to(Line(at, Vec3(tilt * math.cos(angle), tilt * math.sin(angle), 1.0)))
        assert math.hypot(row.l_x - straight.l_x, row.l_y - straight.l_y) < 2.0 * tilt
        assert math.hypot(row.b_x, row.b_y) == pytest.approx(tilt)


@pytest.mark.covers("CHAIN-06")
def test_without_b_z_it_is_the_positive_root() -> None:
    given, left_out = (PCTable((PCRow(0.6, 0.0, 0.1, 0.2, b_z), PCRow())).as_model() for b_z in (0.8, None))
    q = np.array([0.3, 0.4])
    np.testing.assert_allclose(poses(given, q, ["tip"]), poses(left_out, q, ["tip"]), atol=ROUNDING)


@pytest.mark.covers("CHAIN-06")
def test_axes_that_point_backwards_are_reversed_and_reported() -> None:
    down = Revolute(Vec3(0.0, 0.0, -1.0))
    arm = Model("flip", (Body("a", None, Revolute()), Body("b", "a", down, Pose.translation(Vec3(0.5, 0.0, 0.0)))))
    table = PCTable.from_model(arm)
    assert [row.sign for row in table.rows] == [1.0, -1.0]
    assert [(c.row, c.case) for c in table.choices] == [(2, "axis backwards")]
    q = np.array([0.3, 0.4])
    np.testing.assert_allclose(poses(table.as_model(), q, ["b"]), poses(arm, q, ["b"]), atol=ROUNDING)


@pytest.mark.covers("CHAIN-06")
def test_the_printed_form_rebuilds_arms_without_right_angles() -> None:
    done = 0
    for seed in range(60):
        arm = random_arm(seed)
        steep = min(abs(row.b_z or 0.0) for row in PCTable.from_model(arm).rows)
        if steep < 0.1:
            continue
        table = PCTable.from_model(arm, form="printed")
        off, _ = deviation(arm, table.as_model(), seed, states=1)
        assert off < ROUNDING / steep**2, seed
        done += 1
    assert done >= 10
    with pytest.raises(DegenerateError, match="form"):
        PCTable.from_model(sixvec.load("puma560").model, form="printed")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (PCTable((PCRow(), PCRow(b_x=0.8, b_y=0.8))), "row 2: b = (0.8, 0.8, None) is not a unit vector"),
        (PCTable((PCRow(b_x=0.5, b_z=0.5),)), "row 1: b = (0.5, 0.0, 0.5) is not a unit vector"),
        (PCTable((PCRow(b_z=-1.0),)), "row 1: b = -z"),
        (PCTable((PCRow(l_x=math.inf),)), "row 1: l_x = inf"),
        (PCTable((PCRow(sign=2.0),)), "row 1: sign = 2.0; valid: 1, -1"),
        (PCTable((PCRow(), DHRow())), "row 2 is a DHRow"),  # type: ignore[arg-type]
    ],
)
def test_errors_name_the_row_and_the_offender(table: PCTable, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        table.as_model()
    assert message in str(caught.value)


def test_unknown_forms_raise() -> None:
    with pytest.raises(ArgumentError, match="original"):
        PCTable((PCRow(),), "original")  # type: ignore[arg-type]
