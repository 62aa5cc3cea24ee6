"""Closed paths of the tool that do not close in the joints, and the condition that tells in advance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import sixvec
from planar_arms import planar
from sixvec import Robot
from sixvec.constraints import symbolic_holonomy
from sixvec.errors import ArgumentError
from sixvec.ik.redundancy import cyclicity_defect, drift, extended_inverse, symbolic_cyclicity, task_jacobian
from sixvec.ik.redundancy import weighted_inverse as inverse
from sixvec.model import Body, Model
from sixvec.model.joints import Prismatic
from sixvec.spatial import Vec3
from subjects import tree

ARM = planar(3)
START = np.array([0.3, 0.9, 0.8])


def circle(radius: float) -> Any:
    """Velocity on a circle that starts at its +x point, one round in a unit of time."""
    turn = 2.0 * np.pi
    return lambda time: radius * turn * np.array([-np.sin(turn * time), np.cos(turn * time)])


def jacobian(q: Any) -> np.ndarray:
    return task_jacobian(ARM, q, "tip", "x y")


def mass_weighted(q: Any, t: Any) -> Any:
    return inverse(jacobian(q), joint_weight=ARM.mass_matrix(q)) @ t


@pytest.mark.covers("KIN-09")
@pytest.mark.parametrize(
    ("radius", "expected"), [(0.2, (0.181, -0.398, 0.357)), (0.4, (0.652, -1.341, 0.845))]
)  # fmt: skip
def test_mass_weighting_drifts(radius: float, expected: tuple[float, float, float]) -> None:
    """Against the claim of Bruyninckx §5.9.5 that the mass matrix makes it cyclic; figures computed independently."""
    found = drift(ARM, START, "tip", circle(radius), mass_weighted, steps=250)
    assert np.abs(found.joints - expected).max() < 6e-4
    assert np.abs(found.task[3:]).max() < 1e-6


@pytest.mark.covers("KIN-09")
def test_unweighted_drifts_too() -> None:
    found = drift(ARM, START, "tip", circle(0.4), lambda q, t: inverse(jacobian(q)) @ t, steps=250)
    assert np.abs(found.joints - (0.0052, -0.0124, 0.0128)).max() < 6e-5
    assert np.abs(found.task[3:]).max() < 1e-6


@pytest.mark.covers("KIN-09", "KIN-06")
def test_an_extended_jacobian_with_a_condition_on_positions_is_cyclic() -> None:
    """q₃ - 2 q₂ is kept: an integrable condition, so the joints return."""
    A = [[0.0, -2.0, 1.0]]
    found = drift(ARM, START, "tip", circle(0.2), lambda q, t: extended_inverse(jacobian(q), A) @ t, steps=250)
    assert np.abs(found.joints).max() < 1e-6
    a, b, c = sympy.symbols("a b c", real=True)
    assert symbolic_holonomy(lambda q: A, [a, b, c]).holonomic


@pytest.mark.covers("KIN-09")
@pytest.mark.parametrize("weighted", [False, True])
def test_where_there_is_a_defect_drift_grows_with_the_area(weighted: bool) -> None:
    """Shamir and Yomdin: zero defect, no drift.  Drift over a small circle is proportional to its area."""
    q = np.array([START, [0.7, -1.1, 0.4]])
    assert (cyclicity_defect(ARM, q, "tip", "x y", mass_weighted=weighted) > 1e-4).all()
    resolve = mass_weighted if weighted else (lambda q, t: inverse(jacobian(q)) @ t)
    small, half = (drift(ARM, START, "tip", circle(r), resolve, steps=60).joints for r in (2e-2, 1e-2))
    assert np.abs(small / half - 4.0).max() < 0.5


@pytest.mark.covers("KIN-09")
def test_motions_that_do_not_bend_have_no_defect() -> None:
    """The Jacobian of two slides is constant: no bracket, and no size to compare it with."""
    along = Prismatic(Vec3(1.0, 0.0, 0.0))
    slides = Robot(Model("slides", (Body("sled", joint=along), Body("cart", "sled", joint=along))))
    assert cyclicity_defect(slides, [0.1, 0.2], "cart", "x").tolist() == 0.0


@pytest.mark.covers("KIN-09")
def test_one_direction_or_no_redundancy_never_has_a_defect() -> None:
    q = np.random.default_rng(0).normal(size=(5, 3))
    assert np.abs(cyclicity_defect(ARM, q, "tip", "x")).max() == 0.0
    assert np.abs(cyclicity_defect(planar(2), q[:, :2], "tip", "x y")).max() == 0.0
    with pytest.raises(ArgumentError, match="drift"):
        cyclicity_defect(tree("floating"), tree("floating").neutral(), tree("floating").frame_names[-1])


@pytest.mark.covers("KIN-09")
def test_bracket_of_mass_weighted_fields_by_differences() -> None:
    """The defect's brackets against finite differences of the vector fields M⁻¹ Jᵀ themselves."""
    q, step = START, 1e-5

    def fields(q: np.ndarray) -> np.ndarray:
        return np.linalg.solve(ARM.mass_matrix(q), jacobian(q).T)

    Y = fields(q)
    slope = [(fields(q + step * Y[:, i]) - fields(q - step * Y[:, i])) / (2 * step) for i in range(2)]
    bracket = slope[0][:, 1] - slope[1][:, 0]
    N = np.cross(*jacobian(q))
    N = ARM.mass_matrix(q) @ N  # a form that vanishes on the fields
    dY = np.stack([(fields(q + step * e) - fields(q - step * e)) / (2 * step) for e in np.eye(3)], axis=-1)
    unit = np.linalg.svd(Y.T @ ARM.mass_matrix(q))[2][2]
    size = np.abs(Y).max() * np.abs(dY).max() * np.abs(ARM.mass_matrix(q)).max()
    assert abs(N @ Y[:, 0]) < 1e-12
    expected = abs(unit @ ARM.mass_matrix(q) @ bracket) / size
    assert abs(cyclicity_defect(ARM, q, "tip", "x y", mass_weighted=True) / expected - 1.0) < 1e-6


@pytest.mark.covers("KIN-09")
def test_symbolic_condition_of_an_arm_without_redundancy_is_empty() -> None:
    found = symbolic_cyclicity(planar(2), sympy.symbols("a b", real=True), "tip", "x y")
    assert found.holonomic and found.constraints == 0


@pytest.mark.slow
@pytest.mark.covers("KIN-09")
def test_symbolic_condition_agrees_with_the_drift() -> None:
    assert not symbolic_cyclicity(ARM, sympy.symbols("a b c", real=True), "tip", "x y").holonomic


def test_bad_step_count() -> None:
    with pytest.raises(ArgumentError, match="steps"):
        drift(sixvec.load("planar_2r"), [0.0, 1.0], "tip", circle(0.1), lambda q, t: t, steps=0)
