"""The fastest motion along a path within limits of speed, acceleration, torque, and those of users."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, whole_number
from sixvec.errors import ArgumentError
from sixvec.kernels.devices import namespace
from sixvec.kernels.function import CompiledFunction
from sixvec.model.spanning_tree import require_sliding, require_tree
from sixvec.motion.drag import smallest_at_points, timed_with_drag
from sixvec.motion.excess import INSIDE, REACH, excess_kernel, excess_without_torques
from sixvec.motion.grid import Grid
from sixvec.motion.joint_motion import friction_of
from sixvec.motion.limits import Bounds, Limit, joined, rows_of_users
from sixvec.motion.one_path import OnePath, OnePaths
from sixvec.motion.passes import (
    Passes,
    passes,
    passes_of_one,
    passes_of_one_without_torques,
    passes_without_torques,
)
from sixvec.motion.path import Path
from sixvec.motion.path_torques import ALLOWED, Torques
from sixvec.motion.reachability import FASTEST, INNER, SMALLEST, Shape
from sixvec.motion.scratch import scratch
from sixvec.motion.timed_path import Fault, TimedPath
from sixvec.motion.two_variables import highest
from sixvec.robot import Robot
from sixvec.verdict import Verdict

ON_CPU, ON_DEVICE = 256, 65536
"""Paths at a time: enough for the lanes and threads, and few enough for caches and memory."""

POINTS, ON_PIECE = 100, 12
"""Intervals of a path, and the fewest on each of its pieces, unless others are requested."""

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
    points: int | None = None,
    between: bool = True,
) -> TimedPath:
    """The fastest motion along a path (Pham and Pham 2018, TOPP-RA), for a batch in SIMD lanes.

    `velocity`, `acceleration` and `torque` are True for the robot's limits, numbers for others, None for none.
    Torques include gravity and the friction of the joints; viscous friction is bounded by that at a slightly larger
    speed (`drag.py`).  `limits` are functions of (robot, q, dq, ddq), with derivatives with respect to s, that return
    arrays a, b, lower and upper (..., rows) for  lower ≤ a s̈ + b ṡ² ≤ upper,  such as `motion.frame_limits`.
    `speeds` are ṡ at the start and at the end.

    The path is divided into `points` intervals of constant s̈: 100, or 12 on each piece of the path where that is more.
    All limits hold at their ends, and those of speed also at three points inside.  What is exceeded in between, about
    1 % on curved paths, is removed by moving a little more slowly on the whole.  With between=False limits hold at the
    points only, and the duration is that of toppra on the same grid.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> start, end = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8]), np.array([1.0, 0.2, 0.3, -1.5, 0.2, 1.9, 0.0])
    >>> path = motion.spline(arm, [start, 0.5 * (start + end) + 0.1, end])
    >>> fast = motion.time_optimal(path, acceleration=10.0, torque=None)
    >>> fast, bool((abs(fast.v(np.linspace(0.0, fast.duration, 1000))) <= arm.velocity_limits + 1e-9).all())
    (<TimedPath: solved, 0.7155 s>, True)
    """
    if not isinstance(path, Path):
        given = f"not a {type(path).__name__}"
        raise ArgumentError(f"time_optimal takes a path, such as motion.spline(robot, waypoints) gives, {given}")
    robot = path.robot
    pieces = path.knots.shape[-1] - 1
    points = max(POINTS, ON_PIECE * pieces) if points is None else points
    whole_number("time_optimal: points", points, 2 * pieces)
    require_sliding(robot.model, "time_optimal")
    require_tree(robot.model, "time_optimal")
    bounds = Bounds.of(robot, velocity, acceleration, torque, limits)
    if (motion := _one_path(path, points, bounds, speeds, between)) is not None:
        verdict, s, rate, largest, times, which, faults = motion
        return TimedPath(path, times[-1], verdict, s, rate, largest, times, which, faults, bounds)
    batch, xp = path.batch, namespace(path.knots)
    if xp is not np and limits:
        raise ArgumentError("time_optimal: limits of users compute on the CPU; give a path of NumPy arrays")
    parts = [_each(x, batch) for x in (path.knots, path.coefficients, path.reference)]
    flat = Path(robot, parts[0], parts[1], path.smooth, parts[2])
    ends = _squared_ends(speeds, batch)
    count, most = ends.shape[1], ON_CPU if xp is np else ON_DEVICE
    chunks = [timed_with_drag(_timed, _some(flat, rows), points, bounds, ends[:, rows], between)
              for rows in (slice(k, k + most) for k in range(0, max(count, 1), most))]  # fmt: skip
    whole = chunks[0] if len(chunks) == 1 else [xp.concatenate(x) for x in zip(*chunks, strict=True)]
    verdict, s, rate, largest, times, which, faults = (x.reshape(batch + x.shape[1:]) for x in whole)
    return TimedPath(path, times[..., -1][()], verdict, s, rate, largest, times, which, faults, bounds)


def _one_path(path: Path, points: int, bounds: Bounds, speeds: Any, between: bool) -> list[Any] | None:
    """The motion along one smooth path from rest to rest; None for other paths, and for those that need more."""
    C = path.coefficients
    if type(C) is not np.ndarray or C.ndim != 3 or C.dtype != float or path.smooth < 2 or path.reference is not None:
        return None
    if bounds.others or not (type(speeds) is tuple and [type(x) is float and x == 0.0 for x in speeds] == [True, True]):
        return None
    robot, has_torques = path.robot, bounds.torque is not None
    shape = _shape(path, bounds, 0, between)

    def make() -> OnePath | None:
        if has_torques and friction_of(robot)[0].any():
            return None
        if not has_torques:
            loops = passes_of_one_without_torques(shape, points)
            return OnePath(shape, points, 0, loops, excess_without_torques(shape))
        torques = _torques(robot)
        excess = _kernels(robot, shape, True, points)[1]
        return OnePath(shape, points, torques.numbers, passes_of_one(shape, points, torques), excess)

    prepared = robot._kernels.stored("one path", OnePaths).get((shape, points, has_torques), make)
    return None if prepared is None else prepared.timed(path, bounds)


def _shape(path: Path, bounds: Bounds, rows: int, between: bool) -> Shape:
    return Shape(path.robot.nv, path.coefficients.shape[-2] - 1, bounds.acceleration is not None, rows,
                 bounds.torque is not None and path.smooth >= 2, INNER if between else 0,
                 0 if path.reference is None else path.robot.nq)  # fmt: skip


def _kernels(robot: Robot, shape: Shape, has_torques: bool, steps: int) -> tuple[Passes, CompiledFunction]:
    """The loops, and what compares motions with their limits; those with torques are kept with the robot."""
    model = robot.model if shape.reference else None
    if not has_torques and model is None:
        return passes_without_torques(shape, steps), excess_without_torques(shape)
    torques = _torques(robot) if has_torques else None
    stored, key = robot._kernels.stored, (shape, torques is None)
    return (
        stored(("time_optimal", *key, steps), lambda: passes(shape, steps, model, torques)),
        stored(("excess of time_optimal", *key), lambda: excess_kernel(shape, model, torques)),
    )


def _torques(robot: Robot) -> Torques:
    return Torques(robot.model, *(x.tolist() for x in friction_of(robot)))


def _each(values: Any, batch: tuple[int, ...]) -> Any:
    return None if values is None else values.reshape(math.prod(batch), *values.shape[len(batch) :])


def _some(path: Path, rows: slice) -> Path:
    reference = None if path.reference is None else path.reference[rows]
    return Path(path.robot, path.knots[rows], path.coefficients[rows], path.smooth, reference)


def _timed(path: Path, points: int, bounds: Bounds, ends: Array, between: bool) -> list[Any]:
    """The verdict, s, ṡ, the largest ṡ, times, numbers of limits and faults of some paths."""
    xp = namespace(path.knots)
    grid = Grid.of(path, points)
    least = 1 if bounds.torque is None and path.reference is None else 0
    steps = 0 if xp is not np else grid.s.size * (path.coefficients.shape[-2] - least) * path.robot.nv
    with scratch(steps) as memory:
        timing = _Timing(path.robot, grid, bounds, ends, memory, between)
        squares, times = timing.fastest()
        slower, which = timing.excess(squares)
        is_limited = xp.asarray(ends.any(axis=0))
        for _ in range(ROUNDS if ends.any() else 0):  # uniform slowing would change the speeds at the ends
            if not (is_limited & (slower > 1.0)).any():
                break
            timing.scale = xp.where(is_limited, timing.scale / slower, 1.0)
            squares, times = timing.fastest()
            slower, which = timing.excess(squares)
        faults = timing.faults(squares)
    slower = xp.where(is_limited, 1.0, slower)
    failed = faults[:, 0] > 0.0
    unknown = ~xp.isfinite(path.coefficients).all(axis=(1, 2, 3))
    verdict = xp.where(failed, int(Verdict.INFEASIBLE), int(Verdict.SOLVED))
    verdict = xp.where(unknown, int(Verdict.INVALID), verdict).astype(np.int8)
    hidden = xp.where(failed | unknown, np.nan, 1.0)[:, None]
    squares, times = squares / slower[:, None] ** 2 * hidden, times * slower[:, None] * hidden
    return [verdict, grid.ends, xp.sqrt(squares), xp.sqrt(timing.largest), times, which, faults]


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


def _squares(fastest: Any, slope: Any) -> Any:
    """The largest ṡ² by the speeds of the joints."""
    with np.errstate(divide="ignore"):
        return namespace(slope).minimum(((fastest / abs(slope)) ** 2).min(axis=-1), FASTEST)


class _Timing:
    """Paths with their rows; `scale` makes limits smaller, path by path."""

    def __init__(self, robot: Robot, grid: Grid, bounds: Bounds, ends: Array, memory: Array, between: bool) -> None:
        self.robot, self.grid, self.bounds = robot, grid, bounds
        self.xp = xp = namespace(grid.s)
        self.ends = xp.asarray(ends)
        self.scale = xp.ones(len(grid.s))
        self.owners: Any = ()
        """The numbers of the limits of users to which rows belong."""
        self.first, self.last = self._rows()
        n, has_torques = robot.nv, bounds.torque is not None
        given = (bounds.velocity, bounds.acceleration, bounds.torque)
        self.limits = [
            xp.asarray(np.full(n, np.sqrt(FASTEST)) if b is None else np.minimum(b, np.sqrt(FASTEST)))
            for b in given[: 2 + has_torques]
        ]
        rows = self.first[0].shape[-1] if self.first else 0
        self.shape = _shape(grid.path, bounds, rows, between)
        self.reference = [] if grid.path.reference is None else [grid.reference]
        C = grid.coefficients(0 if has_torques or self.reference else 1, memory if xp is np else None)
        self.interval = [C, *map(self._laid, (grid.r, grid.h, *self.reference))]
        self.reach = self._reach()
        self.inside: Any = None
        """The joint that gravity and dry friction load most inside each interval, and its overload."""
        self.loads: Any = None
        """The joint that gravity and dry friction load most and its overload, at the starts of the intervals and at the
        end."""

    def _laid(self, x: Any) -> Any:
        """An array of all intervals as the loops take it fastest: on devices the paths are its last axis in memory."""
        return x if self.xp is np else self.xp.asfortranarray(x)

    def _rows(self) -> tuple[list[Array], list[Array]]:
        """The rows (a, b, lower, upper) of users at the starts and at the ends of all intervals."""
        if not self.bounds.others:
            return [], []
        parts = [rows_of_users(q, d, e, self.bounds, self.robot) for q, d, e in self.grid.points()]
        self.owners = np.repeat(np.arange(len(parts[0])), [rows[0].shape[-1] for rows in parts[0]])
        sets = [joined(rows) for rows in parts]
        if len(sets) == 1:
            return [x[:, :-1] for x in sets[0]], [x[:, 1:] for x in sets[0]]
        return sets[0], sets[1]

    def _reach(self) -> Any:
        """The squared rates (paths, points + 1) at which viscous friction is taken: by the limits of speed where no
        smaller ones are given; None without it."""
        if self.bounds.torque is None or not friction_of(self.robot)[0].any():
            return None
        if self.bounds.squares is not None:
            return self.bounds.squares
        return smallest_at_points(
            self.grid, [_squares(self.limits[0], x[1]) for x in (self.grid.first, self.grid.last)]
        )

    def _kernels(self) -> tuple[Passes, CompiledFunction]:
        return _kernels(self.robot, self.shape, self.bounds.torque is not None, self.grid.h.shape[1])

    def fastest(self) -> tuple[Any, Any]:
        """ṡ² and the time at all points of the grid."""
        xp, grid, scale = self.xp, self.grid, self.scale
        share = scale**2
        limits = [self.limits[0] * scale[:, None], self.limits[1] * share[:, None], *self.limits[2:], share]
        square = share[:, None, None]
        rows = [x if k % 4 < 2 else x * square for k, x in enumerate([*self.first, *self.last])]
        cap = self._laid(xp.where(grid.stops, 0.0, FASTEST if self.reach is None else self.reach[:, :-1]))
        pairs = [] if self.reach is None else [self._laid(xp.stack([self.reach[:, :-1], self.reach[:, 1:]], axis=-1))]
        kernels, _ = self._kernels()
        start, end = self.ends
        at_end = self._place_at_end(kernels, limits)
        each = [*self.interval, *rows, *pairs]
        results = kernels.backward.call(end, *at_end, *limits, *each, cap)[1:]
        at_start, (largest, *results) = results[: len(at_end)], results[len(at_end) :]
        if results:
            self.loads, results = [*results[:2], *self.loads], results[2:]
        top = self._laid(xp.concatenate([largest[:, 1:], end[:, None]], axis=1))
        squares, times = kernels.forward.call(start, xp.zeros(len(start)), *at_start, *limits, *each, *results, top)[
            -2:
        ]
        self.largest = xp.concatenate([largest, end[:, None]], axis=1)
        zero = xp.zeros((len(start), 1))
        return xp.concatenate([start[:, None], squares], axis=1), xp.concatenate([zero, times], axis=1)

    def _place_at_end(self, kernels: Passes, limits: Any) -> list[Any]:
        """Torques at the end of the paths, for loops that carry them, and the loads there."""
        if kernels.place is None:
            return []
        C, r, h, *_ = self.interval
        reach = 0.0 * self.scale if self.reach is None else self.reach[:, -1]
        about = [x[:, -1] for x in self.reference]
        last, *self.loads = kernels.place.call(C[:, -1], r[:, -1] + h[:, -1], reach, limits[2], *about)
        return [last] if self.shape.carries else []

    def faults(self, squares: Any) -> Any:
        """Why paths cannot be travelled (n, 5): the kind of `Fault`, s, the number of a row, and for loads the torque
        that is needed and the largest one."""
        xp, (start, end) = self.xp, self.ends
        faults = xp.zeros((len(squares), 5))
        moving = start + end > 0.0
        first = start > self.largest[:, 0] / self.scale**2 * (1.0 + SAME_SQUARE)
        for kind, bad in (
            (Fault.END, abs(squares[:, -1] - end) > SAME_SQUARE * end),
            (Fault.START, first),
        ):
            faults[:, 0] = xp.where(bad & moving, int(kind), faults[:, 0])
        # bounds of torques never exclude rest here: their rows leave zero, and gravity is compared by itself
        for rows in (self.first, self.last) if self.first else ():
            over = np.maximum(rows[2], -rows[3])
            for k in np.flatnonzero((over > 0.0).any(axis=(1, 2))):
                i, j = np.unravel_index(int(over[k].argmax()), over[k].shape)
                faults[k, :3] = int(Fault.ROW), self.grid.s[k, i], 3 * self.robot.nv + self.owners[j]
        if self.loads is not None and any((x > 0.0).any() for x in self.loads[1::2]):
            before, at_end = self.loads[:2], self.loads[2:]
            loaded, load = (xp.concatenate([x, y[:, None]], axis=1) for x, y in zip(before, at_end, strict=True))
            worst = load.argmax(axis=1)[:, None]
            joint, over = (xp.take_along_axis(x, worst, axis=1)[:, 0] for x in (loaded, load))
            most = self.limits[2][joint.astype(int)]
            at = xp.take_along_axis(self.grid.ends, worst, axis=1)[:, 0]
            values = xp.stack([xp.full_like(over, int(Fault.LOAD)), at, joint, most + over, most], axis=1)
            faults = xp.where((over > 0.0)[:, None], values, faults)
        return self._faults_inside(faults) if self.inside and self.shape.inner else faults

    def _faults_inside(self, faults: Any) -> Any:
        """Also where gravity and dry friction are too large between points."""
        xp, (loaded, over) = self.xp, self.inside
        if not (over > ALLOWED).any():
            return faults
        worst = over.argmax(axis=1)[:, None]
        joint, share, start, h = (
            xp.take_along_axis(x, worst, axis=1)[:, 0] for x in (loaded, over, self.grid.s, self.grid.h)
        )
        most = self.limits[2][joint.astype(int)]
        values = xp.stack(
            [xp.full_like(share, int(Fault.LOAD)), start + 0.5 * h, joint, most * (1.0 + share), most], axis=1
        )
        return xp.where(((share > ALLOWED) & (faults[:, 0] != int(Fault.LOAD)))[:, None], values, faults)

    def excess(self, squares: Any) -> tuple[Any, Any]:
        """By what factor each motion must be slower to keep its limits, and what limits it in each interval."""
        n, grid, bounds, xp = self.robot.nv, self.grid, self.bounds, self.xp
        _, kernel = self._kernels()
        x0, x1 = (xp.ascontiguousarray(x) if xp is np else self._laid(x) for x in (squares[:, :-1], squares[:, 1:]))
        values = [*self.interval, x0, x1]
        if xp is np:
            square, which, *self.inside = kernel.call(*self.limits, *values)
        else:  # one interval of all paths after the other
            square, which, *self.inside = (
                x.swapaxes(0, 1) for x in kernel.call(*self.limits, *(x.swapaxes(0, 1) for x in values))
            )
        if bounds.others:
            fractions = np.array(INSIDE)
            q, d, e = grid.inside(fractions)
            u = ((x1 - x0) / (2.0 * grid.h))[..., None, None]
            x = np.maximum(x0[..., None] + 2.0 * grid.h[..., None] * fractions * u[..., 0], 0.0)[..., None]
            for k, (a, b, low, high) in enumerate(rows_of_users(q, d, e, bounds, self.robot)):
                value = a * u + b * x
                bound = np.where(value > 0.0, high, -low)
                least = SMALLEST * np.abs(value).max(axis=(1, 2), keepdims=True)
                ratio = np.abs(value) / np.maximum(np.maximum(bound, least), np.finfo(float).tiny)
                ratio = highest(ratio[:, :, 0], ratio[:, :, 1], ratio[:, :, 2], REACH).max(axis=-1)
                which, square = np.where(ratio > square, 3.0 * n + k, which), np.maximum(ratio, square)
        slower = xp.sqrt(xp.maximum(xp.nan_to_num(square).max(axis=1), 1.0))
        return (slower if self.shape.inner else xp.ones_like(slower)), which.astype(np.int32)
