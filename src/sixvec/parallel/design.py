"""The names of designs: which pivots coincide, which lie in a plane or on a line, which platforms are similar."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import DegenerateError
from sixvec.parallel.leg import Leg
from sixvec.parallel.space import Space
from sixvec.spatial import Vec3
from sixvec.tolerances import EQUAL

DIGITS = 4.0
"""Coordinates differ by so many units in the last place after a rotation or a shift of their frame."""


def groups(points: Array, rounding: float = 0.0) -> tuple[int, ...]:
    """For each point the index of the first one at the same position.

    >>> groups(np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0]]))
    (0, 1, 0)
    """
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return tuple(int(row.argmax()) for row in gaps <= tolerance(points, rounding))


def design_name(base: Array, platform: Array) -> str:
    """The number of different points on base and platform; "321" and "3-1-1-1" by shared pivots on the platform.

    >>> b = np.arange(18.0).reshape(6, 3) ** 2
    >>> design_name(b, b[[0, 0, 0, 1, 1, 2]]), design_name(b, b[[0, 0, 0, 1, 2, 3]]), design_name(b, b)
    ('321', '3-1-1-1', '6-6')
    """
    on_base, on_platform = groups(base), groups(platform)
    counts = sorted((on_platform.count(k) for k in set(on_platform)), reverse=True)
    if len(set(on_base)) == 6 and counts == [3, 2, 1]:
        return "321"
    if len(set(on_base)) == 6 and counts == [3, 1, 1, 1]:
        return "3-1-1-1"
    return f"{len(set(on_base))}-{len(set(on_platform))}"


def dimension(points: Array, rounding: float = 0.0) -> int:
    """0 for coincident points, 1 on a line, 2 in a plane, 3 otherwise.

    >>> dimension(np.array([[0.0, 0, 0], [1e-9, 0, 0], [0, 1e-9, 0]]))
    2
    """
    values = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return int((values > tolerance(points, rounding)).sum())


def tolerance(points: Array, rounding: float = 0.0) -> float:
    """The distance of pivots that is nothing: a fraction of their spread, and the last digits of their coordinates.

    `rounding` is that of coordinates from which these were computed.
    """
    spread = float(np.linalg.norm(points - points.mean(axis=0), axis=-1).max(initial=0.0))
    return EQUAL * spread + max(rounding, DIGITS * float(np.spacing(np.abs(points).max(initial=0.0))))


def require_distinct_legs(legs: tuple[Leg, ...], space: Space) -> None:
    """Raise an error for duplicate legs, and pivots that can never hold the platform."""
    for j, leg in enumerate(legs):
        for i, other in enumerate(legs[:j]):
            if type(leg) is type(other) and leg.platform == other.platform and leg.root == other.root:
                raise DegenerateError(
                    f"legs {i} and {j} coincide: both pivots are the same, so together they hold no more than one; "
                    "move a pivot of either"
                )
    if len(legs) < space.freedoms or space.turns == 0:
        return
    sides = {"platform": [leg.platform for leg in legs]}
    if all(leg.kind == "UPS" for leg in legs):
        sides["base"] = [leg.root for leg in legs]
    held = [Vec3.zero()] * space.only_turns  # the ball joint is one more pivot
    for side, pivots in sides.items():
        if (d := dimension(np.array([[*p] for p in (*pivots, *held)]))) < min(space.turns, 2):
            raise DegenerateError(
                f"all {side} pivots lie {'in one point' if d == 0 else 'on one line'}: no moment about it can be held; "
                f"at least one {side} pivot must be elsewhere"
            )
