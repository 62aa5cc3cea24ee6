"""How fast a frame's origin accelerates as a point."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.acceleration import body_motions
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.model import Model
from sixvec.spatial import Motion


@kernel("q v a -> acceleration[6]", loops="ignored")
def classical_acceleration(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    frame: str,
    reference: Reference = "local_world_aligned",
) -> Any:
    """Angular acceleration of a frame and acceleration of its origin as a point:  a_point = a + ω × v.

    With reference "world" the point is the body-fixed one that passes through the world's origin.  Gravity is not
    included.  Bruyninckx (5.20)-(5.22); Rodriguez-Kreutz (2.26), (2.27), (2.32).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> spin = [1, 0, 0, 0, 0, 0, 0]
    >>> robot.classical_acceleration(robot.neutral(), spin, [0] * 7, "panda_link8").round(3).tolist()
    [0.0, 0.0, 0.0, -0.088, 0.0, 0.0]
    """
    F = model.frame(frame)
    V, A = body_motions(model.path(F.body), q, v, a)
    X_RF = reference_pose(world_pose(model, q, F), reference)
    V_R, A_R = X_RF @ (F.placement.inv() @ V[F.body]), X_RF @ (F.placement.inv() @ A[F.body])
    return Motion(A_R.ang, A_R.lin + V_R.ang.cross(V_R.lin))
