"""Block Gauss-Seidel sweeps over contacts, stops and joint friction, in whitened joint velocities.

With  M = Lᵀ D L  the whitened velocities are  w = D^½ L v,  and a row J of velocities has the whitened row
z = D^-½ L⁻ᵀ Jᵀ,  so that  J v = z·w  and an impulse p along it changes w by z p.  The entries of z are zero but for the
joints that move the row, hence a sweep needs neither the matrix J M⁻¹ Jᵀ nor its memory.

Where only the matrix G = J M⁻¹ Jᵀ is known, w are the velocities of the rows themselves: a row reads one of them, and
an impulse along it changes those in its column of G (`row_terms.py`).

A block is a contact (rows: normal, tangents, then resistance to spinning and rolling), the stops of a joint, a joint
with friction, or two directions in which a wheel may slip.  Its law is a list of numbers (`Block.numbers`), with
velocities in m/s or rad/s and impulses:

    contact    the velocity at which it may land; μ; limits of spin and roll, as lengths
    stop       the lowest and the highest velocity
    friction   the largest impulse
    disc       the largest impulse, in any direction

A `shifted` block has one more number for each row: a velocity besides z·w, as of driven joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sixvec.constraints.contacts.local_law import TINY, contact_impulse, count_of_inverses, fastest, inverses, on_disc
from sixvec.scalar import Scalar, guard, where
from sixvec.spatial.norm import larger_or_nan

Kind = Literal["contact", "stop", "friction", "disc"]

AWAY = 1e6
"""The landing velocity of a contact that cannot close in this step, m/s: its rows are not read."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of rows: `columns` are the joints that move them; the first `core` rows are the normal and tangents.

    `pushed` are the entries of w that its impulses change, if these are not its columns.  Such blocks have no rows but
    the core.
    """

    kind: Kind
    columns: tuple[int, ...]
    core: int = 1
    spins: int = 0
    rolls: int = 0
    shifted: bool = False
    pushed: tuple[int, ...] | None = None

    @property
    def changed(self) -> tuple[int, ...]:
        """The entries of w that its impulses change."""
        return self.columns if self.pushed is None else self.pushed

    @property
    def rows(self) -> int:
        return self.core + self.spins + self.rolls

    @property
    def numbers(self) -> int:
        """The length of its law."""
        return self.own_numbers + self.rows * self.shifted

    @property
    def own_numbers(self) -> int:
        """The same without what shifts its rows."""
        return {"contact": 4, "stop": 2, "friction": 1, "disc": 1}[self.kind]

    @property
    def mobilities(self) -> int:
        """The entries of the lower triangle of its core, of the diagonal of the other rows, and inverses."""
        return self.core * (self.core + 1) // 2 + self.spins + self.rolls + self.inverses

    @property
    def inverses(self) -> int:
        """The count of `BlockTerms.inverses`."""
        return 1 if self.kind == "disc" else count_of_inverses(self.core)


@dataclass(slots=True)
class BlockTerms:
    """What a sweep needs of a block in a step: whitened rows, by `columns`, its law and its own mobility.

    `pushes` are what unit impulses change in w, by `Block.pushed`: the rows themselves, if not given.
    """

    block: Block
    rows: list[list[Any]]
    law: list[Any]
    mobility: list[Any]
    pushes: list[list[Any]] | None = None

    @property
    def effects(self) -> list[list[Any]]:
        """What unit impulses change in w, by `Block.changed`."""
        return self.rows if self.pushes is None else self.pushes

    @property
    def is_near(self) -> Any:
        """Whether a contact can close in this step."""
        return self.law[0] < 0.5 * AWAY

    def rates(self, w: Sequence[Any], count: int | None = None) -> list[Any]:
        """The velocities of the first rows."""
        here = [w[k] for k in self.block.columns]
        return self.with_shifts([_product(z, here) for z in self.rows[:count]])

    @property
    def shifts(self) -> list[Any]:
        """What the velocity of each row has besides z·w; empty if nothing."""
        return self.law[self.block.own_numbers :]

    def with_shifts(self, rates: list[Any], start: int = 0) -> list[Any]:
        """The velocities of rows from `start` on, from z·w."""
        shifts = self.shifts[start:]
        return [x + y for x, y in zip(rates, shifts, strict=False)] if shifts else rates

    def core(self) -> list[list[Any]]:
        """The mobility of the normal and the tangents."""
        n = self.block.core
        entry = iter(self.mobility)
        lower = [[next(entry) for _ in range(i + 1)] for i in range(n)]
        return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]

    def others(self) -> list[Any]:
        """The mobility of each of the other rows."""
        n = self.block.core
        return self.mobility[n * (n + 1) // 2 :][: self.block.rows - n]

    @property
    def inverses(self) -> list[Any]:
        """What of its law depends on its mobility alone."""
        return self.mobility[-self.block.inverses :]


def own_mobility(block: Block, rows: Sequence[Sequence[Any]], friction: Scalar) -> list[Any]:
    """The entries of `BlockTerms.mobility` from whitened rows."""
    n = block.core
    G = [[_product(rows[max(i, j)], rows[min(i, j)]) for j in range(n)] for i in range(n)]
    return core_mobility(block, G, friction, [_product(z, z) for z in rows[n:]])


def core_mobility(block: Block, G: Sequence[Sequence[Any]], friction: Scalar, others: Sequence[Any] = ()) -> list[Any]:
    """The entries of `BlockTerms.mobility` from the core's and those of the other rows."""
    core = [G[i][j] for i in range(block.core) for j in range(i + 1)]
    if block.kind == "disc":
        return [*core, 1.0 / (fastest(G[0][0], G[0][1], G[1][1]) + TINY)]
    return [*core, *others, *inverses(G, friction)]


