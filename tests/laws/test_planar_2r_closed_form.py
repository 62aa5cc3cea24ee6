"""The planar 2R arm of Lynch-Park §9.1, against its equations of motion on paper.

The draft prints three slips: cos θ₁ for cos θ₂ in the θ̈₂ term of τ₁, and the wrong signs of the velocity and gravity
terms of τ₂.  The forms below are derived from the Lagrangian, which a test repeats with SymPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec import Model, Robot
from sixvec.model import Body
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import UPRIGHT_PLANE, along_x, point_mass
from sixvec.spatial import Vec3
from tolerances import IDENTITY, assert_close

G = 9.81


def mass_matrix(theta: Any, m1: Any, m2: Any, L1: Any, L2: Any, cos: Any) -> list[list[Any]]:
    c2 = cos(theta[1])
    M11 = m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c2 + L2**2)
    M12 = m2 * (L1 * L2 * c2 + L2**2)
    return [[M11, M12], [M12, m2 * L2**2]]


def coriolis(theta: Any, rate: Any, m1: Any, m2: Any, L1: Any, L2: Any, sin: Any) -> list[Any]:
    h = m2 * L1 * L2 * sin(theta[1])
    return [-h * (2 * rate[0] * rate[1] + rate[1] ** 2), h * rate[0] ** 2]


def gravity(theta: Any, m1: Any, m2: Any, L1: Any, L2: Any, g: Any, cos: Any) -> list[Any]:
    tip = m2 * L2 * g * cos(theta[0] + theta[1])
    return [(m1 + m2) * L1 * g * cos(theta[0]) + tip, tip]


@pytest.mark.parametrize("parameters", [(1.0, 1.0, 1.0, 1.0), (2.5, 0.7, 0.4, 1.3)])
@pytest.mark.covers("DYN-19", "DYN-09")
def test_compiled_dynamics_are_the_closed_form(parameters: tuple[float, ...]) -> None:
    robot = Robot(arm(*parameters))
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 20, 2))
    rows = mass_matrix(q.T, *parameters, np.cos)
    M = np.stack([np.stack([x + 0.0 * q[:, 0] for x in row], axis=1) for row in rows], axis=1)
    c = np.array(coriolis(q.T, v.T, *parameters, np.sin)).T
    g = np.array(gravity(q.T, *parameters, G, np.cos)).T
    assert_close(robot.mass_matrix(q), M, IDENTITY)
    assert_close(robot.bias_forces(q, v), c + g, IDENTITY)
    assert_close(robot.gravity_forces(q), g, IDENTITY)
    assert_close(robot.inverse_dynamics(q, v, a), np.einsum("nij,nj->ni", M, a) + c + g, IDENTITY)


def test_the_built_in_arm_is_this_arm() -> None:
    q, v, a = np.random.default_rng(1).normal(size=(3, 20, 2))
    built_in, own = sixvec.load("planar_2r"), Robot(arm(1.0, 1.0, 1.0, 1.0))
    assert_close(built_in.inverse_dynamics(q, v, a), own.inverse_dynamics(q, v, a), IDENTITY)


@pytest.mark.covers("DYN-19")
def test_symbols_through_the_algorithms_give_the_closed_form() -> None:
    """The equations of algorithms/, run on SymPy symbols, simplify to those on paper."""
    sympy = pytest.importorskip("sympy")
    robot = sixvec.load("planar_2r")
    q, v, a = sympy.symbols("q1 q2"), sympy.symbols("v1 v2"), sympy.symbols("a1 a2")
    ones, g = (1, 1, 1, 1), sympy.Float(str(G))
    M = sympy.Matrix(mass_matrix(q, *ones, sympy.cos))
    tau = M * sympy.Matrix(a) + sympy.Matrix(coriolis(q, v, *ones, sympy.sin))
    tau += sympy.Matrix(gravity(q, *ones, g, sympy.cos))
    assert is_zero(sympy.Matrix(robot.evaluate("mass_matrix", q)) - M)
    assert is_zero(sympy.Matrix(robot.evaluate("inverse_dynamics", q, v, a)) - tau)
    assert is_zero(sympy.Matrix(robot.evaluate("coriolis_matrix", q, v)) - christoffel(M, q, v))


@pytest.mark.covers("DYN-19")
def test_symbolic_inverse_dynamics_is_the_equation_of_lagrange() -> None:
    """τ = d/dt ∂L/∂θ̇ - ∂L/∂θ with L = T - U, all three from the algorithms (Lynch-Park (9.11))."""
    sympy = pytest.importorskip("sympy")
    robot = sixvec.load("planar_2r")
    q, v, a = sympy.symbols("q1 q2"), sympy.symbols("v1 v2"), sympy.symbols("a1 a2")
    L = robot.evaluate("kinetic_energy", q, v) - robot.evaluate("potential_energy", q)
    tau = robot.evaluate("inverse_dynamics", q, v, a)
    for i in range(2):
        p = sympy.diff(L, v[i])
        rate = sum(sympy.diff(p, q[j]) * v[j] + sympy.diff(p, v[j]) * a[j] for j in range(2))
        assert is_zero(sympy.Matrix([rate - sympy.diff(L, q[i]) - tau[i]]))


def christoffel(M: Any, q: Any, v: Any) -> Any:
    """C_ij = Σ_k Γ_ijk v_k with Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)  (Lynch-Park (9.13), (9.87))."""
    import sympy

    def entry(i: int, j: int) -> Any:
        terms = (
            sympy.diff(M[i, j], q[k]) + sympy.diff(M[i, k], q[j]) - sympy.diff(M[j, k], q[i]) for k in range(len(q))
        )
        return sum(t * v[k] for k, t in enumerate(terms)) / 2

    return sympy.Matrix(len(q), len(q), lambda i, j: entry(i, j))


def is_zero(matrix: Any) -> bool:
    """Whether trigonometry reduces every entry to zero; the constants of the model are floats, so up to rounding."""
    import sympy

    reduced = [sympy.nsimplify(sympy.expand(sympy.expand_trig(x)), rational=True, tolerance=1e-12) for x in matrix]
    return all(sympy.simplify(x) == 0 for x in reduced)


def arm(m1: float, m2: float, L1: float, L2: float) -> Model:
    """Point masses at the ends of two links, in an upright plane; gravity pulls down."""
    first = Body("link1", None, Revolute(), UPRIGHT_PLANE, point_mass(m1, Vec3(L1, 0.0, 0.0)))
    second = Body("link2", "link1", Revolute(), along_x(L1), point_mass(m2, Vec3(L2, 0.0, 0.0)))
    return Model("planar 2R", (first, second))
