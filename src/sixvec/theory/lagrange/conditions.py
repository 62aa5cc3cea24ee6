"""Conditions on a robot's motion, on positions or on velocities alone, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.declaration import JointVector
from sixvec.arguments import Array
from sixvec.compiler.autodiff import jacobian
from sixvec.errors import ArgumentError
from sixvec.kernels.function import CompiledFunction, CompiledProgram, compiled
from sixvec.model.canonical import canonical
from sixvec.robot import Robot
from sixvec.scalar import Scalar

Forms = Callable[[Sequence[Scalar]], Sequence[Sequence[Scalar]]]
"""The rows of Aᵀ(q), each with nv entries."""
Positions = Callable[[Sequence[Scalar]], Sequence[Scalar]]
"""h(q), whose entries are zero where the conditions hold."""


class Conditions:
    """h(q) = 0, whose rates are Aᵀ v = 0 with Aᵀ = ∂h/∂q, and further rows Aᵀ(q) v = 0 without an h.

    Both are written on scalars, like an algorithm, so that all derivatives come from automatic differentiation.
    """

    def __init__(self, robot: Robot, forms: Forms | None, positions: Positions | None) -> None:
        start = robot.neutral().tolist()
        rows = [] if forms is None else [list(row) for row in forms(start)]
        self.held = 0 if positions is None else len(list(positions(start)))
        """The number of conditions on positions, which come first."""
        if not (rows or self.held) or any(len(row) != robot.nv for row in rows):
            raise ArgumentError(
                f"forms must return one row of {robot.nv} numbers per condition, "
                f"not rows of {', '.join(str(len(row)) for row in rows) or 'nothing'}"
            )
        self.count = self.held + len(rows)
        self._q, self._nv = f"q[{robot.nq}]", robot.nv
        rate = _rate(robot)
        self._rate = compiled(f"{self._q} v[{robot.nv}] -> r[{robot.nq}]")(rate)
        self._rate_slope = self._rate.derivative("q")
        self._rates = compiled(f"{self._q} -> R[{robot.nq},{robot.nv}]")(_columns(rate, robot.nv))
        self._rows = compiled(f"{self._q} -> A[{len(rows)},{robot.nv}]")(forms) if forms and rows else None
        self._flow = self._slope(forms, len(rows)) if forms and rows else None
        if positions is not None and self.held:
            self._h: CompiledFunction = compiled(f"{self._q} -> h[{self.held}]")(positions)
            first = jacobian(self._h.program, "q")
            self._dh, self._ddh = CompiledProgram(first), CompiledProgram(jacobian(first, "q"))

    def error(self, q: ArrayLike) -> Array:
        """h(q), (..., m); zero for conditions on velocities alone."""
        q = np.asarray(q, float)
        error = np.zeros((*q.shape[:-1], self.count))
        if self.held:
            error[..., : self.held] = self._h(q)
        return error

    def forms(self, q: ArrayLike) -> Array:
        """Aᵀ(q): (..., m, nv)."""
        parts = [np.asarray(self._dh(q)) @ np.asarray(self._rates(q))] if self.held else []
        if self._rows is not None:
            parts.append(np.asarray(self._rows(q)))
        return np.concatenate(parts, axis=-2)

    def drift(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Ȧᵀ v, (..., m)."""
        r = np.asarray(self._rate(q, v))
        parts = []
        if self.held:  # d/dt of h'(q) q̇ with v held: h'' q̇ q̇ + h' q̈
            bend = np.einsum("...mij,...i,...j->...m", self._ddh(q), r, r)
            turn = np.einsum("...ij,...j->...i", self._rate_slope(q, v), r)
            parts.append(bend + np.einsum("...mi,...i->...m", self._dh(q), turn))
        if self._flow is not None:
            parts.append(np.einsum("...mi,...i->...m", self._flow(q, v), r))
        return np.concatenate(parts, axis=-1)

    def _slope(self, forms: Forms, count: int) -> Any:
        """∂(Aᵀ(q) v)/∂q with v held."""

        def rates(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
            return [sum((a * x for a, x in zip(row, v, strict=True)), 0.0) for row in forms(q)]

        return compiled(f"{self._q} v[{self._nv}] -> c[{count}]")(rates).derivative("q")


def _rate(robot: Robot) -> Callable[[Sequence[Scalar], Sequence[Scalar]], list[Scalar]]:
    """q̇ of a velocity v."""
    model = canonical(robot.model)

    def rate(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        Q, V = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
        return [x for b in model.moving for x in b.joint.rate(Q[b], V[b])]

    return rate


def _columns(rate: Callable[..., list[Scalar]], n: int) -> Callable[[Sequence[Scalar]], list[list[Scalar]]]:
    """R(q) with q̇ = R v."""

    def rates(q: Sequence[Scalar]) -> list[list[Scalar]]:
        columns = [rate(q, [float(i == k) for i in range(n)]) for k in range(n)]
        return [list(row) for row in zip(*columns, strict=True)]

    return rates
