"""How the accelerations of forward dynamics change with the inertial parameters."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.inverse_dynamics_regressor import inverse_dynamics_regressor
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.factorization import Inverse
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.singular import require_mass
from sixvec.model import Model
from sixvec.model.canonical import canonical


@kernel("q v tau external -> dpi[nv,nparameters]", loops="unsupported", mimic="handled", original_bodies=True)
def forward_dynamics_parameter_derivative(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> Any:
    """∂a/∂π of  a = FD(q, v, tau; π)  for the parameters π of `inverse_dynamics_regressor`.

    Differentiating  tau = ID(q, v, FD(q, v, tau; π); π)  gives  ∂FD/∂π = -M⁻¹ Y  at a = FD(q, v, tau).
    `external` wrenches and `passive` forces are those of `forward_dynamics`.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.forward_dynamics_parameter_derivative(robot.neutral(), numpy.zeros(7), numpy.zeros(7)).shape
    (7, 70)
    """
    simple = canonical(model)
    require_mass(simple)
    M_inverse = Inverse(mass_matrix(simple, q))
    acting: dict[str, Any] = {"external": external, "external_reference": external_reference, "passive": passive}
    bias = inverse_dynamics(simple, q, v, [0.0] * model.nv, **acting)
    free = [[t - h] for t, h in zip(tau, bias, strict=True)]
    a = [row[0] for row in M_inverse.times(free)]
    return [[-x for x in row] for row in M_inverse.times(inverse_dynamics_regressor(model, q, v, a))]
