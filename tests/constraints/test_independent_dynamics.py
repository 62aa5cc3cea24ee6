"""Motion of linkages in their independent coordinate, against forward dynamics with loops."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.constraints import independent_dynamics, velocity_map
from sixvec.errors import ArgumentError


@pytest.mark.covers("CON-13")
@pytest.mark.parametrize(("name", "independent"), [("four_bar", None), ("four_bar", ["pivot"]), ("slider_crank", None)])
def test_accelerations_are_those_of_forward_dynamics(name: str, independent: list[str] | None) -> None:
    robot, rng = sv.load(name), np.random.default_rng(0)
    q = robot.assemble(rng.normal(0.5, 0.3, (20, robot.nv))).q
    K = velocity_map(robot, q, independent)
    v, tau = (K @ rng.normal(size=(20, 1, 1)))[..., 0], rng.normal(size=(20, robot.nv))
    d = independent_dynamics(robot, q, v, independent)
    push = (np.swapaxes(d.K, -1, -2) @ tau[..., None])[..., 0] - d.bias
    a = np.linalg.solve(d.M, push[..., None])
    expected = robot.forward_dynamics(q, v, tau)
    assert np.allclose((d.K @ a)[..., 0] + d.drift, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    energy = 0.5 * (v[:, None] @ robot.mass_matrix(q) @ v[..., None])[:, 0, 0]
    rate = v[:, [robot.joint_names.index(independent[0])]] if independent else v[:, :1]
    assert np.allclose(0.5 * d.M[:, 0, 0] * rate[:, 0] ** 2, energy)


def test_velocities_that_open_a_loop_raise() -> None:
    robot = sv.load("four_bar")
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    with pytest.raises(ArgumentError, match=named("independent_dynamics", "coupler_pin")):
        independent_dynamics(robot, q, np.ones(3))


def test_one_position_with_many_velocities() -> None:
    robot = sv.load("four_bar")
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v = velocity_map(robot, q)[:, 0] * np.array([0.5, -1.0])[:, None]
    many = independent_dynamics(robot, q, v)
    assert many.drift.shape == (2, 3) and many.bias.shape == (2, 1) and many.K.shape == (3, 1)
    for k in range(2):
        one = independent_dynamics(robot, q, v[k])
        assert np.allclose(many.drift[k], one.drift) and np.allclose(many.bias[k], one.bias)
