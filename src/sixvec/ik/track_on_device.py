"""Paths on a CUDA device: all poses of all paths in one launch; paths that are lost on the way are tracked on the CPU.

A path's solutions do not depend on other paths, so both have the bits of the CPU.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from sixvec.arguments import common_batch, require_shape
from sixvec.arguments.binding import bound
from sixvec.compiler.runtime.cuda import cupy
from sixvec.ik.follow import follow
from sixvec.ik.inputs import (
    as_position,
    checked_settings,
    require_limits,
    require_solvable,
    tolerances_of,
)
from sixvec.ik.on_device import device_poses
from sixvec.ik.task import PoseTask
from sixvec.ik.track import LEAP, OPTIONS, Track, jumps, separated, track
from sixvec.model.coordinate_names import coordinate_names
from sixvec.robot import Robot
from sixvec.verdict import Verdict


def track_on_device(robot: Robot, q0: Any, poses: Any, frame: str, **options: Any) -> Track:
    """As `sixvec.ik.track`, on arrays of CuPy; all of the result except names is on the device."""
    chosen = bound("track", OPTIONS, named=options, also=("q0", "poses", "frame"))
    robot.model.frame(frame)
    require_solvable(robot)
    require_limits(robot, robot.lower, robot.upper)
    tolerances = tolerances_of(robot, checked_settings(chosen["tolerance"]))
    targets = device_poses(robot, PoseTask(frame), poses)
    require_shape("track: the path", targets, "n", 4, 4)
    xp = cupy()
    given = as_position(robot, xp.asnumpy(q0))
    leads = [given.shape[:-1], targets.shape[:-3]]
    batch = common_batch("track", leads, ["q0", "the paths"], [given.shape, targets.shape])
    n, count = targets.shape[-3], math.prod(batch)
    targets = xp.broadcast_to(targets, (*batch, n, 4, 4)).reshape(count, n, 4, 4)
    start = np.clip(np.broadcast_to(given, (*batch, robot.nq)).reshape(count, robot.nq), robot.lower, robot.upper)
    found = _followed(robot, frame, xp.asarray(start), targets, tolerances) if n * count else None
    lost = np.arange(count) if found is None else xp.asnumpy(xp.flatnonzero(found.switched.any(axis=1)))
    if found is None or lost.size:
        rest = track(robot, start[lost], xp.asnumpy(targets[xp.asarray(lost)]), frame, **chosen)
        found = _with_rows(found, lost, rest)
    shape = (*batch, n)
    parts = {f.name: getattr(found, f.name) for f in fields(found)}
    whole = {k: x.reshape(*shape, *x.shape[2:]) for k, x in parts.items() if isinstance(x, xp.ndarray)}
    return Track(**parts | whole)


def _followed(robot: Robot, frame: str, start: Any, targets: Any, tolerances: Any) -> Track:
    """All paths in one loop.  Poses at which the CPU would not simply go on are marked in `switched`."""
    xp = cupy()
    rows, (place, turn) = separated(targets, xp), map(float, tolerances)
    drift = xp.zeros((len(start), robot.nv))
    q, position, rotation = follow(robot, frame, start, drift, rows, xp)
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


def _with_rows(found: Track | None, rows: Any, rest: Track) -> Track:
    """The result with some paths replaced by those of the CPU, or these alone."""
    xp = cupy()
    parts = {f.name: getattr(rest, f.name) for f in fields(rest)}
    arrays = {k: xp.asarray(x) for k, x in parts.items() if isinstance(x, np.ndarray)}
    if found is None:
        return Track(**parts | arrays)
    for name, x in arrays.items():
        getattr(found, name)[xp.asarray(rows)] = x
    return found
