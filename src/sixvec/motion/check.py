"""What a motion violates: limits of positions, velocities, accelerations and torques, and clearance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, number_from_zero
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.model.coordinate_names import coordinate_names
from sixvec.motion.interpolated import interpolate
from sixvec.motion.joint_motion import JointMotion
from sixvec.robot import Robot
from sixvec.sim.timed import Timed
from sixvec.tolerances import ROUNDING

Motion: TypeAlias = ArrayLike | JointMotion | Timed
"""What can be checked: a motion, a rollout, or the times of positions."""

BETWEEN = 4
"""Instants in each interval of given times that are checked."""

INSTANTS = 2000
"""Instants of a motion that is a function of time."""

ALLOWED = 1e-3
"""By how much limits may be exceeded, as a fraction: motions that are as fast as they may reach them everywhere."""


@dataclass(frozen=True)
class Violation:
    """A limit that is exceeded: `what` of which joint or pair, when first and last, by which value at the worst
    time."""

    what: str
    name: str
    first: float
    last: float
    worst: float
    value: float
    limit: float

    def __str__(self) -> str:
        when = f"at {self.worst:.4g} s" if self.first == self.last else f"from {self.first:.4g} to {self.last:.4g} s"
        return f"{self.what} of {self.name}: {self.value:.4g}, limit {self.limit:.4g}, {when}"


@dataclass(frozen=True, eq=False, repr=False)
class MotionCheck(Result):
    """The limits that a motion exceeds; true if there are none.  Printed, it is a list."""

    robot: Robot
    duration: float
    violations: tuple[Violation, ...]

    def __bool__(self) -> bool:
        return not self.violations

    def __repr__(self) -> str:
        head = f"{self.robot.name}, {self.duration:.4g} s: "
        if not self.violations:
            return head + "within all limits"
        count = len(self.violations)
        lines = [f"  {v}" for v in self.violations]
        return "\n".join([f"{head}{count} limit{'s' * (count > 1)} exceeded", *lines])


def check_motion(
    robot: Robot,
    t: Motion,
    q: ArrayLike | None = None,
    *,
    acceleration: Any = None,
    world: Any = None,
    margin: float = 0.0,
) -> MotionCheck:
    """See `Robot.check_motion`."""
    margin = number_from_zero("check_motion: margin", margin, "m")
    if isinstance(t, JointMotion):
        if q is not None:
            raise ArgumentError("check_motion: give a motion, or times and positions")
        if np.ndim(t.duration) or not np.isfinite(t.duration):
            raise ArgumentError("check_motion: give one motion that was solved")
        moved, at, offset = t, np.linspace(0.0, float(t.duration), INSTANTS + 1), 0.0
    elif q is None and not isinstance(t, Timed):
        raise ArgumentError("check_motion needs positions q (m, nq) at the times t (m,), or a motion")
    else:
        moved = interpolate(robot, t, q)
        knots = moved.path.knots
        if knots.ndim > 1:
            raise ArgumentError("check_motion: give one motion, with q (m, nq)")
        steps = np.arange(BETWEEN) / BETWEEN
        at = np.append((knots[:-1, None] + np.diff(knots)[:, None] * steps).ravel(), knots[-1])
        offset = float(np.ravel(np.asarray(t.t if isinstance(t, Timed) else t, float))[0])
    violations = [*_joints(robot, moved, at, acceleration)]
    if world is not None:
        violations += _clearance(robot, moved, at, world, margin)
    shifted = tuple(Violation(v.what, v.name, v.first + offset, v.last + offset, v.worst + offset, v.value, v.limit)
                    for v in violations)  # fmt: skip
    return MotionCheck(robot, float(moved.duration), shifted)


def _joints(robot: Robot, moved: JointMotion, at: Array, acceleration: Any) -> Iterator[Violation]:
    names = coordinate_names(robot.model, "v")
    q, v, a = moved.q(at), moved.v(at), moved.a(at)
    span = np.where(np.isfinite(robot.upper - robot.lower), robot.upper - robot.lower, 1.0)
    for k, name in enumerate(coordinate_names(robot.model, "q")):
        for bound, sign in ((robot.lower[k], -1.0), (robot.upper[k], 1.0)):
            over = sign * (q[:, k] - bound) - ROUNDING * span[k]
            yield from _worst("position", name, at, over, q[:, k], float(bound))
    most = (
        None
        if acceleration is None
        else number_for_each("check_motion: acceleration", acceleration, robot.nv, "joints", positive=True)
    )
    most = np.full(robot.nv, np.inf) if most is None else np.broadcast_to(most, (robot.nv,))
    parts = (
        ("velocity", v, robot.velocity_limits),
        ("acceleration", a, most),
        ("torque", moved.tau(at), robot.effort_limits),
    )
    for what, values, limits in parts:
        for k, name in enumerate(names):
            size = np.abs(values[:, k])
            yield from _worst(what, name, at, size - limits[k] * (1.0 + ALLOWED), size, float(limits[k]))


def _clearance(robot: Robot, moved: JointMotion, at: Array, world: Any, margin: float) -> Iterator[Violation]:
    gaps = robot.distances(moved.q(at), world)
    for k, pair in enumerate(gaps.pairs):
        gap = np.asarray(gaps.distance)[:, k]
        yield from _worst("clearance", " and ".join(pair), at, margin - gap, gap, margin)


def _worst(what: str, name: str, at: Array, over: Array, values: Array, limit: float) -> Iterator[Violation]:
    """The largest excess, and the time from the first to the last one."""
    bad = np.flatnonzero(over > 0.0)
    if len(bad):
        k = int(np.argmax(over))
        yield Violation(what, name, float(at[bad[0]]), float(at[bad[-1]]), float(at[k]), float(values[k]), limit)
