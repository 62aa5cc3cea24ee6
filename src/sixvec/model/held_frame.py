"""Conditions on the motion of single frames: those that a call holds, and wheels that roll.

Wheels are part of a robot (`Model.rolling`) or of a call (`hold`); other frames are held by calls only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sixvec.arguments import real_number
from sixvec.errors import ArgumentError, unknown
from sixvec.model.shared_slip import SharedSlip


@dataclass(frozen=True, slots=True)
class Held:
    """A frame held to the world, or to another frame, along directions in its own axes or the world's."""

    frame: str
    to: str | None
    directions: tuple[Any, ...]
    """Each a `Direction` (`algorithms/parts/held_directions.py`); those of a wheel are entries of `ROLLING`."""

    @property
    def in_own_axes(self) -> bool:
        return not any(d.in_world for d in self.directions)

    @property
    def names(self) -> tuple[str, ...]:
        who = self.frame if self.to is None else f"{self.frame} to {self.to}"
        return tuple(f"{who}: {d.name}" for d in self.directions)


ROLLING = ("roll", "side", "normal", "roller")


@dataclass(frozen=True, slots=True)
class Rolling:
    """A wheel that rolls on the horizontal ground, as a value of `hold`: its frame has the axle along y.

    "roll" and "side" keep the point of contact from slipping along the heading and across it, "normal" keeps it from
    leaving the ground, and "roller" keeps it from slipping along the axis of its roller alone, at `roller_angle` to the
    plane of the wheel.  These are conditions on velocities, not on positions.

    >>> from sixvec.mobile import Rolling
    >>> Rolling(0.1).directions
    ('roll', 'side')
    """

    radius: float
    directions: tuple[str, ...] = ("roll", "side")
    roller_angle: float = 0.0
    shared: SharedSlip | None = field(default=None, repr=False)
    """Of a platform whose axles cannot all roll: the slip that "side" leaves to the motion with the least."""

    def __post_init__(self) -> None:
        if not real_number("the radius of a rolling wheel", self.radius, "metres") >= 0.0:
            raise ArgumentError(f"the radius of a rolling wheel is {self.radius}; it must be finite, in metres")
        real_number("the roller angle of a rolling wheel", self.roller_angle, "radians")
        if not isinstance(self.directions, tuple):
            raise ArgumentError(f"the directions of a rolling wheel must be a tuple, not {self.directions!r}")
        for direction in self.directions:
            if direction not in ROLLING:
                raise ArgumentError(unknown("direction", direction, ROLLING, "a rolling wheel"))

    def at(self, frame: str) -> RollingFrame:
        """A wheel with this frame in its middle."""
        return RollingFrame(frame, None, self.directions, self.radius, self.roller_angle, self.shared)


@dataclass(frozen=True, slots=True)
class RollingFrame(Held):
    """A frame that rolls: its rows are in `sixvec.algorithms.parts.rolling_rows`."""

    radius: float
    roller_angle: float
    shared: SharedSlip | None = None

    @property
    def shared_row(self) -> int | None:
        """The row that leaves slip to the motion of the platform."""
        return self.directions.index("side") if self.shared is not None and "side" in self.directions else None

    @property
    def in_own_axes(self) -> bool:
        """False: the ground does not turn with the wheel."""
        return False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.frame}: {d}" for d in self.directions)

    @property
    def value(self) -> Rolling:
        """The wheel as a value of `hold`."""
        return Rolling(self.radius, self.directions, self.roller_angle, self.shared)

    def renamed(self, joint: Callable[[str], str], frame: Callable[[str], str]) -> RollingFrame:
        """The same wheel, with names of joints and frames mapped."""
        shared = self.shared and replace(self.shared, group=self.shared.group.renamed(joint))
        return replace(self, frame=frame(self.frame), shared=shared)
