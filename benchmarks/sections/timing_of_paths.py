"""Fastest motions along splines against toppra, and motions from rest to rest against ruckig, on one core.

The same paths, limits and points, one path per call in toppra.  Before anything is timed, durations are compared: on
the same grid they are toppra's, and with limits that hold between points, too, little longer than toppra's on a grid
four times as fine.  ruckig computes durations and phases in C++ behind a thin binding.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ours import set_threads
from result import Row, Target, timing_row
from selection import Selection
from targets import (
    PATH_DURATION,
    PATH_DURATION_HARD,
    PATH_DURATION_SAME,
    PATH_SINGLE,
    PATH_TIMING,
    PATH_TORQUE,
    REST_TO_REST,
)
from timing import Effort, interleaved

SECTION, ROBOT = "timing", "panda"
OURS, TOPPRA, RUCKIG = "sixvec", "toppra", "ruckig"
PATHS, PEER_PATHS, WAYPOINTS, POINTS, FINE = 256, 4, 5, 100, 401
MOVES = 4096

ACCELERATION = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
TORQUE = 0.6
KNOTS = np.linspace(0.0, 1.0, WAYPOINTS)


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    set_threads(1)
    parts: list[tuple[str, str, Callable[[Effort], Iterator[Row]]]] = [
        ("velocity and acceleration", TOPPRA, lambda effort: _timed(False, effort)),
        ("velocity and torque", TOPPRA, lambda effort: _timed(True, effort)),
        ("durations", TOPPRA, _durations),
        ("rest to rest with jerk", RUCKIG, _rest_to_rest),
    ]
    for name, peer, part in parts:
        if selection.wants(SECTION, ROBOT, name):
            try:
                yield from part(effort)
            except ImportError as error:
                left_out[f"{peer}, {SECTION}"] = f"not installed ({error})"


def _robot() -> Any:
    import sixvec as sv

    return sv.load(ROBOT)


def _waypoints(robot: Any, hard: bool) -> Any:
    """Through half the range of each joint, or within half a radian or metre of its middle."""
    rng = np.random.default_rng(0)
    middle, half = 0.5 * (robot.lower + robot.upper), 0.5 * (robot.upper - robot.lower)
    return middle + (0.5 * half if hard else 0.5) * rng.uniform(-1, 1, (PATHS, WAYPOINTS, robot.nq))


def _limits(robot: Any, torque: bool) -> dict[str, Any]:
    return {"torque": TORQUE * robot.effort_limits} if torque else {"acceleration": ACCELERATION, "torque": None}


def _ours(robot: Any, Q: Any, torque: bool, **options: Any) -> Any:
    from sixvec import motion

    path = motion.spline(robot, Q, knots=KNOTS, ends="not-a-knot")
    return motion.time_optimal(path, **_limits(robot, torque), points=POINTS, **options)


def _timed(torque: bool, effort: Effort) -> Iterator[Row]:
    robot = _robot()
    Q = _waypoints(robot, hard=True)
    name = "velocity and torque" if torque else "velocity and acceleration"
    theirs = _toppra(robot, Q[:PEER_PATHS], torque, POINTS)
    error = float(np.abs(_ours(robot, Q[:PEER_PATHS], torque, between=False).duration / np.array(theirs()) - 1.0).max())
    if not error < PATH_DURATION_SAME.bound:
        note = f"durations on the same grid differ by {error:.1e}: not timed"
        yield Row(SECTION, ROBOT, name, "x", None, PATH_TIMING, note=note, failed=True)
        return
    single = f"{name}, single call"
    calls = {OURS: lambda: _ours(robot, Q, torque), single: lambda: _ours(robot, Q[0], torque), TOPPRA: theirs}
    timed = interleaved(calls, effort)
    peer = {TOPPRA: timed[TOPPRA] / PEER_PATHS}
    target, errors = PATH_TORQUE if torque else PATH_TIMING, {TOPPRA: error}
    yield timing_row(SECTION, ROBOT, name, {OURS: timed[OURS] / PATHS} | peer, OURS, target=target, errors=errors)
    yield timing_row(SECTION, ROBOT, single, {OURS: timed[single]} | peer, OURS, target=PATH_SINGLE)


def _durations(effort: Effort) -> Iterator[Row]:
    """The largest ratio of durations, ours to toppra's, of a few paths."""
    robot, few = _robot(), 2 if effort.repeats == 1 else 12
    cases: list[tuple[str, bool, bool, int, dict[str, Any], Target | None]] = [
        ("duration - 1, same grid", True, False, POINTS, {"between": False}, PATH_DURATION_SAME),
        ("duration - 1, same grid, torque", True, True, POINTS, {"between": False}, PATH_DURATION_SAME),
        (f"duration / toppra's at {FINE} points, ordinary paths", False, False, FINE, {}, PATH_DURATION),
        (f"duration / toppra's at {FINE} points, hard paths", True, False, FINE, {}, PATH_DURATION_HARD),
        (f"duration / toppra's at {FINE} points, hard paths, torque", True, True, FINE, {}, None),
    ]
    for name, hard, torque, points, options, target in cases:
        Q = _waypoints(robot, hard)[:few]
        ratio = _ours(robot, Q, torque, **options).duration / np.array(_toppra(robot, Q, torque, points)())
        value = np.abs(ratio - 1.0).max() if options else ratio.max()
        yield Row(SECTION, ROBOT, name, "error", float(value), target, note=f"largest of {few} paths")


