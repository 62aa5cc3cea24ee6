"""Feedback laws for nonholonomic platforms: to a pose, and along a path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, real_array, whole_number
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.inputs import require_platform
from sixvec.mobile.kernels import looped
from sixvec.mobile.odometry import arc
from sixvec.mobile.paths.words import wrapped
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.wheel import warn_of_degrees
from sixvec.scalar import Scalar, arctan2, cos, sin, sqrt, where

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform

_SHAPE, _PULL = 1.5, 3.0
"""Gains of `posture_law`: the rate of the approach curve, and the rate at which the heading converges to it.  Above 1,
the curvature of the path vanishes at the goal."""

_ARRIVED = 1e-8
"""Metres from the goal at which the law stops: the direction to it would be rounding."""


def posture_law(
    pose: Sequence[Scalar], goal: Sequence[Scalar], rate: Scalar = 1.0, turns_in_place: bool = False
) -> PlanarTwist:
    """The twist that takes a platform forward to a pose, smooth everywhere except at the goal.

    With r the distance, θ the heading of the goal and δ that of the platform, both relative to the line of sight, the
    heading is controlled to  δ = arctan(-k₁ θ), along which θ falls as r^k₁; the speed is `rate` r, so both vanish
    exponentially.  The curvature  ω/v  stays finite and needs no velocity, so a car steers by it as well.
    (Park and Kuipers 2011.)  At the goal the platform stops, or turns to the goal's heading if it can turn in place.
    """
    dx, dy = goal[0] - pose[0], goal[1] - pose[1]
    r = sqrt(dx * dx + dy * dy)
    sight = arctan2(dy, dx)
    theta, delta = wrapped(goal[2] - sight), wrapped(pose[2] - sight)
    bent = theta * _SHAPE
    wanted = arctan2(-bent, 1.0)
    turn = (delta - wanted) * _PULL + (1.0 + _SHAPE / (1.0 + bent * bent)) * sin(delta)
    arrived = r < _ARRIVED
    at_goal = wrapped(goal[2] - pose[2]) * rate if turns_in_place else 0.0
    return PlanarTwist(where(arrived, at_goal, -turn * rate), where(arrived, 0.0, r * rate), 0.0)


def tracking_law(
    pose: Sequence[Scalar], reference: Sequence[Scalar], speed: Scalar, turning: Scalar, gain: Scalar = 2.0
) -> PlanarTwist:
    """The twist that keeps a platform on a reference that moves with a speed, of either sign, and a turning rate.

    The error (x, y, φ) of the reference in the platform's frame is controlled to zero:  v = vᵣ cos φ + k x,
    ω = ωᵣ + k² vᵣ y sin φ/φ + 2 k |vᵣ| φ.  Lyapunov's function  k² (x² + y²)/2 + φ²/2  then decreases with
    -k³ x² - 2 k |vᵣ| φ².  (Samson; Kanayama.)

    >>> from sixvec.mobile import tracking_law
    >>> tracking_law([0.0, 0.0, 0.0], [0.1, 0.0, 0.0], speed=1.0, turning=0.0)
    PlanarTwist(ang=0.0, x=1.2, y=0.0)
    """
    c, s = cos(pose[2]), sin(pose[2])
    dx, dy = reference[0] - pose[0], reference[1] - pose[1]
    x, y, angle = c * dx + s * dy, c * dy - s * dx, wrapped(reference[2] - pose[2])
    small = abs(angle) < 1e-4
    sinc = where(small, 1.0 - angle * angle * (1.0 / 6.0), sin(angle) / where(small, 1.0, angle))
    v = speed * cos(angle) + gain * x
    return PlanarTwist(turning + gain * gain * speed * y * sinc + 2.0 * gain * abs(speed) * angle, v, 0.0)


@any_arrays_same_dtype
def approach(platform: Platform, start: ArrayLike, goal: ArrayLike, dt: float, steps: int, rate: float = 1.0) -> Array:
    """Poses (..., steps, 3) of a platform that `posture_law` takes from `start` to `goal` (..., 3), forward.

    A car steers along the curvature of the law, which a steering angle below 90° can always follow.

    >>> import sixvec
    >>> from sixvec.mobile import approach
    >>> path = approach(sixvec.mobile.differential_drive(0.5, 0.1), [0.0, 0.0, 0.0], [1.0, 2.0, 3.0], 0.02, 1500)
    >>> path[-1].round(6).tolist()
    [1.0, 2.0, 3.0]
    """
    require_drive(platform)
    start, goal = (real_array(n, x, 3, why="a planar pose is (x, y, φ)") for x, n in ((start, "start"), (goal, "goal")))
    warn_of_degrees(start, "start")
    warn_of_degrees(goal, "goal")
    whole_number("steps", steps, 1)
    positive_number("dt", dt, "seconds")
    positive_number("rate", rate, "1/s")
    return np.asarray(looped(_approach_step("rotate" in platform.operators), steps, 1)(start, goal, dt, rate)[1])


@any_arrays_same_dtype
def follow(platform: Platform, start: ArrayLike, references: ArrayLike, dt: float, gain: float = 2.0) -> Array:
    """Poses (..., steps, 3) of a platform that `tracking_law` keeps on reference poses (..., steps + 1, 3), `dt` apart.

    References may come from `CurvePath.samples`: the platform follows backward segments too.
    """
    require_drive(platform)
    start = real_array("start", start, 3, why="a planar pose is (x, y, φ)")
    p = real_array("references", references, "steps + 1 ≥ 2", 3, why="planar poses (x, y, φ)")
    positive_number("dt", dt, "seconds")
    positive_number("gain", gain)
    d = np.diff(p, axis=-2)
    turned = d[..., 2] - 2.0 * math.pi * np.round(d[..., 2] / (2.0 * math.pi))
    middle = p[..., :-1, 2] + turned / 2.0
    half = np.sinc(turned / (2.0 * math.pi))
    speed = (d[..., 0] * np.cos(middle) + d[..., 1] * np.sin(middle)) / half / dt
    loop = looped(_follow_step(), p.shape[-2] - 1, 1, 2)
    return np.asarray(loop(start, dt, gain, p[..., :-1, :], np.stack([speed, turned / dt], axis=-1))[1])


def require_drive(platform: Platform) -> None:
    """Raise an error for a platform that cannot drive along its x-axis and turn at the same time."""
    require_platform(platform, "a feedback law")
    if not {"drive"} <= {*platform.operators} or not {"rotate", "steer"} & {*platform.operators}:
        raise ArgumentError(f"{platform.name} does not drive along its x-axis and turn: its frame is elsewhere")


@lru_cache(2)
def _approach_step(turns_in_place: bool) -> CompiledFunction:
    def approach(pose: Any, goal: Any, dt: Scalar, rate: Scalar) -> Any:
        end = arc(pose, posture_law(pose, goal, rate, turns_in_place), dt)
        return end, end

    pose = Port("pose", (3,))
    return CompiledFunction(approach, (pose, Port("goal", (3,)), Port("dt", ()), Port("rate", ())), (pose, pose))


@lru_cache(1)
def _follow_step() -> CompiledFunction:
    def follow(pose: Any, dt: Scalar, gain: Scalar, reference: Any, rates: Any) -> Any:
        end = arc(pose, tracking_law(pose, reference, rates[0], rates[1], gain), dt)
        return end, end

    pose = Port("pose", (3,))
    inputs = (pose, Port("dt", ()), Port("gain", ()), Port("reference", (3,)), Port("rates", (2,)))
    return CompiledFunction(follow, inputs, (pose, pose))
