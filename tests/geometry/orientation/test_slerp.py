"""Interpolation along the shorter arc."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as SciPy
from scipy.spatial.transform import Slerp

import sixvec
from rotation_samples import ANGLES, AXES, HALF_TURN, SHARP, entries, matrix, near, vectors
from sixvec.geometry.orientation.slerp import slerp
from sixvec.spatial import Quaternion, Vec3
from tolerances import ROUNDING

quaternions = vectors.map(Quaternion.exp)
fractions = st.floats(0.0, 1.0)
START = Quaternion.exp(Vec3(0.3, -1.2, 0.8))


@pytest.mark.covers("ROT-15")
@settings(deadline=None, max_examples=50)
@given(quaternions, quaternions, fractions)
def test_laws(a: Quaternion, b: Quaternion, t: float) -> None:
    half_turn = abs(a.dot(b)) < 1e-9
    there, flipped, back = slerp(a, b, t), slerp(a, -b, t), slerp(b, a, 1.0 - t)
    total = a.distance(b)
    assert there.norm() == pytest.approx(1.0, abs=SHARP)
    assert a.distance(there) == pytest.approx(t * total, abs=ROUNDING), "constant speed, never the long way round"
    assert there.distance(b) == pytest.approx((1.0 - t) * total, abs=ROUNDING)
    if not half_turn:
        assert flipped.distance(there) < ROUNDING, "b and -b are one orientation"
        assert back.distance(there) < ROUNDING
    assert slerp(a, b, 0.0).distance(a) < SHARP
    assert slerp(a, b, 1.0).distance(b) < ROUNDING
    assert near(entries(slerp(a, b, 1.0).near(b)), entries(b), ROUNDING)


@pytest.mark.covers("ROT-15")
@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_all_gaps_and_both_signs(angle: float, sign: float) -> None:
    for axis in AXES:
        b = START @ Quaternion.about(Vec3(*map(float, axis)), angle)
        b = Quaternion(*(sign * x for x in b))
        middle = slerp(START, b, 0.25)
        expected = START @ Quaternion.about(Vec3(*map(float, axis)), 0.25 * angle)
        if angle < HALF_TURN:
            assert middle.distance(expected) < SHARP
        else:
            assert START.distance(middle) == pytest.approx(0.25 * math.pi, abs=SHARP)


@pytest.mark.covers("ROT-15")
def test_agrees_with_scipy_on_batches_and_compiled() -> None:
    @sixvec.compiled("a[4] b[4] t -> q[4]")
    def compiled_slerp(a, b, t):
        return slerp(Quaternion.of(a), Quaternion.of(b), t)

    ends = SciPy.random(2, np.random.default_rng(4))
    t = np.linspace(0.0, 1.0, 11)
    expected = Slerp([0.0, 1.0], ends)(t).as_matrix()
    a, b = ends.as_quat()
    q = compiled_slerp(a, b, t)
    assert near(SciPy.from_quat(q).as_matrix(), expected, SHARP)
    batch = slerp(Quaternion(*a), Quaternion(*b), t)
    assert near(matrix(batch.as_rotation()), expected, SHARP)
    assert near(entries(batch), q, SHARP)
    for derivative in (compiled_slerp.derivative(name) for name in ("a", "b", "t")):
        assert np.isfinite(derivative(a, b, t)).all()
        assert np.isfinite(derivative(a, a, t)).all()
        assert np.isfinite(derivative(a, -a, t)).all()


@pytest.mark.covers("ROT-15")
def test_speed_is_the_rotation_vector() -> None:
    @sixvec.compiled("b[4] t -> q[4]")
    def path(b, t):
        return slerp(START, Quaternion.of(b), t)

    for angle in (0.0, 1e-9, 1.0, math.pi - 1e-9):
        b = START @ Quaternion.about(Vec3(0.6, 0.0, 0.8), angle)
        q, rate = path([*b], 0.3), path.derivative("t")([*b], 0.3)
        w = Quaternion(*q).body_velocity(Quaternion(*rate))
        assert near(entries(w), [0.6 * angle, 0.0, 0.8 * angle], SHARP)
