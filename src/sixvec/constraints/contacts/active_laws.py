"""The impulses of a step as a function of its terms while its contacts keep their states: derivatives go through it.

At known impulses every row has a state: a contact is open or closed and its friction holds or slips, a stop is free or
at one of its ends.  While no state changes, the laws are equations,

    of rows that hold     z·w + c = 0
    of slipping friction  p_t = μ p_n d,  d = s / |s|,  s = p_t - r u_t
    of all others         p = 0, or p is at its limit

and by the implicit function theorem p has the derivatives of their solution.  Newton's steps for these equations,
traced as functions of w and z, have the same ones: at a solution they change nothing else.  All have the matrix of the
first, and every step adds an order of derivatives.  To first order d turns with the velocity across it as if there were
a damper with the coefficient  κ r / (1 - κ),  κ = μ p_n / |s|.

Rows may depend on each other, as those of four feet: motions are unique then, impulses are not.  Rows that hold get
the impulse p - (z·w + c)/ε, which leads to a matrix of the size of the joints, and the next step removes the error of ε
(the method of multipliers).  Where impulses are not unique, they change as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.constraints.contacts.block_sweeps import BlockTerms
from sixvec.constraints.contacts.local_law import TINY, fastest
from sixvec.scalar import sqrt, where
from sixvec.spatial.linear import eliminate

COMPLIANCE = 1e-5
"""ε, relative to the mobility of a row."""

ROUNDS = 3
"""Of Newton's steps: the error due to ε is ε to this power, relative to the mobility that is left by other rows."""

STIFFEST = 1e10
"""Of the damper across the sliding direction, relative to the inverse of its mobility."""


