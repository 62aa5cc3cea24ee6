"""Hayati-Roberts tables: the transform, where it is singular, and the rows that stand in there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from table_arms import matrix, poses, random_arm

from naming import named
from random_trees import random_pose
from sixvec.errors import DegenerateError, ModelError
from sixvec.formats.tables import DHRow, HRRow, HRTable, PCRow, hr_row_of, hr_row_to, hr_transform
from sixvec.geometry.hr_line import HRLine
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.spatial import Pose, Rotation, Vec3
from tolerances import ROUNDING


@pytest.mark.covers("CHAIN-05", "Bruyninckx (5.7)")
def test_the_transform_is_yaw_shift_pitch_roll() -> None:
    rng = np.random.default_rng(0)
    for alpha, d, gamma, beta in rng.uniform(-1.5, 1.5, (50, 4)).tolist():
        yaw, pitch, roll = Rotation.about_z(alpha), Rotation.about_y(gamma), Rotation.about_x(beta)
        expected = Pose(yaw, Vec3.zero()) @ Pose.translation(Vec3(d, 0.0, 0.0)) @ Pose(pitch @ roll, Vec3.zero())
        X = hr_transform(alpha, d, gamma, beta)
        np.testing.assert_allclose(matrix(X), matrix(expected), atol=ROUNDING)
        assert X.pos.z == 0.0
        row = hr_row_of(X)
        np.testing.assert_allclose((row.alpha, row.d, row.gamma, row.beta), (alpha, d, gamma, beta), atol=ROUNDING)


@pytest.mark.covers("CHAIN-05")
def test_a_row_to_an_axis_puts_z_on_it_where_it_meets_the_plane() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        X = random_pose(rng)
        axis = Line(Point.of(X.pos), X.rot.axes[2])
        found = hr_row_to(axis)
        row, choices = found.row, found.choices
        made = hr_transform(row.alpha, row.d, row.gamma, row.beta)
        np.testing.assert_allclose([*made.rot.axes[2]], [*axis.direction], atol=ROUNDING)
        trace = HRLine.from_line(axis)
        scale = 1.0 / abs(axis.direction.z)
        np.testing.assert_allclose([*made.pos], [trace.l_x, trace.l_y, 0.0], atol=ROUNDING * scale)
        assert not choices


@pytest.mark.covers("CHAIN-05")
def test_every_axis_parallel_to_the_plane_is_singular_not_only_x_and_y() -> None:
    for angle in (0.0, 0.7, math.pi / 2):
        axis = Line(Point(0.1, 0.2, 0.3), Vec3(math.cos(angle), math.sin(angle), 0.0))
        with pytest.raises(DegenerateError, match="axis"):
            hr_row_to(axis, 4)


@pytest.mark.covers("CHAIN-05")
def test_an_axis_through_the_origin_leaves_alpha_open() -> None:
    found = hr_row_to(Line(Point(0.0, 0.0, 0.0), Vec3(0.0, 0.6, 0.8)))
    row, (choice,) = found.row, found.choices
    assert (row.alpha, row.d) == (0.0, 0.0) and choice.case == "axis through the origin before"
    z = hr_transform(row.alpha, row.d, row.gamma, row.beta).rot.axes[2]
    np.testing.assert_allclose([*z], [0.0, 0.6, 0.8], atol=ROUNDING)


@pytest.mark.covers("CHAIN-05")
def test_numbers_change_smoothly_through_parallel_axes() -> None:
    """A tilt of 1e-7 changes them by some 1e-7, where d and θ of Denavit-Hartenberg jump."""
    at = Point(0.5, 0.0, 0.2)
    straight = hr_row_to(Line(at, Vec3(0.0, 0.0, 1.0))).row
    for e in (Vec3(1e-7, 0.0, 1.0), Vec3(0.0, -1e-7, 1.0)):
        row = hr_row_to(Line(at, e)).row
        moved = np.subtract((row.alpha, row.d, row.gamma, row.beta), (straight.alpha, straight.d, 0.0, 0.0))
        assert np.abs(moved).max() < 2e-7


@pytest.mark.covers("CHAIN-05")
def test_most_poses_have_no_row() -> None:
    with pytest.raises(DegenerateError, match=named("xy", "plane")):
        hr_row_of(Pose.translation(Vec3(0.1, 0.0, 0.3)))
    with pytest.raises(DegenerateError, match="frame"):
        hr_row_of(Pose.translation(Vec3(0.1, 0.2, 0.0)))


@pytest.mark.covers("CHAIN-05")
def test_rows_are_mixed_by_the_angle_between_the_axes() -> None:
    for seed in range(20):
        table = HRTable.from_model(random_arm(seed))
        replaced = {c.row for c in table.choices if c.chosen == "a Denavit-Hartenberg row"}
        assert replaced == {i for i, row in enumerate(table.rows, start=1) if isinstance(row, DHRow)}


def test_a_slide_moves_along_z_before_the_row() -> None:
    table = HRTable((HRRow(0.1, 0.2, 0.3, 0.4, "prismatic", offset=0.5),))
    expected = Pose.translation(Vec3(0.0, 0.0, 0.5 + 0.7)) @ hr_transform(0.1, 0.2, 0.3, 0.4)
    np.testing.assert_allclose(poses(table.as_model(), np.array([0.7]), ["tip"])[0], matrix(expected), atol=ROUNDING)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (HRTable((HRRow(), HRRow(gamma=math.nan))), "row 2: gamma = nan"),
        (HRTable((HRRow(), DHRow(alpha=math.inf))), "row 2: alpha = inf"),
        (HRTable((PCRow(),)), "row 1 is a PCRow"),  # type: ignore[arg-type]
        (HRTable((HRRow(joint="screw"),)), "row 1: joint = 'screw'"),  # type: ignore[arg-type]
    ],
)
def test_errors_name_the_row_and_the_offender(table: HRTable, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        table.as_model()
    assert message in str(caught.value)
