"""From noisy forces on a robot that floats: estimates within their errors, bodies that can exist, and their errors."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from random_trees import random_tree
from sixvec import Robot
from sixvec.algorithms.parts.inertial_parameter import inertia_of
from sixvec.geometry.rigid_body.consistency import is_physical
from sixvec.identification import (
    ConsistentFit,
    Identification,
    base_parameters,
    consistent_parameters,
    identify,
    inertial_parameters,
    with_parameters,
)

NOISE = 0.5
SAMPLES = 60
TRIALS = 60


@cache
def robot() -> Robot:
    """A free body that carries three more, one of them on a ball joint."""
    return Robot(random_tree(11, bodies=4, floating=True))


@cache
def motion() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    q = robot().random(rng, SAMPLES)
    v, a = rng.normal(size=(2, SAMPLES, robot().nv))
    return q, v, a, robot().inverse_dynamics(q, v, a)


def noisy_fit(seed: int) -> Identification:
    q, v, a, tau = motion()
    noise = NOISE * np.random.default_rng(seed).normal(size=tau.shape)
    sigma = np.full(robot().nv, NOISE)
    return identify(robot(), q, v, a, tau + noise, sigma=sigma, base=_base())


@cache
def _base() -> object:
    return base_parameters(robot())


@cache
def bodies() -> ConsistentFit:
    return consistent_parameters(noisy_fit(0))


def test_estimates_scatter_as_their_standard_errors_say() -> None:
    fits = [noisy_fit(seed) for seed in range(TRIALS)]
    truth = fits[0].base.of(inertial_parameters(robot().model))
    scores = np.array([(f.values - truth) / f.standard_errors for f in fits])
    # The mean square of a normal score over 60 trials has a deviation of √(2/60) = 0.18.
    assert np.abs((scores**2).mean(axis=0) - 1.0).max() < 5 * 0.18
    assert np.abs(scores.mean(axis=0)).max() < 5 / np.sqrt(TRIALS)
    assert np.mean(scores**2) == pytest.approx(1.0, abs=0.15)


def test_bodies_are_possible_where_least_squares_alone_gives_impossible_ones() -> None:
    fit = noisy_fit(0)
    naive = np.linalg.pinv(fit.base.combinations) @ fit.values
    assert bodies().converged
    assert all(is_physical(inertia_of(row)) for row in bodies().parameters.reshape(-1, 10).tolist())
    assert not all(is_physical(inertia_of(row)) for row in naive.reshape(-1, 10).tolist())


def test_bodies_predict_the_forces_of_another_motion_and_the_robot_can_be_simulated() -> None:
    rng = np.random.default_rng(7)
    q = robot().random(rng, 50)
    v, a = rng.normal(size=(2, 50, robot().nv))
    error = bodies().robot.inverse_dynamics(q, v, a) - robot().inverse_dynamics(q, v, a)
    assert np.sqrt(np.mean(error**2)) < NOISE  # the noise of a single measurement
    M = bodies().robot.mass_matrix(q)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_a_wrong_prior_is_corrected_where_the_motion_tells() -> None:
    """With every mass and inertia of the prior too large by half, the base parameters come out as before."""
    fit = noisy_fit(0)
    own, other = bodies(), consistent_parameters(fit, 1.5 * inertial_parameters(robot().model))
    assert other.converged
    gap = fit.base.of(own.parameters) - fit.base.of(other.parameters)
    assert np.abs(gap / fit.standard_errors).max() < 1.0


def test_knowing_that_bodies_are_possible_never_hurts() -> None:
    """The covariance of the base parameters B π is at most that of least squares, in every direction."""
    B, C = noisy_fit(0).base.combinations, noisy_fit(0).covariance
    whiten = np.linalg.inv(np.linalg.cholesky(C))
    values = np.linalg.eigvalsh(whiten @ (B @ bodies().covariance @ B.T) @ whiten.T)
    assert values.max() < 1.0 + 1e-6 and values.min() > 0.0
    assert (bodies().standard_errors > 0.0).all()


def test_consistent_estimates_scatter_as_their_standard_errors_say() -> None:
    """Where the motion tells, the mean square score is one; over all parameters less, as the prior is the truth."""
    fits = [consistent_parameters(noisy_fit(seed)) for seed in range(8)]
    truth = inertial_parameters(robot().model)
    scores = np.array([(f.parameters - truth) / f.standard_errors for f in fits])
    assert np.mean(scores**2) < 1.2
    shown = np.array([f.identification.base.of(f.parameters - truth) for f in fits])
    B = fits[0].identification.base.combinations
    errors = np.array([np.sqrt(np.diagonal(B @ f.covariance @ B.T)) for f in fits])
    assert 0.6 < np.mean((shown / errors) ** 2) < 1.4


def test_exact_forces_give_the_bodies_back_in_what_can_be_seen() -> None:
    other = Robot(with_parameters(robot().model, 1.2 * inertial_parameters(robot().model)))
    q, v, a, _ = motion()
    fit = identify(robot(), q, v, a, other.inverse_dynamics(q, v, a), sigma=np.full(robot().nv, 1e-3), base=_base())
    found = consistent_parameters(fit)
    gap = fit.base.of(found.parameters) - fit.base.of(inertial_parameters(other.model))
    assert np.abs(gap / fit.standard_errors).max() < 1.0
