"""Unit quaternions: product, its matrices, rotation, conversion and rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as SciPy

import differences
import sixvec
from naming import named
from rotation_samples import (
    ANGLES,
    AXES,
    ROTATION_VECTORS,
    SHARP,
    batch_rotation,
    columns,
    entries,
    matrix,
    near,
    rotations,
    vectors,
)
from sixvec.spatial import Mat3, PlaneRotation, Quaternion, Rotation, Vec3, so3
from tolerances import DIFFERENCE, ROUNDING

quaternions = vectors.map(Quaternion.exp)
raw = st.builds(Quaternion, *[st.floats(-2.0, 2.0, allow_subnormal=False)] * 4)
I, J, K = (Quaternion(*row) for row in np.eye(4)[:3].tolist())
ONE = Quaternion.identity()


def same(a: Quaternion, b: Quaternion, tolerance: float = SHARP) -> bool:
    return near(entries(a), entries(b), tolerance)


@pytest.mark.covers("ROT-14", "Bruyninckx (3.56)-(3.57)")
def test_generators() -> None:
    assert I @ J == K and J @ K == I and K @ I == J
    assert J @ I == -K and K @ J == -I and I @ K == -J
    assert I @ I == J @ J == K @ K == -ONE
    for unit, turn in zip((I, J, K), (Rotation.about_x, Rotation.about_y, Rotation.about_z), strict=True):
        assert near(matrix(unit.as_rotation()), matrix(turn(math.pi)), SHARP)


@pytest.mark.covers("ROT-14", "Bruyninckx (3.58)", "Bruyninckx (3.60)-(3.62)")
@settings(deadline=None, max_examples=50)
@given(raw, raw, raw)
def test_product_and_its_matrices(a: Quaternion, b: Quaternion, c: Quaternion) -> None:
    assert same((a @ b) @ c, a @ (b @ c), ROUNDING)
    assert near(np.array(a.left_matrix()) @ entries(b), entries(a @ b), ROUNDING)
    assert near(np.array(b.right_matrix()) @ entries(a), entries(a @ b), ROUNDING)
    left, right = np.array(a.left_matrix()), np.array(b.right_matrix())
    assert near(left @ right, right @ left, ROUNDING)
    assert (a @ b).norm() == pytest.approx(a.norm() * b.norm(), abs=ROUNDING)


@pytest.mark.covers("ROT-14", "Bruyninckx (3.63)-(3.64)")
@settings(deadline=None, max_examples=50)
@given(quaternions, quaternions, vectors)
def test_unit_quaternions_form_a_group_and_rotate(a: Quaternion, b: Quaternion, v: Vec3) -> None:
    assert same(a @ a.inv(), ONE)
    assert same((a @ b).inv(), b.inv() @ a.inv())
    assert near(np.array(a.inv().left_matrix()), np.array(a.left_matrix()).T, 0.0)
    assert near(np.array(a.left_matrix()) @ np.array(a.left_matrix()).T, np.eye(4), SHARP)
    assert near(entries((a @ b) @ v), entries(a @ (b @ v)), ROUNDING)
    sandwich = a @ Quaternion(v.x, v.y, v.z, 0.0) @ a.inv()
    assert near([*(a @ v), 0.0], entries(sandwich), ROUNDING)
    by_matrices = np.array(a.left_matrix()) @ np.array(a.right_matrix()).T @ [*v, 0.0]
    assert near([*(a @ v), 0.0], by_matrices, ROUNDING)
    assert near(entries(a @ v), entries(a.as_rotation() @ v), ROUNDING)
    assert near(matrix((a @ b).as_rotation()), matrix(a.as_rotation() @ b.as_rotation()), SHARP)


@pytest.mark.covers("ROT-14", "Bruyninckx (3.54)-(3.55)")
def test_the_second_quaternion_of_a_rotation_is_minus_the_first() -> None:
    q = Quaternion.about(Vec3(0.6, 0.0, 0.8), 1.2)
    assert q.norm() == pytest.approx(1.0)
    assert (-q).as_rotation() == q.as_rotation()
    mirrored = Quaternion(-q.x, -q.y, -q.z, q.w)
    assert near(matrix(mirrored.as_rotation()), matrix(q.as_rotation().inv()), SHARP)
    assert (-q).near(q) == q == q.near(q)
    assert near(matrix(q.as_rotation()), matrix(Rotation.about(Vec3(0.6, 0.0, 0.8), 1.2)), SHARP)


@pytest.mark.covers("ROT-14", "Bruyninckx (3.67)")
def test_entry_xy_of_the_matrix() -> None:
    """Entry (1, 2) is -2 (c s e_z - s² e_x e_y) with half-angle c and s; the book has a plus."""
    x, y, z, w = sympy.symbols("x y z w", real=True)
    assert sympy.expand(Quaternion(x, y, z, w).as_rotation().matrix.xy + 2 * (w * z - x * y)) == 0


@pytest.mark.covers("ROT-14")
def test_proofs_by_symbols() -> None:
    q, p = Quaternion(*sympy.symbols("x y z w")), Quaternion(*sympy.symbols("a b c d"))
    length = (q @ p).dot(q @ p) - q.dot(q) * p.dot(p)
    assert sympy.expand(length) == 0, "the norm is multiplicative (Euler's four squares)"
    v = Vec3(*sympy.symbols("u v t"))
    unit = {q.w**2: 1 - q.x**2 - q.y**2 - q.z**2}
    for a, b in zip(q @ v, q.as_rotation() @ v, strict=True):
        assert sympy.expand(sympy.expand(a - b).subs(unit)) == 0


@pytest.mark.covers("ROT-14")
def test_from_rotation_on_every_branch() -> None:
    """Half turns about everything, one after another largest component, and all rotations in between."""
    R = batch_rotation(ROTATION_VECTORS)
    q = Quaternion.from_rotation(R)
    assert near(q.norm(), 1.0, SHARP)
    assert near(matrix(q.as_rotation()), matrix(R), SHARP)
    expected = SciPy.from_rotvec(ROTATION_VECTORS).as_quat()
    found = entries(q)
    sign = np.sign(np.einsum("ni,ni->n", found, expected))[:, None]
    assert near(found * sign, expected, SHARP)
    pivots = np.abs(found).argmax(axis=1)
    assert set(pivots.tolist()) == {0, 1, 2, 3}
    for k in range(0, len(ROTATION_VECTORS), 7):
        single = Quaternion.from_rotation(Rotation(Mat3(*(float(x[k]) for x in R.matrix))))
        assert near(entries(single), found[k], SHARP)


@pytest.mark.covers("ROT-14")
def test_from_rotation_compiled_with_derivatives() -> None:
    @sixvec.compiled("r[3] -> q[4]")
    def there_and_back(r):
        return Quaternion.from_rotation(Quaternion.exp(Vec3.of(r)).as_rotation())

    @sixvec.compiled("r[3] -> q[4]")
    def direct(r):
        return Quaternion.exp(Vec3.of(r))

    q, expected = there_and_back(ROTATION_VECTORS), direct(ROTATION_VECTORS)
    sign = np.sign(np.einsum("ni,ni->n", q, expected))[:, None]
    assert near(q * sign, expected, SHARP)
    slope, expected_slope = (f.derivative("r")(ROTATION_VECTORS) for f in (there_and_back, direct))
    assert near(slope * sign[..., None], expected_slope, SHARP)


@settings(deadline=None, max_examples=50)
@given(rotations)
def test_round_trip(R: Rotation) -> None:
    assert near(matrix(Quaternion.from_rotation(R).as_rotation()), matrix(R), SHARP)


def test_plane_rotations_convert_too() -> None:
    q = Quaternion.from_rotation(PlaneRotation(math.cos(2.0), math.sin(2.0)))
    assert same(q.near(ONE), Quaternion(0.0, 0.0, math.sin(1.0), math.cos(1.0)))


@pytest.mark.parametrize("angle", ANGLES)
def test_angle(angle: float) -> None:
    for axis in AXES:
        assert Quaternion.about(Vec3(*axis), angle).angle() == pytest.approx(angle, rel=SHARP, abs=0)
        assert (-Quaternion.about(Vec3(*axis), angle)).angle() == pytest.approx(angle, rel=SHARP, abs=0)


@pytest.mark.covers("ROT-16", "Bruyninckx (3.69)")
@settings(deadline=None, max_examples=50)
@given(quaternions, vectors)
def test_rates(q: Quaternion, w: Vec3) -> None:
    assert near(entries(q.body_velocity(q.rate(w))), entries(w), ROUNDING)
    assert near(entries(q.space_velocity(q.rate_from_space(w))), entries(w), ROUNDING)
    assert same(q.rate(w), q.rate_from_space(q @ w), ROUNDING)
    assert abs(q.dot(q.rate(w))) < ROUNDING, "the length stays"
    pure = Quaternion(w.x, w.y, w.z, 0.0)
    assert near(entries(q.rate_from_space(w)), 0.5 * np.array(pure.left_matrix()) @ entries(q), ROUNDING)
    assert near(entries(q.rate(w)), 0.5 * np.array(pure.right_matrix()) @ entries(q), ROUNDING)
    assert near(2.0 * np.array(q.right_matrix()).T @ entries(q.rate_from_space(w)), [*w, 0.0], ROUNDING)


@pytest.mark.covers("ROT-16", "Bruyninckx (3.68)")
def test_rates_are_time_derivatives() -> None:
    q, w = Quaternion.exp(Vec3(0.4, -1.0, 2.0)), Vec3(0.3, 0.7, -0.2)
    in_space = differences.derivative(lambda t: entries(Quaternion.exp(w * t) @ q))
    in_body = differences.derivative(lambda t: entries(q @ Quaternion.exp(w * t)))
    assert near(entries(q.rate_from_space(w)), in_space, DIFFERENCE)
    assert near(entries(q.rate(w)), in_body, DIFFERENCE)
    R = q.as_rotation()
    assert near(entries(R.body_velocity(R.rate(w))), entries(q.body_velocity(q.rate(w))), SHARP)


@pytest.mark.covers("ROT-16")
def test_rates_compiled_and_on_batches() -> None:
    @sixvec.compiled("q[4] w[3] -> body[4] space[4] b[3] s[3]")
    def all_rates(q, w):
        q, w = Quaternion.of(q), Vec3.of(w)
        body, space = q.rate(w), q.rate_from_space(w)
        return body, space, q.body_velocity(body), q.space_velocity(space)

    q = entries(Quaternion.exp(Vec3(*columns(ROTATION_VECTORS))))
    w = np.random.default_rng(0).normal(size=(len(q), 3))
    body, space, b, s = all_rates(q, w)
    batch, velocity = Quaternion(*columns(q)), Vec3(*columns(w))
    assert near(body, entries(batch.rate(velocity)), SHARP)
    assert near(space, entries(batch.rate_from_space(velocity)), SHARP)
    assert near(b, w, SHARP)
    assert near(s, w, SHARP)


def test_other_kinds_raise() -> None:
    with pytest.raises(TypeError, match=named("Quaternion", "Rotation")):
        ONE @ Rotation.identity()  # type: ignore[operator]
    assert so3.log(ONE.as_rotation()) == Vec3.zero()
