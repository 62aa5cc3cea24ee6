"""The angle of a direction in the plane, as plain arithmetic: it runs in all lanes at once."""

from __future__ import annotations

import math

from sixvec.scalar import Scalar, where

_EIGHTH = math.tan(math.pi / 8)

_SERIES = (
    -0.019175404711104935, 0.03923044778479309, -0.050854078345894844, 0.05858140904866328, -0.06664510525508936,
    0.07692183125376892, -0.0909090457530649, 0.11111111015187018, -0.14285714284665682, 0.19999999999995516,
    -0.3333333333333333,
)  # fmt: skip
"""Chebyshev fit of (arctan(z)/z - 1)/z² in z² for |z| <= tan(π/8), highest power first; its error is 3e-17."""


def angle(s: Scalar, c: Scalar) -> Scalar:
    """arctan2(s, c) within 3 units in the last place, in (-π, π]; the angle of (0, 0) is not a number.

    A library's arctan2 is called lane by lane and costs more than all else in a closed form.

    >>> angle(1.0, -1.0) == 3 * math.pi / 4
    True
    """
    high, low = abs(c), abs(s)
    steep = high < low
    high, low = where(steep, low, high), where(steep, high, low)
    past = _EIGHTH * high < low  # then arctan(low/high) = π/4 + arctan((low - high)/(low + high))
    z = where(past, low - high, low) / where(past, low + high, high)
    w = z * z
    sum_: Scalar = _SERIES[0]
    for a in _SERIES[1:]:
        sum_ = sum_ * w + a
    t = z * w * sum_ + z + where(past, math.pi / 4, 0.0)
    t = where(steep, math.pi / 2 - t, t)
    t = where(c < 0.0, math.pi - t, t)
    return where(s < 0.0, -t, t)
