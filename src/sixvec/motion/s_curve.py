"""S-curves: the fastest motion from rest to rest within limits of speed, acceleration and jerk, on scalars.

The acceleration rises for a time r, stays and falls; after a cruise it does the same with the other sign.  Without
other limits the way is 2 j r³, with a limit of acceleration v (v / a + a / j) for the largest speed v.
"""

from __future__ import annotations

from functools import cache

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, sqrt, where

HALLEY = 4
"""Steps to a cube root, each of which has three times as many digits."""


def cube_root(c: Scalar) -> Scalar:
    """The cube root of a number from zero on, by Halley's method from c^(1/4 + 1/16 + 1/64).

    >>> cube_root(27.0), cube_root(0.0)
    (3.0, 0.0)
    """
    positive = where(c > 0.0, c, 1.0)
    fourth = sqrt(sqrt(positive))
    sixteenth = sqrt(sqrt(fourth))
    root = fourth * sixteenth * sqrt(sqrt(sixteenth))
    for _ in range(HALLEY):
        cube = root * root * root
        root = root * (cube + 2.0 * positive) / (2.0 * cube + positive)
    return where(c > 0.0, root, 0.0)


def s_curve(way: Scalar, speed: Scalar, acceleration: Scalar, jerk: Scalar) -> tuple[Scalar, ...]:
    """Seconds in which the acceleration rises and stays, of the cruise, and of all seven phases, for a way ≥ 0."""
    ramp = acceleration / jerk
    free = cube_root(way / (2.0 * jerk))  # the rise if only the jerk is limited
    change = acceleration * ramp
    steep = 0.5 * (sqrt(change * change + 4.0 * acceleration * way) - change)
    top = where(free > ramp, steep, jerk * free * free)
    top = where(top > speed, speed, top)
    rise = sqrt(top / jerk)
    rise = where(rise > ramp, ramp, rise)
    steady = top / acceleration - ramp
    steady = where(steady > 0.0, steady, 0.0)
    cruise = way / where(top > 0.0, top, 1.0) - (2.0 * rise + steady)
    cruise = where(cruise > 0.0, cruise, 0.0)
    return rise, steady, cruise, 4.0 * rise + 2.0 * steady + cruise


@cache
def s_curve_kernel() -> CompiledFunction:
    """This function of arrays."""
    inputs = tuple(Port(name, ()) for name in ("way", "speed", "acceleration", "jerk"))
    outputs = tuple(Port(name, ()) for name in ("rise", "steady", "cruise", "duration"))
    compiled = CompiledFunction(s_curve, inputs, outputs)
    compiled.needs_double = True
    return compiled
