"""Systems of constraint rows whose rank is known, solved without a threshold.  There are no kernels here.

G = A M⁻¹ Aᵀ of rows that depend on each other is singular up to the rounding of the mechanism's dimensions.  Its rank r
is a property of the mechanism (`sixvec.mechanism.row_rank`); which rows carry it may change with the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sixvec.algorithms.parts.factorization import dot
from sixvec.algorithms.parts.proximal import DAMPING, NEVER_ZERO, NOISE, STEPS, Proximal
from sixvec.mechanism.row_rank import RowRank
from sixvec.scalar import Scalar, is_zero, sqrt, where
from sixvec.spatial.linear import ldlt, minus_dot, substitute

Rows = list[list[Any]]

INDEPENDENT = 1e-12
"""The damping for rows that are known to be independent, as a fraction of their block's size.  Three steps leave 1e-6
of an error where σ² is 1e-10, the square of the tolerance of loops: directions with a smaller σ are singular, and what
they do is not determined."""

RESPONDING = 2
"""Steps for the forces with which independent rows react to those of groups: they leave 1e-14 of what these move."""

SINGULAR = 1e-10
"""Pivots below this fraction of their block's size belong to a singular state: the square of the tolerance of loops."""

NOTHING = 1e-14
"""A pivot below this fraction of all is rounding: the state is singular, and the row has no force."""


class ConstraintSystem:
    """G x = b, where G is symmetric and given by its lower triangle, and `groups` are rows of known rank.

    Rows outside the groups are independent and are eliminated first.  Then, of each group, the row with the largest
    pivot is eliminated as often as its rank says: L D Lᵀ is the rest of G without what rounded dimensions add.  With
    K = Lᵀ L,

        x = L K⁻¹ D⁻¹ K⁻¹ Lᵀ b

    satisfies the projection of b on the range of L, and is the x of least norm.  `scale` puts the rows in units of
    length for both, so that neither the axes of a frame nor the choice of pivots matters.  Rows of one block, of which
    `blocks` has a number for each row, are damped alike: a row that vanishes at a singular state counts as small.
    `reach` has, for each block, the square of the distance within which a singular state counts as reached, in rad.

    >>> [round(x, 9) for x in ConstraintSystem([[2.0], [2.0, 2.0]], [((0, 1), 1)], [1.0, 1.0]).solution([4.0, 4.0])]
    [1.0, 1.0]
    """

    def __init__(
        self,
        G: Sequence[Sequence[Any]],
        groups: Sequence[tuple[Sequence[int], int]] = (),
        scale: Sequence[float] = (),
        blocks: Sequence[int] = (),
        reach: Sequence[Any] = (),
        steps: int = STEPS,
        damping: float = INDEPENDENT,
    ) -> None:
        self._size = len(G)
        self._grouped = [k for rows, _ in groups for k in rows]
        self._free = [k for k in range(len(G)) if k not in {*self._grouped}]
        block = [[G[i][j] for j in self._free[: n + 1]] for n, i in enumerate(self._free)]
        more = [1.0 + x * (1.0 / damping) for x in reach]
        sizes = _sizes(block, [scale[k] for k in self._free], [blocks[k] for k in self._free], more) if blocks else None
        self._solver = Proximal(block, steps=steps, least=damping, sizes=sizes)
        if not groups:
            return
        self._scale = [scale[k] for k in self._grouped]
        self._between = [[_entry(G, i, j) for j in self._free] for i in self._grouped]
        self._response = [
            self._solver.solution(row, RESPONDING if damping <= INDEPENDENT else steps) for row in self._between
        ]
        joined = [[n for n, f in enumerate(self._free) if blocks and blocks[f] == blocks[k]] for k in self._grouped]
        self._reactions = [([row[n] for n in at], [self._free[n] for n in at])
                           for row, at in zip(self._response, joined, strict=True)]  # fmt: skip
        lines = [*zip(self._grouped, self._scale, strict=True)]
        half = [
            [minus_dot(_entry(G, i, j), row, x) * (s * t) for (j, t), x in zip(lines[: n + 1], self._response)]
            for n, ((i, s), row) in enumerate(zip(lines, self._between, strict=True))
        ]
        complement = [[_entry(half, i, j) for j in range(len(half))] for i in range(len(half))]
        ends = [sum(len(rows) for rows, _ in groups[: n + 1]) for n in range(len(groups))]
        places = [(range(end - len(rows), end), rank) for end, (rows, rank) in zip(ends, groups, strict=True)]
        near = [reach[blocks[rows[0]]] if reach else 0.0 for rows, _ in groups]
        of_group = [sum(G[lines[n][0]][lines[n][0]] * lines[n][1] ** 2 for n in rows) for rows, _ in places]
        self._columns, self._D_inverse, exists = _pivoted(complement, places, of_group, near)
        whole = [size for size, (_, rank) in zip(of_group, places, strict=True) for _ in range(rank)]
        self._lost = [where(d * (size * SINGULAR) > 1.0, 1.0, 1.0 - e)
                      for d, size, e in zip(self._D_inverse, whole, exists, strict=True)]  # fmt: skip
        K = [[dot(x, y) for y in self._columns[: n + 1]] for n, x in enumerate(self._columns)]
        self._K = ldlt([[*row[:-1], row[-1] + (1.0 - e)] for row, e in zip(K, exists, strict=True)])

    @classmethod
    def of(cls, G: Sequence[Sequence[Any]], rank: RowRank, **options: Any) -> ConstraintSystem:
        """For the used rows of a mechanism, and further independent rows behind them."""
        return cls(G, rank.places, *rows_of_rank(rank, range(len(G))), **({"damping": damping_of(rank)} | options))

    def solution(self, b: Sequence[Scalar]) -> list[Any]:
        """x for one right side."""
        x: list[Any] = [0.0] * self._size
        y = self._solver.solution([b[k] for k in self._free])
        if self._grouped:
            remainder = [minus_dot(b[k], row, y) * s
                    for k, row, s in zip(self._grouped, self._between, self._scale, strict=True)]  # fmt: skip
            solved = [z * s for z, s in zip(self._of_groups(remainder), self._scale, strict=True)]
            y = [minus_dot(z, column, solved) for z, column in zip(y, zip(*self._response, strict=True), strict=False)]
            for k, z in zip(self._grouped, solved, strict=True):
                x[k] = z
        for k, z in zip(self._free, y, strict=True):
            x[k] = z
        return x

    def outside_range(self, b: Sequence[Scalar]) -> list[Any]:
        """Of each group the part of b that no x reaches, times the squares of the scales, `at_rest`."""
        x: list[Any] = [0.0] * self._size
        if self._grouped:
            scaled = [minus_dot(b[k], row, [b[f] for f in at]) * s
                      for k, s, (row, at) in zip(self._grouped, self._scale, self._reactions, strict=True)]  # fmt: skip
            inner = substitute(*self._K, [dot(column, scaled) for column in self._columns]) if self._columns else []
            for n, (k, s) in enumerate(zip(self._grouped, self._scale, strict=True)):
                x[k] = minus_dot(scaled[n], [column[n] for column in self._columns], inner) * s
        return self.at_rest(x)

    def at_rest(self, x: Sequence[Scalar]) -> list[Any]:
        """Forces x of the groups, and those of the rows that are eliminated before them which keep these at rest."""
        forces = list(x)
        if self._grouped:
            for k, (row, at) in zip(self._grouped, self._reactions, strict=True):
                for f, y in zip(at, row, strict=True):
                    forces[f] = forces[f] - y * x[k]
        return forces

    def is_singular(self) -> Scalar:
        """1 where a pivot is smaller than the tolerance allows: rows that are independent elsewhere depend here."""
        small = self._solver.small_pivots(SINGULAR)
        return any_of(small, *self._lost) if self._grouped else small

    def _of_groups(self, b: list[Any]) -> list[Any]:
        """L K⁻¹ D⁻¹ K⁻¹ Lᵀ b."""
        if not self._columns or all(map(is_zero, b)):
            return [0.0] * len(b)
        inner = substitute(*self._K, [dot(column, b) for column in self._columns])
        outer = substitute(*self._K, [x * d for x, d in zip(inner, self._D_inverse, strict=True)])
        return [dot(row, outer) for row in zip(*self._columns, strict=True)]


