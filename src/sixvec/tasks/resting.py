"""What brings motions to rest where tasks ask for more than the robot can do; on scalars.

Least squares take the rows of tasks for constant.  Where an error remains, because of a limit or out of reach, the
change of these rows with the position outweighs JᵀJ in the directions that J hardly moves, and steps jump to and fro.
With it, steps are those of Newton's method on the weighted squares of the errors.  And limits of acceleration need
speeds from which joints can stop where they are going.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sixvec.model import Model
from sixvec.scalar import Scalar, sqrt, where
from sixvec.solve.active_set import larger_of, smaller_of
from sixvec.spatial.linear import Matrix, Row, dot
from sixvec.tasks.curvature import curvature, growth
from sixvec.tasks.velocity_limits import braking_speed
from sixvec.tolerances import EQUAL

LEAST = 3e-7
"""The least pivot of the second derivative, as a fraction of its largest diagonal entry: divided by less, rounding
errors would still be motions."""

BRAKING = 0.5
"""The part of the acceleration with which joints brake before the end of their motions, so that they can correct it."""


def newton_matrix(
    model: Model,
    rows: Callable[..., Sequence[Any]],
    H: Matrix,
    free: Row,
    push: Row,
    q: Sequence[Scalar],
    targets: Sequence[Any],
    damping: float,
    of_gaps: Matrix | None = None,
) -> list[list[Scalar]]:
    """H = JᵀJ with the curvature of the rows along `push`, what a step leaves of each, made definite.

    Joints that are not `free` stay where they are, so what their motion would change is left out.  `of_gaps` is the
    curvature of clearances along the forces that keep them.
    """
    n = model.nv
    S = curvature(model, rows, q, [damping * x for x in push], targets)
    if of_gaps is not None:
        S = [[x + damping * y for x, y in zip(a, b, strict=True)] for a, b in zip(S, of_gaps, strict=True)]
    size = sqrt(sum((dot(row, row) for row in S), 0.0))
    M = [
        [
            h - s * x * y + (size * (1.0 - x) if i == j else 0.0)
            for j, (h, s, y) in enumerate(zip(a, b, free, strict=True))
        ]
        for i, (a, b, x) in enumerate(zip(H, S, free, strict=True))
    ]
    largest: Scalar = 0.0
    for i in range(n):
        largest = larger_of(largest, H[i][i])
    least = LEAST * largest
    more = [x + least for x in growth(M, least)]
    return [[x + more[i] if i == j else x for j, x in enumerate(row)] for i, row in enumerate(M)]


def levenberg_matrix(H: Matrix, push: Row, damping: float) -> list[list[Scalar]]:
    """H with the damping of Levenberg and Marquardt for what a step leaves: a bound of the curvature where that is
    unknown, since those of frames are about 1 m/rad²."""
    more = 0.5 * damping * sqrt(dot(push, push))
    return [[x + more if i == j else x for j, x in enumerate(row)] for i, row in enumerate(H)]


def free_joints(g: Row, below: Row, above: Row, dt: Scalar) -> list[Scalar]:
    """0 for joints that the gradient g pushes against a limit of their positions, else 1."""
    near = EQUAL / dt  # one step goes no further
    return [
        where(y > 0.0, where(low > -near, 0.0, 1.0), where(high < near, 0.0, 1.0))
        for y, low, high in zip(g, below, above, strict=True)
    ]


def braked(
    remaining: Row, lower: Row, upper: Row, v: Row, acceleration: Any, dt: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Bounds of velocities from which the joints can stop after the motion that remains."""
    lows, highs = [], []
    for x, low, high, speed, a in zip(remaining, lower, upper, v, acceleration, strict=True):
        if np.isfinite(a):
            most = braking_speed(abs(x) * dt, BRAKING * float(a), dt)
            step = float(a) * dt
            ahead, back = larger_of(most, speed - step), smaller_of(-most, speed + step)
            high, low = larger_of(smaller_of(high, ahead), low), smaller_of(larger_of(low, back), high)
        lows.append(low)
        highs.append(high)
    return lows, highs
