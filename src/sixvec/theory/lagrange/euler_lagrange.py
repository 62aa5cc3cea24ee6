"""Equations of motion from the energies alone, by automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.rotor_forces import brackets
from sixvec.arguments import Array
from sixvec.kernels.as_robot import as_robot
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.theory.lagrange.inputs import vectors


class EulerLagrange:
    """Dynamics of a robot as derivatives of T(q, v) and U(q), an independent check of the recursions.

        τ = d/dt ∂T/∂v - ∂T/∂q + ∂U/∂q - ad*_v ∂T/∂v

    The last term, Σ_k p_k [v, e_i]_k, belongs to joints whose velocities are not rates of coordinates (balls, free
    bodies): with it Lagrange's equation becomes that of Euler and Poincaré.  Bruyninckx
    (6.59); Lynch-Park (9.3), (9.11).

    The compiler provides only first derivatives of the two energies.  T is quadratic in v, so its second
    derivatives come from its polar form: p_i(v) = T(v + e_i) - T(v) - T(e_i), exactly.

    All methods take single vectors or batches.  Bruyninckx (6.52); Lynch-Park (9.9).

    >>> import sixvec, numpy
    >>> from sixvec.theory.lagrange import EulerLagrange
    >>> robot = sixvec.load("panda")
    >>> q, v, a = robot.random(0), numpy.ones(7), numpy.zeros(7)
    >>> numpy.allclose(EulerLagrange(robot).inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))
    True
    """

    def __init__(self, robot: Robot | Model) -> None:
        self.robot = as_robot(robot, "EulerLagrange")
        require_unconstrained(self.robot.model, "EulerLagrange")
        kinetic, potential = self.robot.kernel("kinetic_energy"), self.robot.kernel("potential_energy")
        self._dT_dq, self._dT_dv = self._loaded(kinetic.derivative("q")), self._loaded(kinetic.derivative("v"))
        self._dU_dq = self._loaded(potential.derivative("q"))

    def _loaded(self, function: Callable[..., Any]) -> Callable[..., Array]:
        """A kernel's derivative with the robot's own parameters, such as a payload, appended to the arrays."""
        return lambda *arrays: np.asarray(function(*arrays, *self.robot.parameters))

    def _vectors(self, where: str, **arrays: ArrayLike) -> tuple[Array, ...]:
        sizes = {"q": self.robot.nq}
        return vectors(where, **{name: (x, sizes.get(name, self.robot.nv)) for name, x in arrays.items()})

    def momenta(self, q: ArrayLike, v: ArrayLike) -> Array:
        """p = ∂T/∂v."""
        return self._dT_dv(*self._vectors("momenta", q=q, v=v))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M_ij = ∂²T/∂v_i ∂v_j: ∂T/∂v is linear in v, so column j is its value at e_j."""
        (q,) = self._vectors("mass_matrix", q=q)
        columns = self._dT_dv(q[..., None, :], np.eye(self.robot.nv))
        return np.asarray(np.swapaxes(columns, -1, -2))

    def gravity_forces(self, q: ArrayLike) -> Array:
        """∂U/∂q."""
        return self._dU_dq(*self._vectors("gravity_forces", q=q))

    def velocity_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """c(q, v): what remains of Lagrange's equation at a = 0 without gravity."""
        q, v = self._vectors("velocity_forces", q=q, v=v)
        slope = self._dT_dq(q, v)
        units = np.eye(self.robot.nv)
        at_q = q[..., None, :]
        # ∂p_i/∂q_j, row i: the derivative of the polar form.
        rows = self._dT_dq(at_q, v[..., None, :] + units) - slope[..., None, :] - self._dT_dq(at_q, units)
        carried = np.einsum("...ij,...j->...i", rows, v)
        return np.asarray(carried - slope - self._coadjoint(v, self.momenta(q, v)))

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """τ of the equation above."""
        q, v, a = self._vectors("inverse_dynamics", q=q, v=v, a=a)
        inertial = np.einsum("...ij,...j->...i", self.mass_matrix(q), a)
        return np.asarray(inertial + self.velocity_forces(q, v) + self.gravity_forces(q))

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """a = M⁻¹ (τ - c - g).  Bruyninckx (6.35) prints M⁻¹ τ - c - g."""
        q, v, tau = self._vectors("forward_dynamics", q=q, v=v, tau=tau)
        free = tau - self.velocity_forces(q, v) - self.gravity_forces(q)
        return np.asarray(np.linalg.solve(self.mass_matrix(q), free[..., None])[..., 0])

    def _coadjoint(self, v: Array, p: Array) -> Array:
        """(ad*_v p)_i = Σ_k p_k [v, e_i]_k."""
        structure = structure_constants(self.robot)
        return np.asarray(np.einsum("...k,...j,kji->...i", p, v, structure))


def structure_constants(robot: Robot | Model) -> Array:
    """c_kji = [e_j, e_i]_k of the velocity coordinates: zero except for balls and free bodies.

    >>> import sixvec
    >>> from sixvec.theory.lagrange import structure_constants
    >>> bool(structure_constants(sixvec.load("panda")).any())
    False
    """
    model = canonical(require_model(robot, "structure_constants"))
    constants = np.zeros((model.nv,) * 3)
    for b in model.moving:
        first = model.v_slices[b.name].start
        for j, i, k, x in brackets(b.joint):
            constants[first + k, first + j, first + i] = x
    return constants
