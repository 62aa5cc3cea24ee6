"""Equations of motion from the energies alone, by automatic differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.declaration import JointVector
from sixvec.model.canonical import canonical
from sixvec.robot import Robot

Array = NDArray[np.float64]


class EulerLagrange:
    """Dynamics of a robot as derivatives of T(q, v) and U(q), for checking what the recursions say.

        τ = d/dt ∂T/∂v - ∂T/∂q + ∂U/∂q - ad*_v ∂T/∂v

    The last term, Σ_k p_k [v, e_i]_k, belongs to joints whose velocities are not rates of coordinates (balls, free
    bodies): with it Lagrange's equation becomes that of Euler and Poincaré.  Bruyninckx 6.59; Lynch-Park 9.3, 9.11.

    Only first derivatives of the two energies are asked of the compiler.  T is quadratic in v, so its second
    derivatives come from its polar form: p_i(v) = T(v + e_i) - T(v) - T(e_i), exactly.

    All methods take single vectors or batches.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, v, a = robot.random(0), numpy.ones(7), numpy.zeros(7)
    >>> numpy.allclose(EulerLagrange(robot).inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))
    True
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        kinetic = robot.kernel("kinetic_energy")
        self._dT_dq, self._dT_dv = kinetic.derivative("q"), kinetic.derivative("v")
        self._dU_dq = robot.kernel("potential_energy").derivative("q")

    def momenta(self, q: ArrayLike, v: ArrayLike) -> Array:
        """p = ∂T/∂v."""
        return np.asarray(self._dT_dv(q, v))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M_ij = ∂²T/∂v_i ∂v_j: ∂T/∂v is linear in v, so column j is its value at e_j."""
        columns = self._dT_dv(np.asarray(q, float)[..., None, :], np.eye(self.robot.nv))
        return np.asarray(np.swapaxes(columns, -1, -2))

    def gravity_forces(self, q: ArrayLike) -> Array:
        """∂U/∂q."""
        return np.asarray(self._dU_dq(q))

    def velocity_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """c(q, v): what remains of Lagrange's equation at a = 0 without gravity."""
        q, v = np.asarray(q, float), np.asarray(v, float)
        slope = self._dT_dq(q, v)
        units = np.eye(self.robot.nv)
        at_q = q[..., None, :]
        # ∂p_i/∂q_j, row i: the derivative of the polar form.
        rows = self._dT_dq(at_q, v[..., None, :] + units) - slope[..., None, :] - self._dT_dq(at_q, units)
        carried = np.einsum("...ij,...j->...i", rows, v)
        return np.asarray(carried - slope - self._coadjoint(v, self.momenta(q, v)))

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """τ of the equation above."""
        inertial = np.einsum("...ij,...j->...i", self.mass_matrix(q), np.asarray(a, float))
        return np.asarray(inertial + self.velocity_forces(q, v) + self.gravity_forces(q))

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """a = M⁻¹ (τ - c - g).  Bruyninckx (6.35) prints M⁻¹ τ - c - g."""
        free = np.asarray(tau, float) - self.velocity_forces(q, v) - self.gravity_forces(q)
        return np.asarray(np.linalg.solve(self.mass_matrix(q), free[..., None])[..., 0])

    def _coadjoint(self, v: Array, p: Array) -> Array:
        """(ad*_v p)_i = Σ_k p_k [v, e_i]_k."""
        structure = structure_constants(self.robot)
        return np.asarray(np.einsum("...k,...j,kji->...i", p, v, structure))


def structure_constants(robot: Robot) -> Array:
    """c_kji = [e_j, e_i]_k of the velocity coordinates: zero but for balls and free bodies.

    >>> import sixvec
    >>> bool(structure_constants(sixvec.load("panda")).any())
    False
    """
    model, n = canonical(robot.model), robot.nv
    units = [JointVector([float(i == k) for i in range(n)], model.v_slices) for k in range(n)]
    found = np.zeros((n, n, n))
    for b in model.moving:
        at = range(n)[model.v_slices[b.name]]
        for j in at:
            for i in at:
                bracket: Any = b.joint.bracket(units[j][b], units[i][b])
                found[at.start : at.stop, j, i] = [float(x) for x in bracket]
    return found
