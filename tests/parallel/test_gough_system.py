"""The closure of six legs over the complex numbers, on plain numbers: Newton's steps, rates by differences."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.parallel.complex_scalar import Complex
from sixvec.parallel.gough_system import GOUGH, rotation

STEP = 1e-5


def ours(z: np.ndarray) -> list[Complex]:
    return [Complex(float(x.real), float(x.imag)) for x in z]


def theirs(z: list[Complex]) -> np.ndarray:
    return np.array([complex(x.re, x.im) for x in z])


def problem(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A complex pose, and parameters whose legs it closes."""
    rng = np.random.default_rng(seed)
    y, P = (rng.normal(size=n) + 1j * rng.normal(size=n) for n in (7, 42))
    y[:4] /= np.sqrt((y[:4] ** 2).sum())
    R = np.array([theirs(row) for row in rotation(ours(y[:4]))])
    d = y[4:] + P[18:36].reshape(6, 3) @ R.T - P[:18].reshape(6, 3)
    P[36:] = (d * d).sum(axis=1)  # without conjugation
    return y, P


def solved(y: np.ndarray, P: np.ndarray) -> np.ndarray:
    point, parameters = ours(y), ours(P)
    for _ in range(8):
        point, step = GOUGH.corrected(point, parameters)
    assert np.abs(theirs(step)).max() < 1e-12
    return theirs(point)


@pytest.mark.parametrize("seed", range(4))
def test_rotations_of_complex_quaternions_are_orthogonal(seed: int) -> None:
    y, _ = problem(seed)
    R = np.array([theirs(row) for row in rotation(ours(2.0 * y[:4]))])  # of any length
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-12) and np.isclose(np.linalg.det(R), 1.0)
    turn = np.array([0.3, -0.2, 0.5])
    x, y_, z, w = (
        *(np.sin(0.5 * np.linalg.norm(turn)) * turn / np.linalg.norm(turn)),
        np.cos(0.5 * np.linalg.norm(turn)),
    )
    real = np.array([theirs(row) for row in rotation(ours(np.array([x, y_, z, w], complex)))])
    skew = np.array([[0.0, -turn[2], turn[1]], [turn[2], 0.0, -turn[0]], [-turn[1], turn[0], 0.0]])
    angle = np.linalg.norm(turn)
    rodrigues = np.eye(3) + np.sin(angle) / angle * skew + (1.0 - np.cos(angle)) / angle**2 * skew @ skew
    assert np.allclose(real, rodrigues, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_newton_converges_to_the_pose_and_keeps_the_length_of_quaternions(seed: int) -> None:
    y, P = problem(seed)
    rng = np.random.default_rng(seed)
    found = solved(y + 1e-3 * (rng.normal(size=7) + 1j * rng.normal(size=7)), P)
    assert np.allclose(found, y, rtol=0.0, atol=1e-10)
    assert np.isclose((found[:4] ** 2).sum(), 1.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rates_are_slopes_along_a_way_of_parameters(seed: int) -> None:
    y, P = problem(seed)
    rng = np.random.default_rng(seed + 9)
    way = rng.normal(size=42) + 1j * rng.normal(size=42)
    moved, step, rate = GOUGH.corrected_and_rate(ours(y), ours(P), ours(way))
    assert np.abs(theirs(step)).max() < 1e-12 and np.allclose(theirs(moved), y, atol=1e-12)
    slope = (solved(y, P + STEP * way) - solved(y, P - STEP * way)) / (2.0 * STEP)
    assert np.allclose(theirs(rate), slope, rtol=1e-5, atol=1e-5 * np.abs(slope).max())
    size = (np.abs(way[:3]) ** 2).sum() + (np.abs(way[3:6]) ** 2).sum() / (1.0 + (np.abs(y[4:]) ** 2).sum())
    assert GOUGH.size(ours(way[:6]), ours(y)) == pytest.approx(size)
