"""Path tracking: solutions of equations while parameters move, compiled, one path per SIMD lane.

A system of equations gives Newton's correction at a point, and the rate of the solution with the parameters.  A step
predicts by the cubic through the last two points and their rates and corrects twice by Newton.  It is accepted if the
first correction is small and the second much smaller; the length of the next one follows from the first correction,
which is the predictor's error.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.complex_scalar import Complex, chosen, paired, parts
from sixvec.scalar import Scalar, sqrt, where

STEPS = 2000
"""Largest number of steps of a path; fifty are usual."""
SHORTEST = 1e-9
"""A path is abandoned if the step falls below this, relative to the whole path of 1."""
FIRST = 0.02
POLISHING, POLISHED = 30, 1e-12
"""Largest number of corrections of an end, and the relative size of the last before rounding.  Three are usual;
where two solutions are near each other the first ones are only halved."""
ACCURACY = 2e-2
"""Of a prediction, relative to the solution: steps are chosen for it, and those three times worse are repeated."""
CONVERGED = 1e-3
"""Largest second correction of an accepted step, relative; a third would be its square."""

LATE, FAR = 0.95, 1e4
"""A path that is lost beyond this fraction, at so large a distance, ends at infinity."""

TRACKING, ARRIVED, LOST = 0.0, 1.0, 2.0


class System(Hashable, Protocol):
    """Equations with parameters; all lists contain complex numbers."""

    name: str
    unknowns: int
    """The number of coordinates of a point, possibly more than the number of equations."""
    parameters: int

    def corrected(self, y: list[Complex], P: list[Complex]) -> tuple[list[Complex], list[Complex]]:
        """The point after a Newton step, and the step."""
        ...

    def corrected_and_rate(
        self, y: list[Complex], P: list[Complex], dP: list[Complex]
    ) -> tuple[list[Complex], list[Complex], list[Complex]]:
        """The same, and dy/dt where the parameters move with dP/dt."""
        ...

    def size(self, step: list[Complex], y: list[Complex]) -> Scalar:
        """The squared size of a step, relative to the point."""
        ...


def step(system: System) -> Any:
    """The program of one step: point and rate, those before, (t, length, length before, state); parameters' path."""

    def run(y: Any, f: Any, y0: Any, f0: Any, control: Any, accuracy: Scalar, start: Any, way: Any) -> Any:
        t, h, before, state = control
        now, rate, last, last_rate = paired(y), paired(f), paired(y0), paired(f0)
        t1 = t + h
        way_ = paired(way)
        P = [a + b * t1 for a, b in zip(paired(start), way_, strict=True)]
        guess = _extrapolated(now, rate, last, last_rate, h, before)
        first, d1 = system.corrected(guess, P)
        second, d2, rate1 = system.corrected_and_rate(first, P, way_)
        e1, e2 = system.size(d1, second), system.size(d2, second)
        bound = accuracy * accuracy
        good = where(e1 < 9.0 * bound, where(e2 < CONVERGED * CONVERGED, 1.0, 0.0), 0.0) > 0.5
        factor = sqrt(sqrt(sqrt(bound / (e1 + 1e-30 * bound)))) * 0.9  # (accuracy / error)^(1/4)
        factor = where(factor > 2.0, 2.0, where(factor > 0.25, factor, 0.25))
        factor = where(good, factor, where(factor < 0.5, factor, 0.5))
        remainder = 1.0 - where(good, t1, t)
        h1 = where(h > 0.0, h * factor, FIRST)  # a step of zero length computes the first rate
        h1 = where(h1 > remainder, remainder, h1)
        there = where(good, where(remainder < 1e-14, ARRIVED, TRACKING), where(h1 < SHORTEST, LOST, TRACKING))
        running = state < 0.5
        go = where(running, where(good, 1.0, 0.0), 0.0) > 0.5
        return (
            parts(chosen(go, second, now)),
            parts(chosen(go, rate1, rate)),
            parts(chosen(go, now, last)),
            parts(chosen(go, rate, last_rate)),
            [
                where(go, t1, t),
                where(running, h1, h),
                where(go, h, before),
                where(running, there, state),
            ],
            where(where(running, there, 1.0) < 0.5, 1.0, 0.0),
        )

    return run


