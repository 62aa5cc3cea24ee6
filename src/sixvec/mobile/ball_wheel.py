"""Driven balls as wheels: rollers on the equator turn a ball, which rolls on the ground in any direction."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sixvec.arguments import real_number
from sixvec.errors import ModelError
from sixvec.mobile.wheel import OmniWheel, Wheel, named, require_radians, require_wheel
from sixvec.spatial import RigidInertia, Sym3, Vec3


@dataclass(frozen=True)
class BallWheel:
    """A ball at (x, y) that rollers drive: one along `heading`, and one `across`, to the left of it.

    Without `across` it rolls freely to the side, as those of West and Asada (1997).  Rollers touch the ball on its
    equator with horizontal axes, so it turns about horizontal axes on the platform and never constrains it.  In a
    platform each roller is a wheel, "ball: along" and "ball: across"; its rate is that of the ball about its axis, and
    a motor whose roller has the radius r turns radius / r times as fast.  Bruyninckx, opening of chapter 9.

    >>> from sixvec.mobile import BallWheel, Platform
    >>> base = Platform([BallWheel(0.3, 0.0, radius=0.1, name="front"), BallWheel(-0.3, 0.0, radius=0.1, name="rear")])
    >>> base.inverse_velocity([1.0, 0.5, 0.2]).rates.round(12).tolist()
    [5.0, 5.0, 5.0, -1.0]
    """

    x: float
    y: float
    heading: float = 0.0
    radius: float = field(kw_only=True)
    across: bool = field(default=True, kw_only=True)
    driven: bool = field(default=True, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        require_wheel(self)
        require_radians(self.heading, f"the heading of {named(self)}")

    def rolling_inertia(self, mass: float) -> RigidInertia:
        """What a solid ball of this mass adds to the inertia of a platform that moves in the plane: 7/5 of its mass.

        The ball rolls without slip and turns with the platform about the vertical.  Its weight is that of `mass`.

        >>> from sixvec.mobile import BallWheel
        >>> BallWheel(0.3, 0.0, radius=0.1).rolling_inertia(2.0).mass
        2.8
        """
        what = f"the mass of {named(self)}"
        if not real_number(what, mass, "kg") > 0.0:
            raise ModelError(f"{what} is {mass}; it must be positive, in kg")
        turning = 0.4 * mass * self.radius**2
        place = Vec3(self.x, self.y, self.radius)
        return RigidInertia.from_center_of_mass(1.4 * mass, place, Sym3.diagonal(turning, turning, turning))

    def rollers(self) -> tuple[BallRoller, BallRoller]:
        """The ball as the wheels of a platform."""
        left = self.heading + math.pi / 2.0
        across = self.driven and self.across
        return (
            BallRoller(self.x, self.y, self.heading, radius=self.radius, driven=self.driven, ball=self.name),
            BallRoller(self.x, self.y, left, radius=self.radius, driven=across, ball=self.name, number=1),
        )


ROLLERS = ("along", "across")


@dataclass(frozen=True)
class BallRoller(OmniWheel):
    """One of the two directions in which a driven ball rolls: a wheel that slides freely across its heading.

    >>> from sixvec.mobile import BallWheel
    >>> BallWheel(0.3, 0.0, radius=0.1, name="front").rollers()[1].name
    'front: across'
    """

    ball: str = field(default="", kw_only=True)
    number: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"{self.ball}: {ROLLERS[self.number]}")
        super().__post_init__()


def touching(wheel: Wheel) -> str:
    """The name of what touches the ground: that of the ball for both of its rollers."""
    return wheel.ball if isinstance(wheel, BallRoller) else wheel.name


def separate_rollers(wheels: tuple[Wheel | BallWheel, ...]) -> tuple[Wheel, ...]:
    """The wheels, each with a name, with balls as their rollers."""
    return tuple(r for w in wheels for r in (w.rollers() if isinstance(w, BallWheel) else (w,)))
