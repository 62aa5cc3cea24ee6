"""The legs of parallel robots: an actuated joint, and a rod between ball joints that holds the platform.

An actuator position q puts the platform pivot on a sphere, with centre c(q) and radius r(q) by the kind.  With the
unit vector e from the centre to the pivot, |S - c| = r gives  e·v = (e·c' + r') q̇: the bracket is the leg's `gain`, and
a force τ of the actuator pushes the platform with τ / gain along e (Bruyninckx §8.8, with the magnitude).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from sixvec.arguments import one_number, real_array
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where
from sixvec.spatial import Vec3
from sixvec.tolerances import EQUAL, ROUNDING

STRETCHED = 4e-15
"""A margin, relative to its terms, that is rounding: the leg is stretched or folded, and its two positions coincide."""


@dataclass(frozen=True, kw_only=True)
class Leg:
    """Data of all legs: the platform pivot, in the platform's frame, the encoder's offset and the actuator's limits.

    The encoder reads q; the actuator is at q + offset (Bruyninckx §8.4).

    >>> from sixvec.parallel import Delta
    >>> leg = Delta(0.2, 0.05, 0.25, 0.6).legs[0]
    >>> leg.kind, leg.platform.z
    ('RUS', 0.0)
    """

    platform: Vec3
    offset: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf

    kind: ClassVar[str]
    """The joints from the base to the platform, as letters; the actuated one is P or R."""
    branches: ClassVar[int]
    """The number of actuator positions for one platform pivot."""
    freedoms: ClassVar[tuple[int, ...]]
    """Freedoms of each joint of `kind`."""
    angular: ClassVar[bool] = False
    fixed: ClassVar[str] = "base"
    """The name of the point that is fixed to the base."""
    lengths: ClassVar[tuple[str, ...]] = ()
    """The names of numbers in metres."""

    def __post_init__(self) -> None:
        for f in fields(self):
            what, value = f"{f.name} of a {self.kind} leg", getattr(self, f.name)
            if f.type == "Vec3" and not isinstance(value, Vec3):
                value = Vec3.of(real_array(what, value, 3, batch=False).tolist())
                object.__setattr__(self, f.name, value)
            values = [*value] if isinstance(value, Vec3) else [one_number(what, value)]
            if any(math.isnan(x) or (math.isinf(x) and f.name not in ("lower", "upper")) for x in values):
                raise ArgumentError(f"{what} is {value}; it must be finite")
        if self.lower > self.upper:
            raise ArgumentError(f"limits {self.lower} … {self.upper} of a {self.kind} leg leave no position")

    def position(self, S: Vec3, branch: Scalar) -> Scalar:
        """q that reaches the pivot S, given in the base's frame; NaN if no q does."""
        raise NotImplementedError

    def sphere(self, q: Scalar) -> tuple[Vec3, Scalar]:
        """Centre and radius of the sphere on which the platform pivot lies."""
        raise NotImplementedError

    def rate(self, q: Scalar) -> tuple[Vec3, Scalar]:
        """Their derivatives with respect to q."""
        raise NotImplementedError

    def relative_to(self, base: Vec3, platform: Vec3, scale: float) -> Leg:
        """The same leg with pivots measured from these points, and lengths in units of 1 / scale metres."""
        changed: dict[str, Any] = {name: getattr(self, name) * scale for name in self.lengths}
        changed[self.fixed] = (self.root - base) * scale
        return replace(self, platform=(self.platform - platform) * scale, **changed)

    @property
    def gain_size(self) -> float:
        """The largest |gain| there is."""
        return 1.0

    @property
    def root(self) -> Vec3:
        """The point of the leg that is fixed to the base."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class UPS(Leg):
    """A telescopic leg: universal joint at the base, actuated prismatic joint, ball joint at the platform.

    >>> from sixvec.parallel import UPS
    >>> from sixvec.spatial import Vec3
    >>> leg = UPS(base=Vec3(0.0, 0.0, 0.0), platform=Vec3(0.0, 0.0, 0.0))
    >>> leg.position(Vec3(3.0, 0.0, 4.0), 0)
    5.0
    """

    base: Vec3
    kind = "UPS"
    lengths = ("offset", "lower", "upper")
    branches = 1
    freedoms = (2, 1, 3)

    def position(self, S: Vec3, branch: Scalar) -> Scalar:
        """The length of the leg less its offset.  Bruyninckx (8.2), (8.3)."""
        return (S - self.base).norm() - self.offset

    def sphere(self, q: Scalar) -> tuple[Vec3, Scalar]:
        return self.base, q + self.offset

    def rate(self, q: Scalar) -> tuple[Vec3, Scalar]:
        return Vec3.zero(), 1.0

    @property
    def root(self) -> Vec3:
        return self.base


@dataclass(frozen=True, kw_only=True)
class RUS(Leg):
    """A crank on a motor at the base, then a rod of fixed length between a universal and a ball joint.

    The crank rotates about `axis` and points along `zero` at q = 0.  Of the two positions for a platform pivot, branch
    0 is rotated further about the axis.

    >>> from sixvec.parallel import Delta
    >>> Delta(0.2, 0.05, 0.25, 0.6).legs[0].crank
    0.25
    """

    base: Vec3
    axis: Vec3
    zero: Vec3
    crank: float
    rod: float
    kind = "RUS"
    lengths = ("crank", "rod")
    branches = 2
    freedoms = (1, 2, 3)
    angular = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("crank", "rod"):
            _require_length(name, getattr(self, name), self.kind)
        axis = _unit("axis", self.axis, self.kind)
        zero = self.zero - axis * axis.dot(self.zero)
        if zero.norm() <= EQUAL * self.zero.norm():
            raise ArgumentError(f"the crank's zero direction {self.zero} is parallel to the motor axis {self.axis}")
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "zero", zero * (1.0 / zero.norm()))

    def position(self, S: Vec3, branch: Scalar) -> Scalar:
        """Circle and sphere:  d_z cos q - d_y sin q = K  (Bruyninckx §8.6; a quadratic, not a quartic).

        Bruyninckx (8.4), (8.6), (8.7).
        """
        d = S - self.base
        y, z = d.dot(self.zero.cross(self.axis)), d.dot(self.zero)
        K = (self.crank * self.crank + d.dot(d) - self.rod * self.rod) * (0.5 / self.crank)
        terms = abs(K) * (self.crank * self.crank + d.dot(d) + self.rod * self.rod) * (1.0 / self.crank) + y * y + z * z
        w = sqrt(_margin(y * y + z * z - K * K, terms)) * (1.0 - 2.0 * branch)
        return arctan2(w * z - K * y, K * z + w * y) - self.offset

    def sphere(self, q: Scalar) -> tuple[Vec3, Scalar]:
        angle = q + self.offset
        return self.base + self._turned(cos(angle), sin(angle)), self.rod

    def rate(self, q: Scalar) -> tuple[Vec3, Scalar]:
        angle = q + self.offset
        return self._turned(-sin(angle), cos(angle)), 0.0

    def _turned(self, c: Scalar, s: Scalar) -> Vec3:
        """The crank, from its cosine and sine."""
        turned: Vec3 = self.zero * (c * self.crank) + self.axis.cross(self.zero) * (s * self.crank)
        return turned

    @property
    def gain_size(self) -> float:
        return self.crank

    @property
    def root(self) -> Vec3:
        return self.base


@dataclass(frozen=True, kw_only=True)
class PUS(Leg):
    """A slider on a rail of the base, then a rod of fixed length between a universal and a ball joint.

    Of the two positions for a platform pivot, branch 0 is further along the axis.
    """

    origin: Vec3
    axis: Vec3
    rod: float
    kind = "PUS"
    fixed = "origin"
    lengths = ("rod", "offset", "lower", "upper")
    branches = 2
    freedoms = (1, 2, 3)

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_length("rod", self.rod, self.kind)
        object.__setattr__(self, "axis", _unit("axis", self.axis, self.kind))

    def position(self, S: Vec3, branch: Scalar) -> Scalar:
        """Intersection of a line and a sphere:  s = a·c ± √((a·c)² - |c|² + l²)."""
        c = S - self.origin
        along = self.axis.dot(c)
        terms = along * along + c.dot(c) + self.rod * self.rod
        margin = _margin(along * along - c.dot(c) + self.rod * self.rod, terms)
        return along + sqrt(margin) * (1.0 - 2.0 * branch) - self.offset

    def sphere(self, q: Scalar) -> tuple[Vec3, Scalar]:
        return self.origin + self.axis * (q + self.offset), self.rod

    def rate(self, q: Scalar) -> tuple[Vec3, Scalar]:
        return self.axis, 0.0

    @property
    def root(self) -> Vec3:
        return self.origin


KINDS = (UPS, RUS, PUS)


class Legs(tuple[Leg, ...]):
    """The legs of a robot.  Their hash is computed once: programs are found by it in every call."""

    @lazy
    def has_branches(self) -> bool:
        """Whether a leg has several positions for one pose."""
        return any(leg.branches > 1 for leg in self)

    @lazy
    def middles(self) -> tuple[Vec3, Vec3]:
        """The middle of the pivots on the base and of those on the platform, each in its frame.

        Moments are judged about the latter: about the origin of a frame that is far away, all lines look alike.
        """
        roots, pivots = ([[*p] for p in x] for x in ((leg.root for leg in self), (leg.platform for leg in self)))
        return _middle(roots), _middle(pivots)

    @lazy
    def centred(self) -> Legs:
        """The same legs with pivots measured from these points."""
        base, platform = self.middles
        if not any((*base, *platform)):
            return self
        return Legs(leg.relative_to(base, platform, 1.0) for leg in self)

    @lazy
    def _hash(self) -> int:
        return tuple.__hash__(self)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


class LegsAroundPoint(Legs):
    """Legs of a platform that turns about the origin, which stays the origin of the frames."""

    @lazy
    def middles(self) -> tuple[Vec3, Vec3]:
        return Vec3.zero(), Vec3.zero()


def _middle(points: list[list[float]]) -> Vec3:
    """Zero where rounding alone makes a coordinate of it."""
    array = np.array(points)
    middle = array.mean(axis=0)
    spread = np.abs(array - middle).max()
    return Vec3(*(float(x) if abs(x) > ROUNDING * spread else 0.0 for x in middle))


def leverage(legs: Sequence[Leg], size: float) -> float:
    """Root of the sum of the squared distances of the platform pivots from the origin, in sizes."""
    return math.sqrt(sum(float(leg.platform.dot(leg.platform)) for leg in legs)) / size


def gain(leg: Leg, q: Scalar, e: Vec3) -> Scalar:
    """e·c' + r': the speed of the platform pivot along the rod for unit speed of the actuator."""
    centre, radius = leg.rate(q)
    return e.dot(centre) + radius


def _margin(margin: Scalar, terms: Scalar) -> Scalar:
    """The margin, zero where it is rounding."""
    return where(abs(margin) < STRETCHED * terms, 0.0, margin)


def _require_length(name: str, value: Any, kind: str) -> None:
    if not value > 0.0:
        raise ArgumentError(f"the {name} of a {kind} leg is {value} long; a length is positive")


def _unit(name: str, x: Vec3, kind: str) -> Vec3:
    if not x.norm() > 0.0:
        raise ArgumentError(f"the {name} of a {kind} leg is the zero vector; it must have a direction")
    unit: Vec3 = x * (1.0 / x.norm())
    return unit
