"""The bias wrench of a frame's dynamics: velocity products and gravity."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.acceleration import acceleration
from sixvec.algorithms.classical_acceleration import classical_acceleration
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.forward_dynamics import forward_dynamics
from sixvec.algorithms.operational_space_inertia import damped_inverse
from sixvec.algorithms.parts.mobility import mobility_blocks
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model


@kernel("q v -> eta[6]", loops="enforced", mimic="handled")
def task_space_bias(
    model: Model,
    q: JointVector,
    v: JointVector,
    frame: str,
    reference: Reference = "local_world_aligned",
    damping: float = 0.0,
) -> Any:
    """η(q, v) of the task-space dynamics  F = Λ V̇ + η, τ = Jᵀ F  (Lynch-Park §9.6; Khatib 1987).

    V̇ is the derivative of `velocity` in the same reference.  η = Λ (J M⁻¹ (C v + g) - J̇ v): minus Λ times the V̇
    of forward dynamics at zero joint force.  This equals Lynch-Park's  J⁻ᵀ (C v + g) - Λ J̇ J⁻¹ V  where J
    is square, and needs no inverse of J.  nan at singular positions: use `damping`, as in
    `operational_space_inertia`, or `sixvec.analysis.task_space_dynamics`.  Loops are respected at positions where they
    are closed and velocities that keep them so.  Lynch-Park (9.99).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, rest = robot.random(0), [0.0] * 7
    >>> held = robot.jacobian(q, "panda_link8").T @ robot.task_space_bias(q, rest, "panda_link8")
    >>> numpy.allclose(robot.jacobian(q, "panda_link8") @ robot.forward_dynamics(q, rest, held), 0.0)
    True
    """
    Lambda = damped_inverse(model, frame, mobility_blocks(model, q, [frame], reference), damping)
    a = forward_dynamics(model, q, v, [0.0] * model.nv)
    # With axes that stay and an origin that moves along, the six numbers of V change as the *point* accelerates.
    rate = classical_acceleration if reference == "local_world_aligned" else acceleration
    fall = rate(model, q, v, a, frame=frame, reference=reference)
    return [-sum(x * y for x, y in zip(row, fall, strict=True)) for row in Lambda]
