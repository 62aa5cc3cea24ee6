"""`robot.linearize`: near a state, the linear system moves as the robot does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.errors import ArgumentError, CallError
from sixvec.solve.matrix_exponential import matrix_exponential
from tolerances import IDENTITY, assert_close

TIME, STEPS = 0.02, 40
SMALL = 1e-5


def flow(robot: sv.Robot, q: Any, v: Any, tau: Any, **options: Any) -> Any:
    path = robot.rollout(q, v, tau, TIME / STEPS, steps=STEPS, integrator="rk4", **options)
    return path.q[..., -1, :], path.v[..., -1, :]


def robots() -> dict[str, sv.Robot]:
    trees = {f"tree {k}": sv.Robot(random_tree(np.random.default_rng(k))) for k in range(3)}
    return {"panda": sv.load("panda"), "cart_pole": sv.load("cart_pole"), "solo12": sv.load("solo12")} | trees


ROBOTS = robots()


def state(robot: sv.Robot, seed: int = 1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    q, v = robot.random(rng), rng.normal(size=robot.nv)
    return q, v, robot.gravity_forces(q) + 0.1 * rng.normal(size=robot.nv)


@pytest.mark.parametrize("name", ROBOTS)
def test_derivatives_of_the_flow_satisfy_the_linear_system(name: str) -> None:
    """Differences of two motions grow as  d/dt x = A x + B u: their derivative at the start, by small steps in time."""
    robot = ROBOTS[name]
    q, v, tau = state(robot)
    near, n, h = robot.linearize(q, v, tau), robot.nv, 1e-5
    A, B = near
    assert A is near.A and B is near.B

    def after(x: Any, u: Any, time: float) -> Any:
        path = robot.rollout(robot.integrate(q, x[:n]), v + x[n:], tau + u, time, steps=1, integrator="rk4")
        return path.q[0], path.v[0]

    for k in range(0, 3 * n, max(1, n // 5)):
        along = np.eye(3 * n)[k] * 1e-4
        rates = []
        for time in (h, 2 * h):
            ends = [after(s * along[: 2 * n], s * along[2 * n :], time) for s in (1.0, -1.0)]
            middle = after(np.zeros(2 * n), np.zeros(n), time)[0]
            grown = [np.concatenate([robot.difference(middle, e[0]), e[1]]) for e in ends]
            rates.append(((grown[0] - grown[1]) / 2e-4 - np.eye(3 * n)[: 2 * n, k]) / time)
        expected = np.concatenate([near.A, near.B], axis=1)[:, k]
        found = 2.0 * rates[0] - rates[1]
        assert np.abs(found - expected).max() < 2e-3 * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("name", ["panda", "cart_pole", "solo12"])
def test_a_step_from_rest_is_that_of_the_robot(name: str) -> None:
    """At an equilibrium the system is constant, and its exponential is the derivative of the flow."""
    robot = ROBOTS[name]
    if name == "solo12":
        robot = robot.with_gravity([0.0, 0.0, 0.0])
    q = robot.random(3)
    v, tau, n = np.zeros(robot.nv), robot.gravity_forces(q), robot.nv
    near = robot.linearize(q, v, tau, dt=TIME)
    x = SMALL * np.eye(3 * n)
    ends = []
    for sign in (1.0, -1.0):
        at = robot.integrate(q, sign * x[:, :n])
        end = flow(robot, at, v + sign * x[:, n : 2 * n], tau + sign * x[:, 2 * n :])
        ends.append(np.concatenate([robot.difference(q, end[0]), end[1]], axis=-1))
    slope = (ends[0] - ends[1]).T / (2.0 * SMALL)
    expected = np.concatenate([near.A, near.B], axis=1)
    assert np.abs(slope - expected).max() < 1e-5 * np.abs(expected).max()


def test_batches_wrenches_and_passive_forces() -> None:
    robot = ROBOTS["panda"]
    q, v = robot.random(0, 5), np.random.default_rng(0).normal(size=(5, 7))
    options: dict[str, Any] = {"external": {"panda_link8": np.ones(6)}, "passive": True}
    near = robot.linearize(q, v, np.ones(7), dt=0.01, **options)
    for k in range(5):
        one = robot.linearize(q[k], v[k], np.ones(7), dt=0.01, **options)
        assert np.array_equal(near.A[k], one.A) and np.array_equal(near.B[k], one.B)
    slopes = robot.forward_dynamics_derivatives(q, v, np.ones(7), **options)
    assert np.array_equal(robot.linearize(q, v, np.ones(7), **options).A[:, 7:, :7], slopes.dq)
    single = robot.linearize(*(np.ones(7, np.float32),) * 3, 0.01)
    assert single.A.dtype == single.B.dtype == np.float32


def test_what_is_not_free_is_an_error() -> None:
    with pytest.raises(sv.SixvecError, match="linearize"):
        sv.load("four_bar").linearize(np.zeros(3), np.zeros(3), np.zeros(3))
    with pytest.raises(ArgumentError, match=named("linearize", "dt")):
        ROBOTS["panda"].linearize(np.zeros(7), np.zeros(7), np.zeros(7), -1.0)


def test_exponentials() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 5, 5)) * np.logspace(-9, 1.5, 20)[:, None, None]
    values, vectors = np.linalg.eig(A)
    expected = ((vectors * np.exp(values)[:, None, :]) @ np.linalg.inv(vectors)).real
    found = matrix_exponential(A)
    assert (np.abs(found - expected).max(axis=(1, 2)) < 1e-10 * np.abs(expected).max(axis=(1, 2))).all()
    for k in range(20):
        assert np.array_equal(matrix_exponential(A[k]), found[k])
    shift = np.diag(np.ones(3), 1) * 7.0
    assert_close(matrix_exponential(shift)[0], [1.0, 7.0, 24.5, 343.0 / 6.0], IDENTITY)
    assert np.isnan(matrix_exponential(np.full((2, 2), np.nan))).all()


def test_energy_is_the_sum_and_is_kept() -> None:
    robot = sv.load("double_pendulum")
    path = robot.rollout([1.0, 0.5], [0.0, 0.0], [0.0, 0.0], 0.001, steps=1000, integrator="rk4")
    energy = robot.energy(path.q, path.v)
    assert energy.shape == (1000,) and np.ptp(energy) < 1e-8
    assert energy[3] == robot.kinetic_energy(path.q[3], path.v[3]) + robot.potential_energy(path.q[3])


def test_all_solutions_are_named() -> None:
    panda = ROBOTS["panda"]
    with pytest.raises(CallError, match=named("ik", "closed_form", "panda_link8")):
        panda.ik(np.eye(4), "panda_link8", all=True)
