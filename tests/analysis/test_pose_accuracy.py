"""Accuracy and repeatability of ISO 9283 on poses whose scatter is known."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.analysis import distance_accuracy, pose_accuracy
from sixvec.errors import ArgumentError, ShapeError
from sixvec.spatial import Pose, Quaternion, Vec3

COMMAND = np.array(Pose(Quaternion.exp(Vec3(0.4, -0.2, 0.9)).as_rotation(), Vec3(0.5, 0.1, 0.8)).as_matrix())


def attained(offset: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Poses displaced by vectors and turned by rotation vectors about world axes."""
    poses = []
    for p, w in zip(offset, turn, strict=True):
        R = np.array([[*row] for row in Quaternion.exp(Vec3.of(w.tolist())).as_rotation().matrix.rows])
        X = COMMAND.copy()
        X[:3, :3] = R @ X[:3, :3]
        X[:3, 3] += p
        poses.append(X)
    return np.array(poses)


@pytest.mark.covers("CHAIN-19")
def test_numbers_follow_their_definitions() -> None:
    rng = np.random.default_rng(0)
    p, w = rng.normal(size=(30, 3)) * 1e-4 + [1e-3, 0.0, -2e-3], rng.normal(size=(30, 3)) * 1e-3 + [0.0, 5e-3, 0.0]
    found = pose_accuracy(COMMAND, attained(p, w))
    middle = p.mean(axis=0)
    l = np.sqrt(((p - middle) ** 2).sum(axis=1))
    spread = np.sqrt(((l - l.mean()) ** 2).sum() / 29)
    np.testing.assert_allclose(found.offset, middle, atol=1e-12)
    assert found.position_accuracy == pytest.approx(np.sqrt((middle**2).sum()), abs=1e-12)
    assert found.position_repeatability == pytest.approx(l.mean() + 3 * spread, abs=1e-12)
    np.testing.assert_allclose(found.orientation_accuracy, w.mean(axis=0), atol=1e-12)
    deviation = np.sqrt(((w - w.mean(axis=0)) ** 2).sum(axis=0) / 29)
    np.testing.assert_allclose(found.orientation_repeatability, 3 * deviation, atol=1e-12)
    assert "30 poses" in str(found) and "mm" in str(found)


@pytest.mark.covers("CHAIN-19")
def test_a_constant_error_is_inaccurate_and_perfectly_repeatable() -> None:
    poses = attained(np.tile([3e-3, 4e-3, 0.0], (5, 1)), np.zeros((5, 3)))
    found = pose_accuracy(COMMAND, poses)
    assert found.position_accuracy == pytest.approx(5e-3)
    assert found.position_repeatability < 1e-12
    assert np.abs(found.orientation_repeatability).max() < 1e-12


@pytest.mark.covers("CHAIN-19")
def test_scatter_about_the_command_is_accurate_and_not_repeatable() -> None:
    """Eight corners of a cube: the mean is the command, every distance is its half diagonal, without spread."""
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * 1e-3
    found = pose_accuracy(COMMAND, attained(corners, np.zeros((8, 3))))
    assert found.position_accuracy < 1e-12
    assert found.position_repeatability == pytest.approx(np.sqrt(3) * 1e-3)


@pytest.mark.covers("CHAIN-19")
def test_accuracy_does_not_depend_on_the_world_frame() -> None:
    rng = np.random.default_rng(1)
    poses = attained(rng.normal(size=(10, 3)) * 1e-3, rng.normal(size=(10, 3)) * 1e-3)
    here, there = pose_accuracy(COMMAND, poses), pose_accuracy(COMMAND @ COMMAND, COMMAND @ poses)
    assert there.position_accuracy == pytest.approx(here.position_accuracy)
    assert there.position_repeatability == pytest.approx(here.position_repeatability)


@pytest.mark.covers("CHAIN-19")
def test_distances_between_two_positions() -> None:
    rng = np.random.default_rng(2)
    lengths = 1.0 + 0.01 + rng.normal(size=30) * 1e-3
    pairs = np.zeros((30, 2, 3))
    pairs[:, 1, 1] = lengths
    pairs += rng.normal(size=(30, 1, 3))  # where the pair stands does not matter
    found = distance_accuracy([[0.3, 2.0, -0.5], [0.3, 3.0, -0.5]], pairs)
    AD, RD = found.accuracy, found.repeatability
    assert pytest.approx(abs(lengths.mean() - 1.0)) == AD
    assert pytest.approx(3 * lengths.std(ddof=1)) == RD


def test_too_few_or_broken_poses_raise() -> None:
    with pytest.raises(ArgumentError, match="attained"):
        pose_accuracy(COMMAND, COMMAND[None])
    with pytest.raises(ShapeError, match="attained"):
        pose_accuracy(COMMAND, COMMAND)
    with pytest.raises(ArgumentError, match="poses"):
        pose_accuracy(COMMAND, np.full((3, 4, 4), np.nan))
    with pytest.raises(ShapeError, match="positions"):
        distance_accuracy([0.0, 1.0], np.zeros((3, 2, 3)))
