"""Acceleration centres, axodes and the second-order screw axis."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given

import sixvec
from body_samples import array, close, laws, motions, random_motions, same, vectors
from differences import derivative
from naming import named
from sixvec.errors import DegenerateError
from sixvec.geometry.rigid_body.instantaneous import (
    SecondOrderScrewAxis,
    acceleration_center,
    acceleration_pole,
    fixed_axode,
    moving_axode,
    screw_axis,
)
from sixvec.geometry.rigid_body.twist import twist_of_pose_rate
from sixvec.spatial import AccelerationField, Motion, Pose, Vec3

X_AXIS, Z_AXIS = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)


@pytest.mark.covers("BODY-16")
@given(vectors, vectors, vectors)
@laws
def test_the_center_has_no_acceleration(w: Vec3, alpha: Vec3, a: Vec3) -> None:
    n = w.cross(alpha)
    assume(n.dot(n) > 0.01)
    field = AccelerationField(w, alpha, a)
    same(field.at(acceleration_center(field)), Vec3.zero(), 1e-8)
    U = np.array(list(field.tensor)).reshape(3, 3)
    close(array(acceleration_center(field)), np.linalg.solve(U, -array(a)), 1e-9)


@pytest.mark.covers("BODY-16")
@pytest.mark.parametrize("alpha", [Vec3.zero(), Z_AXIS, Z_AXIS * -3.0])
def test_parallel_rates_have_a_pole_but_no_center(alpha: Vec3) -> None:
    field = AccelerationField(Z_AXIS * 2.0, alpha, Vec3(1.0, -2.0, 5.0))
    with pytest.raises(DegenerateError, match="acceleration_pole"):
        acceleration_center(field)
    pole = acceleration_pole(field)
    same(field.at(pole), Z_AXIS * 5.0)
    assert pole.z == 0.0


@pytest.mark.covers("BODY-16")
def test_poles_at_the_start_of_a_turn_and_of_translations() -> None:
    starting = AccelerationField(Vec3.zero(), Z_AXIS * 2.0, Vec3(1.0, 2.0, 0.0))
    same(starting.at(acceleration_pole(starting)), Vec3.zero())
    with pytest.raises(DegenerateError, match=named("field.lin")):
        acceleration_pole(AccelerationField.at_rest(X_AXIS))
    with pytest.raises(DegenerateError, match="parallel"):
        acceleration_center(AccelerationField.at_rest(X_AXIS))


def rolling_wheel(t: float) -> Pose:
    """A wheel of radius 2 on the x axis, in the xy-plane, turning by -t."""
    return Pose(Pose.rotation(Z_AXIS, -t).rot, Vec3(2.0 * t, 2.0, 0.0))


def screw_twist(path, t: float) -> Motion:
    rate = derivative(lambda s: np.array(path(t + s).as_matrix()))
    return twist_of_pose_rate(path(t), rate)


@pytest.mark.covers("BODY-18")
def test_the_axodes_of_a_rolling_wheel() -> None:
    times = np.linspace(0.0, 3.0, 7)
    twists, poses = [screw_twist(rolling_wheel, t) for t in times], [rolling_wheel(t) for t in times]
    for t, ground, rim in zip(times, fixed_axode(twists), moving_axode(twists, poses)):
        close(array(ground.point), [2.0 * t, 0.0, 0.0], 1e-7)  # the contact line
        assert rim.point.norm() == pytest.approx(2.0, abs=1e-7)  # on the wheel's rim
        close(array(rim.vector), [0.0, 0.0, -1.0], 1e-7)


@pytest.mark.covers("BODY-18")
def test_the_axodes_of_a_rolling_cone() -> None:
    """Turn with rate 1 about z and with rate 1 about the body's z, tilted by 60°: both axodes are cones of 30°."""
    tilt = Pose.rotation(X_AXIS, math.radians(60.0))

    def cone(t: float) -> Pose:
        return Pose.rotation(Z_AXIS, t) @ tilt @ Pose.rotation(Z_AXIS, t)

    times = np.linspace(0.0, 2.0, 5)
    twists, poses = [screw_twist(cone, t) for t in times], [cone(t) for t in times]
    for axis in (*fixed_axode(twists), *moving_axode(twists, poses)):
        assert math.acos(axis.direction().z) == pytest.approx(math.radians(30.0), abs=1e-7)
        assert axis.point.norm() < 1e-7 and abs(axis.pitch) < 1e-7
    # Moved with the body, the moving axode touches the fixed one along the axis.
    for ground, body, X in zip(fixed_axode(twists), moving_axode(twists, poses), poses):
        same((X @ body).vector, ground.vector, 1e-10)


