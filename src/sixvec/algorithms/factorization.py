"""Unrolled factorisations of symmetric positive-definite matrices that keep the zeros of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Matrix = Sequence[Sequence[Any]]


def _is_zero(x: Any) -> bool:
    """A structural zero: known at trace time, not a number that happens to vanish."""
    return isinstance(x, int | float) and x == 0


def ltdl(M: Matrix) -> tuple[list[list[Any]], list[Any]]:
    """M = Lᵀ D L with L unit lower triangular: (L, 1/D).

    Eliminating from the last row leaves the branch-induced zeros of a mass matrix as they are: no fill-in
    (Featherstone 2010, Eq. 48 and the discussion of sparsity).

    >>> L, D_inverse = ltdl([[2.0, 1.0], [1.0, 4.0]])
    >>> L[1][0], D_inverse
    (0.25, [0.5714285714285714, 0.25])
    """
    n = len(M)
    H = [list(row[: i + 1]) for i, row in enumerate(M)]
    L = [[0.0] * n for _ in range(n)]
    D_inverse: list[Any] = [0.0] * n
    for k in reversed(range(n)):
        D_inverse[k] = 1.0 / H[k][k]
        L[k][k] = 1.0
        ancestors = [i for i in range(k) if not _is_zero(H[k][i])]
        for i in reversed(ancestors):
            L[k][i] = H[k][i] * D_inverse[k]
            for j in ancestors:
                if j <= i:
                    H[i][j] = H[i][j] - L[k][i] * H[k][j]
    return L, D_inverse


def unit_lower_inverse(L: Matrix) -> list[list[Any]]:
    """W = L⁻¹ for unit lower triangular L; W has the zeros of L."""
    n = len(L)
    W = [[0.0] * n for _ in range(n)]
    for i in range(n):
        W[i][i] = 1.0
        for j in range(i):
            terms = [L[i][k] * W[k][j] for k in range(j, i) if not (_is_zero(L[i][k]) or _is_zero(W[k][j]))]
            W[i][j] = -sum(terms) if terms else 0.0
    return W


def inverse(M: Matrix) -> list[list[Any]]:
    """M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, both triangles.

    >>> inverse([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    n = len(M)
    L, D_inverse = ltdl(M)
    W = unit_lower_inverse(L)
    scaled = [[W[i][k] * D_inverse[k] for k in range(n)] for i in range(n)]
    result = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            terms = [scaled[i][k] * W[j][k] for k in range(j + 1) if not (_is_zero(W[i][k]) or _is_zero(W[j][k]))]
            result[i][j] = result[j][i] = sum(terms) if terms else 0.0
    return result