def _toppra(robot: Any, Q: Any, torque: bool, count: int) -> Any:
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
    points = np.linspace(0.0, 1.0, count + 1)

    def durations() -> list[float]:
        found = []
        for waypoints in Q:
            path = toppra.SplineInterpolator(KNOTS, waypoints)
            solver = algorithm.TOPPRA(limits, path, gridpoints=points, parametrizer="ParametrizeConstAccel")
            found.append(solver.compute_trajectory(0, 0).duration)
        return found

    return durations


def _rest_to_rest(effort: Effort) -> Iterator[Row]:
    import ruckig

    from sixvec import motion

    robot, rng = _robot(), np.random.default_rng(0)
    middle, half = 0.5 * (robot.lower + robot.upper), 0.5 * (robot.upper - robot.lower)
    q0, q1 = middle + 0.5 * half * rng.uniform(-1, 1, (2, MOVES, robot.nq))
    limits = {"acceleration": ACCELERATION, "jerk": 10.0 * ACCELERATION}
    name, peer_moves = "rest to rest with jerk", MOVES // 8
    generator, case, found = ruckig.Ruckig(robot.nv), ruckig.InputParameter(robot.nv), ruckig.Trajectory(robot.nv)
    case.max_velocity, case.max_acceleration, case.max_jerk = robot.velocity_limits, *limits.values()
    pairs = list(zip(q0[:peer_moves].tolist(), q1[:peer_moves].tolist(), strict=True))

    def theirs() -> list[float]:
        durations = []
        for start, goal in pairs:
            case.current_position, case.target_position = start, goal
            generator.calculate(case, found)
            durations.append(found.duration)
        return durations

    def ours() -> Any:
        return motion.rest_to_rest(robot, q0, q1, **limits)

    error = float(np.abs(ours().duration[:peer_moves] / np.array(theirs()) - 1.0).max())
    if not error < 1e-9:
        note = f"durations differ by {error:.1e}: not timed"
        yield Row(SECTION, ROBOT, name, "x", None, REST_TO_REST, note=note, failed=True)
        return
    timed = interleaved({OURS: ours, RUCKIG: theirs}, effort)
    seconds = {OURS: timed[OURS] / MOVES, RUCKIG: timed[RUCKIG] / peer_moves}
    yield timing_row(SECTION, ROBOT, name, seconds, OURS, target=REST_TO_REST, errors={RUCKIG: error})
