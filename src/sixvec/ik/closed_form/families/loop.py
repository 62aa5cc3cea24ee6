"""Six revolute joints and their displacement as a closed loop that can be cut anywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.closed_form.chain import SerialChain, rodrigues


@dataclass(frozen=True, eq=False)
class Loop:
    """exp(S₁q₁) … exp(S₆q₆) = G for many displacements G at once, with lengths near one.

    Where the loop starts is free:  exp(S₂q₂) … exp(S₆q₆) exp(S₁'q₁) = G  with S₁' = Ad(G⁻¹) S₁ is equivalent, and so
    is the reversed loop.  `axes` and `points` have one row where all G share them, as they do before a cut.
    """

    axes: Array
    """(n or 1, 6, 3): unit directions."""
    points: Array
    """(n or 1, 6, 3): a point on each axis."""
    rot: Array
    """(n, 3, 3): rotation of G."""
    pos: Array
    """(n, 3): translation of G."""

    @classmethod
    def of(cls, chain: SerialChain, X: Array) -> Loop:
        """The loops of an arm for the poses X (n, 4, 4): lengths in arm sizes, measured from the middle of the arm."""
        middle = chain.points.mean(0)
        R = X[:, :3, :3] @ chain.tool_rot.T
        pos = X[:, :3, 3] + R @ (middle - chain.tool_pos) - middle
        return cls(chain.axes[None], (chain.points - middle)[None] / chain.size, R, pos / chain.size)

    def __len__(self) -> int:
        return len(self.pos)

    def __getitem__(self, which: NDArray[np.intp]) -> Loop:
        """The loops of some of the poses."""
        shared = len(self.axes) != len(self)
        axes, points = (self.axes, self.points) if shared else (self.axes[which], self.points[which])
        return Loop(axes, points, self.rot[which], self.pos[which])

    def cut(self, k: int) -> Loop:
        """The same loop with k joints moved from its start to its end."""
        if k == 0:
            return self
        axes = np.einsum("nji,nkj->nki", self.rot, np.broadcast_to(self.axes[:, :k], (len(self), k, 3)))
        points = np.einsum("nji,nkj->nki", self.rot, self.points[:, :k] - self.pos[:, None])
        shape = (len(self), 6 - k, 3)
        return replace(
            self, axes=np.concatenate([np.broadcast_to(self.axes[:, k:], shape), axes], 1),
            points=np.concatenate([np.broadcast_to(self.points[:, k:], shape), points], 1),
        )  # fmt: skip

    def backwards(self) -> Loop:
        """exp(-S₆q₆) … exp(-S₁q₁) = G⁻¹."""
        R = np.swapaxes(self.rot, 1, 2)
        return Loop(-self.axes[:, ::-1], self.points[:, ::-1], R, -np.einsum("nij,nj->ni", R, self.pos))

    def nudged(self, by: float, direction: int = 0) -> Loop:
        """Displacements nearby, translated and rotated in one of many generic directions."""
        h, e = np.random.default_rng(direction).normal(size=(2, 3))
        h, e = h / np.linalg.norm(h), e / np.linalg.norm(e)
        return replace(self, rot=rodrigues(h, np.float64(by)) @ self.rot, pos=self.pos + by * e)


def turned(h: Array, angle: Array, v: Array) -> Array:
    """The vectors v (..., 3) turned about the unit vectors h (..., 3)."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    return np.asarray(c * v + s * np.cross(h, v) + (1.0 - c) * (h * v).sum(-1, keepdims=True) * h)