@pytest.mark.covers("BODY-18")
@given(motions, motions)
@laws
def test_second_order_axis_gives_twist_and_rate_back(t: Motion, rate: Motion) -> None:
    n = t.ang.cross(rate.ang)
    assume(n.dot(n) > 0.01 and t.ang.dot(t.ang) > 0.1)
    axis = SecondOrderScrewAxis.of(t, rate)
    back = axis.as_twist_and_rate()
    same(back.twist, t, 1e-9)
    same(back.rate, rate, 1e-8)
    # center on the axis, normal across it
    assert (axis.center - axis.axis.point).cross(axis.axis.direction()).norm() < 1e-8
    assert abs(axis.normal.dot(axis.axis.direction())) < 1e-10
    assert axis.normal.norm() == pytest.approx(1.0)


@pytest.mark.covers("BODY-18")
def test_second_order_axis_is_the_limit_of_common_normals() -> None:
    t, rate = (Motion.of(row) for row in random_motions(40, 2))
    found = SecondOrderScrewAxis.of(t, rate)

    def ruling(h: float) -> tuple[np.ndarray, np.ndarray]:
        axis = screw_axis(t + rate * h)
        return array(axis.point), array(axis.direction())

    h = 1e-5
    (p, e), (q, f) = ruling(-h), ruling(h)
    n = np.cross(e, f)
    k, gap, _ = np.linalg.solve(np.array([e, n, -f]).T, q - p)
    close(array(found.center), p + k * e, 1e-4)
    close(array(found.normal), n / np.linalg.norm(n), 1e-4)
    assert found.turn_rate == pytest.approx(np.linalg.norm(n) / (2.0 * h), rel=1e-4)
    assert found.slide_rate == pytest.approx(gap * np.linalg.norm(n) / (2.0 * h), rel=1e-4)
    speed = derivative(lambda s: np.array([screw_axis(t + rate * s).magnitude]))[0]
    along = derivative(lambda s: np.array([screw_axis(t + rate * s).along.dot(screw_axis(t + rate * s).direction())]))
    assert found.ang_rate == pytest.approx(speed, rel=1e-8)
    assert found.lin_rate == pytest.approx(along[0], rel=1e-8)


@pytest.mark.covers("BODY-18")
def test_axes_without_a_common_normal_raise() -> None:
    spin = Motion(Z_AXIS, X_AXIS)
    for rate in (Motion.zero(), Motion(Z_AXIS * 2.0, X_AXIS), Motion(Vec3.zero(), Vec3(1.0, 2.0, 3.0))):
        with pytest.raises(DegenerateError, match="direction"):
            SecondOrderScrewAxis.of(spin, rate)
    with pytest.raises(DegenerateError, match=named("screw", "axis")):
        SecondOrderScrewAxis.of(Motion(Vec3.zero(), X_AXIS), spin)


@pytest.mark.covers("BODY-16", "BODY-18")
def test_second_order_geometry_runs_batched_and_compiled() -> None:
    rows = random_motions(41, 10).reshape(5, 12)

    def results(x: list) -> list:
        t, rate = Motion.of(x[:6]), Motion.of(x[6:])
        field = AccelerationField.from_motion(t, rate)
        axis = SecondOrderScrewAxis.of(t, rate)
        rates = [axis.turn_rate, axis.slide_rate, axis.ang_rate, axis.lin_rate]
        return [*acceleration_center(field), *acceleration_pole(field), *axis.center, *axis.normal, *rates]

    compiled = sixvec.compiled("x[12] -> out[16]")(results)
    expected = np.array([results(list(row)) for row in rows])
    close(np.stack(results(list(rows.T)), axis=1), expected, 1e-10)
    close(compiled(rows), expected, 1e-10)
    # What has no answer is finite, with finite derivatives: the center is the origin, the normal zero.
    parallel = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 1.0, 2.0, 3.0])
    assert not compiled(parallel)[[0, 1, 2, 9, 10, 11, 12, 13]].any()
    assert np.isfinite(compiled.derivative("x")(parallel)).all()
    assert np.isfinite(compiled.derivative("x")(np.zeros(12))).all()
