"""The maximum velocity curve: the largest ṡ that the limits allow at each place of a path by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.motion.joint_motion import friction_of
from sixvec.motion.limits import Bounds, rows_of_users
from sixvec.motion.path import Path
from sixvec.motion.path_torques import Torques
from sixvec.motion.reachability import FASTEST
from sixvec.motion.two_variables import Limits, Side, largest_square, rows_of, sides_of, symmetric_rows


def maximum_velocity(path: Path, s: Array, rate: Array, bounds: Bounds) -> Array:
    """ṡ (..., m) at places s (..., m): above it no s̈ satisfies the limits of acceleration and torque, or a joint is too
    fast.  Viscous friction is that of a motion with this rate."""
    robot = path.robot
    q, d, e = path.q(s), path.dq(s), path.ddq(s)
    columns = _columns(q), _columns(d), _columns(e)
    top = np.full(d.shape[:-1], FASTEST)
    fastest = np.full(robot.nv, np.sqrt(FASTEST)) if bounds.velocity is None else bounds.velocity
    with np.errstate(divide="ignore", over="ignore"):
        top = np.minimum(top, np.min((fastest / np.abs(d)) ** 2, axis=-1))
        rows = [] if bounds.acceleration is None else symmetric_rows(*columns[1:], list(bounds.acceleration))
        if bounds.torque is not None:
            torques = Torques(robot.model, *(x.tolist() for x in friction_of(robot)))
            most = list(np.minimum(bounds.torque, np.sqrt(FASTEST)))
            place = torques.place(columns, np.nan_to_num(rate**2))
            torque_rows = torques.rows(place, [0.0] * robot.nv, most, 1.0)
            rows += rows_of([[np.broadcast_to(x, top.shape) for x in part] for part in torque_rows])
        above: list[Side] = []
        below: list[Side] = []
        for parts in rows_of_users(q, d, e, bounds, robot):
            sides = sides_of([_columns(x) for x in parts])
            above, below = above + sides[0], below + sides[1]
        return np.asarray(np.sqrt(largest_square(Limits(rows, above, below), top)))


def _columns(x: Array) -> Sequence[Any]:
    return list(np.moveaxis(x, -1, 0))
