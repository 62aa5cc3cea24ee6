"""How fast a frame's velocity changes: the spatial acceleration."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.model import Body, Model
from sixvec.spatial import Motion


def body_motions(
    bodies: tuple[Body, ...], q: JointVector, v: JointVector, a: JointVector
) -> tuple[dict[str | None, Motion], dict[str | None, Motion]]:
    """Velocities and spatial accelerations of the bodies, in their own coordinates (Featherstone (9), (10))."""
    V: dict[str | None, Motion] = {None: Motion.zero()}
    A: dict[str | None, Motion] = {None: Motion.zero()}
    for b in bodies:
        X_BP = b.pose_in_parent(q).inv()
        vJ = b.joint_velocity(q, v)
        V[b.name] = X_BP @ V[b.parent] + vJ  # Featherstone (9)
        A[b.name] = X_BP @ A[b.parent] + b.joint_acceleration(q, v, a) + V[b.name].cross(vJ)  # Featherstone (10)
    return V, A


@kernel("q v a -> acceleration[6]", loops="ignored")
def acceleration(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    frame: str,
    reference: Reference = "local_world_aligned",
) -> Any:
    """Spatial acceleration of a frame: the derivative of its spatial velocity, gravity not included.

    A spatial acceleration is a vector like a velocity: it changes axes and reference point by the same rule.  The
    acceleration of the frame's origin as a point is `classical_acceleration`  (Featherstone (10)).
    Featherstone (28), (29).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> spin = [1, 0, 0, 0, 0, 0, 0]
    >>> robot.acceleration(robot.neutral(), spin, [0] * 7, "panda_link8").round(3).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    F = model.frame(frame)
    _, A = body_motions(model.path(F.body), q, v, a)
    return reference_pose(world_pose(model, q, F), reference) @ (F.placement.inv() @ A[F.body])
