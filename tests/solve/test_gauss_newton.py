"""One Gauss-Newton loop for all: convergence, verdicts, and independence from the batch."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.arguments import Array
from sixvec.solve.gauss_newton import gauss_newton, rank_step
from sixvec.verdict import Verdict

TARGETS = np.array([[1.2, 0.4], [0.3, -0.9], [3.0, 1.0], [np.nan, 0.0]])
"""Reached by two links of length 1: twice, out of reach, not a number."""
STARTS = np.array([[0.1, 0.9], [-1.0, 1.0], [0.2, 0.4], [0.1, 0.2]])


def two_links(x: Array, rows: Array) -> tuple[Array, Array]:
    a, b = x[:, 0], x[:, 0] + x[:, 1]
    tip = np.stack([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)], axis=-1)
    J = np.stack([np.stack([-tip[:, 1], -np.sin(b)], -1), np.stack([tip[:, 0], np.cos(b)], -1)], axis=-2)
    return tip - TARGETS[rows], J


def curve(x: Array, rows: Array) -> tuple[Array, Array]:
    """Data of a exp(b t) with noise: least squares with a residual that stays."""
    t = np.linspace(0.0, 1.0, 20)
    data = 2.0 * np.exp(-1.5 * t) + 0.01 * np.sin(40.0 * t)
    model = x[:, :1] * np.exp(x[:, 1:] * t)
    return model - data, np.stack([model / x[:, :1], model * t], axis=-1)


def test_equations_that_can_be_satisfied_are_and_the_others_are_not_called_solved() -> None:
    fit = gauss_newton(STARTS, two_links, tolerance=1e-12, longest=0.5)
    assert fit.verdict.tolist() == [Verdict.SOLVED, Verdict.SOLVED, Verdict.NOT_CONVERGED, Verdict.INVALID]
    assert np.abs(fit.residual[:2]).max() <= 1e-12
    assert np.allclose(two_links(fit.x, np.arange(4))[0], fit.residual, rtol=0.0, atol=0.0, equal_nan=True)
    assert fit.steps[0] < 10 and fit.steps[2] == 50 and fit.steps[3] == 0


def test_at_a_least_square_the_gradient_vanishes() -> None:
    fit = gauss_newton(np.array([[1.0, -1.0], [3.0, 0.1]]), curve, step_tolerance=1e-12)
    assert fit.solved.all() and fit.jacobian is not None
    assert np.abs(np.einsum("kmn,km->kn", fit.jacobian, fit.residual)).max() < 1e-12
    assert np.abs(fit.x[0] - fit.x[1]).max() < 1e-11
    assert np.linalg.norm(fit.residual[0]) > 0.01


@pytest.mark.parametrize("halvings", [0, 20])
def test_each_problem_has_the_same_bits_alone_and_in_a_batch(halvings: int) -> None:
    together = gauss_newton(STARTS, two_links, tolerance=1e-12, longest=0.5, halvings=halvings)
    for k in range(len(STARTS)):
        alone = gauss_newton(
            STARTS[k : k + 1], lambda x, _, k=k: two_links(x, np.array([k])), tolerance=1e-12, longest=0.5,
            halvings=halvings,
        )  # fmt: skip
        assert alone.x.tobytes() == together.x[k : k + 1].tobytes()
        assert alone.verdict[0] == together.verdict[k] and alone.steps[0] == together.steps[k]


def test_with_halvings_no_step_increases_the_residual() -> None:
    def out_of_reach(x: Array, rows: Array) -> tuple[Array, Array]:
        return two_links(x, np.array([2]))

    sizes = [
        np.linalg.norm(gauss_newton(STARTS[2:3], out_of_reach, halvings=30, iterations=n).residual) for n in range(12)
    ]
    assert (np.diff(sizes) <= 0.0).all()
    nearest = np.sqrt(10.0) - 2.0
    assert nearest <= sizes[-1] < 1.01 * nearest < sizes[0]


def test_a_rank_tolerance_leaves_undetermined_unknowns_at_their_start() -> None:
    def sums(x: Array, rows: Array) -> tuple[Array, Array]:  # only the sum of the last two is determined
        return np.stack([x[:, 0] - 1.0, x[:, 1] + x[:, 2] - 4.0], -1), np.array([[[1.0, 0, 0], [0, 1.0, 1.0]]])

    fit = gauss_newton(np.array([[0.0, 1.0, 2.0]]), sums, step=rank_step(1e-7), step_tolerance=1e-14)
    assert np.allclose(fit.x, [[1.0, 1.5, 2.5]])


def test_steps_are_bounded_in_their_units() -> None:
    def far(x: Array, rows: Array) -> tuple[Array, Array]:
        return x - [[100.0, 100.0]], np.eye(2)[None]

    fit = gauss_newton(np.zeros((1, 2)), far, units=[1.0, 10.0], longest=1.0, iterations=1)
    assert np.allclose(fit.x, [[1.0, 1.0]])


def test_a_step_of_zero_at_a_singular_point_is_not_a_solution() -> None:
    def parabola(x: Array, rows: Array) -> tuple[Array, Array]:  # x² + 1 has no root, and no slope at 0
        return x**2 + 1.0, 2.0 * x[:, None]

    fit = gauss_newton(np.zeros((1, 1)), parabola, tolerance=1e-12)
    assert fit.verdict.tolist() == [Verdict.NOT_CONVERGED]