def _product(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def sweep(terms: Sequence[BlockTerms], w: list[Any], p: list[Any], on: Scalar) -> Scalar:
    """One sweep in place, while `on` is positive; the largest velocity that it changes at a contact, m/s or rad/s.

    A block without an impulse whose law holds costs one product, and a contact that cannot close a comparison.
    """
    largest: Scalar = 0.0
    at = 0
    for t in terms:
        impulses = p[at : at + t.block.rows]
        change, new, moved = _solved(t, w, impulses, on)
        largest = larger_or_nan(largest, change)
        p[at : at + t.block.rows] = new
        for k, x in zip(t.block.changed, moved, strict=True):
            w[k] = x
        at += t.block.rows
    return largest


def _solved(t: BlockTerms, w: Sequence[Any], p: list[Any], on: Scalar) -> tuple[Scalar, list[Any], list[Any]]:
    """The largest change, new impulses, and new entries of w."""
    block, present = t.block, [w[k] for k in t.block.changed]
    first = t.rates(w, 1)[0]
    if block.kind == "contact":
        active = where(_is_zero(p[0]), where(first + t.law[0] < 0.0, 1.0, 0.0), 1.0)
    elif block.kind == "stop":
        size = where(p[0] < 0.0, -p[0], p[0])
        active = where(size > 0.0, 1.0, where(first < t.law[0], 1.0, where(first > t.law[1], 1.0, 0.0)))
    else:
        active = on
    active = where(on > 0.0, active, 0.0)
    new, changes = _impulses(t, w, p, first)
    moved = list(present)
    for z, x, y in zip(t.effects, new, p, strict=True):
        step = x - y
        moved = [a + b * step for a, b in zip(moved, z, strict=True)]
    largest: Scalar = 0.0
    for change in changes:
        largest = larger_or_nan(largest, where(change < 0.0, -change, change))
    result: list[Any] = guard(active > 0.5, [largest, new, moved], [0.0, p, present])
    if block.kind == "contact":
        result = guard(t.is_near, result, [0.0, [0.0] * block.rows, present])
    change, new, moved = result
    return change, new, moved


def _is_zero(x: Any) -> Any:
    """Whether an impulse is zero; one that pulls, from where a search begins, is not."""
    return where(x > 0.0, 1.0, where(x < 0.0, 1.0, 0.0)) < 0.5


def _impulses(t: BlockTerms, w: Sequence[Any], p: list[Any], first: Scalar) -> tuple[list[Any], list[Any]]:
    """New impulses of a block, and how much each changes the velocity of its row."""
    if t.block.kind == "stop":
        g = t.mobility[0] + TINY
        free = first - g * p[0]
        missing = where(free < t.law[0], t.law[0] - free, where(free > t.law[1], t.law[1] - free, 0.0))
        new = [missing * t.inverses[0]]
        return new, [g * (new[0] - p[0])]
    if t.block.kind == "friction":
        g = t.mobility[0] + TINY
        new = [_within(p[0] - first * t.inverses[0], t.law[0])]
        return new, [g * (new[0] - p[0])]
    G, n = t.core(), t.block.core
    if t.block.kind == "disc":
        rates, step = [first, *t.rates(w, n)[1:]], t.inverses[0]
        new = on_disc([x - step * u for x, u in zip(p, rates, strict=True)], t.law[0])
        return new, [G[i][i] * (new[i] - p[i]) for i in range(n)]
    u = [first, *t.rates(w, n)[1:]]
    u[0] = u[0] + t.law[0]
    free = [u[i] - sum((G[i][j] * p[j] for j in range(1, n)), G[i][0] * p[0]) for i in range(n)]
    new = contact_impulse(G, free, t.law[1], p[:n], known=t.inverses)
    changes = [G[i][i] * (new[i] - p[i]) for i in range(n)]
    return _resisted(t, w, p, new, changes)


def _resisted(
    t: BlockTerms, w: Sequence[Any], p: list[Any], new: list[Any], changes: list[Any]
) -> tuple[list[Any], list[Any]]:
    """With the rows that resist spinning, and rolling about two axes: moments within limits."""
    n = t.block.core
    if len(t.rows) == n:
        return new, changes
    moved = [w[k] for k in t.block.columns]
    for z, x, y in zip(t.rows, new, p, strict=False):
        moved = [a + b * (x - y) for a, b in zip(moved, z, strict=True)]
    at = n
    changes = list(changes)
    for count, scale, lever in _turning(t):
        if not count:
            continue
        rows, old = t.rows[at : at + count], p[at : at + count]
        rates = t.with_shifts([_product(z, moved) for z in rows], at)
        held = _held([x - u / scale for u, x in zip(rates, old, strict=True)], lever * new[0])
        for z, x, y in zip(rows, held, old, strict=True):
            moved = [a + b * (x - y) for a, b in zip(moved, z, strict=True)]
        changes += [scale * (x - y) for x, y in zip(held, old, strict=True)]
        new, at = [*new, *held], at + count
    return new, changes


def _turning(t: BlockTerms) -> list[tuple[int, Any, Any]]:
    """Of the rows that resist spinning, then of those that resist rolling: how many, their mobility, and the lever."""
    n, own = t.block.core, t.others()
    spins, rolls = t.block.spins, t.block.rolls
    scale: Any = 0.0
    if rolls:
        first, second = t.rows[n + spins : n + spins + 2]
        scale = fastest(own[spins], _product(first, second), own[spins + 1]) + TINY
    return [(spins, own[0] + TINY if spins else 0.0, t.law[2]), (rolls, scale, t.law[3])]


def _held(p: Sequence[Any], limit: Any) -> list[Any]:
    """Moments within a limit."""
    return [_within(p[0], limit)] if len(p) == 1 else on_disc(p, limit)


def misfit(terms: Sequence[BlockTerms], w: Sequence[Any], p: Sequence[Any]) -> Scalar:
    """The largest violation of the laws, as the velocity |p - Π(p - r u)| / r of a row; NaN if one is NaN.

    In m/s, and in rad/s for the rows that resist spinning and rolling.
    """
    worst: Scalar = 0.0
    at = 0
    for t in terms:
        impulses = p[at : at + t.block.rows]
        at += t.block.rows
        u = t.rates(w)
        active: Any = where(_is_zero(impulses[0]), where(u[0] + t.law[0] > 0.0, 0.0, 1.0), 1.0)
        misses = _misses(t, impulses, u)
        largest: Scalar = 0.0
        for miss in misses:
            largest = larger_or_nan(largest, where(miss < 0.0, -miss, miss))
        if t.block.kind == "contact":
            largest = guard(t.is_near, guard(active > 0.5, largest, 0.0), 0.0)
        worst = larger_or_nan(worst, largest)
    return worst


def _misses(t: BlockTerms, p: Sequence[Any], u: list[Any]) -> list[Scalar]:
    if t.block.kind == "stop":
        g = t.mobility[0] + TINY
        free = u[0] - g * p[0]
        return [u[0] - where(free < t.law[0], t.law[0], where(free > t.law[1], t.law[1], free))]
    if t.block.kind == "friction":
        g = t.mobility[0] + TINY
        return [(p[0] - _within(p[0] - u[0] / g, t.law[0])) * g]
    n, G = t.block.core, t.core()
    if t.block.kind == "disc":
        g = fastest(G[0][0], G[0][1], G[1][1]) + TINY
        slid = on_disc([x - y / g for x, y in zip(p, u, strict=True)], t.law[0])
        return [(x - y) * g for x, y in zip(p, slid, strict=True)]
    rate, g = u[0] + t.law[0], G[0][0] + TINY
    reached = p[0] - rate / g
    misses = [(p[0] - where(reached > 0.0, reached, 0.0)) * g]
    if n == 2:
        g = G[1][1] + TINY
        misses.append((p[1] - _within(p[1] - u[1] / g, t.law[1] * p[0])) * g)
    elif n == 3:
        g = fastest(G[1][1], G[1][2], G[2][2]) + TINY
        slid = on_disc([p[k] - u[k] / g for k in (1, 2)], t.law[1] * p[0])
        misses += [(p[k] - x) * g for k, x in zip((1, 2), slid, strict=True)]
    for count, scale, lever in _turning(t) if len(t.rows) > n else ():
        at = len(misses)
        if count:
            old, rates = p[at : at + count], u[at : at + count]
            held = _held([x - y / scale for x, y in zip(old, rates, strict=True)], lever * p[0])
            misses += [(x - y) * scale for x, y in zip(old, held, strict=True)]
    return misses


def _within(x: Scalar, limit: Scalar) -> Scalar:
    return where(x > limit, limit, where(x < -limit, -limit, x))
