"""Symbols through the front door: sizes are checked, parameters may be symbols, long formulas come back in time."""

from __future__ import annotations

import pytest

import sixvec as sv
from naming import named
from sixvec import scalar
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import symbols

sympy = pytest.importorskip("sympy")


def test_inputs_of_a_wrong_size_raise_and_are_named() -> None:
    arm = sv.load("planar_2r")
    for call in (arm.symbolic, arm.evaluate):
        with pytest.raises(ShapeError, match=named("mass_matrix", "q", "planar_2r")):
            call("mass_matrix", symbols("q", 3))
    with pytest.raises(ShapeError, match=named("q")):
        arm.symbolic("mass_matrix", sympy.Symbol("q"))


def test_an_option_among_the_inputs_is_asked_for_by_name() -> None:
    arm = sv.load("planar_2r")
    for inputs in (("tip",), (symbols("q", 2), "tip")):
        with pytest.raises(ArgumentError, match=named("jacobian", "tip", "frame")):
            arm.symbolic("jacobian", *inputs)
    with pytest.raises(ArgumentError, match=named("mass_matrix", "ab")):
        arm.symbolic("mass_matrix", "ab")  # as long as q
    with pytest.raises(ArgumentError, match="jacobian"):
        arm.symbolic("jacobian")
    with pytest.raises(ArgumentError, match=named("passive", "yes")):
        arm.symbolic("inverse_dynamics", passive="yes")
    assert arm.symbolic("jacobian", frame="tip").shape == (6, 2)


def test_functions_of_time_are_coordinates() -> None:
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    t = sympy.Symbol("t")
    for q in (mechanics.dynamicsymbols("q1 q2"), [sympy.Function("alpha")(t), sympy.Function("beta")(t)]):
        c2 = sympy.cos(q[1])
        assert sv.load("planar_2r").symbolic("mass_matrix", q) == sympy.Matrix([[2 * c2 + 3, c2 + 1], [c2 + 1, 1]])


def test_a_scalar_of_a_class_made_elsewhere_finds_its_package() -> None:
    class Angle(sympy.Symbol):  # type: ignore[misc, name-defined]
        pass

    assert scalar.sin(Angle("x")) == sympy.sin(Angle("x"))
    assert scalar.where(Angle("x") > 0, 1, 2) == sympy.Piecewise((1, Angle("x") > 0), (2, True))


def test_external_wrenches_of_symbols() -> None:
    arm, force = sv.load("planar_2r"), sympy.symbols("f1:7")
    pushed = arm.symbolic("inverse_dynamics", external={"tip": force}, external_reference="world")
    gap = (
        pushed
        - arm.symbolic("inverse_dynamics")
        + arm.symbolic("jacobian", frame="tip", reference="world").T * (sympy.Matrix(force))
    )
    assert sympy.simplify(gap) == sympy.zeros(2, 1)
    for call in (arm.symbolic, arm.evaluate):
        with pytest.raises(ShapeError, match=named("inverse_dynamics", "external[tip]")):
            call("inverse_dynamics", *[[0.0, 0.0]] * 3, external={"tip": force[:5]})
        with pytest.raises(ArgumentError, match="external"):
            call("inverse_dynamics", *[[0.0, 0.0]] * 3, external=force)


def test_uncompiled_calls_name_what_is_wrong_with_their_arguments() -> None:
    arm, q = sv.load("planar_2r"), [0.0, 0.0]
    with pytest.raises(ArgumentError, match=named("mass_matrix", "foo")):
        arm.evaluate("mass_matrix", q, foo=1)
    offered = "q, v, a, external, external_reference, passive"
    with pytest.raises(ArgumentError, match=named("inverse_dynamics", "foo", offered)):
        arm.evaluate("inverse_dynamics", q, q, q, foo=1)
    with pytest.raises(ArgumentError, match="inverse_dynamics"):
        arm.evaluate("inverse_dynamics", q)
    with pytest.raises(ArgumentError, match="jacobian"):
        arm.evaluate("jacobian", q)
    with pytest.raises(ArgumentError, match="frame"):
        arm.evaluate("jacobian", q, "tip", frame="tip")
    with pytest.raises(ArgumentError, match="mass_matrix"):
        arm.evaluate("mass_matrix", q, q)
    with pytest.raises(ShapeError, match=named("mass_matrix", "q")):
        arm.evaluate("mass_matrix", 0.3)
    assert arm.evaluate("jacobian", q, "tip") == arm.evaluate("jacobian", q, frame="tip")


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
