"""Linear algebra on small dense matrices of scalars: unrolled and without branches, so it works for any scalar type.

LDLᵀ serves symmetric positive-definite matrices, Gaussian elimination all others.  Factorisations that keep the zeros
of a tree are in `algorithms/parts/factorization.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, certainly, is_zero, where
from sixvec.spatial.matrix import Sym3
from sixvec.spatial.vector import Vec3

Row = Sequence[Scalar]
Matrix = Sequence[Sequence[Scalar]]

SMALLEST_PIVOT = 1e-14
"""A pivot below this fraction of its diagonal entry is rounding error: the matrix is singular."""


def dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """Σ aᵢ bᵢ over two rows of equal length."""
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def transpose(M: Matrix) -> list[list[Scalar]]:
    """Rows become columns."""
    return [list(column) for column in zip(*M, strict=True)]


def times(M: Matrix, x: Row) -> list[Scalar]:
    """M x."""
    return [dot(row, x) for row in M]


def product(M: Matrix, N: Matrix) -> list[list[Scalar]]:
    """M N.

    >>> product([[1.0, 2.0]], [[3.0], [4.0]])
    [[11.0]]
    """
    columns = transpose(N)
    return [times(columns, row) for row in M]


def minus_dot(x: Scalar, a: Row, b: Row) -> Scalar:
    """x - Σ aᵢ bᵢ over the entries that both rows have, term by term, without the products that are zero."""
    for y, z in zip(a, b, strict=False):
        if not (is_zero(y) or is_zero(z)):
            x = x - y * z
    return x


def ldlt(M: Matrix, *, damped: bool = False) -> tuple[list[list[Scalar]], list[Scalar]]:
    """(L, 1/D) with  M = L D Lᵀ,  L unit lower triangular without its diagonal, for symmetric positive-definite M.

    Only the lower triangle of M is read.  Without square roots and without pivoting, which positive-definite matrices
    do not need.  A matrix of plain numbers that is not positive definite raises an error; with traced, symbolic or
    batched scalars the division by a zero pivot takes place.  If the caller has `damped` the diagonal, small pivots are
    expected, and only zero raises an error.

    >>> ldlt([[2.0], [1.0, 4.5]])
    ([[], [0.5]], [0.5, 0.25])
    """
    L: list[list[Scalar]] = []
    D_inverse: list[Scalar] = []
    for i, entries in enumerate(M):
        scaled: list[Scalar] = []  # the row of L D
        for j in range(i):
            scaled.append(minus_dot(entries[j], scaled, L[j]))
        row = [x * d for x, d in zip(scaled, D_inverse, strict=True)]
        pivot = minus_dot(entries[i], scaled, row)
        small = not damped and (certainly(pivot < SMALLEST_PIVOT * entries[i]) or certainly(pivot < 0.0))
        if small or certainly(pivot == 0.0):
            raise DegenerateError(
                f"the matrix is not positive definite: eliminating its row {i} leaves {pivot} instead of a positive "
                "number; some direction has no resistance, so drop it or combine dependent rows"
            )
        L.append(row)
        D_inverse.append(1.0 / pivot)
    return L, D_inverse


def forward(L: Matrix, b: Row) -> list[Scalar]:
    """L⁻¹ b, for L unit lower triangular without its diagonal."""
    y: list[Scalar] = []
    for row, x in zip(L, b, strict=True):
        y.append(minus_dot(x, row, y))
    return y


def backward(L: Matrix, y: Row) -> list[Scalar]:
    """L⁻ᵀ y, in chains that end with the number computed last, so that no other addition waits for it."""
    x = list(y)
    for i in reversed(range(len(x))):
        later = range(len(x) - 1, i, -1)
        x[i] = minus_dot(x[i], [L[k][i] for k in later], [x[k] for k in later])
    return x


def substitute(L: Matrix, D_inverse: Row, b: Row) -> list[Scalar]:
    """x with L D Lᵀ x = b."""
    return backward(L, [y * d for y, d in zip(forward(L, b), D_inverse, strict=True)])


def solve(M: Matrix, b: Row) -> list[Scalar]:
    """x with M x = b, for symmetric positive-definite M.

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0])
    [0.5, 0.25]
    """
    return substitute(*ldlt(M), b)


def inverse(M: Matrix) -> list[list[Scalar]]:
    """M⁻¹ for symmetric positive-definite M.

    >>> inverse([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    L, D_inverse = ldlt(M)
    n = len(M)
    return [substitute(L, D_inverse, [1.0 if i == j else 0.0 for j in range(n)]) for i in range(n)]


def eliminate(
    A: Sequence[Sequence[Any]],
    B: Sequence[Sequence[Any]],
    *,
    pivoting: bool = True,
    size: Callable[[Any], Scalar] = abs,
    choose: Callable[[Any, Any, Any], Any] = where,
) -> list[list[Any]]:
    """X with A X = B for any regular A, by Gaussian elimination.

    With partial `pivoting` every row below the pivot's is compared with it by `size` and exchanged if larger, by
    `choose(condition, yes, no)`; complex scalars bring their own two.  Without pivoting, a pivot of zero gives a
    result that is not finite.

    >>> eliminate([[0.0, 2.0], [4.0, 0.0]], [[2.0], [8.0]])
    [[2.0], [1.0]]
    """
    n = len(A)
    M = [[*a, *b] for a, b in zip(A, B, strict=True)]
    inverses: list[Any] = []
    for k in range(n):
        for i in range(k + 1, n) if pivoting else ():
            larger = size(M[k][k]) < size(M[i][k])
            for j in range(k, len(M[k])):
                x, y = M[k][j], M[i][j]
                M[k][j], M[i][j] = choose(larger, y, x), choose(larger, x, y)
        inverses.append(1.0 / M[k][k])
        for i in range(k + 1, n):
            if is_zero(M[i][k]):
                continue
            factor = M[i][k] * inverses[k]
            for j in range(k + 1, len(M[k])):
                if not is_zero(M[k][j]):
                    M[i][j] = M[i][j] - factor * M[k][j]
    X: list[list[Any]] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        for j in range(n, len(M[k])):
            remainder = M[k][j]
            for i in range(k + 1, n):
                if not is_zero(M[k][i]):
                    remainder = remainder - M[k][i] * X[i][j - n]
            X[k].append(remainder * inverses[k])
    return X


def inverse_and_conditioning(A: Matrix) -> tuple[list[list[Scalar]], Scalar]:
    """A⁻¹ and  1 / (|A| |A⁻¹|)  by Frobenius norms, squared: zero where A is singular."""
    n = len(A)
    A_inverse = eliminate(A, [[float(i == j) for j in range(n)] for i in range(n)])
    squares = [sum(x * x for row in M for x in row) for M in (A, A_inverse)]
    return A_inverse, 1.0 / (squares[0] * squares[1])


def solve_symmetric(S: Sym3, b: Vec3) -> Vec3:
    """x with S x = b, for a positive-definite 3x3 matrix.

    >>> solve_symmetric(Sym3.diagonal(1.0, 2.0, 4.0), Vec3(1.0, 1.0, 1.0))
    Vec3(x=1.0, y=0.5, z=0.25)
    """
    return Vec3.of(solve([[*row] for row in S.full.rows], [*b]))


def inverse_symmetric(S: Sym3) -> Sym3:
    """S⁻¹ for a positive-definite 3x3 matrix.

    >>> inverse_symmetric(Sym3.diagonal(1.0, 2.0, 4.0)).zz
    0.25
    """
    x, y, z = inverse([[*row] for row in S.full.rows])
    return Sym3(x[0], x[1], x[2], y[1], y[2], z[2])
