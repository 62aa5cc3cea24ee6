"""Motions whose joints move by polynomials of time, each with separate knots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.lazy import lazy
from sixvec.motion.joint_motion import JointMotion, at_times
from sixvec.motion.path import derivative
from sixvec.robot import Robot
from sixvec.verdict import Verdict, tally


@dataclass(frozen=True, eq=False, repr=False)
class PointToPoint(Result, JointMotion):
    """A motion between two states: `duration`, a `verdict`, and functions of time.

    `knots` (..., nq, pieces + 1) are the times at which a joint goes on with the next polynomial of `coefficients`
    (..., nq, pieces, degree + 1), those of 1, t, t², … from its knot; `polynomials` computes them when they are first
    needed.  Before the start and after the end the motion rests at the first and the last position.
    """

    robot: Robot
    duration: Any
    verdict: NDArray[np.int8]
    polynomials: Callable[..., Any]

    @lazy
    def _polynomials(self) -> tuple[Array, Array]:
        knots, coefficients = self.polynomials()
        return knots, coefficients

    @property
    def knots(self) -> Array:
        return self._polynomials[0]

    @property
    def coefficients(self) -> Array:
        return self._polynomials[1]

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        longest = float(np.max(self.duration, initial=0.0))
        many = " at most" if np.ndim(self.duration) else ""
        return f"<PointToPoint: {tally(self.verdict)}, {longest:.4g} s{many}>"

    def q(self, t: ArrayLike) -> Array:
        """Positions at times t, (m,) for all motions or (..., m) for each: (..., m, nq)."""
        return self._evaluated(t, 0)

    def v(self, t: ArrayLike) -> Array:
        """Velocities at times t."""
        return self._evaluated(t, 1)

    def a(self, t: ArrayLike) -> Array:
        """Accelerations at times t; where they jump, those after the jump."""
        return self._evaluated(t, 2)

    def jerk(self, t: ArrayLike) -> Array:
        """The derivatives of the accelerations at times t."""
        return self._evaluated(t, 3)

    def _evaluated(self, t: ArrayLike, order: int) -> Array:
        at = at_times(t, self.knots.shape[:-2])
        inside = np.clip(at, 0.0, np.asarray(self.duration)[..., None])
        time = inside[..., None, :]
        piece = (time[..., None] >= self.knots[..., None, 1:-1]).sum(axis=-1)
        shape = (*piece.shape[:-1], *self.knots.shape[-1:])
        start = np.take_along_axis(np.broadcast_to(self.knots, shape), piece, axis=-1)
        C = np.broadcast_to(self.coefficients, (*piece.shape[:-1], *self.coefficients.shape[-2:]))
        index = np.broadcast_to(piece[..., None], (*piece.shape, C.shape[-1]))
        value = derivative(np.take_along_axis(C, index, axis=-2)[..., None], time - start, order)[..., 0]
        value = np.moveaxis(value, -1, -2)
        if order:
            value = np.where((at != inside)[..., None], 0.0, value)
        return np.asarray(value[..., 0, :] if np.ndim(t) == 0 else value)


def of_constant_derivative(times: Array, tops: Array, order: int, start: list[Array]) -> tuple[Array, Array]:
    """Knots and coefficients of phases (..., phases) with a constant derivative of this order, from a state [q, v,
    …]."""
    state = [np.asarray(x, float) for x in start[:order]]
    rows = []
    for k in range(times.shape[-1]):
        rows.append(np.stack([*state, tops[..., k]], axis=-1))
        state = [derivative(_taylor(rows[-1])[..., None], times[..., k], i)[..., 0] for i in range(order)]
    knots = np.concatenate([np.zeros((*times.shape[:-1], 1)), np.cumsum(times, axis=-1)], axis=-1)
    return knots, _taylor(np.stack(rows, axis=-2))


def _taylor(derivatives: Array) -> Array:
    factorials = np.cumprod(np.maximum(np.arange(derivatives.shape[-1]), 1))
    return np.asarray(derivatives / factorials)
