"""Forces that joints make by themselves: damping, friction, springs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model
from sixvec.scalar import Scalar, where


@kernel("q v -> tau")
def passive_forces(model: Model, q: JointVector, v: JointVector) -> Any:
    """-d v - f sign(v) - k (q ⊖ rest): viscous damping, Coulomb friction and springs of the joints.

    At rest Coulomb friction is zero here: which force it takes inside its cone is for a solver to say.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.passive_forces(robot.neutral(), [1.0] * 7)).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    tau: list[Scalar] = [0.0] * model.nv
    for b in model.bodies:
        d, nothing = b.dynamics, (0.0,) * b.joint.nv
        stretch = b.joint.difference(d.rest or b.joint.neutral(), q[b]) if d.stiffness else nothing
        tau[model.v_slices[b.name]] = [
            -(damping * rate + friction * _sign(rate) + stiffness * x)
            for damping, friction, stiffness, rate, x in zip(
                d.damping or nothing, d.friction or nothing, d.stiffness or nothing, v[b], stretch, strict=True
            )
        ]
    return tau


def _sign(x: Scalar) -> Scalar:
    return where(x < 0.0, -1.0, where(x > 0.0, 1.0, 0.0))


def subtracted(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a - b, entry by entry."""
    return [x - y for x, y in zip(a, b, strict=True)]


def added(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a + b, entry by entry."""
    return [x + y for x, y in zip(a, b, strict=True)]
