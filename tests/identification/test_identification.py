"""Identification: base parameters, estimates that scatter as they say, bodies that can exist."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from random_states import random_states
from sixvec import Robot
from sixvec.algorithms.inertial_parameter import inertia_of
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.identification import (
    base_parameters,
    consistent_parameters,
    from_log_cholesky,
    identify,
    inertial_parameters,
    log_cholesky,
    with_parameters,
)
from sixvec.identification.base_parameters import independent_columns
from sixvec.identification.log_cholesky import from_log_cholesky_derivative
from sixvec.identification.structural import regrouping
from sixvec.model.canonical import canonical, regrouped
from sixvec.rigid_body.consistency import is_physical
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

BASE_COUNTS = {"planar_2r": 6, "puma560": 36, "panda": 43, "solo12": 94}
"""7 for each revolute joint, and 1 for a first one along gravity (Gautier and Khalil 1990 give 36 for the Puma 560);
a floating base shows all 10 of its own."""


@pytest.mark.parametrize("name", list(BASE_COUNTS))
@pytest.mark.parametrize("method", ["numerical", "structural"])
def test_known_numbers_of_base_parameters(name: str, method: str) -> None:
    assert len(base_parameters(sixvec.load(name), method)) == BASE_COUNTS[name]


@pytest.mark.parametrize(
    ("name", "unseen"), [("planar_2r", 0), ("puma560", 0), ("solo12", 0), ("small", 0), ("floating", 1)]
)
def test_both_methods_explain_all_forces_and_the_numerical_one_finds_every_dependence(name: str, unseen: int) -> None:
    """On the floating tree a second moment of mass along a helical axis is regrouped by the numerical method alone."""
    robot = sixvec.load(name) if name in BASE_COUNTS else tree(name)
    numerical, structural = base_parameters(robot), base_parameters(robot, "structural")
    rows = np.vstack([numerical.combinations, structural.combinations])
    together = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert len(numerical) + unseen == len(structural) == np.linalg.matrix_rank(together, tol=1e-7)
    q, v, a, _ = random_states(robot, seed=9)
    for base in (numerical, structural):
        tau = base.regressor(q, v, a) @ base.of(inertial_parameters(robot.model))
        assert_close(tau, robot.inverse_dynamics(q, v, a), 10 * SOLVED)


def test_a_scara_shows_the_limit_of_the_structural_method() -> None:
    """Parallel axes make two of its parameters depend on others; only the numerical method sees that."""
    robot = sixvec.load("cobra600")
    assert len(base_parameters(robot)) == 8 and len(base_parameters(robot, "structural")) == 10


def test_regrouping_is_the_linear_map_of_the_models_own_regrouping() -> None:
    model = tree("small").model
    numbers = np.array([x for b in regrouped(canonical(model)).bodies for x in b.inertia])
    assert_close(regrouping(model) @ inertial_parameters(model), numbers, IDENTITY, batched=False)


def test_independent_columns_are_the_first_ones() -> None:
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 20))
    B, R = independent_columns(np.column_stack([x, 0 * x, 2.0 * x, y, x - 3.0 * y, z]))
    assert R.argmax(axis=0).tolist() == [0, 3, 5]
    assert_close(B, np.array([[1, 0, 2, 0, 1, 0], [0, 0, 0, 1, -3, 0], [0, 0, 0, 0, 0, 1.0]]), IDENTITY, batched=False)


def test_without_noise_the_parameters_are_exact() -> None:
    robot = tree("small")
    q, v, a, _ = random_states(robot, 60)
    fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a), sigma=np.ones(robot.nv))
    truth = fit.base.of(inertial_parameters(robot.model))
    assert_close(fit.values, truth, 100 * SOLVED, batched=False)
    assert_close(fit.forces(q, v, a), robot.inverse_dynamics(q, v, a), 100 * SOLVED)


def test_estimates_scatter_as_their_standard_errors_say() -> None:
    """Two hundred experiments with other noise; unequal joints, whose weights the fit finds by itself."""
    robot = sixvec.load("planar_2r")
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 80, 2))
    noise = np.array([0.5, 0.05])
    tau = robot.inverse_dynamics(q, v, a)
    fits = [identify(robot, q, v, a, tau + noise * rng.normal(size=tau.shape)) for _ in range(200)]
    truth = fits[0].base.of(inertial_parameters(robot.model))
    scores = np.array([(f.values - truth) / f.standard_errors for f in fits])
    assert (np.abs(scores.std(axis=0) - 1.0) < 0.25).all()  # five standard deviations of a standard deviation of 200
    assert (np.abs(scores.mean(axis=0)) < 0.35).all()
    assert np.allclose(np.mean([f.sigma for f in fits], axis=0), noise, rtol=0.05)


def test_weights_help_where_joints_differ() -> None:
    robot = sixvec.load("planar_2r")
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 80, 2))
    tau = robot.inverse_dynamics(q, v, a) + [0.5, 0.05] * rng.normal(size=(80, 2))
    equal, weighted = (identify(robot, q, v, a, tau, sigma=s) for s in ([0.3, 0.3], [0.5, 0.05]))
    truth = equal.base.of(inertial_parameters(robot.model))
    assert np.abs(weighted.values - truth)[3:].max() < 0.5 * np.abs(equal.values - truth)[3:].max()


def test_friction_and_rotors_are_taken_as_known() -> None:
    robot = sixvec.load("panda")
    q, v, a, _ = random_states(robot, 80)
    tau = robot.inverse_dynamics(q, v, a, passive=True)
    fit = identify(robot, q, v, a, tau, sigma=np.ones(7), passive=True)
    assert_close(fit.values, fit.base.of(inertial_parameters(robot.model)), 100 * SOLVED, batched=False)


def test_log_cholesky_there_and_back_and_its_derivative() -> None:
    theta = np.random.default_rng(0).normal(size=(20, 10))
    pi = from_log_cholesky(theta)
    for row in pi.tolist():
        assert is_physical(inertia_of(row))
    assert_close(log_cholesky(pi), theta, 1e4 * IDENTITY)
    step = 1e-4
    D = from_log_cholesky_derivative(theta)
    for k in range(10):
        e = step * np.eye(10)[k]
        f = [from_log_cholesky(theta + s * e) for s in (-2, -1, 1, 2)]
        assert_close(D[..., k], (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step), DIFFERENCE, scale=np.abs(D).max())


def test_noisy_measurements_give_bodies_that_can_exist() -> None:
    """Least squares alone may return impossible bodies; the consistent fit explains the data as well and may not."""
    robot = tree("small")
    q, v, a, _ = random_states(robot, 60)
    rng = np.random.default_rng(2)
    fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a) + rng.normal(size=(60, robot.nv)))
    naive = np.linalg.pinv(fit.base.combinations) @ fit.values
    possible = consistent_parameters(fit)
    assert possible.converged and possible.misfit < 1.5
    assert all(map(is_physical, map(inertia_of, possible.parameters.reshape(-1, 10).tolist())))
    assert not all(map(is_physical, map(inertia_of, naive.reshape(-1, 10).tolist())))
    assert_close(inertial_parameters(possible.robot.model), possible.parameters, IDENTITY, batched=False)
    assert "converged" in str(possible) and "misfit" in str(possible)


def test_what_is_wrong_is_said() -> None:
    robot = sixvec.load("planar_2r")
    q, v, a, tau = random_states(robot, 30)
    with pytest.raises(ShapeError, match=r"tau must be an array \(samples, 2\), not \(30, 3\)"):
        identify(robot, q, v, a, np.zeros((30, 3)))
    with pytest.raises(ShapeError, match="3 samples of 2 joints cannot determine 6"):
        identify(robot, q[:3], v[:3], a[:3], tau[:3])
    with pytest.raises(DegenerateError, match=r"leaves . of 6 base parameters undetermined"):
        identify(robot, np.tile(q[:1], (30, 1)), 0 * v, 0 * a, tau)
    with pytest.raises(ArgumentError, match="tau has entries that are not finite"):
        identify(robot, q, v, a, np.full_like(tau, np.nan))
    with pytest.raises(ArgumentError, match="sigma must hold 2 positive numbers"):
        identify(robot, q, v, a, tau, sigma=[1.0, 0.0])
    with pytest.raises(ArgumentError, match="methods: numerical, structural"):
        base_parameters(robot, "guess")
    with pytest.raises(DegenerateError, match='prior of body "link1"'):
        consistent_parameters(identify(robot, q, v, a, tau))  # its bodies are point masses


def test_reports_read_well() -> None:
    robot = Robot(with_parameters(sixvec.load("planar_2r").model, np.arange(20.0)))
    q, v, a, tau = random_states(robot, 30)
    text = str(identify(robot, q, v, a, tau))
    assert "6 base parameters from 30 samples" in text and "mx(link1) + m(link2)" in text
    assert "planar_2r: 6 base parameters of 20 (numerical method)" in str(base_parameters(robot))
