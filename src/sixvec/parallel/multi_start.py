"""Poses from many starts, where a closed form or the paths leave the set of poses in doubt, and self-motions.

Where an elimination degenerates (circles or spheres with one centre, pivots on one line, double roots) its roots are
not the poses.  Newton's iteration needs no elimination; its poses are true, but possibly not all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sixvec.arguments import Array
from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.families import Parallel321
from sixvec.parallel.forward_position import near
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.pivot_spheres import spheres
from sixvec.parallel.rod_lines import orientation, relative_least, unit_lines
from sixvec.parallel.singularity import label_321
from sixvec.parallel.space import Planar, Spherical, Translational
from sixvec.tolerances import ROUNDING

STARTS = 64
"""Random poses from which closing the legs is tried."""

SINGULAR = 1e-5
"""Least singular value of the rods' lines, relative, at a double root: the root of the error of its pose."""

SAME, SAME_DOUBLE = 1e-7, 1e-3
"""Poses nearer than the first, in sizes of the platform, are the same; singular ones nearer than the second."""

STEP = 0.02
"""Step along a gained motion, in sizes of the platform: legs that close again after it close along a curve."""

WITNESSES = 4
"""Singular poses at which a self-motion is tried."""


def searched(robot: ParallelRobot, q: Array, tolerance: float = ROUNDING) -> tuple[Array, Array, Array]:
    """Poses (k, STARTS, …) for q (k, n), which of them close, and their errors."""
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(q))
    start = np.stack([_starts(robot, c, r) for c, r in zip(centre, radius, strict=True)])
    ends = near(robot, np.broadcast_to(q[:, None], (len(q), STARTS, robot.n)), start, tolerance, 100)
    pose = ends.pose.copy()
    if isinstance(robot.space, Planar):
        pose[..., 2] = (pose[..., 2] + np.pi) % (2.0 * np.pi) - np.pi
    return pose, ends.solved, ends.residual


def _starts(robot: ParallelRobot, centre: Array, radius: Array) -> Array:
    """Poses in the reach of the legs, the same for the same lengths."""
    rng = np.random.default_rng(11)
    middle, inner = centre.mean(axis=0), robot.platform.mean(axis=0)
    offset = rng.normal(size=(STARTS, 3)) * 0.5 * (radius.max() + robot.size)
    if isinstance(robot.space, Translational):
        return np.asarray(middle - inner + offset)
    if isinstance(robot.space, Planar):
        angle = rng.uniform(-np.pi, np.pi, STARTS)
        return np.column_stack([middle[:2] + offset[:, :2], angle])
    turns = np.linalg.qr(rng.normal(size=(STARTS, 3, 3)))[0]
    if isinstance(robot.space, Spherical):
        return np.asarray(turns * np.linalg.det(turns)[:, None, None])
    X = np.tile(np.eye(4), (STARTS, 1, 1))
    X[:, :3, :3] = turns * np.linalg.det(turns)[:, None, None]
    X[:, :3, 3] = middle + offset - X[:, :3, :3] @ inner
    return X


def completed(
    robot: ParallelRobot, q: Array, modes: AssemblyModes, place: Callable[[Array], Array] | None = None
) -> AssemblyModes:
    """The result with the poses of a search added where it is uncertain, and self-motions recognised there.

    `place` converts poses of the search to those of the result.
    """
    if np.all(modes.certified):
        return modes
    batch, flat = q.shape[:-1], q.reshape(-1, robot.n)
    radius = np.asarray(spheres(robot.legs)(flat)[1])
    sure, moves = (np.array(x, bool).reshape(-1) for x in (modes.certified, modes.self_motion))
    with np.errstate(invalid="ignore"):
        unsure = ~sure & ~moves & np.isfinite(flat).all(axis=-1) & (radius > 0.0).all(axis=-1)
    if isinstance(robot, Parallel321):  # what it has was computed in sixty digits
        unsure &= np.reshape(modes.count, -1) == 0
    open_ = np.flatnonzero(unsure)
    if not len(open_):
        return modes
    inner = modes.poses.shape[len(batch) + 1 :]
    count, worst = (np.array(x).reshape(-1) for x in (modes.count, modes.residual))
    poses = np.asarray(modes.poses).reshape(len(flat), -1, *inner)
    names = np.array(modes.labels, object).reshape(len(flat), -1)
    lists = {}
    for k, new, solved, error in zip(open_, *searched(robot, flat[open_]), strict=True):
        together = np.concatenate([poses[k, : count[k]], new[solved]])
        errors = np.concatenate([np.full(count[k], worst[k]), error[solved]])
        labels = np.concatenate([names[k, : count[k]], label(robot, flat[k], new[solved])])
        values, lines = _lines(robot, flat[k], together)
        moves[k] = is_self_motion(robot, flat[k], together, values, lines)
        chosen = np.zeros(0, int) if moves[k] else _distinct(robot, together, values)
        lists[int(k)] = together[chosen] if place is None else place(together[chosen]), labels[chosen], errors[chosen]
        count[k] = len(chosen)
    most = int(count.max(initial=0))
    slots, slot_names = np.full((len(flat), most, *inner), np.nan), np.full((len(flat), most), "", object)
    residual, valid = np.zeros((len(flat), most)), np.arange(most) < count[:, None]
    old = min(most, poses.shape[1])
    slots[:, :old], slot_names[:, :old], residual[:, :old] = poses[:, :old], names[:, :old], worst[:, None]
    for row, (pose, name, error) in lists.items():
        n = len(pose)
        slots[row, :n], slot_names[row, :n], residual[row, :n] = pose, name, error
    complete = gathered(
        slots.reshape(*batch, most, *inner), valid.reshape(*batch, most), slot_names.reshape(*batch, most),
        residual.reshape(*batch, most), np.maximum(modes.complex_count, count.reshape(batch)),
        sure.reshape(batch), moves.reshape(batch), modes.complex_margin,
    )  # fmt: skip
    return complete if batch else replace(complete, complex_count=int(complete.complex_count))


