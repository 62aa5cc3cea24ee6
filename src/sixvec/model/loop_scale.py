"""The scale of a mechanism with loops, to which tolerances in metres refer."""

from __future__ import annotations

from sixvec.model.closure import Closure
from sixvec.model.model import Model

SMALL = 1e-3
"""Mechanisms with a longest offset below this, in metres, have tolerances in proportion to it."""

NOTHING = 1e-9
"""Shorter offsets, in metres, are rounding of zero."""


def loop_scale(model: Model) -> float:
    """The factor of tolerances in metres: 1, and for a small mechanism its longest offset in millimetres.

    Offsets are those from joint to joint, and of the frames that closures connect.  A small mechanism in a model with
    long offsets has scale 1.
    """
    ends = {name for c in model.closures if isinstance(c, Closure) for name in (c.first, c.second)}
    poses = [*(b.placement for b in model.bodies), *(model.frame(name).placement for name in ends)]
    longest = max((float(X.pos.norm()) for X in poses), default=0.0)
    return min(1.0, longest / SMALL) if longest > NOTHING else 1.0
