"""Motions along a path with limited jerk, from those that are as fast as they may without.

The position on the path is averaged over a window of time: its acceleration, which jumps, then changes at a limited
rate.  The path stays the same, and the motion takes as much longer as the window.  Limits that are now exceeded, since
the motion is a little earlier or later at each place, are kept by moving more slowly on the whole.  A short window
leaves a large jerk to the second, a long one costs time itself; the best window is searched for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, number_for_each
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.motion.joint_motion import JointMotion, at_times, friction_of
from sixvec.motion.limits import Bounds, rows_of_users
from sixvec.motion.reachability import SMALLEST
from sixvec.motion.timed_path import TimedPath
from sixvec.robot import Robot
from sixvec.verdict import tally

WINDOWS, NARROWER = 24, 3
"""Windows that are compared in each round, and rounds, each around the best one of the last."""

SHORTEST, LONGEST = 2e-3, 0.5
"""The first windows, as fractions of the duration."""

SAMPLES, CHECKED = 300, 4000
"""Instants, next to those where the acceleration jumps, at which motions are compared with their limits: while
searching, and the result."""

BESIDE = 1e-9
"""From a jump to the instants next to it, as a fraction of the duration."""


@dataclass(frozen=True, eq=False, repr=False)
class SmoothPath(Result, JointMotion):
    """A motion along a path with limited jerk: that of `original`, averaged over `window` seconds of it and then
    slower by the factor `stretch`.  It takes `added` seconds more."""

    original: TimedPath
    duration: Any
    added: Any
    window: Any
    stretch: Any

    @property
    def robot(self) -> Robot:  # type: ignore[override]
        return self.original.robot

    @property
    def verdict(self) -> NDArray[np.int8]:
        return self.original.verdict

    def __bool__(self) -> bool:
        return bool(self.original)

    def __repr__(self) -> str:
        longest, added = (float(np.max(x, initial=0.0)) for x in (self.duration, self.added))
        many = " at most" if np.ndim(self.duration) else ""
        return f"<SmoothPath: {tally(self.verdict)}, {longest:.4g} s{many}, {added:.4g} s added>"

    def q(self, t: ArrayLike) -> Any:
        """Positions at times t, (m,) for all motions or (..., m) for each: (..., m, nq)."""
        return self._evaluated(t, 0)

    def v(self, t: ArrayLike) -> Any:
        """Velocities at times t."""
        return self._evaluated(t, 1)

    def a(self, t: ArrayLike) -> Any:
        """Accelerations at times t."""
        return self._evaluated(t, 2)

    def jerk(self, t: ArrayLike) -> Any:
        """The derivatives of the accelerations at times t."""
        return self._evaluated(t, 3)

    def _evaluated(self, t: ArrayLike, order: int) -> Any:
        stretch = np.asarray(self.stretch)[..., None]
        s, *rates = _averaged(self.original, at_times(t, self.original.path.batch) / stretch, self.window)
        value = _along(self.original, s, [x / stretch ** (k + 1) for k, x in enumerate(rates)], order)
        return value[..., 0, :] if np.ndim(t) == 0 else value


def limit_jerk(
    fast: TimedPath, jerk: ArrayLike, *, velocity: Any = True, acceleration: Any = None, torque: Any = True
) -> SmoothPath:
    """A motion from rest to rest along the same path whose joints keep a limit of jerk, and the other limits.

    These are as in `time_optimal`; limits of users are those of `fast`.  The result says how much time is `added`; it
    is about the time in which the acceleration changes from one limit to the other.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> limits = {"acceleration": 10.0, "torque": None}
    >>> fast = motion.time_optimal(motion.spline(arm, [q, q + 0.6]), **limits)
    >>> motion.limit_jerk(fast, 100.0, **limits)
    <SmoothPath: solved, 0.6934 s, 0.2 s added>
    """
    robot, path = fast.robot, fast.path
    if path.smooth < 2:
        raise ArgumentError(
            "limit_jerk: the second derivatives of this path jump, and its jerk is unlimited there; take a cubic or "
            "quintic spline"
        )
    if np.any(np.asarray(fast.speed)[..., [0, -1]] > 0.0):
        raise ArgumentError("limit_jerk: the motion must start and end at rest")
    bounds = Bounds.of(robot, velocity, acceleration, torque, ())
    most = number_for_each("limit_jerk: jerk", jerk, robot.nv, "joints", positive=True)
    batch = path.batch
    duration = np.asarray(fast.duration)
    windows = duration[..., None] * np.geomspace(SHORTEST, LONGEST, WINDOWS)
    ratio = (LONGEST / SHORTEST) ** (1.0 / (WINDOWS - 1))
    for _ in range(NARROWER):
        stretches = np.stack([_stretch(fast, windows[..., k], bounds, most, SAMPLES) for k in range(WINDOWS)], axis=-1)
        total = (duration[..., None] + windows) * stretches
        best = np.argmin(np.where(np.isfinite(total), total, np.inf), axis=-1)[..., None]
        window = np.take_along_axis(windows, best, axis=-1)[..., 0]
        windows = window[..., None] * np.geomspace(1.0 / ratio, ratio, WINDOWS)
        ratio **= 2.0 / (WINDOWS - 1)
    stretch = _stretch(fast, window, bounds, most, CHECKED)
    longer = (duration + window) * stretch
    return SmoothPath(fast, longer.reshape(batch)[()], (longer - duration)[()], window[()], stretch[()])


def _averaged(fast: TimedPath, t: Array, window: Any) -> list[Array]:
    """s, averaged over the window before each time, and its three derivatives; times have no stretch."""
    w = np.asarray(window)[..., None]
    sums, *after = _integrals(fast, t)
    sums_before, *before = _integrals(fast, t - w)
    return [(x - y) / w for x, y in zip((sums, *after), (sums_before, *before), strict=True)]


def _integrals(fast: TimedPath, t: Array) -> list[Array]:
    """The integral of s from the start, s, ṡ and s̈; before the start and after the end the motion rests."""
    times, s, rate = (np.asarray(x) for x in (fast.times, fast.s, fast.speed))
    h = np.diff(times, axis=-1)
    u = np.diff(rate, axis=-1) / np.where(h > 0.0, h, 1.0)
    step = h * (s[..., :-1] + h * (rate[..., :-1] / 2.0 + u * h / 6.0))
    sums = np.concatenate([0.0 * step[..., :1], np.cumsum(step, axis=-1)], axis=-1)
    k = (t[..., None] >= times[..., None, 1:-1]).sum(axis=-1)

    def of(x: Array) -> Array:
        return np.asarray(np.take_along_axis(np.broadcast_to(x, (*t.shape[:-1], x.shape[-1])), k, axis=-1))

    inside = np.clip(t, 0.0, times[..., -1:])
    x, s0, v0, u0 = inside - of(times[..., :-1]), of(s[..., :-1]), of(rate[..., :-1]), of(u)
    end = of(sums[..., :-1]) + x * (s0 + x * (v0 / 2.0 + u0 * x / 6.0)) + (t - inside) * (t > inside) * s[..., -1:]
    moves = inside == t
    return [end, s0 + x * (v0 + 0.5 * u0 * x), np.where(moves, v0 + u0 * x, 0.0), np.where(moves, u0, 0.0)]


def _along(fast: TimedPath, s: Array, rates: list[Array], order: int) -> Array:
    """A derivative of the positions with respect to time (..., m, nq)."""
    path = fast.path
    if order == 0:
        return np.asarray(path.q(s))
    x, y, z = (rate[..., None] for rate in rates)
    if order == 1:
        return np.asarray(path.dq(s) * x)
    if order == 2:
        return np.asarray(path.dq(s) * y + path.ddq(s) * x**2)
    return np.asarray(path.dq(s) * z + 3.0 * path.ddq(s) * x * y + path._evaluated(s, 3) * x**3)


def _stretch(fast: TimedPath, window: Array, bounds: Bounds, jerk: Any, samples: int) -> Array:
    """By what factor the averaged motions must be slower to keep their limits."""
    w, duration = window[..., None], np.asarray(fast.duration)[..., None]
    times, beside = np.asarray(fast.times), BESIDE * duration
    jumps = [x + sign * beside for x in (times, times + w) for sign in (-1.0, 1.0)]
    t = np.concatenate([*jumps, (duration + w) * np.linspace(0.0, 1.0, samples)], axis=-1)
    s, *rates = _averaged(fast, t, window)
    q, v, a, j = (_along(fast, s, rates, order) for order in range(4))
    factors = [np.cbrt(np.abs(j) / jerk)]
    if bounds.velocity is not None:
        factors.append(np.abs(v) / bounds.velocity)
    if bounds.acceleration is not None:
        factors.append(np.sqrt(np.abs(a) / bounds.acceleration))
    if bounds.torque is not None:  # slower motion needs less for inertia, but not for gravity and friction
        robot = fast.robot
        gravity = robot.gravity_forces(q)
        moving = robot.inverse_dynamics(q, v, a) - gravity
        viscous, dry = friction_of(robot)
        free = bounds.torque - np.sign(moving) * (gravity + viscous * v + dry * np.sign(v))
        factors.append(np.sqrt(np.abs(moving) / np.maximum(free, SMALLEST * bounds.torque)))
    if fast.bounds.others:
        places = (fast.path.q(s), fast.path.dq(s), fast.path.ddq(s))
        for a, b, low, high in rows_of_users(*places, fast.bounds, fast.robot):
            value = a * rates[1][..., None] + b * rates[0][..., None] ** 2
            bound = np.where(value > 0.0, high, -low)
            factors.append(np.sqrt(np.abs(value) / np.maximum(bound, SMALLEST * np.abs(value).max(initial=1.0))))
    return np.asarray(np.maximum(np.max([x.max(axis=(-2, -1)) for x in factors], axis=0), 1.0))
