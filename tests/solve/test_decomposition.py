"""Weights, ranks and inverses of batches: every sample as alone, at every size, and none spoilt by another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.errors import DegenerateError, ShapeError
from sixvec.solve.decomposition import (
    above,
    as_matrix,
    inverse_of_rank,
    joint_velocity,
    pseudo_inverse,
    rank,
    rank_of,
    reciprocals,
    singular_values,
    smallest_value,
    task_velocity,
    times,
    weight_factor,
)
from sixvec.solve.spectral_inverse import TASK_INERTIA_TOLERANCE, spectral_inverse
from sixvec.tolerances import RANK

SHAPES = [(2, 3), (3, 2), (3, 3), (4, 1)]
RANKS = np.array([[0, 1, 2], [2, 1, 0]])


def batch(shape: tuple[int, int], size: float = 1.0) -> np.ndarray:
    """(2, 3, m, n), of the ranks above where these are possible, the last sample not finite."""
    rng = np.random.default_rng(0)
    A = np.zeros((2, 3, *shape))
    for where in np.ndindex(2, 3):
        k = min(RANKS[where], *shape)
        A[where] = size * rng.normal(size=(shape[0], k)) @ rng.normal(size=(k, shape[1]))
    A[1, 2, 0, 0] = np.nan
    return A


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("shape", SHAPES)
def test_batches_are_their_samples(shape: tuple[int, int], size: float) -> None:
    A = batch(shape, size)
    expected_ranks = np.minimum(RANKS, min(shape))
    assert rank(A).tolist() == rank_of(singular_values(A)[1]).tolist() == expected_ranks.tolist()
    inverse, spectral = pseudo_inverse(A), spectral_inverse(A)
    damped = spectral_inverse(A, singular="damped", damping=0.5 * size)
    truncated, ranks = inverse_of_rank(A, np.full((2, 3), size))
    assert ranks.tolist() == spectral.rank.tolist() == expected_ranks.tolist()
    for where in np.ndindex(2, 3):
        if where == (1, 2):
            assert np.isnan(inverse[where]).all() and np.isnan(truncated[where]).all()
            assert np.isnan(spectral.inverse[where]).all() and np.isnan(singular_values(A)[1][where]).all()
            continue
        one, eye = A[where], np.eye(shape[0])
        expected = np.linalg.pinv(one, rcond=1e-9)
        for found in (inverse[where], truncated[where]):
            assert np.allclose(size * found, size * expected, rtol=1e-9, atol=1e-9)
        squared = size**2 * np.linalg.pinv(one, rcond=1e-9).T @ np.linalg.pinv(one, rcond=1e-9)
        assert np.allclose(size**2 * spectral.inverse[where], squared, rtol=1e-9, atol=1e-9)
        within = np.linalg.inv(one @ one.T / size**2 + 0.25 * eye)
        assert np.allclose(size**2 * damped.inverse[where], within, rtol=1e-9, atol=1e-9)
        U, sigma, Vt = (part[where] for part in singular_values(A))
        middle = np.zeros(shape)
        np.fill_diagonal(middle, sigma)
        assert np.allclose(U @ middle @ Vt, one, rtol=0.0, atol=1e-12 * size)


def test_what_counts_as_zero_is_relative() -> None:
    sigma = np.array([[4.0, 4.0 * RANK, 0.0], [0.25, 0.26 * RANK, 0.25 * RANK]])
    assert rank_of(sigma).tolist() == [1, 2]  # the limit itself counts as zero
    assert reciprocals(sigma, RANK).astype(bool).sum(axis=-1).tolist() == [1, 2]
    assert rank(np.zeros((2, 0, 3))).tolist() == [0, 0] and smallest_value(np.zeros((2, 0))).tolist() == [0.0, 0.0]
    assert smallest_value(sigma).tolist() == [0.0, 0.25 * RANK]
    diagonal = np.diag([2.0, 2.0 * TASK_INERTIA_TOLERANCE, 2.1 * TASK_INERTIA_TOLERANCE])
    assert int(spectral_inverse(diagonal).rank) == 2
    assert int(spectral_inverse(diagonal, tolerance=0.0).rank) == 3
    assert RANK == 1e-9 and TASK_INERTIA_TOLERANCE == 1e-7


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_weights(size: float) -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(2, 3, 2, 2))
    W = size * (root @ np.swapaxes(root, -1, -2) + 0.1 * np.eye(2))
    F = weight_factor(W, 2, "task")
    assert np.allclose(np.swapaxes(F, -1, -2) @ F, W, rtol=1e-12, atol=0.0) and not F[..., 1, 0].any()
    for weight in (size, [size] * 2, size * np.eye(2)):
        assert np.allclose(weight_factor(weight, 2, "task"), np.sqrt(size) * np.eye(2), rtol=1e-15)
    spoilt = W.copy()
    spoilt[0, 1, 1, 0] = np.inf
    bad = np.isnan(weight_factor(spoilt, 2, "task"))
    assert bad[0, 1].all() and bad.sum() == 4
    W[1, 0, 0, 1] += 2e-9 * np.abs(W).max()
    with pytest.raises(DegenerateError, match=named("weight", "symmetric")):
        weight_factor(W, 2, "joint")


@pytest.mark.parametrize(
    ("weight", "kind", "said"),
    [
        ([1.0, 2.0, 3.0], ShapeError, "task"),
        (np.eye(3), ShapeError, "task"),
        (0.0, DegenerateError, "task"),
        ([1.0, -1.0], DegenerateError, "task"),
        (np.diag([1.0, 0.0]), DegenerateError, "task"),
    ],
)
def test_weights_that_are_none(weight: Any, kind: type[Exception], said: str) -> None:
    assert weight_factor(None, 2, "task").tolist() == np.eye(2).tolist()
    with pytest.raises(kind, match=said):
        weight_factor(weight, 2, "task")


def test_shapes_are_named() -> None:
    J = np.zeros((5, 2, 3))
    assert times(np.ones((5, 2, 3)), [1.0, 2.0, 3.0]).tolist() == [[6.0, 6.0]] * 5
    assert task_velocity(J, [1, 2]).dtype == joint_velocity(J, [1, 2, 3], "v").dtype == float
    with pytest.raises(ShapeError, match=named("t", "J")):
        task_velocity(J, np.zeros(3))
    with pytest.raises(ShapeError, match=named("v", "J")):
        joint_velocity(J, np.zeros(2), "v")
    with pytest.raises(ShapeError, match=named("J")):
        as_matrix([1.0, 2.0])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"singular": "clipped"}, "truncated"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"tolerance": 1.0}, "tolerance"),
        ({"tolerance": np.nan}, "tolerance"),
        ({"singular": "damped"}, "damping"),
        ({"damping": 0.5}, named("damping", "singular", "damped")),
    ],
)
def test_options_of_the_spectral_inverse(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        spectral_inverse(np.eye(2), **options)


def test_weights_of_every_form() -> None:
    assert np.array_equal(weight_factor(None, 2, "task"), np.eye(2))
    assert np.array_equal(weight_factor(4.0, 2, "task"), 2.0 * np.eye(2))
    assert np.array_equal(weight_factor([4.0, 9.0], 2, "task"), np.diag([2.0, 3.0]))
    W = np.array([[4.0, 2.0], [2.0, 10.0]])
    assert np.array_equal(weight_factor(W, 2, "task"), [[2.0, 1.0], [0.0, 3.0]])
    many = weight_factor(np.array([W, [[np.nan, 0.0], [0.0, 1.0]], np.eye(2)]), 2, "task")
    assert np.array_equal(many[0], [[2.0, 1.0], [0.0, 3.0]]) and np.isnan(many[1]).all()
    assert np.array_equal(many[2], np.eye(2))
    for weight, error, words in (
        ([1.0, 2.0, 3.0], ShapeError, "task"),
        (np.eye(3), ShapeError, "task"),
        (np.ones((2, 3)), ShapeError, "task"),
        ([1.0, 0.0], DegenerateError, "task"),
        (-1.0, DegenerateError, "task"),
        ([[1.0, 1e-8], [0.0, 1.0]], DegenerateError, "task"),
        ([[1.0, 2.0], [2.0, 1.0]], DegenerateError, "task"),
    ):
        with pytest.raises(error, match=words):
            weight_factor(weight, 2, "task")
    assert np.allclose(weight_factor([[1.0, 5e-10], [0.0, 1.0]], 2, "task"), np.eye(2), atol=1e-9)


def test_samples_that_are_not_finite_and_ranks_by_hand() -> None:
    A = np.array([np.diag([4.0, 2.0]), np.diag([np.inf, 1.0]), np.diag([1.0, 1e-10]), np.zeros((2, 2))])
    U, sigma, Vt = singular_values(A)
    assert np.isnan(U[1]).all() and np.isnan(sigma[1]).all() and np.isnan(Vt[1]).all()
    assert sigma[0].tolist() == [4.0, 2.0] and sigma[3].tolist() == [0.0, 0.0]
    assert rank(A).tolist() == [2, 0, 1, 0] and rank(A, 1e-11).tolist() == [2, 0, 2, 0]
    found = pseudo_inverse(A)
    assert np.array_equal(found[0], np.diag([0.25, 0.5])) and np.isnan(found[1]).all()
    assert np.array_equal(found[2], np.diag([1.0, 0.0])) and np.array_equal(found[3], np.zeros((2, 2)))
    inverse, kept = inverse_of_rank(A, [1.0, 1.0, 1.0, 1.0])
    assert kept.tolist() == [2, 0, 1, 0] and np.isnan(inverse[1]).all()
    assert np.array_equal(inverse[0], np.diag([0.25, 0.5])) and np.array_equal(inverse[2], np.diag([1.0, 0.0]))
    assert inverse_of_rank(A, [1e10, 1.0, 1e-2, 1.0])[1].tolist() == [0, 0, 2, 0]
    assert (
        smallest_value(sigma)[[0, 3]].tolist() == [2.0, 0.0] and smallest_value(np.zeros((3, 0))).tolist() == [0.0] * 3
    )


def test_shapes_of_matrices_and_vectors() -> None:
    assert as_matrix([[1, 2]]).dtype == float
    for bad in (1.0, [1.0, 2.0]):
        with pytest.raises(ShapeError, match=named("J")):
            as_matrix(bad)
    J = np.zeros((2, 3))
    assert task_velocity(J, [1.0, 2.0]).tolist() == [1.0, 2.0] and joint_velocity(J, np.ones((5, 3)), "v").shape == (
        5,
        3,
    )
    with pytest.raises(ShapeError, match=named("t", "J")):
        task_velocity(J, np.ones(3))
    with pytest.raises(ShapeError, match=named("v", "J")):
        joint_velocity(J, np.ones(2), "v")
    stacked = above(np.ones((4, 1, 2, 3)), np.zeros((5, 1, 3)))
    assert stacked.shape == (4, 5, 3, 3) and stacked[1, 2].tolist() == [[1.0] * 3, [1.0] * 3, [0.0] * 3]
    assert times(np.array([[1.0, 2.0], [3.0, 4.0]]), [1.0, 10.0]).tolist() == [21.0, 43.0]
