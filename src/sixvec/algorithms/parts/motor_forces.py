"""Joint forces of a mechanism with loops, moved to the joints that have a motor.  There are no kernels here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.constraint_slopes import acceleration_slopes, force_slopes
from sixvec.algorithms.parts.factorization import dot
from sixvec.algorithms.parts.proximal import Proximal
from sixvec.model import Model
from sixvec.model.actuation import has_motor
from sixvec.model.coupling import coupling
from sixvec.model.spanning_tree import require_sliding, spanning_tree
from sixvec.scalar import Scalar, is_zero, where

Rows = list[list[Any]]

BORNE = 1e-6
"""A force at joints without motor above this fraction of all joint forces cannot be transferred by the loops."""


def motor_forces(model: Model, q: JointVector, v: JointVector, a: JointVector, **acting: Any) -> list[Any]:
    """`inverse_dynamics` of a mechanism with loops."""
    from sixvec.algorithms.inverse_dynamics import inverse_dynamics

    require_sliding(model, "inverse_dynamics")  # how motors drive wheels is not in the model
    tau = inverse_dynamics(spanning_tree(model), q, v, a, **acting)
    return MotorForces(model, q).of(tau)


def motor_force_derivatives(model: Model, q: JointVector, v: JointVector, a: JointVector, **acting: Any) -> Any:
    """`inverse_dynamics_derivatives` of a mechanism with loops."""
    from sixvec.algorithms.inverse_dynamics import inverse_dynamics
    from sixvec.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives

    require_sliding(model, "inverse_dynamics_derivatives")
    tree = spanning_tree(model)
    tau = inverse_dynamics(tree, q, v, a, **acting)
    return MotorForces(model, q).slopes(tau, *inverse_dynamics_derivatives(tree, q, v, a, **acting))


class MotorForces:
    """tau - Aᵀ λ, with the forces λ of least norm in the loops that make the forces at joints without motor zero.

    The rows of A are those of `closure_jacobian`; what the loops forbid does no work, so the motion is the same
    (Bruyninckx §5.5.4, by duality).  A force at a passive joint that the loops cannot transfer, as at
    the root of a floating robot, stays there.
    """

    def __init__(self, model: Model, q: JointVector) -> None:
        from sixvec.algorithms.closure_jacobian import closure_jacobian

        self._passive = [i for b in model.moving if not has_motor(b) for i in range(model.nv)[model.v_slices[b.name]]]
        self._A = closure_jacobian(model, q)
        self._columns = [list(column) for column in zip(*self._A, strict=True)]
        passive = [self._columns[i] for i in self._passive]
        self._solver = Proximal([[dot(x, y) for y in passive[: i + 1]] for i, x in enumerate(passive)])
        self._model, self._q = model, q

    def of(self, tau: Sequence[Any]) -> list[Any]:
        """The equivalent joint forces at joints with a motor."""
        return self._left(tau, self._in_loops(self._shares(tau)))

    def _shares(self, tau: Sequence[Any]) -> list[Any]:
        """u with λ = A u, zero at joints with a motor."""
        u: list[Any] = [0.0] * len(tau)
        for i, x in zip(self._passive, self._solver.solution([tau[i] for i in self._passive]), strict=True):
            u[i] = x
        return u

    def _in_loops(self, u: Sequence[Any]) -> list[Any]:
        return [dot(row, u) for row in self._A]

    def _left(self, tau: Sequence[Any], force: Sequence[Any]) -> list[Any]:
        return [t - dot(column, force) for t, column in zip(tau, self._columns, strict=True)]

    def slopes(self, tau: Sequence[Any], dq: Rows, dv: Rows, da: Rows) -> tuple[Rows, Rows, Rows]:
        """The derivatives of `of(tau)` for those of tau.

        With P the linear map `of`, whose entries change with q, they are  P dv,  P da  and, at λ = A u,

            P (dq - ∂(Aᵀ λ)/∂q - Aᵀ ∂(A u)/∂q)

        where λ and u are constant in the derivatives.  NaN where a joint without motor in a loop still carries a force:
        no motor forces produce that motion, so there is no derivative.
        """
        u = self._shares(tau)
        force = self._in_loops(u)
        turned, changed = self._turned(u, force)
        pulled = [[dot(column, x) for x in zip(*changed, strict=True)] for column in self._columns]
        bent = [[x - y - z for x, y, z in zip(*rows, strict=True)] for rows in zip(dq, turned, pulled, strict=True)]
        exact = self._exact(tau, self._left(tau, force))
        dq, dv, da = ([[x * exact for x in row] for row in self._each(slope)] for slope in (bent, dv, da))
        return dq, dv, da

    def _each(self, slope: Rows) -> Rows:
        """`of`, column by column."""
        columns = [self.of(column) for column in zip(*slope, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]

    def _turned(self, u: Sequence[Any], force: Sequence[Any]) -> tuple[Rows, Rows]:
        """∂(Aᵀ force)/∂q and ∂(A u)/∂q."""
        tied = coupling(self._model)
        q_all = JointVector(tied.positions(self._q), tied.free.q_slices)
        u_all = JointVector(tied.velocities(u), tied.free.v_slices)
        still = JointVector([0.0] * tied.free.nv, tied.free.v_slices)
        turned = force_slopes(tied.free, q_all, (), force)
        changed, _ = acceleration_slopes(tied.free, q_all, still, u_all, ())
        return tied.reduce(turned, [True, True]), tied.reduce(changed, [False, True])

    def _exact(self, tau: Sequence[Any], residual: Sequence[Any]) -> Scalar:
        """One, or NaN where a force is left at joints of loops that have no motor."""
        borne = [residual[i] for i in self._passive if not all(map(is_zero, self._columns[i]))]
        if not borne:
            return 1.0
        limit = dot(tau, tau) * (BORNE * BORNE)
        return where(limit < dot(borne, borne), math.nan, 1.0)
