"""Viscous friction of joints in the timing of a path.

Its torque is proportional to ṡ and so not linear in ṡ², as the other torques are.  At each point of the grid it is
taken at a largest ṡ there, which the motion may not exceed: first where friction leaves a share of the torque, then a
little above the rates of the best motion so far.  Rates only grow then, and with them the bound comes close to the
friction itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.devices import namespace
from sixvec.motion.grid import Grid
from sixvec.motion.joint_motion import friction_of
from sixvec.motion.limits import Bounds
from sixvec.motion.path import Path
from sixvec.motion.path_torques import directions
from sixvec.motion.reachability import FASTEST
from sixvec.robot import Robot

LITTLE = 0.01
"""The share of the largest torque up to which friction is taken at the limits of speed."""

SHARES = (0.9, 0.5, 0.2)
"""Shares of what gravity and dry friction leave of a torque that viscous friction may take, which are tried: a large
one leaves little for the motion, and a small one allows little speed."""

MOST = 0.97
"""The largest such share, in the rounds that follow."""

FRACTIONS = (0.2, 0.4, 0.6, 0.8)
"""Where inside the intervals, too."""

ABOVE = (1.2, 1.1, 1.05, 1.02)
"""Largest rates relative to those of the best motion so far, in each round."""

Timed = Callable[[Path, int, Bounds, Array, bool], list[Any]]
"""The motions along some paths: verdict, s, ṡ, the largest ṡ, times, and more."""


def timed_with_drag(timed: Timed, path: Path, points: int, bounds: Bounds, ends: Array, between: bool) -> list[Any]:
    """The fastest motions of robots whose joints may have viscous friction."""
    viscous, _ = friction_of(path.robot)
    if bounds.torque is None or not _counts(viscous, bounds.torque, bounds.velocity):
        return timed(path, points, bounds, ends, between)
    xp = namespace(path.knots)
    smooth = path.robot._kernels.stored("robot without viscous friction", lambda: _without_drag(path.robot))
    free = timed(replace(path, robot=smooth), points, bounds, ends, between)
    allowed = _allowed(Grid.of(path, points), path.robot, bounds.torque)
    reached = _squares(free)
    best: list[Any] = []
    for share in SHARES:
        squares = xp.minimum(ABOVE[0] ** 2 * reached, share**2 * allowed)
        tried = timed(path, points, replace(bounds, squares=squares), ends, between)
        best = _better(tried, best) if best else tried
    for above in ABOVE:
        squares = xp.minimum(above**2 * _squares(best), MOST**2 * allowed)
        best = _better(timed(path, points, replace(bounds, squares=squares), ends, between), best)
    return best


def smallest_at_points(grid: Grid, of_intervals: list[Any]) -> Any:
    """The smaller of values (paths, intervals) at the starts and at the ends of intervals: (paths, points + 1)."""
    xp = namespace(grid.s)
    first, last = of_intervals
    return xp.concatenate([first[:, :1], xp.minimum(first[:, 1:], last[:, :-1]), last[:, -1:]], axis=1)


def _allowed(grid: Grid, robot: Robot, torque: Array) -> Any:
    """Squared rates (paths, points + 1) at which viscous friction takes all that gravity and dry friction leave, at the
    points and inside the intervals next to them."""
    xp = namespace(grid.s)
    viscous, dry, most = (xp.asarray(x) for x in (*friction_of(robot), torque))

    def square(place: Any) -> Any:
        q, slope, _ = place
        sign = xp.stack(directions([slope[..., k] for k in range(slope.shape[-1])]), axis=-1)
        left = xp.maximum(most - sign * robot.gravity_forces(q) - dry, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = xp.where((sign != 0.0) & (viscous > 0.0), (left / (viscous * slope)) ** 2, FASTEST)
        return xp.minimum(squares.min(axis=-1), FASTEST)

    inside = square(grid.inside(xp.asarray(FRACTIONS))).min(axis=-1)
    return smallest_at_points(grid, [xp.minimum(square(place), inside) for place in (grid.first, grid.last)])


def _squares(timed: list[Any]) -> Any:
    """ṡ² at the points, (paths, points + 1); as large as can be where there is no motion."""
    xp = namespace(timed[2])
    return xp.where(xp.isfinite(timed[2]), timed[2] ** 2, FASTEST)


def _better(first: list[Any], second: list[Any]) -> list[Any]:
    """Path by path the motion that takes less time, or that there is."""
    xp = namespace(first[4])
    is_first = (first[4][:, -1] < second[4][:, -1]) | (xp.isnan(second[4][:, -1]))
    return [xp.where(is_first.reshape(-1, *[1] * (x.ndim - 1)), x, y) for x, y in zip(first, second, strict=True)]


def _counts(viscous: Array, torque: Array, velocity: Array | None) -> bool:
    """Whether friction at the limits of speed takes more than a little of some torque."""
    rubs = viscous > 0.0
    fastest = np.full(len(viscous), np.inf) if velocity is None else velocity
    return bool((viscous[rubs] * fastest[rubs] > LITTLE * torque[rubs]).any())


def _without_drag(robot: Robot) -> Robot:
    bodies = [replace(b, dynamics=replace(b.dynamics, damping=())) for b in robot.model.bodies]
    return Robot(replace(robot.model, bodies=tuple(bodies)))
