"""Acceleration of sweeps over contacts: each starts ahead of the result of the last, by the secant of two changes.

A sweep S maps impulses, and with them whitened velocities, to others; its fixed point solves all laws.  Where the
states of rows do not change, S is linear, and its slow modes shrink by nearly the same factor from sweep to sweep.
With  f = S(x) - x  the next sweep starts from

    S(x) - θ (S(x) - S(x')),    θ = f·(f - f') / |f - f'|²,

x' and f' those of the sweep before (Anderson 1965, of depth one).  Products are those of whitened velocities, so θ
minimises the kinetic energy of the remaining change.  The start may violate laws; the sweep that follows restores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.constraints.contacts.local_law import PROXIMAL, TINY
from sixvec.scalar import Scalar, where

FARTHEST = 20.0
"""The largest extrapolation, in multiples of the last change of results."""


def extrapolated(x: Sequence[Any], before: Sequence[Any], factor: Scalar) -> list[Any]:
    """x, and beyond it this many times its way from the value before.

    >>> extrapolated([3.0], [2.0], 0.5)
    [3.5]
    """
    return [a + factor * (a - b) for a, b in zip(x, before, strict=True)]


def secant(change: Sequence[Any], before: Sequence[Any]) -> Scalar:
    """-θ: how far to go ahead after two changes, each of which is `x - start` of a sweep.

    >>> round(secant([0.5, 0.0], [1.0, 0.0]), 6)
    1.0
    """
    square: Any = TINY
    product: Any = 0.0
    for x, y in zip(change, before, strict=True):
        square = square + (x - y) * (x - y) * (1.0 + PROXIMAL)
        product = product + x * (x - y)
    factor = -product / square
    return where(factor > FARTHEST, FARTHEST, where(factor < -FARTHEST, -FARTHEST, factor))
