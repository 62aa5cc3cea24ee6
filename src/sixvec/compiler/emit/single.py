"""Constants of single precision."""

from __future__ import annotations

import math
import struct


def single(x: float) -> float:
    """The number of single precision nearest to x: 0 or infinity if it has none of that size.

    >>> single(0.5), single(1e-290), single(-1e60)
    (0.5, 0.0, -inf)
    """
    try:
        nearest: float = struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
    return nearest
