"""Quadratic programs against daqp, and whole steps of tasks against pink and placo, on one core.

daqp, pink and placo solve one problem per call, from arrays and objects that exist already.  placo runs in a process
of another environment, which `make bench` makes beside its own, or that of the interpreter that PLACO_PYTHON names.
The humanoid holds both feet and moves a hand and its centre of mass.  Solutions are compared before anything is timed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ours import set_threads
from result import Row, Target, timing_row
from robots import ROBOTS, robots_folder
from selection import Selection
from targets import PROGRAM_BOX, PROGRAM_ROWS, TASK_CLEARANCE, TASK_HUMANOID, TASK_REST, TASK_SINGLE, TASK_STEP
from timing import Effort, interleaved

SECTION, ROBOT = "tasks", "panda"
OURS, DAQP, PINK, PLACO = "sixvec", "daqp", "pink", "placo"
PLACO_STEPS = 2000
"""In one answer of its process: then the pipe takes no time that matters."""
PROGRAMS, PEER_PROGRAMS, PEER_STEPS = 2000, 400, 20
VARIABLES, ROWS = 7, 10
AGREEMENT = 1e-8
FRAME, DT = "panda_link8", 0.01
HUMANOID, HAND, FEET = "g1", "right_rubber_hand", ("left_ankle_roll_link", "right_ankle_roll_link")
STATES = 256
"""Of the humanoid: a call of more takes so long that others interrupt it."""

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

    kinds = (("step at rest, near", False, False, 1.0), ("step at rest, far", True, False, 1.0),
             ("10 clearances, near", False, True, 1.0), ("10 clearances, far", True, True, 1.0))  # fmt: skip
    for name, far, clear, damping in kinds:
        if selection.wants(SECTION, ROBOT, name):
            try:
                yield _beside_placo(name, far, clear, damping, effort)
            except (ImportError, OSError) as error:
                left_out[f"{PLACO}, {SECTION}"] = f"not installed ({error})"
    if selection.wants(SECTION, ROBOT, "step, one call"):
        try:
            yield _single(effort)
        except (ImportError, OSError) as error:
            left_out[f"{PLACO}, {SECTION}"] = f"not installed ({error})"
    if selection.wants(SECTION, HUMANOID, "step, feet held"):
        try:
            yield _humanoid(effort)
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

    robot, tasks = sv.load(ROBOT), sv.tasks
    q, goals, rest = _near_or_far(robot, effort.batch, far)
    stack = tasks.Stack(robot, tasks.Frame(FRAME), tasks.Posture(rest, weight=1e-3), damping=0.0)
    theirs = _pink(robot, q, goals, rest)
    step = stack(q, {FRAME: goals}, DT)
    if not step:
        return Row(SECTION, ROBOT, name, "x", None, TASK_STEP, note=f"{step}: not timed", failed=True)
    timed = interleaved({OURS: lambda: stack(q, {FRAME: goals}, DT), PINK: theirs}, effort)
    seconds = {OURS: timed[OURS] / len(q), PINK: timed[PINK] / PEER_STEPS}
    return timing_row(SECTION, ROBOT, name, seconds, OURS, target=TASK_STEP)


def _near_or_far(robot: Any, count: int, far: bool) -> tuple[Any, Any, Any]:
    rng, q = np.random.default_rng(0), robot.random(1, count)
    goals = robot.pose(np.clip(q + 0.02 * rng.normal(size=q.shape), robot.lower, robot.upper), FRAME)
    if far:
        goals = np.broadcast_to(robot.pose(robot.random(4), FRAME), goals.shape).copy()
    return q, goals, (robot.lower + robot.upper) / 2.0


@contextmanager
def _placo(robot: Any, q: Any, goals: Any, rest: Any) -> Iterator[tuple[Callable[[], None], Any]]:
    """All steps of placo as a function, and its first steps."""
    import sixvec as sv

    python = os.environ.get("PLACO_PYTHON") or f"{sys.prefix}-placo/bin/python"
    script = Path(__file__).parent.parent / "peers/placo_steps.py"
    with tempfile.TemporaryDirectory() as folder:
        urdf, states = Path(folder) / "robot.urdf", Path(folder) / "states.npz"
        sv.save(robot, urdf)
        np.savez(states, q=q, goals=goals, rest=rest, dt=DT, frame=FRAME, weight=1e-3)
        command, pipe = [python, str(script), str(urdf), str(states)], subprocess.PIPE
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as child:
            assert child.stdin and child.stdout
            lines_in, lines_out = child.stdin, child.stdout
            first = lines_out.readline()
            if not first:
                raise OSError(f"{python} does not run placo")

            def run() -> None:
                lines_in.write("all\n")
                lines_in.flush()
                lines_out.readline()

            yield run, np.array(json.loads(first))
            lines_in.close()


def _ten_obstacles() -> tuple[Any, Any]:
    """A Panda with a sphere around its hand, and ten obstacles: ten rows, whose gaps are part of the step."""
    from dataclasses import replace

    import sixvec as sv
    from sixvec.geometry.rigid_body import Sphere
    from sixvec.model import Geom
    from sixvec.spatial import Pose, Vec3

    rng, world, at = np.random.default_rng(2), sv.World(), np.eye(4)
    hand = Geom(FRAME, Sphere(0.08), Pose.translation(Vec3(0.0, 0.0, 0.08)))
    for k in range(10):
        at[:3, 3] = rng.uniform([-0.8, -0.8, 0.0], [0.8, 0.8, 1.2])
        name = f"obstacle {k}"
        world.sphere(0.06, at, name=name) if k % 2 else world.box((0.1, 0.1, 0.1), at, name=name)
    return sv.Robot(replace(sv.load(ROBOT).model, geoms=(hand,))), world


def _beside_placo(name: str, far: bool, clear: bool, damping: float, effort: Effort) -> Row:
    """Frame, posture, limits, with motions that come to rest; placo without clearance."""
    import sixvec as sv

    robot, world = _ten_obstacles() if clear else (sv.load(ROBOT), None)
    tasks = sv.tasks.Frame(FRAME), sv.tasks.Posture((robot.lower + robot.upper) / 2.0, weight=1e-3)
    stack = sv.tasks.Stack(robot, *tasks, clearance=(world, 0.02) if clear else None, damping=damping)
    plain = sv.tasks.Stack(robot, *tasks, damping=0.0)
    q, goals, rest = _near_or_far(robot, effort.batch, far)
    with _placo(robot, q[:PLACO_STEPS], goals[:PLACO_STEPS], rest) as (theirs, first):
        steps, target = DT * plain(q[: len(first)], {FRAME: goals[: len(first)]}, DT).v, TASK_CLEARANCE
        error = float(np.median(np.abs(steps - first).max(axis=1)))
        if not clear:
            target = TASK_REST
        timed = interleaved({OURS: lambda: stack(q, {FRAME: goals}, DT), PLACO: theirs}, effort)
    seconds = {OURS: timed[OURS] / len(q), PLACO: timed[PLACO] / min(len(q), PLACO_STEPS)}
    return timing_row(SECTION, ROBOT, name, seconds, OURS, target=target, errors={PLACO: error})


def _single(effort: Effort) -> Row:
    """One state in one call, as pink and placo have it; ours with motions that come to rest."""
    import sixvec as sv

    robot = sv.load(ROBOT)
    q, goals, rest = _near_or_far(robot, PEER_STEPS, False)
    stack = sv.tasks.Stack(robot, sv.tasks.Frame(FRAME), sv.tasks.Posture(rest, weight=1e-3))
    states = [(at, {FRAME: goal}) for at, goal in zip(q, goals, strict=True)]

    def ours() -> None:
        for at, goal in states:
            stack(at, goal, DT)

    repeats = PLACO_STEPS // PEER_STEPS
    with _placo(robot, np.tile(q, (repeats, 1)), np.tile(goals, (repeats, 1, 1)), rest) as (theirs, _):
        timed = interleaved({OURS: ours, PINK: _pink(robot, q, goals, rest), PLACO: theirs}, effort)
    seconds = {name: x / (PLACO_STEPS if name == PLACO else PEER_STEPS) for name, x in timed.items()}
    return timing_row(SECTION, ROBOT, "step, one call", seconds, OURS, target=TASK_SINGLE)


def _humanoid(effort: Effort) -> Row:
    """Two feet held, a hand, the centre of mass, the posture, limits."""
    import sixvec as sv

    file = robots_folder() / next(r.path for r in ROBOTS if r.name == HUMANOID)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its meshes are not convex
        robot = sv.load(file, floating=True)
    rng, tasks = np.random.default_rng(0), sv.tasks
    rest, places = robot.neutral(), robot.model.q_slices
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            rest[places[next(b for b in places if b.startswith(f"{side}_{joint}"))]] = angle
    q = robot.integrate(np.tile(rest, (STATES, 1)), 0.02 * rng.normal(size=(STATES, robot.nv)))
    goals, centres = robot.pose(q, HAND), robot.center_of_mass(q) + 0.002 * rng.normal(size=(STATES, 3))
    goals[:, :3, 3] += 0.01 * rng.normal(size=(STATES, 3))
    stack = tasks.Stack(
        robot, *map(tasks.Held, FEET), tasks.Frame(HAND, gain=0.5), tasks.CenterOfMass(weight=10.0),
        tasks.Posture(rest, weight=0.1), damping=0.0,
    )  # fmt: skip
    targets = {HAND: goals, "com": centres}
    step = stack(q, targets, DT)
    if not step:
        return Row(
            SECTION, HUMANOID, "step, feet held", "x", None, TASK_HUMANOID, note=f"{step}: not timed", failed=True
        )
    theirs = _pink_humanoid(robot, file, q, goals, centres, rest)
    timed = interleaved({OURS: lambda: stack(q, targets, DT), PINK: theirs}, effort)
    seconds = {OURS: timed[OURS] / STATES, PINK: timed[PINK] / PEER_STEPS}
    return timing_row(SECTION, HUMANOID, "step, feet held", seconds, OURS, target=TASK_HUMANOID)


def _pink_humanoid(robot: Any, file: Path, q: Any, goals: Any, centres: Any, rest: Any) -> Callable[[], Any]:
    """The same with feet as tasks of a large weight; kinematics of the state are part of a step, as in ours."""
    import pink
    import pinocchio as pin
    from pink.tasks import ComTask, FrameTask, PostureTask

    import sixvec as sv

    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    posture = PostureTask(cost=0.1)
    posture.set_target(sv.convert(rest, robot, to="pinocchio"))
    problems = []
    for at, X, centre in zip(q[:PEER_STEPS], goals, centres, strict=False):
        state = sv.convert(at, robot, to="pinocchio")
        configuration = pink.Configuration(model, model.createData(), state)
        feet = [FrameTask(foot, 1e3, 1e3) for foot in FEET]
        for foot in feet:
            foot.set_target_from_configuration(configuration)
        hand, com = FrameTask(HAND, 1.0, 1.0, gain=0.5), ComTask(10.0)
        hand.set_target(pin.SE3(X[:3, :3], X[:3, 3]))
        com.set_target(centre)
        problems.append((configuration, state, [*feet, hand, com, posture]))

    def run() -> None:
        for configuration, state, tasks in problems:
            configuration.update(state)
            pink.solve_ik(configuration, tasks, DT, solver=DAQP)

    return run


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
