"""Held frames: the values of `hold=` in one form.  There are no kernels here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sixvec.algorithms.parts.closure_rows import Row
from sixvec.algorithms.parts.held_directions import directions_of
from sixvec.algorithms.parts.least_slip import SharedSlip
from sixvec.arguments import real_number
from sixvec.errors import ArgumentError, unknown
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.spatial import PlaneRotation, Rotation


@dataclass(frozen=True, slots=True)
class Held:
    """A frame held to the world, or to another frame, along directions in its own axes or the world's."""

    frame: str
    to: str | None
    directions: tuple[Any, ...]
    """Each a `Direction`; those of a wheel that rolls are words of `ROLLING`."""

    def rows(self, R_FW: Rotation | PlaneRotation) -> tuple[Row, ...]:
        """The equations, in the axes of the frame F; R_FW takes world coordinates to those of F."""
        return tuple(d.row(R_FW) for d in self.directions)

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

    def rows(self, R_FW: Rotation | PlaneRotation) -> tuple[Row, ...]:
        raise ArgumentError(f'"{self.frame}" rolls: that restricts its velocity, and it has no place to be kept at')

    @property
    def in_own_axes(self) -> bool:
        """False: the ground does not turn with the wheel."""
        return False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.frame}: {d}" for d in self.directions)


def held_frames(model: Model, hold: Any) -> tuple[Held, ...]:
    """`hold` checked and in order: {frame or (frame, frame): a kind or a tuple of directions}.

    >>> from sixvec.model.robots import BUILT_IN
    >>> held_frames(BUILT_IN["panda"](), {"panda_link8": ("x", "turn z")})
    (Held(frame='panda_link8', to=None, directions=('x', 'turn z')),)
    """
    if hold is None:
        return ()
    if isinstance(hold, tuple) and all(isinstance(h, Held) for h in hold):
        return hold
    if not isinstance(hold, Mapping):
        raise ArgumentError(
            f'hold must be a dictionary from frame to "weld", "point" or directions, not a {type(hold).__name__}'
        )
    return tuple(_held(model, key, kind) for key, kind in hold.items())


def with_wheels(model: Model, rolling: Mapping[str, Rolling], hold: Any) -> tuple[Held, ...]:
    """All rows of the wheels in `rolling`, then those of `hold` that are not among them.

    A wheel of `rolling` that is held, too, rolls as before: `hold` adds rows to it.
    """
    wheels = held_frames(model, rolling)
    known = {h.frame: h for h in wheels if isinstance(h, RollingFrame)}
    rest = []
    for h in held_frames(model, hold):
        wheel = known.get(h.frame)
        if wheel is None or not isinstance(h, RollingFrame):
            rest.append(h)
            continue
        if (h.radius, h.roller_angle) != (wheel.radius, wheel.roller_angle):
            raise ArgumentError(
                f'hold["{h.frame}"] has radius {h.radius} and roller angle {h.roller_angle}, but this wheel of '
                f"{model.name} has {wheel.radius} and {wheel.roller_angle}"
            )
        if more := tuple(d for d in h.directions if d not in wheel.directions):
            rest.append(replace(h, directions=more))
    return (*wheels, *rest)


def _held(model: Model, key: Any, kind: Any) -> Held:
    frames = key if isinstance(key, tuple) else (key,)
    if not 1 <= len(frames) <= 2:
        raise ArgumentError(f"hold: {key!r} is not a frame or a pair of frames")
    for name in frames:
        model.frame(name)
    if len({canonical(model).frame(name).body for name in frames}) < len(frames):
        raise ArgumentError(f'hold: "{frames[0]}" and "{frames[1]}" are on one body and cannot move apart')
    if isinstance(kind, Rolling):
        if len(frames) == 2:
            raise ArgumentError(f"hold: {key!r}: a wheel rolls on the ground, not on another frame")
        return RollingFrame(frames[0], None, kind.directions, kind.radius, kind.roller_angle, kind.shared)
    return Held(frames[0], frames[1] if len(frames) == 2 else None, directions_of(key, kind))
