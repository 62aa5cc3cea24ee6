"""How long the tendons are."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.tendon_path import tendon_path
from sixvec.model import FixedTendon, Model
from sixvec.model.tendon import Tendon
from sixvec.scalar import Scalar


@kernel("q -> lengths[ntendons]", loops="ignored")
def tendon_lengths(model: Model, q: JointVector) -> Any:
    """Length of each tendon of `robot.model.tendons`, in m: muscles, cables, and weighted sums of joint positions.

    l = Σ |p_{i+1} - p_i| / divisor over the points of its path, plus the arcs over spheres and cylinders that are in
    the way; l = offset + Σ factor · q for a `FixedTendon`.  Bruyninckx §6.1.

    >>> import sixvec
    >>> from sixvec.model import SpatialTendon, ViaPoint
    >>> cable = SpatialTendon("cable", (ViaPoint("panda_link0"), ViaPoint("panda_link4"), ViaPoint("panda_link8")))
    >>> robot = sixvec.load("panda").with_tendons(cable)
    >>> robot.tendon_lengths(robot.neutral()).round(3).tolist()
    [0.931]
    """
    return [tendon_length(model, q, t) for t in model.tendons]


def tendon_length(model: Model, q: JointVector, t: Tendon) -> Scalar:
    """The length of one tendon."""
    if isinstance(t, FixedTendon):
        return sum((factor * q[model.joint_by_name[joint]][0] for joint, factor in t.terms), t.offset)
    return tendon_path(model, q, t).length
