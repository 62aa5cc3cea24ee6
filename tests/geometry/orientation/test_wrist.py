"""The spherical ZXZ wrist."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings

from rotation_samples import SHARP, SINGULAR_TRIP, columns, entries, matrix, near, rotations
from sixvec.errors import DegenerateError
from sixvec.geometry.orientation.wrist import SphericalWrist
from sixvec.spatial import Rotation, Vec3
from tolerances import ROUNDING


@pytest.mark.covers("ROT-07", "Bruyninckx (3.27)")
@settings(deadline=None, max_examples=50)
@given(rotations)
def test_both_configurations_reach_the_orientation(R: Rotation) -> None:
    for wrist in SphericalWrist.solutions(R):
        assert near(matrix(wrist.orientation()), matrix(R), SINGULAR_TRIP)


@pytest.mark.covers("ROT-07")
def test_zero_configuration_joint_axes_and_determinant() -> None:
    assert SphericalWrist(0.0, 0.0, 0.0).orientation() == Rotation.identity()
    a, b, c = sympy.symbols("a b c", real=True)
    J = SphericalWrist(a, b, c).jacobian()
    assert sympy.simplify(sympy.Matrix(3, 3, list(J)).det() + sympy.sin(b)) == 0
    w = Vec3(0.2, -0.4, 0.9)
    wrist = SphericalWrist(0.3, 1.1, -0.6)
    assert near(entries(wrist.jacobian() @ Vec3(*wrist.joint_rates(w))), entries(w), SHARP)


@pytest.mark.covers("ROT-07")
@pytest.mark.parametrize("q2", [0.0, math.pi])
def test_singular_wrist_loses_one_direction(q2: float) -> None:
    wrist = SphericalWrist(0.7, q2, 0.2)
    assert wrist.singular
    lost = entries(wrist.lost_direction())
    assert near(lost @ matrix(wrist.jacobian()), 0.0, SHARP)
    assert np.linalg.norm(lost) == pytest.approx(1.0)
    with pytest.raises(DegenerateError, match="zxz"):
        wrist.joint_rates(Vec3(1.0, 0.0, 0.0))
    assert not SphericalWrist(0.7, q2 + 0.1, 0.2).singular


@pytest.mark.covers("ROT-07")
def test_on_batches() -> None:
    q = np.random.default_rng(1).uniform(0.1, 1.0, (9, 3))
    R = SphericalWrist(*columns(q)).orientation()
    first, flipped = SphericalWrist.solutions(R)
    assert near(entries(first.angles), q, ROUNDING)
    assert near(flipped.q2, -q[:, 1], ROUNDING)
