"""Models with symbols for parameters: formulas hold them, and errors name them where numbers are needed."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import DtypeError, ModelError, ShapeError
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import symbols

sympy = pytest.importorskip("sympy")

m, L, g = sympy.symbols("m L g", positive=True)


def pendulum(mass: object = 1.0, length: object = 1.0, gravity: object = 9.81) -> Model:
    bob = RigidInertia.from_center_of_mass(mass, Vec3(length, 0.0, 0.0), Sym3.zero())
    tip = Frame("tip", "rod", Pose.translation(Vec3(length, 0.0, 0.0)))
    return Model("pendulum", (Body("rod", None, Revolute(), inertia=bob),), (tip,), Vec3(0.0, -gravity, 0.0))  # type: ignore[operator]


def test_gravity_may_be_a_symbol() -> None:
    (q,) = symbols("q", 1)
    expected = sympy.Matrix([m * g * L * sympy.cos(q)])
    assert sv.Robot(pendulum(m, L, g)).symbolic("gravity_forces") == expected
    assert sv.Robot(pendulum(m, L)).with_gravity([0, -g, 0]).symbolic("gravity_forces") == expected


def test_gravity_that_is_none() -> None:
    robot = sv.Robot(pendulum())
    for bad in (float("nan"), float("inf"), np.float32("nan"), sympy.oo):
        with pytest.raises(ModelError, match="gravity"):
            robot.with_gravity([0.0, bad, 0.0])
    for bad in (None, "down", [1.0]):
        with pytest.raises(DtypeError, match="gravity"):
            robot.with_gravity([0.0, bad, 0.0])
    with pytest.raises(ModelError, match="gravity"):
        Model("pendulum", robot.model.bodies, gravity=Vec3(0.0, None, 0.0))
    with pytest.raises(ShapeError, match="gravity"):
        robot.with_gravity([0.0, -9.81])
    with pytest.raises(ShapeError, match="gravity"):
        robot.with_gravity(9.81)


def test_numeric_calls_name_the_symbols_and_where_they_stand() -> None:
    calls = [
        (pendulum(m, L), lambda r: r.mass_matrix([0.0]), r'body "rod" has L, m; frame "tip" has L\.'),
        (pendulum(m, L), lambda r: r.kernel("inverse_dynamics").derivative("q"), 'body "rod" has L, m'),
        (pendulum(gravity=g), lambda r: r.gravity_forces([0.0]), r"gravity has g\."),
        (pendulum(gravity=g), lambda r: r.gravity, "gravity has g"),
        (pendulum(m), lambda r: r.mass, 'body "rod" has m'),
        (pendulum(length=L), lambda r: r.pose([0.0], "tip"), 'frame "tip" has L'),
    ]
    for model, call, message in calls:
        with pytest.raises(DtypeError, match="^pendulum has symbols where numbers are needed: .*" + message):
            call(sv.Robot(model))


def test_numeric_calls_that_need_no_symbol_answer() -> None:
    robot = sv.Robot(pendulum(m, 2.0, g))
    np.testing.assert_allclose(robot.pose([0.0], "tip")[:3, 3], [2.0, 0.0, 0.0])
    assert sv.Robot(pendulum(gravity=g)).mass_matrix([0.0]) == pytest.approx(1.0)


def test_numbers_of_sympy_are_numbers() -> None:
    half = sympy.Rational(1, 2)
    assert sv.Robot(pendulum(half, 1.0)).mass_matrix([0.0]) == pytest.approx(0.5)
    assert sv.Robot(pendulum()).with_gravity([0, -half, 0]).model.gravity == Vec3(0.0, -0.5, 0.0)
