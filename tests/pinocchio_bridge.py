"""The same robot in Pinocchio, and the way from our coordinates to its own.

Pinocchio sorts the children of a link by name, gives a joint without limits two coordinates (cos, sin), and writes
6-D vectors with the linear part first.  Quaternions (x, y, z, w) and the position before them are as ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from published import Published

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle")

REFERENCES = {
    "local": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
    "local_world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}
SWAPPED = [3, 4, 5, 0, 1, 2]
"""Angular and linear part, the other way round."""


class Peer:
    """A Pinocchio model, with `to_q` for positions and `order` for everything that is indexed like a velocity."""

    def __init__(self, published: Published) -> None:
        self.robot = published.load()
        root = (pin.JointModelFreeFlyer(),) if published.floating else ()
        self.model = pin.buildModelFromUrdf(str(published.path), *root)
        self.data = self.model.createData()
        model, ours = self.model, self.robot.model
        by_joint = {b.joint_name or b.name: b for b in ours.moving}
        self.order, self._q = [], []
        for name, joint in zip(model.names[1:], model.joints[1:], strict=True):
            body = by_joint[name]
            v = list(range(ours.nv))[ours.v_slices[body.name]]
            self.order += [v[i] for i in SWAPPED] if len(v) == 6 else v
            self._q.append((ours.q_slices[body.name], slice(joint.idx_q, joint.idx_q + joint.nq)))
        assert sorted(self.order) == list(range(ours.nv)) and model.nv == ours.nv
        self.back = np.argsort(self.order)

    def to_q(self, q: np.ndarray) -> np.ndarray:
        """One of our positions, as Pinocchio's."""
        result = np.zeros(self.model.nq)
        for ours, theirs in self._q:
            turns = theirs.stop - theirs.start == 2
            result[theirs] = [np.cos(q[ours][0]), np.sin(q[ours][0])] if turns else q[ours]
        return result

    def vector(self, x: np.ndarray) -> np.ndarray:
        """One of their velocities or joint forces, as ours."""
        return x[self.back]

    def matrix(self, A: np.ndarray) -> np.ndarray:
        """One of their (nv, nv) matrices, as ours."""
        return A[np.ix_(self.back, self.back)]

    def columns(self, J: np.ndarray) -> np.ndarray:
        """One of their (6, nv) Jacobians, as ours."""
        return J[SWAPPED][:, self.back]

    def frame(self, name: str) -> int:
        return self.model.getFrameId(name, pin.FrameType.BODY)

    def each(self, f: Callable[..., Any], q: np.ndarray, *vectors: np.ndarray) -> Any:
        """f(q, v, ...) in their coordinates for each of our samples; several results come as a tuple."""
        rows = [f(self.to_q(x), *(v[self.order] for v in others)) for x, *others in zip(q, *vectors, strict=True)]
        return tuple(map(np.array, zip(*rows))) if isinstance(rows[0], tuple) else np.array(rows)


@cache
def peer(published: Published) -> Peer:
    return Peer(published)


def six(motion: Any) -> np.ndarray:
    """A motion or force of theirs, angular part first."""
    return np.array(motion.vector)[SWAPPED]
