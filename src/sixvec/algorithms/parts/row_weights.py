"""Weights of constraint rows that cannot all be satisfied: a number for each, or a matrix.  No kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sixvec.errors import ArgumentError
from sixvec.tolerances import EQUAL

Matrix = tuple[tuple[float, ...], ...]


def require_weight(kernel: str, name: str, rows: int, weight: Any, damping: Any) -> None:
    """Raise an error for weights that do not fit the rows, and for a damping that is not a number."""
    if not (isinstance(damping, int | float) and not isinstance(damping, bool) and 0.0 <= damping < math.inf):
        raise ArgumentError(f"{kernel}: damping must be a number from 0, not {damping!r}")
    if not weight:
        return
    if len(weight) != rows:
        raise ArgumentError(f"{kernel}: weight has {len(weight)} entries, but {name} has {rows} rows")
    if is_matrix(weight):
        factor(kernel, weight)
        return
    for k, x in enumerate(weight):
        if not (isinstance(x, int | float) and 0.0 < x < math.inf):
            raise ArgumentError(f"{kernel}: weight[{k}] must be a positive number, not {x!r}")


def is_matrix(weight: Sequence[Any]) -> bool:
    """Whether a weight has rows."""
    return any(isinstance(x, tuple | list) for x in weight)


def factor(kernel: str, weight: Sequence[Any]) -> Matrix:
    """Cᵀ of W = C Cᵀ, the Cholesky factors of a weight matrix.

    >>> factor("example", ((4.0, 2.0), (2.0, 2.0)))
    ((2.0, 1.0), (0.0, 1.0))
    """
    n = len(weight)
    if not all(isinstance(row, tuple | list) and len(row) == n for row in weight):
        raise ArgumentError(f"{kernel}: weight must have a number, or {n} numbers, for each of {n} rows")
    W = [[float(x) for x in row] for row in weight]
    largest = max(abs(x) for row in W for x in row)
    if not math.isfinite(largest) or any(abs(W[i][j] - W[j][i]) > EQUAL * largest for i in range(n) for j in range(i)):
        raise ArgumentError(f"{kernel}: the matrix weight must be symmetric and finite")
    C = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = W[i][j] - math.fsum(C[i][k] * C[j][k] for k in range(j))
            if i == j and not rest > 0.0:
                raise ArgumentError(f"{kernel}: the matrix weight must be positive definite; see row {i}")
            C[i][j] = math.sqrt(rest) if i == j else rest / C[j][j]
    return tuple(zip(*C, strict=True))


def mixed(mixing: Matrix, rows: Sequence[Any]) -> list[Any]:
    """Cᵀ rows, of numbers or of lists of them."""
    if rows and isinstance(rows[0], list | tuple):
        return [list(row) for row in zip(*(mixed(mixing, column) for column in zip(*rows, strict=True)), strict=True)]
    return [_sum(c * x for c, x in zip(row, rows, strict=True) if c) for row in mixing]


def spread(mixing: Matrix, forces: Sequence[Any]) -> list[Any]:
    """C forces: those along the rows themselves."""
    return mixed(tuple(zip(*mixing, strict=True)), forces)


def _sum(terms: Any) -> Any:
    some = list(terms)
    return sum(some[1:], some[0]) if some else 0.0
