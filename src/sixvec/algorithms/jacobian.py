"""How joint velocities move a frame."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.model import Frame, Model
from sixvec.spatial import Motion, Pose, Quaternion


def path_poses(model: Model, q: JointVector, F: Frame, reference: Reference) -> dict[str | None, Pose]:
    """X_RB of every body that moves the frame, in the reference R; the frame itself has the key None."""
    check_reference(reference)
    path = model.path(F.body)
    X: dict[str | None, Pose] = {}
    if reference == "local":  # from the frame back to the root
        Y = F.placement.inv().as_pose()
        for b in reversed(path):
            X[b.name] = Y
            Y = Y @ b.joint.pose(q[b]).inv() @ b.placement.inv()
        return X | {None: Pose.identity()}
    Y = Pose.identity()
    for b in path:
        X[b.name] = Y = Y @ b.placement @ b.joint.pose(q[b])
    X[None] = Y @ F.placement
    if reference == "local_world_aligned":  # the same axes, seen from the frame's origin
        X = {name: Pose(Y.rot, Y.pos - X[None].pos) for name, Y in X.items()}
    return X


def coordinate_jacobian(model: Model, q: JointVector, F: Frame, turn: EulerAngles | Quaternion, rows: int) -> Any:
    """How joint velocities change coordinates of a frame: of its rotation, as `turn` has them, and of its origin."""
    columns: list[list[Any]] = [[0.0] * rows for _ in range(model.nv)]
    X_R = path_poses(model, q, F, "local_world_aligned")
    for b in model.path(F.body):
        moved = [X_R[b.name] @ S for S in b.subspace(q)]
        columns[model.v_slices[b.name]] = [[*turn.rate_from_space(V.ang), *V.lin] for V in moved]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6


@kernel("q -> J[6,nv]", loops="ignored")
def jacobian(model: Model, q: JointVector, frame: str, reference: Reference = "local_world_aligned") -> Any:
    """The matrix J(q) with  velocity = J v: its columns are the joint axes S, expressed in the reference.

    Joints that do not move the frame have zero columns  (Featherstone (17)-(25)).
    Bruyninckx (5.23); Lynch-Park (9.91).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.jacobian(robot.neutral(), "panda_link8")[:, 0]).round(3).tolist()
    [0.0, 0.0, 1.0, 0.0, 0.088, 0.0]
    """
    F = model.frame(frame)
    X_R = path_poses(model, q, F, reference)
    columns = [Motion.zero()] * model.nv
    for b in model.path(F.body):
        columns[model.v_slices[b.name]] = [X_R[b.name] @ S for S in b.subspace(q)]
    return list(zip(*columns, strict=True)) if columns else [[]] * 6
