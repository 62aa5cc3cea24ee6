"""Twists of the three kinds, their conversions and transforms, and the screw axis."""

from __future__ import annotations

import math
import re
from dataclasses import astuple

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import sixvec
from body_samples import array, close, forces, homogeneous, laws, motions, numbers, poses, random_motions, same, vectors
from differences import derivative
from naming import named
from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.instantaneous import screw_axis
from sixvec.geometry.rigid_body.norms import invariance
from sixvec.geometry.rigid_body.twist import CentralAxis, invariants, pose_rate, twist_of_pose_rate
from sixvec.spatial import Force, Motion, Pose, Tagged, TaggedPose, Vec3
from sixvec.spatial.six_matrix import motion_transform

TWISTS = {"screw": ("W", "W"), "pose": ("W", "B"), "body": ("B", "B")}
"""Axes and reference point of the three kinds, W being the world and B the body."""


def screw_twist(V: Motion) -> Tagged[Motion]:
    return Tagged(V, *TWISTS["screw"])


def pose_twist(V: Motion, X: Pose) -> Tagged[Motion]:
    return screw_twist(V).at_point("B", Tagged(X.pos, "W"))


def body_twist(V: Motion, X: Pose) -> Tagged[Motion]:
    return in_world(X).inv() @ screw_twist(V)


def in_world(X: Pose) -> TaggedPose:
    return TaggedPose(X, "W", "B")


def path(X: Pose, V: Motion, A: Motion):
    """A motion through X at time 0 whose screw twist is V there."""
    return lambda s: Pose.exp(V * s + A * (0.5 * s * s)) @ X


@pytest.mark.covers("BODY-05", "Bruyninckx (4.9)", "Bruyninckx (4.11)")
@given(poses, motions, motions, vectors)
@laws
def test_twist_and_pose_rate(X: Pose, V: Motion, A: Motion, r: Vec3) -> None:
    moving = path(X, V, A)
    rate = derivative(lambda s: homogeneous(moving(s)))
    close(np.array(pose_rate(V, X)), rate, 1e-7)
    same(twist_of_pose_rate(X, pose_rate(V, X)), V)
    close(np.array(V.as_matrix()), np.array(pose_rate(V, X)) @ np.linalg.inv(homogeneous(X)))
    same(Motion.from_matrix(V.as_matrix()), V)
    # A body-fixed point that is at r now.
    fixed = X.inv() * r
    close(array(V.at(r)), derivative(lambda s: array(moving(s) * fixed)), 1e-7)


@pytest.mark.covers("BODY-05", "Bruyninckx (4.10)")
@given(motions)
@laws
def test_no_point_is_at_rest_unless_the_pitch_is_zero(V: Motion) -> None:
    W = np.array(V.as_matrix())[:3, :3]
    assert abs(np.linalg.det(W)) < 1e-12
    assume(array(V.ang) @ array(V.ang) > 0.01)
    axis = screw_axis(V)
    same(V.at(axis.point), axis.along, 1e-10)


@pytest.mark.covers("BODY-06")
@given(poses, motions, motions)
@laws
def test_the_three_kinds_by_differences(X: Pose, V: Motion, A: Motion) -> None:
    moving = path(X, V, A)
    rate = derivative(lambda s: homogeneous(moving(s)))
    close(array(pose_twist(V, X).value.lin), rate[:3, 3], 1e-7)
    same(pose_twist(V, X).value.ang, V.ang)
    close(np.array(body_twist(V, X).value.as_matrix()), np.linalg.inv(homogeneous(X)) @ rate, 1e-7)


@pytest.mark.covers("BODY-06")
@given(poses, motions)
@laws
def test_conversions_of_kinds_are_inverse(X: Pose, V: Motion) -> None:
    screw, pose, body, X_WB = screw_twist(V), pose_twist(V, X), body_twist(V, X), in_world(X)
    back = [
        (pose.at_point("W", Tagged(-X.pos, "W")), screw),
        (X_WB @ body, screw),
        (pose.in_axes(X_WB.inv()), body),
        (body.in_axes(X_WB), pose),
    ]
    for found, known in back:
        assert (found.axes, found.point) == (known.axes, known.point)
        same(found.value, known.value)


@pytest.mark.covers("BODY-06", "Bruyninckx (4.13)")
@pytest.mark.parametrize("kind", [Motion, Force])
def test_both_orders(kind: type) -> None:
    t = kind.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert t.linear_first == (4.0, 5.0, 6.0, 1.0, 2.0, 3.0)
    assert kind.from_linear_first(t.linear_first) == t


