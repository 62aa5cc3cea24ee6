"""How close is equal: every tolerance of the suite, with its reason.

All are relative to the largest entry of the expected array, sample by sample (see `assert_close`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROUNDING = 1e-12
"""The same operations in another order or on another target: a few hundred roundings of 2⁻⁵³."""

IDENTITY = 1e-12
"""Two algorithms for one quantity on trees of some twenty freedoms; the worst of the suite is 1e-14."""

SOLVED = 1e-11
"""As `IDENTITY`, after solving with a mass matrix whose condition number is some hundreds on these trees."""

DIFFERENCE = 1e-8
"""Central differences of order 4 (differences.py): step⁴ = 1e-12 of truncation and 2⁻⁵³/step = 1e-13 of rounding,
each times the higher derivatives of fast random motions; worst for the accelerations of light bodies, 1e-9."""

INTEGRATED = 1e-9
"""Forty Runge-Kutta steps of order 4."""

PEER = 1e-10
"""Another library, in float64: what the documentation promises.  Most agree to 1e-15."""

PEER_DERIVATIVE = 1e-9
"""Derivatives of forward dynamics against another library: two solves with the mass matrix."""

SINGLE = 1e-4
"""float32, whose rounding is 6e-8, through the same few hundred operations."""


SINGLE_SOLVED_TWICE = 1e-3
"""As `SINGLE`, after solving with the mass matrix and with the inertia at a frame, each of a condition of hundreds."""


def assert_close(actual: Any, expected: Any, tolerance: float, *, batched: bool = True, scale: Any = None) -> None:
    """Every entry agrees within `tolerance` times the sample's largest expected entry (or `scale`, per sample)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    worst = error(actual, expected, batched=batched, scale=scale)
    assert worst <= tolerance, f"relative error {worst:.2e} exceeds {tolerance:.0e}"


def error(actual: Any, expected: Any, *, batched: bool = True, scale: Any = None) -> float:
    """The largest difference relative to the sample's largest entry; NaN anywhere is infinite."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.size == 0:
        return 0.0
    axes = tuple(range(1 if batched else 0, expected.ndim))
    size = np.abs(expected).max(axis=axes) if scale is None else np.asarray(scale)
    gap = np.abs(actual - expected).max(axis=axes)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(gap == 0.0, 0.0, gap / size)
    return float(np.nan_to_num(ratio, nan=np.inf).max())


def solved(tolerance: float, M: np.ndarray) -> float:
    """What can be asked of a solution with the matrices M: a few roundings times their condition number, at best."""
    return max(tolerance, 4.0 * float(np.finfo(float).eps * np.linalg.cond(M).max()))
