"""The fastest motion along a path within the limits of speed, acceleration and torque of the joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, number_for_each, real_array, whole_number
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.spanning_tree import require_sliding
from sixvec.motion.grid import Grid, excess_kernel, speed_kernel
from sixvec.motion.path import Path
from sixvec.motion.reachability import FASTEST, passes
from sixvec.robot import Robot
from sixvec.verdict import Verdict, tally

KINDS = ("velocity", "acceleration", "torque")

INSIDE = (0.2, 0.5, 0.8)
"""Fractions of an interval at which torques are compared with their limits, which the passes enforce at its ends."""

SMALLEST = 1e-9
"""Torque that is left for motion, relative to its limit, below which it counts as that."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The limits that were requested, one number for each joint; None for those that were not."""

    velocity: Array | None
    acceleration: Array | None
    torque: Array | None
    viscous: Array
    dry: Array


@dataclass(frozen=True, eq=False, repr=False)
class TimedPath(Result):
    """A motion along a path: `duration`, a `verdict`, and functions of time.

    SOLVED, or INFEASIBLE where the joints cannot even stand still within their torques: `reason` says where.  `s` and
    `speed` (..., points + 1) are the position on the path and its rate at the points of the grid, `times` when they are
    reached, and `limiting` (..., points) the names of the limits that are reached in each interval.
    """

    path: Path
    duration: Any
    verdict: NDArray[np.int8]
    s: Array
    speed: Array
    times: Array
    limiting: NDArray[Any]
    reason: NDArray[Any]

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        longest = float(np.max(self.duration, initial=0.0))
        return f"<TimedPath: {tally(self.verdict)}, {longest:.4g} s{' at most' if np.ndim(self.duration) else ''}>"

    def q(self, t: ArrayLike) -> Array:
        """Positions at times t, (m,) for all paths or (..., m) for each: (..., m, nq)."""
        return self.path.q(self._along(t)[0])

    def v(self, t: ArrayLike) -> Array:
        """Velocities at times t."""
        s, rate, _ = self._along(t)
        return np.asarray(self.path.dq(s) * rate[..., None])

    def a(self, t: ArrayLike) -> Array:
        """Accelerations at times t."""
        s, rate, u = self._along(t)
        return np.asarray(self.path.dq(s) * u[..., None] + self.path.ddq(s) * (rate**2)[..., None])

    def tau(self, t: ArrayLike) -> Array:
        """Joint forces at times t, friction included."""
        v = self.v(t)
        return _with_friction(self.path.robot, self.path.robot.inverse_dynamics(self.q(t), v, self.a(t)), v)

    def _along(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """s, ṡ and s̈ at times; before the start and after the end the motion rests there."""
        t = real_array("t", t)
        batch = self.times.shape[:-1]
        at = np.broadcast_to(t, np.broadcast_shapes(batch + (1,) * bool(batch), t.shape) if batch else t.shape)
        inner = self.times[..., 1:-1]
        k = (at[..., None] >= (inner[..., None, :] if t.ndim or batch else inner)).sum(axis=-1)

        def of(x: Array) -> Array:
            if not batch:
                return np.asarray(x[k])
            return np.take_along_axis(np.broadcast_to(x, (*at.shape[:-1], x.shape[-1])), k, axis=-1)

        rates = self.speed
        duration = np.diff(self.times, axis=-1)
        u = np.diff(rates, axis=-1) / np.where(duration > 0.0, duration, 1.0)
        after = np.clip(at - of(self.times[..., :-1]), 0.0, of(duration))
        rate, slope = of(rates[..., :-1]), of(u)
        s = of(self.s[..., :-1]) + after * (rate + 0.5 * slope * after)
        total = self.times[..., -1] if not batch else self.times[..., -1:]
        outside = (at < 0.0) | (at > total)
        return s, np.where(outside, 0.0, rate + slope * after), np.where(outside, 0.0, slope)


def time_optimal(
    path: Path,
    velocity: Any = True,
    acceleration: Any = None,
    torque: Any = True,
    *,
    points: int = 100,
) -> TimedPath:
    """The fastest motion from rest to rest along a path (Pham and Pham 2018, TOPP-RA), for a batch in SIMD lanes.

    `velocity`, `acceleration` and `torque` are True for the robot's limits, numbers for others, None for none.
    Torques include gravity and the friction of the joints; viscous friction is taken at the largest speed that the
    velocity limits allow.  The path is divided into `points` intervals of constant s̈, at whose ends all limits hold,
    and those of speed also at three points inside.  What is exceeded in between, about 1 % on curved paths, is removed
    by moving a little more slowly on the whole.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> start, end = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8]), np.array([1.0, 0.2, 0.3, -1.5, 0.2, 1.9, 0.0])
    >>> path = motion.spline(arm, [start, 0.5 * (start + end) + 0.1, end])
    >>> fast = motion.time_optimal(path, acceleration=10.0, torque=None)
    >>> fast, bool((abs(fast.v(np.linspace(0.0, fast.duration, 1000))) <= arm.velocity_limits + 1e-9).all())
    (<TimedPath: solved, 0.7155 s>, True)
    """
    robot = path.robot
    whole_number("time_optimal: points", points, 2 * (path.knots.shape[-1] - 1))
    require_sliding(robot.model, "time_optimal")
    if robot.model.closures:
        raise ArgumentError(f"time_optimal: {robot.name} has closed loops, which paths of all joints open")
    bounds = Bounds(
        _limit("velocity", velocity, robot.velocity_limits, robot.nv),
        _limit("acceleration", acceleration, None, robot.nv),
        _limit("torque", torque, robot.effort_limits, robot.nv),
        *_friction(robot),
    )
    given = [x for x in (bounds.velocity, bounds.acceleration, bounds.torque) if x is not None]
    if not any(np.isfinite(x).any() for x in given):
        raise ArgumentError("time_optimal: no limit is finite, so there is no fastest motion; give one")
    batch = path.batch
    flat = Path(robot, path.knots.reshape(-1, path.knots.shape[-1]),
                path.coefficients.reshape(-1, *path.coefficients.shape[-3:]))  # fmt: skip
    grid = Grid.of(flat, points)
    rows, still, reasons = _rows(robot, grid, bounds)
    squares, times = _squares(grid, rows, bounds)
    squares[~still], times[~still] = np.nan, np.nan
    slower, limiting = _excess(robot, grid, squares, bounds)
    squares /= slower[:, None] ** 2
    verdict = np.where(still, Verdict.SOLVED, Verdict.INFEASIBLE).astype(np.int8)
    times = times * slower[:, None]
    s, speed = (_shaped(x, batch) for x in (grid.s, np.sqrt(squares)))
    duration, verdict = _shaped(times[:, -1], batch)[()], _shaped(verdict, batch)
    return TimedPath(path, duration, verdict, s, speed, _shaped(times, batch), _shaped(limiting, batch),
                     _shaped(reasons, batch))  # fmt: skip


def _shaped(x: Array, batch: tuple[int, ...]) -> Array:
    return x.reshape(batch + x.shape[1:])


def _limit(word: str, given: Any, own: Array | None, n: int) -> Array | None:
    if given is None or given is False:
        return None
    if given is True:
        if own is None:
            raise ArgumentError(f"time_optimal: robots have no limits of {word}; give a number or one for each joint")
        return np.asarray(own, float)
    return number_for_each(f"time_optimal: {word}", given, n, "joints", positive=True)


def _friction(robot: Robot) -> tuple[Array, Array]:
    """Viscous and dry friction of all coordinates."""
    viscous, dry = np.zeros(robot.nv), np.zeros(robot.nv)
    for b in robot.model.moving:
        at = robot.model.v_slices[b.name]
        viscous[at] = b.dynamics.damping or 0.0
        dry[at] = b.dynamics.friction or 0.0
    return viscous, dry


def _with_friction(robot: Robot, tau: Array, v: Array) -> Array:
    viscous, dry = _friction(robot)
    return np.asarray(tau + viscous * v + dry * np.sign(v))


def _rows(robot: Robot, grid: Grid, bounds: Bounds) -> tuple[list[Array], NDArray[np.bool_], NDArray[Any]]:
    """The rows (a, b, lower, upper) at all points, which paths can be travelled at all, and why others cannot."""
    q, d, e = grid.q, grid.d, grid.e
    parts: list[list[Array]] = []
    still, reasons = np.ones(len(q), bool), np.full(len(q), "", object)
    if bounds.acceleration is not None:
        w = np.broadcast_to(np.minimum(bounds.acceleration, FASTEST), d.shape)
        parts.append([d, e, -w, w])
    if bounds.torque is not None:
        zero, gravity = np.zeros_like(q), robot.gravity_forces(q)
        a, b = robot.inverse_dynamics(q, zero, d) - gravity, robot.inverse_dynamics(q, d, e) - gravity
        top = np.minimum(bounds.torque, FASTEST)
        over = np.abs(gravity) - top
        still &= ~(over > 0.0).any(axis=(1, 2))
        for k in np.flatnonzero(~still):
            i, j = np.unravel_index(int(over[k].argmax()), over[k].shape)
            reasons[k] = (f"at s = {grid.s[k, i]:.4g} {coordinate_names(robot.model, 'v')[j]} needs "
                          f"{abs(gravity[k, i, j]):.4g} to stand still, and has {top[j]:.4g}")  # fmt: skip
        turns = _turns(grid)
        turning = np.pad(turns, ((0, 0), (0, 1), (0, 0))) | np.pad(turns, ((0, 0), (1, 0), (0, 0)))
        dry = bounds.dry * np.where(turning, 0.0, np.sign(d)) + gravity
        less = bounds.dry * turning + bounds.viscous * np.abs(d) * np.sqrt(_top_squares(d, bounds))[..., None]
        parts.append([a, b, np.minimum(less - top - dry, 0.0), np.maximum(top - less - dry, 0.0)])
    if not parts:  # without rows the passes have nothing to divide by
        w = np.full((*grid.s.shape, 1), FASTEST)
        parts.append([np.ones_like(w), np.zeros_like(w), -w, w])
    return [np.concatenate(x, axis=-1) for x in zip(*parts, strict=True)], still, reasons


def _turns(grid: Grid) -> NDArray[np.bool_]:
    """In which intervals joints change their direction, and with it that of their dry friction."""
    return np.asarray(grid.d[:, :-1] * grid.d[:, 1:] < 0.0)


def _top_squares(d: Array, bounds: Bounds) -> Array:
    """The largest ṡ² by the velocity limits, for viscous friction; zero where there is none."""
    if bounds.velocity is None or not bounds.viscous.any():
        return np.zeros(d.shape[:-1])
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(((bounds.velocity / np.abs(d)) ** 2).min(axis=-1), FASTEST))


