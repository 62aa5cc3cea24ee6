"""Rounds of the search for impulses: sweeps from points ahead of the last, then Newton's steps for what they leave.

Both act on lists of whitened velocities w and impulses p, and leave them as they are where the last change of a
velocity, `largest`, is below the tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.constraints.contacts.block_sweeps import BlockTerms, sweep
from sixvec.constraints.contacts.extrapolation import extrapolated, secant
from sixvec.constraints.contacts.newton_step import ANYWHERE, STRAYED, Solver, compliance_for, eliminated, newton_step
from sixvec.scalar import Scalar, guard, where

UNKNOWN = 1e30
"""The change before the first sweep."""

FALLS = 0.5
"""A step of Newton's method that reduces the misfit to less than this fraction converges."""

FIRST_OF_TURN, LONGER, LAST_OF_TURN = 0.5, 1.19, 0.9
"""The share of the sweeps in the first round of a turn, its factor from round to round, and that of the last round at
least."""

SWEEPS = 2
"""Sweeps in a round with a given matrix."""

LEAST, GOLDEN = 0.1, 0.9 * 0.6180339887498949
"""The least share of these sweeps, and the step from share to share by the golden ratio of the rest: no sequence of
rounds repeats."""

EXACT = 1e-10
"""The compliance of its steps, which only has to keep rows that depend on each other from dividing by zero."""


def sweep_round(
    terms: Sequence[BlockTerms], w: Any, p: Any, largest: Scalar, w_before: Any, p_before: Any, w_change: Any,
    ahead: Scalar, tolerance: Scalar,
) -> tuple[Any, ...]:  # fmt: skip
    """A sweep from a point ahead of the last one (`extrapolation.py`): new w and p, and the arguments of the next."""
    on = where(largest > tolerance, 1.0, 0.0)
    factor = where(on > 0.5, ahead, 0.0)
    start, impulses = extrapolated(w, w_before, factor), extrapolated(p, p_before, factor)
    reached = list(start)
    change = sweep(terms, reached, impulses, on)
    change = where(on > 0.5, change, largest)
    step = [x - y for x, y in zip(reached, start, strict=True)]
    ahead = where(ahead > 0.5 * UNKNOWN, 0.0, secant(step, w_change))
    return reached, impulses, change, w, p, step, ahead


def newton_round(
    terms: Sequence[BlockTerms], w: Any, p: Any, largest: Scalar, share: Scalar, order: Sequence[int],
    tolerance: Scalar, sweeps: int,
) -> tuple[Any, Any, Scalar, Scalar]:  # fmt: skip
    """A step of Newton's method and sweeps: new w and p, the largest change, and the share of the next round.

    Of the sweeps a half is taken, then more and more up to all, in turns of five rounds, and in the last of these a
    step that increases the misfit, too: otherwise a few samples return to the same states of rows forever.
    """
    on = where(largest > tolerance, 1.0, 0.0)
    v, x, *_ = newton_step(terms, w, p, order, compliance_for(tolerance), may_stray(share))
    swept, impulses, change = _swept(terms, v, x, sweeps, on)
    new = [between(*lists, share) for lists in ((v, swept), (x, impulses))]
    w1, p1, change = guard(on > 0.5, [*new, change], [list(w), list(p), largest])
    return w1, p1, change, next_share(share)


def careful_round(
    terms: Sequence[BlockTerms], w: Any, p: Any, free: Sequence[Any], largest: Scalar, share: Scalar,
    tolerance: Scalar, solve: Solver = eliminated,
) -> tuple[Any, Scalar, Scalar]:  # fmt: skip
    """The same for rows with a given matrix, from w = `free` without impulses: new p, its misfit, and the next share.

    Where Newton's step converges there are no sweeps: with much friction they may lead away from a solution.
    """
    on = where(largest > tolerance, 1.0, 0.0)
    order, strayed = range(len(p)), may_stray(share)
    v, x, after, before = newton_step(terms, w, p, order, EXACT, strayed, slips=True, free=free, solve=solve)
    converges = after < FALLS * before
    _, impulses, change = _swept(terms, v, x, SWEEPS, where(converges, 0.0, on))
    new = [where(converges, a, b) for a, b in zip(x, between(x, impulses, share), strict=True)]
    p1, change = guard(on > 0.5, [new, where(converges, after, change)], [list(p), largest])
    more = share + GOLDEN
    return p1, change, where(more > 1.0, more - (1.0 - LEAST), more)


def _swept(
    terms: Sequence[BlockTerms], w: Sequence[Any], p: Sequence[Any], count: int, on: Scalar
) -> tuple[list[Any], list[Any], Scalar]:
    """w and p after sweeps while `on` is positive, and the largest change of the last."""
    swept, impulses = list(w), list(p)
    for _ in range(count):
        change = sweep(terms, swept, impulses, on)
    return swept, impulses, change


def between(x: Sequence[Any], y: Sequence[Any], share: Scalar) -> list[Any]:
    """What is at this share of the way from x to y."""
    return [a + share * (b - a) for a, b in zip(x, y, strict=True)]


def may_stray(share: Scalar) -> Scalar:
    """By how much a step of Newton's method may increase the misfit."""
    return where(share > LAST_OF_TURN, ANYWHERE, STRAYED)


def next_share(share: Scalar) -> Scalar:
    """The share of the sweeps in the next round."""
    return where(share > LAST_OF_TURN, FIRST_OF_TURN, LONGER * share)
