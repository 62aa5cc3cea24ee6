"""Axis and angle, and their rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings

import differences
import sixvec
from naming import named
from rotation_samples import ANGLES, AXES, HALF_TURN, SHARP, batch_rotation, entries, matrix, near, vectors
from sixvec.errors import DegenerateError
from sixvec.geometry.orientation.axis_angle import AxisAngle, AxisAngleRate
from sixvec.spatial import Rotation, Vec3, so3
from tolerances import DIFFERENCE, ROUNDING

TURNS = [t for t in ANGLES if t > 0.0]


@pytest.mark.covers("ROT-11", "Bruyninckx (3.50)")
@pytest.mark.parametrize("angle", TURNS)
def test_round_trip(angle: float) -> None:
    for axis in AXES:
        given_turn = AxisAngle(Vec3(*map(float, axis)), angle)
        R = given_turn.as_rotation()
        found = AxisAngle.from_rotation(R)
        assert found.angle == pytest.approx(angle, abs=SHARP)
        sign = np.sign(entries(found.axis) @ axis)
        assert sign > 0 or angle > HALF_TURN, "at half a turn both senses are right"
        assert near(entries(found.axis), sign * axis, max(SHARP, SHARP / angle))
        assert near(entries(R @ found.axis), entries(found.axis), SHARP)
        assert np.trace(matrix(R)) == pytest.approx(1.0 + 2.0 * math.cos(angle), abs=SHARP)
        for same in (found, found.other()):
            assert near(matrix(same.as_rotation()), matrix(R), SHARP)
        assert near(entries(found.as_vector()), entries(so3.log(R)), SHARP)


@pytest.mark.covers("ROT-11")
def test_the_identity_has_no_axis() -> None:
    with pytest.raises(DegenerateError, match=named("so3.log")):
        AxisAngle.from_rotation(Rotation.identity())
    batch = AxisAngle.from_rotation(batch_rotation(np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]])))
    assert near(entries(batch), [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.3]], SHARP)


@pytest.mark.covers("ROT-11", "Bruyninckx (3.46)")
def test_five_elementary_turns() -> None:
    """About any axis: turn it onto x, turn about x, turn back (with the root that the book leaves out)."""
    e, theta = Vec3(*map(float, AXES[-1])), 1.3
    alpha, beta = -math.atan2(e.y, e.x), math.atan2(e.z, math.hypot(e.x, e.y))
    onto = Rotation.about_y(beta) @ Rotation.about_z(alpha)
    assert near(entries(onto @ e), [1.0, 0.0, 0.0], SHARP)
    R = Rotation.about_x(theta).similar(onto)
    assert near(matrix(R), matrix(AxisAngle(e, theta).as_rotation()), SHARP)


@pytest.mark.covers("ROT-11")
@settings(deadline=None, max_examples=50)
@given(vectors, vectors)
def test_rates_and_angular_velocity_are_inverse(r: Vec3, w: Vec3) -> None:
    angle = r.norm()
    if angle < 0.1 or abs(math.sin(angle / 2)) < 0.05:
        return
    turn = AxisAngle(r * (1.0 / angle), angle)
    assert near(entries(turn.space_velocity(turn.rate_from_space(w))), entries(w), ROUNDING)
    assert near(entries(turn.body_velocity(turn.rate(w))), entries(w), ROUNDING)
    assert abs(turn.axis.dot(turn.rate(w).axis)) < ROUNDING
    in_body = turn.as_rotation().inv() @ turn.space_velocity(turn.rate_from_space(w))
    assert near(entries(turn.body_velocity(turn.rate_from_space(w))), entries(in_body), ROUNDING)


@pytest.mark.covers("ROT-11")
def test_rates_are_the_derivatives_of_axis_and_angle() -> None:
    R, w = so3.exp(Vec3(0.4, -1.0, 2.0)), Vec3(0.3, 0.7, -0.2)
    turn = AxisAngle.from_rotation(R)
    rate = turn.rate_from_space(w)
    measured = differences.derivative(lambda t: entries(AxisAngle.from_rotation(so3.exp(w * t) @ R)))
    assert near([*rate.axis, rate.angle], measured, DIFFERENCE)


@pytest.mark.covers("ROT-11")
def test_angular_velocity_to_many_digits() -> None:
    """Ṙ Rᵀ of R(e(t), θ(t)) is skew with the axial vector θ̇ e + sin θ ė + (1 - cos θ) e × ė."""
    t = sympy.Symbol("t", real=True)
    a, b, theta = 2 * t + 1, 3 * t - 1, t**2 + 1
    axis = Vec3(sympy.cos(a) * sympy.cos(b), sympy.sin(a) * sympy.cos(b), sympy.sin(b))
    turn = AxisAngle(axis, theta)
    R = sympy.Matrix(3, 3, list(turn.as_rotation().matrix))
    spin = R.diff(t) * R.T
    w = turn.space_velocity(AxisAngleRate(Vec3(*(x.diff(t) for x in axis)), theta.diff(t)))
    gaps = (spin[2, 1] - w.x, spin[0, 2] - w.y, spin[1, 0] - w.z, spin[0, 0], spin[1, 1], spin[2, 2])
    for gap in gaps:
        exact = sympy.nsimplify(gap, rational=True).subs(t, sympy.Rational(1, 3))
        assert abs(exact.evalf(40)) < 1e-30


@pytest.mark.covers("ROT-11")
def test_rate_without_a_turn_raises() -> None:
    for rate in (AxisAngle(Vec3(0.0, 0.0, 1.0), 0.0).rate, AxisAngle(Vec3(0.0, 0.0, 1.0), 0.0).rate_from_space):
        with pytest.raises(DegenerateError, match="left_jacobian_inverse"):
            rate(Vec3(1.0, 0.0, 0.0))


@pytest.mark.covers("ROT-11")
def test_compiled_with_derivatives() -> None:
    @sixvec.compiled("r[3] -> a[4]")
    def axis_angle(r):
        return AxisAngle.from_rotation(so3.exp(Vec3.of(r)))

    @sixvec.compiled("a[4] w[3] -> b[3] s[3]")
    def both_ways(a, w):
        turn = AxisAngle(Vec3.of(a[:3]), a[3])
        return turn.body_velocity(turn.rate(Vec3.of(w))), turn.space_velocity(turn.rate_from_space(Vec3.of(w)))

    r = np.array([angle * axis for angle in (0.1, 1.0, math.pi - 1e-9) for axis in AXES])
    found = axis_angle(r)
    assert near(found, entries(AxisAngle.from_rotation(batch_rotation(r))), ROUNDING)
    angle = np.linalg.norm(r, axis=-1)
    e = r / angle[:, None]
    slopes = axis_angle.derivative("r")(r)
    assert near(slopes[:, 3], e, ROUNDING)
    across = (np.eye(3) - e[:, :, None] * e[:, None, :]) / angle[:, None, None]
    assert near(slopes[:, :3], across, ROUNDING)
    assert np.isfinite(axis_angle.derivative("r")(np.zeros(3))).all()
    w = np.array([0.3, -0.4, 0.5])
    for velocity in both_ways(found, w):
        assert near(velocity, w, ROUNDING)
    assert near(found[:, 3], angle, SHARP)
