"""A serial arm described by its axes, the input of closed forms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import DegenerateError
from sixvec.model import Model
from sixvec.model.canonical import canonical

SNAP = 1e-10
"""Coordinates this close to zero are treated as zero: files write π/2 with about ten digits."""


@dataclass(frozen=True, eq=False)
class SerialChain:
    """The joints that move a frame, as lines in space at q = 0: the data of a product of exponentials.

    `axes[i]` is the unit direction of axis i, `points[i]` a point on it, (`tool_rot`, `tool_pos`) the frame, all in
    world coordinates with every joint at zero:  X(q) = exp(S₁q₁) … exp(Sₙqₙ) X(0)  (Modern Robotics, 2017, ch. 4).

    >>> import sixvec
    >>> from sixvec.ik.closed_form import SerialChain
    >>> SerialChain.of(sixvec.load("puma560").model, "link6").kinds
    'RRRRRR'
    """

    names: tuple[str, ...]
    coordinates: tuple[int, ...]
    """The index of each joint in q."""
    kinds: str
    """A letter per joint: R turns, P slides."""
    axes: Array
    points: Array
    tool_rot: Array
    tool_pos: Array
    lower: Array
    upper: Array

    @classmethod
    def of(cls, model: Model, frame: str) -> SerialChain:
        """The chain from the root to a frame."""
        c = canonical(model)
        F = c.frame(frame)
        X, names, coordinates, kinds = np.eye(4), [], [], ""
        axes, points, lower, upper = [], [], [], []
        named = {b.name: b for b in model.bodies}
        for b in c.path(F.body):
            if b.mimic or not (b.joint.is_rotation or b.joint.is_translation):
                what = "mimics another joint" if b.mimic else f"is a {b.joint.kind}"
                raise DegenerateError(
                    f'{model.name}: the joint of "{b.name}" on the way to "{frame}" {what}; '
                    "closed forms need revolute and prismatic joints that move on their own"
                )
            X = X @ np.array(b.placement.as_matrix(), float)
            body = named.get(b.name)  # a joint of several freedoms has been split, and its limits with it
            single = body is not None and body.joint.nq == 1
            names.append((body.joint_name if body and single else "") or b.name)
            coordinates.append(c.q_slices[b.name].start)
            kinds += "R" if b.joint.is_rotation else "P"
            axes.append(X[:3, 2])
            points.append(X[:3, 3])
            lower.append(body.limits.lower[0] if body and single and body.limits.lower else -np.inf)
            upper.append(body.limits.upper[0] if body and single and body.limits.upper else np.inf)
        X = X @ np.array(F.placement.as_matrix(), float)
        return cls(
            tuple(names), tuple(coordinates), kinds, np.reshape(axes, (-1, 3)), np.reshape(points, (-1, 3)),
            X[:3, :3], X[:3, 3], np.array(lower, float), np.array(upper, float),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def size(self) -> float:
        """A characteristic length of the arm: the sum of the distances from joint to joint, at least 1 mm."""
        steps = np.diff(np.vstack([self.points, self.tool_pos]), axis=0)
        return max(float(np.linalg.norm(steps, axis=1).sum()), 1e-3)

    def reversed(self) -> SerialChain:
        """The same arm held by its tool: X(q)⁻¹ as a product of exponentials, joints from last to first."""
        R, p = self.tool_rot.T, -self.tool_rot.T @ self.tool_pos
        return replace(
            self, names=self.names[::-1], coordinates=self.coordinates[::-1], kinds=self.kinds[::-1],
            axes=-(self.axes @ R.T)[::-1], points=(self.points @ R.T + p)[::-1], tool_rot=R, tool_pos=p,
            lower=self.lower[::-1], upper=self.upper[::-1],
        )  # fmt: skip

    def with_points(self, points: ArrayLike) -> SerialChain:
        """Other points on the same axes."""
        return replace(self, points=snapped(np.array(points, float)))

    def snapped(self) -> SerialChain:
        """The chain with coordinates that are zero up to `SNAP` made exactly so, which removes them from programs."""
        return replace(
            self, axes=snapped(self.axes), points=snapped(self.points), tool_rot=snapped(self.tool_rot),
            tool_pos=snapped(self.tool_pos),
        )  # fmt: skip

    def pose(self, q: ArrayLike) -> Array:
        """The frame (..., 4, 4) at joint positions q (..., n), in chain order."""
        R, p, _ = self.moved(np.asarray(q, float))
        X = np.zeros((*p.shape[:-1], 4, 4))
        X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = R, p, 1.0
        return X

    def moved(self, q: Array) -> tuple[Array, Array, Array]:
        """The frame's rotation and position, and its twist (..., 6, n) for each joint's unit rate, lengths in sizes."""
        R, p = np.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3)), np.zeros((*q.shape[:-1], 3))
        axes, places = np.empty((2, len(self), *p.shape))
        for i, (kind, h, c) in enumerate(zip(self.kinds, self.axes, self.points, strict=True)):
            axes[i], places[i] = R @ h, p + R @ c
            if kind == "P":
                p = p + axes[i] * q[..., i, None]
                continue
            turn = rodrigues(h, q[..., i])
            p = p + np.einsum("...ij,...j->...i", R, c - turn @ c)
            R = R @ turn
        p = p + R @ self.tool_pos
        turns = np.array([kind == "R" for kind in self.kinds]).reshape(-1, *(1,) * p.ndim)
        columns = [np.where(turns, axes, 0.0), np.where(turns, np.cross(axes, p - places) / self.size, axes)]
        return R @ self.tool_rot, p, np.moveaxis(np.concatenate(columns, axis=-1), 0, -1)


def rodrigues(h: Array, angle: Any) -> Array:
    """The rotation matrices about the unit vector h."""
    K = np.array([[0.0, -h[2], h[1]], [h[2], 0.0, -h[0]], [-h[1], h[0], 0.0]])
    c, s = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
    return np.asarray(np.eye(3) + s * K + (1.0 - c) * (K @ K))


def snapped(x: Array) -> Array:
    """Entries within `SNAP` of -1, 0 and 1 made exact."""
    near = np.rint(x)
    return np.where((np.abs(x - near) < SNAP) & (np.abs(near) <= 1.0), near, x)