def _squares(grid: Grid, rows: list[Array], bounds: Bounds) -> tuple[Array, Array]:
    """ṡ² and the time at all points of the grid."""
    count, steps = grid.h.shape
    fastest = np.full(grid.d.shape[-1], np.sqrt(FASTEST)) if bounds.velocity is None else bounds.velocity
    d, e = (np.ascontiguousarray(x[:, :-1]) for x in (grid.d, grid.e))
    top_speeds = speed_kernel(len(fastest)).call(d, e, grid.third, grid.h, np.minimum(fastest, np.sqrt(FASTEST)))
    backward, forward = passes(rows[0].shape[-1], steps)
    zero = np.zeros(count)

    def reverse(x: Array) -> Array:
        return np.ascontiguousarray(x[:, ::-1])

    last, others = [np.ascontiguousarray(x[:, -1]) for x in rows], [reverse(x[:, :-1]) for x in rows]
    largest = backward.call(zero, *last, reverse(grid.h), *others, reverse(top_speeds))[-1][:, ::-1]
    top = np.concatenate([largest[:, 1:], zero[:, None]], axis=1)
    first, others = [np.ascontiguousarray(x[:, 0]) for x in rows], [np.ascontiguousarray(x[:, 1:]) for x in rows]
    squares, _, times = forward.call(zero, zero, *first, grid.h, *others, top_speeds, top)[-3:]
    start = zero[:, None]
    return np.concatenate([start, squares], axis=1), np.concatenate([start, times], axis=1)


