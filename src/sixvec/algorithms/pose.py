"""Where a frame is."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import world_pose
from sixvec.model import Model


@kernel("q -> pose[4,4]", loops="ignored")
def pose(model: Model, q: JointVector, frame: str) -> Any:
    """Pose of a frame in the world, as a homogeneous 4x4 matrix:  X_WF = Π X_PB(q).

    Composition of link-to-link transforms from the root (Featherstone (3) and (14)).  Bruyninckx (5.2), (5.9), (7.1).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.pose(robot.neutral(), "panda_link8")[:3, 3].round(3).tolist()
    [0.088, 0.0, 0.926]
    """
    return world_pose(model, q, model.frame(frame)).as_matrix()
