"""Following a path: each pose is solved from the one before in one compiled loop; if that fails, a search follows."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, require_shape
from sixvec.ik.choose import ik
from sixvec.ik.follow import follow, slowly
from sixvec.ik.inputs import (
    as_position,
    as_target,
    checked_settings,
    require_limits,
    require_solvable,
    tolerances_of,
)
from sixvec.ik.machine import Machine, machine_of
from sixvec.ik.problem import LARGEST, Problem
from sixvec.ik.search import one_start
from sixvec.ik.solution import Solution, with_batch
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.tasks.frame import Frame
from sixvec.verdict import Verdict

Mask = NDArray[np.bool_]

LEAP = 0.5
"""Change of a joint between neighbouring poses, in radians or metres, that is examined although it was solved."""

NEARBY, SPREAD = 16, 0.3
"""Starts around the last position if a path is lost, and their standard deviation in radians or metres."""

WINDOW = 16
"""Poses followed at once after a path was lost; doubled after each success."""


@dataclass(frozen=True, eq=False)
class Track(Solution):
    """A solution for each pose of a path, (..., n), and its continuity."""

    jump: Array = field(default_factory=lambda: np.empty(0))
    """(..., n): the largest change of a coordinate of v since the pose before, or since `q0`, rad or m."""
    switched: Mask = field(default_factory=lambda: np.empty(0, bool))
    """(..., n): no continuous motion was found from the solution before, even in finer steps: another branch begins."""

    @property
    def max_jump(self) -> float:
        """The largest jump of all, zero for an empty path."""
        finite = self.jump[abs(self.jump) < np.inf]
        return float(finite.max()) if len(finite) else 0.0

    @property
    def switches(self) -> list[tuple[int, ...]]:
        """Indices of `q` where branches begin."""
        return [tuple(int(i) for i in at) for at in np.argwhere(self.switched.tolist())]

    def __str__(self) -> str:
        n = int(self.switched.sum())
        switches = "no branch switch" if n == 0 else f"{n} branch switch{'es' * (n > 1)}"
        return f"{super().__str__()}, {switches}, largest jump {self.max_jump:.2g}"


def track(
    robot: Robot,
    q0: ArrayLike,
    poses: ArrayLike,
    frame: str,
    *,
    tolerance: float | tuple[float, float] = 1e-6,
    search: bool = True,
) -> Track:
    """Joint positions (..., n, nq) that take a frame along the poses (..., n, 4, 4), starting near `q0`.

    Each pose is solved from the solution of the one before with a fixed number of steps, so neighbouring poses have
    neighbouring answers; joints stay within their limits.  A non-redundant arm continues its motion smoothly, so
    it passes singularities, where branches meet, on the smooth branch.  If that fails, the motion to the pose is
    tried in finer steps; then, unless `search=False`, nearby and distant starts are tried, and the solution nearest to
    the last is returned and marked in `Track.switched`.  Where a pose cannot be reached, the verdict gives the reason,
    the robot keeps its last position, and tracking resumes from there at the next reachable pose.  Loops of the robot
    are closed to 1e-9 wherever a pose is solved.  `tolerance` is that of `solve`.

    >>> import numpy, sixvec
    >>> from sixvec.ik import track
    >>> robot = sixvec.load("panda")
    >>> q0 = robot.random(0)
    >>> path = numpy.repeat(robot.pose(q0, "panda_link8")[None], 50, axis=0)
    >>> path[:, 0, 3] += numpy.linspace(0.0, 0.05, 50)
    >>> answer = track(robot, q0, path, "panda_link8")
    >>> print(answer, answer.q.shape)
    50 solved, no branch switch, largest jump 0.01 (50, 7)
    """
    robot.model.frame(frame)
    require_solvable(robot)
    require_limits(robot, robot.lower, robot.upper)
    tolerances = tolerances_of(robot, checked_settings(tolerance))
    machine = machine_of(q0, poses)
    xp, targets = machine.xp, as_target(robot, Frame(frame), poses, "track: poses", machine)
    require_shape("track: the path", targets, "n", 4, 4)
    start = as_position(robot, machine.host(q0))
    leads = [start.shape[:-1], targets.shape[:-3]]
    batch = common_batch("track", leads, ["q0", "the paths"], [start.shape, targets.shape])
    n, count = targets.shape[-3], int(np.prod(batch))
    rows = separated(xp.broadcast_to(targets, (*batch, n, 4, 4)).reshape(count, n, 4, 4), xp)
    start = np.clip(np.broadcast_to(start, (*batch, robot.nq)).reshape(count, robot.nq), robot.lower, robot.upper)
    if not machine.is_device:
        return with_batch(_walked(robot, frame, rows, start, tolerances, search), (*batch, n))
    paths = _followed(robot, frame, machine.send(start), rows, tolerances, machine) if n * count else None
    lost = np.arange(count) if paths is None else machine.host(xp.flatnonzero(paths.switched.any(axis=1)))
    if paths is None or lost.size:  # paths that are lost on the way are tracked on the CPU
        again = _walked(robot, frame, machine.host(rows[machine.send(lost)]), start[lost], tolerances, search)
        paths = machine.sent(again) if paths is None else machine.with_rows(paths, machine.send(lost), again)
    return with_batch(paths, (*batch, n))


OPTIONS = {p.name: p.default for p in inspect.signature(track).parameters.values() if p.kind is p.KEYWORD_ONLY}
"""Further options of `track`."""


def separated(poses: Any, xp: Any = np) -> Any:
    """Poses in which a single NaN makes all entries NaN, so that no step is made towards them.

    The last row is a constant that no step uses, but a NaN there would still propagate to the position.
    """
    poses = poses.copy()
    poses[~(xp.abs(poses) < LARGEST).all(axis=(-2, -1)), :3] = np.nan
    poses[..., 3, :] = xp.asarray([0.0, 0.0, 0.0, 1.0])
    return poses


def jumps(robot: Robot, start: Any, q: Any, xp: Any = np) -> Any:
    """(rows, n): the largest change of a joint since the pose before, or since `start`."""
    before = xp.concatenate([start[:, None], q], axis=1)[:, :-1]
    return xp.abs(robot.difference(before, q)).max(axis=-1)


def _followed(robot: Robot, frame: str, start: Any, rows: Any, tolerances: Array, machine: Machine) -> Track:
    """All paths in one loop.  Poses at which the CPU would not simply go on are marked in `switched`."""
    xp, (place, turn) = machine.xp, map(float, tolerances)
    q, position, rotation = follow(robot, frame, start, xp.zeros((len(start), robot.nv)), rows, machine)
    is_number = xp.isfinite(position + rotation)
    reached = (position < place) & (rotation < turn)
    jump = jumps(robot, start, q, xp)
    verdict = xp.where(reached, int(Verdict.SOLVED), int(Verdict.INVALID)).astype("int8")
    shape = verdict.shape
    return Track(
        q=q, verdict=verdict, position_error=position, rotation_error=rotation, joint=xp.full(shape, -1),
        starts=xp.ones(shape, "int64"), names=coordinate_names(robot.model, "q"), jump=jump,
        switched=is_number & (~reached | (jump > LEAP)),
    )  # fmt: skip


def _walked(robot: Robot, frame: str, rows: Array, start: Array, tolerances: Array, search: bool) -> Track:
    """Paths (count, n, 4, 4) on the CPU."""
    walk = _Walk(robot, frame, rows, start, tolerances, search)
    walk.run()
    return walk.answer()


class _Walk:
    """Paths (count, n) in progress: the next pose of each, and its current position."""

    def __init__(self, robot: Robot, frame: str, targets: Array, start: Array, tolerances: Array, search: bool) -> None:
        self.robot, self.frame, self.targets, self.tolerances, self.search = robot, frame, targets, tolerances, search
        count, n = targets.shape[:2]
        self.start, self.here, self.done = start, start.copy(), np.zeros(count, np.int64)
        self.drift = np.zeros((count, robot.nv))
        self.q = np.zeros((count, n, robot.nq))
        self.position, self.rotation = np.full((count, n), np.nan), np.full((count, n), np.nan)
        self.verdict = np.full((count, n), Verdict.INVALID, np.int8)
        self.joint, self.starts = np.full((count, n), -1), np.ones((count, n), np.int64)
        self.switched = np.zeros((count, n), bool)

    def run(self) -> None:
        """Windows of poses until all paths end; each window advances each path by at least one pose."""
        n = self.targets.shape[1]
        length = n
        for _ in range(n):
            rows = np.flatnonzero(self.done < n)
            if not rows.size:
                return
            length = min(length, n)
            lost = self._window(rows, length)
            length = WINDOW if lost else 2 * length

    def _window(self, rows: NDArray[np.int64], length: int) -> bool:
        """Follow paths for some poses; whether one of them was lost."""
        n = self.targets.shape[1]
        at = self.done[rows, None] + np.arange(length)
        inside = at < n
        targets = self.targets[rows[:, None], np.minimum(at, n - 1)]
        q, position, rotation = follow(self.robot, self.frame, self.here[rows], self.drift[rows], targets)
        is_number = np.isfinite(position + rotation)
        reached = (position < self.tolerances[0]) & (rotation < self.tolerances[1])
        leaps = jumps(self.robot, self.here[rows], q) > LEAP
        suspect = inside & is_number & (~reached | leaps)
        verdict = np.where(reached, Verdict.SOLVED, np.where(is_number, Verdict.NOT_CONVERGED, Verdict.INVALID))
        joint = np.full(verdict.shape, -1)
        unsolved = suspect & ~reached
        if unsolved.any():
            # Which poses can be reached, and if not, the reason: one search for all of them.
            solution = self._ik(targets[unsolved], q[unsolved])
            verdict[unsolved] = np.where(solution.solved, Verdict.NOT_CONVERGED, solution.verdict)
            joint[unsolved] = solution.joint
        lost = suspect & (reached | (verdict == Verdict.NOT_CONVERGED))
        stop = np.where(lost.any(axis=1), lost.argmax(axis=1), length)
        keep = inside & (np.arange(length) < stop[:, None])
        row, column = np.broadcast_to(rows[:, None], at.shape)[keep], at[keep]
        self.q[row, column], self.verdict[row, column], self.joint[row, column] = q[keep], verdict[keep], joint[keep]
        self.position[row, column], self.rotation[row, column] = position[keep], rotation[keep]
        before = np.where((stop > 0)[:, None], q[np.arange(rows.size), np.maximum(stop, 1) - 1], self.here[rows])
        earlier = np.where((stop > 1)[:, None], q[np.arange(rows.size), np.maximum(stop, 2) - 2], self.here[rows])
        self.drift[rows] = np.where((stop > 0)[:, None], self.robot.difference(earlier, before), self.drift[rows])
        self.here[rows], self.done[rows] = before, np.minimum(self.done[rows] + stop, n)
        again = np.flatnonzero(lost.any(axis=1))
        if again.size:
            self._recover(rows[again], q[again, stop[again]], reached[again, stop[again]])
        return bool(again.size)

    def _recover(self, rows: NDArray[np.int64], continued: Array, is_own: Mask) -> None:
        """One pose of each path, where the steps failed: finer steps, then a search; the nearest solution is used."""
        at, before = self.done[rows], self.here[rows]
        target = self.targets[rows, at]
        q, position, rotation = slowly(self.robot, self.frame, before, self.drift[rows], target)
        solved = (position < self.tolerances[0]) & (rotation < self.tolerances[1])
        chosen = np.where(solved[:, None], q, continued)
        rest = np.flatnonzero(~solved)
        if rest.size and self.search:
            searched, found_again = self._searched(target[rest], before[rest], continued[rest], is_own[rest])
            chosen[rest] = np.where(found_again[:, None], searched, continued[rest])
            solved[rest], self.switched[rows[rest], at[rest]] = found_again, found_again
            self.starts[rows[rest], at[rest]] += NEARBY + 1
        elif rest.size:
            solved[rest], self.switched[rows[rest], at[rest]] = is_own[rest], is_own[rest]
        part = Problem.of(self.robot, {Frame(self.frame): target})
        self.position[rows, at], self.rotation[rows, at], *_ = part.remaining(chosen)
        self.verdict[rows, at] = np.where(solved, Verdict.SOLVED, Verdict.NOT_CONVERGED)
        self.q[rows, at] = self.here[rows] = chosen
        near = ~self.switched[rows, at] & (jumps(self.robot, before, chosen[:, None])[:, 0] < LEAP)
        self.drift[rows] = np.where(near[:, None], self.robot.difference(before, chosen), 0.0)
        self.done[rows] += 1

    def _searched(self, target: Array, before: Array, continued: Array, is_own: Mask) -> tuple[Array, Mask]:
        """The nearest solution from nearby starts, closed forms and the full search, and whether there is one.

        The starts nearby are the same for all, so that a path's solutions do not depend on other paths.
        """
        robot = self.robot
        nudges = np.random.default_rng(0).normal(0.0, SPREAD, (NEARBY, robot.nv))
        starts = np.asarray(robot.integrate(before[:, None], nudges), np.float64)
        problem = Problem.of(robot, {Frame(self.frame): np.repeat(target[:, None], NEARBY, axis=1)})
        q, solved = one_start(problem, problem.rows(starts), self.tolerances)
        everywhere = self._ik(target, before)
        shape = (len(before), NEARBY)
        answers = np.concatenate([q.reshape(*shape, robot.nq), everywhere.q[:, None], continued[:, None]], axis=1)
        usable = np.concatenate([solved.reshape(shape), everywhere.solved[:, None], is_own[:, None]], axis=1)
        gaps = np.abs(robot.difference(before[:, None], answers)).max(axis=-1)
        best = np.where(usable, gaps, np.inf).argmin(axis=1)
        return answers[np.arange(len(before)), best], np.asarray(usable.any(axis=1))

    def _ik(self, target: Array, q0: Array) -> Solution:
        place, turn = map(float, self.tolerances)
        return ik(self.robot, target, self.frame, q0=q0, tolerance=(turn, place))

    def answer(self) -> Track:
        return Track(
            q=self.q, verdict=self.verdict, position_error=self.position, rotation_error=self.rotation,
            joint=self.joint, starts=self.starts, names=coordinate_names(self.robot.model, "q"),
            jump=jumps(self.robot, self.start, self.q), switched=self.switched,
        )  # fmt: skip
