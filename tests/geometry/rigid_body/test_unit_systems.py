"""Conversions between units of length and mass, against the table of SciPy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import constants

from sixvec.spatial import Force, Motion, Pose, RigidInertia, Rotation, Sym3, UnitSystem, Vec3
from sixvec.spatial.unit_system import LENGTHS, MASSES

METRES = {
    "m": 1.0, "dm": constants.deci, "cm": constants.centi, "mm": constants.milli, "km": constants.kilo,
    "in": constants.inch, "ft": constants.foot,
}  # fmt: skip
KILOGRAMS = {"kg": 1.0, "g": constants.gram, "t": constants.metric_ton, "lb": constants.pound}
PAIRS = [*product(METRES, KILOGRAMS)]


def test_the_tables_are_those_of_others() -> None:
    assert {*LENGTHS} == {*METRES} and {*MASSES} == {*KILOGRAMS}


@pytest.mark.parametrize(("length", "mass"), PAIRS)
def test_numbers_carry_the_powers_of_their_units(length: str, mass: str) -> None:
    a, b = Vec3(0.3, -0.5, 1.1), Vec3(0.7, 0.2, -0.4)
    there, back = UnitSystem(length, mass), UnitSystem("cm", "lb")
    L, M = METRES[length] / METRES["cm"], KILOGRAMS[mass] / KILOGRAMS["lb"]
    rot = Sym3(1.0, 0.1, 0.2, 1.5, 0.3, 2.0)
    for value, factors in (
        (Motion(a, b), [1.0] * 3 + [L] * 3),
        (Force(a, b), [M * L * L] * 3 + [M * L] * 3),
        (RigidInertia(2.0, a, rot), [M] + [M * L] * 3 + [M * L * L] * 6),
        (Pose(Rotation.about_x(0.3), a), [1.0] * 9 + [L] * 3),
    ):
        found = there.converted(value, back)
        assert np.allclose(_numbers(found), _numbers(value) * factors, rtol=1e-14)
        assert np.allclose(_numbers(back.converted(found, there)), _numbers(value), rtol=1e-14)


def _numbers(value: object) -> np.ndarray:
    if isinstance(value, Pose):
        return np.array([*value.rot.matrix, *value.pos])
    if isinstance(value, RigidInertia):
        return np.array([value.mass, *value.moment, *value.rot])
    return np.array([*value])  # type: ignore[misc]
