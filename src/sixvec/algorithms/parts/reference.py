"""In which axes and at which point a frame's velocity is reported."""

from __future__ import annotations

from typing import Literal, get_args

from sixvec.algorithms.declaration import JointVector
from sixvec.errors import ArgumentError
from sixvec.model import Frame, Model
from sixvec.spatial import Pose, Vec3

Reference = Literal["local_world_aligned", "local", "world"]
"""`local_world_aligned`: frame origin, world axes; `local`: frame origin and axes; `world`: world origin and axes."""

REFERENCES: tuple[Reference, ...] = get_args(Reference)


def check_reference(reference: str) -> None:
    if reference not in REFERENCES:
        near = str(reference).rpartition(".")[2].lower()  # Pinocchio writes them in capitals, in an enum
        near = {"body": "local", "space": "world", "spatial": "world"}.get(near, near)  # names in Modern Robotics
        hint = f'; write "{near}", angular part first' if near in REFERENCES else ""
        raise ArgumentError(f'no reference "{reference}"{hint}; references: {", ".join(REFERENCES)}')


def world_pose(model: Model, q: JointVector, frame: Frame) -> Pose:
    """X_WF, by composing the poses along the path from the root (Featherstone (14))."""
    X_WB = Pose.identity()
    for b in model.path(frame.body):
        X_WB = X_WB @ b.placement @ b.joint.pose(q[b])
    return X_WB @ frame.placement


def reference_pose(X_WF: Pose, reference: Reference) -> Pose:
    """The pose of the frame F in the reference R: the transform from frame coordinates to those of the result."""
    check_reference(reference)
    return {
        "local": Pose.identity(),
        "world": X_WF,
        "local_world_aligned": Pose(X_WF.rot, Vec3.zero()),
    }[reference]


def aligned_pose(X_WF: Pose, reference: Reference) -> Pose:
    """The pose of the reference R in `local_world_aligned`: the transform from R to world axes at F's origin."""
    check_reference(reference)
    return {
        "local": Pose(X_WF.rot, Vec3.zero()),
        "world": Pose.translation(-X_WF.pos),
        "local_world_aligned": Pose.identity(),
    }[reference]
