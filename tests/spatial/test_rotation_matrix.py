"""Rotation matrices: validity, axes, elementary turns, group laws, angular velocity, similarity and distance."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings

import differences
from naming import named
from rotation_samples import ANGLES, AXES, SHARP, entries, matrix, near, numbers, rotations, vectors
from sixvec.errors import DegenerateError
from sixvec.spatial import Mat3, Motion, PlaneRotation, Quaternion, Rotation, Vec3, so3
from tolerances import DIFFERENCE, ROUNDING

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


@pytest.mark.covers("ROT-01", "Bruyninckx (3.1)", "Bruyninckx (3.10)")
def test_validation_accepts_rotations_only() -> None:
    R = so3.exp(Vec3(1.0, -2.0, 0.5))
    assert Rotation.from_matrix(R.as_matrix()) == R == Rotation.from_axes(*R.axes)
    assert Rotation.from_matrix(np.array(R.as_matrix())).deviation() < ROUNDING
    stretched = np.array(R.as_matrix()) * (1.0 + 1e-6)
    with pytest.raises(DegenerateError, match="nearest_rotation"):
        Rotation.from_matrix(stretched)
    with pytest.raises(DegenerateError, match="frame"):
        Rotation.from_axes(X, Y, -Z)
    assert Rotation(Mat3(*np.diag([1.0, 1.0, -1.0]).ravel())).deviation() >= 2.0, "a mirror keeps right angles"


@pytest.mark.covers("ROT-01", "Bruyninckx (3.6)")
def test_columns_are_the_axes() -> None:
    R = Rotation.about_z(math.pi / 2)
    assert entries(R.axes[0]) == pytest.approx([0.0, 1.0, 0.0])
    assert R.axes[0] == R @ X


@pytest.mark.covers("ROT-02")
def test_noa_frame() -> None:
    opening, approach = Vec3(0.0, 0.6, 0.8), Vec3(1.0, 0.0, 0.0)
    R = Rotation.from_noa(opening, approach)
    normal, o, a = R.axes
    assert (o, a) == (opening, approach)
    assert entries(normal) == pytest.approx(entries(opening.cross(approach)))
    assert R.deviation() < ROUNDING
    with pytest.raises(DegenerateError):
        Rotation.from_noa(opening, Vec3(0.0, 1.0, 0.0))


@pytest.mark.covers("ROT-03", "Bruyninckx (3.3)-(3.5)")
@pytest.mark.parametrize(("turn", "axis"), [(Rotation.about_x, X), (Rotation.about_y, Y), (Rotation.about_z, Z)])
def test_elementary_rotations_satisfy_the_right_hand_rule(turn, axis: Vec3) -> None:
    assert near(matrix(turn(0.7)), matrix(Rotation.about(axis, 0.7)), SHARP)
    order = [X, Y, Z, X, Y]
    next_axis, then = order[order.index(axis) + 1 : order.index(axis) + 3]
    assert entries(turn(math.pi / 2) @ next_axis) == pytest.approx(entries(then), abs=SHARP)


@pytest.mark.covers("ROT-03", "Bruyninckx (3.12)")
def test_composition_of_two_turns_in_closed_form() -> None:
    a, b = sympy.symbols("a b", real=True)
    R = Rotation.about_z(a) @ Rotation.about_y(-b)
    expected = [sympy.cos(a) * sympy.cos(b), sympy.sin(a) * sympy.cos(b), sympy.sin(b)]
    assert [sympy.simplify(x - y) for x, y in zip(R @ X, expected, strict=True)] == [0, 0, 0]


@pytest.mark.covers("ROT-03", "Bruyninckx (2.21)", "Bruyninckx (3.2)")
@settings(deadline=None, max_examples=50)
@given(rotations, rotations, rotations, vectors)
def test_rotations_form_a_group(A: Rotation, B: Rotation, C: Rotation, v: Vec3) -> None:
    assert near(matrix((A @ B) @ C), matrix(A @ (B @ C)), SHARP)
    assert near(matrix(A @ A.inv()), np.eye(3), SHARP)
    assert near(matrix((A @ B).inv()), matrix(B.inv() @ A.inv()), SHARP)
    assert near(entries((A @ B) @ v), entries(A @ (B @ v)), ROUNDING)
    assert (A @ B).deviation() < SHARP
    assert A.determinant() == pytest.approx(1.0)


@pytest.mark.covers("ROT-03", "Bruyninckx (3.7)-(3.9)", "Bruyninckx (3.13)-(3.14)")
def test_inverse_of_a_compound_reverses_order_and_angles() -> None:
    R = Rotation.about_x(0.3) @ Rotation.about_y(0.5) @ Rotation.about_z(-1.1)
    back = Rotation.about_z(1.1) @ Rotation.about_y(-0.5) @ Rotation.about_x(-0.3)
    assert near(matrix(R.inv()), matrix(back), SHARP)


def test_other_kinds_raise_and_are_named() -> None:
    for other in (Motion.zero(), Quaternion.identity(), 2.0):
        for R in (Rotation.identity(), PlaneRotation(1.0, 0.0)):
            with pytest.raises(TypeError, match=named(type(R).__name__, type(other).__name__)):
                R @ other
    with pytest.raises(TypeError, match="Rotation"):
        Rotation.identity() + Rotation.identity()


@pytest.mark.covers("ROT-04", "Bruyninckx (3.20)")
@settings(deadline=None, max_examples=50)
@given(rotations, vectors)
def test_angular_velocity_and_rate_are_inverse(R: Rotation, w: Vec3) -> None:
    assert near(entries(R.space_velocity(R.rate_from_space(w))), entries(w), SHARP)
    assert near(entries(R.body_velocity(R.rate(w))), entries(w), SHARP)
    assert near(entries(R.space_velocity(R.rate(w))), entries(R @ w), SHARP)
    assert near(matrix(R.rate_from_space(R @ w)), matrix(R.rate(w)), ROUNDING)


@pytest.mark.covers("ROT-04")
def test_rate_is_the_time_derivative() -> None:
    R, w = so3.exp(Vec3(0.4, -1.0, 2.0)), Vec3(0.3, 0.7, -0.2)
    in_space = differences.derivative(lambda t: matrix(so3.exp(w * t) @ R))
    in_body = differences.derivative(lambda t: matrix(R @ so3.exp(w * t)))
    assert near(matrix(R.rate_from_space(w)), in_space, DIFFERENCE)
    assert near(matrix(R.rate(w)), in_body, DIFFERENCE)
    p = Vec3(1.0, 2.0, 3.0)
    assert near(entries(R.rate_from_space(w) @ p), entries(w.cross(R @ p)), SHARP)


@pytest.mark.covers("ROT-12", "Bruyninckx (3.52)")
@settings(deadline=None, max_examples=50)
@given(rotations, rotations, vectors)
def test_similarity_transforms(R: Rotation, S: Rotation, a: Vec3) -> None:
    similar = R.similar(S)
    assert np.trace(matrix(similar)) == pytest.approx(np.trace(matrix(R)), abs=ROUNDING)
    assert near(matrix(R.similar(S).similar(S.inv())), matrix(R), ROUNDING)
    # exp(S⁻¹ A S) = S⁻¹ exp(A) S, and S⁻¹ (a×) S = (S⁻¹ a)×
    assert near(matrix(so3.exp(S.inv() @ a)), matrix(so3.exp(a).similar(S)), ROUNDING)
    turned = S.inv().turn(Mat3.cross_matrix(a))
    assert near(matrix(turned), matrix(Mat3.cross_matrix(S.inv() @ a)), ROUNDING)


@pytest.mark.covers("ROT-13", "Bruyninckx (3.48)")
@pytest.mark.parametrize("angle", ANGLES)
def test_distance_is_the_angle_between_at_full_precision(angle: float) -> None:
    R = so3.exp(Vec3(0.3, 1.0, -2.0))
    for axis in AXES:
        S = R @ Rotation.about(Vec3(*axis), angle)
        assert R.distance(S) == pytest.approx(angle, abs=SHARP)
        assert Quaternion.from_rotation(R).distance(Quaternion.from_rotation(S)) == pytest.approx(angle, abs=SHARP)


@pytest.mark.covers("ROT-13")
@settings(deadline=None, max_examples=50)
@given(rotations, rotations, rotations)
def test_distance_is_a_bi_invariant_metric(A: Rotation, B: Rotation, C: Rotation) -> None:
    d = A.distance(B)
    assert 0.0 <= d <= math.pi
    assert A.distance(A) < SHARP
    assert B.distance(A) == pytest.approx(d, abs=SHARP)
    assert (C @ A).distance(C @ B) == pytest.approx(d, abs=ROUNDING)
    assert (A @ C).distance(B @ C) == pytest.approx(d, abs=ROUNDING)
    assert d <= A.distance(C) + C.distance(B) + ROUNDING
    assert so3.log(A.inv() @ B).norm() == pytest.approx(d, abs=ROUNDING)


@pytest.mark.covers("ROT-13")
@settings(deadline=None, max_examples=30)
@given(numbers, numbers, numbers)
def test_no_sequence_of_turns_is_shorter_than_the_distance(a: float, b: float, c: float) -> None:
    R = Rotation.about_z(a) @ Rotation.about_x(b) @ Rotation.about_z(c)
    assert Rotation.identity().distance(R) <= abs(a) + abs(b) + abs(c) + SHARP
