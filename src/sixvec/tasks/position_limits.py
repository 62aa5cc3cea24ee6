"""Position limits of the coordinates that have any, as numbers in a trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.model import Model
from sixvec.scalar import Scalar, where

Row = list[Scalar]


class Bounds:
    """The limits by coordinate of v: the coordinate of q, lower and upper."""

    def __init__(self, lower: Any, upper: Any, model: Model) -> None:
        self.of: dict[int, tuple[int, float, float]] = {}
        for b in model.moving:
            if b.joint.nq != b.joint.nv:
                continue  # single entries of quaternions have no limits
            at_q, at_v = model.q_slices[b.name].start, model.v_slices[b.name].start
            for k in range(b.joint.nv):
                if np.isfinite(lower[at_q + k]) or np.isfinite(upper[at_q + k]):
                    self.of[at_v + k] = (at_q + k, float(lower[at_q + k]), float(upper[at_q + k]))

    def free(self, q: Any, push: Row) -> Row:
        """1 for each joint that may follow `push`, 0 for one at a limit that is pushed against it."""
        free: Row = [1.0] * len(push)
        for k, (i, low, high) in self.of.items():
            is_free = free[k]
            if np.isfinite(low):
                is_free = where(q[i] > low, is_free, where(push[k] < 0.0, 0.0, is_free))
            if np.isfinite(high):
                is_free = where(q[i] < high, is_free, where(push[k] > 0.0, 0.0, is_free))
            free[k] = is_free
        return free

    def clipped(self, q: Any) -> Row:
        result = list(q)
        for i, low, high in self.of.values():
            x = result[i]
            x = where(x < low, low, x) if np.isfinite(low) else x
            result[i] = where(x > high, high, x) if np.isfinite(high) else x
        return result
