"""Articulated-body inertia: the inertia of a body whose outboard joints are free to move."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, Frame, Model
from sixvec.model.coupling import coupling
from sixvec.spatial import ArticulatedInertia, RigidInertia


def _carried(model: Model, F: Frame) -> list[Body]:
    """The bodies that the body of a frame carries."""
    subtree = model.subtree(F.body) if F.body is not WORLD else model.bodies
    return [b for b in subtree if b.name != F.body]


def _with_followers(model: Model, q: JointVector, frame: str, **options: Any) -> Any:
    """Joints on the way to the frame may follow others; the force of one behind it would not pass through the frame."""
    carried = {b.name for b in _carried(model, model.frame(frame))}
    for b in model.bodies:
        if b.mimic and (b.name in carried or b.mimic.leader in carried):
            raise ModelError(
                f'{model.name}: the joint of "{b.name}" follows that of "{b.mimic.leader}", so "{frame}", which '
                f'carries "{b.name if b.name in carried else b.mimic.leader}", has no articulated inertia; '
                "use mass_matrix_inverse and jacobian instead"
            )
    c = coupling(model)
    return articulated_inertia.function(c.free, JointVector(c.positions(q), c.free.q_slices), frame, **options)


@kernel("q -> I[6,6]", loops="unsupported", mimic=_with_followers, requires=require_mass)
def articulated_inertia(model: Model, q: JointVector, frame: str, reference: Reference = "local_world_aligned") -> Any:
    """I^A with  f = I^A A + bias:  the wrench needed to accelerate the frame together with all bodies that it carries.

        I^A = I + Σ X (I^A_c - I^A_c S D⁻¹ Sᵀ I^A_c)  over the children c,   D = Sᵀ I^A_c S + diag(d)

    The joint that carries the body itself is cut.  Rows and columns are (angular; linear) at the reference's origin.
    Featherstone (49)-(64); Bruyninckx (6.26), with shafts Bruyninckx (6.21); several freedoms and trees are Bruyninckx
    §6.2.5 and §6.3.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.articulated_inertia(robot.neutral(), "panda_link8")[5, 5].round(6) == robot.model.bodies[7].inertia.mass
    np.True_
    """
    F = model.frame(frame)
    carried = _carried(model, F)
    names: list[str | None] = [F.body, *(b.name for b in carried)]
    IA = {n: ArticulatedInertia.of(model.by_name[n].inertia) if n is not WORLD else _nothing() for n in names}
    for b in reversed(carried):
        through = Transmission(IA[b.name], b.subspace(q), b.armature)
        IA[b.parent] = IA[b.parent] + b.pose_in_parent(q) @ through.inertia
    X_RF = reference_pose(world_pose(model, q, F), reference)
    felt = X_RF @ (F.placement.inv() @ IA[F.body])
    top = [[*a, *b] for a, b in zip(felt.rot.full.rows, felt.cross.rows, strict=True)]
    return top + [[*a, *b] for a, b in zip(felt.cross.T.rows, felt.lin.full.rows, strict=True)]


def _nothing() -> ArticulatedInertia:
    """The world itself: its inertia is not part of the robot."""
    return ArticulatedInertia.of(RigidInertia.zero())
