"""How fast a frame moves."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.model import Body, Model
from sixvec.spatial import Motion


def body_velocities(bodies: tuple[Body, ...], q: JointVector, v: JointVector) -> dict[str | None, Motion]:
    """V of each body in its own coordinates:  V_B = X_BP V_P + S v  (Featherstone (9))."""
    V: dict[str | None, Motion] = {None: Motion.zero()}
    for b in bodies:
        V[b.name] = b.pose_in_parent(q).inv() @ V[b.parent] + b.joint_velocity(q, v)
    return V


@kernel("q v -> velocity[6]", loops="ignored")
def velocity(
    model: Model, q: JointVector, v: JointVector, frame: str, reference: Reference = "local_world_aligned"
) -> Any:
    """Velocity (ω; v) of a frame, in rad/s and m/s.

    The linear part is that of the frame's origin, except for reference "world": there it is the velocity of the
    body-fixed point that passes through the *world's* origin, as spatial vectors have it (Featherstone (9)).
    Bruyninckx (5.15)-(5.17), (7.10)-(7.13); Rodriguez-Kreutz (2.25).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.velocity(robot.neutral(), [1, 0, 0, 0, 0, 0, 0], "panda_link8").round(3).tolist()
    [0.0, 0.0, 1.0, 0.0, 0.088, 0.0]
    """
    F = model.frame(frame)
    V_F = F.placement.inv() @ body_velocities(model.path(F.body), q, v)[F.body]
    return reference_pose(world_pose(model, q, F), reference) @ V_F
