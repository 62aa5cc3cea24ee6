"""How the joints before a frame move it, in its own axes.  There are no kernels here."""

from __future__ import annotations

from sixvec.algorithms.declaration import JointVector
from sixvec.model import Frame, Model
from sixvec.spatial import Motion, Pose


def frame_columns(model: Model, q: JointVector, F: Frame) -> tuple[list[Motion], Pose]:
    """The columns of a frame's Jacobian in its own axes, from the frame inward, and the world in the frame."""
    columns, X = [Motion.zero()] * model.nv, F.placement.inv().as_pose()
    for b in reversed(model.path(F.body)):
        columns[model.v_slices[b.name]] = [X @ S for S in b.subspace(q)]
        X = X @ b.joint.pose(q[b]).inv() @ b.placement.inv()
    return columns, X


def frame_velocity(model: Model, q: JointVector, v: JointVector, F: Frame) -> Motion:
    """The velocity of a frame in its own axes."""
    V, X = Motion.zero(), F.placement.inv().as_pose()
    for b in reversed(model.path(F.body)):
        V = sum((X @ S * rate for S, rate in zip(b.subspace(q), v[b], strict=True)), V)
        X = X @ b.joint.pose(q[b]).inv() @ b.placement.inv()
    return V
