"""By how much motions along paths exceed their limits between the points of the grid, on scalars."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.motion.path_torques import Torques
from sixvec.motion.reachability import Shape
from sixvec.motion.two_variables import highest, summit
from sixvec.scalar import Scalar, where

CHECKS = 4
"""Parts of each interval at whose ends the speeds are compared with their limits, and where a parabola through them is
largest.  Accelerations have three such points, and are parabolas on cubic paths."""

INSIDE = (0.2, 0.5, 0.8)
"""Fractions of an interval at which torques and the limits of users are compared with their bounds, which the passes
enforce at its ends; a parabola goes through them."""

REACH = 5.0 / 3.0
"""Where an interval ends, relative to the distance of these points from its middle."""


def _summit(values: Sequence[Scalar]) -> Scalar:
    """The fraction of an interval at which the parabola around the largest of evenly spaced values is largest."""
    parts = len(values) - 1
    three: Sequence[Scalar] = values[:3]
    middle: Scalar = 1.0
    for k in range(1, parts - 1):
        higher = values[k + 1] > three[1]
        three = [where(higher, new, old) for new, old in zip(values[k : k + 3], three, strict=True)]
        middle = where(higher, k + 1.0, middle)
    return (middle + summit(*three)) / parts


@lru_cache(maxsize=16)
def excess_without_torques(shape: Shape) -> CompiledFunction:
    return excess_kernel(shape, None, None)


def excess_kernel(shape: Shape, model: Model | None, torques: Torques | None) -> CompiledFunction:
    """By how much time must be stretched in an interval for limits of speed, acceleration and torque, and which limits
    most; with torques also which joint gravity and dry friction load most inside, and by which part too much."""

    limits = shape.limits(torques)[:-1]

    def excess(*values: Any) -> Any:
        (fastest, strongest, *rest), (x0, x1) = values[: len(limits)], values[-2:]
        coefficients, r, h, *reference = values[len(limits) : -2]
        curve = shape.curve(coefficients, model, reference)
        largest: Scalar = 0.0
        which: Scalar = 0.0
        u = (x1 - x0) / (2.0 * h)

        def compare(squares: Any) -> None:
            nonlocal largest, which
            for square, index in squares:
                which = where(square > largest, float(index), which)
                largest = where(square > largest, square, largest)

        along = [curve.rates(r + h * (k / CHECKS)) for k in range(CHECKS + 1)]
        squares = [x0 + (x1 - x0) * (k / CHECKS) for k in range(CHECKS + 1)]
        for i, (v, a) in enumerate(zip(fastest, strongest, strict=True)):
            used = [d[i] * d[i] * x / (v * v) for (d, _), x in zip(along, squares, strict=True)]
            at = _summit(used)
            rate = curve.rates(r + h * at)[0][i]
            compare([(x, i) for x in (*used, rate * rate * (x0 + (x1 - x0) * at) / (v * v))])
            if shape.acceleration:
                signed = [(along[k][0][i] * u + along[k][1][i] * squares[k]) / a for k in (0, CHECKS // 2, CHECKS)]
                side = where(signed[1] < 0.0, -1.0, 1.0)
                most = highest(*(side * x for x in signed))
                compare([(x, shape.joints + i) for x in (abs(signed[0]), abs(signed[2]), most)])
        if torques is None:
            return largest, which
        turning = torques.turning(curve.rates(r)[0], curve.rates(r + h)[0])
        found = [torques.ratios(curve.at(r + h * k), u, x0 + (x1 - x0) * k, turning, rest[0]) for k in INSIDE]
        tops = (highest(x, y, z, REACH) for x, y, z in zip(*(ratios for ratios, _ in found), strict=True))
        compare(zip(tops, range(2 * shape.joints, 3 * shape.joints), strict=True))
        loaded: Scalar = 0.0
        over: Scalar = -1.0
        for _, overs in found:
            for index, load in enumerate(overs):
                loaded, over = where(load > over, float(index), loaded), where(load > over, load, over)
        return largest, which, loaded, over

    inputs = (*limits, *shape.interval(torques), Port("x0", ()), Port("x1", ()))
    identity = "" if torques or model else f"excess {shape}"
    names = ("square", "which", "loaded", "over")[: 2 + 2 * (torques is not None)]
    compiled = CompiledFunction(excess, inputs, tuple(Port(name, ()) for name in names), identity)
    compiled.needs_double = True
    return compiled
