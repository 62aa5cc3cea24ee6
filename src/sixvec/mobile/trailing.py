"""Hinges of trailers while the platform moves along an arc: the first in closed form, those behind in steps.

The hitch of the first trailer has a constant velocity h = v + i a in the axes of the platform, which turns with ω.
With θ the heading of the trailer relative to the platform,  θ̇ = Im(e^{-iθ} h) / ℓ - ω  is a Riccati equation in e^{iθ}.
It is linear for p = r e^{iθ/2} as a vector of the plane,

    ṗ = M p,    M = ½ (  v/ℓ      a/ℓ + ω )        M² = D = ¼ ((v² + a²)/ℓ² - ω²),
                      ( a/ℓ - ω     -v/ℓ  )

so  p(t) = (cosh(√D t) + M sinh(√D t)/√D) p(0)  for every step t: the trailer comes to rest behind its hitch if D > 0,
and goes round and round if D < 0, where the circle is too narrow for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sixvec.arguments import Array
from sixvec.compiler.graph import rint
from sixvec.mobile.planar import PlanarTwist, series_sine
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where

if TYPE_CHECKING:
    from sixvec.mobile.trailer import Trailer

Rates = Callable[[Sequence[Scalar], PlanarTwist], tuple[list[Scalar], list[Scalar]]]
"""From hinge angles and a twist to the rates of the angles and the speeds of the trailers."""

_LONG, _LONGEST = 20.0, 320.0
"""√D t of a long step, and the longest that differs from longer ones: e⁻⁶⁴⁰ is less than any angle to begin with."""

_DOUBLINGS, _MORE = 6, 4
"""Doublings of a step, and more of a long one: cosh and sinh of 0.3125, which a series of eight terms gives to
rounding, become those of the whole."""
_TERMS = 8

_SHORT = 1.0 / 32.0
"""The part of its length by which the hitch of a trailer moves in one step of Runge-Kutta: the error is 1e-8 of an
angle for each length."""

TURN = 2.0 * math.pi


def hinge_after(angle: Scalar, twist: PlanarTwist, hitch: float, length: float, time: Scalar) -> Scalar:
    """The angle of a hinge after a constant twist of the platform for a time: φ in front minus φ behind."""
    v, a, turn = twist.x / length, (twist.y - twist.ang * hitch) / length, twist.ang
    D = (v * v + a * a - turn * turn) * 0.25
    same, moved = _exponential(D, time)
    x, y = cos(angle * 0.5), -sin(angle * 0.5)
    mx, my = (v * x + (a + turn) * y) * 0.5, ((a - turn) * x - v * y) * 0.5
    px, py = same * x + moved * mx, same * y + moved * my
    half = arctan2(x * py - y * px, x * px + y * py)
    round_and_round = sqrt(where(D < 0.0, -D, 0.0)) * time * where(turn < 0.0, 1.0, -1.0)
    half = half + rint((round_and_round - half) * (1.0 / TURN)) * TURN
    return angle - half * 2.0


def _exponential(D: Scalar, time: Scalar) -> tuple[Scalar, Scalar]:
    """cosh(√D t) and sinh(√D t)/√D, those of the longest step where it is longer."""
    phase = sqrt(where(D < 0.0, -D, 0.0)) * time
    growing = where(D > 0.0, D, 0.0)
    size = sqrt(growing) * time
    long, longest = size > _LONG, size > _LONGEST
    step = time * where(longest, _LONGEST / where(longest, size, 1.0), 1.0) * 0.5**_DOUBLINGS
    step = where(long, step * 0.5**_MORE, step)
    w = growing * step * step
    same, moved = _series(w, 0), _series(w, 1) * step
    for k in range(_DOUBLINGS + _MORE):
        doubled = same * same + growing * moved * moved, same * moved * 2.0
        same, moved = (
            doubled if k < _DOUBLINGS else (where(long, x, y) for x, y in zip(doubled, (same, moved), strict=True))
        )
    turned = sin(phase)
    return where(D < 0.0, cos(phase), same), where(D < 0.0, series_sine(phase, turned) * time, moved)


def _series(w: Scalar, odd: int) -> Scalar:
    """cosh √w, or sinh √w / √w."""
    total: Scalar = 1.0 / math.factorial(2 * _TERMS + odd)
    for k in reversed(range(_TERMS)):
        total = total * w + 1.0 / math.factorial(2 * k + odd)
    return total


def hinges_after(
    angles: Sequence[Scalar], twist: PlanarTwist, trailers: Sequence[Trailer], rates: Rates, time: Scalar
) -> list[Scalar]:
    """All hinges after a step.  Those behind the first by the classical Runge-Kutta method.

    Its stages see the first trailer where it is at the beginning, the middle and the end of the step.
    """
    front = trailers[0]
    first = [angles[0], *(hinge_after(angles[0], twist, front.hitch, front.length, time * t) for t in (0.5, 1.0))]
    others = list(angles[1:])
    if not others:
        return [first[-1]]
    slopes: list[list[Scalar]] = []
    for fraction, at in ((0.0, first[0]), (0.5, first[1]), (0.5, first[1]), (1.0, first[2])):
        here = [x + k * time * fraction for x, k in zip(others, slopes[-1], strict=True)] if slopes else others
        slopes.append(rates([at, *here], twist)[0][1:])
    mean = [(a + 2.0 * b + 2.0 * c + d) * (1.0 / 6.0) for a, b, c, d in zip(*slopes, strict=True)]
    return [first[-1], *(x + k * time for x, k in zip(others, mean, strict=True))]


def fastest_turn(twist: PlanarTwist, trailers: Sequence[Trailer]) -> Scalar:
    """The largest rate, rad/s, at which the platform or any trailer can turn at these speeds."""
    turn, speed, slip = abs(twist.ang), abs(twist.x), abs(twist.y)
    fastest = turn
    for t in trailers:
        across = slip + turn * abs(t.hitch)
        speed = sqrt(speed * speed + across * across)
        turn, slip = speed * (1.0 / t.length), 0.0
        fastest = where(turn > fastest, turn, fastest)
    return fastest


def substeps(fastest: Array, dt: float) -> Array:
    """The number of equal parts (...) of each step, a power of two, from `fastest_turn` (..., steps).

    A part is short for every trailer: its hitch moves by a fraction of its length.
    """
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        needed = np.log2(fastest.max(axis=-1) * (dt / _SHORT))
        return np.asarray(2.0 ** np.where(np.isfinite(needed), np.ceil(np.maximum(needed, 0.0)), 0.0))
