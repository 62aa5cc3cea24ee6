"""Formulas from the algorithms: the planar 2R arm is the textbook's, errata corrected."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, KernelNotFound, ShapeError
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import equations_of_motion, latex, symbolic, symbols
from sixvec.theory.lagrange.exact import RESIDUE, Known, _sizes, as_decimal, as_rational, exact, without_residue
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
    """Lynch-Park §9.1 with its slips put right: + sin θ₂ θ̇₁² in τ₂, gravity + g cos(θ₁ + θ₂)."""
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


@pytest.mark.covers("DYN-13", "DYN-19", "Bruyninckx (6.59)", "Lynch-Park (9.3)", "Lynch-Park (9.6)", "Lynch-Park (9.8)")
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


@pytest.mark.parametrize("scale", [1e-3, 1e-7])
def test_formulas_of_small_robots_are_as_exact_as_those_of_large_ones(scale: float) -> None:
    """Two links with lengths and masses of this scale: inertias down to 1e-21 kg m² next to coefficients of one."""
    inertia = RigidInertia.from_center_of_mass(
        1.3 * scale, Vec3(0.7 * scale, 0.0, 0.0), Sym3.diagonal(0.0, 0.1 * scale**3, 0.15 * scale**3)
    )
    elbow = Pose.translation(Vec3(1.1 * scale, 0.0, 0.0))
    links = Body("a", None, Revolute(), inertia=inertia), Body("b", "a", Revolute(), elbow, inertia)
    robot = sv.Robot(Model("tiny", links, gravity=Vec3(0.0, -9.81, 0.0)))
    q, v = np.array([0.3, 0.8]), np.array([1.2, -0.7])
    tau = scale**3 * np.array([1.0, -2.0])
    given = {"q": q, "v": v, "a": v[::-1], "tau": tau}
    for name, ports in (("mass_matrix", "q"), ("inverse_dynamics", "q v a"), ("forward_dynamics", "q v tau")):
        inputs = [given[port] for port in ports.split()]
        letters = [x for port in ports.split() for x in symbols(port, 2)]
        short = name != "forward_dynamics"  # ten seconds
        formula = symbolic(robot, name, simplify=short).subs(
            dict(zip(letters, np.concatenate(inputs).tolist(), strict=True))
        )
        found, expected = np.array(formula.evalf(), float), getattr(robot, name)(*inputs)
        np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-9)


def test_a_small_number_is_no_rounding() -> None:
    inertia = RigidInertia.from_center_of_mass(0.002, Vec3.zero(), Sym3.diagonal(1e-6, 1e-6, 1.5e-6))
    finger = sv.Robot(Model("finger", (Body("b", None, Revolute(), inertia=inertia),)))
    assert float(symbolic(finger, "mass_matrix")[0]) == 1.5e-6


def test_rounding_is_distinguished_from_numbers_within_one_sum() -> None:
    x, v, tau = sympy.symbols("x v tau")
    wave = sympy.cos(x)
    assert exact(0.5 * v + 1e-17 * v * wave + 1e-18) == v / 2
    assert exact(1e-9 * v + 1e-26 * v * wave) == exact(1e-9 * v)
    assert exact(1e-9 * v + 1e-15 * v * wave) == 1e-9 * v + 1e-15 * v * wave
    assert without_residue(tau - 1e-17 * v**2 * wave) == tau - 1e-17 * v**2 * wave  # other units
    assert without_residue(v + 1e-17 * v / wave) == v + 1e-17 * v / wave  # 1/cos may be large
    for size in (1e-6, 1.0, 1e6):  # compared with the sum's own size; a coefficient at the limit is rounding
        assert without_residue(size * v + size * RESIDUE * v * wave) == size * v
        assert without_residue(size * v + 2.0 * size * RESIDUE * v * wave).has(wave)
    assert exact(v + sympy.Rational(1, 10**20) * v * wave).has(wave)  # meant so
    assert exact(2.0 * wave * (1.0 + 1e-17 * wave)) == 2 * wave


def test_everything_symbolic_gives_has_a_formula_in_latex(arm: sv.Robot) -> None:
    for name in ("kinetic_energy", "mass_matrix", "christoffel_symbols", "mass_matrix_ltdl"):
        formula = symbolic(arm, name)
        assert latex(formula) == sympy.latex(formula)
        assert "q_{2}" in latex(formula)


def test_unequal_coordinates_raise() -> None:
    with pytest.raises(ShapeError, match="equations_of_motion"):
        equations_of_motion(v1**2, q1, [q1], [], [a1, a2])


def test_mistakes(arm: sv.Robot) -> None:
    with pytest.raises(KernelNotFound, match=named("mass_matrx", "mass_matrix")):
        symbolic(arm, "mass_matrx")
    with pytest.raises(ArgumentError, match="mass_matrix"):
        symbolic(arm, "mass_matrix", [0, 0], [0, 0])
    with pytest.raises(ArgumentError, match=named("mass_matrix", "frame")):
        symbolic(arm, "mass_matrix", frame="x")


def test_sizes_are_those_of_coefficients_in_each_unit() -> None:
    """Sums take the largest, products multiply, powers repeat, and reciprocals of sums with symbols are a unit."""
    q, v, w, tau = sympy.symbols("q v1 v2 tau")
    none, speed, square = frozenset(), frozenset({("v", 1)}), frozenset({("v", 2)})

    def sizes(x: object) -> dict:
        return _sizes(sympy.sympify(x), Known())

    assert sizes(-2.5) == {none: 2.5} and sizes(sympy.sin(q)) == {none: 1.0} == sizes(sympy.cos(v))
    assert sizes(3.0 * v + 5.0 * w - 4.0) == {speed: 5.0, none: 4.0}
    assert sizes(3.0 * v * w) == {square: 3.0} and sizes((2.0 * v + 3.0) ** 2) == {square: 4.0, speed: 6.0, none: 9.0}
    assert sizes((2.0 * v) ** 3) == {frozenset({("v", 3)}): 8.0}
    assert sizes(1 / (4.0 + 2.0 * sympy.cos(q))) == {none: 0.25}
    assert sizes((4.0 + 2.0 * sympy.cos(q)) ** -2) == {none: 0.0625}
    pivot = frozenset({(frozenset({none, speed}), 1)})
    assert sizes(3.0 / (4.0 + 8.0 * v)) == {pivot: 0.375}
    assert sizes(tau * v) == {frozenset({("tau", 1), ("v", 1)}): 1.0}
    assert sizes(sympy.tan(q)) == {frozenset({(sympy.tan(q), 1)}): 1.0}


def test_numbers_are_written_with_the_digits_they_were_meant_with() -> None:
    x = sympy.Symbol("x")
    assert as_rational(0.1 * x) == x / 10 and as_rational(x) == x
    assert as_rational(sympy.Float(1.0 / 3.0)) == sympy.Rational("0.3333333333333333")
    assert as_decimal(x / 10**6) == x / 10**6 and as_decimal(x / (10**6 + 1)).has(sympy.Float)
    assert as_decimal(sympy.Integer(2**53) * x) == 2**53 * x and as_decimal((2**53 + 1) * x).has(sympy.Float)
    assert exact(x / 3.0) == x / 3 and exact(-0.375 * x) == -3 * x / 8
    assert exact(sympy.Float(1.0 / 3.0 + 1e-10)).is_Float and exact(sympy.Float(1.0 / 3.0 + 1e-14)).is_Rational
