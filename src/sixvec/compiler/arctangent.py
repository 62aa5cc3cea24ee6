"""arctan2 as branch-free arithmetic, so that it runs in all lanes at once and gives the same bits on every target."""

from __future__ import annotations

import math
from typing import Any

from sixvec.compiler import graph
from sixvec.compiler.graph import Operand, fma

_EIGHTH = math.tan(math.pi / 8)

_SMALLEST = 1e-45
"""Below any nonzero float32: only the zero vector is divided by 1."""

_SERIES = (
    -0.019175404711104935, 0.03923044778479309, -0.050854078345894844, 0.05858140904866328, -0.06664510525508936,
    0.07692183125376892, -0.0909090457530649, 0.11111111015187018, -0.14285714284665682, 0.19999999999995516,
    -0.3333333333333333,
)  # fmt: skip
"""Chebyshev fit of (arctan(z)/z - 1)/z² in z² for |z| <= tan(π/8), highest power first; its error is 3e-17."""


def arctan2(y: Operand, x: Operand) -> Operand:
    """The angle of the direction (x, y) in [-π, π], within 3 units in the last place; 0 for the zero vector.

    The smaller coordinate over the larger one is the tangent of at most 45°; beyond 22.5° the addition theorem,
    arctan(l/h) = π/4 + arctan((l - h)/(l + h)), keeps the series short.  The octant is then restored.
    """
    where: Any = graph.where
    high, low = abs(x), abs(y)
    steep = high < low
    high, low = where(steep, low, high), where(steep, high, low)
    past = _EIGHTH * high < low
    below = where(past, low + high, high)
    z = where(past, low - high, low) / where(below < _SMALLEST, 1.0, below)  # NaN is passed on
    w = z * z
    series: Any = _SERIES[0]
    for a in _SERIES[1:]:
        series = fma(series, w, a)
    t = fma(z * w, series, z) + where(past, math.pi / 4, 0.0)
    t = where(steep, math.pi / 2 - t, t)
    t = where(x < 0.0, math.pi - t, t)
    signed: Operand = where(y < 0.0, -t, t)
    return signed
