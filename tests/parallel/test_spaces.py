"""Where platforms move, on plain numbers: pivots, lines of force and steps agree with each other in every space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parallel_robots import pose
from sixvec.errors import ArgumentError
from sixvec.parallel.space import TRANSLATION_MATRICES, Planar, Space, Spatial, Translational
from sixvec.spatial import Vec3

RNG = np.random.default_rng(12)
SPACES: dict[str, tuple[Space, Any]] = {
    "space": (Spatial(), pose([0.3, -0.7, 0.4], [1.0, 2.0, 3.0]).tolist()),
    "plane": (Planar(), [1.0, 2.0, 0.7]),
    "positions": (Translational(), [1.0, 2.0, 3.0]),
    "matrices": (TRANSLATION_MATRICES, pose([0.0, 0.0, 0.0], [1.0, 2.0, 3.0]).tolist()),
}
B = {"plane": Vec3(0.4, -0.3, 0.0)}
"""Pivots of planar platforms are in the plane."""


def matrix(name: str, X: Any) -> np.ndarray:
    if name == "plane":
        return pose([0.0, 0.0, X[2]], [X[0], X[1], 0.0])
    return np.array(X, float) if np.ndim(X) == 2 else pose([0.0, 0.0, 0.0], X)


@pytest.mark.parametrize("name", SPACES)
def test_pivots_forces_and_steps(name: str) -> None:
    space, X = SPACES[name]
    b, T = B.get(name, Vec3(0.4, -0.3, 0.2)), matrix(name, X)
    arm = T[:3, :3] @ [*b]
    assert [*space.pivot(X, b)] == pytest.approx((arm + T[:3, 3]).tolist())
    if name != "matrices":
        assert np.allclose(np.array(space.pose(X).as_matrix(), float), T)
    twist = RNG.normal(size=space.freedoms)
    omega, v = (np.array([*x], float) for x in space.motion(twist.tolist()))
    assert np.count_nonzero(omega) + np.count_nonzero(v) == space.freedoms
    moment, force = RNG.normal(size=(2, 3))
    w = space.wrench(Vec3(*moment), Vec3(*force))
    assert np.dot(w, twist) == pytest.approx(moment @ omega + force @ v)
    e = RNG.normal(size=3) * ([1.0, 1.0, 0.0] if name == "plane" else 1.0)
    velocity = v + np.cross(omega, arm)
    line = space.force(X, b, Vec3(*e), "local_world_aligned")
    assert np.dot(line, twist) == pytest.approx(e @ velocity)
    at_world = v - np.cross(omega, T[:3, 3])  # of the platform's point at the world's origin
    seen = space.wrench(Vec3(*omega), Vec3(*at_world))  # the same numbers, in the order of the space
    assert np.dot(space.force(X, b, Vec3(*e), "world"), seen) == pytest.approx(e @ velocity)
    own = space.wrench(Vec3(*(T[:3, :3].T @ omega)), Vec3(*(T[:3, :3].T @ v)))
    assert np.dot(space.force(X, b, Vec3(*e), "local"), own) == pytest.approx(e @ velocity)
    h = 1e-6
    ends = [np.array([*space.pivot(space.moved(X, (s * h * twist).tolist()), b)]) for s in (1.0, -1.0)]
    assert np.allclose((ends[0] - ends[1]) / (2.0 * h), velocity, atol=1e-8)
    with pytest.raises(ArgumentError, match="tool"):
        space.force(X, b, Vec3(*e), "tool")  # type: ignore[arg-type]


def test_steps_in_space_are_rotations_of_any_size() -> None:
    """By twice the arc tangent of half the rate."""
    X = SPACES["space"][1]
    for turn in ([0.3, -0.2, 0.5], [3.0, 1.0, -2.0]):
        half = float(np.linalg.norm(turn)) / 2.0
        expected = pose(np.array(turn) / (2.0 * half) * 2.0 * np.arctan(half), [0.0, 0.0, 0.0])[:3, :3]
        found = np.array(Spatial().moved(X, [*turn, 0.1, 0.2, 0.3]))
        assert np.allclose(found[:3, :3], expected @ np.array(X)[:3, :3])
        assert np.allclose(found[:, 3], [1.1, 2.2, 3.3, 1.0]) and found[3].tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("name", ["space", "matrices"])
def test_deviations_of_every_entry(name: str) -> None:
    """Zero for poses; squares of what is off, whichever entry it is, but of the position none."""
    space, X = SPACES[name]
    assert space.deviation(X) < 1e-30
    for i, j in np.ndindex(4, 4):
        off = np.array(X)
        off[i, j] += 1e-3
        found = space.deviation(off.tolist())
        if j == 3 and i < 3:
            assert found < 1e-30
        else:
            assert 1e-7 < found < 1e-4, (i, j)
            if name == "matrices" or i == 3:
                assert found == pytest.approx(1e-6)
    flipped = np.array(X) * [[1, 1, -1, 1]] * 1.0
    assert space.deviation(flipped.tolist()) > 1.0
    assert SPACES["plane"][0].deviation([1.0, 2.0, 3.0]) == SPACES["positions"][0].deviation([1.0, 2.0, 3.0]) == 0.0


def test_positions_and_matrices_are_the_same_poses() -> None:
    space = Translational()
    shown = space.as_user_pose(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert shown[1].tolist() == [[1, 0, 0, 4], [0, 1, 0, 5], [0, 0, 1, 6], [0, 0, 0, 1]]
    assert space.entries(shown).tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert space.entries(np.ones(3)).tolist() == [1.0] * 3 and Planar().entries("any") == "any"
    assert space.written_as(shown) is TRANSLATION_MATRICES and space.written_as([1.0, 2.0, 3.0]) is space
    assert Planar().written_as([1.0, 2.0, 3.0]).__class__ is Planar
    lost = shown[0].copy()
    lost[0, 1] = np.nan
    assert np.isnan([*TRANSLATION_MATRICES.pivot(lost.tolist(), Vec3(0.0, 0.0, 0.0))]).all()