def smallest_pivot(A: Rows, rank: int) -> Scalar:
    """About the square of the singular value of rows A that is the smallest of those that count, `rank` in number.

    >>> round(smallest_pivot([[3.0, 0.0], [0.0, 2.0]], 2), 6)
    4.0
    """
    G = [[dot(x, y) for y in A[: n + 1]] for n, x in enumerate(A)]
    least = _trace(G) * NOTHING + NEVER_ZERO
    if rank < len(A):
        full = [[_entry(G, i, j) for j in range(len(G))] for i in range(len(G))]
        _, D_inverse, exists = _pivoted(full, [(range(len(G)), rank)], [_trace(G)])
        pivots = [where(e > 0.5, 1.0 / (d + NEVER_ZERO), 0.0) for d, e in zip(D_inverse, exists, strict=True)]
    else:
        _, D_inverse = ldlt([[*row[:-1], row[-1] + least] for row in G], damped=True)
        pivots = [1.0 / d for d in D_inverse]
    smallest = pivots[0]
    for x in pivots[1:]:
        smallest = where(x < smallest, x, smallest)
    return smallest


def any_of(*conditions: Scalar) -> Scalar:
    """1 where one of these numbers is not 0, else 0."""
    flag: Scalar = 0.0
    for x in conditions:
        flag = x if is_zero(flag) else flag if is_zero(x) else where(x > 0.5, 1.0, flag)
    return flag


def damping_of(rank: RowRank) -> float:
    """For rows that count as independent: larger where they may not be, since nothing is known about them."""
    return INDEPENDENT if rank.is_known else DAMPING


def rows_of_rank(rank: RowRank, rows: Iterable[int]) -> tuple[list[float], list[int]]:
    """Scales and blocks of rows, given by their places: used ones of `rank`, and others, a block each, behind them."""
    scale, used = rank.of_used(rank.scale), len(rank.used)
    block = {row: n for n, component in enumerate(rank.components) for row in component.rows}
    blocks = [block.get(row, -1) for row in rank.used]
    rows = list(rows)
    return [scale[k] if k < used else 1.0 for k in rows], [blocks[k] if k < used else -1 for k in rows]


