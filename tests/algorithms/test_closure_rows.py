"""Equations of closures, each against differences of what it is the rate of; which motions each joint prevents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, sin
from typing import Any

import numpy as np
import pytest

from sixvec.algorithms.parts.closure_rows import Acceleration, Along, Between, Shift, Spin, Thread, Turn, rows_of
from sixvec.errors import ModelError
from sixvec.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from sixvec.spatial import Motion, Pose, Rotation, Vec3

U, W = Vec3(0.6, 0.0, 0.8), Vec3(0.48, 0.8, -0.36)
V, C, JA, DX, DV, DC = (Motion.of(x) for x in np.random.default_rng(3).normal(size=(6, 6)).tolist())
STEP = 1e-5
DIFFERENCE = 1e-8
"""Central differences: a step squared of truncation and 2⁻⁵³ / step of rounding, of numbers up to ten."""

TURNED = Pose(Rotation.about_z(0.7) @ Rotation.about_x(-0.4), Vec3(0.3, -0.2, 0.5))
SHIFTED = Pose(Rotation.identity(), Vec3(0.3, -0.2, 0.5))
ROWS = {
    "along": (Along(U), TURNED), "between": (Between(U, W), TURNED), "thread": (Thread(U, 0.3), TURNED),
    "turn": (Turn(U), SHIFTED),
}  # fmt: skip
every_row = pytest.mark.parametrize("name", ROWS)


def moved(X: Pose, by: Motion, h: float) -> Pose:
    return Pose.exp(by * h) @ X


def slope(f: Callable[[float], Any]) -> float:
    return float((f(STEP) - f(-STEP)) / (2.0 * STEP))


@every_row
def test_rates_are_those_of_errors(name: str) -> None:
    row, X = ROWS[name]
    for at in (X, TURNED, Pose.identity()):
        assert row.rate(at, V) == pytest.approx(slope(lambda h, at=at: row.error(moved(at, V, h))), abs=DIFFERENCE)


@pytest.mark.parametrize("name", ["along", "between"])
def test_second_derivatives_are_those_of_rates(name: str) -> None:
    row, X = ROWS[name]
    assert row.second(X, V, C) == pytest.approx(slope(lambda h: row.rate(moved(X, V, h), V + C * h)), abs=DIFFERENCE)


@pytest.mark.parametrize("angle", [0.0, 0.9])
def test_second_derivatives_of_threads_and_turns_hold_where_the_loop_is_closed(angle: float) -> None:
    screw = Motion(U, U * 0.3)
    X, along = moved(Pose.identity(), screw, angle), screw * 1.3
    thread = Thread(U, 0.3)
    assert abs(thread.error(X)) < 1e-15 and abs(thread.rate(X, along)) < 1e-15
    for row, at, velocity in ((thread, X, along), (Turn(U), SHIFTED, Motion(Vec3.zero(), V.lin))):
        expected = slope(lambda h, row=row, at=at, v=velocity: row.rate(moved(at, v, h), v + C * h))
        assert row.second(at, velocity, C) == pytest.approx(expected, abs=DIFFERENCE)


@every_row
def test_slopes_are_changes_with_the_position(name: str) -> None:
    row, X = ROWS[name]
    expected = slope(lambda h: row.rate(moved(X, DX, h), V))
    assert row.rate_slope(X, V, DX) == pytest.approx(expected, abs=DIFFERENCE)

    def acceleration(h: float, dX: Motion) -> Any:
        at, v, c = moved(X, dX, h), V + DV * h, C + DC * h
        return row.rate(at, JA) + row.second(at, v, c - JA)

    for dX in (DX, Motion.zero()):
        found = row.second_slope(Acceleration(X, V, C, JA), dX, DV, DC)
        assert found == pytest.approx(slope(lambda h, dX=dX: acceleration(h, dX)), abs=10.0 * DIFFERENCE)


@pytest.mark.parametrize(("kind", "part"), [(Shift, "lin"), (Spin, "ang")])
def test_rows_of_held_frames_are_parts_of_the_velocity(kind: Any, part: str) -> None:
    row = kind(U)
    assert row.error(TURNED) == 0.0 and row.rate_slope(TURNED, V, DX) == 0.0
    assert row.rate(TURNED, V) == U.dot(getattr(V, part))
    assert row.second(TURNED, V, C) == U.dot(getattr(C, part))
    assert row.second_slope(Acceleration(TURNED, V, C, JA), DX, DV, DC) == U.dot(getattr(DC, part))


X_AXIS, Y_AXIS, Z_AXIS = (Vec3.of(row) for row in np.eye(3).tolist())
TURNS = ["turn about x", "turn about y", "turn about z"]
NAMES = [
    (Fixed(), [*TURNS, "x", "y", "z"]),
    (Revolute(Z_AXIS), ["turn about x", "turn about y", "x", "y", "z"]),
    (Prismatic(Z_AXIS), [*TURNS, "x", "y"]),
    (Helical(Z_AXIS, 0.2), ["turn about x", "turn about y", "x", "y", "thread along z"]),
    (Cylindrical(Z_AXIS), ["turn about x", "turn about y", "x", "y"]),
    (Planar(Z_AXIS), ["turn about x", "turn about y", "z"]),
    (Spherical(), ["x", "y", "z"]),
    (Universal(X_AXIS, Y_AXIS), ["turn about -z", "x", "y", "z"]),
    (Free(), []),
]


@pytest.mark.parametrize(("joint", "names"), NAMES, ids=lambda x: type(x).__name__)
def test_rows_are_named_by_what_the_joint_prevents(joint: Any, names: list[str]) -> None:
    assert [row.name for row in rows_of(joint)] == names


@pytest.mark.parametrize("axis", [X_AXIS, Y_AXIS, -Z_AXIS, U], ids=str)
def test_a_joint_moves_along_its_own_rows_nowhere(axis: Vec3) -> None:
    """Where it is neutral, and where it has moved; a motion across it opens as many rows as there are freedoms less."""
    joints = (Revolute(axis), Prismatic(axis), Helical(axis, 0.2), Cylindrical(axis), Planar(axis), Spherical())
    for joint in joints:
        for q in (joint.neutral(), joint.integrate(joint.neutral(), [0.3 + 0.1 * i for i in range(joint.nv)])):
            X, rows = joint.pose(q), rows_of(joint)
            assert max(abs(float(row.error(X))) for row in rows) < 1e-14
            rates = np.array([[row.rate(X, Motion.of(e)) for e in np.eye(6).tolist()] for row in rows], float)
            own = np.array([[*(X @ S)] for S in joint.subspace(q)], float)
            assert np.abs(rates @ own.T).max() < 1e-14
            assert np.linalg.matrix_rank(rates, tol=1e-9) == len(rows) == 6 - joint.nv


def test_directions_are_named_by_axis_sign_and_components() -> None:
    named = {"x": X_AXIS, "-x": X_AXIS * -2.0, "z": Z_AXIS * 0.5, "-y": -Y_AXIS, "(0.6, 0, 0.8)": U}
    assert {name: Along(u).name for name, u in named.items()} == {name: name for name in named}
    near = Vec3(1.0, 1e-8, 0.0)
    assert Shift(near).name == "(1, 1e-08, 0)" and Spin(-Z_AXIS).name == "turn about -z"
    assert Shift(Vec3(1.0, 1e-10, 0.0)).name == "x"
    assert Turn(U).name == "turn about (0.6, 0, 0.8)" and Thread(-X_AXIS, 1.0).name == "thread along -x"


def test_twists_are_measured_without_swing() -> None:
    """A turn about u and then a swing across it: the thread advances by the turn."""
    for angle in (0.4, -2.0, 3.0):
        swing = Rotation.about_y(0.3) if angle > 0.0 else Rotation.about_x(-0.5)
        X = Pose(swing @ Rotation.about_z(angle), Vec3(0.1, 0.2, 0.25))
        assert Thread(Z_AXIS, 0.5).error(X) == pytest.approx(0.25 - 0.5 * angle, abs=1e-14)
    quarter = Pose(Rotation.about_z(0.5), Vec3.zero())
    assert Between(X_AXIS, Y_AXIS).error(quarter) == pytest.approx(-sin(0.5), abs=1e-15)
    assert Between(X_AXIS, X_AXIS).error(quarter) == pytest.approx(cos(0.5) - 1.0, abs=1e-15)


@dataclass(frozen=True)
class Crank(Joint):
    """Turns about an axis that does not pass through the origin of the frame."""

    nq = nv = 1
    angular = (True,)

    def pose(self, q: Any) -> Pose:
        return Pose(Rotation.about(Vec3(0.0, 0.0, 1.0), q[0]), Vec3(cos(q[0]) - 1.0, sin(q[0]), 0.0))

    def subspace(self, q: Any) -> tuple[Motion, ...]:
        return (Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 1.0, 0.0)),)


def test_a_joint_that_violates_the_equations_of_its_screws_is_named() -> None:
    with pytest.raises(ModelError, match="crank"):
        rows_of(Crank())
