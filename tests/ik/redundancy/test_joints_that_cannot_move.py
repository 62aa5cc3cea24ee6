"""Joints that cannot move at all, and arms all of whose joints cannot: least squares within bounds leaves them out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import sixvec
from sixvec.ik.redundancy import VelocityBounds, rates_within_limits, velocity_bounds
from sixvec.solve.bounded_least_squares import bounded_least_squares
from sixvec.verdict import Verdict

TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
SCALE = 1e-7
"""The tolerance of the linear program."""


def _bounds(arm: sixvec.Robot, still: list[int]) -> VelocityBounds:
    free = velocity_bounds(arm, BENT, 0.01)
    lower, upper = free.lower.copy(), free.upper.copy()
    lower[still] = upper[still] = 0.0
    return VelocityBounds(lower, upper, free.lower_reason, free.upper_reason, free.names)


@pytest.mark.parametrize("still", [[0], [2], [1, 3], [0, 2, 4], [0, 1, 2, 3, 4, 5], list(range(7))])
@pytest.mark.parametrize("t", [[0, 0, 0, 0, 5.0, 0], [0, 0, 0, 0.5, 0, 3.0], [0, 4.0, 0, 0, 0, 0]])
@pytest.mark.covers("KIN-11")
def test_the_largest_scale_is_that_of_a_linear_program(still: list[int], t: list[float]) -> None:
    arm = sixvec.load("panda")
    J, bounds = arm.jacobian(BENT, TOOL), _bounds(arm, still)
    found = rates_within_limits(J, t, bounds)
    limits = [*zip(bounds.lower, bounds.upper, strict=True), (0.0, 1.0)]
    best = linprog([0.0] * 7 + [-1.0], A_eq=np.column_stack([J, -np.array(t)]), b_eq=np.zeros(6), bounds=limits)
    assert best.status == 0
    assert found.scale == pytest.approx(-best.fun, abs=SCALE)
    assert found.verdict == (Verdict.SOLVED if found.scale == 1.0 else Verdict.SCALED)
    assert np.abs(J @ found.v - found.scale * np.array(t)).max() < 1e-7
    assert (found.v[still] == 0.0).all()


@pytest.mark.parametrize("still", [[0], [1, 3], list(range(7))])
@pytest.mark.covers("KIN-11")
def test_the_multipliers_balance_the_gradient(still: list[int]) -> None:
    """Aᵀ (A x - b) + λ + Eᵀ y = 0 for some y, joints without room included."""
    arm = sixvec.load("panda")
    bounds, E = _bounds(arm, still), arm.jacobian(BENT, TOOL)[3:5]
    A, b = np.diag(np.sqrt(np.arange(1.0, 8.0))), np.linspace(2.0, -2.0, 7)
    start = np.where(bounds.upper > bounds.lower, 0.1, 0.0)
    found = bounded_least_squares(A, b, bounds.lower, bounds.upper, start, E)
    g = A.T @ (A @ found.x - b) + found.multipliers
    assert np.abs(g - E.T @ np.linalg.lstsq(E.T, g, rcond=None)[0]).max() < 1e-9
    assert np.abs(E @ (found.x - start)).max() < 1e-9
