"""Held frames: the values of `hold=` in one form.  There are no kernels here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sixvec.algorithms.parts.held_directions import directions_of
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.held_frame import Held, Rolling, RollingFrame


def held_frames(model: Model, hold: Any) -> tuple[Held, ...]:
    """`hold` checked and in order: {frame or (frame, frame): a kind or a tuple of directions}.

    Rows of the model's own wheels are left out: all algorithms have them.

    >>> from sixvec.model.robots import BUILT_IN
    >>> held_frames(BUILT_IN["panda"](), {"panda_link8": ("x", "turn z")})
    (Held(frame='panda_link8', to=None, directions=('x', 'turn z')),)
    """
    if hold is None:
        return ()
    if isinstance(hold, tuple) and all(isinstance(h, Held) for h in hold):
        return tuple(_beyond_wheels(model, hold))
    if not isinstance(hold, Mapping):
        raise ArgumentError(
            f'hold must be a dictionary from frame to "weld", "point" or directions, not a {type(hold).__name__}'
        )
    return tuple(_beyond_wheels(model, [_held(model, key, kind) for key, kind in hold.items()]))


def _beyond_wheels(model: Model, hold: Sequence[Held]) -> Iterator[Held]:
    """What `hold` adds to the wheels of the model: a wheel that is held, too, rolls as before."""
    wheels = {wheel.frame: wheel for wheel in model.rolling}
    for h in hold:
        wheel = wheels.get(h.frame)
        if wheel is None or not isinstance(h, RollingFrame):
            yield h
            continue
        if (h.radius, h.roller_angle) != (wheel.radius, wheel.roller_angle):
            raise ArgumentError(
                f'hold["{h.frame}"] has radius {h.radius} and roller angle {h.roller_angle}, but this wheel of '
                f"{model.name} has {wheel.radius} and {wheel.roller_angle}"
            )
        if more := tuple(d for d in h.directions if d not in wheel.directions):
            yield replace(h, directions=more)


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
        return kind.at(frames[0])
    return Held(frames[0], frames[1] if len(frames) == 2 else None, directions_of(key, kind))