@pytest.mark.covers("BODY-06")
@pytest.mark.parametrize("a", TWISTS)
@pytest.mark.parametrize("b", TWISTS)
def test_kinds_do_not_mix(a: str, b: str) -> None:
    x, y = Tagged(Motion.of([1.0] * 6), *TWISTS[a]), Tagged(Motion.of([2.0] * 6), *TWISTS[b])
    if a == b:
        assert x + y - x == y and -(x * 2.0) == Tagged(Motion.of([-2.0] * 6), *TWISTS[a])
    else:
        with pytest.raises(FrameError, match=re.escape(f"{x} and {y}")):
            x + y
        with pytest.raises(FrameError, match="Motion"):
            x - y


@pytest.mark.covers("BODY-06")
def test_a_pose_twist_does_not_hold_its_axis() -> None:
    with pytest.raises(FrameError, match=named("Motion[axes W, point B]")):
        screw_axis(pose_twist(Motion.of([1.0] * 6), Pose.identity()))


@pytest.mark.covers("BODY-06", "BODY-10")
@given(vectors, vectors, numbers)
@laws
def test_screw_axis_of_a_known_screw(line: Vec3, point: Vec3, pitch: float) -> None:
    assume(array(line) @ array(line) > 0.01)
    axis = screw_axis(Motion(line, point.cross(line) + line * pitch))
    nearest = point - line * (line.dot(point) / line.dot(line))
    same(axis.point, nearest, 1e-11)
    same(axis.vector, line)
    assert axis.pitch == pytest.approx(pitch, abs=1e-11)
    assert axis.magnitude == pytest.approx(line.norm())
    same(axis.direction() * axis.magnitude, line)
    same(screw_axis(screw_twist(axis.as_motion())).point, axis.point, 1e-10)


@pytest.mark.covers("BODY-06")
@given(poses, motions)
@laws
def test_the_axis_seen_from_the_body_is_the_axis(X: Pose, V: Motion) -> None:
    assume(array(V.ang) @ array(V.ang) > 0.1)
    axis = screw_axis(V)
    moved = X @ screw_axis(body_twist(V, X))
    for seen, known in zip((moved.point, moved.vector, moved.along), (axis.point, V.ang, axis.along)):
        same(seen, known, 1e-10)


@pytest.mark.covers("BODY-06", "BODY-10")
def test_a_translation_has_infinite_pitch_and_no_axis() -> None:
    axis = screw_axis(Motion(Vec3.zero(), Vec3(0.0, 3.0, 4.0)))
    assert axis.pitch == math.inf
    assert axis.point == Vec3.zero()
    assert axis.direction() == Vec3(0.0, 0.6000000000000001, 0.8)
    assert axis.as_motion() == Motion(Vec3.zero(), Vec3(0.0, 3.0, 4.0))
    nothing = screw_axis(Motion.zero())
    for ask in (lambda: nothing.pitch, nothing.direction):
        with pytest.raises(DegenerateError, match=named("twist", "wrench")):
            ask()


@pytest.mark.covers("BODY-07", "Bruyninckx (4.15)", "Bruyninckx (5.11)")
@given(poses, poses, motions)
@laws
def test_change_of_world_frame(X: Pose, W: Pose, V: Motion) -> None:
    """Y = W X is the pose in another world: screw twists move by S, pose twists turn, body twists stay."""
    other, Y = TaggedPose(W, "U", "W"), W @ X
    moved = other @ screw_twist(V)
    assert (moved.axes, moved.point) == ("U", "U")
    close(array(moved), np.array(list(motion_transform(W))) @ array(V))
    same(pose_twist(moved.value, Y).value, pose_twist(V, X).in_axes(other).value, 1e-11)
    same(body_twist(moved.value, Y).value, body_twist(V, X).value, 1e-11)
    same((other.inv() @ moved).value, V, 1e-11)
    same(pose_twist(V, X).in_axes(other).in_axes(other.inv()).value, pose_twist(V, X).value)
    with pytest.raises(FrameError, match=named("W")):
        other @ body_twist(V, X)


@pytest.mark.covers("BODY-07", "Bruyninckx (4.18)", "Bruyninckx (5.10)")
@given(poses, poses, motions)
@laws
def test_change_of_body_frame(X: Pose, C: Pose, V: Motion) -> None:
    """C is another frame of the body: the screw twist stays, the others shift their reference point."""
    Y, X_BC = X @ C, TaggedPose(C, "B", "C")
    same(pose_twist(V, X).at_point("C", Tagged(X.rot @ C.pos, "W")).value, pose_twist(V, Y).value, 1e-11)
    same((X_BC.inv() @ body_twist(V, X)).value, body_twist(V, Y).value, 1e-11)
    same(V.shifted(Y.pos), pose_twist(V, Y).value, 1e-11)
    # S is a turn of both parts, then a shift of the reference point.
    P = Pose(X.rot, Vec3.zero())
    same(X @ V, (P @ V).shifted(-X.pos))


