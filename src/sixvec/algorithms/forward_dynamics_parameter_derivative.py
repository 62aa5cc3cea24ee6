"""How the accelerations of forward dynamics change with the inertial parameters."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.bias_forces import bias_forces
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.factorization import Inverse
from sixvec.algorithms.inverse_dynamics_regressor import inverse_dynamics_regressor
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.singular import require_mass
from sixvec.model import Model
from sixvec.model.canonical import canonical


@kernel("q v tau -> dpi[nv,nparameters]", couples=True, own_bodies=True)
def forward_dynamics_parameter_derivative(model: Model, q: JointVector, v: JointVector, tau: JointVector) -> Any:
    """∂a/∂π of  a = FD(q, v, tau; π)  for the parameters π of `inverse_dynamics_regressor`.

    Differentiating  tau = ID(q, v, FD(q, v, tau; π); π)  gives  ∂FD/∂π = -M⁻¹ Y  at a = FD(q, v, tau).

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> robot.forward_dynamics_parameter_derivative(robot.neutral(), numpy.zeros(7), numpy.zeros(7)).shape
    (7, 70)
    """
    simple = canonical(model)
    require_mass(simple)
    M_inverse = Inverse(mass_matrix(simple, q))
    free = [[t - h] for t, h in zip(tau, bias_forces(simple, q, v), strict=True)]
    a = [row[0] for row in M_inverse.times(free)]
    return [[-x for x in row] for row in M_inverse.times(inverse_dynamics_regressor(model, q, v, a))]
