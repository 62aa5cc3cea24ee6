"""A batch of poses or lengths, of any shape, is answered as its samples are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from parallel_robots import FAMILIES, Array, pose, step
from sixvec.parallel import ParallelRobot, is_convex, mirrored, quality
from sixvec.parallel.working_mode import wrapped

BATCH = (2, 3)
CLOSED = {"delta": 2, "321": 8, "3-RPR": 6}
"""Families whose assembly modes are found quickly, with the most poses that one of them has."""


def around(robot: ParallelRobot, X: Array) -> Array:
    """Poses near one, in a batch."""
    rng = np.random.default_rng(6)
    twists = 0.05 * rng.normal(size=(*BATCH, robot.space.freedoms))
    return np.stack([np.stack([step(robot, X, t) for t in row]) for row in twists])


MAPS: dict[str, Callable[[ParallelRobot, Array, Array, Array], Any]] = {
    "inverse_position": lambda r, X, t, f: r.inverse_position(X),
    "inverse_velocity": lambda r, X, t, f: r.inverse_velocity(X, t),
    "forward_velocity": lambda r, X, t, f: r.forward_velocity(X, f),
    "forward_force": lambda r, X, t, f: r.forward_force(X, f),
    "inverse_force": lambda r, X, t, f: r.inverse_force(X, t),
    "wrench_basis": lambda r, X, t, f: r.wrench_basis(X),
    "stiffness": lambda r, X, t, f: r.stiffness(X, 1e3),
    "quality": lambda r, X, t, f: quality(r, X).accuracy,
    "dexterity": lambda r, X, t, f: quality(r, X).dexterity,
    "softest": lambda r, X, t, f: quality(r, X).stiffness,
    "branch": lambda r, X, t, f: r.branch(X, r.inverse_position(X)),
    "forward_position": lambda r, X, t, f: r.forward_position(r.inverse_position(X), X).pose,
}


@pytest.mark.parametrize("name", ["delta", "3-RRR"])
def test_maps_of_batches(name: str) -> None:
    robot, home = FAMILIES[name]
    X = around(robot, home)
    rng = np.random.default_rng(7)
    twist, force = rng.normal(size=(*BATCH, robot.space.freedoms)), rng.normal(size=(*BATCH, robot.n))
    for what, answer in MAPS.items():
        many = np.asarray(answer(robot, X, twist, force))
        assert many.shape[:2] == BATCH, what
        for at in np.ndindex(BATCH):
            one = np.asarray(answer(robot, X[at], twist[at], force[at]))
            assert np.allclose(many[at], one, rtol=1e-12, atol=1e-12), (what, at)


@pytest.mark.parametrize("name", ["hexaglide", "3-RRR"])
def test_found_poses_have_the_same_bits_next_to_lengths_that_no_pose_has(name: str) -> None:
    robot, home = FAMILIES[name]
    rng = np.random.default_rng(0)
    X = np.stack([step(robot, home, 0.05 * rng.normal(size=robot.space.freedoms)) for _ in range(60)])
    q = np.array(robot.inverse_position(X))
    lengths = np.concatenate([q, np.full_like(q[:1], np.nan)])
    alone, beside = (robot.forward_position(x, home, tolerance=1e-6) for x in (q, lengths))
    assert alone.verdict.max() == 0 and beside.verdict[-1]
    assert np.array_equal(beside.pose[:-1], alone.pose) and np.array_equal(beside.residual[:-1], alone.residual)


@pytest.mark.parametrize("name", CLOSED)
def test_assembly_modes_of_batches(name: str) -> None:
    robot, home = FAMILIES[name]
    q = np.array(robot.inverse_position(around(robot, home)))
    q[1, 1] = [3.0, 0.0, 0.0] if name == "delta" else 40.0 * q[1, 1]  # no pose has this
    many = robot.assembly_modes(q)
    assert many.poses.shape[:2] == BATCH and many.count.shape == BATCH and many.count[1, 1] == 0
    assert many.poses.shape[2] == many.count.max() <= CLOSED[name]
    for at in np.ndindex(BATCH):
        one, count = robot.assembly_modes(q[at]), int(many.count[at])
        assert one.count == count and np.isnan(many.poses[at][count:]).all()
        assert np.allclose(many.poses[at][:count], one.poses, atol=1e-11)
        assert [*many.labels[at][:count]] == [*one.labels] and not any(many.labels[at][count:])
        for field in ("certified", "self_motion", "complex_count", "verdict"):
            assert getattr(many, field)[at] == getattr(one, field), field
        assert many.residual[at] == pytest.approx(one.residual, abs=1e-12)
        assert np.array_equal(many.q[at], q[at])


def test_mirror_partners_of_batches() -> None:
    robot, home = FAMILIES["hexapod"]
    X = around(robot, home)
    partners = mirrored(robot, X)
    assert np.allclose(mirrored(robot, partners), X, atol=1e-12)
    assert np.allclose(robot.inverse_position(partners), robot.inverse_position(X), atol=1e-12)
    turned = X @ pose([0.0, 0.0, np.pi], [0.0, 0.0, 0.0])
    found = is_convex(robot, np.stack([X, partners, turned]))
    assert found.shape == (3, *BATCH)
    singles = [[is_convex(robot, x) for x in row.reshape(-1, 4, 4)] for row in (X, partners, turned)]
    assert found.reshape(3, -1).tolist() == [[bool(x) for x in row] for row in singles]
    assert np.array_equal(found[0], found[1]) and not found[2].any()


def test_differences_of_angles_are_within_half_a_turn_and_those_of_lengths_are_kept() -> None:
    x = np.random.default_rng(8).uniform(-20.0, 20.0, (50, 3))
    angles, lengths = FAMILIES["3-RRR"][0].legs, FAMILIES["3-RPR"][0].legs
    found = wrapped(x, angles)
    assert (np.abs(found) <= np.pi).all() and np.allclose(np.exp(1j * found), np.exp(1j * x))
    assert np.array_equal(wrapped(x, lengths), x)
