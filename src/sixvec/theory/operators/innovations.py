"""The statistics behind the factorization: the mass matrix as a covariance, its factors as a Kalman filter.

Drive the links with random forces W of covariance M(k), propagate them inward and project them on the joints,
y = H φ W + (rotor noise): the covariance of y is the mass matrix.  The filter 1 - H Ψ L then predicts each joint's y
from those further out, and the unpredicted part, the *innovations* ε, is white with covariance D
(Rodriguez-Kreutz §4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import real_array
from sixvec.arguments.result import Result
from sixvec.theory.operators.link_blocks import Array
from sixvec.theory.operators.spatial_operators import SpatialOperators


@dataclass(frozen=True, eq=False)
class Innovations(Result):
    """The Kalman filter's result for joint forces y, each with the batch axes of y."""

    residual: Array
    """ε = y - H ẑ = (1 - H Ψ L) y, (..., nv): the part that the joints further out do not predict."""
    prediction: Array
    """ẑ (..., N, 6), tips first: the filter's estimate of the force on each link before its own joint is read."""
    log_likelihood: Array
    """The log-likelihood of y ~ N(0, 𝓜): -½ (εᵀ D⁻¹ ε + ln det D + nv ln 2π)."""


def innovations(o: SpatialOperators, y: ArrayLike) -> Innovations:
    """Run the filter from tips to base: ẑ = Σ_children ψ ẑ + L y, ε = y - H ẑ (the causal sweep of FD1).

    Rodriguez-Kreutz (4.12), (4.15).

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import innovations, spatial_operators
    >>> robot = sixvec.load("panda")
    >>> o = spatial_operators(robot, robot.random(0))
    >>> y = o.factor @ numpy.arange(7.0)
    >>> numpy.allclose(innovations(o, y).residual, numpy.arange(7.0))
    True
    """
    y = real_array(f"{o.model.name}: y", y, o.model.nv, why="joint forces")
    z = np.zeros((*y.shape[:-1], o.links, 6))
    residual = np.array(y)
    for k, (parent, rows) in enumerate(zip(o.blocks.parents, o.blocks.rows, strict=True)):
        residual[..., rows] = y[..., rows] - z[..., k, :] @ o.blocks.H[k].T
        if parent is not None:
            diagonal = slice(6 * k, 6 * k + 6)
            # ψ ẑ + L y = φ (ẑ + G ε): the estimate, corrected by the innovation and predicted for the next link.
            corrected = z[..., k, :] + residual[..., rows] @ o.G[diagonal, rows].T
            z[..., parent, :] += corrected @ o.blocks.phi[k].T
    spread = np.einsum("...i,ij,...j->...", residual, o.D_inverse, residual)
    log_det = sum(float(np.linalg.slogdet(o.D[rows, rows])[1]) for rows in o.blocks.rows)
    return Innovations(residual, z, np.asarray(-0.5 * (spread + log_det + o.model.nv * np.log(2.0 * np.pi))))


def random_forces(o: SpatialOperators, rng: np.random.Generator | int | None, samples: int) -> Array:
    """Joint forces (samples, nv) with covariance 𝓜, as produced by random forces on the links: y = H φ W.

    `rng` may be a seed, as in `robot.random`.  Rodriguez-Kreutz (4.1)-(4.3).

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import random_forces, spatial_operators
    >>> robot = sixvec.load("planar_2r")
    >>> o = spatial_operators(robot, [0.0, 1.0])
    >>> y = random_forces(o, 0, 100_000)
    >>> numpy.allclose(numpy.cov(y.T), o.mass_matrix, rtol=0.02)
    True
    """
    rng = np.random.default_rng(rng)
    # An eigenvalue root, since massless links make M singular and a Cholesky factor would not exist.
    W = np.zeros((samples, o.links, 6))
    for k, inertia in enumerate(o.blocks.inertia):
        values, vectors = np.linalg.eigh(inertia)
        W[:, k] = (rng.normal(size=(samples, 6)) * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    rotors = rng.normal(size=(samples, o.model.nv)) * np.sqrt(np.diagonal(o.armature))
    return np.asarray(W.reshape(samples, -1) @ (o.H @ o.phi).T + rotors)
