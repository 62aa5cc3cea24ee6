"""Closed-form inverse kinematics of the UR5e, all solutions: ours against EAIK."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from contender import Unavailable
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from state import Array
from targets import CLOSED_FORM_MICROSECONDS, CLOSED_FORM_SINGLE
from timing import Effort, interleaved, sweep

SECTION = "closed_form"
OURS, EAIK = "sixvec", "EAIK"
ROBOT, FRAME = "ur5e", "tool0"

SAME = 1e-6
"""Radians between solutions of both libraries that are the same."""

CHECKED = 64


class Arm:
    """The UR5e in both libraries, and poses that it reaches."""

    def __init__(self, count: int) -> None:
        import sixvec as sv
        from sixvec.ik.closed_form import SerialChain, closed_form

        robot = sv.load(ROBOT)
        self.solver = closed_form(robot, FRAME)
        self.q = robot.random(np.random.default_rng(1), count)
        self.poses = np.ascontiguousarray(robot.pose(self.q, FRAME))
        self.eaik, self.missing = None, ""
        try:
            from eaik.IK_HP import HPRobot
        except ImportError as error:
            self.missing = f"not installed ({error})"
            return
        # EAIK takes axes and offsets at q = 0, and the orientation of the last joint, not of the tool.
        chain = SerialChain.of(robot.model, FRAME)
        points = np.vstack([chain.points, chain.tool_pos])
        self.eaik = HPRobot(np.asarray(chain.axes), np.vstack([points[:1], np.diff(points, axis=0)]))
        self.turned = self.poses.copy()
        self.turned[:, :3, :3] = self.poses[:, :3, :3] @ np.asarray(chain.tool_rot).T

    def ours(self, pose: Array) -> Any:
        """Positions, and which of them reach the pose."""
        found = self.solver(pose)
        return found.q, found.valid

    def theirs(self, pose: Array) -> Any:
        """Positions, and which of them only come near."""
        found = self.eaik.IK(pose)  # type: ignore[union-attr]
        return found.Q, found.is_LS

    def difference(self) -> float:
        """The largest angle between the nearest solutions of both; infinite where their numbers differ."""
        worst = 0.0
        for pose, turned in zip(self.poses[:CHECKED], self.turned[:CHECKED], strict=True):
            q, valid = self.ours(pose)
            Q, near = self.theirs(turned)
            mine, other = q[valid], np.asarray(Q)[~np.asarray(near, bool)]
            if len(mine) != len(other):
                return np.inf
            gaps = _angles(mine[:, None] - other[None]).max(-1)
            worst = max(worst, gaps.min(0).max(), gaps.min(1).max())
        return worst

    def own_found(self) -> float:
        """The share of poses among whose solutions is the position that the pose was made from."""
        found = self.solver(self.poses)
        gaps = np.where(found.valid, _angles(found.q - self.q[:, None]).max(-1), np.inf)
        return float((gaps.min(-1) < SAME).mean())


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    """Single calls, with and without looking at the answer, and a batch; each also against EAIK."""
    wanted = [name for name in ("single", "single, answer read", "batch") if selection.wants(SECTION, ROBOT, name)]
    if not wanted:
        return
    set_threads(1)
    try:
        arm = Arm(effort.batch)
    except (Unavailable, ImportError) as error:
        left_out[f"{OURS}, {SECTION}"] = repr(error)
        return
    if (share := arm.own_found()) < 1.0:
        note = f"a known solution is missing in {100 * (1 - share):.2g} % of the poses: not timed"
        yield Row(SECTION, ROBOT, "batch", "us", None, CLOSED_FORM_MICROSECONDS, note=note, failed=True)
        return
    errors = dict[str, float]()
    if arm.eaik is None:
        left_out[f"{EAIK}, {SECTION}"] = arm.missing
    elif (difference := arm.difference()) > SAME:
        left_out[f"{EAIK}, {SECTION}"] = f"solutions differ by {difference:.1e} rad"
        arm.eaik = None
    else:
        errors[EAIK] = difference
    for name in wanted:
        if name == "batch":
            yield from _batch(arm, effort, errors)
        else:
            yield _single(arm, effort, name, errors)


def _single(arm: Arm, effort: Effort, name: str, errors: dict[str, float]) -> Row:
    read = name != "single"
    candidates = {OURS: sweep(arm.ours if read else arm.solver, [(x,) for x in arm.poses[: effort.pool]])}
    if arm.eaik is not None:
        turned = [(x,) for x in arm.turned[: effort.pool]]
        candidates[EAIK] = sweep(arm.theirs if read else arm.eaik.IK, turned)
    seconds = {who: each / effort.pool for who, each in interleaved(candidates, effort).items()}
    return timing_row(SECTION, ROBOT, name, seconds, OURS, target=CLOSED_FORM_SINGLE, errors=errors)


def _batch(arm: Arm, effort: Effort, errors: dict[str, float]) -> Iterator[Row]:
    candidates: dict[str, Callable[[], object]] = {OURS: lambda: arm.ours(arm.poses)}
    if arm.eaik is not None:
        eaik, turned = arm.eaik, list(arm.turned)
        candidates[EAIK] = lambda: [(x.Q, x.is_LS) for x in eaik.IK_batched(turned, 1)]
    seconds = {who: each / len(arm.poses) for who, each in interleaved(candidates, effort).items()}
    yield timing_row(SECTION, ROBOT, "batch", seconds, OURS, errors=errors)
    note = f"{arm.solver.solutions} solutions a pose, {len(arm.poses)} poses in one call"
    yield Row(SECTION, ROBOT, "batch", "us", 1e6 * seconds[OURS], CLOSED_FORM_MICROSECONDS, note=note)


def _angles(x: Array) -> Array:
    return np.abs(np.remainder(x + np.pi, 2 * np.pi) - np.pi)