def is_self_motion(robot: ParallelRobot, q: Array, poses: Array, values: Array, lines: Array) -> bool:
    """Whether the platform moves from one of the poses with its legs locked.

    After a step along a gained twist the legs close again nearby at another singular pose; a double root is reached
    again itself.
    """
    length = robot.size
    scale = np.array([1.0] * robot.space.turns + [length] * (robot.space.freedoms - robot.space.turns))
    for k in np.flatnonzero((values < SINGULAR) & np.isfinite(lines).all(axis=(-1, -2)))[:WITNESSES]:
        _, s, Vt = np.linalg.svd(lines[k])
        gained = Vt[(s < SINGULAR * s[0]).argmax() :] * scale
        here = robot.space.checked(poses[k], "pose")
        steps = [np.asarray(robot.space.moved(here.tolist(), (f * STEP * t).tolist())) for t in gained for f in (1, -1)]
        ends = near(robot, np.broadcast_to(q, (len(steps), robot.n)), np.stack(steps), ROUNDING, 100)
        closed = ends.pose[ends.solved]
        apart = _gaps(robot, closed, poses[k])
        singular = _lines(robot, q, closed)[0] < SINGULAR
        if (singular & (apart > 0.25 * STEP) & (apart < 4.0 * STEP)).any():
            return True
    return False


def _lines(robot: ParallelRobot, q: Array, poses: Array) -> tuple[Array, Array]:
    """Least singular value, relative, of the unit forces along the rods at poses, moments by the size; and those."""
    centre = np.asarray(spheres(robot.legs)(q)[0])
    rows = unit_lines(robot, robot.space.checked(poses, "poses"), centre)
    return relative_least(rows, robot.leverage), rows


def _gaps(robot: ParallelRobot, poses: Array, other: Array) -> Array:
    """Largest difference of poses, positions in sizes of the platform."""
    gap = np.abs(poses - other)
    if isinstance(robot.space, Planar):
        turn = np.minimum(gap[..., 2], 2.0 * np.pi - gap[..., 2])
        return np.asarray(np.maximum(gap[..., :2].max(axis=-1) / robot.size, turn))
    turn = gap[..., :3, :3].max(axis=(-1, -2))
    if robot.space.only_turns:
        return np.asarray(turn)
    return np.asarray(np.maximum(turn, gap[..., :3, 3].max(axis=-1) / robot.size))


def _distinct(robot: ParallelRobot, poses: Array, values: Array) -> Array:
    """Indices of the poses that repeat no earlier one."""
    chosen: list[int] = []
    for k, pose in enumerate(poses):
        gap = _gaps(robot, poses[chosen], pose) if chosen else np.zeros(0)
        if not (gap < np.where(np.minimum(values[chosen], values[k]) < SINGULAR, SAME_DOUBLE, SAME)).any():
            chosen.append(k)
    return np.array(chosen, int)


def label(robot: ParallelRobot, q: Array, poses: Array) -> Array:
    """The names that the closed forms and paths give to poses of one sample."""
    centre = np.asarray(spheres(robot.legs)(q)[0])
    if isinstance(robot, Parallel321):
        return label_321(robot, poses)
    if isinstance(robot.space, Translational):
        middle = (centre - robot.platform).mean(axis=0)[2]
        return np.where(poses[:, 2, 3] > middle, "up", "down").astype(object)
    return np.where(orientation(robot, poses, centre) > 0.0, "+", "-").astype(object)
