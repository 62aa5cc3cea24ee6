"""Quadratic programs against daqp, and whole steps of tasks against pink, on one core.

daqp and pink solve one problem per call, from arrays and objects that exist already.  Solutions are compared before
anything is timed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ours import set_threads
from result import Row, Target, timing_row
from selection import Selection
from targets import PROGRAM_BOX, PROGRAM_ROWS, TASK_STEP
from timing import Effort, interleaved

SECTION, ROBOT = "tasks", "panda"
OURS, DAQP, PINK = "sixvec", "daqp", "pink"
PROGRAMS, PEER_PROGRAMS, PEER_STEPS = 2000, 400, 20
VARIABLES, ROWS = 7, 10
AGREEMENT = 1e-8
FRAME, DT = "panda_link8", 0.01

Program = tuple[Any, ...]


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    set_threads(1)
    programs = (("box and 10 rows", _with_rows, PROGRAM_ROWS), ("box", _box, PROGRAM_BOX))
    for name, made, target in programs:
        if selection.wants(SECTION, "programs", name):
            try:
                yield _program(name, made(np.random.default_rng(0)), target, effort)
            except ImportError as error:
                left_out[f"{DAQP}, {SECTION}"] = f"not installed ({error})"
    for name, far in (("step, near", False), ("step, far", True)):
        if selection.wants(SECTION, ROBOT, name):
            try:
                yield _step(name, far, effort)
            except ImportError as error:
                left_out[f"{PINK}, {SECTION}"] = f"not installed ({error})"


def _with_rows(rng: np.random.Generator) -> Program:
    G = rng.normal(size=(PROGRAMS, VARIABLES, VARIABLES))
    bounds = rng.uniform(0.05, 1.0, (2, PROGRAMS, VARIABLES + ROWS))
    H = G @ G.swapaxes(1, 2) + 1e-3 * np.eye(VARIABLES)
    return (
        H,
        rng.normal(size=(PROGRAMS, VARIABLES)),
        rng.normal(size=(PROGRAMS, ROWS, VARIABLES)),
        -bounds[0],
        bounds[1],
    )


def _box(rng: np.random.Generator) -> Program:
    H, g, _, lower, upper = _with_rows(rng)
    cut = [np.ascontiguousarray(x[:, :VARIABLES]) for x in (lower, upper)]
    return H, g, np.zeros((PROGRAMS, 0, VARIABLES)), *cut


def _program(name: str, program: Program, target: Target, effort: Effort) -> Row:
    import daqp

    import sixvec as sv

    H, g, A, lower, upper = program
    kinds = np.zeros(lower.shape[1], np.int32)
    tight = {"primal_tol": 1e-12, "dual_tol": 1e-12, "zero_tol": 1e-13}

    def theirs(**options: float) -> list[Any]:
        return [daqp.solve(H[k], g[k], A[k], upper[k], lower[k], kinds, **options) for k in range(PEER_PROGRAMS)]

    solution = sv.solve.quadratic_program(*program)
    error = float(np.abs(solution.x[:PEER_PROGRAMS] - np.array([x for x, *_ in theirs(**tight)])).max())
    if not (solution and error < AGREEMENT):
        note = f"{solution}, differs by {error:.1e}: not timed"
        return Row(SECTION, "programs", name, "x", None, target, note=note, failed=True)
    timed = interleaved({OURS: lambda: sv.solve.quadratic_program(*program), DAQP: theirs}, effort)
    seconds = {OURS: timed[OURS] / PROGRAMS, DAQP: timed[DAQP] / PEER_PROGRAMS}
    return timing_row(SECTION, "programs", name, seconds, OURS, target=target, errors={DAQP: error})


def _step(name: str, far: bool, effort: Effort) -> Row:
    """Frame, posture, limits: ours with one program per step, as pink has."""
    import sixvec as sv

    robot, rng = sv.load(ROBOT), np.random.default_rng(0)
    q = robot.random(1, effort.batch)
    goals = robot.pose(np.clip(q + 0.02 * rng.normal(size=q.shape), robot.lower, robot.upper), FRAME)
    if far:
        goals = np.broadcast_to(robot.pose(robot.random(4), FRAME), goals.shape).copy()
    rest = (robot.lower + robot.upper) / 2.0
    tasks = sv.tasks
    stack = tasks.Stack(robot, tasks.Frame(FRAME), tasks.Posture(rest, weight=1e-3), damping=0.0)
    theirs = _pink(robot, q, goals, rest)
    step = stack(q, {FRAME: goals}, DT)
    if not step:
        return Row(SECTION, ROBOT, name, "x", None, TASK_STEP, note=f"{step}: not timed", failed=True)
    timed = interleaved({OURS: lambda: stack(q, {FRAME: goals}, DT), PINK: theirs}, effort)
    seconds = {OURS: timed[OURS] / len(q), PINK: timed[PINK] / PEER_STEPS}
    return timing_row(SECTION, ROBOT, name, seconds, OURS, target=TASK_STEP)


def _pink(robot: Any, q: Any, goals: Any, rest: Any) -> Callable[[], Any]:
    import pink
    import pinocchio as pin
    from pink.tasks import FrameTask, PostureTask

    import sixvec as sv

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        sv.save(robot, file)
        model = pin.buildModelFromUrdf(str(file))
    posture = PostureTask(cost=1e-3)
    posture.set_target(rest)
    problems = []
    for at, X in zip(q[:PEER_STEPS], goals[:PEER_STEPS], strict=True):
        frame = FrameTask(FRAME, position_cost=1.0, orientation_cost=1.0)
        frame.set_target(pin.SE3(X[:3, :3], X[:3, 3]))
        problems.append((pink.Configuration(model, model.createData(), at), [frame, posture]))
    return lambda: [pink.solve_ik(c, tasks, DT, solver="daqp") for c, tasks in problems]
