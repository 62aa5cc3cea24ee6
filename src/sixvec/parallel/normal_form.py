"""A robot in coordinates in which its numbers are of order one: decisions there depend on neither frames nor units.

The middles of the pivots become the origins of the frames, and lengths are multiplied by a power of two, which no digit
is lost by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.parallel.space import Space
from sixvec.spatial import Vec3
from sixvec.spatial.linear import transpose

if TYPE_CHECKING:
    from sixvec.parallel.dimensions import Dimensions

Shift = tuple[Vec3, Vec3, float]
"""A point of the base, one of the platform, and a scale: the arguments of `Space.between`."""

LARGEST_POWER = 500
"""Of two: squares of lengths that are scaled by it are finite."""


@dataclass(frozen=True, eq=False)
class NormalForm:
    """The robot in these coordinates, and the conversion of poses and positions."""

    robot: Any
    base: Vec3
    """The middle of the pivots on the base, in the user's frame."""
    platform: Vec3
    """The same of the platform."""
    scale: float
    """The size of one metre."""

    @lazy
    def shift(self) -> Shift:
        """The arguments of `Space.between` that lead here."""
        return self.base, self.platform, self.scale

    @lazy
    def back(self) -> Shift:
        """Those that lead back."""
        return -self.base * self.scale, -self.platform * self.scale, 1.0 / self.scale

    def pose(self, X: Array) -> Array:
        """Poses of kernels, here."""
        return np.asarray(between(self.robot.space, self.shift)(X))

    def user_pose(self, X: Array) -> Array:
        """Poses from here in the form of kernels, between the user's frames."""
        return np.asarray(between(self.robot.space, self.back)(X))

    def positions(self, q: Array) -> Array:
        """Actuator positions, here."""
        return np.asarray(q * self.units)

    @lazy
    def units(self) -> Array:
        """(n,): the sizes of the units of actuator positions."""
        return np.array([1.0 if leg.angular else self.scale for leg in self.robot.legs])


def normal_form(robot: Dimensions) -> NormalForm:
    base, platform = robot.legs.middles
    power = -round(math.log2(_extent(robot)))
    scale = math.ldexp(1.0, max(-LARGEST_POWER, min(LARGEST_POWER, power)))
    here = object.__new__(type(robot))
    here.legs = type(robot.legs)(leg.relative_to(base, platform, scale) for leg in robot.legs)
    here.space = robot.space
    here.__dict__["rounding"] = robot.rounding * scale  # of the numbers that the user gave
    here.__dict__["normal"] = NormalForm(here, Vec3.zero(), Vec3.zero(), 1.0)
    return NormalForm(here, base, platform, scale)


def _extent(robot: Dimensions) -> float:
    """Spread of the pivots and length of the rods together, in metres, or 1."""
    spreads = [float(np.linalg.norm(p - p.mean(axis=0), axis=-1).max()) for p in (robot.roots, robot.platform)]
    rods = [getattr(leg, name) for leg in robot.legs for name in ("crank", "rod") if name in leg.lengths]
    extent = sum(spreads) + max(rods, default=0.0)
    return extent if 0.0 < extent < math.inf else 1.0


@lru_cache(maxsize=16)
def shifted_twist(space: Space, reference: Reference) -> CompiledFunction:
    """The matrix from twists of a point of the platform, in the axes of the base, to those of a map."""

    def run(X: Any, platform: Any) -> Any:
        rows = [[float(i == j) for j in range(space.freedoms)] for i in range(space.freedoms)]
        return transpose([space.twist_from(X, row, Vec3.of(platform), reference) for row in rows])

    outputs = (Port("T", (space.freedoms, space.freedoms)),)
    identity = f"parallel shifted_twist {type(space).__name__} {reference}"
    return CompiledFunction(run, (space.port, Port("platform", (3,))), outputs, identity)


@lru_cache(maxsize=256)
def between(space: Space, shift: Shift) -> CompiledFunction:
    """`Space.between` of poses."""

    def run(X: Any) -> Any:
        return space.between(X, *shift)

    identity = f"parallel between {type(space).__name__} {shift}"
    return CompiledFunction(run, (space.port,), (Port("Y", space.port.shape),), identity)
