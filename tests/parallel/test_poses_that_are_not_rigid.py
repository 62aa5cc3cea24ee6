"""Poses that are not rigid are errors, poses that are not finite stay in their samples."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from parallel_robots import HOME, arm_321, delta, hexa, hexapod
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION
from sixvec.errors import ArgumentError
from sixvec.parallel import (
    UPS,
    Delta,
    ParallelCalibration,
    ParallelRobot,
    quality,
)
from sixvec.spatial import Vec3

ROBOT = hexapod()
Q = ROBOT.inverse_position(HOME)


@pytest.mark.parametrize("where", ["rotation", "last row", "mirror"])
def test_poses_raise_exactly_where_they_are_not_rigid(where: str) -> None:
    """However small the deviation, whatever is in the rest of the batch, in every call that takes poses."""
    rng = np.random.default_rng(0)
    for size in (1e-8, 3e-7, 1e-6, 1.9e-6, 2.1e-6, 1e-5):
        X = np.tile(HOME, (20, 1, 1))
        if where == "rotation":
            change = rng.uniform(-1.0, 1.0, size=(3, 3))
            change = change + change.T
            X[7, :3, :3] += size * change / np.abs(2.0 * change).max()
            bad = np.abs(X[7, :3, :3].T @ X[7, :3, :3] - np.eye(3)).max() > ROTATION_DEVIATION
        elif where == "last row":
            X[7, 3, rng.integers(4)] += size
            bad = size > ROTATION_DEVIATION
        else:
            X[7, :3, 0] *= -1.0
            bad = True
        X[3] = np.nan
        q = np.tile(Q, (20, 1))
        for call in (ROBOT.inverse_position, ROBOT.wrench_basis, lambda x: ROBOT.forward_position(q, x)):  # noqa: B023
            if bad:
                with pytest.raises(ArgumentError):
                    call(X)
            else:
                call(X)
        assert bad or (np.isfinite(ROBOT.inverse_position(X)).all(axis=-1) == (np.arange(20) != 3)).all()


def test_a_delta_rejects_turned_platforms_and_no_others() -> None:
    robot, X = delta(), np.tile(np.eye(4), (20, 1, 1))
    X[:, 2, 3], X[3, 0, 1] = -0.5, np.nan
    X[5, 0, 1] = 1.9e-6
    X[5, 3, 3] += 1.9e-6
    assert (np.isfinite(robot.inverse_position(X).q).all(axis=-1) == (np.arange(20) != 3)).all()
    X[7, 0, 1], X[7, 1, 0] = 1e-3, -1e-3
    for call in (robot.inverse_position, robot.wrench_basis, lambda x: robot.forward_position(np.zeros(3), x)):
        with pytest.raises(ArgumentError):
            call(X)


def test_nan_stays_in_its_pose() -> None:
    X = np.stack([HOME, HOME])
    X[0, 3, 3] = np.nan
    answers = ROBOT.inverse_position(X), ROBOT.inverse_velocity(X, np.ones(6)), ROBOT.forward_force(X, np.ones(6))
    for answer in answers:
        assert np.isnan(answer[0]).all() and np.isfinite(answer[1]).all()
    assert np.isnan(quality(ROBOT, X).dexterity[0]) and quality(ROBOT, X).dexterity[1] > 0.0


def test_no_poses_have_no_wrenches() -> None:
    assert ROBOT.wrench_basis(np.zeros((0, 4, 4))).shape == (0, 6, 6)


def test_branches_are_choices_for_arrays_of_every_library() -> None:
    jnp = pytest.importorskip("jax.numpy")
    x, robot = jnp.array([0.05, 0.02, -0.5]), delta()
    mode = robot.inverse_position(x)
    assert robot.branch(x, mode.q).tolist() == mode.branch.tolist()
    speeds = robot.inverse_velocity(x, jnp.ones(3), branch=mode.branch)
    assert np.allclose(speeds, robot.inverse_velocity(np.asarray(x, float), np.ones(3), branch=mode.branch), rtol=1e-5)


def test_legs_take_coordinates_as_lists() -> None:
    leg = UPS(base=[0.0, 0.0, -1.0], platform=np.zeros(3))  # type: ignore[arg-type]
    assert leg == UPS(base=Vec3(0.0, 0.0, -1.0), platform=Vec3.zero()) and ParallelRobot([leg]).n == 1


def test_kernels_of_a_delta_take_matrices_on_request() -> None:
    delta = Delta(0.2, 0.05, 0.25, 0.6)
    X = delta.forward_position([0.1, 0.2, 0.3]).pose
    for name, more in (("wrench_basis", ()), ("newton_step", ([0.1, 0.2, 0.35],))):
        usual = [] if name == "newton_step" else [np.ones(3)]
        with_matrix = delta.kernel(name, matrices=True)(X, *more, *usual)
        with_point = delta.kernel(name)(X[:3, 3], *more, *usual)
        assert np.array_equal(with_matrix[0][..., :3, 3] if more else with_matrix[0], with_point[0]), name


def test_results_have_short_reprs() -> None:
    assert repr(hexa()) == "<Hexa 6-6: 6 legs RUS>" and repr(arm_321()) == "<Parallel321 321: 6 legs UPS>"
    mode = delta().inverse_position([[0.0, 0.0, -0.5], [0.0, 0.0, -5.0]])
    assert repr(mode) == "<WorkingMode q (2, 3), 1 of 2 reached>" and mode.leg.tolist() == [-1, 0]
    legs = pickle.loads(pickle.dumps(ROBOT.legs))
    assert legs == ROBOT.legs and type(legs) is type(ROBOT.legs) and hash(legs) == hash(ROBOT.legs)
    deviation, verdict = np.zeros((2, 7)), np.zeros(2, np.int8)
    found = ParallelCalibration(ROBOT, np.array([1e-3, 2.5e-3]), np.array([7, 5]), deviation, verdict)
    assert repr(found) == "<ParallelCalibration: 12 of 14 parameters identified, residual 0.0025 m>"
    assert not found.identified
