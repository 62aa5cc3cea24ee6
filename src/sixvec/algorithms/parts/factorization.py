"""Unrolled factorisations of symmetric positive-definite matrices that keep the zeros of a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sixvec.scalar import is_zero, sqrt

Matrix = Sequence[Sequence[Any]]


def ltdl(M: Matrix) -> tuple[list[list[Any]], list[Any]]:
    """M = Lᵀ D L with L unit lower triangular: (L, 1/D).

    Eliminating from the last row leaves the branch-induced zeros of a mass matrix as they are: no fill-in
    (Featherstone (48) and the discussion of sparsity).

    >>> L, D_inverse = ltdl([[2.0, 1.0], [1.0, 4.0]])
    >>> L[1][0], D_inverse
    (0.25, [0.5714285714285714, 0.25])
    """
    n = len(M)
    H = [list(row[: i + 1]) for i, row in enumerate(M)]
    L = [[0.0] * n for _ in range(n)]
    D_inverse: list[Any] = [0.0] * n
    for i in reversed(range(n)):  # row by row, so that in compiled code a row stays in registers until it is finished
        for k in reversed(range(i + 1, n)):
            if not is_zero(H[k][i]):
                H[i] = [x if is_zero(y) else x - L[k][i] * y for x, y in zip(H[i], H[k], strict=False)]
        D_inverse[i] = 1.0 / H[i][i]
        L[i][i] = 1.0
        for j in reversed(range(i)):
            if not is_zero(H[i][j]):
                L[i][j] = H[i][j] * D_inverse[i]
    return L, D_inverse


def unit_lower_inverse(L: Matrix) -> Iterator[list[Any]]:
    """The rows of W = L⁻¹ for unit lower triangular L; W has the zeros of L."""
    n = len(L)
    W: list[list[Any]] = []
    for i in range(n):
        row = [0.0] * n
        row[i] = 1.0
        for j in range(i):
            terms = [L[i][k] * W[k][j] for k in range(j, i) if not (is_zero(L[i][k]) or is_zero(W[k][j]))]
            row[j] = -sum(terms) if terms else 0.0
        W.append(row)
        yield row


def inverse(M: Matrix) -> list[list[Any]]:
    """M⁻¹, both triangles.

    >>> inverse([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return Inverse(M).full()


class Inverse:
    """M⁻¹ = W D⁻¹ Wᵀ with W = L⁻¹, as its factors: W is zero where L is, so products with it stay cheap."""

    def __init__(self, M: Matrix) -> None:
        self._L, self._D_inverse = ltdl(M)
        self._W: list[list[Any]] = []

    def _rows(self) -> Iterator[list[Any]]:
        """The rows of W, as they are made; kept, because several products use them."""
        if self._W:
            yield from self._W
            return
        factors = []
        for row in unit_lower_inverse(self._L):
            factors.append(row)
            yield row
        self._W = factors

    def full(self) -> list[list[Any]]:
        """The matrix itself, both triangles."""
        n = len(self._L)
        result = [[0.0] * n for _ in range(n)]
        W: list[list[Any]] = []
        for i, row in enumerate(self._rows()):
            W.append(row)
            scaled = [w * d for w, d in zip(row, self._D_inverse, strict=True)]
            for j in range(i + 1):
                result[i][j] = result[j][i] = dot(scaled[: j + 1], W[j][: j + 1])
        return result

    def times(self, B: Matrix) -> list[list[Any]]:
        """M⁻¹ B, one factor at a time.

        Where B has the zeros of M, an entry between two branches of the tree costs only as many products as the
        branches have common ancestors.
        """
        rows = list(self._rows())
        columns, W_columns, W = (
            [_marked(x) for x in vectors] for vectors in (zip(*B, strict=True), zip(*rows, strict=True), rows)
        )
        scaled = [
            _marked([_dot(w, b) * d for w, d in zip(W_columns, self._D_inverse, strict=True)]) for b in columns
        ]  # D⁻¹ Wᵀ B, by columns
        return [[_dot(w, z) for z in scaled] for w in W]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Σ a b over the entries that both have, zeros left out."""
    return _dot(_marked(a), _marked(b))


_Marked = tuple[Sequence[Any], list[bool]]


def _marked(a: Sequence[Any]) -> _Marked:
    """A vector, and which of its entries are not zero: known once for all products with others."""
    return a, [not is_zero(x) for x in a]


def _dot(a: _Marked, b: _Marked) -> Any:
    terms = [x * y for x, y, one, two in zip(a[0], b[0], a[1], b[1], strict=False) if one and two]
    return sum(terms[1:], terms[0]) if terms else 0.0


def symmetric_product(A: Matrix, columns: Matrix) -> list[list[Any]]:
    """A B, known to be symmetric, from the columns of B."""
    half = [[dot(a, column) for column in columns[: i + 1]] for i, a in enumerate(A)]
    return [[half[max(i, j)][min(i, j)] for j in range(len(A))] for i in range(len(A))]


class Factors:
    """M = Lᵀ D L of a tree whose coordinates come in any order: the two halves of a solution, M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ.

    `order` lists the coordinates with parents before children.  Zeros stay zeros: L⁻ᵀ x has entries only where a
    coordinate carries one in which x has an entry.

    >>> M = Factors([[2.0, 1.0], [1.0, 4.0]], [0, 1])
    >>> M.rest(M.half([3.0, 5.0]))
    [1.0, 1.0]
    """

    def __init__(self, M: Matrix, order: Sequence[int]) -> None:
        self._order = list(order)
        self._L, D_inverse = ltdl([[M[i][j] for j in order] for i in order])
        self._D_inverse = dict(zip(order, D_inverse, strict=True))

    def half(self, x: Sequence[Any]) -> list[Any]:
        """L⁻ᵀ x, from the tips."""
        z = list(x)
        for n in reversed(range(len(z))):
            entry = z[self._order[n]]
            if not is_zero(entry):
                for i, factor in zip(self._order, self._L[n][:n], strict=False):
                    if not is_zero(factor):
                        z[i] = z[i] - factor * entry
        return z

    def halves(self, columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """`half` of several columns, the same number of each in turn, so that a factor is loaded once for all."""
        halves = [list(x) for x in columns]
        for n, i in reversed(list(enumerate(self._order))):
            for m in reversed(range(n + 1, len(self._order))):
                if not is_zero(factor := self._L[m][n]):
                    for z in halves:
                        if not is_zero(entry := z[self._order[m]]):
                            z[i] = z[i] - factor * entry
        return halves

    def weighted(self, x: Sequence[Any], y: Sequence[Any]) -> Any:
        """xᵀ D⁻¹ y, which is x̂ᵀ M⁻¹ ŷ for the halves x = L⁻ᵀ x̂ and y = L⁻ᵀ ŷ."""
        terms = [x[i] * d * y[i] for i, d in self._D_inverse.items() if not (is_zero(x[i]) or is_zero(y[i]))]
        return sum(terms[1:], terms[0]) if terms else 0.0

    def scaled(self, z: Sequence[Any]) -> list[Any]:
        """D⁻¹ z."""
        return [z[i] * d for i, d in sorted(self._D_inverse.items())]

    def rest(self, z: Sequence[Any]) -> list[Any]:
        """L⁻¹ D⁻¹ z, from the root."""
        x = [0.0] * len(z)
        for n, i in enumerate(self._order):
            x[i] = z[i] * self._D_inverse[i]
            for j, factor in zip(self._order, self._L[n][:n], strict=False):
                if not is_zero(factor):
                    x[i] = x[i] - factor * x[j]
        return x

    @property
    def lower(self) -> list[Any]:
        """The entries of L below its diagonal that are not zero, row by row."""
        return [x for n, row in enumerate(self._L) for x in row[:n] if not is_zero(x)]

    @property
    def roots(self) -> list[Any]:
        """The diagonal of D^½, by coordinate."""
        return [sqrt(1.0 / d) for _, d in sorted(self._D_inverse.items())]

    @classmethod
    def of_entries(cls, pattern: Factors, lower: Sequence[Any]) -> Factors:
        """Factors with the zeros of others and these entries of L, for `whitened` and `unwhitened`."""
        made = cls.__new__(cls)
        made._order, entries = pattern._order, iter(lower)
        made._L = [[next(entries) if j < n and not is_zero(x) else 0.0 for j, x in enumerate(row)]
                   for n, row in enumerate(pattern._L)]  # fmt: skip
        made._D_inverse = {}
        return made

    def whitened(self, v: Sequence[Any], roots: Sequence[Any]) -> list[Any]:
        """D^½ L v: its square is vᵀ M v."""
        w = [0.0] * len(v)
        for n, i in enumerate(self._order):
            total = v[i]
            for j, factor in zip(self._order, self._L[n][:n], strict=False):
                if not is_zero(factor):
                    total = total + factor * v[j]
            w[i] = roots[i] * total
        return w

    def half_whitened(self, row: Sequence[Any], roots: Sequence[Any]) -> list[Any]:
        """D^-½ L⁻ᵀ Jᵀ of a row J: its product with whitened velocities is J v."""
        return [x if is_zero(x) else x / roots[i] for i, x in enumerate(self.half(row))]

    def unwhitened(self, w: Sequence[Any], roots: Sequence[Any]) -> list[Any]:
        """L⁻¹ D^-½ w, the inverse of `whitened`."""
        x = [0.0] * len(w)
        for n, i in enumerate(self._order):
            x[i] = w[i] / roots[i]
            for j, factor in zip(self._order, self._L[n][:n], strict=False):
                if not is_zero(factor):
                    x[i] = x[i] - factor * x[j]
        return x

    def inverse_rows(self) -> list[list[Any]]:
        """L⁻¹ by rows, in the order of the coordinates: for columns with zeros it is cheaper than `rest`."""
        n = len(self._order)
        inverse: list[list[Any]] = [[]] * n
        for i, row in zip(self._order, unit_lower_inverse(self._L), strict=True):
            inverse[i] = [0.0] * n
            for j, x in zip(self._order, row, strict=True):
                inverse[i][j] = x
        return inverse
