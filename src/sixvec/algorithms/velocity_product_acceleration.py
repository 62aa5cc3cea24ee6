"""The acceleration of a frame at zero joint acceleration."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.acceleration import body_motions
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.model import Model


@kernel("q v -> acceleration[6]", loops="ignored")
def velocity_product_acceleration(
    model: Model, q: JointVector, v: JointVector, frame: str, reference: Reference = "local_world_aligned"
) -> Any:
    """a_vp, the part of the spatial acceleration that is quadratic in v:  acceleration = J a + a_vp.

    It is the acceleration at a = 0 (Featherstone (30)-(33)).  In "world" and "local" coordinates it equals J̇ v.
    In "local_world_aligned" J̇ v is the *point's* acceleration at a = 0, which is a_vp + (0; ω × v).

    >>> import sixvec
    >>> robot = sixvec.load("planar_2r")
    >>> robot.velocity_product_acceleration([0.0, 0.0], [1.0, 1.0], "tip").round(3).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    F = model.frame(frame)
    zero_rates = JointVector([0.0] * model.nv, model.v_slices)
    _, A = body_motions(model.path(F.body), q, v, zero_rates)
    return reference_pose(world_pose(model, q, F), reference) @ (F.placement.inv() @ A[F.body])
