"""The mass matrix as a covariance, and the factors as a Kalman filter."""

from __future__ import annotations

import numpy as np
import pytest
from operator_robots import ROBOTS, operators

from sixvec.errors import ShapeError
from sixvec.theory.operators import innovations, random_forces
from tolerances import SOLVED, assert_close

SAMPLES = 40_000


@pytest.mark.covers("OP-04", "Rodriguez-Kreutz (4.12)", "Rodriguez-Kreutz (4.15)")
@pytest.mark.parametrize("name", ROBOTS)
def test_the_filter_is_the_inverse_factor(name: str) -> None:
    o, _ = operators(name)
    y = np.random.default_rng(0).normal(size=(5, o.model.nv))
    found = innovations(o, y)
    assert_close(found.residual, y @ o.inverse_factor.T, SOLVED)
    assert_close(found.residual @ o.factor.T, y, SOLVED)
    # ẑ = Ψ L y, all links at once.
    assert_close(found.prediction.reshape(5, -1), y @ (o.Psi @ o.L).T, SOLVED)


@pytest.mark.every(2)
@pytest.mark.covers("OP-04", "Rodriguez-Kreutz (4.1)-(4.3)")
@pytest.mark.parametrize("name", ROBOTS)
def test_random_link_forces_have_the_mass_matrix_as_covariance_and_white_innovations(name: str) -> None:
    """In units of standard deviations; a sample correlation strays by about 1/√samples, five of them being a lot."""
    o, _ = operators(name)
    y = random_forces(o, np.random.default_rng(1), SAMPLES)
    for sample, covariance in ((y, o.mass_matrix), (innovations(o, y).residual, o.D)):
        size = np.sqrt(np.diagonal(covariance))
        measured = sample.T @ sample / SAMPLES / np.outer(size, size)
        assert np.abs(measured - covariance / np.outer(size, size)).max() < 5.0 * np.sqrt(2.0 / SAMPLES)


@pytest.mark.covers("OP-04")
@pytest.mark.parametrize("name", ROBOTS)
def test_likelihood_is_that_of_the_normal_distribution(name: str) -> None:
    from scipy.stats import multivariate_normal

    o, _ = operators(name)
    y = random_forces(o, np.random.default_rng(2), 4)
    expected = multivariate_normal(cov=o.mass_matrix).logpdf(y)
    np.testing.assert_allclose(innovations(o, y).log_likelihood, expected, rtol=1e-9)


def test_forces_of_another_robot_raise() -> None:
    o, _ = operators("tree")
    with pytest.raises(ShapeError, match=str(o.model.nv)):
        innovations(o, np.zeros(o.model.nv + 1))
