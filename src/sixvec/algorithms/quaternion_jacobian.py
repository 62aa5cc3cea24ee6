"""How joint velocities change the quaternion and the position of a frame."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.jacobian import coordinate_jacobian
from sixvec.algorithms.parts.reference import world_pose
from sixvec.model import Model
from sixvec.spatial import Quaternion


@kernel("q -> J[7,nv]", loops="ignored")
def quaternion_jacobian(model: Model, q: JointVector, frame: str) -> Any:
    """Ĵ = ∂X/∂q for X = (unit quaternion x y z w; position of the frame's origin), in the world.

    Seven rows of rank 6 at most, without representation singularities: the quaternion's rate is ½ (ω, 0) ∘ q, at right
    angles to the quaternion (Bruyninckx §5.5.2, §3.23.5).  The sign of the quaternion is that of
    `Quaternion.from_rotation`.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.quaternion_jacobian(robot.neutral(), "panda_link8")[:, 0].round(3).tolist()
    [-0.0, 0.5, 0.0, -0.0, -0.0, 0.088, 0.0]
    """
    F = model.frame(frame)
    turn = Quaternion.from_rotation(world_pose(model, q, F).rot)
    return coordinate_jacobian(model, q, F, turn, 7)
