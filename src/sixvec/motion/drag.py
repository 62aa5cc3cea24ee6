"""Viscous friction of joints in the timing of a path.

Its torque is proportional to ṡ and so not linear in ṡ², as the other torques are.  It is taken at a largest speed of
each joint, which is a limit of the motion: that of the fastest motion without viscous friction, or a lower one at which
friction takes a share of the largest torque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.devices import namespace
from sixvec.motion.grid import Grid
from sixvec.motion.joint_motion import friction_of
from sixvec.motion.limits import Bounds
from sixvec.motion.path import Path
from sixvec.robot import Robot
from sixvec.verdict import Verdict

LITTLE = 0.01
"""The share of the largest torque up to which friction is taken at the limits of speed."""

SHARES = (0.9, 0.6, 0.4, 0.2, 0.1, 0.03, 0.01)
"""Shares of the largest torque that friction may take, which are tried: a large one leaves little for the motion, and
a small one allows little speed."""

ABOVE, SLOWEST = 1.05, 1e-3
"""The largest speed of a joint relative to the motion without viscous friction, and at least this part of the fastest
joint's: braking needs less torque with friction, so that a motion may be a little faster with it."""

OVER = 1e-3
"""The part of the largest torque by which gravity and friction may exceed it, as all torques between points may."""

FRACTIONS = (0.25, 0.5, 0.75)
"""Where inside the intervals gravity and friction are computed."""

NEVER = 1e6
"""A motion that takes this many times as long as the one without viscous friction is stopped by it."""

Timed = Callable[[Path, int, Bounds, Array, bool], list[Any]]
"""The motions along some paths: verdict, s, ṡ, the largest ṡ, times, and more."""


def timed_with_drag(timed: Timed, path: Path, points: int, bounds: Bounds, ends: Array, between: bool) -> list[Any]:
    """The fastest motions of robots whose joints may have viscous friction."""
    viscous, dry = friction_of(path.robot)
    if bounds.torque is None or not _counts(viscous, bounds.torque, bounds.velocity):
        return timed(path, points, bounds, ends, between)
    xp = namespace(path.knots)
    smooth = path.robot._kernels.stored("robot without viscous friction", lambda: _without_drag(path.robot))
    free = timed(replace(path, robot=smooth), points, bounds, ends, between)
    viscous, dry, most = (xp.asarray(x) for x in (viscous, dry, bounds.torque))
    ways, inside = _ways(Grid.of(path, points))
    reached = _largest_speeds(ways, free[2])
    with np.errstate(divide="ignore"):
        allowed = xp.where(viscous > 0.0, most / viscous, np.inf)
    result: list[Any] = []
    for share in SHARES:
        speeds = xp.minimum(reached, share * allowed)
        tried = timed(path, points, replace(bounds, speeds=speeds), ends, between)
        load = xp.stack([way.load(tried[2], viscous, dry, most) for way in (*ways, *inside)]).max(axis=0)
        late = (load > 1.0 + OVER) | (tried[4][:, -1] > NEVER * free[4][:, -1])
        tried[0] = xp.where(late & (tried[0] == 0), int(Verdict.NOT_CONVERGED), tried[0]).astype(np.int8)
        before, result = result, tried if not result else _better(tried, result)
        done = (result[0] != int(Verdict.NOT_CONVERGED)).all() and not (before and _improves(result, before))
        if not (speeds < reached).any() or (before and done):
            break
    return result


class _Way(NamedTuple):
    """A path at places of its intervals, at fractions of them: its slope (paths, intervals, nv) and the torques of
    gravity there."""

    slope: Any
    gravity: Any
    fraction: float

    def speeds(self, rate: Any) -> Any:
        """Of the joints, if ṡ has these values at the ends of all intervals."""
        squares = (1.0 - self.fraction) * rate[:, :-1] ** 2 + self.fraction * rate[:, 1:] ** 2
        return abs(self.slope) * namespace(rate).sqrt(squares)[..., None]

    def load(self, rate: Any, viscous: Any, dry: Any, most: Any) -> Any:
        """The largest torque of gravity and friction (paths,), relative to the largest one that is allowed."""
        speeds = self.speeds(rate)
        torque = abs(self.gravity + namespace(speeds).sign(self.slope) * (viscous * speeds + dry * (speeds > 0.0)))
        return (torque / most).max(axis=(1, 2))


def _ways(grid: Grid) -> tuple[list[_Way], list[_Way]]:
    """At the starts and ends of the intervals, and inside them."""
    q, slope, _ = grid.inside(namespace(grid.s).asarray(FRACTIONS))
    gravity = grid.path.robot.gravity_forces
    inside = [_Way(slope[..., k, :], gravity(q[..., k, :]), x) for k, x in enumerate(FRACTIONS)]
    return [_Way(x[1], gravity(x[0]), end) for x, end in ((grid.first, 0.0), (grid.last, 1.0))], inside


def _better(first: list[Any], second: list[Any]) -> list[Any]:
    """Path by path the motion that is right, or takes less time."""
    xp = namespace(first[4])
    wrong = [x[0] == int(Verdict.NOT_CONVERGED) for x in (first, second)]
    is_first = (wrong[1] & ~wrong[0]) | ((wrong[0] == wrong[1]) & (first[4][:, -1] < second[4][:, -1]))
    return [xp.where(is_first.reshape(-1, *[1] * (x.ndim - 1)), x, y) for x, y in zip(first, second, strict=True)]


def _improves(result: list[Any], before: list[Any]) -> bool:
    return bool((result[4][:, -1] < before[4][:, -1]).any())


def _counts(viscous: Array, torque: Array, velocity: Array | None) -> bool:
    """Whether friction at the limits of speed takes more than a little of some torque."""
    rubs = viscous > 0.0
    fastest = np.full(len(viscous), np.inf) if velocity is None else velocity
    return bool((viscous[rubs] * fastest[rubs] > LITTLE * torque[rubs]).any())


def _without_drag(robot: Robot) -> Robot:
    bodies = [replace(b, dynamics=replace(b.dynamics, damping=())) for b in robot.model.bodies]
    return Robot(replace(robot.model, bodies=tuple(bodies)))


def _largest_speeds(ways: list[_Way], rate: Any) -> Any:
    """Those of each joint (paths, nv) with these ṡ; infinite where it does not move or ṡ is not known."""
    xp = namespace(rate)
    speeds = xp.stack([way.speeds(rate).max(axis=1) for way in ways]).max(axis=0)
    speeds = xp.maximum(ABOVE * speeds, SLOWEST * speeds.max(axis=1, keepdims=True))
    return xp.where(speeds > 0.0, speeds, np.inf)
