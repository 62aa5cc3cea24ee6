"""Exponential, logarithm and their Jacobians at every angle, derivatives included."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from scipy.spatial.transform import Rotation as SciPy

import sixvec
from rotation_samples import (
    ANGLES,
    AXES,
    HALF_TURN,
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
from sixvec.errors import DegenerateError
from sixvec.spatial import Mat3, Rotation, Vec3, so3
from tolerances import ROUNDING


def cross(r: np.ndarray) -> np.ndarray:
    """r× for a batch of vectors, a matrix more for each."""
    return np.moveaxis(np.cross(r[..., None, :], np.eye(3)), -2, -1)


@sixvec.compiled("r[3] -> R[3,3]")
def compiled_exp(r):
    return so3.exp(Vec3.of(r)).as_matrix()


@sixvec.compiled("R[3,3] -> r[3]")
def compiled_log(R):
    return so3.log(Rotation.from_matrix(R))


@sixvec.compiled("r[3] d[3] -> x[3]")
def log_after_a_step(r, d):
    return so3.log(so3.exp(Vec3.of(r)) @ so3.exp(Vec3.of(d)))


@sixvec.compiled("r[3] -> x[3]")
def log_of_exp(r):
    return so3.log(so3.exp(Vec3.of(r)))


@sixvec.compiled("r[3] -> J[3,3] K[3,3]")
def jacobians(r):
    J, K = so3.left_jacobian(Vec3.of(r)), so3.left_jacobian_inverse(Vec3.of(r))
    return [[*row] for row in J.rows], [[*row] for row in K.rows]


@pytest.mark.covers("ROT-05")
def test_exp_agrees_with_scipy_on_floats_batches_and_compiled() -> None:
    expected = SciPy.from_rotvec(ROTATION_VECTORS).as_matrix()
    singly = np.array([so3.exp(Vec3(*map(float, r))).as_matrix() for r in ROTATION_VECTORS])
    for actual in (singly, matrix(batch_rotation(ROTATION_VECTORS)), compiled_exp(ROTATION_VECTORS)):
        assert near(actual, expected, SHARP)


@pytest.mark.covers("ROT-05")
def test_log_undoes_exp_at_every_angle() -> None:
    R = compiled_exp(ROTATION_VECTORS)
    singly = np.array([[*so3.log(Rotation(Mat3(*map(float, m.ravel()))))] for m in R])
    batch = entries(so3.log(Rotation(Mat3(*columns(R.reshape(-1, 9))))))
    for actual in (singly, batch, compiled_log(R)):
        error = np.abs(actual - ROTATION_VECTORS).max(axis=-1)
        flipped = np.abs(actual + ROTATION_VECTORS).max(axis=-1)
        half_turn = np.linalg.norm(ROTATION_VECTORS, axis=-1) > HALF_TURN
        assert np.where(half_turn, np.minimum(error, flipped), error).max() < SHARP


@pytest.mark.covers("ROT-05")
@settings(deadline=None, max_examples=50)
@given(rotations)
def test_exp_undoes_log(R: Rotation) -> None:
    r = so3.log(R)
    assert near(matrix(so3.exp(r)), matrix(R), SHARP)
    assert r.norm() <= math.pi + SHARP
    assert near(entries(R @ r), entries(r), SHARP)


@pytest.mark.covers("ROT-05", "Bruyninckx (3.21)", "Bruyninckx (3.53)")
@settings(deadline=None, max_examples=30)
@given(vectors)
def test_exp_is_a_one_parameter_group(r: Vec3) -> None:
    assert near(matrix(so3.exp(r * 0.3) @ so3.exp(r * 0.7)), matrix(so3.exp(r)), SHARP)
    assert near(matrix(so3.exp(-r)), matrix(so3.exp(r).inv()), SHARP)


@pytest.mark.covers("ROT-05")
def test_derivative_of_exp_is_the_left_jacobian_everywhere() -> None:
    slopes = np.moveaxis(compiled_exp.derivative("r")(ROTATION_VECTORS), -1, 1)
    J, _ = jacobians(ROTATION_VECTORS)
    expected = cross(np.moveaxis(J, -1, 1)) @ compiled_exp(ROTATION_VECTORS)[:, None]
    assert near(slopes, expected, SHARP)


@pytest.mark.covers("ROT-05")
def test_derivative_of_log_at_zero_near_pi_and_at_pi() -> None:
    r = ROTATION_VECTORS
    slopes = log_after_a_step.derivative("d")(r, np.zeros(3))
    taken = log_after_a_step(r, np.zeros(3))
    _, K = jacobians(taken)
    assert near(slopes, np.swapaxes(K, -1, -2), ROUNDING)
    reverse = log_after_a_step.derivative("d", mode="reverse")(r, np.zeros(3))
    assert near(reverse, slopes, ROUNDING)


@pytest.mark.covers("ROT-05")
def test_derivative_of_log_of_exp_is_one_inside_the_ball_of_radius_pi() -> None:
    inside = ROTATION_VECTORS[np.linalg.norm(ROTATION_VECTORS, axis=-1) < HALF_TURN]
    assert near(log_of_exp.derivative("r")(inside), np.eye(3), ROUNDING)


@pytest.mark.covers("ROT-05")
@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0])
def test_jacobians_to_many_digits(angle: float) -> None:
    with mpmath.workdps(40):
        for axis in AXES[6:]:
            r = angle * axis
            A = mpmath.matrix(cross(r).tolist())
            J, term = mpmath.eye(3), mpmath.eye(3)
            for k in range(1, 60):
                term = term * A / (k + 1)
                J += term
            K = J**-1
            ours = so3.left_jacobian(Vec3(*r)), so3.left_jacobian_inverse(Vec3(*r))
            for actual, expected in zip(ours, (J, K), strict=True):
                expected = np.array(expected.tolist(), float)
                assert near(matrix(actual), expected, SHARP * np.abs(expected).max())


@pytest.mark.covers("ROT-05")
@settings(deadline=None, max_examples=30)
@given(vectors)
def test_jacobian_identities(r: Vec3) -> None:
    left, right = matrix(so3.left_jacobian(r)), matrix(so3.right_jacobian(r))
    assert near(left, matrix(so3.exp(r)) @ right, SHARP)
    assert near(matrix(so3.left_jacobian(-r)), right, SHARP)
    if r.norm() < 6.0:
        assert near(right @ matrix(so3.right_jacobian_inverse(r)), np.eye(3), ROUNDING)
    tt = r.dot(r)
    if tt > 0.01:
        assert np.linalg.det(left) == pytest.approx(2.0 * (1.0 - math.cos(math.sqrt(tt))) / tt, abs=ROUNDING)


@pytest.mark.covers("ROT-05")
def test_derivatives_of_the_jacobians_are_precise_at_small_angles() -> None:
    small = np.array([t * a for t in (0.0, 1e-9, 1e-4, 0.0199, 0.021, 0.05) for a in AXES])
    dJ, dK = jacobians.derivative("r")(small)
    half = np.moveaxis(cross(np.eye(3)), 0, -1) / 2.0

    def symmetric_part(c0: float, c1: float) -> np.ndarray:
        """d/dr of c(θ) (r rᵀ - θ²) for c = c0 + c1 θ², to third order."""
        one, rr = np.eye(3), np.einsum("ni,nj->nij", small, small)
        tt = np.einsum("ni,ni->n", small, small)[:, None, None]
        square = rr - tt * one
        d = np.einsum("ni,jk->nijk", small, one) + np.einsum("nj,ik->nijk", small, one)
        d -= 2.0 * np.einsum("ij,nk->nijk", one, small)
        return (c0 + c1 * tt)[..., None] * d + 2.0 * c1 * np.einsum("nij,nk->nijk", square, small)

    tt = np.einsum("ni,ni->n", small, small)[:, None, None, None]
    W = cross(small)
    versine = half * (1.0 - tt / 12.0 + tt**2 / 360.0)
    versine = versine + np.einsum("nij,nk->nijk", W, small) * (-1.0 / 12.0 + tt / 180.0)
    assert near(dJ, versine + symmetric_part(1 / 6, -1 / 120), 2e-9)
    near_zero = np.linalg.norm(small, axis=-1) < 1e-3
    assert near(dJ[near_zero], (versine + symmetric_part(1 / 6, -1 / 120))[near_zero], SHARP)
    assert near(dK[near_zero], (-half + symmetric_part(1 / 12, 1 / 720))[near_zero], SHARP)


def test_a_whole_turn_raises() -> None:
    with pytest.raises(DegenerateError, match="exp"):
        so3.left_jacobian_inverse(Vec3(0.0, 2.0 * math.pi, 0.0))


@pytest.mark.covers("ROT-05", "Bruyninckx (3.24)")
def test_infinitesimal_rotation() -> None:
    d, e = Vec3(1e-5, -2e-5, 3e-5), Vec3(2e-5, 1e-5, -1e-5)
    assert near(matrix(so3.infinitesimal(d)), matrix(so3.exp(d)), 1e-9)
    both = matrix(so3.infinitesimal(d).product(so3.infinitesimal(e)))
    assert near(both, matrix(so3.infinitesimal(d + e)), 1e-8)
    x, y, z = sympy.symbols("x y z")
    assert so3.infinitesimal(Vec3(x, y, z)).yz == -x, "the sign that is printed wrong in the book"


@pytest.mark.covers("ROT-05")
@pytest.mark.parametrize("values", [(0.3, -0.2, 0.9), (1e-5, 2e-5, 0.0), (2.0, 1.0, -2.0)])
def test_sympy_symbols_give_the_same_numbers(values: tuple[float, ...]) -> None:
    vector, nine = sympy.symbols("x y z", real=True), sympy.symbols("a:i", real=True)
    symbolic = sympy.lambdify(vector, list(so3.exp(Vec3(*vector)).matrix), "math")
    R = so3.exp(Vec3(*values))
    assert symbolic(*values) == pytest.approx(list(R.matrix), abs=SHARP)
    back = sympy.lambdify(nine, list(so3.log(Rotation(Mat3(*nine)))), "math")
    assert back(*R.matrix) == pytest.approx(values, abs=SHARP)


@pytest.mark.covers("ROT-05")
def test_proof_of_rodrigues_formula() -> None:
    """A³ = -θ² A, so the series of exp collapses to three terms; and exp(A) is what `Rotation.about` writes."""
    a, b, t = sympy.symbols("a b t", real=True)
    axis = Vec3(sympy.cos(a) * sympy.cos(b), sympy.sin(a) * sympy.cos(b), sympy.sin(b))
    A = Mat3.cross_matrix(axis)
    cube = A.product(A).product(A) + A
    assert all(sympy.simplify(x) == 0 for x in cube)
    R = Rotation.identity().matrix + A * sympy.sin(t) + A.product(A) * (1 - sympy.cos(t))
    assert all(sympy.simplify(x) == 0 for x in R - Rotation.about(axis, t).matrix)
