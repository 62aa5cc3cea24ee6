"""Every equation of a body and of a robot is right in its units, and wrong ones are caught: quantities of pint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pint
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import DtypeError
from sixvec.geometry import Direction, Line, Point, line_distance
from sixvec.geometry.rigid_body import (
    Box,
    PointMass,
    bias_force,
    free_acceleration,
    newton_euler,
    newton_euler_material,
    principal_frame,
    screw_axis,
    uniform,
)
from sixvec.geometry.rigid_body.units import unit_registry
from sixvec.model import Body, Model
from sixvec.spatial import AccelerationField, Force, Motion, Pose, RigidInertia, Sym3, Vec3

u = unit_registry()
MOMENTUM, ANGULAR_MOMENTUM = u.newton * u.second, u.newton * u.metre * u.second
KG_M2 = u.kilogram * u.metre**2


def vec(unit: Any, *numbers: float) -> Vec3:
    return Vec3.of(x * unit for x in numbers)


BODY = RigidInertia.from_center_of_mass(
    2.0 * u.kilogram, vec(u.metre, 0.1, 0.2, 0.3), Sym3(*(x * KG_M2 for x in (0.3, 0.01, 0.02, 0.4, 0.03, 0.5)))
)
DIAGONAL = RigidInertia(2.0 * u.kilogram, Vec3.zero(), Sym3.diagonal(0.3 * KG_M2, 0.4 * KG_M2, 0.5 * KG_M2))
V = Motion(vec(1 / u.second, 1.0, 2.0, 3.0), vec(u.metre / u.second, 4.0, 5.0, 6.0))
A = Motion(vec(1 / u.second**2, 1.0, 2.0, 3.0), vec(u.metre / u.second**2, 4.0, 5.0, 6.0))


def measured(numbers: Any, unit: Any) -> list[float]:
    """The numbers in a unit; pint raises where a number has another dimension, and plain zeros have every one."""
    return [x.m_as(unit) if isinstance(x, u.Quantity) else _zero(x) for x in numbers]


def _zero(x: float) -> float:
    assert x == 0.0
    return x


def plain(thing: Any) -> Any:
    """The same with plain numbers."""
    if isinstance(thing, RigidInertia):
        return RigidInertia(plain(thing.mass), Vec3.of(map(plain, thing.moment)), Sym3(*map(plain, thing.rot)))
    if isinstance(thing, Motion | Force):
        return type(thing).of(map(plain, thing))
    return thing.magnitude if isinstance(thing, u.Quantity) else thing


def agrees(found: Force, expected: Force, angular: Any, linear: Any) -> None:
    got = [*measured(found.ang, angular), *measured(found.lin, linear)]
    np.testing.assert_allclose(got, [*expected], rtol=1e-14, atol=1e-14)


@pytest.mark.covers("BODY-20")
def test_table_of_units() -> None:
    """N = kg m/s², N m, N m s: Bruyninckx §4.11.3."""
    moment = 3.0 * u.newton * u.metre
    assert moment.m_as("kg m^2 / s^2") == 3.0 and moment.check("[energy]")
    assert (2.0 * u.metre / u.second).m_as("km / h") == pytest.approx(7.2, rel=1e-15)
    assert (1.0 * ANGULAR_MOMENTUM).m_as("kg m^2 / s") == 1.0


@pytest.mark.covers("BODY-20", "Bruyninckx (4.46)-(4.48)")
@pytest.mark.parametrize("body", [BODY, DIAGONAL], ids=["full", "diagonal"])
def test_equations_of_a_body_have_the_right_units(body: RigidInertia) -> None:
    """With structural zeros too: the inertia of `DIAGONAL` has plain zeros off its diagonal and as its moment."""
    bare, v, a = plain(body), plain(V), plain(A)
    agrees(body @ V, bare @ v, ANGULAR_MOMENTUM, MOMENTUM)
    agrees(newton_euler(body, V, A), newton_euler(bare, v, a), u.newton * u.metre, u.newton)
    field, bare_field = AccelerationField(V.ang, A.ang, A.lin), AccelerationField(v.ang, a.ang, a.lin)
    agrees(newton_euler_material(body, field), newton_euler_material(bare, bare_field), u.newton * u.metre, u.newton)
    agrees(bias_force(body, V.ang), bias_force(bare, v.ang), u.newton * u.metre, u.newton)
    assert body.kinetic_energy(V).m_as("joule") == pytest.approx(bare.kinetic_energy(v), rel=1e-14)
    found = free_acceleration(body, V, newton_euler(body, V, A))
    got = [*measured(found.ang, 1 / u.second**2), *measured(found.lin, u.metre / u.second**2)]
    np.testing.assert_allclose(got, [*a], rtol=1e-12)


@pytest.mark.covers("BODY-20")
def test_poses_lines_solids_and_degrees() -> None:
    X = Pose.rotation(Vec3(0.0, 0.0, 1.0), 90.0 * u.degree, vec(u.centimetre, 100.0, 0.0, 0.0))
    assert measured(X.pos, u.metre) == pytest.approx([1.0, -1.0, 0.0], abs=1e-15)
    again = Pose.exp(Pose.from_matrix(X.as_matrix()).log())
    assert measured(again.pos, u.metre) == pytest.approx([1.0, -1.0, 0.0], abs=1e-15)
    assert measured((X @ V).lin, u.metre / u.second) == pytest.approx([-8.0, 1.0, 5.0], rel=1e-14)
    plate = uniform(Box(vec(u.metre, 2.0, 1.0, 0.0)), 10.0 * u.kilogram / u.metre**3)
    assert plate.mass.m_as("kg") == 0.0
    box = uniform(Box(vec(u.millimetre, 1000.0, 2000.0, 3000.0)), 1.0 * u.gram / u.centimetre**3)
    assert box.mass.m_as("tonne") == pytest.approx(6.0)
    moments = principal_frame(box).moments
    assert sorted(measured(moments, "tonne m^2")) == pytest.approx([2.5, 5.0, 6.5])
    along_x = Line(Point(0.0, 0.0, 5.0 * u.metre), Vec3(1.0, 0.0, 0.0))
    assert line_distance(along_x, Line(Point.origin(), Vec3(0.0, 1.0, 0.0))).m_as("cm") == pytest.approx(500.0)
    assert Direction.from_vector(vec(u.metre, 0.0, 3.0, 4.0)).z.m_as("") == pytest.approx(0.8)
    assert screw_axis(V).pitch.m_as("metre") == pytest.approx(32.0 / 14.0)
    particle = PointMass(1.0 * u.kilogram, vec(u.metre, 1.0, 2.0, 3.0), V.lin)
    assert particle.angular_momentum().x.m_as(ANGULAR_MOMENTUM) == pytest.approx(-3.0)


@pytest.mark.covers("BODY-20")
def test_wrong_equations_are_caught() -> None:
    for wrong in (
        lambda: V.ang + V.lin,
        lambda: BODY @ V + newton_euler(BODY, V, A),
        lambda: BODY @ Motion(V.ang, A.lin),
        lambda: BODY.kinetic_energy(V) + 1.0,
        lambda: Pose.rotation(Vec3(0.0, 0.0, 1.0), 1.0 * u.metre),
        lambda: Motion(V.ang, V.ang).at(vec(u.metre, 1.0, 2.0, 3.0)),
    ):
        with pytest.raises(pint.DimensionalityError):
            wrong()


@pytest.mark.covers("BODY-20")
def test_only_the_plain_zero_has_every_unit() -> None:
    assert 0.0 * (3.0 * u.metre) + 2.0 * u.newton == 2.0 * u.newton and 0.0 / (3.0 * u.metre) == 0.0
    nothing = 0.0 * u.metre
    assert nothing.m_as("mm") == 0.0
    with pytest.raises(pint.DimensionalityError):
        _ = nothing + 2.0 * u.newton


def _measured(b: Body) -> Body:
    inertia = RigidInertia(
        b.inertia.mass * u.kilogram,
        Vec3.of(x * u.kilogram * u.metre for x in b.inertia.moment),
        Sym3(*(x * KG_M2 for x in b.inertia.rot)),
    )
    return replace(b, inertia=inertia, placement=Pose(b.placement.rot, vec(u.metre, *b.placement.pos)))


@pytest.mark.covers("BODY-20")
def test_a_whole_robot_in_units() -> None:
    """The recursions of a robot run on a model with units: torques in N m, inertias in kg m², the same numbers."""
    robot = sv.load("planar_2r")
    model = Model("measured", tuple(map(_measured, robot.model.bodies)), gravity=vec(u.m / u.s**2, 0.0, 0.0, -9.81))
    arm = sv.Robot(model)
    q, v, a = [0.3, -0.4], [1.0, 2.0], [0.5, -3.0]
    with_units = q, [x / u.second for x in v], [x / u.second**2 for x in a]
    tau = arm.evaluate("inverse_dynamics", *with_units)
    np.testing.assert_allclose(measured(tau, "N m"), robot.inverse_dynamics(q, v, a), rtol=1e-13)
    M = arm.evaluate("mass_matrix", q)
    np.testing.assert_allclose([measured(row, KG_M2) for row in M], robot.mass_matrix(q), rtol=1e-13)
    energy = arm.evaluate("kinetic_energy", *with_units[:2])
    np.testing.assert_allclose(measured([energy], "joule"), robot.kinetic_energy(q, v), rtol=1e-13)
    with pytest.raises(pint.DimensionalityError):
        arm.evaluate("inverse_dynamics", q, [1.0 * u.m / u.s, 0.0], [0.0, 0.0])


@pytest.mark.covers("BODY-20")
def test_kernels_reject_units_instead_of_dropping_them() -> None:
    robot = sv.load("planar_2r")
    with pytest.raises(DtypeError, match=named("q", "degree")):
        robot.pose(np.array([90.0, 0.0]) * u.degree, robot.frame_names[-1])
    np.testing.assert_allclose(robot.mass_matrix([90.0 * u.degree, 0.0]), robot.mass_matrix([np.pi / 2, 0.0]))
