"""Linear algebra on small matrices of scalars: unrolled, without pivoting, so that it works for any scalar type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, certainly
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


def ldlt(M: Matrix) -> tuple[list[list[Scalar]], list[Scalar]]:
    """M = L D Lᵀ with L unit lower triangular, for symmetric positive-definite M; only its lower triangle is read.

    Without square roots and without pivoting, which positive-definite matrices do not need.  A matrix of plain numbers
    that is not positive definite raises an error; with traced, symbolic or batched scalars the division by a zero pivot
    takes place.

    >>> ldlt([[2.0, 1.0], [1.0, 4.0]])
    ([[1.0, 0.0], [0.5, 1.0]], [2.0, 3.5])
    """
    n = len(M)
    L: list[list[Scalar]] = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    D: list[Scalar] = [0.0] * n
    for i in range(n):
        scaled = [0.0] * i  # L_ik D_k, subtracted by the elimination
        for j in range(i):
            scaled[j] = M[i][j] - dot(scaled[:j], L[j][:j])
            L[i][j] = scaled[j] / D[j]
        D[i] = M[i][i] - dot(scaled, L[i][:i])
        if certainly(D[i] == 0.0) or certainly(D[i] < SMALLEST_PIVOT * M[i][i]) or certainly(D[i] < 0.0):
            raise DegenerateError(
                f"the matrix is not positive definite: eliminating its row {i} leaves {D[i]} instead of a positive "
                "number; some direction has no resistance, so drop it or combine dependent rows"
            )
    return L, D


def solve(M: Matrix, b: Row) -> list[Scalar]:
    """x with M x = b, for symmetric positive-definite M.

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0])
    [0.5, 0.25]
    """
    return substitute(*ldlt(M), b)


def substitute(L: Matrix, D: Row, b: Row) -> list[Scalar]:
    """x with L D Lᵀ x = b."""
    n = len(D)
    x = list(b)
    for i in range(n):
        x[i] = x[i] - dot(L[i][:i], x[:i])
    x = [a / d for a, d in zip(x, D, strict=True)]
    for i in reversed(range(n)):
        x[i] = x[i] - dot((L[k][i] for k in range(i + 1, n)), x[i + 1 :])
    return x


def inverse(M: Matrix) -> list[list[Scalar]]:
    """M⁻¹ for symmetric positive-definite M.

    >>> inverse([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    L, D = ldlt(M)
    n = len(D)
    return [substitute(L, D, [1.0 if i == j else 0.0 for j in range(n)]) for i in range(n)]


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
