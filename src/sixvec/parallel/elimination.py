"""Linear systems of scalars solved with pivoting and without branches: the same operations for every lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.scalar import Scalar, where


def size_of(x: Any) -> Scalar:
    """The size by which pivots are compared, for real scalars."""
    return abs(x)


def choose_real(condition: Any, yes: Any, no: Any) -> Any:
    return where(condition, yes, no)


def eliminated(
    A: Sequence[Sequence[Any]],
    B: Sequence[Sequence[Any]],
    size: Callable[[Any], Scalar] = size_of,
    choose: Callable[[Any, Any, Any], Any] = choose_real,
) -> list[list[Any]]:
    """X with A X = B, by Gaussian elimination with partial pivoting.

    Every row below the pivot's is compared with it and exchanged if larger, so that the largest becomes the pivot.

    >>> eliminated([[0.0, 2.0], [4.0, 0.0]], [[2.0], [8.0]])
    [[2.0], [1.0]]
    """
    n = len(A)
    M = [[*a, *b] for a, b in zip(A, B, strict=True)]
    inverse: list[Any] = []
    for k in range(n):
        for i in range(k + 1, n):
            larger = size(M[k][k]) < size(M[i][k])
            for j in range(k, len(M[k])):
                x, y = M[k][j], M[i][j]
                M[k][j], M[i][j] = choose(larger, y, x), choose(larger, x, y)
        inverse.append(1.0 / M[k][k])
        for i in range(k + 1, n):
            factor = M[i][k] * inverse[k]
            for j in range(k + 1, len(M[k])):
                M[i][j] = M[i][j] - factor * M[k][j]
    X: list[list[Any]] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        for j in range(n, len(M[k])):
            rest = M[k][j]
            for i in range(k + 1, n):
                rest = rest - M[k][i] * X[i][j - n]
            X[k].append(rest * inverse[k])
    return X


def inverse_and_conditioning(A: Sequence[Sequence[Scalar]]) -> tuple[list[list[Scalar]], Scalar]:
    """A⁻¹ and  1 / (|A| |A⁻¹|)  by Frobenius norms, squared: zero where A is singular."""
    n = len(A)
    inverse = eliminated(A, [[float(i == j) for j in range(n)] for i in range(n)])
    norms = [sum(x * x for row in M for x in row) for M in (A, inverse)]
    return inverse, 1.0 / (norms[0] * norms[1])