def active_solution(
    terms: Sequence[BlockTerms], free: Sequence[Any], p: Sequence[Any], order: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """Whitened velocities and impulses; p are impulses that solve the laws, `order` lists the joints from the root."""
    w, parts, at = list(free), [], 0
    for t in terms:
        parts.append(list(p[at : at + t.block.rows]))
        for z, x in zip(t.rows, parts[-1], strict=True):
            _push(w, t.block.columns, z, x)
        at += t.block.rows
    laws = [_law(t, t.rates(w), x) for t, x in zip(terms, parts, strict=True)]
    w = list(free)
    for law in laws:
        for row in law.rows:
            _push(w, law.columns, row.along, row.x)
    backwards = list(reversed(order))
    matrix = _matrix(laws, backwards)
    for _ in range(ROUNDS if laws else 0):
        right: list[Any] = [0.0] * len(w)
        missing = [law.missing([law.rate(row, w) for row in law.rows]) for law in laws]
        for law, changes in zip(laws, missing, strict=True):
            for row, x in zip(law.rows, changes, strict=True):
                _push(right, law.columns, row.along, x)
        solved = eliminate(matrix, [[right[i]] for i in backwards], pivoting=False)
        step = [x for _, (x,) in sorted(zip(backwards, solved, strict=True), key=lambda pair: pair[0])]
        for law, changes in zip(laws, missing, strict=True):
            for row, x in zip(law.rows, changes, strict=True):
                row.x = row.x + (x - row.stiffness * law.rate(row, step))
        w = [x + y for x, y in zip(w, step, strict=True)]
    return w, [x for law in laws for x in law.impulses()]


def _push(w: list[Any], columns: Sequence[int], z: Sequence[Any], x: Any) -> None:
    for k, y in zip(columns, z, strict=True):
        w[k] = w[k] + y * x


def _matrix(laws: Sequence[_Law], order: Sequence[int]) -> list[list[Any]]:
    """1 + Σ h a zᵀ."""
    entries: list[dict[int, Any]] = [{i: 1.0} for i in range(len(order))]
    for law in laws:
        for row in law.rows:
            for i, a in zip(law.columns, row.along, strict=True):
                for j, z in zip(law.columns, row.z, strict=True):
                    entries[i][j] = entries[i].get(j, 0.0) + row.stiffness * a * z
    return [[entries[i].get(j, 0.0) for j in order] for i in order]


@dataclass(slots=True)
class _Row:
    """An impulse x along a whitened vector, which changes by -h times the change of the velocity z·w."""

    z: list[Any]
    along: list[Any]
    stiffness: Any
    x: Any


class _Law:
    """A stop or the friction of a joint: it holds, with z·w + aim = 0, or its impulse is `limit`."""

    def __init__(self, t: BlockTerms, holds: Any, aim: Any, limit: Any, p: Any) -> None:
        self.columns, self._holds, self._aim, self._limit = t.block.columns, holds, aim, limit
        stiffness = holds / (COMPLIANCE * (t.mobility[0] + TINY))
        self.rows = [_Row(t.rows[0], t.rows[0], stiffness, where(holds > 0.5, p, limit))]

    def rate(self, row: _Row, w: Sequence[Any]) -> Any:
        return _dot(row.z, [w[k] for k in self.columns])

    def missing(self, u: Sequence[Any]) -> list[Any]:
        """How much the impulse of each row must change at its velocity, if that stays the same."""
        row = self.rows[0]
        return [where(self._holds > 0.5, -row.stiffness * (u[0] + self._aim), self._limit - row.x)]

    def impulses(self) -> list[Any]:
        """Along the rows of the block."""
        return [self.rows[0].x]


class _ContactLaw(_Law):
    """A contact: the normal, then the parts of its friction."""

    def __init__(self, t: BlockTerms, u: Sequence[Any], p: Sequence[Any]) -> None:
        closed = where(p[0] - (u[0] + t.law[0]) / (t.mobility[0] + TINY) > 0.0, 1.0, 0.0)
        super().__init__(t, closed, t.law[0], 0.0, p[0])
        self._parts = [_Friction(t, *part, u, p, closed) for part in _parts(t)]
        for part in self._parts:
            self.rows += part.rows
            for d, z in zip(part.direction, t.rows[part.first :], strict=False):
                self.rows[0].along = [
                    a + part.slips * part.mu * d * b for a, b in zip(self.rows[0].along, z, strict=True)
                ]

    def missing(self, u: Sequence[Any]) -> list[Any]:
        changes, at = super().missing(u), 1
        for part in self._parts:
            changes += part.missing(u[at : at + part.count], self.rows[0].x)
            at += part.count
        return changes

    def impulses(self) -> list[Any]:
        normal = self.rows[0].x
        return [normal, *(x for part in self._parts for x in part.impulses(normal))]


class _Friction:
    """One or two rows that resist sliding, spinning or rolling, up to μ times the normal impulse.

    Its rows are along and across the direction in which it slips; while it slips, the first has what remains besides
    the limit, which is zero.
    """

    def __init__(
        self, t: BlockTerms, first: int, count: int, mu: Any, mobility: Any, u: Sequence[Any], p: Sequence[Any],
        closed: Any,
    ) -> None:  # fmt: skip
        self.first, self.count, self.mu = first, count, mu
        self._r = 1.0 / (mobility + TINY)
        of = slice(first, first + count)
        s = [x - self._r * y for x, y in zip(p[of], u[of], strict=True)]
        square, most = _dot(s, s), mu * p[0]
        self.slips = where(square > most * most + TINY, closed, 0.0)
        length = sqrt(where(self.slips > 0.5, square, 1.0))
        self.direction = d = [where(self.slips > 0.5, x / length, float(k == 0)) for k, x in enumerate(s)]
        holds = closed - self.slips
        stiffness = holds * self._r / COMPLIANCE
        z = _combined(t.rows[of], d)
        self.rows = [_Row(z, z, stiffness, holds * _dot(d, p[of]))]
        if count == 2:
            rest = 1.0 - most / length
            self._rest = where(rest > 1.0 / STIFFEST, rest, 1.0 / STIFFEST)
            damper = self._r * most / (length * self._rest)
            z = _combined(t.rows[of], [-d[1], d[0]])
            x = holds * _dot([-d[1], d[0]], p[of])
            self.rows.append(_Row(z, z, where(self.slips > 0.5, damper, stiffness), x))

    def missing(self, u: Sequence[Any], normal: Any) -> list[Any]:
        if self.count == 1:
            return [-self.rows[0].stiffness * u[0]]
        slips, most = self.slips > 0.5, self.mu * normal
        along, across = (row.x for row in self.rows)
        s = [most + along - self._r * u[0], across - self._r * u[1]]
        scale = most / sqrt(where(slips, _dot(s, s), 1.0))
        return [
            where(slips, scale * s[0] - most - along, -self.rows[0].stiffness * u[0]),
            where(slips, (scale * s[1] - across) / self._rest, -self.rows[1].stiffness * u[1]),
        ]

    def impulses(self, normal: Any) -> list[Any]:
        forward, d = self.rows[0].x + self.slips * self.mu * normal, self.direction
        if self.count == 1:
            return [d[0] * forward]
        side = self.rows[1].x
        return [d[0] * forward - d[1] * side, d[1] * forward + d[0] * side]


def _law(t: BlockTerms, u: Sequence[Any], p: Sequence[Any]) -> _Law:
    """The law of a block in its state at the velocities u and the impulses p."""
    g = t.mobility[0] + TINY
    if t.block.kind == "stop":
        reached = u[0] - g * p[0]
        low, high = (where(x, 1.0, 0.0) for x in (reached < t.law[0], reached > t.law[1]))
        return _Law(t, low + high, where(low > 0.5, -t.law[0], -t.law[1]), 0.0, p[0])
    if t.block.kind == "friction":
        reached, most = p[0] - u[0] / g, t.law[0]
        limit = where(reached > most, most, where(reached < -most, -most, 0.0))
        holds = where(reached > most, 0.0, where(reached < -most, 0.0, 1.0))
        return _Law(t, holds, 0.0, limit, p[0])
    return _ContactLaw(t, u, p)


def _parts(t: BlockTerms) -> list[tuple[int, int, Any, Any]]:
    """Of friction of each kind: the first row, how many there are, their coefficient and their mobility."""
    block, core, own = t.block, t.core(), t.others()
    parts: list[tuple[int, int, Any, Any]] = []
    if block.core == 2:
        parts.append((1, 1, t.law[1], core[1][1]))
    elif block.core == 3:
        parts.append((1, 2, t.law[1], fastest(core[1][1], core[1][2], core[2][2])))
    if block.spins:
        parts.append((block.core, 1, t.law[2], own[0]))
    if block.rolls:
        first = block.core + block.spins
        between = _dot(t.rows[first], t.rows[first + 1])
        parts.append((first, 2, t.law[3], fastest(own[block.spins], between, own[block.spins + 1])))
    return parts


def _combined(rows: Sequence[Sequence[Any]], d: Sequence[Any]) -> list[Any]:
    return [_dot(d, column) for column in zip(*rows, strict=True)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])
