"""Paths through waypoints: straight lines with or without blended corners, cubic and quintic splines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, real_array, require_all, require_shape
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.devices import namespace, on_its_device
from sixvec.motion.cubic import cubic_pieces
from sixvec.motion.exponential import coordinates_of
from sixvec.motion.path import Path
from sixvec.robot import Robot
from sixvec.tolerances import EQUAL, ROUNDING

KINDS = ("linear", "cubic", "quintic")
ENDS = ("natural", "not-a-knot")

QUINTIC = {
    (3, 0): ((-60.0, 60.0), (-36.0, -24.0), (-9.0, 3.0)),
    (3, 1): ((-60.0, 60.0), (-24.0, -36.0), (-3.0, 9.0)),
    (4, 0): ((360.0, -360.0), (192.0, 168.0), (36.0, -24.0)),
    (4, 1): ((-360.0, 360.0), (-168.0, -192.0), (-24.0, 36.0)),
}
"""Derivatives (order, end) of a quintic of length one, as weights of the values, slopes and second derivatives at both
of its ends."""

UNIT = 1e-6
"""Difference from one of the length of a quaternion with few digits."""

LARGEST_SHARE = 0.45
"""Of a straight piece that the blend of a corner may replace; less than half, so that something straight is left."""


def spline(
    robot: Robot,
    waypoints: ArrayLike,
    kind: str = "cubic",
    *,
    knots: ArrayLike | None = None,
    ends: str | tuple[ArrayLike, ...] = "natural",
    blend: float = 0.0,
) -> Path:
    """The path through waypoints (..., k, nq).

    - "cubic" has continuous second derivatives, "quintic" continuous fourth ones.
    - "linear" has straight pieces: motions stop at its corners, but with `blend`, the largest distance in joint space
      from a corner at which parabolas go around it.

    `knots` (k,) or (..., k) are where on the path the waypoints are; by default their distances in joint space add up.
    `ends` of a cubic are "natural" (no second derivative), "not-a-knot" (as SciPy's default), or a pair of first
    derivatives with respect to s; those of a quintic are "natural" (no third and fourth derivatives), or a pair of
    first and a pair of second derivatives.  Joints with quaternions move by exponential coordinates about the first
    waypoint, and from one waypoint to the next about one axis if kind is "linear".

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("planar_2r")
    >>> path = motion.spline(arm, [[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]])
    >>> path, path.q(path.length).round(12).tolist()
    (<Path of planar_2r: one path, 2 pieces>, [1.0, 1.0])
    """
    if kind not in KINDS:
        raise ArgumentError(f"spline: {unknown('kind', kind, KINDS)}")
    Q = on_its_device(waypoints)
    if namespace(Q) is np:
        Q = real_array("spline: waypoints", Q, "waypoints ≥ 2", robot.nq, finite=True)
        lower, upper = robot._kernels.stored("joint limits of paths", lambda: _joint_limits(robot))
        if not (np.minimum(Q - lower, upper - Q) >= 0.0).all():
            require_all("spline: waypoints", Q, (lower <= Q) & (upper >= Q), "within the joint limits")
    else:
        require_shape("spline: waypoints", Q, "waypoints ≥ 2", robot.nq)
    if robot.nq != robot.nv:
        return _with_quaternions(robot, Q, kind, knots, ends, blend)
    return _path(robot, _places(Q, Q[..., 1:, :] - Q[..., :-1, :], knots), Q, kind, ends, blend)


def _joint_limits(robot: Robot) -> tuple[Array, Array]:
    return np.asarray(robot.lower) - EQUAL, np.asarray(robot.upper) + EQUAL


def _with_quaternions(robot: Robot, Q: Any, kind: str, knots: ArrayLike | None, ends: Any, blend: float) -> Path:
    """The path of exponential coordinates about the first waypoint; of straight pieces, about their start."""
    if namespace(Q) is not np:
        raise ArgumentError(f"spline: {robot.name} has joints with quaternions; give waypoints as NumPy arrays")
    for b in robot.model.moving:
        if b.joint.quaternion is not None:
            size = np.linalg.norm(Q[..., robot.model.q_slices[b.name]][..., b.joint.quaternion], axis=-1)
            require_all(f"spline: the length of the quaternions of {b.name}", size, np.abs(size - 1.0) < UNIT, "1")
    pieces = Q.shape[-2] - 1
    z = coordinates_of(robot, Q)
    if kind != "linear":
        path = _path(robot, _places(Q, np.diff(z, axis=-2), knots), z, kind, ends, blend)
        reference = np.broadcast_to(Q[..., :1, :], (*Q.shape[:-2], pieces, robot.nq))
        return replace(path, reference=np.ascontiguousarray(reference))
    if blend:
        raise ArgumentError(
            f"spline: {robot.name} has joints with quaternions, whose corners cannot be blended; take a cubic"
        )
    each = coordinates_of(robot, np.stack([Q[..., :-1, :], Q[..., 1:, :]], axis=-2))
    rise = each[..., 1, :] - each[..., 0, :]
    s = _places(Q, rise, knots)
    C = np.stack([each[..., 0, :], rise / np.diff(s, axis=-1)[..., None]], axis=-2)
    return Path(robot, s, C, 2 if pieces == 1 else 0, np.ascontiguousarray(Q[..., :-1, :]))


def _path(robot: Robot, places: Array, Q: Any, kind: str, ends: Any, blend: float) -> Path:
    if kind == "linear":
        return _linear(robot, places, Q, blend)
    if blend:
        raise ArgumentError(f'spline: blend is for kind="linear"; {kind} paths have no corners')
    if kind == "cubic":
        return Path(robot, places, cubic_pieces(places, Q, _ends(ends, Q)))
    return Path(robot, places, quintic_pieces(places, Q, *_two_derivatives(places, Q, ends)), smooth=4)


def _ends(ends: Any, Q: Any) -> Any:
    """The name of what holds at the ends of a cubic, or its slopes there."""
    if isinstance(ends, str):
        if ends not in ENDS:
            raise ArgumentError(f"spline: {unknown('ends', ends, ENDS)}")
        return ends
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise ArgumentError(f'spline: ends must be "natural", "not-a-knot" or two derivatives, not {ends!r}')
    return [namespace(Q).asarray(real_array("spline: ends", x, Q.shape[-1], finite=True)) for x in ends]


def quintic_pieces(s: Array, Q: Array, slopes: Array, bends: Array) -> Array:
    """Coefficients (..., pieces, 6, n) of the quintics with these values, first and second derivatives at knots."""
    h = np.diff(s, axis=-1)[..., None]
    (a, b), (d, e), (f, g) = ((x[..., :-1, :], x[..., 1:, :]) for x in (Q, slopes * 1.0, bends * 1.0))
    u, v, w = b - a - h * d - 0.5 * h**2 * f, h * (e - d - h * f), h**2 * (g - f)
    C = [a, d, 0.5 * f, (10 * u - 4 * v + 0.5 * w) / h**3, (-15 * u + 7 * v - w) / h**4,
         (6 * u - 3 * v + 0.5 * w) / h**5]  # fmt: skip
    return np.stack(C, axis=-2)


def _places(Q: Any, rise: Any, knots: ArrayLike | None) -> Any:
    if knots is not None:
        xp = namespace(Q)
        places = on_its_device(knots)
        if namespace(places) is np:
            places = real_array("spline: knots", places, Q.shape[-2], finite=True, why="one for each waypoint")
            if not (places[..., 1:] > places[..., :-1]).all():
                raise ArgumentError("spline: knots must increase")
        places = xp.asarray(places - places[..., :1])
        if places.shape == Q.shape[:-1]:
            return places
        return xp.ascontiguousarray(xp.broadcast_to(places, Q.shape[:-1]))
    steps = np.linalg.norm(rise, axis=-1)
    total = steps.sum(axis=-1, keepdims=True)
    if namespace(Q) is np and (bad := steps <= ROUNDING * total).any():
        at = tuple(map(int, np.argwhere(bad)[0]))
        raise ArgumentError(f"spline: waypoints {at[-1]} and {at[-1] + 1}{_of(at[:-1])} are the same; leave one out")
    return np.concatenate([0.0 * steps[..., :1], np.cumsum(steps, axis=-1)], axis=-1)


def _of(index: Sequence[int]) -> str:
    return f" of path {list(index)}" if index else ""


def _linear(robot: Robot, s: Array, Q: Array, blend: float) -> Path:
    """Straight pieces; a corner is replaced by the parabola that is tangential to both of its pieces.

    With u and w the directions before and after a corner, the parabola over a length 2 d leaves the corner by
    d |w − u| / 4 at its middle, which is its largest distance.
    """
    h = np.diff(s, axis=-1)
    slopes = np.diff(Q, axis=-2) / h[..., None]
    straight = np.stack([Q[..., :-1, :], slopes], axis=-2)
    if blend == 0.0 or Q.shape[-2] == 2:
        return Path(robot, s, straight, smooth=0 if Q.shape[-2] > 2 else 2)
    positive_number("spline: blend", blend)
    turn = np.diff(slopes, axis=-2)
    half = LARGEST_SHARE * np.minimum(h[..., :-1], h[..., 1:])
    with np.errstate(divide="ignore"):
        half = np.minimum(half, 4.0 * blend / np.linalg.norm(turn, axis=-1))
    before, after = s[..., 1:-1] - half, s[..., 1:-1] + half
    knots = np.concatenate([s[..., :1], np.stack([before, after], axis=-1).reshape(*s.shape[:-1], -1), s[..., -1:]], -1)
    count = Q.shape[-2] - 1
    C = namespace(Q).zeros((*s.shape[:-1], 2 * count - 1, 3, Q.shape[-1]))
    starts = np.concatenate([s[..., :1], after], axis=-1) - s[..., :-1]
    C[..., ::2, 0, :], C[..., ::2, 1, :] = Q[..., :-1, :] + starts[..., None] * slopes, slopes
    C[..., 1::2, 0, :] = Q[..., 1:-1, :] - half[..., None] * slopes[..., :-1, :]
    C[..., 1::2, 1, :] = slopes[..., :-1, :]
    C[..., 1::2, 2, :] = turn / (4.0 * half[..., None])
    return Path(robot, knots, C, smooth=1)


def _two_derivatives(s: Array, Q: Array, ends: Any) -> tuple[Array, Array]:
    """First and second derivatives at the knots for which the third and fourth ones are continuous.

    On each piece the third and fourth derivatives at its ends are linear in the values and derivatives there.
    """
    k, n = Q.shape[-2:]
    h = np.diff(s, axis=-1)
    xp = namespace(Q)
    A, b = xp.zeros((*h.shape[:-1], 2 * k, 2 * k)), xp.zeros((*h.shape[:-1], 2 * k, n))
    row = 2
    for i in range(1, k - 1):
        for order in (3, 4):
            for piece, at, sign in ((i - 1, 1, 1.0), (i, 0, -1.0)):
                _add_row(A, b, row, Q, h, piece, at, order, sign)
            row += 1
    if isinstance(ends, str):
        if ends != "natural":
            raise ArgumentError(f'spline: ends of a quintic are "natural", or a pair of derivatives of order 1 and 2, '
                                f"not {ends!r}")  # fmt: skip
        for row, piece, at, order in ((0, 0, 0, 3), (1, 0, 0, 4), (2 * k - 2, k - 2, 1, 3), (2 * k - 1, k - 2, 1, 4)):
            _add_row(A, b, row, Q, h, piece, at, order, 1.0)
        if k == 2:  # a straight line: any end satisfies four conditions on three free coefficients
            slopes = np.repeat(np.diff(Q, axis=-2) / h[..., None], 2, axis=-2)
            return slopes, np.zeros_like(slopes)
    else:
        pairs = np.asarray([real_array("spline: ends", x, 2, n) for x in ends])
        if pairs.shape != (2, 2, n):
            raise ArgumentError("spline: ends of a quintic are two pairs, of first and of second derivatives")
        for row, knot, end in ((0, 0, 0), (2 * k - 2, k - 1, 1)):
            for order in (0, 1):
                A[..., row + order, 2 * knot + order] = 1.0
                b[..., row + order, :] = xp.asarray(pairs[order, end])
    x = xp.linalg.solve(A, b)
    return x[..., ::2, :], x[..., 1::2, :]


def _add_row(A: Array, b: Array, row: int, Q: Array, h: Array, piece: int, at: int, order: int, sign: float) -> None:
    """Add sign times the derivative of this order at one end of a quintic piece, in h units of its first knot."""
    of_values, of_slopes, of_bends = QUINTIC[order, at]
    step = h[..., piece]
    for end in (0, 1):
        b[..., row, :] -= sign * (of_values[end] / step**order)[..., None] * Q[..., piece + end, :]
        A[..., row, 2 * (piece + end)] += sign * of_slopes[end] / step ** (order - 1)
        A[..., row, 2 * (piece + end) + 1] += sign * of_bends[end] / step ** (order - 2)
