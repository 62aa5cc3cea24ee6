"""The dimensions of a parallel robot: its legs, and what follows from them at every pose."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.model.freedom_count import kutzbach
from sixvec.parallel.design import design_name, dimension, require_distinct_legs
from sixvec.parallel.leg import KINDS, Leg, Legs, LegsAroundPoint, leverage
from sixvec.parallel.normal_form import NormalForm, normal_form, shifted_twist
from sixvec.parallel.pictured import Pictured
from sixvec.parallel.space import Space, Spatial

LAST_DIGITS = 32.0 * float(np.finfo(float).eps)
"""Of a leg's length, relative to the coordinates of its ends: a rotation, a sum and a norm lose a few units in the last
place each."""


def coordinate_rounding(roots: Array, platform: Array) -> float:
    """The error of a leg's length, in units of the coordinates of the pivots."""
    return LAST_DIGITS * float(np.abs(roots).max() + np.abs(platform).max())


_SPACES: dict[type[Space], Space] = {}
"""One instance of each, so that robots share their programs."""


class Dimensions(Pictured):
    """Legs between a base and a platform that moves in a `Space`."""

    def __init__(self, legs: Sequence[Leg], space: Space | None = None) -> None:
        if not isinstance(legs, Iterable):
            raise ArgumentError(f"a parallel robot needs legs, a list of UPS, RUS or PUS, not {legs!r}")
        space = Spatial() if space is None else space
        self.legs = (LegsAroundPoint if space.only_turns else Legs)(legs)
        self.space = _SPACES.setdefault(type(space), space)
        if not self.legs:
            raise ArgumentError("a parallel robot needs at least one leg")
        for k, leg in enumerate(self.legs):
            if type(leg) not in KINDS:  # not of a class of the user: programs are known by the numbers of their legs
                raise ArgumentError(f"leg {k} is {leg!r}; legs are UPS, RUS or PUS")
        require_distinct_legs(self.legs, self.space)

    @property
    def n(self) -> int:
        """The number of legs."""
        return len(self.legs)

    @property
    def lower(self) -> Array:
        return np.array([leg.lower for leg in self.legs])

    @property
    def upper(self) -> Array:
        return np.array([leg.upper for leg in self.legs])

    @lazy
    def platform(self) -> Array:
        """(n, 3): the pivots in the platform's frame."""
        return np.array([[*leg.platform] for leg in self.legs])

    @lazy
    def roots(self) -> Array:
        """(n, 3): the points of the legs that are fixed to the base."""
        return np.array([[*leg.root] for leg in self.legs])

    @lazy
    def size(self) -> float:
        """Root mean square distance of the pivots from their centre, or 1: the length in metres for one radian."""
        spread = math.sqrt(((self.platform - self.platform.mean(axis=0)) ** 2).sum() / self.n)
        return spread if spread > 0.0 else 1.0

    @property
    def leverage(self) -> float:
        """What counts as a large moment of unit forces, relative to `size`, where the platform only turns; else zero.

        Rods whose lines all pass through the ball joint have no moment at all, however well it is conditioned.
        """
        return leverage(self.legs, self.size) if self.space.only_turns else 0.0

    @lazy
    def rounding(self) -> float:
        """The error of a leg, in metres, that rounding of the pivots' coordinates alone may cause."""
        return coordinate_rounding(self.roots, self.platform)

    @lazy
    def normal(self) -> NormalForm:
        """The same robot with the middles of its pivots at the origins and of size about one: rank, distance and
        convergence are judged there, so that they depend on neither frames nor units."""
        return normal_form(self)

    def twist_shift(self, X: Array, reference: Reference = "local_world_aligned") -> Array:
        """T (..., m, m): t = T t' from the twist t' of the middle of the platform's pivots, in the axes of the base, to
        the one of the maps; wrenches w' = Tᵀ w."""
        return np.asarray(shifted_twist(self.space, reference)(X, np.array([*self.legs.middles[1]])))

    @property
    def design(self) -> str:
        """The design by coincident pivots: "6-6", "3-3", "6-3", "3-1-1-1", "321" …, base first."""
        return design_name(self.roots, self.platform)

    @property
    def has_planar_base(self) -> bool:
        """Whether the points of the legs on the base lie in a plane, as closed forms may need (Bruyninckx §8.2)."""
        return dimension(self.roots, self.rounding) < 3

    @property
    def has_planar_platform(self) -> bool:
        """Whether the pivots on the platform lie in a plane."""
        return dimension(self.platform, self.rounding) < 3

    @property
    def mobility(self) -> int:
        """The count of Kutzbach (Bruyninckx (5.3)), with each joint of a leg split into joints of one freedom.

        Loops of planar and translational platforms have redundant constraints in space, so their freedoms are counted
        in the plane, or as one for each actuator.
        """
        if self.space.only_turns:  # legs of six joint freedoms leave those of the ball joint
            return 3
        if self.space.freedoms != 6:
            return 3 if self.n >= 3 else 6 - self.n
        joints = sum(sum(leg.freedoms) for leg in self.legs)
        return kutzbach(2 + joints - self.n, [1] * joints)
