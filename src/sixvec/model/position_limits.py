"""The range and the speed of each independent coordinate, including the limits of the joints that follow it."""

from __future__ import annotations

import math

from sixvec.model.coupling import coupling
from sixvec.model.model import Model


def position_limits(model: Model) -> tuple[list[float], list[float]]:
    """Lower and upper limits of q within which every joint is within its limits, mimic joints included.

    A follower  q_f = k q + o  within [l, u]  requires of its leader  (l - o)/k ≤ q ≤ (u - o)/k,  with the ends
    exchanged for k < 0.  A follower that would leave its leader no range at all is ignored: published files contain
    sign errors (the grippers of the PR2), and an immobile joint is not intended.
    """
    lower, upper = [-math.inf] * model.nq, [math.inf] * model.nq
    for b in model.moving:
        at = model.q_slices[b.name]
        lower[at] = b.limits.lower or lower[at]
        upper[at] = b.limits.upper or upper[at]
    law = coupling(model)
    for b in law.free.moving:
        i, factor, offset = law.q[law.free.q_slices[b.name].start]
        if model.by_name[b.name].mimic and factor != 0.0:
            low, high = b.limits.lower or (-math.inf,), b.limits.upper or (math.inf,)
            ends = sorted(((low[0] - offset) / factor + 0.0, (high[0] - offset) / factor + 0.0))
            narrow = max(lower[i], ends[0]), min(upper[i], ends[1])
            if narrow[0] < narrow[1]:
                lower[i], upper[i] = narrow
    return lower, upper


def velocity_limits(model: Model) -> list[float]:
    """Largest speeds of v at which every joint is within its limit, mimic joints included.

    A follower  v_f = k v  with the limit l requires |v| ≤ l / |k| of its leader; a limit of zero is ignored, as above.
    """
    fastest = [math.inf] * model.nv
    for b in model.moving:
        at = model.v_slices[b.name]
        fastest[at] = b.limits.velocity or fastest[at]
    law = coupling(model)
    for b in law.free.moving:
        i, factor, _ = law.v[law.free.v_slices[b.name].start]
        if model.by_name[b.name].mimic and factor != 0.0 and b.limits.velocity and b.limits.velocity[0] > 0.0:
            fastest[i] = min(fastest[i], b.limits.velocity[0] / abs(factor))
    return fastest
