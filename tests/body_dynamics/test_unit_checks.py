"""Every equation of a rigid body is right in its units, and wrong ones are caught."""

from __future__ import annotations

import pytest

from sixvec.errors import FrameError
from sixvec.rigid_body.newton_euler import bias_force, free_acceleration, newton_euler, newton_euler_material
from sixvec.rigid_body.point_mass import PointMass
from sixvec.rigid_body.units import (
    JOULE,
    KILOGRAM,
    METRE,
    NEWTON,
    NEWTON_METRE,
    NEWTON_METRE_SECOND,
    NEWTON_SECOND,
    ONE,
    SECOND,
    Quantity,
    Unit,
)
from sixvec.spatial import AccelerationField, Force, Motion, RigidInertia, Sym3, Vec3


def vec(unit: Unit, *numbers: float) -> Vec3:
    return Vec3.of(x * unit for x in numbers)


KG_M2 = KILOGRAM * METRE**2
BODY = RigidInertia.from_center_of_mass(
    2.0 * KILOGRAM, vec(METRE, 0.1, 0.2, 0.3), Sym3(*(x * KG_M2 for x in (0.3, 0.01, 0.02, 0.4, 0.03, 0.5)))
)
V = Motion(vec(ONE / SECOND, 1.0, 2.0, 3.0), vec(METRE / SECOND, 4.0, 5.0, 6.0))
A = Motion(vec(ONE / SECOND**2, 1.0, 2.0, 3.0), vec(METRE / SECOND**2, 4.0, 5.0, 6.0))


def units(vector: Motion | Force) -> tuple[set[Unit], set[Unit]]:
    return {x.unit for x in vector.ang}, {x.unit for x in vector.lin}


@pytest.mark.covers("BODY-20")
def test_table_of_units() -> None:
    """N = kg m/s², N m, N m s: Bruyninckx 4.11.3."""
    assert str(NEWTON) == "kg m s^-2" and str(NEWTON_METRE) == "kg m^2 s^-2"
    assert NEWTON_METRE_SECOND == NEWTON_METRE * SECOND and NEWTON_SECOND == KILOGRAM * METRE / SECOND


@pytest.mark.covers("BODY-20")
def test_equations_of_a_body_have_the_right_units() -> None:
    assert units(BODY @ V) == ({NEWTON_METRE_SECOND}, {NEWTON_SECOND})
    field = AccelerationField(V.ang, A.ang, A.lin)
    for wrench in (newton_euler(BODY, V, A), newton_euler_material(BODY, field), bias_force(BODY, V.ang)):
        assert units(wrench) == ({NEWTON_METRE}, {NEWTON})
    assert BODY.kinetic_energy(V).unit == JOULE
    assert BODY.potential_energy(vec(METRE / SECOND**2, 0.0, 0.0, -9.81)).unit == JOULE
    assert units(free_acceleration(BODY, V, newton_euler(BODY, V, A))) == ({ONE / SECOND**2}, {METRE / SECOND**2})
    particle = PointMass(1.0 * KILOGRAM, vec(METRE, 1.0, 2.0, 3.0), V.lin)
    assert particle.angular_momentum().x.unit == NEWTON_METRE_SECOND
    assert particle.kinetic_energy.unit == JOULE


@pytest.mark.covers("BODY-20")
def test_wrong_equations_are_caught() -> None:
    with pytest.raises(FrameError, match="units differ"):
        V.lin + A.lin
    bias = bias_force(BODY, V.ang)
    as_printed = Force(bias.lin, bias.ang)  # in the order of the halves that Bruyninckx (4.89) prints
    with pytest.raises(FrameError, match="units differ"):
        BODY @ A + as_printed
    with pytest.raises(FrameError, match="units differ"):
        BODY @ Motion(V.ang, A.lin)


@pytest.mark.covers("BODY-20")
def test_arithmetic_of_quantities() -> None:
    length, time = 3.0 * METRE, 2.0 * SECOND
    assert (length / time).as_number(METRE / SECOND) == 1.5
    assert (1.0 / time).unit == ONE / SECOND
    assert (0.0 + length).unit == METRE and (length - 0.0).value == 3.0 and (0.0 - length).value == -3.0
    assert (length * length).sqrt() == length and abs(-length) == length
    assert length > 2.0 * METRE and length < 4.0 * METRE and length != 2.0 * METRE
    assert Quantity(2.0, METRE) == METRE * 2.0 and hash(length) == hash(3.0 * METRE)
    with pytest.raises(FrameError, match="no square root"):
        length.sqrt()
    with pytest.raises(FrameError, match="is not in"):
        length.as_number(SECOND)
    with pytest.raises(FrameError, match="units differ"):
        _ = length + 1.0
    assert length.__eq__("3 m") is NotImplemented
    assert str(ONE) == "1" and str(length) == "3.0 m"
