"""The extended Jacobian: conditions on internal motion, and the optimum that it keeps."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import sixvec
from naming import named
from planar_arms import planar, tip
from sixvec.errors import DegenerateError, ShapeError
from sixvec.ik.redundancy import (
    extended_inverse,
    extended_jacobian,
    joint_springs,
    null_space_basis,
    optimality_rows,
    task_jacobian,
    weighted_inverse,
)
from tolerances import SOLVED, assert_close

PANDA = sixvec.load("panda")
TOOL = "panda_link8"
ARM = planar(3)
SPRINGS = joint_springs(ARM, rest=[0.2, 0.5, 0.9], stiffness=[1.0, 2.0, 3.0])


@pytest.mark.covers("KIN-06", "Bruyninckx (5.37)-(5.38)")
def test_identities_of_the_extended_inverse() -> None:
    rng = np.random.default_rng(0)
    J, A = rng.normal(size=(8, 6, 9)), rng.normal(size=(8, 3, 9))
    B = extended_inverse(J, A)
    one = np.broadcast_to(np.eye(6), (8, 6, 6))
    assert_close(J @ B, one, 1e-10)
    assert np.abs(A @ B).max() < 1e-10 * np.abs(B).max()
    assert_close(B @ J @ B, B, 1e-10)
    BJ = B @ J
    assert_close(BJ @ BJ, BJ, 1e-9)
    assert np.allclose(np.trace(BJ, axis1=1, axis2=2), 6.0)  # idempotent of rank 6: not the identity of the book


@pytest.mark.covers("KIN-06", "KIN-07")
def test_mass_orthogonal_conditions_give_the_mass_weighted_inverse() -> None:
    q = PANDA.random(1, 10)
    J, M = PANDA.jacobian(q, TOOL), PANDA.mass_matrix(q)
    A = np.swapaxes(null_space_basis(J), 1, 2) @ M
    assert_close(extended_inverse(J, A), weighted_inverse(J, joint_weight=M), 1e-9)


@pytest.mark.covers("KIN-06")
def test_optimality_rows_are_the_derivative_of_the_condition() -> None:
    """At an optimum, with N continued smoothly (here the cross product of the rows of J)."""
    q = optimum(tip(np.array([0.5, 0.9, 0.7])))

    def condition(q: np.ndarray) -> float:
        J = task_jacobian(ARM, q, "tip", "x y")
        N = np.cross(*J)
        return float(N @ SPRINGS.gradient(q)) / np.linalg.norm(N)

    rows = optimality_rows(ARM, q, "tip", SPRINGS, "x y")
    h, A = rows.h, rows.A
    step = 1e-5
    expected = [(condition(q + step * e) - condition(q - step * e)) / (2 * step) for e in np.eye(3)]
    assert abs(h[0]) < 1e-8
    sign = np.sign(A[0] @ expected)
    assert_close(sign * A[0], np.array(expected), 1e-6, batched=False)


@pytest.mark.covers("KIN-06", "Bruyninckx (5.35)-(5.36)")
def test_following_the_extended_inverse_stays_optimal() -> None:
    """A tip moved along a line by q̇ = B t ends where a direct search for the best posture ends."""
    start, move = tip(np.array([0.5, 0.9, 0.7])), np.array([0.3, -0.2])
    q, steps = optimum(start), 40

    def rate(q: np.ndarray) -> np.ndarray:
        A = optimality_rows(ARM, q, "tip", SPRINGS, "x y").A
        return extended_inverse(task_jacobian(ARM, q, "tip", "x y"), A) @ move / steps

    for _ in range(steps):
        k1 = rate(q)
        k2 = rate(q + k1 / 2)
        k3 = rate(q + k2 / 2)
        q = q + (k1 + 2 * k2 + 2 * k3 + rate(q + k3)) / 6
    assert np.abs(q - optimum(start + move)).max() < 1e-6


def optimum(target: np.ndarray) -> np.ndarray:
    """The posture with the least spring energy at a tip position, by an optimiser that knows no Jacobian."""
    found = scipy.optimize.minimize(
        lambda x: float(SPRINGS.value(x)), [0.5, 0.9, 0.7], method="SLSQP", options={"ftol": 1e-15, "maxiter": 300},
        constraints={"type": "eq", "fun": lambda x: tip(x) - target},
    )  # fmt: skip
    # Newton's method on the conditions of Lagrange removes what finite differences left.
    q = np.array(found.x)
    for _ in range(5):
        J = task_jacobian(ARM, q, "tip", "x y")
        rows = optimality_rows(ARM, q, "tip", SPRINGS, "x y")
        h, A = rows.h, rows.A
        q = q - np.linalg.solve(extended_jacobian(J, A), [*(tip(q) - target), *h])
    return q


def test_singular_cases_are_distinguished() -> None:
    J = np.array([[1.0, 0.0, 0.0]])
    with pytest.raises(DegenerateError, match=named("Jacobian", "A")):
        extended_inverse(J, [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    with pytest.raises(DegenerateError, match=named("A")):
        extended_inverse(J, [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    with pytest.raises(DegenerateError, match="singular"):
        extended_inverse(0.0 * J, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(ShapeError, match=named("A")):
        extended_inverse(J, [[0.0, 1.0, 0.0]])
    with pytest.raises(ShapeError, match=named("A")):
        extended_jacobian(J, [0.0, 1.0, 0.0])
    with pytest.raises(ShapeError, match=named("J")):
        extended_jacobian(J[0], np.eye(3)[1:])
    with pytest.raises(ShapeError, match=named("J")):
        extended_jacobian(np.ones((3, 2)), np.ones((1, 2)))
    assert_close(extended_inverse(J, np.eye(3)[1:]), J.T, SOLVED)
