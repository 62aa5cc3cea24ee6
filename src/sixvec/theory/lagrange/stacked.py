"""The equations of motion in closed form: stacked matrices of all bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.declaration import JointVector
from sixvec.arguments import Array, real_array
from sixvec.errors import ModelError
from sixvec.kernels.as_robot import as_robot
from sixvec.lazy import lazy
from sixvec.model import WORLD, Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.spatial import Motion, Vec3
from sixvec.theory.lagrange.euler_lagrange import structure_constants


@dataclass(frozen=True)
class StackedDynamics:
    """M = Aᵀ 𝓛ᵀ G 𝓛 A and its companions at one position (Lynch-Park (9.62)-(9.84)), for trees as for chains.

    With N bodies in canonical form, each in its own coordinates:

    - `A` (6N, nv): the joint axes;  `G` (6N, 6N): the bodies' inertias on the diagonal
    - `Gamma` (6N, 6N): Ad of the pose of each body's parent in the body's coordinates; nilpotent, as a body is not
      its own ancestor:  Γ^N = 0
    - `L` = (1 - Γ)⁻¹ = 1 + Γ + … + Γ^(N-1): all ancestors at once
    - `base` (6N, 6): Ad of the world in the coordinates of the root bodies, zero elsewhere
    - `rotors` (nv, nv): reflected inertias, which the book omits
    - `brackets` (nv, nv, nv): the `structure_constants`, which give the velocity products of rotors on balls and free
    bodies

    V = 𝓛 (A v + V_base),  V̇ = 𝓛 (A a + V̇_base - [ad_Av] (Γ V + V_base)),  F = 𝓛ᵀ (G V̇ - [ad_V]ᵀ G V),  τ = Aᵀ F.
    (The draft prints the ad term without V_base, and the base's acceleration with the wrong sign; it is (0; -g).)

    >>> import sixvec, numpy
    >>> from sixvec.theory.lagrange import StackedDynamics
    >>> robot = sixvec.load("panda")
    >>> form = StackedDynamics.at(robot, robot.random(0))
    >>> numpy.allclose(form.mass_matrix, robot.mass_matrix(robot.random(0))), form.nilpotency
    (True, 7)
    """

    A: Array
    G: Array
    Gamma: Array
    base: Array
    rotors: Array
    gravity: Array
    brackets: Array

    @classmethod
    def at(cls, robot: Robot | Model, q: ArrayLike) -> StackedDynamics:
        """The matrices of a robot at one position q."""
        robot = as_robot(robot, "StackedDynamics.at")
        require_unconstrained(robot.model, "StackedDynamics.at")
        values = real_array("StackedDynamics.at: q", q, robot.nq, batch=False, finite=True)
        model = canonical(robot.model)
        reduce = np.eye(model.nv)
        if is_coupled(model):  # all joints are independent in the matrices; A then contains the coupling
            c = coupling(model)
            reduce = np.zeros((c.free.nv, model.nv))
            for row, (i, k, _) in zip(reduce, c.v, strict=True):
                row[i] = k
            model, values = c.free, np.array(c.positions(values.tolist()), float)
        if any(b.mimic for b in model.bodies):
            raise ModelError(f"{model.name}: joints that follow others remain")
        return _assembled(model, JointVector(values.tolist(), model.q_slices), reduce, structure_constants(robot))

    @lazy
    def L(self) -> Array:
        """𝓛 = (1 - Γ)⁻¹, by the finite sum.  Lynch-Park (9.76)."""
        total, power = np.eye(len(self.Gamma)), np.eye(len(self.Gamma))
        for _ in range(self.nilpotency - 1):
            power = power @ self.Gamma
            total = total + power
        return total

    @lazy
    def nilpotency(self) -> int:
        """The least m with Γ^m = 0: the number of bodies on the longest path."""
        power = np.eye(len(self.Gamma))
        for m in range(len(self.Gamma) // 6 + 1):
            if not power.any():
                return m
            power = power @ self.Gamma
        raise ModelError("Γ is not nilpotent: some body is its own ancestor")

    @lazy
    def mass_matrix(self) -> Array:
        """Aᵀ 𝓛ᵀ G 𝓛 A, plus the rotors.  Lynch-Park (9.82)."""
        LA = self.L @ self.A
        return np.asarray(LA.T @ self.G @ LA + self.rotors)

    @property
    def gravity_forces(self) -> Array:
        """Aᵀ 𝓛ᵀ G 𝓛 V̇_base with V̇_base = (0; -g) in the coordinates of the root bodies.  Lynch-Park (9.84)."""
        return np.asarray((self.L @ self.A).T @ self.G @ self.L @ self.base @ self._rising)

    @property
    def _rising(self) -> Array:
        return np.concatenate([np.zeros(3), -self.gravity])

    def _vector(self, where: str, name: str, x: ArrayLike) -> Array:
        return real_array(f"{where}: {name}", x, self.A.shape[1], batch=False)

    def velocity_forces(self, v: ArrayLike) -> Array:
        """c = -Aᵀ 𝓛ᵀ (G 𝓛 [ad_Av] Γ + [ad_V]ᵀ G) 𝓛 A v, plus the torques of the rotors.  Lynch-Park (9.83)."""
        v = self._vector("velocity_forces", "v", v)
        Av = self.A @ v
        V = self.L @ Av
        bodies = -(self.L @ self.A).T @ (self.G @ self.L @ _ad(Av) @ self.Gamma + _ad(V).T @ self.G) @ V
        return np.asarray(bodies + self._turning(v))

    def _turning(self, v: Array) -> Array:
        """-ad*_v p of the rotors' momenta p."""
        return np.asarray(-np.einsum("k,j,kji->i", self.rotors @ v, v, self.brackets))

    def inverse_dynamics(
        self,
        v: ArrayLike,
        a: ArrayLike,
        *,
        base_twist: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
    ) -> Array:
        """τ; the base moves with a twist and a spatial acceleration in world coordinates (Lynch-Park (9.69)-(9.80)).

        Gravity is added to `base_acceleration`.  Lynch-Park (9.81).
        """
        where = "inverse_dynamics"
        v, a = self._vector(where, "v", v), self._vector(where, "a", a)
        twist, pushed = (np.zeros(6) if x is None else x for x in (base_twist, base_acceleration))
        V0 = self.base @ real_array(f"{where}: base_twist", twist, 6, batch=False)
        rising = self._rising + real_array(f"{where}: base_acceleration", pushed, 6, batch=False)
        Av = self.A @ v
        V = self.L @ (Av + V0)
        rate = self.L @ (self.A @ a + self.base @ rising - _ad(Av) @ (self.Gamma @ V + V0))
        F = self.L.T @ (self.G @ rate - _ad(V).T @ self.G @ V)
        return np.asarray(self.A.T @ F + self.rotors @ a + self._turning(v))


def _assembled(model: Any, q: JointVector, reduce: Array, brackets: Array) -> StackedDynamics:
    n, row = len(model.bodies), {b.name: slice(6 * i, 6 * i + 6) for i, b in enumerate(model.bodies)}
    A, G, Gamma, base = np.zeros((6 * n, model.nv)), *np.zeros((2, 6 * n, 6 * n)), np.zeros((6 * n, 6))
    rotors = np.zeros(model.nv)
    for b in model.bodies:
        X_BP = b.pose_in_parent(q).inv()
        columns = [list(X_BP @ Motion.of(e)) for e in np.eye(6).tolist()]
        block = np.array(columns, float).T
        if b.parent is WORLD:
            base[row[b.name]] = block
        else:
            Gamma[row[b.name], row[b.parent]] = block
        A[row[b.name], model.v_slices[b.name]] = np.array([list(s) for s in b.subspace(q)], float).T
        G[row[b.name], row[b.name]] = np.array(b.inertia.as_matrix(), float)
        rotors[model.v_slices[b.name]] = b.armature
    return StackedDynamics(
        A @ reduce, G, Gamma, base, reduce.T @ np.diag(rotors) @ reduce, np.array([*model.gravity], float), brackets
    )


def _ad(V: Array) -> Array:
    """[ad_V]: the Lie bracket with each body's twist, on the diagonal."""
    n = len(V) // 6
    matrix = np.zeros((6 * n, 6 * n))
    for i in range(n):
        at = slice(6 * i, 6 * i + 6)
        twist = Motion(Vec3.of(V[at][:3].tolist()), Vec3.of(V[at][3:].tolist()))
        matrix[at, at] = np.array([list(twist.cross(Motion.of(e))) for e in np.eye(6).tolist()], float).T
    return matrix
