"""Newton's step for the impulses of all blocks at once, in whitened velocities: for steps that sweeps do not solve.

The state of each row follows from its impulse and its velocity (Alart and Curnier 1991): a contact is open, sticks or
slides along d, a stop is free or at one of its ends, friction holds or slips.  With these states the laws are linear.
Rows that hold get the impulse  p + Δp,  Δp = -(z·w + c) / ε  with a small compliance ε, so all impulses can be
eliminated:

    (1 + Σ a zᵀ / ε) w = w₀ + Σ a (p - c / ε),

a matrix of the size of the joints, however many contacts there are.  a is z for rows that hold and  z_n + μ z_d  for
the normal of a contact that slides, whose friction follows it.  Across d the friction turns with the velocity: there it
acts as a damper, with the coefficient  κ r / (1 - κ),  κ = μ p_n / |p_t - r u_t|.  Δp vanishes as steps are repeated,
and with it the error due to ε: this is the method of multipliers.

Where rows depend on each other and cannot all hold, a step is long, along impulses that balance each other.  It then
ends where the first normal impulse vanishes: that contact opens.  Where few rows have friction, it may also end where
the first of them slips: rows then change their states one after the other, as in active-set methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.constraints.contacts.block_sweeps import Block, BlockTerms, misfit
from sixvec.constraints.contacts.local_law import TINY, fastest, on_disc
from sixvec.scalar import Scalar, is_zero, sqrt, where
from sixvec.spatial.linear import eliminate

COMPLIANCE = 1e-4
"""ε, as a fraction of the row's mobility: the error of a step, relative to that before, and large enough for numbers of
single precision."""

FINER = 0.01
"""The factor of ε for fine tolerances: long steps are longer by its inverse, and errors fall faster."""

FINE = 1e-6
"""Tolerances below this, in m/s, are fine: those of numbers of single precision never are."""

STIFFEST = 1e5
"""Of the damper across the sliding direction, relative to the inverse of its mobility."""

STRAYED = 10.0
"""A step is taken if it increases the misfit by less than this factor.  One that had to reduce it would often stop
between two states of rows, of which the sweep after a longer step selects the right one."""

ANYWHERE = 1e30
"""The same for steps that are taken in any case."""


Solver = Callable[[list[list[Any]], list[Any]], list[Any]]


def eliminated(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """x with A x = b, without pivots."""
    return [x for (x,) in eliminate(A, [[y] for y in b], pivoting=False)]


def compliance_for(tolerance: Scalar) -> Scalar:
    """ε of steps towards this tolerance, in m/s."""
    return where(tolerance < FINE, FINER * COMPLIANCE, COMPLIANCE)


def newton_step(
    terms: Sequence[BlockTerms],
    w: Sequence[Any],
    p: Sequence[Any],
    order: Sequence[int],
    compliance: Any = COMPLIANCE,
    strayed: Any = STRAYED,
    slips: bool = False,
    free: Sequence[Any] | None = None,
    solve: Solver = eliminated,
) -> tuple[list[Any], list[Any], Any, Any]:
    """Other whitened velocities and impulses, or the same, their misfit, and that before.

    `order` lists the joints from the root.

    A step ends where the first contact opens and, if `slips`, where the first joint with friction slips.  The equations
    A x = b are solved by elimination, unless `solve` is given.
    """
    n = len(w)
    A = _Sparse(n)
    free = _without(terms, w, p) if free is None else free
    b = list(free)
    laws = []
    for t, impulses in _with_impulses(terms, p):
        law = LinearLaw(t, t.rates(w), impulses, compliance)
        law.into(A.add, b)
        laws.append(law)
    reached = solution(A.entry, b, order, solve)
    aims = [law.impulses(reached) for law in laws]
    fraction = _part_allowed(laws, aims, slips)
    new: list[Any] = []
    for law, aim in zip(laws, aims, strict=True):
        new += law.allowed([x + fraction * (y - x) for x, y in zip(law.p, aim, strict=True)])
    moved = list(free)
    for t, impulses in _with_impulses(terms, new):
        for a, x in zip(t.effects, impulses, strict=True):
            _add(moved, t, a, x, 1.0)
    after, before = misfit(terms, moved, new), misfit(terms, w, p)
    fine = 1.0 > 0.0 if strayed is None else after < strayed * before
    return (
        [where(fine, x, y) for x, y in zip(moved, w, strict=True)],
        [where(fine, x, y) for x, y in zip(new, p, strict=True)],
        where(fine, after, before),
        before,
    )


def solution(
    entry: Callable[[int, int], Any], b: Sequence[Any], order: Sequence[int], solve: Solver = eliminated
) -> list[Any]:
    """The whitened velocities x with A x = b, from the tips to the root; `entry` returns the entries of A."""
    backwards = list(reversed(order))
    found = solve([[entry(i, j) for j in backwards] for i in backwards], [b[i] for i in backwards])
    reached: list[Any] = [0.0] * len(b)
    for i, x in zip(backwards, found, strict=True):
        reached[i] = x
    return reached


def _without(terms: Sequence[BlockTerms], w: Sequence[Any], p: Sequence[Any]) -> list[Any]:
    """w without the impulses."""
    free = list(w)
    for t, impulses in _with_impulses(terms, p):
        for a, x in zip(t.effects, impulses, strict=True):
            _add(free, t, a, x, -1.0)
    return free


class _Sparse:
    """1 plus products of columns and rows, where they are not zero."""

    def __init__(self, n: int) -> None:
        self._entries: list[dict[int, Any]] = [{} for _ in range(n)]

    def add(self, block: Block, a: Sequence[Any], z: Sequence[Any]) -> None:
        for i, x in zip(block.changed, a, strict=True):
            row = self._entries[i]
            for j, y in zip(block.columns, z, strict=True):
                if block.pushed is not None and is_zero(y):
                    continue
                row[j] = row[j] + x * y if j in row else x * y

    def entry(self, i: int, j: int) -> Any:
        return self._entries[i].get(j, 0.0) + float(i == j)


def _with_impulses(terms: Sequence[BlockTerms], p: Sequence[Any]) -> list[tuple[BlockTerms, list[Any]]]:
    found, at = [], 0
    for t in terms:
        found.append((t, list(p[at : at + t.block.rows])))
        at += t.block.rows
    return found


def _add(w: list[Any], t: BlockTerms, a: Sequence[Any], x: Any, sign: float) -> None:
    for k, y in zip(t.block.changed, a, strict=True):
        w[k] = w[k] + y * x * sign


def _part_allowed(laws: Sequence[LinearLaw], aims: Sequence[Sequence[Any]], slips: bool) -> Any:
    """The part of a step after which the first normal impulse vanishes, or all of it.

    If `slips`, it also ends where the first joint with friction reaches its limit.
    """
    fraction: Any = 1.0
    for law, aim in zip(laws, aims, strict=True):
        fraction = law.part_allowed(fraction, aim, slips)
    return fraction


class LinearLaw:
    """The law of a block, linear in w: rows z with  p = (s - h z·w),  and what each impulse pushes along."""

    def __init__(self, t: BlockTerms, u: list[Any], p: list[Any], compliance: Any) -> None:
        self.t, self.p = t, p
        kind, g = t.block.kind, t.mobility[0] + TINY
        inverse = 1.0 / (compliance * g)
        if kind == "stop":
            free = u[0] - g * p[0]
            low, high = free < t.law[0], free > t.law[1]
            holds = where(low, 1.0, where(high, 1.0, 0.0))
            aim = where(low, t.law[0], t.law[1])
            self._rows = [(t.rows[0], t.effects[0], holds * inverse, holds * (p[0] + inverse * aim))]
            self._shift(t.shifts)
            return
        if kind == "friction":
            reached = p[0] - u[0] / g
            slips = where(reached > t.law[0], t.law[0], where(reached < -t.law[0], -t.law[0], 0.0))
            holds = where(reached > t.law[0], 0.0, where(reached < -t.law[0], 0.0, 1.0))
            self._rows = [(t.rows[0], t.effects[0], holds * inverse, where(holds > 0.5, p[0], slips))]
            self._shift(t.shifts)
            return
        if kind == "disc":
            self._disc(t, u, p, compliance)
            return
        self._rows = self._contact(t, u, p, inverse, g)
        shifts = t.shifts[: len(self._rows)]
        if len(shifts) == 3:
            shifts[1:] = self._turned(*shifts[1:])
        self._shift(shifts)

    def _shift(self, shifts: Sequence[Any]) -> None:
        """The velocities of rows are z·w + c: p = (s - h c) - h z·w."""
        if shifts:
            self._rows = [(z, a, h, s - h * c) for (z, a, h, s), c in zip(self._rows, shifts, strict=True)]

    def _contact(self, t: BlockTerms, u: list[Any], p: list[Any], inverse: Any, g: Any) -> list[tuple[Any, ...]]:
        law, rows, effects, core = t.law, t.rows, t.effects, t.block.core
        self.closed = closed = where(p[0] - (u[0] + law[0]) / g > 0.0, 1.0, 0.0)
        self._slides: Any = 0.0
        if core == 1:
            return [(rows[0], effects[0], closed * inverse, closed * (p[0] - inverse * law[0]))]
        G, mu = t.core(), law[1]
        if core == 2:
            r = 1.0 / (G[1][1] + TINY)
            s = p[1] - r * u[1]
            size = where(s < 0.0, -s, s)
            self._slides = where(size > mu * p[0], closed, 0.0)
            self._d = [where(s < 0.0, -1.0, 1.0)]
            sticks = closed - self._slides
            pushed = [x + mu * self._slides * self._d[0] * y for x, y in zip(effects[0], effects[1], strict=True)]
            hold = inverse * (g * r)
            return [
                (rows[0], pushed, closed * inverse, closed * (p[0] - inverse * law[0])),
                (rows[1], effects[1], sticks * hold, sticks * p[1]),
            ]
        r = 1.0 / (fastest(G[1][1], G[1][2], G[2][2]) + TINY)
        most = mu * p[0]
        damper = self._slip([p[k] - r * u[k] for k in (1, 2)], r, most, closed)
        sticks = closed - self._slides
        hold = sticks * inverse * (g * r)
        (along, across), (forward, aside) = (self._rows_turned(z[1], z[2]) for z in (rows, effects))
        pushed = [x + mu * self._slides * y for x, y in zip(effects[0], forward, strict=True)]
        return [
            (rows[0], pushed, closed * inverse, closed * (p[0] - inverse * law[0])),
            (along, forward, hold, sticks * (self._d[0] * p[1] + self._d[1] * p[2])),
            (across, aside, hold + self._slides * damper, sticks * (self._d[0] * p[2] - self._d[1] * p[1])),
        ]

    def _disc(self, t: BlockTerms, u: list[Any], p: list[Any], compliance: Any) -> None:
        (a, b), (_, c) = t.core()
        r = 1.0 / (fastest(a, b, c) + TINY)
        damper = self._slip([x - r * y for x, y in zip(p, u, strict=True)], r, t.law[0], 1.0)
        sticks = 1.0 - self._slides
        hold = sticks * (r / compliance)
        (along, across), (forward, aside) = (self._rows_turned(*z) for z in (t.rows, t.effects))
        ahead, side = self._turned(*p)
        self._rows = [
            (along, forward, hold, where(self._slides > 0.5, t.law[0], ahead)),
            (across, aside, hold + self._slides * damper, sticks * side),
        ]
        self._shift(self._turned(*t.shifts) if t.shifts else [])

    def _slip(self, s: Sequence[Any], r: Any, most: Any, closed: Any) -> Any:
        """Whether and along which d two rows slide with the impulses s, which may be `most`; the damper across d."""
        square = s[0] * s[0] + s[1] * s[1]
        self._slides = where(square > most * most, closed, 0.0)
        length = sqrt(square + TINY)
        self._d = [x / length for x in s]
        kappa = most / length
        return kappa * r / where(1.0 - kappa > 1.0 / STIFFEST, 1.0 - kappa, 1.0 / STIFFEST)

    def _turned(self, x: Any, y: Any) -> list[Any]:
        """Two components along and across d."""
        d = self._d
        return [d[0] * x + d[1] * y, d[0] * y - d[1] * x]

    def _rows_turned(self, x: Sequence[Any], y: Sequence[Any]) -> list[list[Any]]:
        pairs = [self._turned(a, b) for a, b in zip(x, y, strict=True)]
        return [list(z) for z in zip(*pairs, strict=True)]

    def part_allowed(self, fraction: Any, aim: Sequence[Any], slips: bool = False) -> Any:
        """This part of a step, or less of it if a contact opens before or, if `slips`, a joint with friction slips."""
        if slips and self.t.block.kind == "friction":
            p, limit, d = self.p[0], self.t.law[0], aim[0] - self.p[0]
            size = where(d < 0.0, -d, d)
            margin = where(d < 0.0, limit + p, limit - p)
            ends = where(margin > 0.0, where(fraction * size > margin, 1.0, 0.0), 0.0) > 0.5
            return where(ends, margin / where(ends, size, 1.0), fraction)
        if self.t.block.kind == "contact":
            pressed, less = self.p[0], self.p[0] - aim[0]
            opens = where(pressed > 0.0, where(fraction * less > pressed, 1.0, 0.0), 0.0) > 0.5
            return where(opens, pressed / where(opens, less, 1.0), fraction)
        return fraction

    def into(self, add: Callable[[Block, Sequence[Any], Sequence[Any]], None], b: list[Any]) -> None:
        """Add the products to a matrix, and what is constant to the right-hand side."""
        changed = self.t.block.changed
        for z, a, h, s in self._rows:
            add(self.t.block, [x * h for x in a], z)
            if not is_zero(s):
                for k, x in zip(changed, a, strict=True):
                    b[k] = b[k] + x * s
        for a, x in zip(self.t.effects[len(self._rows) :], self.p[len(self._rows) :], strict=True):
            for k, y in zip(changed, a, strict=True):
                b[k] = b[k] + y * x

    def impulses(self, w: Sequence[Any]) -> list[Any]:
        """All impulses of the block at w by the linear law."""
        t, block = self.t, self.t.block
        there = [w[k] for k in block.columns]
        x = []
        for z, _, h, s in self._rows:
            rate = sum((y * v for y, v in zip(z[1:], there[1:], strict=True)), z[0] * there[0])
            x.append(s - h * rate)
        if block.kind == "disc":
            return self._back(*x)
        if block.kind != "contact":
            return x
        others = self.p[len(self._rows) :]
        if block.core == 1:
            return [*x, *others]
        most = t.law[1] * x[0]
        if block.core == 2:
            return [x[0], where(self._slides > 0.5, self._d[0] * most, x[1]), *others]
        forward, side = where(self._slides > 0.5, most, x[1]), x[2]
        return [x[0], *self._back(forward, side), *others]

    def _back(self, forward: Any, side: Any) -> list[Any]:
        """The inverse of `_turned`."""
        d = self._d
        return [d[0] * forward - d[1] * side, d[1] * forward + d[0] * side]

    def allowed(self, p: list[Any]) -> list[Any]:
        """The nearest impulses that the law of the block allows, for the new normal impulse."""
        block = self.t.block
        if block.kind == "disc":
            return on_disc(p, self.t.law[0])
        if block.kind != "contact":
            return p
        normal = where(p[0] > 0.0, p[0], 0.0)
        if block.core == 1:
            return [normal, *p[1:]]
        most = self.t.law[1] * normal
        if block.core == 2:
            return [normal, where(p[1] > most, most, where(p[1] < -most, -most, p[1])), *p[2:]]
        return [normal, *on_disc(p[1:3], most), *p[3:]]
