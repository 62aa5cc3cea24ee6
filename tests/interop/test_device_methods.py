"""Methods that compute on a CUDA device: the answers of NumPy arrays, with a device and with the CPU in its place."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.parallel import Delta, Hexa, ParallelRobot, Planar3RPR, StewartGough
from sixvec.parallel.maps import SingularPose

PANDA = sv.load("panda")
LAST = "panda_link8"


CLOSE = {"float64": 1e-12, "float32": 1e-4}
"""Of the largest number: products of matrices and their inverses are those of CUDA's libraries on a device."""


def require_same(xp: Any, found: Any, expected: Any, exact: bool = True) -> None:
    """All arrays are of the device and have the bits of NumPy's; residuals of a batch are computed in two ways."""
    if isinstance(expected, np.ndarray):
        assert isinstance(found, xp.ndarray) and found.dtype == expected.dtype
        if exact:
            assert np.array_equal(found.get(), expected, equal_nan=expected.dtype.kind == "f")
        else:
            assert np.abs(found.get() - expected).max() <= CLOSE[str(expected.dtype)] * np.abs(expected).max()
        return
    assert type(found) is type(expected)
    for f in fields(expected):
        value = getattr(expected, f.name)
        if f.name == "residual":
            assert np.allclose(getattr(found, f.name).get(), value, rtol=0.0, atol=1e-14)
        elif isinstance(value, np.ndarray):
            require_same(xp, getattr(found, f.name), value, exact)
        else:
            assert getattr(found, f.name) == value


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives"])
def test_second_derivatives(xp: Any, name: str, dtype: str) -> None:
    robot = sv.load("planar_2r")
    rng = np.random.default_rng(0)
    q, v, a = (rng.normal(size=(5, robot.nv)).astype(dtype) for _ in range(3))
    frame = robot.frame_names[-1]
    wrench = rng.normal(size=6).astype(dtype)
    expected = getattr(robot, name)(q, v[0], a, external={frame: wrench})
    found = getattr(robot, name)(xp.asarray(q), xp.asarray(v[0]), xp.asarray(a), external={frame: xp.asarray(wrench)})
    require_same(xp, found, expected, exact=name.startswith("inverse"))
    with pytest.raises(ShapeError, match=named("v")):
        getattr(robot, name)(xp.asarray(q), xp.asarray(v[:, :1]), xp.asarray(a))
    with pytest.raises(DtypeError, match=named("v")):
        getattr(robot, name)(xp.asarray(q), xp.asarray(v).astype("float16"), xp.asarray(a))


def test_second_derivatives_of_loops(xp: Any) -> None:
    robot = sv.load("four_bar")
    q = robot.assemble([0.7, 0.0, 1.0]).q
    v, tau = np.ones(robot.nv), np.zeros(robot.nv)
    expected = robot.forward_dynamics_second_derivatives(q, v, tau)
    require_same(xp, robot.forward_dynamics_second_derivatives(*map(xp.asarray, (q, v, tau))), expected)


def paths() -> tuple[np.ndarray, np.ndarray]:
    """Five paths: two easy ones, one out of reach, one with a leap, one with a pose that is no number."""
    q0 = PANDA.random(0, 5)
    poses = np.repeat(PANDA.pose(q0, LAST)[:, None], 6, axis=1)
    poses[:, :, 0, 3] += np.linspace(0.0, 0.03, 6)
    poses[2, 3:, 2, 3] += 5.0
    poses[3, 4:] = PANDA.pose(PANDA.random(7), LAST)
    poses[4, 2, 0, 0] = np.nan
    return q0, poses


def test_paths(xp: Any) -> None:
    q0, poses = paths()
    expected = PANDA.track(q0, poses, LAST)
    found = PANDA.track(xp.asarray(q0), xp.asarray(poses), LAST)
    require_same(xp, found, expected)
    assert str(found).split(", ")[1:] == str(expected).split(", ")[1:]
    one = PANDA.track(xp.asarray(q0[0]), xp.asarray(poses[0]), LAST, tolerance=1e-8)
    require_same(xp, one, PANDA.track(q0[0], poses[0], LAST, tolerance=1e-8))
    require_same(
        xp, PANDA.track(xp.asarray(q0[0]), xp.asarray(poses[0, :0]), LAST), PANDA.track(q0[0], poses[0, :0], LAST)
    )
    with pytest.raises(ShapeError, match="track"):
        PANDA.track(xp.asarray(q0), xp.asarray(poses[0, 0]), LAST)
    with pytest.raises(TypeError, match="speed"):
        PANDA.track(xp.asarray(q0), xp.asarray(poses), LAST, speed=3)


