"""The equations of rolling, on scalars: from a list of wheels to lines of force, and between rates and twist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.mobile.planar import PlanarTwist, PlanarWrench
from sixvec.mobile.steering import Steering
from sixvec.mobile.wheel import Direction, FixedWheel, SteeredWheel
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial.linear import dot
from sixvec.tolerances import RANK


@dataclass(frozen=True)
class Lines:
    """The lines of force of a platform: a traction for every driven wheel, a lateral force for every wheel with one."""

    traction: list[PlanarWrench]
    lateral: list[PlanarWrench]

    @classmethod
    def of(cls, wheels: Sequence[FixedWheel], steering: Steering, steer: Sequence[Scalar]) -> Lines:
        rows = directions(wheels, steering, steer)
        pairs = list(zip(wheels, rows, strict=True))
        lateral = (w.lateral(d) for w, d in pairs)
        return cls([w.traction(d) for w, d in pairs if w.driven], [f for f in lateral if f is not None])


def directions(wheels: Sequence[FixedWheel], steering: Steering, steer: Sequence[Scalar]) -> list[Direction]:
    """The direction of each wheel on the platform."""
    steered = [w for w in wheels if isinstance(w, SteeredWheel)]
    turned = iter(steering.directions(steered, steer) if steered else [])
    return [w.direction(next(turned)) if isinstance(w, SteeredWheel) else w.direction() for w in wheels]


def rates_of(
    wheels: Sequence[FixedWheel], steering: Steering, steer: Sequence[Scalar], twist: PlanarTwist
) -> tuple[list[Scalar], list[Scalar]]:
    """Rates of the driven wheels, and slip (m/s) of each wheel with a lateral line: (ΔG)ᵀ t of Bruyninckx (9.13)."""
    lines = Lines.of(wheels, steering, steer)
    radii = [w.radius for w in wheels if w.driven]
    rates = [twist.dot(f) / r for f, r in zip(lines.traction, radii, strict=True)]
    return rates, [twist.dot(f) for f in lines.lateral]


def twist_of(
    wheels: Sequence[FixedWheel], steering: Steering, steer: Sequence[Scalar], rates: Sequence[Scalar]
) -> tuple[PlanarTwist, list[Scalar]]:
    """The twist nearest to the wheel rates, and the residual of each line (m/s): rims first, then sideways."""
    pointing = directions(wheels, steering, steer)
    A: list[list[Scalar]] = []
    b: list[Scalar] = []
    known = iter(rates)
    for w, d in zip(wheels, pointing, strict=True):
        lateral, speed = w.lateral(d), next(known) * w.radius if w.driven else None
        if speed is not None and lateral is not None:
            # both lines perpendicular: the velocity of the wheel is known in any axes, and in those of the platform
            # the rows do not depend on the steering
            A += [[-w.y, 1.0, 0.0], [w.x, 0.0, 1.0]]
            b += [speed * d[0], speed * d[1]]
        elif speed is not None:
            A.append(list(w.traction(d)))
            b.append(speed)
        elif lateral is not None:
            A.append(list(lateral))
            b.append(0.0)
    twist = PlanarTwist.of(least_squares(A, b))
    lines = Lines.of(wheels, steering, steer)
    speeds = [r * w.radius for r, w in zip(rates, (w for w in wheels if w.driven), strict=True)]
    slip = [v - twist.dot(f) for f, v in zip(lines.traction, speeds, strict=True)]
    return twist, [*slip, *(twist.dot(f) for f in lines.lateral)]


def twist_of_shaft(
    wheels: Sequence[FixedWheel], steering: Steering, steer: Sequence[Scalar], rate: Scalar
) -> tuple[PlanarTwist, list[Scalar]]:
    """The twist at which the driven wheels have this mean rate, by a differential gear, and the slip sideways."""
    lines = Lines.of(wheels, steering, steer)
    radii = [w.radius for w in wheels if w.driven]
    size = sum(radii) / len(radii)
    parts: list[Scalar] = [size / (r * len(radii)) for r in radii]
    mean = [dot(parts, column) for column in zip(*lines.traction, strict=True)]
    rows = [mean, *([*f] for f in lines.lateral)]
    twist = PlanarTwist.of(least_squares(rows, [rate * size, *[0.0] * len(lines.lateral)]))
    return twist, [twist.dot(f) for f in lines.lateral]


def least_squares(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with least |A x - b|, by modified Gram-Schmidt on the columns; NaN if these depend on each other."""
    columns, right = [list(c) for c in zip(*A, strict=True)], list(b)
    n = len(columns)
    R: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    y: list[Scalar] = []
    for j in range(n):
        size = sqrt(dot(columns[j], columns[j]))
        lost = size < RANK
        R[j][j] = where(lost, 1.0, size)
        scale = where(lost, math.nan, 1.0 / R[j][j])
        e = [x * scale for x in columns[j]]
        for k in range(j + 1, n):
            R[j][k] = dot(e, columns[k])
            columns[k] = [x - R[j][k] * u for x, u in zip(columns[k], e, strict=True)]
        y.append(dot(e, right))
        right = [x - y[j] * u for x, u in zip(right, e, strict=True)]
    x: list[Scalar] = [0.0] * n
    for j in reversed(range(n)):
        x[j] = (y[j] - sum((R[j][k] * x[k] for k in range(j + 1, n)), 0.0)) / R[j][j]
    return x
