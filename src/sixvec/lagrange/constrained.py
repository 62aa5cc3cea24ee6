"""Lagrange's equations with conditions on the velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.declaration import JointVector
from sixvec.constraints.pfaffian import PfaffianConstraint
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.function import CompiledFunction, compiled
from sixvec.lagrange.inputs import as_robot, vectors
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.scalar import Scalar

Array = NDArray[np.float64]
Forms = Callable[[Sequence[Scalar]], Sequence[Sequence[Scalar]]]

DEPENDENT = 1e-12
"""Conditions whose matrix Aᵀ M⁻¹ A has an inverse condition number below this are not independent."""


class ConstrainedMotion(NamedTuple):
    """Accelerations (..., nv), multipliers φ (..., m) and the forces of constraint A φ (..., nv)."""

    acceleration: Array
    multipliers: Array
    force: Array


class ConstrainedLagrange:
    """A robot whose velocities obey Aᵀ(q) v = 0: m conditions, holonomic or not (Bruyninckx 6.9.3).

        M a + c + g = τ + A φ        Aᵀ a = -Ȧᵀ v

    The book's (6.60) prints Aᵀ φ for A φ.  `forms(q)` returns the rows of Aᵀ, each with nv entries; it is written on
    scalars, like an algorithm, so that Ȧ comes from automatic differentiation.

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r").with_gravity([0.0, 0.0, 0.0])
    >>> geared = ConstrainedLagrange(arm, lambda q: [[2.0, 1.0]])  # the elbow turns back twice as fast
    >>> geared.forward_dynamics([0.3, 0.4], [0.0, 0.0], [1.0, 0.0]).acceleration @ [2.0, 1.0] < 1e-12
    np.True_
    """

    def __init__(self, robot: Robot | Model, forms: Forms) -> None:
        self.robot = robot = as_robot(robot, "ConstrainedLagrange")
        require_tree(robot.model, "ConstrainedLagrange")
        rows = [list(row) for row in forms(robot.neutral().tolist())]
        if not rows or any(len(row) != robot.nv for row in rows):
            raise ArgumentError(
                f"forms must return one row of {robot.nv} numbers per condition, "
                f"not rows of {', '.join(str(len(row)) for row in rows) or 'nothing'}"
            )
        self.conditions = len(rows)
        self._forms = compiled(f"q[{robot.nq}] -> A[{self.conditions},{robot.nv}]")(forms)
        self._drift = _drift(robot, forms, self.conditions)

    def forms(self, q: ArrayLike) -> Array:
        """Aᵀ(q): (..., m, nv)."""
        return np.asarray(self._forms(q))

    def constraint(self, q: ArrayLike) -> PfaffianConstraint:
        """The conditions at one position, as `sixvec.constraints` has them."""
        return PfaffianConstraint(tuple(map(tuple, self.forms(q).tolist())))

    def drift(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Ȧᵀ v: how the conditions turn away from the velocity, (..., m)."""
        return np.asarray(self._drift(q, v))

    def violation(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Aᵀ v, zero for velocities that the conditions allow."""
        q, v = vectors("violation", q=(q, self.robot.nq), v=(v, self.robot.nv))
        return np.asarray(np.einsum("...mn,...n->...m", self.forms(q), v))

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, stabilisation: float = 0.0
    ) -> ConstrainedMotion:
        """Accelerations and forces of constraint; with `stabilisation` α (1/s) violations decay as exp(-α t).

        φ solves (Aᵀ M⁻¹ A) φ = -(Ȧᵀ v + α Aᵀ v + Aᵀ a_free), and a = a_free + M⁻¹ A φ.
        """
        forms = self.forms(q)
        free = np.asarray(self.robot.forward_dynamics(q, v, tau))
        eased = np.asarray(self.robot.mass_matrix_inverse(q)) @ np.swapaxes(forms, -1, -2)  # M⁻¹ A
        mobility = forms @ eased
        if not (np.linalg.cond(mobility) < 1.0 / DEPENDENT).all():
            raise DegenerateError(
                f"the {self.conditions} conditions are not independent at some position; drop those that follow "
                "from the others"
            )
        excess = self.drift(q, v) + stabilisation * self.violation(q, v) + np.einsum("...mn,...n->...m", forms, free)
        phi = -np.linalg.solve(mobility, excess[..., None])
        force = np.swapaxes(forms, -1, -2) @ phi
        return ConstrainedMotion(free + (eased @ phi)[..., 0], phi[..., 0], force[..., 0])


def _drift(robot: Robot, forms: Forms, conditions: int) -> Any:
    """Ȧᵀ v as a function of (q, v): the derivative of Aᵀ(q) w along q̇, with w = v held."""
    model = canonical(robot.model)

    def slope(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return [sum((a * x for a, x in zip(row, v, strict=True)), 0.0) for row in forms(q)]

    def rate(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        Q, V = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
        return [x for b in model.moving for x in b.joint.rate(Q[b], V[b])]

    ports = f"q[{robot.nq}] v[{robot.nv}]"
    values: CompiledFunction = compiled(f"{ports} -> c[{conditions}]")(slope)
    derivative, rates = values.derivative("q"), compiled(f"{ports} -> r[{robot.nq}]")(rate)
    return lambda q, v: np.einsum("...mn,...n->...m", derivative(q, v), rates(q, v))
