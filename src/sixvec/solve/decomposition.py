"""Weights and singular values of batches of matrices: the basis of every generalised inverse in this package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, real_array, require_shape
from sixvec.errors import DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.tolerances import RANK


def weight_factor(weight: Any, size: int, name: str) -> Array:
    """The upper triangular F with Fᵀ F = `weight`, so that xᵀ W x = |F x|².

    A weight is None (all ones), a number, a vector (the diagonal) or a symmetric positive-definite matrix, with any
    batch axes before it; of (size, size) numbers it is a matrix.  A matrix that is not finite gives NaN for its sample.

    >>> weight_factor([4.0, 9.0], 2, "task").tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    W = real_array(f"{name} weight", 1.0 if weight is None else weight)
    if W.ndim < 2:
        if W.ndim == 1:
            require_shape(f"{name} weight", W, size, why=f"or one number, or a matrix (..., {size}, {size})")
        if not np.all(W > 0.0):
            raise DegenerateError(f"{name} weight {W.tolist()} is not positive; each entry must be greater than 0")
        return np.diag(np.sqrt(np.broadcast_to(W, (size,))))
    if W.shape[-1] == size and W.shape[-2] != size:
        if not np.all(W > 0.0):
            raise DegenerateError(f"{name} weight has entries that are not positive; each must be greater than 0")
        return np.sqrt(W)[..., None] * np.eye(size)
    require_shape(f"{name} weight", W, size, size)
    finite = np.isfinite(W).all(axis=(-2, -1), keepdims=True)
    W = np.where(finite, W, np.eye(size))
    if not np.allclose(W, np.swapaxes(W, -1, -2), rtol=0.0, atol=1e-9 * np.abs(W).max(initial=0.0)):
        raise DegenerateError(f"{name} weight is not symmetric; use (W + Wᵀ) / 2 if that is what you mean")
    try:
        return np.where(finite, np.swapaxes(np.linalg.cholesky(W), -1, -2), np.nan)
    except np.linalg.LinAlgError:
        raise DegenerateError(f"{name} weight is not positive definite: some direction would cost nothing; "
                              "add a small multiple of the identity") from None  # fmt: skip


def singular_values(A: Any) -> tuple[Array, Array, Array]:
    """U, σ, Vᵀ of a batch (..., m, n), with U (m, m) and V (n, n) complete; NaN for samples that are not finite.

    >>> singular_values([[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]])[1].tolist()
    [4.0, 3.0]
    """
    A = as_matrix(A, "A")
    finite = np.isfinite(A).all(axis=(-2, -1), keepdims=True)
    U, sigma, Vt = np.linalg.svd(np.where(finite, A, 0.0))
    return np.where(finite, U, np.nan), np.where(finite[..., 0], sigma, np.nan), np.where(finite, Vt, np.nan)


