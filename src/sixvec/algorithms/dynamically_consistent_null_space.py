"""The joint motions that leave a frame at rest."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.dynamically_consistent_inverse import dynamically_consistent_inverse
from sixvec.algorithms.jacobian import jacobian
from sixvec.algorithms.parts.factorization import dot
from sixvec.algorithms.parts.loop_response import LoopResponse
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model


@kernel("q -> N[nv,nv]", loops="enforced", mimic="handled")
def dynamically_consistent_null_space(
    model: Model,
    q: JointVector,
    frame: str,
    reference: Reference = "local_world_aligned",
    damping: float = 0.0,
) -> Any:
    """N(q) = 1 - J̄ J: removes from joint velocities or accelerations the part that moves the frame  (Khatib 1987).

    J N = 0 and N N = N.  Its transpose does the same for joint forces: J M⁻¹ Nᵀ = 0, so Nᵀ τ₀ changes only the posture.
    With loops N = (1 - J̄ J) K M, which also removes the part that opens them: A N = 0.
    With `damping` both hold approximately.  Without it, N does not depend on the reference; with it, N depends on the
    reference's origin.  nan at singular positions: use `damping`, as in `operational_space_inertia`, or
    `sixvec.analysis.task_space_dynamics`.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> N = robot.dynamically_consistent_null_space(q, "panda_link8")
    >>> numpy.allclose(robot.jacobian(q, "panda_link8") @ N, 0.0), round(float(numpy.trace(N)), 9)
    (True, 1.0)
    """
    Jbar = dynamically_consistent_inverse(model, q, frame=frame, reference=reference, damping=damping)
    J = jacobian(model, q, frame=frame, reference=reference)
    units = [[float(i == j) for i in range(model.nv)] for j in range(model.nv)]
    moves = list(map(LoopResponse(model, q).to_velocity, units)) if model.is_constrained else units
    columns = [_without(x, Jbar, [dot(row, x) for row in J]) for x in moves]
    return [list(row) for row in zip(*columns, strict=True)]


def _without(x: list[Any], Jbar: list[list[Any]], V: list[Any]) -> list[Any]:
    """x - J̄ V."""
    return [y - dot(row, V) for y, row in zip(x, Jbar, strict=True)]
