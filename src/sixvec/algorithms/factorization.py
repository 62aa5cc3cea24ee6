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
    """M⁻¹, both triangles.

    >>> inverse([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return Inverse(M).full()


class Inverse:
    """M⁻¹ = W D⁻¹ Wᵀ with W = L⁻¹, as its factors: W is zero where L is, so products with it stay cheap."""

    def __init__(self, M: Matrix) -> None:
        L, self.D_inverse = ltdl(M)
        self.W = unit_lower_inverse(L)

    def full(self) -> list[list[Any]]:
        """The matrix itself, both triangles."""
        n = len(self.W)
        result = [[0.0] * n for _ in range(n)]
        scaled = [[w * d for w, d in zip(row, self.D_inverse, strict=True)] for row in self.W]
        for i in range(n):
            for j in range(i + 1):
                result[i][j] = result[j][i] = _sparse_dot(scaled[i][: j + 1], self.W[j][: j + 1])
        return result

    def times(self, B: Matrix) -> list[list[Any]]:
        """M⁻¹ B, factor by factor.

        Where B has the zeros of M, an entry between two branches of the tree costs only as many products as the
        branches have common ancestors.
        """
        columns = [list(column) for column in zip(*B, strict=True)]
        W_columns = [list(column) for column in zip(*self.W, strict=True)]
        scaled = [
            [_sparse_dot(w, b) * d for w, d in zip(W_columns, self.D_inverse, strict=True)] for b in columns
        ]  # D⁻¹ Wᵀ B, by columns
        return [[_sparse_dot(w, z) for z in scaled] for w in self.W]


def _sparse_dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    terms = [x * y for x, y in zip(a, b, strict=True) if not (_is_zero(x) or _is_zero(y))]
    return sum(terms[1:], terms[0]) if terms else 0.0
