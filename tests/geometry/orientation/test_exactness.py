"""Exactness of differential forms: the angular velocity has no potential."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import sixvec
from sixvec.geometry.orientation.euler import EulerAngles, EulerRates
from sixvec.geometry.orientation.exactness import exactness_defects
from sixvec.spatial import Vec3

ANGLES = sympy.symbols("alpha beta gamma", real=True)


@pytest.mark.covers("ROT-10")
def test_omega_y_of_zxz_is_not_exact() -> None:
    columns = EulerAngles(*ANGLES, "zxz").turning_axes()
    form = sympy.Matrix([axis.y for axis in columns])
    a, b, _ = ANGLES
    ab, ac, bc = exactness_defects(form.jacobian(ANGLES).tolist())
    assert sympy.simplify(ab + sympy.cos(a)) == 0
    assert sympy.simplify(bc - sympy.cos(b) * sympy.cos(a)) == 0
    assert sympy.simplify(ac + sympy.sin(a) * sympy.sin(b)) == 0


@pytest.mark.covers("ROT-10", "Bruyninckx (3.43)-(3.44)")
def test_differentials_are_exact() -> None:
    x, y, z, w = sympy.symbols("x y z w")
    potential = sympy.sin(x * y) + z**2 * sympy.exp(w) * x
    form = sympy.Matrix([potential]).jacobian([x, y, z, w])
    defects = exactness_defects(form.jacobian([x, y, z, w]).tolist())
    assert len(defects) == 6
    assert all(sympy.simplify(d) == 0 for d in defects)


@pytest.mark.covers("ROT-10")
def test_compiled_forms_are_tested_on_numbers() -> None:
    @sixvec.compiled("x[3] -> A[3]")
    def omega_y(x):
        angles = EulerAngles(*x, "zxz")
        return [angles.space_velocity(EulerRates(*unit)).y for unit in np.eye(3).tolist()]

    a, b, c = 0.3, 0.8, -0.5
    defects = exactness_defects(omega_y.derivative("x")([a, b, c]))
    assert defects == pytest.approx([-np.cos(a), -np.sin(a) * np.sin(b), np.cos(b) * np.cos(a)])

    @sixvec.compiled("x[3] -> A[3]")
    def gradient(x):
        return Vec3.of(x) * Vec3.of(x).dot(Vec3.of(x))

    assert exactness_defects(gradient.derivative("x")([a, b, c])) == pytest.approx([0.0, 0.0, 0.0])
