"""Fastest motions along splines against toppra, one path per call there, on one core.

The same paths, limits and points; durations are compared before anything is timed.  toppra enforces limits at both ends
of each interval, ours also inside, so ours take a little longer to travel.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np

from ours import set_threads
from result import Row, timing_row
from selection import Selection
from targets import PATH_TIMING, PATH_TORQUE
from timing import Effort, interleaved

SECTION, ROBOT = "timing", "panda"
OURS, TOPPRA = "sixvec", "toppra"
PATHS, PEER_PATHS, WAYPOINTS, POINTS = 256, 4, 5, 100
SLOWER = 1.05
"""Durations, relative to toppra's on the same grid, that count as the same answer."""

ACCELERATION = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
TORQUE = 0.6


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    set_threads(1)
    for name, torque in (("velocity and acceleration", False), ("velocity and torque", True)):
        if selection.wants(SECTION, ROBOT, name):
            try:
                yield _row(name, torque, effort)
            except ImportError as error:
                left_out[f"{TOPPRA}, {SECTION}"] = f"not installed ({error})"


def _row(name: str, torque: bool, effort: Effort) -> Row:
    import sixvec as sv

    robot, rng = sv.load(ROBOT), np.random.default_rng(0)
    middle, half = 0.5 * (robot.lower + robot.upper), 0.5 * (robot.upper - robot.lower)
    Q = middle + 0.5 * half * rng.uniform(-1, 1, (PATHS, WAYPOINTS, robot.nq))
    knots = np.linspace(0.0, 1.0, WAYPOINTS)
    limits: dict[str, Any] = {"torque": TORQUE * robot.effort_limits} if torque else {
        "acceleration": ACCELERATION, "torque": None
    }  # fmt: skip

    def ours() -> Any:
        path = sv.motion.spline(robot, Q, knots=knots, ends="not-a-knot")
        return sv.motion.time_optimal(path, **limits, points=POINTS)

    theirs = _toppra(robot, Q[:PEER_PATHS], knots, torque)
    ratio = ours().duration[:PEER_PATHS] / np.array(theirs())
    target = PATH_TORQUE if torque else PATH_TIMING
    if not (ratio.min() > 1.0 - 1e-3 and ratio.max() < SLOWER):
        note = f"durations differ by {ratio.min():.3f} to {ratio.max():.3f}: not timed"
        return Row(SECTION, ROBOT, name, "x", None, target, note=note, failed=True)
    timed = interleaved({OURS: ours, TOPPRA: theirs}, effort)
    seconds = {OURS: timed[OURS] / PATHS, TOPPRA: timed[TOPPRA] / PEER_PATHS}
    return timing_row(SECTION, ROBOT, name, seconds, OURS, target=target, errors={TOPPRA: float(ratio.max() - 1.0)})


def _toppra(robot: Any, Q: Any, knots: Any, torque: bool) -> Any:
    import toppra
    from toppra import algorithm, constraint

    logging.getLogger("toppra").setLevel(logging.CRITICAL)
    both = {"discretization_scheme": constraint.DiscretizationType.Interpolation}
    speed = np.array(robot.velocity_limits)
    limits = [constraint.JointVelocityConstraint(np.stack([-speed, speed], axis=1))]
    if torque:
        most = TORQUE * np.array(robot.effort_limits)
        free = np.zeros(robot.nv)
        limits.append(
            constraint.JointTorqueConstraint(robot.inverse_dynamics, np.stack([-most, most], axis=1), free, **both)
        )
    else:
        limits.append(constraint.JointAccelerationConstraint(np.stack([-ACCELERATION, ACCELERATION], axis=1), **both))
    points = np.linspace(0.0, 1.0, POINTS + 1)

    def durations() -> list[float]:
        found = []
        for waypoints in Q:
            path = toppra.SplineInterpolator(knots, waypoints)
            solver = algorithm.TOPPRA(limits, path, gridpoints=points, parametrizer="ParametrizeConstAccel")
            found.append(solver.compute_trajectory(0, 0).duration)
        return found

    return durations
