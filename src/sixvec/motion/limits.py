"""Limits of motions along a path: those of joints, and rows that are linear in s̈ and ṡ²."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.arguments import Array, number_for_each, positive_number, real_array
from sixvec.errors import ArgumentError
from sixvec.model.coordinate_names import coordinate_names
from sixvec.motion.reachability import FASTEST
from sixvec.robot import Robot

Rows = Sequence[Array]
"""Arrays a, b, lower, upper (..., rows) of limits  lower ≤ a s̈ + b ṡ² ≤ upper."""

Limit = Callable[[Robot, Array, Array, Array], Rows]
"""A user's limit: rows at positions q, and derivatives q' and q'' with respect to s."""


KINDS = ("velocity", "acceleration", "torque")

OF_ROBOTS = {"velocity": "velocity_limits", "torque": "effort_limits"}
"""The limits that robots have, and their names there."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The limits that were requested, one number for each joint; None for those that were not."""

    velocity: Array | None
    acceleration: Array | None
    torque: Array | None
    others: tuple[Limit, ...]
    squares: Any = None
    """Squared rates (paths, points + 1) that motions may not exceed so that viscous friction is known; None for no such
    limit."""

    def names(self, robot: Robot) -> tuple[str, ...]:
        """Of all limits, in the order of their numbers."""
        joints = coordinate_names(robot.model, "v")
        others = [getattr(f, "__name__", f"limit {k}") for k, f in enumerate(self.others)]
        return (*(f"{joint}: {kind}" for kind in KINDS for joint in joints), *others)

    @classmethod
    def of(cls, robot: Robot, velocity: Any, acceleration: Any, torque: Any, others: Sequence[Limit]) -> Bounds:
        bounds = cls(
            joint_limit("time_optimal", robot, "velocity", velocity),
            joint_limit("time_optimal", robot, "acceleration", acceleration),
            joint_limit("time_optimal", robot, "torque", torque),
            tuple(others),
        )
        joints = [x for x in (bounds.velocity, bounds.acceleration, bounds.torque) if x is not None]
        if not others and not any(x.min(initial=np.inf) < np.inf for x in joints):
            raise ArgumentError("time_optimal: no limit is finite, so there is no fastest motion; give one")
        for limit in others:
            if not callable(limit):
                raise ArgumentError(f"time_optimal: limits are functions of (robot, q, dq, ddq), not {limit!r}")
        return bounds


def frame_limits(frame: str, speed: float | None = None, acceleration: float | None = None) -> Limit:
    """A limit for `time_optimal`: the largest speed of the origin of a frame, and of each world component of its
    acceleration.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> path = motion.spline(arm, [q, q + 0.3])
    >>> slow = motion.time_optimal(path, limits=[motion.frame_limits("panda_link8", speed=0.1)])
    >>> bool(slow.duration > motion.time_optimal(path).duration)
    True
    """
    if speed is None and acceleration is None:
        raise ArgumentError("frame_limits: give a speed, an acceleration, or both")
    if speed is not None:
        positive_number("frame_limits: speed", speed, "m/s")
    if acceleration is not None:
        positive_number("frame_limits: acceleration", acceleration, "m/s²")

    def rows(robot: Robot, q: Array, d: Array, e: Array) -> Rows:
        ahead = np.asarray(robot.velocity(q, d, frame))[..., 3:]
        parts: list[list[Array]] = []
        if speed is not None:
            square = (ahead**2).sum(axis=-1, keepdims=True)
            parts.append([0.0 * square, square, 0.0 * square, np.full_like(square, speed**2)])
        if acceleration is not None:
            bend = np.asarray(robot.classical_acceleration(q, d, e, frame))[..., 3:]
            w = np.full_like(ahead, acceleration)
            parts.append([ahead, bend, -w, w])
        return joined(parts)

    rows.__name__ = frame
    return rows


def joint_limit(caller: str, robot: Robot, name: str, value: Any) -> Array | None:
    """A limit of all joints: True is the robot's, numbers are one for all or one for each, None is none."""
    if value is None or value is False:
        return None
    if value is not True:
        return number_for_each(f"{caller}: {name}", value, robot.nv, "joints", positive=True)
    if name not in OF_ROBOTS:
        raise ArgumentError(f"{caller}: robots have no limits of {name}; give a number or one for each joint")
    limits: Array = robot._kernels.stored(("limit of motions", name), lambda: _of_robot(robot, name))
    if not limits.min(initial=1.0) > 0.0:
        k = int(np.argmin(limits > 0.0))
        joint = coordinate_names(robot.model, "v")[k]
        raise ArgumentError(
            f"{caller}: {joint} of {robot.name} has a {name} limit of {limits[k]:g}, which allows no motion; give "
            f"{name}=, or a robot.with_limits"
        )
    return limits


def _of_robot(robot: Robot, name: str) -> Array:
    limits = np.array(getattr(robot, OF_ROBOTS[name]), float)
    limits.setflags(write=False)
    return limits


def joined(rows: Sequence[Rows]) -> list[Array]:
    """Several sets of rows as one."""
    return [np.concatenate(x, axis=-1) for x in zip(*rows, strict=True)]


def rows_of_users(q: Array, d: Array, e: Array, bounds: Bounds, robot: Robot) -> list[Rows]:
    """Rows of the limits that users gave, with finite bounds."""
    parts: list[Rows] = []
    for k, limit in enumerate(bounds.others):
        where = f"time_optimal: limits[{k}]"
        rows = limit(robot, q, d, e)
        if not isinstance(rows, Sequence) or len(rows) != 4:
            raise ArgumentError(f"{where} must return four arrays: a, b, lower and upper")
        a, b, low, high = (real_array(f"{where}: {name}", x) for name, x in zip(("a", "b", "lower", "upper"), rows,
                                                                                 strict=True))  # fmt: skip
        shape = np.broadcast_shapes(a.shape, b.shape, low.shape, high.shape)
        if shape[:-1] != q.shape[:-1]:
            raise ArgumentError(f"{where} returns rows of shape {shape}; {(*q.shape[:-1], 'rows')} is needed")
        a, b, low, high = (np.broadcast_to(x, shape) for x in (a, b, low, high))
        unknown = np.isnan([a, b, low, high]).any(axis=(0, -1)) | ~np.isfinite([a, b]).all(axis=(0, -1))
        known = np.isfinite(q).all(axis=-1) & np.isfinite(d).all(axis=-1) & np.isfinite(e).all(axis=-1)
        if (unknown & known).any():
            raise ArgumentError(f"{where} returns numbers that are not finite; lower and upper may be infinite")
        # ṡ² ≥ 0 satisfies some sides for ever; next to those of other rows they would be compared by their rounding
        low = np.where((a == 0.0) & (b >= 0.0) & (low <= 0.0), -FASTEST, np.maximum(low, -FASTEST))
        high = np.where((a == 0.0) & (b <= 0.0) & (high >= 0.0), FASTEST, np.minimum(high, FASTEST))
        parts.append([a, b, low, high])
    return parts