@any_arrays_same_dtype
def pseudo_inverse(A: ArrayLike, tolerance: float = RANK) -> Array:
    """The Moore-Penrose inverse Σ vᵢ uᵢᵀ / σᵢ over the σᵢ above `tolerance` σ_max.  Bruyninckx (5.33), corrected.

    Bruyninckx (5.34).

    >>> from sixvec.solve import pseudo_inverse
    >>> pseudo_inverse([[2.0, 0.0], [0.0, 0.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    U, sigma, Vt = singular_values(A)
    return filtered_inverse(U, reciprocals(sigma, tolerance), Vt)


def least_squares(A: Array, b: Array, tolerance: float = RANK) -> Array:
    """The shortest x (..., n) with least |A x - b|, over the singular values of A above `tolerance` σ_max.

    For A (..., m, n) and b (..., m); NaN for samples that are not finite.

    >>> import numpy as np
    >>> least_squares(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([3.0, 5.0])).round(12).tolist()
    [2.0, 2.0]
    """
    finite = np.asarray(np.isfinite(A).all(axis=(-2, -1)) & np.isfinite(b).all(axis=-1))
    U, sigma, Vt = np.linalg.svd(np.where(finite[..., None, None], A, 0.0), full_matrices=False)
    coordinates = (np.swapaxes(U, -1, -2) @ b[..., None])[..., 0] * reciprocals(sigma, tolerance)
    x = (np.swapaxes(Vt, -1, -2) @ coordinates[..., None])[..., 0]
    return np.asarray(np.where(finite[..., None], x, np.nan))


def reciprocals(sigma: Array, tolerance: float) -> Array:
    """1/σ, or 0 where σ counts as zero; NaN stays."""
    small = sigma <= tolerance * sigma.max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.where(small, 0.0, 1.0 / np.where(small, 1.0, sigma)))


def filtered_inverse(U: Array, gains: Array, Vt: Array) -> Array:
    """Σ gᵢ vᵢ uᵢᵀ: the inverse that gives each singular direction the gain gᵢ."""
    k = gains.shape[-1]
    return np.asarray(np.swapaxes(Vt[..., :k, :], -1, -2) * gains[..., None, :] @ np.swapaxes(U[..., :, :k], -1, -2))


@any_arrays_same_dtype
def rank(A: ArrayLike, tolerance: float = RANK) -> NDArray[np.intp]:
    """How many singular values are above `tolerance` σ_max, sample by sample.

    >>> from sixvec.solve import rank
    >>> int(rank([[1.0, 2.0], [2.0, 4.0]]))
    1
    """
    return rank_of(singular_values(A)[1], tolerance)


def rank_of(sigma: Array, tolerance: float = RANK) -> NDArray[np.intp]:
    """How many of the singular values (..., k) are above `tolerance` times the largest."""
    return np.asarray((sigma > tolerance * sigma.max(axis=-1, keepdims=True, initial=0.0)).sum(axis=-1))


def smallest_value(sigma: Array) -> Array:
    """The last singular value, 0 where there is none: without joints every direction is lost."""
    return np.asarray(sigma[..., -1] if sigma.shape[-1] else np.zeros(sigma.shape[:-1]))


def as_matrix(A: Any, name: str = "J") -> Array:
    """A as an array of floats with at least two axes; errors call it by its name."""
    matrix = real_array(name, A)
    if matrix.ndim < 2:
        require_shape(name, matrix, "m", "n")
    return matrix


def task_velocity(J: Array, t: Any, name: str = "t") -> Array:
    """t as an array (..., m) with a number for each row of J."""
    return real_array(name, t, J.shape[-2], why=lambda: f"J has {J.shape[-2]} rows")


def joint_velocity(J: Array, v: Any, name: str) -> Array:
    """v as an array (..., n) with a number for each column of J."""
    return real_array(name, v, J.shape[-1], why=lambda: f"J has {J.shape[-1]} columns")


def above(A: Array, B: Array) -> Array:
    """[A; B]: the rows of two batches of matrices, one under the other."""
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return np.concatenate([np.broadcast_to(x, batch + x.shape[-2:]) for x in (A, B)], axis=-2)


def times(A: Array, x: Any) -> Array:
    """A x for batches of matrices and vectors."""
    return np.asarray((A @ np.asarray(x, float)[..., None])[..., 0])


def inverse_of_rank(B: Array, size: ArrayLike, tolerance: float = RANK) -> tuple[Array, NDArray[np.int_]]:
    """The pseudo-inverse over the singular values above `tolerance` times `size`, and their number.

    A sample that is not finite has an inverse that is not finite, and rank 0.
    """
    U, sigma, Vt = singular_values(B)
    nonzero = sigma > tolerance * np.asarray(size)[..., None]
    gains = np.where(nonzero, 1.0 / np.where(nonzero, sigma, 1.0), np.where(np.isnan(sigma), np.nan, 0.0))
    return filtered_inverse(U, gains, Vt), nonzero.sum(axis=-1)
