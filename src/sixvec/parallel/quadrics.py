"""The common points of three quadrics in projective space: eight, over the complex numbers.

In affine coordinates the products of the equations with all monomials of degree up to two span all polynomials of
degree four that vanish at the points, of which there are eight in general.  What is left, the null space of their
coefficients, is spanned by the values of the monomials at the points; multiplication by a linear form maps it to
itself, and its eigenvectors are these values (Stetter's method).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array

POINTS = 8

POLISHING = 4
"""Newton steps, each of which doubles the digits."""

_DEGREE = 4


@lru_cache(maxsize=1)
def _monomials() -> tuple[NDArray[np.int64], dict[tuple[int, ...], int]]:
    """Exponents of (x, y, z) up to degree four, lowest first, and the place of each."""
    every = sorted((m for m in product(range(_DEGREE + 1), repeat=3) if sum(m) <= _DEGREE), key=lambda m: (sum(m), m))
    return np.array(every), {m: k for k, m in enumerate(every)}


@lru_cache(maxsize=1)
def _frame() -> tuple[Array, Array]:
    """Coordinates in which no point is at infinity, and a linear form that separates the points; as a rule."""
    rng = np.random.default_rng(29)
    return np.linalg.qr(rng.normal(size=(4, 4)))[0], rng.normal(size=3)


def common_points(Q: Array) -> tuple[NDArray[np.complex128], Array]:
    """p (..., 8, 4) with pᵀ Q p = 0 for symmetric Q (..., 3, 4, 4), and how far each is from that, relative.

    >>> squares = np.stack([np.diag([1.0, -float(k == 0), -float(k == 1), -float(k == 2)]) for k in range(3)])
    >>> p, error = common_points(squares)
    >>> sorted(tuple((x[1:] / x[0]).real.round(6).tolist()) for x in p)[0], bool(error.max() < 1e-12)
    ((-1.0, -1.0, -1.0), True)
    """
    O, form = _frame()
    A = np.swapaxes(O, 0, 1) @ Q @ O
    A = A / np.linalg.norm(A, axis=(-2, -1), keepdims=True)
    exponents, at = _monomials()
    low = [m for m in map(tuple, exponents.tolist()) if sum(m) <= _DEGREE - 1]
    rows = np.zeros((*Q.shape[:-3], 3, 10, len(exponents)))
    units = np.vstack([np.zeros((1, 3), int), np.eye(3, dtype=int)])
    for k, m in enumerate(low[:10]):
        for i, j in product(range(4), repeat=2):
            rows[..., k, at[tuple((units[i] + units[j] + m).tolist())]] += A[..., i, j]
    flat = rows.reshape(*Q.shape[:-3], 30, len(exponents))
    null = np.swapaxes(np.linalg.svd(flat)[2][..., -POINTS:, :], -1, -2)
    start = null[..., : len(low), :]
    shifted = sum(
        form[i] * null[..., [at[tuple((np.array(m) + units[1 + i]).tolist())] for m in low], :] for i in range(3)
    )
    _, vectors = np.linalg.eig(np.linalg.pinv(start) @ shifted)
    values = np.swapaxes(null @ vectors, -1, -2)
    with np.errstate(all="ignore"):
        x = values[..., 1:4] / values[..., :1]
    order = [at[tuple(u)] - 1 for u in np.eye(3, dtype=int).tolist()]
    x = np.where(np.isfinite(x), x, 0.0)[..., order]
    for _ in range(POLISHING):
        p = np.concatenate([np.ones((*x.shape[:-1], 1)), x], axis=-1)
        slopes = np.einsum("...kij,...nj->...nki", A, p)
        error = np.einsum("...nki,...ni->...nk", slopes, p)
        x = x - (np.linalg.pinv(2.0 * slopes[..., 1:]) @ error[..., None])[..., 0]
    p = np.concatenate([np.ones((*x.shape[:-1], 1)), x], axis=-1)
    p = p / np.linalg.norm(p, axis=-1, keepdims=True)
    error = np.abs(np.einsum("...kij,...ni,...nj->...nk", A, p, p)).max(axis=-1)
    return p @ O.T, error
