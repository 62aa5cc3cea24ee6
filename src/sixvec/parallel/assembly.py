"""The method for all assembly modes of a design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import DegenerateError, ShapeError
from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.closed_forms import assembly_321, assembly_delta, assembly_planar
from sixvec.parallel.extra_legs import consistent_modes
from sixvec.parallel.families import Parallel321
from sixvec.parallel.homotopy import assembly_general
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.multi_start import completed, searched
from sixvec.parallel.pivot_spheres import never_closed, spheres
from sixvec.parallel.rod_lines import orientation, relative_least, steady, unit_lines
from sixvec.parallel.space import Planar, Spherical, Translational
from sixvec.parallel.special_platforms import (
    CANDIDATES,
    collinear_poses,
    five_collinear,
    similar_poses,
    similarity,
)
from sixvec.parallel.spherical import assembly_spherical
from sixvec.parallel.start_system import repeated
from sixvec.verdict import Verdict


def assembly_modes(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """All poses for actuator positions, in closed form if the design has one; where that is uncertain, by a search.

    They are computed in the robot's normal form, and returned between the user's frames.
    """
    if robot.n > robot.space.freedoms:
        if q.ndim > 1:
            raise ShapeError(
                f"assembly_modes of {robot.n} legs, more than freedoms, takes one sample (n); q has shape {q.shape}"
            )
        return consistent_modes(robot, q, assembly_modes)
    form = robot.normal
    here, positions = form.robot, form.positions(q)
    if isinstance(here, Parallel321) and here.has_tetrahedron:
        modes = completed(here, positions, assembly_321(form, positions), form.user_pose)
        poses = modes.poses
    else:
        modes = completed(here, positions, _modes(here, positions))
        poses = robot.space.as_user_pose(form.user_pose(here.space.entries(modes.poses)))
        if not robot.space.turns:  # unused slots
            poses = np.where(np.isnan(modes.poses), np.nan, poses)
    residual = modes.residual / form.scale
    least = np.array([-leg.offset if leg.kind == "UPS" else -np.inf for leg in robot.legs])
    positive = (q > least) & (q < np.inf)
    certified = modes.certified & positive.all(axis=-1)
    modes = replace(modes, poses=poses, residual=residual, certified=certified[()], q=q, mechanism=robot)
    if positive.all() and np.all(modes.count):
        none = np.broadcast_to(np.int64(-1), np.shape(modes.count))
        return replace(modes, verdict=np.zeros(none.shape, np.int8)[()], leg=none[()], other=none[()])
    empty = np.where(modes.certified, Verdict.UNREACHABLE, Verdict.NOT_CONVERGED)
    verdict = np.where(modes.count, Verdict.SOLVED, np.where(modes.self_motion, Verdict.SOLVED, empty))
    verdict = np.where(positive.all(axis=-1), verdict, Verdict.INVALID)
    first, second = never_closed(here, *(np.asarray(x) for x in spheres(here.legs)(positions)))
    apart = (first >= 0) & ((verdict == Verdict.UNREACHABLE) | (verdict == Verdict.NOT_CONVERGED))
    verdict = np.where(apart, Verdict.UNREACHABLE, verdict).astype(np.int8)
    leg = np.where(verdict == Verdict.INVALID, (~positive).argmax(axis=-1), np.where(apart, first, -1))
    return replace(modes, verdict=verdict[()], leg=leg[()], other=np.where(apart, second, -1)[()])


def _modes(robot: ParallelRobot, q: Array) -> AssemblyModes:
    if robot.n < robot.space.freedoms:
        raise DegenerateError(
            f"assembly_modes needs {robot.space.freedoms} legs, not {robot.n}: fewer leave curves of poses"
        )
    if isinstance(robot.space, Translational):
        return assembly_delta(robot, q)
    if isinstance(robot.space, Planar):
        return assembly_planar(robot, q)
    if isinstance(robot.space, Spherical):
        return assembly_spherical(robot, q)
    if robot.is_architecturally_singular:
        return _self_motion(robot, q)
    closed = _closed_form(robot)
    return assembly_general(robot, q) if closed is None else _from_candidates(robot, q, closed)


@lru_cache(maxsize=64)
def _closed_form(robot: ParallelRobot) -> Callable[[Array], tuple[Array, bool]] | None:
    """From lengths to candidates, if the geometry allows it."""
    if robot.legs.has_branches:
        return None
    if (similar := similarity(robot.roots, robot.platform, robot.rounding)) is not None:
        return partial(similar_poses, similar)
    if (collinear := five_collinear(robot.roots, robot.platform, robot.rounding)) is not None:
        return partial(collinear_poses, collinear)
    return None


def _from_candidates(
    robot: ParallelRobot, q: Array, candidates: Callable[[Array], tuple[Array, bool]]
) -> AssemblyModes:
    """Poses of a closed form, each polished and checked; certified if all real ones close."""
    batch, flat = q.shape[:-1], q.reshape(-1, 6)
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(flat))
    starts, clear = np.full((len(flat), CANDIDATES, 4, 4), np.nan), np.zeros(len(flat), bool)
    for k in np.flatnonzero(np.isfinite(flat).all(axis=-1) & (radius > 0.0).all(axis=-1)):
        starts[k], clear[k] = candidates(radius[k])
    tried = np.isfinite(starts).all(axis=(-1, -2))
    start = np.where(tried[..., None, None], starts, np.eye(4))
    U, _, Vt = np.linalg.svd(start[..., :3, :3])  # where roots are double, half the digits of a rotation are lost
    start[..., :3, :3] = U @ Vt
    searched = robot.forward_position(np.broadcast_to(flat[:, None], (*tried.shape, 6)), start)
    moved = np.abs(searched.pose - start).max(axis=(-1, -2))
    valid = tried & searched.solved & (moved < 1e-3 * (1.0 + robot.size))
    flags = np.where(valid[..., None], searched.pose[..., :3, :].reshape(*tried.shape, 12), np.nan)
    again = repeated(flags)
    certified = clear & (valid == tried).all(axis=-1) & ~(again & valid).any(axis=-1)
    lines = unit_lines(robot, np.where(valid[..., None, None], searched.pose, np.eye(4)), centre[:, None])
    certified &= (~valid | (relative_least(lines) > steady(robot))).all(axis=-1)
    labels = np.where(orientation(robot, searched.pose, centre[:, None]) > 0.0, "+", "-")
    shape = (*batch, CANDIDATES)
    return gathered(
        searched.pose.reshape(*shape, 4, 4), (valid & ~again).reshape(shape), labels.reshape(shape),
        searched.residual.reshape(shape), CANDIDATES, certified.reshape(batch),
    )  # fmt: skip


def _self_motion(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """For a platform that is singular everywhere: if its legs close, they close along a curve."""
    batch, flat = q.shape[:-1], q.reshape(-1, robot.n)
    closes = np.zeros(len(flat), bool)
    radius = np.asarray(spheres(robot.legs)(flat)[1])
    with np.errstate(invalid="ignore"):
        good = np.isfinite(flat).all(axis=-1) & (radius > 0.0).all(axis=-1)
    if good.any():
        closes[good] = searched(robot, flat[good], 1e-9)[1].any(axis=-1)
    none = np.zeros((*batch, 0))
    return gathered(np.zeros((*batch, 0, 4, 4)), none > 0.0, none.astype(object), none, 0, False, closes.reshape(batch))
