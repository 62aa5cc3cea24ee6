"""How the accelerations of forward dynamics change with position, velocity and joint force."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.constrained_dynamics_derivatives import constrained_dynamics_derivatives
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.factorization import Inverse
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.model import Model


def _with_loops(model: Model, q: JointVector, v: JointVector, tau: JointVector, **acting: Any) -> Any:
    return constrained_dynamics_derivatives(model, q, v, tau, **acting)[:3]


@kernel(
    "q v tau external -> dq[nv,nv] dv[nv,nv] dtau[nv,nv]", loops=_with_loops, mimic="handled", requires=require_mass
)
def forward_dynamics_derivatives(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> Any:
    """∂a/∂q, ∂a/∂v and ∂a/∂tau = M⁻¹, each (nv, nv), in tangent coordinates.

    Differentiating  tau = ID(q, v, FD(q, v, tau))  gives  ∂FD/∂x = -M⁻¹ ∂ID/∂x  at a = FD(q, v, tau).
    `external` wrenches and `passive` forces are those of `forward_dynamics`.  Loops: see
    `constrained_dynamics_derivatives`, whose first three results these are.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q = robot.neutral()
    >>> d = robot.forward_dynamics_derivatives(q, q, q)
    >>> numpy.allclose(d.dtau, robot.mass_matrix_inverse(q))
    True
    """
    acting: dict[str, Any] = {"external": external, "external_reference": external_reference, "passive": passive}
    M_inverse = Inverse(mass_matrix(model, q))
    bias = inverse_dynamics(model, q, v, [0.0] * model.nv, **acting)
    free = [[t - h] for t, h in zip(tau, bias, strict=True)]
    a = [row[0] for row in M_inverse.times(free)]
    dq, dv, _ = inverse_dynamics_derivatives(model, q, v, a, **acting)
    return _negative(M_inverse.times(dq)), _negative(M_inverse.times(dv)), M_inverse.full()


def _negative(A: list[list[Any]]) -> list[list[Any]]:
    return [[-x for x in row] for row in A]
