"""Paths of joints: piecewise polynomials of the position on the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.devices import namespace
from sixvec.motion.exponential import positions_kernel
from sixvec.robot import Robot


@dataclass(frozen=True, eq=False)
class Path:
    """Positions of a robot on a path, q(s) with s from 0 to `length`: one path, or a batch (...) of them.

    `coefficients` (..., pieces, degree + 1, nq) are those of 1, r, r², … with r the distance from the start of the
    piece; `knots` (..., pieces + 1) are where pieces meet, and `smooth` is how many derivatives are continuous there.
    Motions stop where the first derivative is not.  Robots whose joints have quaternions move by exponential
    coordinates (..., nv) about `reference` (..., pieces, nq); `dq` and `ddq` are then velocities (..., nv) per rate of
    s, and their derivatives.
    """

    robot: Robot
    knots: Array
    coefficients: Array
    smooth: int = 2
    reference: Array | None = None

    @property
    def length(self) -> Any:
        return self.knots[..., -1]

    @property
    def batch(self) -> tuple[int, ...]:
        return self.knots.shape[:-1]

    def q(self, s: ArrayLike) -> Any:
        """Positions at s, (m,) for all paths or (..., m) for each: (..., m, nq)."""
        return self._evaluated(s, 0)

    def dq(self, s: ArrayLike) -> Any:
        """The first derivatives with respect to s; where they jump, those of the piece that starts there."""
        return self._evaluated(s, 1)

    def ddq(self, s: ArrayLike) -> Any:
        """The second derivatives with respect to s."""
        return self._evaluated(s, 2)

    def _evaluated(self, s: Any, order: int) -> Any:
        xp = namespace(self.knots)
        s = xp.asarray(s) if xp is not np else real_array("s", s)
        single = s.ndim == 0
        s = s[None] if single else s
        s = xp.broadcast_to(s, (*np.broadcast_shapes(self.batch, s.shape[:-1]), s.shape[-1]))
        pieces = self.knots.shape[-1] - 1
        inner = self.knots[..., None, 1:-1]
        piece = (s[..., None] >= inner).sum(axis=-1)
        start = xp.take_along_axis(xp.broadcast_to(self.knots, (*s.shape[:-1], pieces + 1)), piece, axis=-1)
        r = s - start
        C = _of_pieces(self.coefficients, piece, 2)
        if self.reference is None:
            value = derivative(C, r, order)
        else:
            if order > 2:
                raise ArgumentError("paths of joints with quaternions have two derivatives")
            base = _of_pieces(self.reference, piece, 1)
            value = positions_kernel(self.robot)(base, *(derivative(C, r, k) for k in range(3)))[order]
        return value[..., 0, :] if single else value

    def __repr__(self) -> str:
        pieces = self.knots.shape[-1] - 1
        count = f"{self.batch} paths" if self.batch else "one path"
        return f"<Path of {self.robot.name}: {count}, {pieces} piece{'s' * (pieces != 1)}>"


def _of_pieces(values: Array, piece: Array, rank: int) -> Any:
    """Values of pieces (..., pieces, *shape) with this rank of the shape, for pieces (..., m): (..., m, *shape)."""
    xp = namespace(values)
    shape = values.shape[-rank:]
    index = xp.broadcast_to(piece.reshape(*piece.shape, *(1,) * rank), (*piece.shape, *shape))
    values = xp.broadcast_to(values, (*piece.shape[:-1], *values.shape[-rank - 1 :]))
    return xp.take_along_axis(values, index, axis=-rank - 1)


def derivative(coefficients: Array, r: Array, order: int) -> Any:
    """The derivative of polynomials (..., degree + 1, n) at r (...): (..., n)."""
    r = r[..., None]
    value = namespace(coefficients).zeros(
        np.broadcast_shapes(coefficients.shape[:-2], r.shape[:-1]) + coefficients.shape[-1:]
    )
    for k in range(coefficients.shape[-2] - 1, order - 1, -1):
        factor = float(np.prod(np.arange(k - order + 1, k + 1)))
        value = value * r + factor * coefficients[..., k, :]
    return value
