"""The nearest rotation, against the singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import differences
import sixvec
from rotation_samples import SHARP, columns, matrix, near, rotations
from sixvec.errors import DegenerateError
from sixvec.geometry.orientation.orthonormal import nearest_rotation
from sixvec.spatial import Mat3, Rotation
from tolerances import DIFFERENCE, ROUNDING


def by_svd(m: np.ndarray) -> np.ndarray:
    U, _, Vt = np.linalg.svd(m)
    sign = np.linalg.det(U @ Vt)
    U[..., :, 2] *= sign[..., None]
    return U @ Vt


def samples(n: int) -> np.ndarray:
    """Random matrices, both handed, without those whose answer is nearly ambiguous."""
    m = np.random.default_rng(3).normal(size=(4 * n, 3, 3))
    s = np.linalg.svd(m, compute_uv=False)
    clear = s[:, 1] + np.sign(np.linalg.det(m)) * s[:, 2] > 0.1 * s[:, 0]
    return m[clear][:n]


@pytest.mark.covers("ROT-01")
def test_nearest_rotation_is_that_of_the_singular_value_decomposition() -> None:
    m = samples(200)
    assert (np.linalg.det(m) < 0).any()
    expected = by_svd(m)
    singly = np.array([nearest_rotation(Mat3(*x.ravel())).as_matrix() for x in m])
    assert near(singly, expected, ROUNDING)
    together = matrix(nearest_rotation(Mat3(*columns(m.reshape(-1, 9)))))
    assert near(together, expected, ROUNDING)


@pytest.mark.covers("ROT-01")
@pytest.mark.parametrize("size", [1e-60, 1e-6, 1e6, 1e60])
def test_the_size_of_the_matrix_does_not_matter(size: float) -> None:
    m = samples(20)
    found = np.array([nearest_rotation(Mat3(*(size * x).ravel())).as_matrix() for x in m])
    assert near(found, by_svd(m), ROUNDING)


@pytest.mark.slow
@pytest.mark.covers("ROT-01")
def test_compiled_and_differentiated() -> None:
    @sixvec.compiled("m[3,3] -> R[3,3]")
    def nearest(m):
        return nearest_rotation(Mat3(*(x for row in m for x in row))).as_matrix()

    m = samples(20)
    assert near(nearest(m), by_svd(m), ROUNDING)
    step = np.random.default_rng(5).normal(size=(3, 3))
    slope = np.einsum("nijkl,kl->nij", nearest.derivative("m")(m), step)
    assert near(slope, differences.derivative(lambda t: by_svd(m + t * step)), 1e2 * DIFFERENCE)


@pytest.mark.covers("ROT-01")
@settings(deadline=None, max_examples=30)
@given(rotations, st.floats(1e-3, 1e3), st.lists(st.floats(-1.0, 1.0), min_size=9, max_size=9))
def test_rotations_stay_and_errors_do_not_grow(R: Rotation, scale: float, noise: list[float]) -> None:
    assert near(matrix(nearest_rotation(R.matrix * scale)), matrix(R), SHARP)
    disturbed = R.matrix + Mat3(*noise) * 1e-4
    nearest = nearest_rotation(disturbed)
    assert nearest.deviation() < SHARP
    gap = np.linalg.norm(matrix(nearest) - matrix(disturbed))
    assert gap <= np.linalg.norm(matrix(R) - matrix(disturbed)) + SHARP


@pytest.mark.covers("ROT-01")
@pytest.mark.parametrize("diagonal", [(0, 0, 0), (1, 0, 0), (2, 1, -1), (-1, -1, -1)])
def test_ambiguous_matrices_raise(diagonal: tuple[float, ...]) -> None:
    with pytest.raises(DegenerateError, match="matrix"):
        nearest_rotation(Mat3(*np.diag(np.array(diagonal, float)).ravel()))
    batch = np.broadcast_to(np.diag(np.array(diagonal, float)).reshape(9, 1), (9, 2))
    assert np.isfinite(matrix(nearest_rotation(Mat3(*batch)))).all()
