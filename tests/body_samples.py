"""Inputs for the tests of this folder: random values as Hypothesis strategies, and conversions to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from sixvec.spatial import Force, Motion, Pose, Vec3

laws = settings(deadline=None, max_examples=60)
"""How every law here is sampled."""

numbers = st.floats(-3.0, 3.0).map(lambda x: round(x, 6))
vectors = st.builds(Vec3, numbers, numbers, numbers)
motions = st.builds(Motion, vectors, vectors)
forces = st.builds(Force, vectors, vectors)
poses = motions.map(Pose.exp)


def array(value: Any) -> np.ndarray:
    """Any value of sixvec.spatial as an array of its numbers."""
    return np.array(list(value), dtype=float)


def homogeneous(X: Any) -> np.ndarray:
    return np.array(X.as_matrix(), dtype=float)


def close(actual: Any, expected: Any, tolerance: float = 1e-12) -> None:
    """Equal within `tolerance` times the larger of 1 and the largest entry expected."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape
    gap = np.abs(actual - expected).max() if actual.size else 0.0
    assert gap <= tolerance * max(1.0, np.abs(expected).max() if expected.size else 0.0), f"off by {gap:.2e}"


def same(actual: Any, expected: Any, tolerance: float = 1e-12) -> None:
    """As `close`, for two values of sixvec.spatial of one type."""
    assert type(actual) is type(expected)
    close(array(actual), array(expected), tolerance)


def random_motions(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 6))


def batched(cls: Any, rows: np.ndarray) -> Any:
    """One value whose scalars are the columns of `rows`."""
    return cls.of(list(rows.T))
