"""The fastest motion along a path within limits of speed, acceleration, torque, and those of users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, real_array, whole_number
from sixvec.errors import ArgumentError
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.spanning_tree import require_sliding, require_tree
from sixvec.motion.grid import Grid
from sixvec.motion.limits import Bounds, Limit, joined, rows_of_torques, rows_of_users
from sixvec.motion.path import Path
from sixvec.motion.reachability import FASTEST, Shape, excess_kernel, passes
from sixvec.motion.timed_path import TimedPath
from sixvec.robot import Robot
from sixvec.verdict import Verdict

KINDS = ("velocity", "acceleration", "torque")

INSIDE = np.array([0.2, 0.5, 0.8])
"""Fractions of an interval at which torques and the limits of users are compared with their bounds, which the passes
enforce at its ends."""

SMALLEST = 1e-9
"""What a bound leaves for motion, relative to the bound, below which it counts as that."""

ROUNDS = 6
"""Solutions with slightly smaller limits, for motions whose speeds at the ends are given."""

SAME_SQUARE = 1e-9
"""Relative difference of squared speeds up to which an end has the speed that was requested."""


def time_optimal(
    path: Path,
    velocity: Any = True,
    acceleration: Any = None,
    torque: Any = True,
    *,
    limits: Sequence[Limit] = (),
    speeds: tuple[ArrayLike, ArrayLike] = (0.0, 0.0),
    points: int = 100,
) -> TimedPath:
    """The fastest motion along a path (Pham and Pham 2018, TOPP-RA), for a batch in SIMD lanes.

    `velocity`, `acceleration` and `torque` are True for the robot's limits, numbers for others, None for none.
    Torques include gravity and the friction of the joints; viscous friction is taken at the largest speed that the
    velocity limits allow.  `limits` are functions of (robot, q, dq, ddq), with derivatives with respect to s, that
    return arrays a, b, lower and upper (..., rows) for  lower ≤ a s̈ + b ṡ² ≤ upper,  such as `motion.frame_limits`.
    `speeds` are ṡ at the start and at the end.  The path is divided into `points` intervals of constant s̈, at whose
    ends all limits hold, and those of speed also at three points inside.  What is exceeded in between, about 1 % on
    curved paths, is removed by moving a little more slowly on the whole.

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
    require_tree(robot.model, "time_optimal")
    bounds = Bounds.of(robot, velocity, acceleration, torque, limits)
    batch = path.batch
    flat = Path(robot, path.knots.reshape(-1, path.knots.shape[-1]),
                path.coefficients.reshape(-1, *path.coefficients.shape[-3:]), path.smooth)  # fmt: skip
    ends = _squared_ends(speeds, batch)
    timing = _Timing(robot, Grid.of(flat, points), bounds, ends)
    squares, times = timing.fastest()
    slower, limiting = timing.excess(squares)
    is_limited = ends.any(axis=0)
    for _ in range(ROUNDS if is_limited.any() else 0):  # uniform slowing would change the speeds at the ends
        if not (is_limited & (slower > 1.0)).any():
            break
        timing.scale = np.where(is_limited, timing.scale / slower, 1.0)
        squares, times = timing.fastest()
        slower, limiting = timing.excess(squares)
    slower = np.where(is_limited, 1.0, slower)
    reasons = timing.reasons(squares)
    failed = reasons != ""
    squares[failed], times[failed] = np.nan, np.nan
    verdict = np.where(failed, Verdict.INFEASIBLE, Verdict.SOLVED).astype(np.int8)
    unknown = ~np.isfinite(flat.coefficients).all(axis=(1, 2, 3))
    verdict[unknown], times[unknown] = Verdict.INVALID, np.nan
    squares, times = squares / slower[:, None] ** 2, times * slower[:, None]

    def shaped(x: Array) -> Array:
        return x.reshape(batch + x.shape[1:])

    s, speed, largest = (shaped(x) for x in (timing.grid.ends, np.sqrt(squares), np.sqrt(timing.largest)))
    values = (s, speed, largest, shaped(times), shaped(limiting), shaped(reasons))
    return TimedPath(path, shaped(times[:, -1])[()], shaped(verdict), *values)


