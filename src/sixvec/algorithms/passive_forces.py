"""Forces that joints make by themselves: damping, friction, springs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.model import Model
from sixvec.model.joints import Joint
from sixvec.scalar import Scalar, where
from sixvec.spatial import Motion
from sixvec.spatial.se3 import left_jacobian_inverse

Entry: TypeAlias = tuple[int, int, Scalar]
"""Row, column and value of an entry of a matrix."""

_SIX = 6


@kernel("q v -> tau", loops="open")
def passive_forces(model: Model, q: JointVector, v: JointVector, coulomb: bool = True) -> Any:
    """-d v - f sign(v) - k (q ⊖ rest): viscous damping, Coulomb friction and springs of the joints.

    At rest Coulomb friction is zero here: which force within ±f it takes there is for a time step to say, and
    `rollout` does.  `coulomb=False` leaves it out.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.passive_forces(robot.neutral(), [1.0] * 7)).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    tau: list[Scalar] = [0.0] * model.nv
    for b in model.bodies:
        d, nothing = b.dynamics, (0.0,) * b.joint.nv
        stretch = b.joint.difference(d.rest or b.joint.neutral(), q[b]) if d.stiffness else nothing
        friction = d.friction if coulomb and d.friction else nothing
        tau[model.v_slices[b.name]] = [
            -(damping * rate + f * _sign(rate) + stiffness * x)
            for damping, f, stiffness, rate, x in zip(
                d.damping or nothing, friction, d.stiffness or nothing, v[b], stretch, strict=True
            )
        ]
    return tau


def passive_slopes(model: Model, q: JointVector) -> tuple[list[Entry], list[Entry]]:
    """∂/∂q and ∂/∂v of `passive_forces`, their nonzero entries, in tangent coordinates.

    Coulomb friction jumps where a joint turns round and is constant elsewhere: it has no part in them.
    """
    dq: list[Entry] = []
    dv: list[Entry] = []
    for b in model.bodies:
        first = model.v_slices[b.name].start
        dv += [(first + i, first + i, -d) for i, d in enumerate(b.dynamics.damping)]
        if b.dynamics.stiffness:
            slope = _stretch_slope(b.joint, b.dynamics.rest or b.joint.neutral(), q[b])
            dq += [
                (first + i, first + j, -k * x)
                for i, (k, row) in enumerate(zip(b.dynamics.stiffness, slope, strict=True))
                for j, x in enumerate(row)
            ]
    return dq, dv


def _stretch_slope(joint: Joint, rest: Sequence[float], q: Sequence[Scalar]) -> list[list[Scalar]]:
    """∂(q ⊖ rest)/∂q in tangent coordinates: one for plain positions, else the derivative of the logarithm.

    log(X exp δ) = log X + J_l⁻¹(-log X) δ, since the step δ is taken in the body's own axes.
    """
    if joint.nq == joint.nv:
        return [[float(i == j) for j in range(joint.nv)] for i in range(joint.nv)]
    back = [-x for x in joint.difference(rest, q)]
    six = Motion.of(back if joint.nv == _SIX else [*back, 0.0, 0.0, 0.0])
    return [row[: joint.nv] for row in list(left_jacobian_inverse(six))[: joint.nv]]


def _sign(x: Scalar) -> Scalar:
    return where(x < 0.0, -1.0, where(x > 0.0, 1.0, 0.0))


def subtracted(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a - b, entry by entry."""
    return [x - y for x, y in zip(a, b, strict=True)]


def added(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a + b, entry by entry."""
    return [x + y for x, y in zip(a, b, strict=True)]
