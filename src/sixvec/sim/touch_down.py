"""Holds that begin: the frame's place is where it is then, and an impact takes its velocity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.scalar import Scalar, where
from sixvec.sim.held_places import NUMBERS, has_place, numbers_of, pose_from, pose_of
from sixvec.sim.step_rows import StepRows
from sixvec.spatial import Pose

GOES_ON, BEGINS = 1.0, 2.0
"""Flags of an entry of `hold` in a step; 0 is off."""


class Holds(Protocol):
    """What a step holds; the last `flags` of the entries have a flag, and `changing` says whether some are off."""

    @property
    def hold(self) -> tuple[Held, ...]: ...
    @property
    def flags(self) -> int: ...
    @property
    def changing(self) -> bool: ...
    def rows(self, robot: Model, on: Any = None, places: Any = ()) -> StepRows: ...


def places_size(options: Holds) -> int:
    """How many numbers the places of all held frames take; at least one, since an array of a program has entries."""
    return NUMBERS * sum(map(has_place, options.hold)) or 1


def begun(
    robot: Model, options: Holds, q: Sequence[Scalar], v: Sequence[Scalar], flags: Sequence[Scalar], places: Any
) -> tuple[StepRows, list[Scalar], list[Scalar]]:
    """The rows of a step, the velocities after the impacts at its start, and the places as numbers.

    The impact is one for all frames that begin, with those that are held already, loops, wheels and driven joints:
    v₁ = v + M⁻¹ Aᵀ p with A v₁ = 0.  Its energy ½ (v - v₁)ᵀ M (v - v₁) is lost, so the energy never grows.
    """
    kept: list[Scalar] = []
    for h, flag in zip(options.hold, _flag_of_each(options, flags), strict=True):
        if not has_place(h):
            continue
        before, here = places[len(kept) : len(kept) + NUMBERS], numbers_of(pose_of(robot, q, h))
        goes_on = (flag > 0.5 * GOES_ON, flag < 0.5 * (GOES_ON + BEGINS))
        kept += [where(goes_on[0], where(goes_on[1], x, y), y) for x, y in zip(before, here, strict=True)]
    rows = rows_at(robot, options, flags, kept)
    strikes: Scalar = 0.0
    for flag in flags:
        strikes = where(flag > 0.5 * (GOES_ON + BEGINS), 1.0, strikes)
    return rows, [where(strikes > 0.5, x, y) for x, y in zip(rows.stopped(q, v), v, strict=True)], kept or [0.0]


def rows_at(robot: Model, options: Holds, flags: Sequence[Scalar], places: Sequence[Scalar]) -> StepRows:
    """The rows of a step with these places, as numbers."""
    poses: list[Pose | None] = []
    read = 0
    for h in options.hold:
        poses.append(pose_from(places[read : read + NUMBERS]) if has_place(h) else None)
        read += NUMBERS * has_place(h)
    each = _flag_of_each(options, flags)
    on = tuple(where(flag > 0.5 * GOES_ON, 1.0, 0.0) for flag in each) if options.changing else None
    return options.rows(robot, on, tuple(poses))


def _flag_of_each(options: Holds, flags: Sequence[Scalar]) -> list[Scalar]:
    """Of each entry of `hold`: those without a flag go on."""
    return [GOES_ON] * (len(options.hold) - options.flags) + list(flags)
