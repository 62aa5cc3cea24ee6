"""How joint velocities change the lengths of tendons."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.tendon_path import tendon_path
from sixvec.model import FixedTendon, Model
from sixvec.model.tendon import Tendon
from sixvec.scalar import Scalar


@kernel("q -> J[ntendons,nv]", loops="ignored")
def tendon_jacobian(model: Model, q: JointVector) -> Any:
    """The matrix J(q) with  l̇ = J v  for the lengths of the tendons; a muscle's moment arms are -J, in m.

    Tendons with tensions t ≥ 0 exert the joint forces  τ = -Jᵀ t.  The column of an axis S is its power on the lines
    of the straight parts that cross the joint, S · (p × u; u): arcs over shapes only press on them.  Joints that a
    tendon does not span have zero columns.  Bruyninckx §6.1.

    >>> import sixvec
    >>> from sixvec.model import SpatialTendon, ViaPoint
    >>> cable = SpatialTendon("cable", (ViaPoint("panda_link2"), ViaPoint("panda_link4")))
    >>> robot = sixvec.load("panda").with_tendons(cable)
    >>> J = robot.tendon_jacobian(robot.neutral() + 0.1)
    >>> (J != 0.0).tolist()  # it spans the third and fourth joint; the third turns about a line through its first point
    [[False, False, False, True, False, False, False]]
    """
    rows = []
    for t in model.tendons:
        columns = tendon_columns(model, q, t)
        rows.append([columns.get(i, 0.0) for i in range(model.nv)])
    return rows


@kernel("q v -> rates[ntendons]", loops="ignored")
def tendon_velocities(model: Model, q: JointVector, v: JointVector) -> Any:
    """Rate of change of each tendon's length, in m/s, negative while it shortens:  l̇ = J v.

    >>> import sixvec
    >>> from sixvec.model import SpatialTendon, ViaPoint
    >>> cable = SpatialTendon("cable", (ViaPoint("panda_link0"), ViaPoint("panda_link8")))
    >>> robot = sixvec.load("panda").with_tendons(cable)
    >>> q, v = robot.random(0), [0.1] * 7
    >>> bool(abs(robot.tendon_velocities(q, v) - robot.tendon_jacobian(q) @ v).max() < 1e-15)
    True
    """
    return [sum((x * v[i] for i, x in tendon_columns(model, q, t).items()), 0.0) for t in model.tendons]


def tendon_columns(model: Model, q: JointVector, t: Tendon) -> dict[int, Scalar]:
    """∂length/∂q of the coordinates that a tendon spans."""
    if isinstance(t, FixedTendon):
        return {model.v_slices[model.joint_by_name[joint].name].start: factor for joint, factor in t.terms}
    return tendon_path(model, q, t).columns(model, q)
