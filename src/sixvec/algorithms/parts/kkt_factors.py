"""The equations of constrained motion, factorised once for any number of right-hand sides.  No kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sixvec.algorithms.parts.blocked_sums import PANEL, interleaved_sums, sums_by_blocks
from sixvec.algorithms.parts.constrained_motion import HARD, Softness
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.known_rank import ConstraintSystem
from sixvec.algorithms.parts.proximal import Proximal
from sixvec.mechanism.row_rank import RowRank
from sixvec.scalar import Scalar, is_zero

Rows = list[list[Any]]

LEAST = 1e-15
"""The damping of the solution in one step, which derivatives use: they have many columns."""


class _Change(NamedTuple):
    """Accelerations as an unevaluated sum of scaled vectors, and forces along the rows."""

    terms: list[tuple[Sequence[Any], Any]]
    force: list[Any]

    def cost(self, i: int) -> int:
        return len(self.products(i))

    def products(self, i: int) -> list[tuple[Any, Any]]:
        """The factors of acceleration i, a sum of products."""
        return [(vector[i], factor) for vector, factor in self.terms if not is_zero(vector[i])]


class KktFactors:
    """M a - Aᵀ force = f,  A a = b:  M = Lᵀ D L,  Z = L⁻ᵀ Aᵀ,  G = Zᵀ D⁻¹ Z.

    Columns of derivatives have the zeros of the tree, and keep them in  y = L⁻ᵀ r.  Those of coordinates that carry no
    constrained frame share few coordinates with the paths of the rows, where the branches leave them: the root and a
    few more.  The response to a unit of y there is computed once, and these columns are sums of those responses.

    A has the used rows of `rank`, and further independent ones behind them.  Rows with damping give way:
    A a + damping / weight force = b.
    """

    def __init__(self, M: Rows, A: Rows, order: Sequence[int], rank: RowRank, soft: Softness = HARD) -> None:
        self._M, self._A = Factors(M, order), A
        self._Z = [self._M.half(row) for row in A]
        G = [[self._M.weighted(z, w) for w in self._Z[: i + 1]] for i, z in enumerate(self._Z)]
        self._solver: ConstraintSystem | Proximal = ConstraintSystem.of(G, rank)
        self._at_once: ConstraintSystem | Proximal = ConstraintSystem.of(G, rank, steps=1, damping=LEAST)
        if soft.damping:
            self._solver = self._at_once = Proximal(G, *soft[:2])
        self._W = _columns(self._M.inverse_rows())
        self._on_paths = {k for z in self._Z for k, x in enumerate(z) if not is_zero(x)}
        off = [k for k in range(len(M)) if k not in self._on_paths]
        shared = {k for k in self._on_paths if any(not is_zero(M[j][k]) for j in off)}
        self._shared = shared if len(shared) <= len(off) else set()  # else the units cost more than they save
        self._units: dict[int, tuple[list[Any], list[Any]]] = {}

    def solution(self, f: Sequence[Scalar], b: Sequence[Scalar]) -> tuple[list[Any], list[Any]]:
        """a and force, for rows that may depend on each other."""
        y = self._M.half(f)
        force = self._solver.solution([x - self._M.weighted(z, y) for z, x in zip(self._Z, b, strict=True)])
        return self._M.rest(self._pushed(force, y)), force

    def changes(self, r: Rows, s: Rows) -> tuple[Rows, Rows]:
        """a and force with  M a + r = Aᵀ force  and  A a + s = 0,  for all columns of r and s."""
        n, columns = len(r), _columns(r)
        y = [each for k in range(0, n, PANEL) for each in self._M.halves(columns[k : k + PANEL])]
        changes = [self._change(y[k], [row[k] for row in s]) for k in range(n)]
        a = sums_by_blocks({(i, k): c.products(i) for k, c in enumerate(changes) for i in range(n)})
        return [[a[i, k] for k in range(n)] for i in range(n)], _columns(c.force for c in changes)

    def unit_responses(self) -> tuple[Rows, Rows]:
        """a and force for unit joint forces, one column each: a is symmetric, with one triangle computed."""
        n, still = len(self._W), [0.0] * len(self._Z)
        responses = [self._change(self._M.half([-float(i == k) for i in range(n)]), still) for k in range(n)]
        products = {}
        for i in range(n):
            for j in range(i, n):  # the numbers of a row are complete when it is
                row, column = min(((j, i), (i, j)), key=lambda at: responses[at[1]].cost(at[0]))
                products[i, j] = responses[column].products(row)
        a = sums_by_blocks(products)
        return [[a[min(i, j), max(i, j)] for j in range(n)] for i in range(n)], _columns(c.force for c in responses)

    def at_rest(self, force: Sequence[Any]) -> list[Any]:
        """Forces of the groups of rows, and those of other rows that keep these at rest."""
        assert isinstance(self._at_once, ConstraintSystem)
        return self._at_once.at_rest(force)

    def outside_range(self) -> Rows:
        """(1 - P) A of the groups of rows, times the squares of their scales, `at_rest`."""
        assert isinstance(self._at_once, ConstraintSystem)
        columns = [self._at_once.outside_range(column) for column in zip(*self._A, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]

    def _change(self, y: Sequence[Scalar], s: Sequence[Scalar]) -> _Change:
        """For y = L⁻ᵀ r."""
        met = {k for k in self._on_paths if not is_zero(y[k])}
        if met <= self._shared and all(map(is_zero, s)):
            units = [(*self._unit(k), y[k]) for k in sorted(met)]
            apart = self._M.scaled([0.0 if k in met else -x for k, x in enumerate(y)])
            force = [_sum(f[n] * x for _, f, x in units) for n in range(len(s))]
            return _Change([*((a, x) for a, _, x in units), *self._terms(apart)], force)
        return self._alone(y, s)

    def _alone(self, y: Sequence[Scalar], s: Sequence[Scalar]) -> _Change:
        """a = L⁻¹ D⁻¹ (Z force - y)."""
        force = self._at_once.solution([self._M.weighted(z, y) - x for z, x in zip(self._Z, s, strict=True)])
        return _Change(self._terms(self._M.scaled(self._pushed(force, [-x for x in y]))), force)

    def _unit(self, k: int) -> tuple[list[Any], list[Any]]:
        """Accelerations and forces of one unit of y at a coordinate."""
        if k not in self._units:
            n = len(self._W)
            one = self._alone([float(i == k) for i in range(n)], [0.0] * len(self._Z))
            self._units[k] = interleaved_sums([one.products(i) for i in range(n)]), one.force
        return self._units[k]

    def _terms(self, z: Sequence[Any]) -> list[tuple[Sequence[Any], Any]]:
        """L⁻¹ z, by columns."""
        return [(w, x) for w, x in zip(self._W, z, strict=True) if not is_zero(x)]

    def _pushed(self, force: Sequence[Any], y: Sequence[Any]) -> list[Any]:
        """Z force + y."""
        at = [(z, f) for z, f in zip(self._Z, force, strict=True) if not is_zero(f)]
        return [sum((z[i] * f for z, f in at if not is_zero(z[i])), x) for i, x in enumerate(y)]


def _columns(columns: Iterable[Sequence[Any]]) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]


def _sum(terms: Iterable[Any]) -> Any:
    some = list(terms)
    return sum(some[1:], some[0]) if some else 0.0
