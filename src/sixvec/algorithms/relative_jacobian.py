"""How joint velocities move one frame as seen from another."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.model import Model
from sixvec.spatial import Motion, Pose


@kernel("q -> J[6,nv]", loops="ignored")
def relative_jacobian(
    model: Model, q: JointVector, frame: str, base: str | None = None, reference: Reference = "local_world_aligned"
) -> Any:
    """The matrix J(q) with J v = the velocity of `frame` relative to `base`.

    The base replaces the world in the reference: "local_world_aligned" is the frame's origin in the base's
    axes, "local" the frame's origin and axes, "world" the base's origin and axes.  So J is the derivative of
    X_BF = X_WB⁻¹ X_WF, and with the world itself as base (None) it is `jacobian`.

    Only the joints between the two have columns:  V_F - V_B = Σ_F S v - Σ_B S v, where joints that carry both cancel
    (Bruyninckx §5.3.4 and §5.5.4, with the minus sign for the branch traversed in reverse).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> J = robot.relative_jacobian(robot.neutral(), "panda_link8", "panda_link5")
    >>> [bool(column.any()) for column in J.T]
    [False, False, False, False, False, True, True]
    """
    F, B = model.frame(frame), None if base is None else model.frame(base)
    outward, inward = model.path(F.body), () if B is None else model.path(B.body)
    shared = {b.name for b in outward} & {b.name for b in inward}
    X_FW = world_pose(model, q, F).inv().as_pose()
    X_BF = world_pose(model, q, F) if B is None else world_pose(model, q, B).inv().as_pose() @ X_FW.inv()
    X_RF = reference_pose(X_BF, reference)
    columns = [Motion.zero()] * model.nv
    for path, sign in ((outward, 1.0), (inward, -1.0)):
        X_WB = Pose.identity()
        for b in path:
            X_WB = X_WB @ b.placement @ b.joint.pose(q[b])
            if b.name not in shared:
                X_RB = X_RF @ X_FW @ X_WB
                columns[model.v_slices[b.name]] = [(X_RB @ S) * sign for S in b.subspace(q)]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6
