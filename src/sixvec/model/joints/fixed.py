"""Fixed joint: no motion."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.model.joints.joint import Coordinates, Joint
from sixvec.spatial import Mat3, Motion, Pose


@dataclass(frozen=True)
class Fixed(Joint):
    """Body and parent are rigidly connected."""

    nq = nv = 0

    def pose(self, q: Coordinates) -> Pose:
        return Pose.identity()

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return ()

    def reversed(self) -> Joint:
        return self

    def mirrored(self, H: Mat3) -> Joint:
        return self
