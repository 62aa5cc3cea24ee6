"""Leg vectors and errors of legs, against the geometry of every kind of leg."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from naming import named
from parallel_robots import FAMILIES, HOME, hexapod, ring, step
from sixvec.errors import ShapeError
from sixvec.parallel import RUS, UPS, ParallelRobot, StewartGough, closure_error, leg_vectors

RNG = np.random.default_rng(17)


def pivots(robot: ParallelRobot, X: np.ndarray) -> np.ndarray:
    """(n, 3): p + R t_i."""
    if X.shape == (3,) and robot.space.turns == 0:
        return X + robot.platform
    if X.shape == (3,):
        return Rotation.from_rotvec([0.0, 0.0, X[2]]).apply(robot.platform) + np.array([*X[:2], 0.0])
    return robot.platform @ X[:3, :3].T + (X[:3, 3] if X.shape == (4, 4) else 0.0)


@pytest.mark.covers("PAR-01", "Bruyninckx (8.1)")
@pytest.mark.parametrize("name", FAMILIES)
def test_legs_reach_from_the_base_to_the_platform(name: str) -> None:
    robot, X = FAMILIES[name]
    poses = np.array([step(robot, X, 0.05 * RNG.normal(size=robot.space.freedoms)) for _ in range(4)])
    vectors = leg_vectors(robot, poses)
    for at, l in zip(poses, vectors, strict=True):
        assert np.allclose(robot.roots + l, pivots(robot, at), atol=1e-12)
    for k, leg in enumerate(robot.legs):
        if isinstance(leg, UPS):
            assert np.allclose(np.linalg.norm(vectors[:, k], axis=-1), np.asarray(robot.inverse_position(poses))[:, k])


@pytest.mark.covers("PAR-01")
@pytest.mark.parametrize("name", FAMILIES)
def test_the_error_of_a_leg_is_what_its_rod_lacks(name: str) -> None:
    robot, X = FAMILIES[name]
    q = np.asarray(robot.inverse_position(X))
    assert np.abs(closure_error(robot, X, q)).max() < 1e-12
    off = q + 0.1 * RNG.normal(size=(5, robot.n))
    errors = closure_error(robot, X, off)
    for k, leg in enumerate(robot.legs):
        there = pivots(robot, np.asarray(X))[k]
        for row, x in zip(errors[:, k], off[:, k], strict=True):
            root, length = robot.roots[k], getattr(leg, "rod", x)
            if isinstance(leg, RUS):
                root = root + Rotation.from_rotvec(x * np.array([*leg.axis])).apply(leg.crank * np.array([*leg.zero]))
            elif not isinstance(leg, UPS):
                root = root + x * np.array([*leg.axis])
            assert np.isclose(row, np.linalg.norm(there - root) - length, atol=1e-12)


@pytest.mark.covers("PAR-14")
def test_planar_bases_and_platforms() -> None:
    plain = hexapod()
    assert plain.has_planar_base and plain.has_planar_platform
    bent = plain.platform + np.outer([1.0, 0, 0, 0, 0, 0], [0, 0, 1e-3])
    tilt = Rotation.from_rotvec([0.3, -0.8, 0.2])
    robot = StewartGough(tilt.apply(plain.roots) + np.array([100.0, 3.0, -7.0]), bent)
    assert robot.has_planar_base and not robot.has_planar_platform
    crossed = ring(6, 1.0, 0.0, 0.0)
    crossed[::2, 2] += 0.2
    assert not StewartGough(crossed, plain.platform).has_planar_base


def test_mistakes_are_named() -> None:
    robot = hexapod()
    with pytest.raises(ShapeError, match=named("closure_error", "q", "6")):
        closure_error(robot, HOME, np.ones(5))
    with pytest.raises(ShapeError, match=named("closure_error", "X", "q")):
        closure_error(robot, np.tile(HOME, (3, 1, 1)), np.ones((2, 6)))
    with pytest.raises(ShapeError, match=named("leg_vectors", "X")):
        leg_vectors(robot, np.ones(3))
