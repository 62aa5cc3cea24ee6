"""Cubic splines: the pieces whose second derivatives are continuous, by elimination along the knots.

Numbers are scalars or arrays: compiled for paths with few waypoints, on arrays for long ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sixvec.kernels import Port
from sixvec.kernels.devices import namespace
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar

COMPILED = 200
"""Numbers of waypoints up to which their spline is compiled."""

Row = tuple[Any, Any, Any, Any]
"""Of the equations of the slopes: the weights of the slope before, at and after a knot, and the right-hand side."""


def cubic_pieces(s: Any, Q: Any, ends: Any) -> Any:
    """Coefficients (..., pieces, 4, n) of the spline through Q (..., k, n) at knots s (..., k).  `ends` are "natural",
    "not-a-knot", or the slopes at both ends."""
    count, joints = Q.shape[-2:]
    if count * joints <= COMPILED:
        if isinstance(ends, str):
            return cubic_kernel(count, joints, ends)(s, Q)
        xp = namespace(Q)
        return cubic_kernel(count, joints, "slopes")(s, Q, xp.stack(xp.broadcast_arrays(*ends), axis=-2))
    h, rises = _rises(s, Q)
    lengths, means = ([x[..., k, :] for k in range(count - 1)] for x in (h, rises))
    slopes = [x + 0.0 * Q[..., 0, :] for x in slopes_of(lengths, means, ends)]
    return with_slopes(s, Q, namespace(Q).stack(slopes, axis=-2))


def with_slopes(s: Any, Q: Any, slopes: Any) -> Any:
    """Coefficients of the cubics with these values and slopes (..., k, n) at knots."""
    h, rises = _rises(s, Q)
    return namespace(Q).stack(piece(h, Q[..., :-1, :], rises, slopes[..., :-1, :], slopes[..., 1:, :]), axis=-2)


def _rises(s: Any, Q: Any) -> tuple[Any, Any]:
    """The lengths (..., pieces, 1) and mean slopes of the pieces, as arrays."""
    h = (s[..., 1:] - s[..., :-1])[..., None]
    return h, (Q[..., 1:, :] - Q[..., :-1, :]) / h


def slopes_of(h: Sequence[Any], rises: Sequence[Any], ends: Any) -> list[Any]:
    """Slopes at all knots, from the lengths of the pieces, their mean slopes, and what holds at the ends: the name of a
    condition, or two slopes."""
    pairs = zip(pairwise(h), pairwise(rises), strict=True)
    inside = [(b, 2.0 * (a + b), a, 3.0 * (b * rise + a * following)) for (a, b), (rise, following) in pairs]
    rows = [_end_row(h, rises, ends, 0), *inside, _end_row(h[::-1], rises[::-1], ends, 1)]
    return _solution(rows)


def _end_row(h: Sequence[Any], rises: Sequence[Any], ends: Any, end: int) -> Row:
    """The equation at an end; weights are those of the slope before, there, and after, seen from the inside."""
    before, after = (0.0, 1.0) if end == 0 else (1.0, 0.0)
    if not isinstance(ends, str):
        return 0.0, 1.0, 0.0, ends[end]
    if ends == "natural" or len(h) == 1:
        return before, 2.0, after, 3.0 * rises[0]
    if len(h) == 2:  # one parabola
        return before, 1.0, after, 2.0 * rises[0]
    near, far = h[0], h[1]  # the first two and the last two pieces are one polynomial
    both = near + far
    right = ((near + 2.0 * both) * far * rises[0] + near * near * rises[1]) / both
    return before * both, far, after * both, right


def _solution(rows: Sequence[Row]) -> list[Any]:
    """Of equations in which each unknown occurs with its neighbours, by elimination without exchanges."""
    shares, values = [], []
    share: Any = 0.0
    value: Any = 0.0
    for before, at, after, right in rows:
        pivot = 1.0 / (at - before * share)
        share, value = after * pivot, (right - before * value) * pivot
        shares.append(share)
        values.append(value)
    unknowns = [values[-1]]
    for share, value in zip(shares[-2::-1], values[-2::-1], strict=True):
        unknowns.append(value - share * unknowns[-1])
    return unknowns[::-1]


def piece(h: Any, start: Any, rise: Any, first: Any, last: Any) -> list[Any]:
    """The coefficients of the cubic with this length, value at the start, mean slope, and slopes at the ends."""
    share = 1.0 / h
    return [start, first, (3.0 * rise - 2.0 * first - last) * share, (first + last - 2.0 * rise) * (share * share)]


@lru_cache(maxsize=64)
def cubic_kernel(count: int, joints: int, ends: str) -> CompiledFunction:
    """Coefficients (count - 1, 4, joints) from places (count,) and waypoints (count, joints), and slopes (2, joints) if
    the ends are "slopes"."""

    def cubic(s: list[Scalar], Q: list[list[Scalar]], *slopes: list[list[Scalar]]) -> list[Any]:
        h = [after - before for before, after in pairwise(s)]
        columns = []
        for j in range(joints):
            rises = [(y[j] - x[j]) / length for (x, y), length in zip(pairwise(Q), h, strict=True)]
            at_knots = slopes_of(h, rises, [slopes[0][end][j] for end in (0, 1)] if slopes else ends)
            columns.append([piece(*x) for x in zip(h, [q[j] for q in Q], rises, at_knots, at_knots[1:], strict=False)])
        return [[[columns[j][k][power] for j in range(joints)] for power in range(4)] for k in range(count - 1)]

    inputs = [Port("s", (count,)), Port("Q", (count, joints))]
    inputs += [Port("slopes", (2, joints))] if ends == "slopes" else []
    compiled = CompiledFunction(
        cubic, tuple(inputs), (Port("coefficients", (count - 1, 4, joints)),), f"cubic {count} {joints} {ends}"
    )
    compiled.needs_double = True
    return compiled
