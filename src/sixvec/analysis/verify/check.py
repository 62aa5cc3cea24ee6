"""A statement about a robot that is tested numerically."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sixvec.analysis.verify.state import Array, State
from sixvec.lazy import lazy
from sixvec.robot import Robot

STEP = 1e-3
"""Of central differences with four points: their error is STEP⁴ times a fifth derivative, and rounding over STEP."""
STEPS = STEP * np.array([-2.0, -1.0, 1.0, 2.0])
WEIGHTS = np.array([1.0, -8.0, 8.0, -1.0]) / (12 * STEP)

EPSILON = float(np.finfo(float).eps)
ROUNDINGS = 100
"""Allowed error of a solution in roundings, besides the condition number."""

LEAK = 1e-6
"""Fraction of the largest entry of a vector that rounding may bring into the others, over the tolerance."""

LARGE = 12
"""Freedoms above which matrices of many operations per entry are evaluated at one state: wrong equations are wrong
at almost every state."""


@dataclass(frozen=True)
class Subject:
    """The input of a check.  States of a robot with loops are closed, and their rates keep them closed."""

    robot: Robot
    frame: str
    state: State

    @lazy
    def few(self) -> State:
        """The states for derivatives, M⁻¹ and the Coriolis matrix."""
        return self.state if self.robot.nv <= LARGE else State(*(x[:1] for x in self.state))

    @lazy
    def condition(self) -> float:
        """The largest condition number of the mass matrix."""
        return condition(self.robot.mass_matrix(self.state.q))

    @lazy
    def cancellation(self) -> float:
        """The size of M⁻¹ τ relative to the accelerations, 1 or more: gravity that dwarfs M a cancels in them."""
        q, v, a = self.state
        M, tau = self.robot.mass_matrix(q), self.robot.inverse_dynamics(q, v, a)
        if not (np.isfinite(tau).all() and np.isfinite(self.condition)):
            return 1.0
        return max(1.0, size(np.linalg.solve(M, tau[..., None])) / (size(a) or 1.0))


class Sides(NamedTuple):
    """Both sides of an equation, and the size of its terms: one number, or an array that broadcasts to them."""

    left: Array
    right: Array
    scale: float | Array


@dataclass(frozen=True, slots=True)
class MeasuredStatement:
    """A statement with its measured residual; without one it was skipped, and `note` gives the reason."""

    statement: str
    meaning: str
    residual: float | None
    tolerance: float
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the residual is within the tolerance; NaN never is."""
        return self.residual is not None and math.isfinite(self.residual) and self.residual <= self.tolerance

    @property
    def verdict(self) -> str:
        """One word: holds, fails or skipped."""
        return "skipped" if self.residual is None else "holds" if self.holds else "fails"


@dataclass(frozen=True, slots=True)
class Identity:
    """An equation between results of different kernels."""

    equation: str
    meaning: str
    tolerance: float
    sides: Callable[[Subject], Sides]
    solves: bool = False
    """Whether a system with the mass matrix is solved, whose condition number multiplies rounding."""
    cancels: bool = False
    """Whether accelerations are the difference of those of forces and of bias, which may be larger."""

    def evaluate(self, subject: Subject) -> MeasuredStatement:
        """The largest difference of the two sides over all samples and entries, relative to their scale."""
        left, right, scale = self.sides(subject)
        gap = size(np.abs(left - right) / np.where(np.asarray(scale) > 0.0, scale, 1.0))
        tolerance = self.tolerance
        if self.solves:
            rounding = ROUNDINGS * EPSILON * subject.condition
            tolerance = max(tolerance, rounding * subject.cancellation if self.cancels else rounding)
        return MeasuredStatement(self.equation, self.meaning, gap, tolerance)


def condition(M: Array) -> float:
    """The largest condition number of a batch of symmetric matrices; 1 if an entry is not finite, to allow no error."""
    if not np.isfinite(M).all():
        return 1.0
    sizes = np.abs(np.linalg.eigvalsh(M))
    largest, least = sizes.max(axis=-1), sizes.min(axis=-1)
    return float(np.max(np.divide(largest, least, out=np.full_like(least, np.inf), where=least > 0.0), initial=1.0))


def rate(function: Callable[[Array], Any], x: Array) -> Array:
    """The derivative at 0 by a central difference with four points.

    The function is called once, with steps that broadcast against x: they are a new first axis of what it returns.
    """
    values = function(np.reshape(STEPS, (-1, *(1 for _ in x.shape))))
    return np.tensordot(WEIGHTS, values, 1)


def apply(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]


def size(x: Array) -> float:
    """The largest absolute entry."""
    return float(np.max(np.abs(x), initial=0.0))


def row_sizes(x: Array, axis: int, leak: float = LEAK) -> Array:
    """The largest absolute entry for each place along an axis, and a little of the largest of all.

    So the forces of a finger are not compared with the precision of those of the arm that carries it.
    """
    others = tuple(k for k in range(x.ndim) if k != axis % x.ndim)
    return np.max(np.abs(x), axis=others, keepdims=True, initial=0.0) + leak * size(x)  # type: ignore[no-any-return]
