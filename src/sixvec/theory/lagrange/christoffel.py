"""Christoffel symbols from derivatives of the mass matrix, and velocity products from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.kernels.as_robot import as_robot
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.theory.lagrange.euler_lagrange import structure_constants


def christoffel_by_differentiation(robot: Robot | Model, q: ArrayLike) -> Array:
    """Γ_ijk from ∂M/∂q by automatic differentiation: by definition; the kernel `christoffel_symbols` recurses.

        Γ_ijk = ½ (D_k M_ij + D_j M_ik - D_i M_jk + M([e_k, e_j], e_i) - M([e_k, e_i], e_j) - M([e_j, e_i], e_k))

    The brackets vanish unless the robot has balls or free bodies; without them it is Lynch-Park (9.13), symmetric in j
    and k as Lynch-Park (9.12) requires.  With them it is Koszul's formula for a non-commuting frame.

    >>> import sixvec, numpy
    >>> from sixvec.theory.lagrange import christoffel_by_differentiation
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> numpy.allclose(christoffel_by_differentiation(robot, q), robot.christoffel_symbols(q))
    True
    """
    robot = as_robot(robot, "christoffel_by_differentiation")
    D = np.asarray(robot.kernel("mass_matrix").derivative("q")(q, *robot.parameters))  # D[i, j, k] = D_k M_ij
    M = np.asarray(robot.mass_matrix(q))
    B = np.einsum("...il,lkj->...ijk", M, structure_constants(robot))  # B[i, j, k] = M([e_k, e_j], e_i)

    def turned(x: Array, order: str) -> Array:
        return np.asarray(np.einsum(f"...{order}->...ijk", x))

    flat = D + turned(D, "ikj") - turned(D, "jki")
    return np.asarray(0.5 * (flat + B - turned(B, "jik") - turned(B, "kij")))


def velocity_forces(gamma: ArrayLike, v: ArrayLike) -> Array:
    """c_i = Σ Γ_ijk v_j v_k (Lynch-Park (9.12), with the symmetric Γ of Lynch-Park (9.13)).

    >>> from sixvec.theory.lagrange import velocity_forces
    >>> velocity_forces([[[0.0, -1.0], [-1.0, -1.0]], [[1.0, 0.0], [0.0, 0.0]]], [1.0, 2.0]).tolist()
    [-8.0, 1.0]
    """
    G = _symbols("velocity_forces", gamma)
    rates = real_array("velocity_forces: v", v, G.shape[-1], why=f"gamma has shape {G.shape}")
    common_batch("velocity_forces", [G.shape[:-3], rates.shape[:-1]], ["gamma", "v"])
    return np.asarray(np.einsum("...ijk,...j,...k->...i", G, rates, rates))


@dataclass(frozen=True, eq=False, repr=False)
class VelocityProducts(Result):
    """Coefficients of the products v_j v_k (j < k) and of the squares v_k², each (..., nv, count)."""

    coriolis: Array
    centrifugal: Array


def coriolis_and_centrifugal(gamma: ArrayLike) -> VelocityProducts:
    """The Christoffel symbols (..., nv, nv, nv) sorted by what they multiply.

    >>> from sixvec.theory.lagrange import coriolis_and_centrifugal
    >>> found = coriolis_and_centrifugal([[[0.0, -1.0], [-1.0, -1.0]], [[1.0, 0.0], [0.0, 0.0]]])
    >>> found.coriolis.tolist(), found.centrifugal.tolist()
    ([[-2.0], [0.0]], [[0.0, -1.0], [1.0, 0.0]])
    """
    G = _symbols("coriolis_and_centrifugal", gamma)
    j, k = np.triu_indices(G.shape[-1], 1)
    return VelocityProducts(G[..., j, k] + G[..., k, j], np.diagonal(G, axis1=-2, axis2=-1))


def _symbols(where: str, gamma: ArrayLike) -> Array:
    """Γ with its three equal axes."""
    what, why = f"{where}: gamma", "Christoffel symbols"
    G = real_array(what, gamma, "nv", "nv", "nv", why=why)
    require_shape(what, G, *G.shape[-1:] * 3, why=why)
    return G
