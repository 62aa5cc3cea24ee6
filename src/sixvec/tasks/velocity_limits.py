"""Bounds on joint velocities that keep limits of position, speed and acceleration, now and later; on scalars."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.model import Model
from sixvec.scalar import Scalar, sqrt, where
from sixvec.tasks.position_limits import Bounds

REASONS = ("position limit", "speed limit", "acceleration limit", "largest turn of a step")


def braking_speed(distance: Scalar, acceleration: float, dt: Scalar) -> Scalar:
    """The largest velocity of the next step from which full braking ends within the distance.

    With steps of constant velocity v, v - a dt, v - 2 a dt, … it is at most  sqrt(2 a d) - a dt / 2,  and  d / dt
    where one step is enough.  After a step at that speed the next bound is exactly a dt smaller, so a state within the
    bounds never needs more than the acceleration.

    >>> braking_speed(2.0, 1.0, 0.0), round(braking_speed(0.001, 1.0, 0.1), 9)
    (2.0, 0.01)
    """
    reach = sqrt(where(distance > 0.0, 2.0 * acceleration * distance, 0.0))
    step = acceleration * dt
    return where(reach > step, reach - 0.5 * step, distance / where(dt > 0.0, dt, 1.0))


def bounds_of(
    model: Model, limits: Any, v_limits: Any, acceleration: Any, q: Any, v: Any, dt: Scalar, turns: Any = None
) -> Any:
    """(lower, upper, reason below, reason above) for all coordinates of v; reasons are indices of `REASONS`.

    Beyond a limit the bounds require the way back, at most at the speed limit.  Coordinates without a speed limit move
    by `turns` in one step, at most.
    """
    low_ends, high_ends = limits
    ranges = Bounds(low_ends, high_ends, model).of
    lower: list[Scalar] = []
    upper: list[Scalar] = []
    reasons: tuple[list[Scalar], list[Scalar]] = ([], [])
    for k in range(model.nv):
        fastest, slow, a = float(v_limits[k]), 1.0, float(acceleration[k])
        if not np.isfinite(fastest) and turns is not None and np.isfinite(turns[k]):
            fastest, slow = float(turns[k]) / dt, 3.0
        i, low, high = ranges.get(k, (0, -np.inf, np.inf))
        sides = []
        for sign, end in ((1.0, high), (-1.0, -low)):
            speed: Scalar = fastest
            reason: Scalar = slow
            if np.isfinite(end):
                distance = end - sign * q[i]
                ahead = braking_speed(distance, a, dt) if np.isfinite(a) else distance / dt
                speed, reason = where(ahead < fastest, ahead, fastest), where(ahead < fastest, 0.0, slow)
            speed = where(speed < -fastest, -fastest, speed)
            sides.append([speed, reason])
        if np.isfinite(a):
            for (sign, side), _ in zip(((1.0, sides[0]), (-1.0, sides[1])), range(2), strict=True):
                driven, braked = sign * v[k] + a * dt, sign * v[k] - a * dt
                side[1] = where(driven < side[0], 2.0, side[1])
                side[0] = where(driven < side[0], driven, where(braked > side[0], braked, side[0]))
                side[0] = where(abs(driven) < np.inf, side[0], np.nan)  # no bound follows from an unknown velocity
        upper.append(sides[0][0])
        lower.append(-sides[1][0])
        reasons[1].append(sides[0][1])
        reasons[0].append(sides[1][1])
    return lower, upper, *reasons
