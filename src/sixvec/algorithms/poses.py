"""Where all frames are."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import WORLD, Model
from sixvec.spatial import Pose


def body_poses(model: Model, q: JointVector) -> dict[str | None, Pose]:
    """X_WB of every body."""
    X: dict[str | None, Pose] = {WORLD: Pose.identity()}
    for b in model.bodies:
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[b])
    return X


@kernel("q -> poses[nframes,4,4]", loops="ignored")
def poses(model: Model, q: JointVector) -> Any:
    """Poses of all frames in the world, in the order of `robot.frame_names`.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.poses(robot.neutral()).shape
    (9, 4, 4)
    """
    X = body_poses(model, q)
    return [(X[f.body] @ f.placement).as_matrix() for f in model.frames]