def _excess(robot: Robot, grid: Grid, squares: Array, bounds: Bounds) -> tuple[Array, NDArray[Any]]:
    """By what factor each motion must be slower to keep its limits everywhere, and what limits it in each interval."""
    n = robot.nv
    infinite = np.full(n, np.sqrt(FASTEST))
    fastest, strongest = (
        infinite if b is None else np.minimum(b, infinite) for b in (bounds.velocity, bounds.acceleration)
    )
    d, e = (np.ascontiguousarray(x[:, :-1]) for x in (grid.d, grid.e))
    x0, x1 = (np.ascontiguousarray(x) for x in (squares[:, :-1], squares[:, 1:]))
    square, which = excess_kernel(n).call(d, e, grid.third, grid.h, x0, x1, fastest, strongest)
    if bounds.torque is not None:
        fractions = np.array(INSIDE)
        q, d, e = grid.inside(fractions)
        u = ((x1 - x0) / (2.0 * grid.h))[..., None]
        x = np.maximum(x0[..., None] + 2.0 * grid.h[..., None] * fractions * u, 0.0)
        v = d * np.sqrt(x)[..., None]
        gravity = robot.gravity_forces(q)
        moving = robot.inverse_dynamics(q, v, d * u[..., None] + e * x[..., None]) - gravity
        # slower motion needs less for inertia, but not for gravity and dry friction; drag is kept as it is
        resisting = np.where(
            _turns(grid)[:, :, None], np.sign(moving), np.sign(d)
        )  # where a joint turns, the worse sign
        constant = gravity + bounds.dry * resisting + bounds.viscous * v
        free = bounds.torque - np.sign(moving) * constant
        ratio = (np.abs(moving) / np.maximum(free, SMALLEST * bounds.torque)).max(axis=2)
        stronger = ratio.max(axis=-1) > square
        which = np.where(stronger, 2 * n + ratio.argmax(axis=-1), which)
        square = np.where(stronger, ratio.max(axis=-1), square)
    slower = np.sqrt(np.maximum(np.nan_to_num(square).max(axis=1), 1.0))
    words = np.array([f"{name}: {kind}" for kind in KINDS for name in coordinate_names(robot.model, "v")], object)
    return slower, words[np.nan_to_num(which).astype(int)]
