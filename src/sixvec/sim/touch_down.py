"""Holds that begin: the frame's place is where it is then, and an impact takes its velocity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.model import Model
from sixvec.scalar import Scalar, where
from sixvec.sim.held_places import NUMBERS, has_place, numbers_of, pose_from, pose_of
from sixvec.sim.step_options import StepOptions
from sixvec.sim.step_rows import StepRows
from sixvec.spatial import Pose

GOES_ON, BEGINS = 1.0, 2.0
"""Flags of an entry of `hold` in a step; 0 is off."""


def places_size(options: StepOptions) -> int:
    """How many numbers the places of all held frames take; at least one, since an array of a program has entries."""
    return NUMBERS * sum(map(has_place, options.hold)) or 1


def begun(
    robot: Model, options: StepOptions, q: Sequence[Scalar], v: Sequence[Scalar], flags: Sequence[Scalar], places: Any
) -> tuple[StepRows, list[Scalar], list[Scalar]]:
    """The rows of a step, the velocities after the impacts at its start, and the places as numbers.

    The impact is one for all frames that begin, with those that are held already, loops, wheels and driven joints:
    v₁ = v + M⁻¹ Aᵀ p with A v₁ = 0.  Its energy ½ (v - v₁)ᵀ M (v - v₁) is lost, so the energy never grows.
    """
    always = len(options.hold) - options.flags
    each = [GOES_ON] * always + list(flags)
    poses: list[Pose | None] = []
    kept: list[Scalar] = []
    for h, flag in zip(options.hold, each, strict=True):
        if not has_place(h):
            poses.append(None)
            continue
        before, here = places[len(kept) : len(kept) + NUMBERS], numbers_of(pose_of(robot, q, h))
        goes_on = (flag > 0.5 * GOES_ON, flag < 0.5 * (GOES_ON + BEGINS))
        kept += [where(goes_on[0], where(goes_on[1], x, y), y) for x, y in zip(before, here, strict=True)]
        poses.append(pose_from(kept[-NUMBERS:]))
    on = tuple(where(flag > 0.5 * GOES_ON, 1.0, 0.0) for flag in each) if options.changing else None
    rows = options.rows(robot, on, tuple(poses))
    strikes: Scalar = 0.0
    for flag in flags:
        strikes = where(flag > 0.5 * (GOES_ON + BEGINS), 1.0, strikes)
    return rows, [where(strikes > 0.5, x, y) for x, y in zip(rows.stopped(q, v), v, strict=True)], kept or [0.0]
