"""How a frame's Jacobian changes along a motion."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.jacobian import path_poses
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model
from sixvec.spatial import Motion, Vec3


@kernel("q v -> dJ[6,nv]", loops="ignored")
def jacobian_derivative(
    model: Model, q: JointVector, v: JointVector, frame: str, reference: Reference = "local_world_aligned"
) -> Any:
    """dJ/dt along the velocity v, for J of the same reference.

    A joint axis S is carried along by its body, and the reference R moves too:  J̇ = (V_B - V_R) × S, all in R's
    coordinates.  "world" does not move, "local" moves with the frame, "local_world_aligned" only translates.
    J̇ v + J a is the derivative of `velocity` in that reference  (Featherstone (28)-(33)).  Lynch-Park (9.92).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.jacobian_derivative(robot.neutral(), [1, 0, 0, 0, 0, 0, 0], "panda_link8").shape
    (6, 7)
    """
    F = model.frame(frame)
    path = model.path(F.body)
    X_R = path_poses(model, q, F, reference)
    V, total = {}, Motion.zero()
    for b in path:  # velocities in R's coordinates add up
        V[b.name] = total = total + X_R[b.name] @ b.joint_velocity(q, v)
    V_R = {
        "world": Motion.zero(),
        "local": total,
        "local_world_aligned": Motion(Vec3.zero(), total.lin),
    }[reference]
    columns = [Motion.zero()] * model.nv
    for b in path:
        relative = V[b.name] - V_R
        columns[model.v_slices[b.name]] = [relative.cross(X_R[b.name] @ S) for S in b.subspace(q)]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6
