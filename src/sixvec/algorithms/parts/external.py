"""External wrenches: forces on the robot, keyed by the frame where they act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.reference import Reference, reference_pose, world_pose
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.spatial import Force

Wrenches: TypeAlias = Mapping[str, Sequence[Scalar]]
"""Frame name -> (moment; force) that acts on the robot at that frame's origin."""


def body_wrenches(
    model: Model, q: JointVector, external: Wrenches | None, reference: Reference
) -> dict[str | None, Force]:
    """The sum of the external wrenches on each body, in the body's coordinates."""
    total: dict[str | None, Force] = {}
    for name, wrench in (external or {}).items():
        F = model.frame(name)
        X_RF = reference_pose(world_pose(model, q, F), reference)
        on_body = F.placement @ (X_RF.inv() @ Force.of(wrench))
        total[F.body] = total.get(F.body, Force.zero()) + on_body
    return total
