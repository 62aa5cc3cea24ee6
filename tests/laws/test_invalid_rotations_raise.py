"""Numbers that are not a pose, a rotation, a direction or a solid raise an error, in float32 as in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import DegenerateError, ModelError
from sixvec.geometry import Direction, angle_between
from sixvec.geometry.rigid_body import Box, Capsule, Cylinder, HollowCylinder, HollowSphere, Sphere, Torus
from sixvec.spatial import Pose, Quaternion, Rotation, Vec3, so3

IDENTITY = np.eye(4)


def _with(row: int, column: int, value: float) -> np.ndarray:
    X = np.eye(4)
    X[row, column] = value
    return X


@pytest.mark.parametrize("entry", [(0, 0), (1, 2), (2, 1)])
@pytest.mark.parametrize("value", [math.nan, math.inf, 0.5, 1.0 + 1e-6])
def test_no_rotation_is_not_a_pose(entry: tuple[int, int], value: float) -> None:
    X = _with(*entry, value)
    with np.errstate(invalid="ignore"):
        for read in (
            lambda: Rotation.from_matrix(X[:3, :3]),
            lambda: Pose.from_matrix(X),
            lambda: Pose.from_matrix(X[:3]),
        ):
            with pytest.raises(DegenerateError, match="rotation"):
                read()


def test_mirrors_positions_and_last_rows() -> None:
    with pytest.raises(DegenerateError, match="rotation"):
        Pose.from_matrix(_with(2, 2, -1.0))
    with pytest.raises(DegenerateError, match="position"):
        Pose.from_matrix(_with(1, 3, math.nan).tolist())
    with pytest.raises(DegenerateError, match=named("rows", "columns")):
        Pose.from_matrix(_with(1, 3, 0.7).T)
    with pytest.raises(DegenerateError, match="pose"):
        Pose.from_matrix(_with(3, 3, math.nan))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_poses_of_robots_pass(kind: str) -> None:
    """In float32 a rotation misses by 1e-7, which is rounding there and a mistake in float64."""
    arm = sv.load("panda")
    X = arm.pose(arm.random(3).astype(kind), "panda_link8")
    assert Pose.from_matrix(X).rot.matrix.xx.dtype == kind
    assert Rotation.from_matrix(X[:3, :3]).matrix.xx == X[0, 0]
    assert abs(so3.log(Rotation.from_matrix(X[:3, :3])).x) < 4.0
    Pose.from_matrix(np.linalg.inv(X))
    with pytest.raises(DegenerateError):
        Pose.from_matrix(X + np.asarray(1e-4, kind))


@pytest.mark.parametrize("size", [1e200, 1.7e308, 1e-170, 5e-324, 1.0, 1e9, 1e-9])
def test_directions_of_vectors_of_any_length(size: float) -> None:
    d = Direction.from_vector(Vec3(-size, 0.0, size))
    assert [*d] == pytest.approx([-math.sqrt(0.5), 0.0, math.sqrt(0.5)], rel=1e-15)
    batch = Direction.from_vector(Vec3(np.array([-size, 3.0]), np.zeros(2), np.array([size, 4.0])))
    np.testing.assert_allclose([*batch], [[-math.sqrt(0.5), 0.6], [0.0, 0.0], [math.sqrt(0.5), 0.8]], rtol=1e-15)
    assert angle_between(Vec3(size, 0.0, 0.0), Vec3(1.0, 1.0, 0.0)) == pytest.approx(math.pi / 4, rel=1e-15)


def test_the_zero_vector_has_no_direction() -> None:
    with pytest.raises(DegenerateError, match="direction"):
        Direction.from_vector(Vec3.zero())


@pytest.mark.parametrize(
    "xyzw", [(0.0,) * 4, (math.nan, 0.0, 0.0, 1.0), (math.inf, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1e200)]
)
def test_quaternions_that_are_no_multiple_of_a_rotation(xyzw: tuple[float, ...]) -> None:
    q = Quaternion(*xyzw)
    for use in (q.normalized, q.as_rotation, q.log, q.angle, lambda: q @ Vec3(1.0, 2.0, 3.0), lambda: q.distance(q)):
        with pytest.raises(DegenerateError, match="rotation"):
            use()


def test_a_quaternion_of_another_length_says_so() -> None:
    with pytest.raises(DegenerateError, match=named("q.normalized")):
        Quaternion(0.0, 2.0, 0.0, 0.0).as_rotation()
    assert Quaternion(0.0, 2.0, 0.0, 0.0).normalized().as_rotation() == Rotation.from_matrix(np.diag([-1.0, 1.0, -1.0]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sphere(-1.0), lambda: Sphere(math.nan), lambda: Sphere(math.inf), lambda: Cylinder(1.0, -2.0),
        lambda: Box(Vec3(1.0, -1.0, 1.0)), lambda: Capsule(-0.1, 1.0), lambda: HollowSphere(1.0, 2.0),
        lambda: HollowCylinder(1.0, 2.0, 1.0), lambda: HollowSphere(1.0, -0.5), lambda: Torus(1.0, 2.0),
    ],
)  # fmt: skip
def test_solids_that_cannot_exist(make) -> None:
    with pytest.raises(ModelError):
        make()
