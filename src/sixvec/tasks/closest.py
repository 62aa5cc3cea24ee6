"""Gaps between shapes of a robot and others, as rows on scalars: how joint velocities change them.

Pairs of kinds whose gap has a closed form only; poses of obstacles are inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.parts.places import Places
from sixvec.distance.gradient import gap_gradient
from sixvec.distance.pairs.closed import CLOSED
from sixvec.distance.pairs.touch import Touch, nearest_touch
from sixvec.distance.shapes import CollisionShape
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

Pair = tuple[int, int]
"""Indices of two shapes: of the robot's, and on from these of the obstacles'."""


def has_closed_form(a: CollisionShape, b: CollisionShape) -> bool:
    """Whether the gap of two shapes is a function without a search."""
    return (a.kind, b.kind) in CLOSED or (b.kind, a.kind) in CLOSED


@dataclass(frozen=True)
class Gap:
    """A gap and how it changes with joint velocities."""

    size: Scalar
    row: Sequence[Scalar]


class Closest:
    """The gaps of groups of pairs: of each group the smallest one."""

    def __init__(self, shapes: Sequence[CollisionShape], obstacles: Sequence[CollisionShape]) -> None:
        self.shapes, self.own = (*shapes, *obstacles), len(shapes)

    def gaps(
        self, tree: Model, q: Sequence[Scalar], poses: Sequence[Any], groups: Sequence[Sequence[Pair]]
    ) -> list[Gap]:
        """At q, with obstacles at these poses (4, 4); both shapes of all pairs of a group are on the same bodies."""
        places, placed = Places(tree, q), dict[int, Pose]()

        def pose(k: int) -> Pose:
            if k not in placed:
                if k < self.own:
                    F = tree.frame(self.shapes[k].frame)
                    placed[k] = places.body(F.body) @ (F.placement @ self.shapes[k].placement)
                else:
                    placed[k] = pose_of(poses[k - self.own])
            return placed[k]

        def body(k: int) -> str | None:
            return tree.frame(self.shapes[k].frame).body if k < self.own else None

        result = []
        for group in groups:
            best = nearest_touch([touch for i, j in group for touch in self._touches(i, j, pose(i), pose(j))])
            first, second = (body(k) for k in group[0])
            moved: dict[str | None, Scalar] = {first: 1.0, second: -1.0}  # normals are from the second to the first
            result.append(Gap(best.gap, gap_gradient(places, moved, best.point, best.normal)))
        return result

    def _touches(self, i: int, j: int, X: Pose, Y: Pose) -> list[Touch]:
        """Nearest points with normals from shape j to shape i."""
        a, b = self.shapes[i], self.shapes[j]
        if (a.kind, b.kind) in CLOSED:
            return CLOSED[a.kind, b.kind](padded(a), X, padded(b), Y)
        return [Touch(t.point, -t.normal, t.gap) for t in CLOSED[b.kind, a.kind](padded(b), Y, padded(a), X)]


def padded(shape: CollisionShape) -> list[float]:
    return [*shape.sizes, 0.0, 0.0, 0.0][:3]


def pose_of(X: Any) -> Pose:
    """The pose of a 4x4 matrix of scalars."""
    return Pose(Rotation(Mat3(*(X[i][j] for i in range(3) for j in range(3)))), Vec3(*(X[i][3] for i in range(3))))
