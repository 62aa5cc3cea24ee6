"""Symbols through the front door: sizes are checked, parameters may be symbols, long formulas come back in time."""

from __future__ import annotations

import pytest

import sixvec as sv
from sixvec.errors import ArgumentError, ShapeError
from sixvec.lagrange import symbols
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

sympy = pytest.importorskip("sympy")


def test_inputs_of_a_wrong_size_are_refused_by_name() -> None:
    arm = sv.load("planar_2r")
    for call in (arm.symbolic, arm.evaluate):
        with pytest.raises(ShapeError, match="mass_matrix: q has 3 entries, but planar_2r needs 2"):
            call("mass_matrix", symbols("q", 3))
    with pytest.raises(ShapeError, match="q must be a sequence"):
        arm.symbolic("mass_matrix", sympy.Symbol("q"))


def test_an_option_among_the_inputs_is_asked_for_by_name() -> None:
    arm = sv.load("planar_2r")
    for inputs in (("tip",), (symbols("q", 2), "tip")):
        with pytest.raises(ArgumentError, match="jacobian takes q, not the text 'tip'; give it by name: frame='tip'"):
            arm.symbolic("jacobian", *inputs)
    with pytest.raises(ArgumentError, match=r"mass_matrix takes q, not the text 'ab'$"):
        arm.symbolic("mass_matrix", "ab")  # as long as q
    with pytest.raises(ArgumentError, match="jacobian needs the option 'frame'"):
        arm.symbolic("jacobian")
    with pytest.raises(ArgumentError, match="passive must be True or False, not 'yes'"):
        arm.symbolic("inverse_dynamics", passive="yes")
    assert arm.symbolic("jacobian", frame="tip").shape == (6, 2)


def test_symbolic_parameters_give_the_textbook_s_arm() -> None:
    m1, m2, L1, L2 = sympy.symbols("m1 m2 L1 L2", positive=True)

    def rod(m: object, L: object) -> RigidInertia:
        return RigidInertia.from_center_of_mass(m, Vec3(L, 0.0, 0.0), Sym3.zero())

    z = Vec3(0.0, 0.0, 1.0)
    upper = Body("upper", None, Revolute(z), Pose.identity(), rod(m1, L1))
    lower = Body("lower", "upper", Revolute(z), Pose.translation(Vec3(L1, 0.0, 0.0)), rod(m2, L2))
    tip = Frame("tip", "lower", Pose.translation(Vec3(L2, 0.0, 0.0)))
    arm = sv.Robot(Model("arm", (upper, lower), (tip,)))
    c2 = sympy.cos(symbols("q", 2)[1])
    coupled = m2 * (L1 * L2 * c2 + L2**2)
    expected = sympy.Matrix([[m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c2 + L2**2), coupled], [coupled, m2 * L2**2]])
    assert sympy.simplify(arm.symbolic("mass_matrix") - expected) == sympy.zeros(2, 2)


def test_long_formulas_stay_as_they_are() -> None:
    robot = sv.load("panda")
    q = symbols("q", 7)
    g = robot.symbolic("gravity_forces")
    at = robot.random(0)
    found = [float(x) for x in g.subs(dict(zip(q, at.tolist(), strict=True)))]
    assert found == pytest.approx(robot.gravity_forces(at).tolist(), abs=1e-9)
