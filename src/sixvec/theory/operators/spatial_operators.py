"""The stacked operators and the factors of the mass matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.singular import require_mass
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.spatial import Force
from sixvec.theory.operators.link_blocks import Array, LinkBlocks, link_blocks


@dataclass(frozen=True, eq=False)
class SpatialOperators:
    """The operators of Rodriguez-Kreutz §3 and §4, of one robot at one position.

    Stacked vectors have six numbers per link, tips first, so *causal* operators (tip to base, an inward sweep) are
    lower block-triangular; joint vectors keep the robot's own order of v.  Every operator named by a letter of the
    paper is a dense matrix for inspection and proofs; the sweeps (`fd1` … `fd4`) never form one.
    Rodriguez-Kreutz (a.8)-(a.11), (a.13)-(a.18), (a.22)-(a.28), (a.32)-(a.43), (a.46)-(a.48), (a.50).

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import spatial_operators
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0)
    >>> o = spatial_operators(robot, q)
    >>> numpy.allclose(o.factor @ o.D @ o.factor.T, robot.mass_matrix(q))
    True
    >>> numpy.allclose(o.factor @ o.inverse_factor, numpy.eye(7))
    True
    """

    model: Model
    blocks: LinkBlocks

    def __repr__(self) -> str:
        return f"SpatialOperators({self.model.name}, {self.links} links, nv={self.model.nv})"

    @property
    def links(self) -> int:
        return len(self.blocks.names)

    @lazy
    def one(self) -> Array:
        """The identity on stacked vectors."""
        return np.eye(6 * self.links)

    @lazy
    def H(self) -> Array:
        """H (nv, 6N): joint forces from link forces; Hᵀ maps joint rates to link velocities.

        Rodriguez-Kreutz (3.5).
        """
        H = np.zeros((self.model.nv, 6 * self.links))
        for k, (rows, block) in enumerate(zip(self.blocks.rows, self.blocks.H, strict=True)):
            H[rows, _six(k)] = block
        return H

    @lazy
    def M(self) -> Array:
        """The inertias of the links on the block diagonal (not the mass matrix, which is `mass_matrix`).

        Rodriguez-Kreutz (3.6).
        """
        return _diagonal(self.blocks.inertia)

    @lazy
    def armature(self) -> Array:
        """Reflected rotor inertias, a diagonal matrix (nv, nv)."""
        d = np.zeros(self.model.nv)
        for rows, values in zip(self.blocks.rows, self.blocks.armature, strict=True):
            d[rows] = values
        return np.diag(d)

    @lazy
    def S(self) -> Array:
        """The shift to the parent: block (parent(k), k) is 1.  On a chain this is the block subdiagonal.

        Rodriguez-Kreutz (5.2).
        """
        S = np.zeros_like(self.one)
        for k, parent in enumerate(self.blocks.parents):
            if parent is not None:
                S[_six(parent), _six(k)] = np.eye(6)
        return S

    @lazy
    def Delta_phi(self) -> Array:
        """Δ_φ: φ(parent(k), k) on the block diagonal (Rodriguez-Kreutz (a.4), (2.16))."""
        return _diagonal(self.blocks.phi)

    @lazy
    def phi(self) -> Array:
        """φ = 1 + E + E² + …, E = S Δ_φ: sums over all descendants of a link, in its coordinates.

        Rodriguez-Kreutz (3.4), (3.12).
        """
        return _causal_sum(self.S @ self.Delta_phi, self.blocks.parents)

    @lazy
    def phi_tilde(self) -> Array:
        """φ̃ = φ - 1, the strictly causal part (Rodriguez-Kreutz (a.3))."""
        return self.phi - self.one

    @lazy
    def Phi(self) -> Array:
        """Φ = φ S (Rodriguez-Kreutz (a.6)).  Rodriguez-Kreutz (4.9)."""
        return self.phi @ self.S

    @lazy
    def P(self) -> Array:
        """P(k): articulated-body inertias, of a Riccati equation from tips to base (Rodriguez-Kreutz (4.4)-(4.6)).

        P = M(k) + Σ_children φ (P - P Hᵀ D⁻¹ H P) φᵀ  with  D = H P Hᵀ (+ rotors).
        """
        P = [np.array(M) for M in self.blocks.inertia]
        for k, parent in enumerate(self.blocks.parents):
            if parent is not None:
                H, phi = self.blocks.H[k], self.blocks.phi[k]
                D = H @ P[k] @ H.T + np.diag(self.blocks.armature[k])
                remaining = P[k] - P[k] @ H.T @ np.linalg.solve(D, H @ P[k])
                P[parent] = P[parent] + phi @ (remaining + remaining.T) @ phi.T * 0.5
        return _diagonal(P)

    @lazy
    def D(self) -> Array:
        """D = H P Hᵀ + rotors: articulated inertia along each joint, a block per joint (Rodriguez-Kreutz (a.1)).

        Rodriguez-Kreutz (4.8).
        """
        return self.H @ self.P @ self.H.T + self.armature

    @lazy
    def D_inverse(self) -> Array:
        """D⁻¹, block by block."""
        inverse = np.zeros_like(self.D)
        for rows in self.blocks.rows:
            inverse[rows, rows] = np.linalg.inv(self.D[rows, rows])
        return inverse

    @lazy
    def G(self) -> Array:
        """G = P Hᵀ D⁻¹: the Kalman gain (Rodriguez-Kreutz (a.2))."""
        return self.P @ self.H.T @ self.D_inverse

    @lazy
    def L(self) -> Array:
        """L = Δ_φ G: the gain in the parent's coordinates (Rodriguez-Kreutz (a.12))."""
        return self.Delta_phi @ self.G

    @lazy
    def K(self) -> Array:
        """K = S L: the gain in the parent's rows, so that ψ⁻¹ = φ⁻¹ + K H."""
        return self.S @ self.L

    @lazy
    def Delta_psi(self) -> Array:
        """Δ_ψ: ψ(parent(k), k) = φ(parent(k), k) (1 - G H) on the block diagonal (Rodriguez-Kreutz (a.5)).

        Rodriguez-Kreutz (4.7).
        """
        return self.Delta_phi @ (self.one - self.G @ self.H)

    @lazy
    def psi(self) -> Array:
        """ψ: like φ, but with free joints: the part of a force on a tip that reaches the base.

        Rodriguez-Kreutz (5.1).
        """
        return _causal_sum(self.S @ self.Delta_psi, self.blocks.parents)

    @lazy
    def psi_tilde(self) -> Array:
        """ψ̃ = ψ - 1.  Rodriguez-Kreutz (5.11)."""
        return self.psi - self.one

    @lazy
    def Psi(self) -> Array:
        """Ψ = ψ S (Rodriguez-Kreutz (a.7)).  Rodriguez-Kreutz (4.10)."""
        return self.psi @ self.S

    @lazy
    def factor(self) -> Array:
        """1 + H Φ L, unit triangular when joints are ordered tips first (Rodriguez-Kreutz (4.11)).

        Rodriguez-Kreutz (4.13).
        """
        return np.eye(self.model.nv) + self.H @ self.Phi @ self.L

    @lazy
    def inverse_factor(self) -> Array:
        """1 - H Ψ L = (1 + H Φ L)⁻¹ (Rodriguez-Kreutz (4.14)): the whitening filter."""
        return np.eye(self.model.nv) - self.H @ self.Psi @ self.L

    @lazy
    def mass_matrix(self) -> Array:
        """H φ M φᵀ Hᵀ + rotors = (1 + H Φ L) D (1 + H Φ L)ᵀ; here the first form.  Rodriguez-Kreutz (3.20)."""
        return self.H @ self.phi @ self.M @ self.phi.T @ self.H.T + self.armature

    @lazy
    def mass_matrix_inverse(self) -> Array:
        """(1 - H Ψ L)ᵀ D⁻¹ (1 - H Ψ L) (Rodriguez-Kreutz (4.16); the abstract prints Φ for Ψ)."""
        return self.inverse_factor.T @ self.D_inverse @ self.inverse_factor

    @lazy
    def composite_inertia(self) -> Array:
        """R(k) = M(k) + Σ_children φ R φᵀ, the solution of the Riccati equation with locked joints (Corollary A.1)."""
        R = [np.array(M) for M in self.blocks.inertia]
        for k, parent in enumerate(self.blocks.parents):
            if parent is not None:
                R[parent] = R[parent] + self.blocks.phi[k] @ R[k] @ self.blocks.phi[k].T
        return _diagonal(R)

    @lazy
    def Omega(self) -> Array:
        """Ω(k) = ψᵀ(parent, k) Ω(parent) ψ(parent, k) + Hᵀ D⁻¹ H, base to tips: J M⁻¹ Jᵀ of every link frame.

        Ω(k) is the diagonal block k of  ψᵀ Hᵀ D⁻¹ H ψ, whose other blocks couple the links (`link_mobility`).
        """
        gain = self.H.T @ self.D_inverse @ self.H
        Omega = [np.zeros((6, 6)) for _ in range(self.links)]
        for k in reversed(range(self.links)):
            parent, psi = self.blocks.parents[k], self.Delta_psi[_six(k), _six(k)]
            Omega[k] = gain[_six(k), _six(k)] + (0.0 if parent is None else psi.T @ Omega[parent] @ psi)
        return _diagonal(Omega)

    @lazy
    def link_mobility(self) -> Array:
        """φᵀ Hᵀ 𝓜⁻¹ H φ = ψᵀ Hᵀ D⁻¹ H ψ: accelerations of all links from forces on all links."""
        return self.psi.T @ self.H.T @ self.D_inverse @ self.H @ self.psi

    def pick(self, frame: str) -> Array:
        """B (6N, 6): a wrench at the frame's origin, in its axes, as a force on its link; Bᵀ selects its motion.

        The Jacobian in "local" coordinates is then  J = Bᵀ φᵀ Hᵀ (Rodriguez-Kreutz (3.13)).  Rodriguez-Kreutz (3.7).
        """
        F = self.model.frame(frame)
        B = np.zeros((6 * self.links, 6))
        if F.body is not None:
            columns = [[*(F.placement @ Force.of(unit))] for unit in np.eye(6).tolist()]
            B[_six(self.blocks.names.index(F.body))] = np.array(columns, float).T
        return B

    @property
    def tip_first(self) -> list[int]:
        """The order of joint coordinates in which `factor` is lower triangular."""
        return [i for rows in self.blocks.rows for i in range(rows.start, rows.stop)]