def _squared_ends(speeds: Any, batch: tuple[int, ...]) -> Array:
    """ṡ² at the start and the end, (2, paths)."""
    if not isinstance(speeds, tuple | list) or len(speeds) != 2:
        raise ArgumentError(f"time_optimal: speeds are two, at the start and at the end, not {speeds!r}")
    squares = []
    for name, speed in zip(("start", "end"), speeds, strict=True):
        speed = real_array(f"time_optimal: speed at the {name}", speed, finite=True)
        if (speed < 0.0).any():
            raise ArgumentError(f"time_optimal: the speed at the {name} must be ≥ 0: s grows along a path")
        squares.append(np.broadcast_to(speed**2, batch).reshape(-1))
    return np.stack(squares)


class _Timing:
    """Paths with their rows; `scale` makes limits smaller, path by path."""

    def __init__(self, robot: Robot, grid: Grid, bounds: Bounds, ends: Array) -> None:
        self.robot, self.grid, self.bounds, self.ends = robot, grid, bounds, ends
        self.scale = np.ones(len(grid.s))
        self.first, self.last = self._rows()
        n, count = grid.coefficients.shape[-1], len(grid.s)
        infinite = np.full(n, np.sqrt(FASTEST))
        self.limits = [
            np.broadcast_to(infinite if b is None else np.minimum(b, infinite), (count, n))
            for b in (bounds.velocity, bounds.acceleration)
        ]
        rows = self.first[0].shape[-1] if self.first else 0
        self.shape = Shape(n, grid.coefficients.shape[-2] - 1, bounds.acceleration is not None, rows)
        self.interval = [np.ascontiguousarray(grid.coefficients[..., 1:, :]), grid.r, grid.h]

    def _rows(self) -> tuple[list[Array], list[Array]]:
        """The rows (a, b, lower, upper) of torques and users at the starts and at the ends of all intervals."""
        grid, bounds = self.grid, self.bounds
        if bounds.torque is None and not bounds.others:
            return [], []
        sets = []
        for q, d, e in grid.points():
            parts = rows_of_users(q, d, e, bounds, self.robot)
            if bounds.torque is not None:
                turning = self._turns()
                if len(d[0]) > turning.shape[1]:
                    turning = np.pad(turning, ((0, 0), (0, 1), (0, 0))) | np.pad(turning, ((0, 0), (1, 0), (0, 0)))
                parts = [rows_of_torques(q, d, e, bounds, self.robot, turning), *parts]
            sets.append(joined(parts))
        if len(sets) == 1:
            return [x[:, :-1] for x in sets[0]], [x[:, 1:] for x in sets[0]]
        return sets[0], sets[1]

    def _turns(self) -> NDArray[np.bool_]:
        """In which intervals joints change their direction, and with it that of their dry friction."""
        return np.asarray(self.grid.first[1] * self.grid.last[1] < 0.0)

    def fastest(self) -> tuple[Array, Array]:
        """ṡ² and the time at all points of the grid."""
        grid, scale = self.grid, self.scale
        limits = [self.limits[0] * scale[:, None], self.limits[1] * scale[:, None] ** 2]
        square = scale[:, None, None] ** 2
        rows = [x if k % 4 < 2 else x * square for k, x in enumerate([*self.first, *self.last])]
        cap = np.where(grid.stops, 0.0, FASTEST)
        backward, forward = passes(self.shape, grid.h.shape[1])
        start, end = self.ends
        reverse = [np.ascontiguousarray(x[:, ::-1]) for x in (*self.interval, cap, *rows)]
        largest = backward.call(end, *limits, *reverse)[-1][:, ::-1]
        top = np.concatenate([largest[:, 1:], end[:, None]], axis=1)
        along = [np.ascontiguousarray(x) for x in (*self.interval, top, *rows)]
        squares, times = forward.call(start, np.zeros(len(start)), *limits, *along)[-2:]
        self.largest = np.concatenate([largest, end[:, None]], axis=1)
        zero = np.zeros((len(start), 1))
        return np.concatenate([start[:, None], squares], axis=1), np.concatenate([zero, times], axis=1)

    def reasons(self, squares: Array) -> NDArray[Any]:
        """Why paths cannot be travelled, "" for those that can."""
        reasons = np.full(len(squares), "", object)
        start, end = self.ends
        for text, bad in (
            ("the speed at the end cannot be reached", abs(squares[:, -1] - end) > SAME_SQUARE * end),
            (
                "the speed at the start is larger than any from which the path can be travelled",
                start > self.largest[:, 0] / self.scale**2 * (1.0 + SAME_SQUARE),
            ),
        ):
            reasons[bad & (start + end > 0.0)] = text
        names = self._names()
        # bounds of torques never exclude rest here: their rows leave zero, and gravity is compared by itself
        for rows in (self.first, self.last) if self.first else ():
            over = np.maximum(rows[2], -rows[3])
            for k in np.flatnonzero((over > 0.0).any(axis=(1, 2))):
                i, j = np.unravel_index(int(over[k].argmax()), over[k].shape)
                reasons[k] = f"at s = {self.grid.s[k, i]:.4g} {names[j - over.shape[2]]} excludes standing still"
        if self.bounds.torque is not None:
            self._add_loads(reasons)
        return reasons

    def _add_loads(self, reasons: NDArray[Any]) -> None:
        assert self.bounds.torque is not None
        joints = coordinate_names(self.robot.model, "v")
        for q, _, _ in self.grid.points():
            gravity = np.abs(self.robot.gravity_forces(q))
            top = np.minimum(self.bounds.torque, FASTEST)
            over = gravity - top
            for k in np.flatnonzero((over > 0.0).any(axis=(1, 2))):
                i, j = np.unravel_index(int(over[k].argmax()), over[k].shape)
                reasons[k] = (f"at s = {self.grid.ends[k, i]:.4g} {joints[j]} needs {gravity[k, i, j]:.4g} at "
                              f"rest, and has {top[j]:.4g}")  # fmt: skip

    def _names(self) -> list[str]:
        joints = coordinate_names(self.robot.model, "v")
        names = [f"{joint}: {kind}" for kind in KINDS for joint in joints]
        others = [getattr(f, "__name__", f"limit {k}") for k, f in enumerate(self.bounds.others)]
        return names + others

    def excess(self, squares: Array) -> tuple[Array, NDArray[Any]]:
        """By what factor each motion must be slower to keep its limits, and what limits it in each interval."""
        n, grid, bounds = self.robot.nv, self.grid, self.bounds
        x0, x1 = (np.ascontiguousarray(x) for x in (squares[:, :-1], squares[:, 1:]))
        fastest, strongest = (x[:, None] for x in self.limits)
        square, which = excess_kernel(self.shape).call(*self.interval, x0, x1, fastest, strongest)
        if bounds.torque is not None or bounds.others:
            q, d, e = grid.inside(INSIDE)
            u = ((x1 - x0) / (2.0 * grid.h))[..., None, None]
            x = np.maximum(x0[..., None] + 2.0 * grid.h[..., None] * INSIDE * u[..., 0], 0.0)[..., None]
            ratios = []
            if bounds.torque is not None:
                ratios.append(self._torques(q, d, e, u, x))
            for a, b, low, high in rows_of_users(q, d, e, bounds, self.robot):
                value = a * u + b * x
                bound = np.where(value > 0.0, high, -low)
                least = SMALLEST * np.minimum(bound, FASTEST).max(axis=(1, 2), keepdims=True)
                ratio = np.abs(value) / np.maximum(np.maximum(bound, least), np.finfo(float).tiny)
                ratios.append(ratio.max(axis=(2, 3))[..., None])
            start = 2 * n if bounds.torque is not None else 3 * n
            ratio = np.concatenate(ratios, axis=-1)
            stronger = ratio.max(axis=-1) > square
            which = np.where(stronger, start + ratio.argmax(axis=-1), which)
            square = np.where(stronger, ratio.max(axis=-1), square)
        slower = np.sqrt(np.maximum(np.nan_to_num(square).max(axis=1), 1.0))
        return slower, np.array(self._names(), object)[np.nan_to_num(which).astype(int)]

    def _torques(self, q: Array, d: Array, e: Array, u: Array, x: Array) -> Array:
        """The part of torques that is for motion, relative to what is left for it."""
        robot, bounds = self.robot, self.bounds
        assert bounds.torque is not None
        v = d * np.sqrt(x)
        gravity = robot.gravity_forces(q)
        moving = robot.inverse_dynamics(q, v, d * u + e * x) - gravity
        # slower motion needs less for inertia, but not for gravity and dry friction; drag is kept as it is, and where a
        # joint turns, dry friction has the worse sign
        resisting = np.where(self._turns()[:, :, None], np.sign(moving), np.sign(d))
        constant = gravity + bounds.dry * resisting + bounds.viscous * v
        free = bounds.torque - np.sign(moving) * constant
        return np.asarray((np.abs(moving) / np.maximum(free, SMALLEST * bounds.torque)).max(axis=2))
