"""Formulas from the algorithms: the planar 2R arm is the textbook's, errata corrected."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, KernelNotFound
from sixvec.lagrange import equations_of_motion, symbolic, symbols
from tolerances import IDENTITY, assert_close

sympy = pytest.importorskip("sympy")

q1, q2 = symbols("q", 2)
v1, v2 = symbols("v", 2)
a1, a2 = symbols("a", 2)
G = sympy.Rational(981, 100)


@pytest.fixture(scope="module")
def arm() -> sv.Robot:
    """Two point masses of 1 kg at the ends of links of 1 m."""
    return sv.load("planar_2r")


@pytest.mark.covers("DYN-19")
def test_mass_matrix_is_the_textbook_s_to_the_letter(arm: sv.Robot) -> None:
    c2 = sympy.cos(q2)
    assert symbolic(arm, "mass_matrix") == sympy.Matrix([[3 + 2 * c2, 1 + c2], [1 + c2, 1]])


@pytest.mark.covers("DYN-19", "DYN-20")
def test_velocity_and_gravity_terms(arm: sv.Robot) -> None:
    """Lynch-Park 9.1 with its slips put right: + sin θ₂ θ̇₁² in τ₂, gravity + g cos(θ₁ + θ₂)."""
    s2 = sympy.sin(q2)
    gamma = symbolic(arm, "christoffel_symbols")
    assert gamma == sympy.Array([[[0, -s2], [-s2, -s2]], [[s2, 0], [0, 0]]])
    g = symbolic(arm, "gravity_forces")
    shoulder = 2 * G * sympy.cos(q1) + G * sympy.cos(q1 + q2)
    assert sympy.simplify(g - sympy.Matrix([shoulder, G * sympy.cos(q1 + q2)])) == sympy.zeros(2, 1)
    tau = symbolic(arm, "inverse_dynamics")
    expected = [
        (3 + 2 * sympy.cos(q2)) * a1 + (1 + sympy.cos(q2)) * a2 - s2 * (2 * v1 * v2 + v2**2) + shoulder,
        (1 + sympy.cos(q2)) * a1 + a2 + s2 * v1**2 + G * sympy.cos(q1 + q2),
    ]
    assert sympy.simplify(tau - sympy.Matrix(expected)) == sympy.zeros(2, 1)


@pytest.mark.covers("DYN-13", "DYN-19")
@pytest.mark.parametrize("name", ["planar_2r", "cart_pole", "double_pendulum"])
def test_lagrange_on_symbols_is_newton_euler_on_symbols(name: str) -> None:
    robot = sv.load(name)
    q, v, a = symbols("q", 2), symbols("v", 2), symbols("a", 2)
    T, U = symbolic(robot, "kinetic_energy"), symbolic(robot, "potential_energy")
    gap = equations_of_motion(T, U, q, v, a) - symbolic(robot, "inverse_dynamics")
    rng = np.random.default_rng(0)
    for _ in range(5):
        at = dict(zip((*q, *v, *a), rng.normal(size=6).tolist(), strict=True))
        assert np.abs(np.array(gap.subs(at).evalf(), float)).max() < 1e-12
    assert sympy.simplify(sympy.nsimplify(gap.applyfunc(sympy.expand_trig), rational=True, tolerance=1e-9)) == gap * 0


@pytest.mark.covers("DYN-19")
def test_formulas_evaluate_to_what_the_compiled_kernels_compute(arm: sv.Robot) -> None:
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 2))
    formula = symbolic(arm, "inverse_dynamics")
    at = dict(zip((q1, q2, v1, v2, a1, a2), np.concatenate([q, v, a]).tolist(), strict=True))
    assert_close(
        np.array(formula.subs(at).evalf(), float)[:, 0], arm.inverse_dynamics(q, v, a), IDENTITY, batched=False
    )
    J = symbolic(arm, "jacobian", frame=arm.frame_names[-1])
    assert_close(np.array(J.subs(at).evalf(), float), arm.jacobian(q, arm.frame_names[-1]), IDENTITY, batched=False)


def test_own_symbols_numbers_options_and_latex(arm: sv.Robot) -> None:
    alpha = sympy.Symbol("alpha")
    M = symbolic(arm, "mass_matrix", [0, alpha])
    assert M[0, 1] == 1 + sympy.cos(alpha)
    assert M.latex() == sympy.latex(sympy.Matrix(M))
    assert symbolic(arm, "mass_matrix", [0, 0]) == sympy.Matrix([[5, 2], [2, 1]])
    parts = symbolic(arm, "mass_matrix_ltdl")
    L, D = parts
    assert sympy.simplify(L.T * sympy.diag(*D) * L - symbolic(arm, "mass_matrix")) == sympy.zeros(2, 2)


def test_mistakes(arm: sv.Robot) -> None:
    with pytest.raises(KernelNotFound, match='did you mean "mass_matrix"'):
        symbolic(arm, "mass_matrx")
    with pytest.raises(ArgumentError, match="mass_matrix takes q, not 2 inputs"):
        symbolic(arm, "mass_matrix", [0, 0], [0, 0])
    with pytest.raises(ArgumentError, match="mass_matrix has no option 'frame'; options: none"):
        symbolic(arm, "mass_matrix", frame="x")
