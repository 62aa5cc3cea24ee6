"""How a frame's Jacobian changes with each joint."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.jacobian import path_poses
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model
from sixvec.spatial import Motion, Vec3


@kernel("q -> H[6,nv,nv]", loops="ignored")
def kinematic_hessian(model: Model, q: JointVector, frame: str, reference: Reference = "local_world_aligned") -> Any:
    """H[i, j, k] = ∂J[i, j]/∂q[k] in tangent coordinates, for the Jacobian of the same reference.

    Joint k carries the axis S_j if it is joint j or precedes it on the path, and moves the reference R along with R_k:

        ∂J_j/∂q_k = ([k carries j] J_k - R_k) × J_j

    "world" does not move (R_k = 0), "local" moves with the frame (R_k = J_k), "local_world_aligned" only translates.
    Summed with v over k it is `jacobian_derivative`  (Featherstone (28)-(33)).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.kinematic_hessian(robot.neutral(), "panda_link8").shape
    (6, 7, 7)
    """
    F = model.frame(frame)
    path = model.path(F.body)
    X_R = path_poses(model, q, F, reference)
    J = {b.name: [X_R[b.name] @ S for S in b.subspace(q)] for b in path}
    H = [[Motion.zero()] * model.nv for _ in range(model.nv)]
    for depth, b in enumerate(path):
        rows = range(model.v_slices[b.name].start, model.v_slices[b.name].stop)
        for other, c in enumerate(path):
            columns = range(model.v_slices[c.name].start, model.v_slices[c.name].stop)
            for k, J_k in zip(columns, J[c.name], strict=True):
                carried = (J_k if other <= depth else Motion.zero()) - _reference_motion(J_k, reference)
                for j, J_j in zip(rows, J[b.name], strict=True):
                    H[j][k] = carried.cross(J_j)
    six = [[[*entry] for entry in row] for row in H]
    return [[[six[j][k][i] for k in range(model.nv)] for j in range(model.nv)] for i in range(6)]


def _reference_motion(J_k: Motion, reference: Reference) -> Motion:
    """How the reference moves when joint k does."""
    moves = {"world": Motion.zero(), "local": J_k, "local_world_aligned": Motion(Vec3.zero(), J_k.lin)}
    return moves[reference]
