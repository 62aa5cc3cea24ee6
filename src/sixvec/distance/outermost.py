"""A convex hull with few corners, for computations that look at each."""

from __future__ import annotations

import math

import numpy as np

from sixvec.arguments import Array

MOST_CORNERS = 64
"""Corners of a hull: each is compared with a plane in every step."""

DIRECTIONS = 4096
"""Directions in which hulls are compared; neighbours are 3 degrees apart."""


def outermost(corners: Array, most: int = MOST_CORNERS) -> tuple[Array, float]:
    """Up to `most` corners of a hull, and how far others are outside of what they span, at most, in m.

    Corners are added one by one: that which is farthest beyond those chosen, in any of many directions.

    >>> corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    >>> kept, error = outermost(corners, 7)
    >>> len(kept), round(error, 2)  # of a unit cube without one corner
    (7, 0.57)
    """
    if len(corners) <= most:
        return corners, 0.0
    heights = corners @ _directions(DIRECTIONS).T
    chosen = [int(heights[:, 0].argmax())]
    reach, highest = heights[chosen[0]].copy(), heights.max(axis=0)
    for _ in range(most - 1):
        missing = highest - reach
        worst = int(missing.argmax())
        if missing[worst] <= 0.0:
            break
        chosen.append(int(heights[:, worst].argmax()))
        np.maximum(reach, heights[chosen[-1]], out=reach)
    return corners[sorted(chosen)], float((highest - reach).max())


def _directions(count: int) -> Array:
    """Unit vectors spread evenly (a spiral with the golden angle), in rows."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
