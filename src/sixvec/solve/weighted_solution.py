"""Solutions of underdetermined equations with least weighted norm, for weights of any ratio."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array
from sixvec.solve.decomposition import filtered_inverse, singular_values
from sixvec.tolerances import RANK

_HEAVIEST = 1e20
"""An infinite weight counts as this many times the largest finite one: its input moves by nothing measurable."""


def nearest_solution(J: Array, t: Array, F: Array) -> Array:
    """x (..., n) with least |F x| among those with the least |J x - t|, for J (..., m, n), t (..., m), F (..., n, n).

    The rank is that of J: weights do not decide what can be reached.  With Z a basis of the null space of J the
    solution is  x = J⁺ t + Z w,  with w the least squares of  F (J⁺ t + Z w).  Z is turned so that heavy entries of
    x depend on few columns, and columns of F Z have length 1, so weights from 1 to 1e20 lose no digits.

    >>> x = nearest_solution(np.array([[1.0, 1.0]]), np.array([2.0]), np.diag([1.0, 1e10]))
    >>> bool(abs(x - [2.0, 0.0]).max() < 1e-12)
    True
    """
    U, sigma, Vt = singular_values(J)
    batch, n = np.broadcast_shapes(J.shape[:-2], t.shape[:-1], F.shape[:-2]), J.shape[-1]
    nonzero = sigma > RANK * sigma.max(axis=-1, keepdims=True, initial=0.0)
    gains = np.where(nonzero, 1.0 / np.where(nonzero, sigma, 1.0), np.where(np.isnan(sigma), np.nan, 0.0))
    start = (filtered_inverse(U, gains, Vt) @ t[..., None])[..., 0]
    free = np.ones((*nonzero.shape[:-1], n), bool)
    free[..., : nonzero.shape[-1]] = ~nonzero
    if not free.any():
        return np.asarray(np.broadcast_to(start, (*batch, n)))
    Z = np.swapaxes(np.where(free[..., None], Vt, 0.0), -1, -2)  # columns of other directions are zero
    F = _finite(F)
    size = np.linalg.norm(F, axis=-1)
    heavy_first = np.argsort(-size, axis=-1, kind="stable")
    ordered = np.take_along_axis(*_alike(Z, heavy_first[..., :, None]), axis=-2)
    finite = np.isfinite(ordered).all(axis=(-2, -1), keepdims=True)
    Q = np.linalg.qr(np.where(finite, np.swapaxes(ordered, -1, -2), 0.0)).Q
    turned = Z @ Q
    E = F @ turned
    length = np.linalg.norm(E, axis=-2, keepdims=True)
    lost = length <= RANK * size.min(axis=-1)[..., None, None]  # a column of Q outside the null space
    scale = np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, length))
    B, b = E * scale, (F @ start[..., None])
    U, sigma, Vt = singular_values(B)
    large = sigma > RANK
    inverse = filtered_inverse(U, np.where(large, 1.0 / np.where(large, sigma, 1.0), 0.0), Vt)
    w = inverse @ -b
    w = w - inverse @ (B @ w + b)  # a second step removes the rounding of the first
    return np.asarray(np.broadcast_to(start + (turned @ (scale.swapaxes(-1, -2) * w))[..., 0], (*batch, n)))


def _finite(F: Array) -> Array:
    most = np.where(np.isinf(F), 0.0, np.abs(F)).max(axis=(-2, -1), keepdims=True, initial=0.0)
    return np.asarray(np.where(np.isposinf(F), np.sqrt(_HEAVIEST) * np.where(most > 0.0, most, 1.0), F))


def _alike(Z: Array, order: Array) -> tuple[Array, Array]:
    """Arrays of one batch, for `take_along_axis`."""
    batch = np.broadcast_shapes(Z.shape[:-2], order.shape[:-2])
    return np.broadcast_to(Z, (*batch, *Z.shape[-2:])), np.broadcast_to(order, (*batch, *order.shape[-2:]))
