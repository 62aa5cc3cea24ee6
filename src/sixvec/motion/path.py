"""Paths of joints through waypoints: piecewise polynomials of the position on the path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_all
from sixvec.errors import ArgumentError, unknown
from sixvec.robot import Robot
from sixvec.tolerances import ROUNDING

KINDS = ("cubic",)
ENDS = ("natural", "not-a-knot")


@dataclass(frozen=True, eq=False)
class Path:
    """Positions of a robot on a path, q(s) with s from 0 to `length`: one path, or a batch (...) of them.

    `coefficients` (..., pieces, 4, nq) are those of 1, r, r², r³ with r the distance from the start of the piece;
    `knots` (..., pieces + 1) are where pieces meet.
    """

    robot: Robot
    knots: Array
    coefficients: Array

    @property
    def length(self) -> Any:
        return self.knots[..., -1]

    @property
    def batch(self) -> tuple[int, ...]:
        return self.knots.shape[:-1]

    def q(self, s: ArrayLike) -> Array:
        """Positions at s, (m,) for all paths or (..., m) for each: (..., m, nq)."""
        return self._evaluated(s, 0)

    def dq(self, s: ArrayLike) -> Array:
        """The first derivatives with respect to s."""
        return self._evaluated(s, 1)

    def ddq(self, s: ArrayLike) -> Array:
        """The second derivatives with respect to s."""
        return self._evaluated(s, 2)

    def _evaluated(self, s: ArrayLike, order: int) -> Array:
        s = real_array("s", s)
        single = s.ndim == 0
        s = s[None] if single else s
        s = np.broadcast_to(s, (*np.broadcast_shapes(self.batch, s.shape[:-1]), s.shape[-1]))
        pieces = self.knots.shape[-1] - 1
        inner = self.knots[..., None, 1:-1]
        piece = (s[..., None] >= inner).sum(axis=-1)
        start = np.take_along_axis(np.broadcast_to(self.knots, (*s.shape[:-1], pieces + 1)), piece, axis=-1)
        index = np.broadcast_to(piece[..., None, None], (*piece.shape, 4, self.robot.nq))
        C = np.broadcast_to(self.coefficients, (*s.shape[:-1], *self.coefficients.shape[-3:]))
        c = np.take_along_axis(C, index, axis=-3)
        r = (s - start)[..., None]
        if order == 0:
            value = c[..., 0, :] + r * (c[..., 1, :] + r * (c[..., 2, :] + r * c[..., 3, :]))
        elif order == 1:
            value = c[..., 1, :] + r * (2.0 * c[..., 2, :] + 3.0 * r * c[..., 3, :])
        else:
            value = 2.0 * c[..., 2, :] + 6.0 * r * c[..., 3, :]
        return np.asarray(value[..., 0, :] if single else value)

    def __repr__(self) -> str:
        pieces = self.knots.shape[-1] - 1
        count = f"{self.batch} paths" if self.batch else "one path"
        return f"<Path of {self.robot.name}: {count}, {pieces} pieces>"


def spline(
    robot: Robot,
    waypoints: ArrayLike,
    kind: str = "cubic",
    *,
    knots: ArrayLike | None = None,
    ends: str | tuple[ArrayLike, ArrayLike] = "natural",
) -> Path:
    """The smooth path through waypoints (..., k, nq).

    "cubic" has continuous second derivatives.  `knots` (k,) or (..., k) are where on the path the waypoints are; by
    default their distances in joint space add up.  `ends` are "natural" (no second derivative), "not-a-knot" (as
    SciPy's default), or a pair of first derivatives with respect to s.  Joints with quaternions are not supported.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("planar_2r")
    >>> path = motion.spline(arm, [[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    >>> path, path.q(path.length).round(12).tolist()
    (<Path of planar_2r: one path, 2 pieces>, [1.0, 1.0])
    """
    if kind not in KINDS:
        raise ArgumentError(f"spline: {unknown('kind', kind, KINDS)}")
    if robot.nq != robot.nv:
        raise ArgumentError(
            f"spline: {robot.name} has joints with quaternions, whose waypoints are not numbers to interpolate; "
            "joints with one coordinate per freedom are supported"
        )
    Q = real_array("spline: waypoints", waypoints, "waypoints ≥ 2", robot.nq, finite=True)
    require_all(
        "spline: waypoints", Q, (robot.lower - 1e-9 <= Q) & (robot.upper + 1e-9 >= Q), "within the joint limits"
    )
    k = Q.shape[-2]
    if knots is None:
        steps = np.linalg.norm(np.diff(Q, axis=-2), axis=-1)
        total = steps.sum(axis=-1, keepdims=True)
        if (bad := steps <= ROUNDING * total).any():
            at = tuple(map(int, np.argwhere(bad)[0]))
            raise ArgumentError(
                f"spline: waypoints {at[-1]} and {at[-1] + 1}{_of(at[:-1])} are the same; leave one out"
            )
        places = np.concatenate([np.zeros((*steps.shape[:-1], 1)), np.cumsum(steps, axis=-1)], axis=-1)
    else:
        places = real_array("spline: knots", knots, k, finite=True, why="one for each waypoint")
        if not (np.diff(places, axis=-1) > 0.0).all():
            raise ArgumentError("spline: knots must increase")
        places = np.broadcast_to(places - places[..., :1], (*Q.shape[:-2], k))
    slopes = _slopes(places, Q, ends)
    h = np.diff(places, axis=-1)[..., None]
    rise = np.diff(Q, axis=-2) / h
    first, last = slopes[..., :-1, :], slopes[..., 1:, :]
    C = [Q[..., :-1, :], first, (3.0 * rise - 2.0 * first - last) / h, (first + last - 2.0 * rise) / h**2]
    return Path(robot, np.ascontiguousarray(places), np.stack(C, axis=-2))


def _of(index: Sequence[int]) -> str:
    return f" of path {list(index)}" if index else ""


def _slopes(s: Array, Q: Array, ends: Any) -> Array:
    """The first derivatives at the knots for which the second ones are continuous."""
    k = s.shape[-1]
    h = np.diff(s, axis=-1)
    rise = np.diff(Q, axis=-2) / h[..., None]
    A, b = np.zeros((*s.shape[:-1], k, k)), np.zeros(Q.shape)
    for i in range(1, k - 1):
        A[..., i, i - 1], A[..., i, i + 1] = h[..., i], h[..., i - 1]
        A[..., i, i] = 2.0 * (h[..., i - 1] + h[..., i])
        b[..., i, :] = 3.0 * (h[..., i, None] * rise[..., i - 1, :] + h[..., i - 1, None] * rise[..., i, :])
    if isinstance(ends, str):
        if ends not in ENDS:
            raise ArgumentError(f"spline: {unknown('ends', ends, ENDS)}")
        if ends == "natural" or k == 2:
            A[..., 0, 0] = A[..., -1, -1] = 2.0
            A[..., 0, 1] = A[..., -1, -2] = 1.0
            b[..., 0, :], b[..., -1, :] = 3.0 * rise[..., 0, :], 3.0 * rise[..., -1, :]
        elif k == 3:  # one parabola
            A[..., 0, 0] = A[..., 0, 1] = A[..., -1, -1] = A[..., -1, -2] = 1.0
            b[..., 0, :], b[..., -1, :] = 2.0 * rise[..., 0, :], 2.0 * rise[..., -1, :]
        else:  # the first two and the last two pieces are one polynomial
            for end, (i, j), (p, q) in ((0, (0, 1), (0, 1)), (k - 1, (k - 2, k - 3), (k - 2, k - 3))):
                near, far = h[..., i], h[..., j]
                A[..., end, end] = far
                A[..., end, end + (1 if end == 0 else -1)] = near + far
                weights = ((near + 2.0 * (near + far)) * far)[..., None], (near**2)[..., None]
                b[..., end, :] = (weights[0] * rise[..., p, :] + weights[1] * rise[..., q, :]) / (near + far)[..., None]
    else:
        if not isinstance(ends, tuple | list) or len(ends) != 2:
            raise ArgumentError(f'spline: ends must be "natural", "not-a-knot" or two derivatives, not {ends!r}')
        for end, slope in zip((0, -1), ends, strict=True):
            A[..., end, end] = 1.0
            b[..., end, :] = real_array("spline: ends", slope, Q.shape[-1])
    return np.asarray(np.linalg.solve(A, b))
