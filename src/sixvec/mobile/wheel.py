"""Kinds of wheels: where each touches the ground, and along which lines it can push a platform."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import one_number
from sixvec.errors import ModelError
from sixvec.mobile.planar import PlanarWrench
from sixvec.scalar import Scalar, cos, sin

Direction: TypeAlias = "tuple[Scalar, Scalar]"
"""(cos, sin) of an angle."""


@dataclass(frozen=True)
class FixedWheel:
    """A wheel on a fixed axle at (x, y), rolling along `heading`; x is forward on the platform and y to the left.

    The rate of a wheel that is not `driven` is unknown: it only prevents lateral slip of the platform.

    >>> from sixvec.mobile import FixedWheel
    >>> FixedWheel(0.0, 0.25, radius=0.1).traction((1.0, 0.0))
    PlanarWrench(ang=-0.25, x=1.0, y=0.0)
    """

    x: float
    y: float
    heading: float = 0.0
    radius: float = field(kw_only=True)
    driven: bool = field(default=True, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        require_wheel(self)
        require_radians(self.heading, f"the heading of {named(self)}")

    def direction(self, steer: Direction = (1.0, 0.0)) -> Direction:
        """The direction of the wheel on the platform."""
        return turned((cos(self.heading), sin(self.heading)), steer)

    def traction(self, direction: Direction) -> PlanarWrench:
        """The wrench of a unit force of the motor at the rim; its product with a twist is the speed of the rim."""
        return PlanarWrench.along(self.x, self.y, *direction)

    def lateral(self, direction: Direction) -> PlanarWrench | None:
        """The wrench of a unit force along the axle, to the left; its product with a twist is the slip sideways."""
        c, s = direction
        return PlanarWrench.along(self.x, self.y, -s, c)


@dataclass(frozen=True)
class SteeredWheel(FixedWheel):
    """A wheel that turns about the vertical through its contact point: it points to `heading` + its steering angle.

    `limit` is the supremum of the steering angle, which is not reached itself: 90° for a wheel on a car, none for a
    module that turns without limit.

    >>> from sixvec.mobile import SteeredWheel
    >>> SteeredWheel(0.4, 0.3, radius=0.1, name="front").limit
    inf
    """

    limit: float = field(default=math.inf, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.limit > 0.0:
            raise ModelError(f"{named(self)}: the steering limit is {self.limit}; it must be positive, in radians")
        if self.limit < math.inf:
            require_radians(self.limit, f"the steering limit of {named(self)}")


@dataclass(frozen=True)
class OmniWheel(FixedWheel):
    """A wheel with free rollers on its rim, their axes at `roller_angle` to the plane of the wheel.

    It pushes along the axes of the rollers only, and never constrains the platform: with angle 0 the rollers
    let it slide along its axle; the wheels of a mecanum platform have ±45°.

    >>> import math
    >>> from sixvec.mobile import OmniWheel
    >>> OmniWheel(0.3, 0.2, radius=0.1, roller_angle=-math.pi / 4).lateral((1.0, 0.0)) is None
    True
    """

    roller_angle: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_radians(self.roller_angle, f"the roller angle of {named(self)}")
        if not math.cos(self.roller_angle) > 1e-9:
            raise ModelError(
                f"{named(self)}: rollers at {self.roller_angle} rad to the plane of the wheel cannot drive; "
                "the angle must be less than 90°"
            )

    def traction(self, direction: Direction) -> PlanarWrench:
        t = math.tan(self.roller_angle)
        c, s = direction
        return PlanarWrench.along(self.x, self.y, c - s * t, s + c * t)

    def lateral(self, direction: Direction) -> PlanarWrench | None:
        return None


@dataclass(frozen=True)
class Caster:
    """A wheel that swivels freely about a pivot at (x, y), its contact `offset` behind: it supports and follows.

    The default `offset` is one radius.

    >>> from sixvec.mobile import Caster
    >>> Caster(-0.3, 0.0, radius=0.04).offset
    0.04
    """

    x: float
    y: float
    radius: float = field(kw_only=True)
    offset: float = field(default=math.nan, kw_only=True)
    name: str = field(default="", kw_only=True)
    driven = False

    def __post_init__(self) -> None:
        require_wheel(self)
        if math.isnan(self.offset):
            object.__setattr__(self, "offset", self.radius)
        if not self.offset > 0.0:
            raise ModelError(
                f"{named(self)}: the offset is {self.offset}; a caster follows only if its contact is behind the pivot"
            )


ANGLES = ("heading", "limit", "roller_angle")

Wheel: TypeAlias = FixedWheel | Caster


class Placed(Protocol):
    """What touches the ground at one point."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def radius(self) -> float: ...
    @property
    def name(self) -> str: ...


def turned(a: Direction, b: Direction) -> Direction:
    """The direction of the sum of two angles."""
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


def named(wheel: Placed) -> str:
    return f'wheel "{wheel.name}"' if wheel.name else f"the wheel at ({wheel.x}, {wheel.y})"


def require_wheel(wheel: Placed) -> None:
    """Raise an error for a wheel without a position or a size."""
    if not isinstance(wheel.name, str):
        raise ModelError(f"the name of a wheel must be a text, not {wheel.name!r}")
    for what, size in vars(wheel).items():
        if what in ("driven", "across") and not isinstance(size, bool | np.bool_):
            raise ModelError(f"{named(wheel)}: {what} must be True or False, not {size!r}")
        if what not in ("name", "driven", "across", "ball", "number"):
            one_number(f"{named(wheel)}: {what.replace('_', ' ')}", size, "radians" if what in ANGLES else "metres")
    if not (math.isfinite(wheel.x) and math.isfinite(wheel.y)):
        raise ModelError(f"{named(wheel)}: its place ({wheel.x}, {wheel.y}) is not finite")
    if not 0.0 < wheel.radius < math.inf:
        raise ModelError(f"{named(wheel)}: the radius is {wheel.radius}; it must be positive and finite, in metres")


def require_radians(angle: float, what: str, whole_turns: bool = False) -> None:
    """Raise an error for an angle that is not finite, and warn of one that is most likely in degrees.

    Angles above a full turn count as degrees; if angles may include `whole_turns`, only integers and half-integers do.
    """
    if not math.isfinite(one_number(what, angle, "radians")):
        raise ModelError(f"{what} is {angle}; it must be finite, in radians")
    if abs(angle) > 2.0 * math.pi and (not whole_turns or float(2.0 * angle).is_integer()):
        warnings.warn(
            f"{what} is {angle:g} rad, more than a full turn; degrees become radians by math.radians({angle:g})",
            stacklevel=4,
        )


_LOOKED_AT = 1000
"""Number of poses of a batch whose headings are checked for degrees."""


def warn_of_degrees(poses: NDArray[Any], what: str) -> None:
    """Warn if headings of poses (..., 3) are most likely in degrees."""
    headings = np.abs(poses.reshape(-1, 3)[:_LOOKED_AT, 2])
    if np.isfinite(headings).any():
        require_radians(float(headings[np.isfinite(headings)].max()), f"the heading of {what}", whole_turns=True)
