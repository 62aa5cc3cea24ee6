"""Numerical inverse kinematics: random reachable poses of the Panda, solved within the limits by everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import solvers
from bench import Bench
from contender import Unavailable
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from solvers.problems import Problems
from solvers.solver import Solver
from state import Array
from targets import IK_PER_SECOND, IK_SOLVED_PERCENT, IK_SPEED_UP
from timing import Effort, interleaved

SECTION = "inverse_kinematics"
OURS = "sixvec"
ROBOT = "panda"
MORE = {"pytorch-kinematics": 4}
"""How many times as many problems a solver of batches gets as those who solve one after the other; ours, a batch."""


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """The speed-up per solved problem, ours per second, and how many everybody solved."""
    if bench.robot.name != ROBOT or bench.ours is None or not selection.wants(SECTION, ROBOT, "solve"):
        return
    problems = Problems(bench.reference, effort.batch)
    set_threads(1)
    found = _solvers(bench, problems)
    counts = {name: _count(name, effort) for name in found}
    solved, calls = dict[str, float](), dict[str, Callable[[], Array]]()
    for name, solve in found.items():
        poses = problems.poses[: counts[name]]
        solved[name] = float(problems.solved(solve(poses)).mean())
        if solved[name]:
            calls[name] = _call(solve, poses)
        else:
            bench.left_out[f"{name}, {SECTION}"] = "no problem solved"
    seconds = interleaved(calls, effort.of_long_calls())
    each = {name: time / (counts[name] * solved[name]) for name, time in seconds.items()}
    yield timing_row(SECTION, ROBOT, "solve", each, OURS, target=IK_SPEED_UP, failed=OURS not in each)
    if OURS in each:
        note = f"{counts[OURS]} poses in one call"
        yield Row(SECTION, ROBOT, "solved per second", "/s", 1 / each[OURS], IK_PER_SECOND, note=note)
    for name, share in solved.items():
        target = IK_SOLVED_PERCENT if name == OURS else None
        yield Row(SECTION, ROBOT, f"solved, {name}", "%", 100 * share, target, note=f"of {counts[name]} poses")


def _solvers(bench: Bench, problems: Problems) -> dict[str, Solver]:
    found: dict[str, Solver] = {}
    for library in solvers.SOLVERS:
        try:
            found |= solvers.build(library, bench.robot, bench.urdf, problems)
        except Unavailable as error:
            bench.left_out[f"{library}, {SECTION}"] = str(error)
        except Exception as error:  # a contender's bug must not end everybody's run
            bench.left_out[f"{library}, {SECTION}"] = repr(error)
    return found


def _count(name: str, effort: Effort) -> int:
    if name == OURS:
        return effort.batch
    return MORE.get(name, 1) * effort.problems


def _call(solve: Solver, poses: Array) -> Callable[[], Array]:
    return lambda: np.asarray(solve(poses))
