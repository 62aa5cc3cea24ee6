"""Properties of a row of a table besides its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sixvec.model import JointDynamics, Limits
from sixvec.spatial import Pose, RigidInertia


@dataclass(frozen=True, slots=True)
class Link:
    """The link that a row describes: names, inertia, the limits and the dynamics of its joint, frames on it.

    Inertia and frames are given in the link's frame of the table.  Empty names become link1, joint1 …;
    `frames` None gives the link one frame, of its own name, at the frame of the table.

    >>> Link("forearm", inertia=RigidInertia.zero()).name
    'forearm'
    """

    name: str = ""
    joint_name: str = ""
    inertia: RigidInertia = field(default_factory=RigidInertia.zero)
    limits: Limits = field(default_factory=Limits)
    dynamics: JointDynamics = field(default_factory=JointDynamics)
    frames: tuple[tuple[str, Pose], ...] | None = None

    def seen_from(self, X: Pose) -> Link:
        """The same link with inertia and frames in A's coordinates, where X = X_AB is the pose of its frame B."""
        frames = None if self.frames is None else tuple((name, X @ Y) for name, Y in self.frames)
        return replace(self, inertia=X @ self.inertia, frames=frames)