def _sizes(G: Rows, scale: Sequence[float], blocks: Sequence[int], more: Sequence[Any]) -> list[Any]:
    """For each row the mean diagonal entry of its block, all in units of length; its own where it has no block."""
    whole = sum((row[-1] for row in G), 0.0) * NOISE + NEVER_ZERO
    means: dict[int, Any] = {}
    for block in {*blocks} - {-1}:
        diagonal = [row[-1] * (s * s) for row, s, b in zip(G, scale, blocks, strict=True) if b == block]
        means[block] = sum(diagonal, 0.0) * (1.0 / len(diagonal)) + NEVER_ZERO
        means[block] = means[block] * more[block] if more else means[block]
    return [
        row[-1] + whole if b == -1 else means[b] * (1.0 / (s * s)) for row, s, b in zip(G, scale, blocks, strict=True)
    ]


def independent_rows(A: Rows, e: Sequence[Any], rank: RowRank) -> tuple[Rows, list[Any]]:
    """The used rows of A and entries of e; of each group as many combinations as its rank, orthonormal in A's range.

    >>> A, e = independent_rows([[1.0, 0.0], [1.0, 0.0]], [2.0, 2.0], RowRank.of_group(2, 1))
    >>> [round(abs(x), 9) for x in (*A[0], *e)]
    [1.414213562, 0.0, 2.828427125]
    """
    grouped = {row for group in rank.groups for row in group.rows}
    rows = [A[r] for r in rank.used if r not in grouped]
    errors = [e[r] for r in rank.used if r not in grouped]
    for group in rank.groups:
        scaled = [[x * rank.scale[r] for x in A[r]] for r in group.rows]
        G = [[dot(x, y) for y in scaled] for x in scaled]
        columns, _, exists = _pivoted(G, [(range(len(G)), group.rank)], [_trace(G)])
        K = [[dot(x, y) for y in columns[: n + 1]] for n, x in enumerate(columns)]
        L, D_inverse = ldlt([[*row[:-1], row[-1] + (1.0 - x)] for row, x in zip(K, exists, strict=True)])
        for way in _orthonormal(L, D_inverse, columns):
            rows.append([dot(way, column) for column in zip(*scaled, strict=True)])
            errors.append(dot(way, [e[r] * rank.scale[r] for r in group.rows]))
    return rows, errors


def _orthonormal(L: Rows, D_inverse: list[Any], columns: Rows) -> Rows:
    """D^-½ L⁻¹ of the columns, whose Gram matrix is L D Lᵀ."""
    basis: Rows = []
    for row, column in zip(L, columns, strict=True):
        basis.append([minus_dot(x, row, [y[i] for y in basis]) for i, x in enumerate(column)])
    return [[x * sqrt(d) for x in way] for way, d in zip(basis, D_inverse, strict=True)]


def _pivoted(
    G: Rows, groups: Sequence[tuple[range, int]], sizes: Sequence[Any], reach: Sequence[Any] = ()
) -> tuple[Rows, list[Any], list[Any]]:
    """The columns of L, 1/D, and 1 for pivots that exist: as many of each group as its rank, the largest first.

    Pivots count against the `sizes` of the groups.  1/D is damped where D is small against that times `reach`.
    """
    columns: Rows = []
    D_inverse: list[Any] = []
    exists: list[Any] = []
    for n, (rows, rank) in enumerate(groups):
        size = sizes[n]
        small = size * reach[n] if reach else 0.0
        for _ in range(rank):
            pivot, column = G[rows[0]][rows[0]], [row[rows[0]] for row in G]
            for i in rows[1:]:
                larger = G[i][i] > pivot
                pivot = where(larger, G[i][i], pivot)
                column = [_chosen(larger, row[i], x) for row, x in zip(G, column, strict=True)]
            there = pivot > size * NOTHING
            inverse = where(there, 1.0 / where(there, pivot, 1.0), 0.0)
            scaled = [x * inverse for x in column]
            half = [[minus_dot(x, [s], [c]) for x, c in zip(row[: i + 1], column, strict=False)]
                    for i, (row, s) in enumerate(zip(G, scaled, strict=True))]  # fmt: skip
            G = [[_entry(half, i, j) for j in range(len(half))] for i in range(len(half))]
            columns.append(scaled)
            D_inverse.append(inverse if is_zero(small) else pivot / (pivot * pivot + small * small + NEVER_ZERO))
            exists.append(where(there, 1.0, 0.0))
    return columns, D_inverse, exists


def _trace(G: Rows) -> Any:
    return sum(row[i] for i, row in enumerate(G))


def _entry(lower: Sequence[Sequence[Any]], i: int, j: int) -> Any:
    """Of a symmetric matrix that is given by its lower triangle."""
    return lower[max(i, j)][min(i, j)]


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    """`where`, which keeps zeros that both have."""
    return 0.0 if is_zero(yes) and is_zero(no) else where(condition, yes, no)
