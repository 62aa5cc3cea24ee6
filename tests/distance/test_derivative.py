"""Derivatives of the smallest gap by torch and JAX: those of the nearest points."""

from __future__ import annotations

import numpy as np
import pytest
from shaped_robots import arm, with_shapes
from test_between import robots

import sixvec as sv
from sixvec.errors import ArgumentError


@pytest.fixture(scope="module", params=["round", "solid", "sliding", "free"])
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    return robots()[request.param]


@pytest.fixture(scope="module")
def world() -> sv.World:
    made = sv.World()
    made.sphere(0.1, np.array([[1, 0, 0, 0.5], [0, 1, 0, 0.4], [0, 0, 1, 0.6], [0, 0, 0, 1.0]]))
    return made


def test_jax_has_the_gradient_in_tangent_coordinates(robot: sv.Robot, world: sv.World) -> None:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        q = robot.random(0, 4)
        expected = robot.distance(q, world, gradient=True)

        def gap(q0: np.ndarray) -> object:
            return lambda v: robot.distance(robot.integrate(q0, v), world).distance

        for k, state in enumerate(q):
            slope = jax.grad(gap(jax.numpy.asarray(state)))(jax.numpy.zeros(robot.nv))
            assert np.allclose(slope, expected.gradient[k], atol=1e-13)
        found = jax.jit(lambda x: robot.distance(x, world))(jax.numpy.asarray(q))
        assert np.array_equal(found.distance, expected.distance) and np.array_equal(found.pair, expected.pair)
        assert found.pairs == expected.pairs and np.array_equal(found.points, expected.points)


def test_jax_maps_and_differentiates_batches(robot: sv.Robot) -> None:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        q = robot.random(1, 3)
        each = jax.vmap(jax.grad(lambda x: robot.distance(x).distance))(jax.numpy.asarray(q))
        together = jax.grad(lambda x: robot.distance(x).distance.sum())(jax.numpy.asarray(q))
        assert np.array_equal(each, together)
        if robot.nq == robot.nv:
            assert np.allclose(each, robot.distance(q, gradient=True).gradient, atol=1e-14)


def test_torch_has_the_gradient() -> None:
    torch = pytest.importorskip("torch")
    robot = with_shapes(arm(), ("sphere", "capsule"), each=1)
    q = robot.random(0, 5)
    expected = robot.distance(q, gradient=True)
    q[1, 0] = np.nan
    x = torch.tensor(q, requires_grad=True)
    found = robot.distance(x)
    found.distance.sum().backward()
    good = [0, 2, 3, 4]
    assert np.allclose(x.grad[good], expected.gradient[good], atol=1e-14)
    assert x.grad[1].isnan().all() and found.points.shape == (5, 2, 3)
    single = torch.tensor(q[0], dtype=torch.float32, requires_grad=True)
    assert robot.distance(single).distance.dtype == torch.float32
    with pytest.raises(ArgumentError, match="distance"):
        torch.func.grad(lambda y: robot.distance(y).distance)(torch.tensor(q[0]))


def test_slopes_of_states_that_are_not_finite() -> None:
    jax = pytest.importorskip("jax")
    robot = with_shapes(arm(1), ("sphere",), each=1)
    world = sv.World()
    world.sphere(0.1, np.array([[1, 0, 0, 50.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    slope = jax.grad(lambda x: robot.distance(x, world).distance)(jax.numpy.full(robot.nq, jax.numpy.nan))
    assert np.isnan(slope).all()
