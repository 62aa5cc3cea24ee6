"""Distances of arrays on a CUDA device: those of NumPy arrays, with a device and with the CPU in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shaped_robots import arm, with_shapes

import sixvec as sv
from sixvec.errors import ArgumentError


def world_of(kinds: str) -> sv.World:
    world, pose = sv.World(), np.eye(4)
    for k, kind in enumerate(kinds.split()):
        pose = pose.copy()
        pose[:3, 3] = [0.5 - 0.4 * k, 0.4, 0.3 * k]
        match kind:
            case "sphere":
                world.sphere(0.2, pose)
            case "box":
                world.box((0.3, 0.2, 0.4), pose)
            case "capsule":
                world.capsule(0.1, 0.3, pose)
            case "cylinder":
                world.cylinder(0.1, 0.3, pose)
            case "half_space":
                world.half_space(pose)
    return world


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kinds", ["", "sphere box capsule cylinder box"])
def test_results_are_those_of_the_cpu(xp: Any, kinds: str, dtype: str) -> None:
    robot = with_shapes(arm(), ("sphere",) if kinds else ("sphere", "capsule"), each=2)
    world = world_of(kinds) if kinds else None
    q = robot.random(0, 40).reshape(4, 10, -1).astype(dtype)
    q[1, 2, 0] = np.nan
    expected, close = robot.distance(q, world, gradient=True), 1e-12 if dtype == "float64" else 2e-5
    there = robot.distance(xp.asarray(q), world, gradient=True)
    assert isinstance(there.distance, xp.ndarray) and there.distance.dtype == dtype and there.pairs == expected.pairs
    np.testing.assert_array_equal(there.distance.get(), expected.distance)
    good = np.isfinite(expected.distance)
    np.testing.assert_array_equal(there.pair.get()[good], expected.pair[good])
    np.testing.assert_allclose(there.points.get(), expected.points, atol=close)
    np.testing.assert_allclose(there.normal.get(), expected.normal, atol=close)
    np.testing.assert_allclose(there.gradient.get(), expected.gradient, atol=close)
    for margin in (0.0, 0.1):
        clear = robot.is_clear(xp.asarray(q), world, margin)
        np.testing.assert_array_equal(clear.get(), robot.is_clear(q, world, margin))
    assert clear.get().any() and not clear.get().all()


def test_all_pairs_of_a_robot(xp: Any) -> None:
    robot = with_shapes(arm(), ("sphere", "capsule"), each=1)
    q = robot.random(0, 5)
    np.testing.assert_array_equal(robot.distances(xp.asarray(q)).distance.get(), robot.distances(q).distance)


def test_what_computes_on_the_cpu_says_so(xp: Any) -> None:
    solid, spheres = with_shapes(arm(), ("box",), each=1), with_shapes(arm(), ("sphere",), each=1)
    q = xp.asarray(solid.random(0, 5))
    with pytest.raises(ArgumentError, match="with_shapes"):
        solid.distance(q)
    with pytest.raises(ArgumentError, match="half space"):
        spheres.is_clear(q, world_of("half_space"))
    with pytest.raises(ArgumentError, match="asnumpy"):
        spheres.distances(q, world_of("sphere"))
    with pytest.raises(ArgumentError, match="asnumpy"):
        spheres.is_clear_between(q, q)
