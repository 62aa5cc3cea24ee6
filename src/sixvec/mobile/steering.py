"""Steering of a platform's wheels: one motor each, or one linkage for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sixvec.arguments import one_number, real_number
from sixvec.errors import ModelError
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.wheel import Direction, SteeredWheel, turned
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where


class Steering(Protocol):
    """From the inputs of the steering to the directions of the wheels, and from a twist to the inputs."""

    def inputs(self, wheels: Sequence[SteeredWheel]) -> tuple[str, ...]:
        """A name for each input."""
        ...

    def directions(self, wheels: Sequence[SteeredWheel], steer: Sequence[Scalar]) -> list[Direction]:
        """(cos, sin) of each wheel's steering angle."""
        ...

    def following(self, wheels: Sequence[SteeredWheel], twist: PlanarTwist) -> list[Scalar]:
        """The inputs with which the wheels roll along a twist, if possible."""
        ...

    def limits(self, wheels: Sequence[SteeredWheel]) -> list[float]:
        """The largest inputs."""
        ...


@dataclass(frozen=True)
class Independent:
    """A motor for every steered wheel: the inputs are the steering angles.

    >>> from sixvec.mobile import swerve
    >>> swerve(0.6, 0.4, 0.05).steering
    Independent()
    """

    def inputs(self, wheels: Sequence[SteeredWheel]) -> tuple[str, ...]:
        return tuple(w.name for w in wheels)

    def directions(self, wheels: Sequence[SteeredWheel], steer: Sequence[Scalar]) -> list[Direction]:
        return [(cos(a), sin(a)) for a in steer]

    def following(self, wheels: Sequence[SteeredWheel], twist: PlanarTwist) -> list[Scalar]:
        """Along the velocity of each wheel; a wheel that cannot turn so far rolls backward instead."""
        angles = []
        for w in wheels:
            vx, vy = turned(twist.at(w.x, w.y), (math.cos(w.heading), -math.sin(w.heading)))
            if w.limit <= math.pi / 2:
                vx, vy = where(vx < 0.0, -vx, vx), where(vx < 0.0, -vy, vy)
            angle = arctan2(vy, vx)
            if math.pi / 2 < w.limit < math.pi:
                size = where(angle < 0.0, -angle, angle)
                angle = where(size > w.limit, arctan2(-vy, -vx), angle)
            angles.append(angle)
        return angles

    def limits(self, wheels: Sequence[SteeredWheel]) -> list[float]:
        return [w.limit for w in wheels]


@dataclass(frozen=True)
class Ackermann:
    """One input for all steered wheels: the angle of a wheel midway at (axle + wheelbase, 0).

    Each wheel turns so that its axle intersects the line of the rear axle, x = `axle`, in the same point: the ideal
    linkage, which real ones approach.  With r = wheelbase / tan(angle), a wheel at (x, y) has
    tan(angle of wheel) = (x - axle) / (r - y).

    >>> from sixvec.mobile import car
    >>> car(2.5, 1.5).steering
    Ackermann(wheelbase=2.5, axle=0.0)
    """

    wheelbase: float
    axle: float = 0.0

    def __post_init__(self) -> None:
        real_number("the axle", self.axle, "metres")
        if not (math.isfinite(one_number("the wheelbase", self.wheelbase, "metres")) and self.wheelbase != 0.0):
            raise ModelError(f"the wheelbase is {self.wheelbase}; a car needs one that is not zero, in metres")

    def inputs(self, wheels: Sequence[SteeredWheel]) -> tuple[str, ...]:
        return ("steering",)

    def directions(self, wheels: Sequence[SteeredWheel], steer: Sequence[Scalar]) -> list[Direction]:
        c, s = cos(steer[0]), sin(steer[0])
        directions = []
        for w in wheels:
            along, across = c * self.wheelbase - s * w.y, s * (w.x - self.axle)
            size = where(along < 0.0, -1.0, 1.0) / sqrt(along * along + across * across)
            directions.append(turned((along * size, across * size), (math.cos(w.heading), -math.sin(w.heading))))
        return directions

    def following(self, wheels: Sequence[SteeredWheel], twist: PlanarTwist) -> list[Scalar]:
        bend = twist.ang * self.wheelbase
        return [arctan2(where(twist.x < 0.0, -bend, bend), where(twist.x < 0.0, -twist.x, twist.x))]

    def limits(self, wheels: Sequence[SteeredWheel]) -> list[float]:
        return [min((w.limit for w in wheels), default=math.pi / 2)]
