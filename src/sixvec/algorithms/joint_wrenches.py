"""Forces and moments across the joints."""

from __future__ import annotations

from typing import Any, Literal, get_args

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import body_forces
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.poses import body_poses
from sixvec.errors import ArgumentError
from sixvec.model import WORLD, Body, Model
from sixvec.model.coupling import coupling
from sixvec.spatial import Pose, Vec3

JointReference = Literal["joint", "body", "local_world_aligned", "world"]
"""`joint`: origin and axes of the joint frame, which moves with the body; `body`: the frame with the body's name;
`local_world_aligned`: the joint's origin, world axes; `world`: world origin and axes."""

JOINT_REFERENCES: tuple[JointReference, ...] = get_args(JointReference)


def _of_leaders(model: Model, q: JointVector, v: JointVector, a: JointVector, **options: Any) -> Any:
    """`joint_wrenches` of a robot with joints that mimic others: the rows of the independent ones."""
    c = coupling(model)
    rows = joint_wrenches(c.free, c.positions(q), c.velocities(v), c.velocities(a), **options)
    by_name = {b.name: row for b, row in zip(c.free.moving, rows, strict=True)}
    return [by_name[b.name] for b in model.moving]


@kernel("q v a external -> wrenches[njoints,6]", loops="unsupported", mimic=_of_leaders, original_bodies=True)
def joint_wrenches(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    reference: JointReference = "joint",
) -> Any:
    """Wrench (moment; force) that the parent exerts on each body through its joint, in N m and N.

    f_i = I_i a_i + v_i ×* I_i v_i - f_external,i + Σ f_j over the children j, with gravity as an upward
    acceleration of the base.  It is what the bearings and the motor carry together: Sᵀ f is the force of
    `inverse_dynamics`, without the part that accelerates a rotor (`armature`), and the other components load the
    bearings.  One row per joint, in the order of `robot.joint_names`.  The row of a free joint is the wrench that the
    motion would need from the world.

    `reference` is "joint" (origin and axes of the joint frame, which moves with the body), "body" (the frame with the
    name of the body), "local_world_aligned" (the joint's origin, world axes) or "world" (world origin and axes).

    Recursive Newton-Euler algorithm, O(n).
    Featherstone (12); Lynch-Park (9.42), (9.56); Rodriguez-Kreutz (2.29).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> zero = robot.neutral()
    >>> wrench = robot.joint_wrenches(zero, zero, zero, reference="world")
    >>> wrench.shape, wrench[0, 5].round(2).item()  # the first joint carries the weight of all links but the base
    ((7, 6), 157.57)
    """
    F = body_forces(model, q, v, a, body_wrenches(model, q, external, external_reference))
    for b in reversed(model.bodies):  # tips to root
        if b.parent is not WORLD:
            F[b.parent] = F[b.parent] + b.pose_in_parent(q) @ F[b.name]  # Featherstone (12)
    return [_referred(model, q, reference)(b) @ F[b.name] for b in model.moving]


def _referred(model: Model, q: JointVector, reference: JointReference) -> Any:
    """For each body, the pose of its joint frame in the reference."""
    if reference not in JOINT_REFERENCES:
        raise ArgumentError(f'no reference "{reference}"; references of joints: {", ".join(JOINT_REFERENCES)}')
    X_WB = body_poses(model, q) if reference in ("world", "local_world_aligned") else {}

    def pose(b: Body) -> Pose:
        if reference == "body":
            named = [f.placement for f in model.frames if f.name == b.name and f.body == b.name]
            return named[0].inv() @ Pose.identity() if named else Pose.identity()
        X = X_WB.get(b.name, Pose.identity())
        return X if reference == "world" else Pose(X.rot, Vec3.zero())

    return pose
