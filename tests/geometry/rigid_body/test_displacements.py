"""Displacements: finite, infinitesimal, as screws; which of them commute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import sixvec
from body_samples import array, close, homogeneous, laws, motions, numbers, poses, same, vectors
from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.orientation.euler import SETS, EulerAngles
from sixvec.geometry.rigid_body.displacement import (
    FiniteDisplacement,
    InfinitesimalDisplacement,
    ScrewDisplacement,
    SecondKindCoordinates,
    chasles,
    commutator,
    commute,
)
from sixvec.spatial import Motion, Pose, Rotation, Vec3
from sixvec.spatial.six_matrix import motion_transform

Z = Vec3(0.0, 0.0, 1.0)


@pytest.mark.covers("BODY-02")
@pytest.mark.parametrize("frame", ["moving", "fixed"])
@pytest.mark.parametrize("axes", SETS)
@given(poses)
@laws
def test_euler_angles_and_position_give_the_pose_back(axes: str, frame: str, X: Pose) -> None:
    d = FiniteDisplacement.from_pose(X, axes, frame)
    assert (d.angles.axes, d.angles.frame) == (axes, frame)
    close(homogeneous(d.as_pose()), homogeneous(X))


@pytest.mark.covers("BODY-02", "Bruyninckx (4.5)")
def test_finite_displacements_have_no_sum() -> None:
    d = FiniteDisplacement(EulerAngles.rpy(0.1, 0.2, 0.3), Z)
    with pytest.raises(TypeError, match="FiniteDisplacement"):
        d + d
    close(homogeneous(d.as_pose()), homogeneous(Pose(Rotation.from_rpy(0.1, 0.2, 0.3), Z)))


@pytest.mark.covers("BODY-03", "Bruyninckx (4.6)")
@given(motions, motions, poses)
@laws
def test_small_displacements_add_to_first_order(t: Motion, u: Motion, X: Pose) -> None:
    h = 1e-5
    a, b = InfinitesimalDisplacement(t * h), InfinitesimalDisplacement(u * h)
    product = np.array(a.as_matrix()) @ np.array(b.as_matrix())
    close(np.array((a + b).as_matrix()), product, 40 * h * h)
    close(np.array(a.as_matrix()), homogeneous(a.as_pose()), 40 * h * h)
    same(InfinitesimalDisplacement.from_matrix(a.as_matrix()), a, 1e-17)
    same(InfinitesimalDisplacement.between(X, a.as_pose() @ X), a, 40 * h * h)
    close(np.array(list(a.as_six_matrix())), np.array(list(motion_transform(a.as_pose()))), 80 * h * h)
    same(a.axis().as_motion(), a.motion)


@pytest.mark.covers("BODY-03")
def test_kinds_of_six_numbers_do_not_mix() -> None:
    with pytest.raises(FrameError, match="InfinitesimalDisplacement"):
        InfinitesimalDisplacement(Motion.zero()) + Motion.zero()


@pytest.mark.covers("BODY-04")
@given(vectors, vectors, numbers, numbers)
@laws
def test_turn_and_shift_commute_on_one_line_only(line: Vec3, point: Vec3, angle: float, shift: float) -> None:
    assume(array(line) @ array(line) > 0.1 and abs(math.sin(angle / 2)) > 0.1 and abs(shift) > 0.1)
    e = line * (1.0 / line.norm())
    turn, along = Pose.rotation(e, angle, point), Pose.translation(e * shift)
    assert commute(turn, along, 1e-12, 1e-11)
    assert commute(turn @ along, Pose.exp((turn @ along).log() * 0.3), 1e-11, 1e-11)
    across = Pose.translation(e.cross(Vec3(e.y, e.z, -e.x)) * shift)
    assume(across.pos.norm() > 0.01)
    assert not commute(turn, across)


@pytest.mark.covers("BODY-04")
def test_shifted_parallel_axes_do_not_commute() -> None:
    here, there = Pose.rotation(Z, 1.0), Pose.rotation(Z, 0.5, Vec3(1.0, 0.0, 0.0))
    assert not commute(here, there)
    gap = commutator(here, there)
    close(array(gap.rot.matrix), np.eye(3).ravel())  # turns about parallel axes commute, their centres do not
    assert abs(gap.pos.x) > 0.1


@pytest.mark.covers("BODY-13")
@given(vectors, vectors, st.floats(1e-6, math.pi - 1e-6), numbers)
@example(Vec3(0.0, 0.0, 1.0), Vec3(1.0, 2.0, 3.0), 1e-9, 0.0)
@laws
def test_chasles_finds_the_screw(line: Vec3, point: Vec3, angle: float, shift: float) -> None:
    assume(array(line) @ array(line) > 0.1)
    e = line * (1.0 / line.norm())
    nearest = point - e * e.dot(point)
    X = ScrewDisplacement(nearest, e, angle, shift).as_pose()
    close(homogeneous(X), homogeneous(Pose.translation(e * shift) @ Pose.rotation(e, angle, point)), 1e-12)
    found = chasles(X)
    conditioning = 1.0 + 1.0 / angle  # the axis of a small turn is as uncertain as its angle is small
    same(found.direction, e, 1e-14 * conditioning)
    same(found.point, nearest, 1e-13 * conditioning)
    assert found.angle == pytest.approx(angle, abs=1e-13)
    assert found.shift == pytest.approx(shift, abs=1e-13 * conditioning)
    assert found.pitch == pytest.approx(shift / angle, abs=1e-13 * conditioning**2)


@pytest.mark.covers("BODY-13")
@pytest.mark.parametrize("angle", [0.0, 1e-17, 1e-14, 1e-9, 1e-4, math.pi])
def test_chasles_gives_the_pose_back_also_for_translations_and_half_turns(angle: float) -> None:
    X = Pose.exp(Motion(Vec3(2.0, -3.0, 6.0) * (angle / 7.0), Vec3(1.0, 2.0, 3.0)))
    screw = chasles(X)
    close(homogeneous(screw.as_pose()), homogeneous(X))
    if angle < 1e-15:
        assert screw.angle == 0.0 and screw.shift == pytest.approx(math.sqrt(14.0))
        with pytest.raises(DegenerateError, match="pitch"):
            _ = screw.pitch


@pytest.mark.covers("BODY-13")
def test_the_identity_has_no_axis() -> None:
    with pytest.raises(DegenerateError, match="identity"):
        chasles(Pose.identity())


@pytest.mark.covers("BODY-11")
@given(poses)
@laws
def test_coordinates_of_the_second_kind(X: Pose) -> None:
    c = SecondKindCoordinates.from_pose(X)
    close(homogeneous(c.as_pose()), homogeneous(X))
    factors = [Pose.rotation(Vec3.of(e), a) for e, a in zip(np.eye(3), c.angles)]
    factors += [Pose.translation(Vec3.of(e) * s) for e, s in zip(np.eye(3), c.shifts)]
    product = Pose.identity()
    for factor in factors:
        product = product @ factor
    close(homogeneous(product), homogeneous(X))


@pytest.mark.covers("BODY-11", "Bruyninckx (4.23)-(4.24)")
@pytest.mark.parametrize("beta", [math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, 1.5])
def test_coordinates_of_the_second_kind_at_gimbal_lock(beta: float) -> None:
    X = SecondKindCoordinates(EulerAngles.bryant(0.4, beta, -0.7), Vec3(1.0, 2.0, 3.0)).as_pose()
    close(homogeneous(SecondKindCoordinates.from_pose(X).as_pose()), homogeneous(X))


@pytest.mark.covers("BODY-02", "BODY-03", "BODY-11", "BODY-13")
def test_displacements_run_batched_and_compiled() -> None:
    rows = np.random.default_rng(5).normal(size=(6, 6))
    rows[0, :3] = 0.0

    def conversions(t: list) -> list:
        X = Pose.exp(Motion.of(t))
        c, d, s = chasles(X), FiniteDisplacement.from_pose(X, "zxz"), SecondKindCoordinates.from_pose(X)
        small = InfinitesimalDisplacement.between(Pose.identity(), X)
        return [*c.point, *c.direction, c.angle, c.shift, *d.angles, *d.pos, *s.angles, *s.shifts, *small]

    expected = np.array([conversions(list(row)) for row in rows])
    shape = np.zeros(len(rows))
    close(np.stack([x + shape for x in conversions(list(rows.T))], axis=1), expected)
    compiled = sixvec.compiled("t[6] -> out[26]")(conversions)
    close(compiled(rows), expected)
    assert np.isfinite(compiled.derivative("t")(rows)).all()
