"""Constraint rows with weight matrices and damping: the least error, compliance, and derivatives by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError

RNG = np.random.default_rng(11)


def matrix(n: int) -> np.ndarray:
    """Positive definite, with a condition number of about ten."""
    C = np.eye(n) + 0.4 * np.tril(RNG.normal(size=(n, n)))
    return C @ C.T


@pytest.mark.covers("CON-03")
def test_a_matrix_shares_what_cannot_be_met() -> None:
    robot, hold = sv.load("planar_2r"), {"tip": ("x", "y", "turn z")}
    q, v, tau, target = [0.3, 0.7], RNG.normal(size=2), RNG.normal(size=2), RNG.normal(size=3)
    W = matrix(3)
    found = robot.constrained_dynamics(q, v, tau, target=target, hold=hold, weight=W)
    A, gamma = robot.constraint_jacobian(q, hold=hold), robot.constraint_bias(q, v, hold=hold)
    C = np.linalg.cholesky(W)
    least = np.linalg.lstsq(C.T @ A, C.T @ (target - gamma), rcond=None)[0]
    assert np.allclose(found.a, least, rtol=1e-6, atol=1e-6) and found.residual > 1e-3
    each = robot.constrained_dynamics(q, v, tau, target=target, hold=hold, weight=np.diag([1.0, 4.0, 0.5]))
    same = robot.constrained_dynamics(q, v, tau, target=target, hold=hold, weight=(1.0, 4.0, 0.5), method="kkt")
    assert np.allclose(each.a, same.a, rtol=0.0, atol=1e-6)


@pytest.mark.covers("CON-03")
def test_rows_comply_through_the_inverse_of_the_matrix() -> None:
    robot, hold = sv.load("panda"), {"panda_link8": "point"}
    q, (v, tau), W, damping = robot.random(0), RNG.normal(size=(2, 7)), matrix(3), 0.3
    found = robot.constrained_dynamics(q, v, tau, hold=hold, weight=W, damping=damping)
    A, gamma = robot.constraint_jacobian(q, hold=hold), robot.constraint_bias(q, v, hold=hold)
    assert np.allclose(A @ found.a + gamma, -damping * np.linalg.solve(W, found.force), atol=1e-10)
    assert np.allclose(robot.inverse_dynamics(q, v, found.a), tau + A.T @ found.force, atol=1e-9)


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "point": ("panda", {"panda_link8": "point"}),
    "weld": ("panda", {"panda_link8": "weld"}),
    "contradiction": ("planar_2r", {"tip": ("x", "y", "turn z")}),
    "loop": ("four_bar", {}),
    "foot": ("solo12", {"FL_FOOT": "point"}),
}


@pytest.mark.covers("CON-03")
@pytest.mark.parametrize("kind", ["number", "vector", "matrix"])
@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_rows_that_give_way(name: str, kind: str) -> None:
    robot, hold = sv.load(CASES[name][0]), CASES[name][1]
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q if name == "loop" else robot.random(3)
    v, tau = 0.3 * RNG.normal(size=robot.nv), RNG.normal(size=robot.nv)
    rows = len(robot.constraint_names(hold=hold))
    options: dict[str, Any] = {"hold": hold, "damping": 0.2}
    if kind != "number":
        options["weight"] = matrix(rows) if kind == "matrix" else tuple(RNG.uniform(0.5, 2.0, rows))
    d = robot.constrained_dynamics_derivatives(q, v, tau, **options)
    open_too = {"stabilisation": (0.0, 0.0)} if name == "loop" else {}

    def motion(dq: Any, dv: Any, dtau: Any) -> np.ndarray:
        there = robot.integrate(q, dq)
        found = robot.constrained_dynamics(there, v + dv, tau + dtau, method="kkt", **options, **open_too)
        return np.concatenate([found.a, found.force])

    still, h = np.zeros(robot.nv), 1e-5
    for k, (da, df) in enumerate(((d.da_dq, d.dforce_dq), (d.da_dv, d.dforce_dv), (d.da_dtau, d.dforce_dtau))):
        expected = np.zeros((robot.nv + rows, robot.nv))
        for j in range(robot.nv):
            step = [still, still, still]
            step[k] = h * np.eye(robot.nv)[j]
            expected[:, j] = (motion(*step) - motion(*(-x for x in step))) / (2.0 * h)
        size = 1.0 + np.abs(expected).max()
        assert np.abs(np.vstack([da, df]) - expected).max() < 1e-7 * size, ("q", "v", "tau")[k]


def test_weights_of_independent_rows_have_no_effect_on_derivatives() -> None:
    robot, hold = sv.load("panda"), {"panda_link8": "point"}
    state = robot.random(1), *RNG.normal(size=(2, 7))
    plain = robot.constrained_dynamics_derivatives(*state, hold=hold)
    weighted = robot.constrained_dynamics_derivatives(*state, hold=hold, weight=matrix(3))
    assert np.array_equal(plain.da_dq, weighted.da_dq)
    twice = {"panda_link8": "weld", ("panda_link8", "panda_link0"): "point"}
    with pytest.raises(ArgumentError, match=named("constrained_dynamics_derivatives", "damping")):
        robot.constrained_dynamics_derivatives(*state, hold=twice, weight=(1.0,) * 9)


def test_mistakes() -> None:
    robot, hold, zeros = sv.load("panda"), {"panda_link8": "point"}, np.zeros(7)
    for weight, message in (
        (np.eye(2), "2 entries"),
        ([[1.0, 0.0, 0.0], [0.0, 1.0], [0.0, 0.0, 1.0]], "for each of 3 rows"),
        (np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), "symmetric"),
        (np.diag([1.0, -1.0, 1.0]), "positive definite"),
    ):
        with pytest.raises(ArgumentError, match=message):
            robot.constrained_dynamics(zeros, zeros, zeros, hold=hold, weight=weight)
        with pytest.raises(ArgumentError, match=message):
            robot.constrained_dynamics_derivatives(zeros, zeros, zeros, hold=hold, weight=weight, damping=0.1)
    with pytest.raises(ArgumentError, match="kkt"):
        robot.constrained_dynamics(zeros, zeros, zeros, hold=hold, weight=np.eye(3), method="recursion")
