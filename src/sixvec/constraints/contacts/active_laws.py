"""The impulses of a step as a function of its terms while its contacts keep their state: what derivatives go through.

At known impulses every row has a state: a contact is open or closed and its friction holds or slips, a stop is free or
at one of its ends.  While no state changes, the laws are equations,

    a row that holds      z·w + c = 0
    normal and friction   of a contact that slips:  z_n·w + c = 0,  p_t = μ p_n d,  d = s / |s|,  s = p_t - r u_t
    all others            p = 0, or at its limit

and by the implicit function theorem p has the derivatives of their solution.  Newton's step for these equations,
traced as a function of w and z, has the same ones: at a solution it changes nothing but them.  Linearised, d turns
with the velocity across it as if there were a damper with the coefficient  κ r / (1 - κ),  κ = μ p_n / |s|.

Rows may depend on each other, as those of four feet: motions are unique then, impulses are not.  Rows that hold get the
impulse p - (z·w + c)/ε, which leads to a matrix of the size of the joints, and repeating that removes ε (the method of
multipliers).  Where impulses are not unique, they change as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.constraints.contacts.block_sweeps import BlockTerms, fastest
from sixvec.constraints.contacts.local_law import TINY
from sixvec.scalar import sqrt, where
from sixvec.spatial.linear import eliminate

COMPLIANCE = 1e-5
"""ε, relative to the mobility of a row."""

ROUNDS = 3
"""The error is ε to this power, relative to the least mobility of independent rows, relative to their own."""

STIFFEST = 1e10
"""Of the damper across the sliding direction, relative to the inverse of its mobility."""


def active_solution(
    terms: Sequence[BlockTerms], free: Sequence[Any], p: Sequence[Any], order: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """Whitened velocities and impulses; p are impulses that solve the laws, `order` lists the joints from the root."""
    impulses, at = [], 0
    for t in terms:
        impulses.append(list(p[at : at + t.block.rows]))
        at += t.block.rows
    w = list(free)
    for t, x in zip(terms, impulses, strict=True):
        for z, y in zip(t.rows, x, strict=True):
            _push(w, t.block.columns, z, y)
    laws = [_Active(t, t.rates(w), x) for t, x in zip(terms, impulses, strict=True)]
    w = list(free)
    for law in laws:
        for row in law.rows:
            _push(w, law.columns, row.along, row.x)
    n, backwards = len(w), list(reversed(order))
    entries: list[dict[int, Any]] = [{} for _ in range(n)]
    for law in laws:
        for row in law.rows:
            for i, a in zip(law.columns, row.along, strict=True):
                for j, z in zip(law.columns, row.z, strict=True):
                    entries[i][j] = entries[i].get(j, 0.0) + row.stiffness * a * z
    matrix = [[entries[i].get(j, 0.0) + float(i == j) for j in backwards] for i in backwards]
    for _ in range(ROUNDS if laws else 0):
        right: list[Any] = [0.0] * n
        for law in laws:
            for row in law.rows:
                _push(right, law.columns, row.along, row.missing(law.rate(row, w)))
        change = eliminate(matrix, [[right[i]] for i in backwards], pivoting=False)
        step: list[Any] = [0.0] * n
        for i, (x,) in zip(backwards, change, strict=True):
            step[i] = x
        for law in laws:
            for row in law.rows:
                row.move(law.rate(row, w), law.rate(row, step))
        w = [x + y for x, y in zip(w, step, strict=True)]
    return w, [x for law in laws for x in law.impulses()]


def _push(w: list[Any], columns: Sequence[int], z: Sequence[Any], x: Any) -> None:
    for k, y in zip(columns, z, strict=True):
        w[k] = w[k] + y * x


class _Row:
    """An impulse x along `along` that follows from the velocity u = z·w.

    Of a row that `holds`,  x - stiffness (u + aim)  takes its place until u + aim vanishes; else  x = at - stiffness u.
    """

    def __init__(self, z: list[Any], along: list[Any], stiffness: Any, holds: Any, aim: Any, at: Any, x: Any) -> None:
        self.z, self.along, self.stiffness, self._holds, self._aim, self._at = z, along, stiffness, holds, aim, at
        self.x = where(holds > 0.5, x, at)

    def missing(self, u: Any) -> Any:
        """How much the impulse must change at the velocity u."""
        return where(self._holds > 0.5, -self.stiffness * (u + self._aim), self._at - self.stiffness * u - self.x)

    def move(self, u: Any, change: Any) -> None:
        """The impulse after a change of the velocity u."""
        held, other = self.x - self.stiffness * (u + change + self._aim), self._at - self.stiffness * (u + change)
        self.x = where(self._holds > 0.5, held, other)


class _Active:
    """The rows of a block in their state at the impulses p and the velocities u."""

    def __init__(self, t: BlockTerms, u: list[Any], p: list[Any]) -> None:
        self.columns, self._kind = t.block.columns, t.block.kind
        self._slipping: list[tuple[int, Any, list[Any]]] = []
        g = t.mobility[0] + TINY
        stiff = 1.0 / (COMPLIANCE * g)
        z = t.rows[0]
        if t.block.kind == "stop":
            reached = u[0] - g * p[0]
            low, high = (where(x, 1.0, 0.0) for x in (reached < t.law[0], reached > t.law[1]))
            holds = low + high
            self.rows = [_Row(z, z, holds * stiff, holds, where(low > 0.5, -t.law[0], -t.law[1]), 0.0, p[0])]
        elif t.block.kind == "friction":
            reached, most = p[0] - u[0] / g, t.law[0]
            limit = where(reached > most, most, where(reached < -most, -most, 0.0))
            holds = where(reached > most, 0.0, where(reached < -most, 0.0, 1.0))
            self.rows = [_Row(z, z, holds * stiff, holds, 0.0, limit, p[0])]
        elif t.block.kind == "contact":
            self.rows = self._contact(t, u, p, g)
        else:
            raise NotImplementedError(t.block.kind)

    def _contact(self, t: BlockTerms, u: list[Any], p: list[Any], g: Any) -> list[_Row]:
        block, core, closed = t.block, t.core(), where(p[0] - (u[0] + t.law[0]) / g > 0.0, 1.0, 0.0)
        along, rows = list(t.rows[0]), []
        at = block.core
        parts: list[tuple[int, int, Any, Any]] = []  # first row, count, coefficient of friction, mobility
        if block.core == 2:
            parts.append((1, 1, t.law[1], core[1][1]))
        elif block.core == 3:
            parts.append((1, 2, t.law[1], fastest(core[1][1], core[1][2], core[2][2])))
        if block.spins:
            parts.append((at, 1, t.law[2], t.others()[0]))
        if block.rolls:
            first = at + block.spins
            own = t.others()[block.spins :]
            between = sum((x * y for x, y in zip(*t.rows[first : first + 2], strict=True)), 0.0)
            parts.append((first, 2, t.law[3], fastest(own[0], between, own[1])))
        for first, count, mu, mobility in parts:
            r = 1.0 / (mobility + TINY)
            s = [p[k] - r * u[k] for k in range(first, first + count)]
            square = sum((x * x for x in s[1:]), s[0] * s[0])
            most = mu * p[0]
            slips = where(square > most * most + TINY, closed, 0.0)
            length = sqrt(where(slips > 0.5, square, 1.0))
            d = [where(slips > 0.5, x / length, float(k == 0)) for k, x in enumerate(s)]
            stiff, holds = r / COMPLIANCE, closed - slips
            z = _combined(t.rows[first : first + count], d)
            rows.append(_Row(z, z, holds * stiff, holds, 0.0, 0.0, _dot(d, p[first : first + count])))
            if count == 2:
                kappa = most / length
                damper = kappa * r / where(1.0 - kappa > 1.0 / STIFFEST, 1.0 - kappa, 1.0 / STIFFEST)
                side = [-d[1], d[0]]
                z = _combined(t.rows[first : first + 2], side)
                stiffness = where(slips > 0.5, damper, holds * stiff)
                rows.append(_Row(z, z, stiffness, holds, 0.0, 0.0, _dot(side, p[first : first + 2])))
            self._slipping.append((count, slips * mu, d))
            for k, y in enumerate(d):
                along = [a + slips * mu * y * b for a, b in zip(along, t.rows[first + k], strict=True)]
        stiff = 1.0 / (COMPLIANCE * g)
        return [_Row(t.rows[0], along, closed * stiff, closed, t.law[0], 0.0, p[0]), *rows]

    def rate(self, row: _Row, w: Sequence[Any]) -> Any:
        return _dot(row.z, [w[k] for k in self.columns])

    def impulses(self) -> list[Any]:
        """Along the rows of the block."""
        normal, *others = [row.x for row in self.rows]
        found, left = [normal], iter(others)
        for count, mu, d in self._slipping:
            forward = next(left) + mu * normal
            if count == 1:
                found.append(d[0] * forward)
            else:
                side = next(left)
                found += [d[0] * forward - d[1] * side, d[1] * forward + d[0] * side]
        return found


def _combined(rows: Sequence[Sequence[Any]], d: Sequence[Any]) -> list[Any]:
    return [_dot(d, column) for column in zip(*rows, strict=True)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])