def spatial_operators(robot: Robot | Model, q: ArrayLike) -> SpatialOperators:
    """The operators of a robot at one position q; for trees, joints of any number of freedoms, and mobile bases.

    Mechanisms with loops are errors: `mass_matrix_inverse`, P and Ω depend on forces, and do not include those of the
    loops.

    >>> import sixvec
    >>> from sixvec.theory.operators import spatial_operators
    >>> o = spatial_operators(sixvec.load("planar_2r"), [0.3, 0.4])
    >>> o.H.shape, o.phi.shape
    ((2, 18), (18, 18))
    """
    model = require_model(robot, "spatial_operators")
    require_unconstrained(model, "spatial_operators")
    blocks = link_blocks(model, q)
    require_mass(model)
    return SpatialOperators(model, blocks)


def _six(k: int) -> slice:
    return slice(6 * k, 6 * k + 6)


def _diagonal(blocks: Sequence[Array]) -> Array:
    result = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, block in enumerate(blocks):
        result[_six(k), _six(k)] = block
    return result


def _causal_sum(E: Array, parents: Sequence[int | None]) -> Array:
    """1 + E + E² + … for the nilpotent E that maps to parents only, column by column: X(·, k) = X(·, parent) E + 1."""
    X = np.eye(len(E))
    for k in reversed(range(len(parents))):
        parent = parents[k]
        if parent is not None:
            X[:, _six(k)] += X[:, _six(parent)] @ E[_six(parent), _six(k)]
    return X