def _extrapolated(
    y: list[Complex], f: list[Complex], y0: list[Complex], f0: list[Complex], h: Scalar, before: Scalar
) -> list[Complex]:
    """Hermite's cubic through both points, beyond the second; a straight line if there is no first."""
    known = before > 0.0
    x = 1.0 + h / where(known, before, 1.0)
    xx = x * x
    a0, a1 = where(known, 2.0 * xx * x - 3.0 * xx + 1.0, 0.0), where(known, 3.0 * xx - 2.0 * xx * x, 1.0)
    b0, b1 = where(known, (xx * x - 2.0 * xx + x) * before, 0.0), where(known, (xx * x - xx) * before, h)
    return [p * a0 + q * b0 + r * a1 + s * b1 for p, q, r, s in zip(y0, f0, y, f, strict=True)]


@lru_cache(maxsize=16)
def tracker(system: System) -> Iterated:
    n, m = 2 * system.unknowns, 2 * system.parameters
    state = (Port("y", (n,)), Port("f", (n,)), Port("y0", (n,)), Port("f0", (n,)), Port("control", (4,)))
    constants = (Port("accuracy", ()), Port("start", (m,)), Port("way", (m,)))
    name = f"track_{system.name}"
    run = step(system)
    run.__name__ = name
    compiled = CompiledFunction(run, (*state, *constants), (*state, Port("go", ())), f"parallel {name} step")
    return Iterated(compiled, STEPS, carried=5, until=True, name=name)


@lru_cache(maxsize=16)
def polisher(system: System) -> Iterated:
    """Corrections of points at fixed parameters, and the squared size of the last one."""

    def run(y: Any, size: Scalar, P: Any) -> Any:
        before = paired(y)
        point, d = system.corrected(before, paired(P))
        running = size > POLISHED * POLISHED
        size1 = where(running, system.size(d, point), size)
        return parts(chosen(running, point, before)), size1, where(size1 > POLISHED * POLISHED, 1.0, 0.0)

    run.__name__ = f"correct_{system.name}"
    state = (Port("y", (2 * system.unknowns,)), Port("size", ()))
    parameters = Port("P", (2 * system.parameters,))
    compiled = CompiledFunction(run, (*state, parameters), (*state, Port("go", ())), f"parallel {run.__name__}")
    return Iterated(compiled, POLISHING, carried=2, until=True, name=f"polish_{system.name}")


@dataclass(frozen=True, eq=False)
class Paths:
    """Ends of paths (..., unknowns), which of them arrived, and which diverged near the end."""

    end: Array
    arrived: Array
    diverged: Array
    correction: Array
    """The relative size of the last correction: rounding, unless solutions coincide there.  An end is a solution only
    if it is small."""


def tracked(system: System, y: Array, start: Array, end: Array, accuracy: float = ACCURACY) -> Paths:
    """Follow solutions y (..., unknowns) of the parameters `start` to those of `end`; all arrays are complex."""
    y, start, end = (np.ascontiguousarray(x, complex) for x in (y, start, end))
    way = end - start
    first = _parts(y)
    rate, control = np.zeros(first.shape[-1]), np.array([0.0, 0.0, 0.0, TRACKING])
    traced = tracker(system)(first, rate, first, rate, control, accuracy, _parts(start), _parts(way))
    points, control = np.asarray(traced[0]), np.asarray(traced[4])
    lost = control[..., 3] != ARRIVED
    far = lost & (control[..., 0] > LATE) & (np.abs(points).max(axis=-1) > FAR)
    ends, size = polisher(system)(points, 1.0, _parts(end))
    return Paths(_complex(np.asarray(ends)), ~lost, far, np.sqrt(np.asarray(size)))


def _parts(z: Array) -> Array:
    return np.ascontiguousarray(z).view(float)


def _complex(x: Array) -> Array:
    return np.ascontiguousarray(x).view(complex)
