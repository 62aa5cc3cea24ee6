"""The axles of a platform whose rows depend on each other: what its dynamics leaves to the motion with least slip."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import level_of_user
from sixvec.mobile.kind import MOST_CONSTRAINTS
from sixvec.mobile.least_slip import SLIPLESS, WheelLayout, free_motions
from sixvec.mobile.platform import Platform
from sixvec.mobile.wheel import FixedWheel
from sixvec.model.held_frame import Rolling, RollingFrame
from sixvec.model.shared_slip import Axle, SharedAxles, SharedSlip
from sixvec.tolerances import ROUNDING

CLEARLY = 0.01
"""The slip, as a fraction of the speed, of motions that wheels hold beyond doubt."""


def with_shared_slip(
    platform: Platform,
    joint: str,
    rolling: Mapping[str, Rolling],
    axles: Mapping[str, tuple[FixedWheel, str | None]],
) -> tuple[RollingFrame, ...]:
    """The wheels, by their frames, with the slip that their platform's motion takes: those in `axles`, with the joint
    that steers them.  `joint` is that of the platform.

    Rows of fixed wheels have the rank of the design: a motion with little slip that is no rolling counts for as much as
    one with `CLEARLY` more, so that it does not depend on the precision of a solver whether it is held.  If steered
    wheels add more rows than there are constraints, all share the motion with the least slip at each state.
    """
    layout = WheelLayout.of(platform)
    fixed = {name: w for name, (w, steering) in axles.items() if steering is None}
    lines = np.array([list(w.lateral(w.direction()) or ()) for w in fixed.values()]).reshape(-1, 3)
    design = free_motions(layout, lines)
    shared, motions, parts = dict(axles), np.zeros((0, 3)), np.zeros(0)
    if int(design.rank) + len(axles) - len(fixed) <= MOST_CONSTRAINTS:
        weak = ~design.free & (design.slip < CLEARLY)
        if weak.any():
            _warn_of_held_motions(platform, layout, design.motions[weak], design.slip[weak])
        shared, motions = {name: (w, None) for name, w in fixed.items()}, design.motions[design.free | weak]
        parts = np.where(weak, 1.0 - CLEARLY / np.where(weak, design.slip, 1.0), 1.0)[design.free | weak]
        if not (design.slip[design.free] > ROUNDING).any() and not weak.any():
            return tuple(wheel.at(frame) for frame, wheel in rolling.items())
    places = tuple(
        Axle((w.x - layout.x) / layout.size, (w.y - layout.y) / layout.size, w.heading, steering)
        for w, steering in shared.values()
    )
    free = tuple((x, y, z) for x, y, z in motions.tolist())
    group = SharedAxles(joint, places, layout.x, layout.y, layout.size, free, tuple(parts.tolist()))
    of_axle = {name: SharedSlip(group, k) for k, name in enumerate(shared)}
    return tuple(replace(wheel, shared=of_axle.get(frame)).at(frame) for frame, wheel in rolling.items())


def _warn_of_held_motions(platform: Platform, layout: WheelLayout, motions: Array, slip: Array) -> None:
    """Motions with so little slip that they may be meant to roll, but more than six decimals leave."""
    held = "; ".join(
        f"(ω, vx, vy) = ({', '.join(f'{x:.2g}' for x in twist)}) slips by {100 * s:.2g} % of its speed"
        for twist, s in zip(np.round(layout.twists(motions), 6).tolist(), slip.tolist(), strict=True)
    )
    warnings.warn(
        f"the fixed wheels of {platform.name} hold a motion that nearly rolls: {held}.  If it should roll, give "
        f"places and headings of the wheels with more digits: slips up to {100 * SLIPLESS:.1g} % count as rolling",
        stacklevel=level_of_user(),
    )