def test_assembly(xp: Any) -> None:
    robot = sv.load("four_bar")
    rng = np.random.default_rng(1)
    q = rng.normal(size=(2, 12, robot.nq))
    q[0, 3], q[1, 5] = 0.0, np.nan
    for options in ({}, {"fixed": ["drive"]}, {"tolerance": 1e-9}):
        expected = robot.assemble(q, **options)
        assert 0 < (expected.verdict == 0).sum() < q.shape[0] * q.shape[1]
        require_same(xp, robot.assemble(xp.asarray(q), **options), expected)
    held = {LAST: ("x", "turn z")}
    start = PANDA.random(0, 3)
    require_same(xp, PANDA.assemble(xp.asarray(start), hold=held), PANDA.assemble(start, hold=held))
    with pytest.raises(ShapeError, match=named("assemble", "q")):
        robot.assemble(xp.asarray(q[..., :2]))


def ring(radius: float, shift: float) -> np.ndarray:
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3, 2) + shift * np.tile([-1.0, 1.0], 3)
    return radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=-1)


def platforms() -> list[tuple[ParallelRobot, np.ndarray]]:
    """Robots of every space and kind of leg, with a few poses."""
    rng = np.random.default_rng(3)
    poses = np.array([sv.spatial.Pose.identity().as_matrix()] * 4)
    poses[:, :3, 3] = [0.0, 0.0, 0.9] + 0.05 * rng.normal(size=(4, 3))
    below = poses.copy()
    below[:, 2, 3] *= -0.6
    base = ring(1.0, 0.2)
    return [
        (StewartGough(base, ring(0.6, 0.8)), poses),
        (Hexa(base, ring(0.4, 0.8), np.cross([0.0, 0.0, 1.0], base), 0.5, 1.0), below),
        (Delta(0.2, 0.05, 0.25, 0.6), below),
        (Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]]), rng.normal([1.5, 1.0, 0.0], 0.1, (4, 3))),
    ]


@pytest.mark.parametrize("k", range(4))
def test_maps_of_parallel_robots(xp: Any, k: int) -> None:
    robot, X = platforms()[k]
    rng = np.random.default_rng(4)
    at, rates, twist = xp.asarray(X), rng.normal(size=(4, robot.n)), rng.normal(size=(4, robot.space.freedoms))
    q = robot.inverse_position(X)
    require_same(xp, robot.inverse_position(at), q)
    require_same(xp, robot.wrench_basis(at, reference="world"), robot.wrench_basis(X, reference="world"))
    require_same(xp, robot.stiffness(at, 3.0), robot.stiffness(X, 3.0), exact=False)
    for name, given in (
        ("inverse_velocity", twist), ("forward_velocity", rates), ("forward_force", rates), ("inverse_force", twist)
    ):  # fmt: skip
        require_same(xp, getattr(robot, name)(at, xp.asarray(given)), getattr(robot, name)(X, given))
    single = robot.forward_force(at.astype("float32"), xp.asarray(rates).astype("float32"))
    assert single.dtype == "float32"
    lengths = np.asarray(q) + 0.01 * rng.normal(size=(4, robot.n))
    lengths[3] *= 9.0
    require_same(xp, robot.forward_position(xp.asarray(lengths), at), robot.forward_position(lengths, X))
    if robot.legs.has_branches:
        branch = np.arange(robot.n) % 2
        require_same(xp, robot.inverse_position(at, branch), robot.inverse_position(X, branch))


def test_what_stays_on_the_cpu_says_so(xp: Any) -> None:
    robot, X = platforms()[0]
    with pytest.raises(ArgumentError, match="assembly_modes"):
        robot.assembly_modes(xp.asarray(np.ones(6)))
    with pytest.raises(ArgumentError, match=named("inverse_force", "limits")):
        robot.inverse_force(xp.asarray(X), xp.asarray(np.ones(6)), limits=(0.0, 9.0))
    with pytest.raises(ArgumentError, match="forward_position"):
        platforms()[2][0].forward_position(xp.asarray(np.ones(3)))


def test_poses_that_are_not_good(xp: Any) -> None:
    robot, X = platforms()[0]
    X[1] = np.nan
    require_same(xp, robot.inverse_position(xp.asarray(X)), robot.inverse_position(X))
    X[2] *= 2.0
    with pytest.raises(ArgumentError, match=r"X\[2\]"):
        robot.inverse_position(xp.asarray(X))
    flat = StewartGough(ring(1.0, 0.2), ring(1.0, 0.2))
    level = np.eye(4)
    level[2, 3] = 1.0
    with pytest.warns(SingularPose):
        expected = flat.forward_velocity(level[None], np.ones((1, 6)))
    with pytest.warns(SingularPose):
        require_same(xp, flat.forward_velocity(xp.asarray(level[None]), xp.asarray(np.ones((1, 6)))), expected)