@pytest.mark.covers("BODY-10")
@given(motions, forces, poses)
@laws
def test_invariants_do_not_depend_on_the_frame(V: Motion, F: Force, X: Pose) -> None:
    for moved, thing in ((X @ V, V), (X @ F, F)):
        close(astuple(invariants(moved)), astuple(invariants(thing)), 1e-11)
    for thing, axis in ((V, CentralAxis.of_motion), (F, CentralAxis.of_force)):
        assume(axis(thing).magnitude > 0.1)
        a, b = axis(X @ thing), axis(thing)
        assert a.pitch == pytest.approx(b.pitch, abs=1e-9)
        same(a.vector, X.rot @ b.vector)
        same(a.along, X.rot @ b.along, 1e-10)
        assert (a.point - X * b.point).cross(a.direction()).norm() < 1e-9  # the same line


@pytest.mark.covers("BODY-10")
@given(motions, vectors)
@laws
def test_velocity_along_omega_is_the_same_at_all_points(V: Motion, r: Vec3) -> None:
    assert V.ang.dot(V.at(r)) == pytest.approx(V.ang.dot(V.lin), abs=1e-11)


@pytest.mark.covers("BODY-08")
@given(motions, forces, poses, st.floats(0.5, 20.0))
@laws
def test_the_checker_tells_physical_criteria(V: Motion, F: Force, X: Pose, unit: float) -> None:
    assume(array(V.ang) @ array(V.ang) > 0.1)
    power = invariance(lambda t, f: t.dot(f), [V, F], X, unit, length_power=2)
    pitch = invariance(lambda t: screw_axis(t).pitch, [V], X, unit, length_power=1)
    speed = invariance(lambda t: t.ang.norm(), [V], X, unit)
    for test in (power, pitch, speed):
        assert abs(test.frame_gap) < 1e-9 and abs(test.unit_gap) < 1e-9


@pytest.mark.covers("BODY-08")
def test_the_checker_exposes_the_length_of_six_numbers() -> None:
    V = Motion.of([0.0, 0.0, 1.0, 0.0, 2.0, 3.0])
    naive = invariance(lambda t: sum(x * x for x in t), [V], Pose.translation(Vec3(1.0, 0.0, 0.0)), 10.0)
    assert naive.frame_gap == -3.0
    assert naive.unit_gap == 99.0 * 13.0


@pytest.mark.covers("BODY-05", "BODY-06", "BODY-07", "BODY-10")
def test_twists_run_batched_and_compiled() -> None:
    rows = random_motions(9, 6)
    rows[0, :3] = 0.0
    poses_ = random_motions(10, 6)

    def conversions(v: list, x: list) -> list:
        V, X = Motion.of(v), Pose.exp(Motion.of(x))
        axis = screw_axis(V)
        back = twist_of_pose_rate(X, pose_rate(V, X))
        seen = [*axis.point, *axis.along, *axis.direction(), axis.pitch]
        return [*pose_twist(V, X), *body_twist(V, X), *back, *seen]

    expected = np.array([conversions(list(v), list(x)) for v, x in zip(rows, poses_)])
    batch = conversions(list(rows.T), list(poses_.T))
    compiled = sixvec.compiled("v[6] x[6] -> out[28]")(conversions)
    for result in (np.stack(batch, axis=1), compiled(rows, poses_)):
        assert result[0, -1] == math.inf
        close(result[:, :-1], expected[:, :-1], 1e-11)
        close(result[1:, -1], expected[1:, -1], 1e-10)
    assert np.isfinite(compiled.derivative("v")(rows, poses_)).all()


@pytest.mark.covers("BODY-06")
def test_the_axis_point_has_no_velocity_across_the_axis_symbolically() -> None:
    a, b, c, x, y, z = sympy.symbols("a b c x y z", positive=True)
    V = Motion.of([a, b, c, x, y, z])
    w, v = V.ang, V.lin
    point = w.cross(v) * (1 / w.dot(w))
    across = V.at(point).cross(w)
    assert all(sympy.simplify(k) == 0 for k in across)
    axis = screw_axis(V)
    assert all(sympy.simplify(p - q) == 0 for p, q in zip(axis.point, point))
