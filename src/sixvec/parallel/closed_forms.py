"""Designs with assembly modes in closed form: the 321, the Delta and planar platforms with three legs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.dimensions import LAST_DIGITS
from sixvec.parallel.forward_position import ITERATIONS, ForwardPosition, near
from sixvec.parallel.leg import Leg
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.normal_form import NormalForm, Shift
from sixvec.parallel.pivot_spheres import missing, spheres
from sixvec.parallel.rod_lines import orientation, relative_least, steady, unit_lines
from sixvec.parallel.space import Spatial
from sixvec.parallel.tetrahedron import apex, doubt, pose_of_points
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3
from sixvec.spatial.norm import largest_size
from sixvec.tolerances import ROUNDING
from sixvec.verdict import Verdict

LABELS_321 = tuple(f"3-{a} 2-{b} 1-{c}" for a in ("up", "down") for b in ("up", "down") for c in ("up", "down"))
"""Signs of the factors of the determinant, in the order 3, 2, 1; "up" is positive."""
NAMES_321 = np.array([*LABELS_321, "", ""], object).reshape(5, 2)
NOWHERE = 4.0
"""The index of the label for nonexistent poses."""

LARGEST = 1e150
"""Errors of poses that exist are below this."""

LEG_ERROR = 1e-9
"""Largest error of a leg, in sizes of the platform, of a pose in closed form: near singularities a square root halves
the digits."""

MANY = 10.0
"""Squared heights of tetrahedra are certain from so many times the rounding of a length on."""

POLISHED = 1e-13
"""The same of a 321, whose poses are polished, or computed again with more digits."""
ON_CIRCLE, NEAR_CIRCLE = 1e-5, 1e-3
"""Largest distances from the unit circle of roots of the planar polynomial that are tried as angles, and of those that
rounding may have moved off it."""

STEEP = 1e-5
"""Slope of the planar polynomial at a root, relative to its terms, below which roots coincide; and sine between the two
lines that determine the position."""


def certain_height(robot: ParallelRobot) -> float:
    """The squared height of a tetrahedron, relative, that the last digits of the user's numbers do not decide."""
    return max(ROUNDING, MANY * robot.rounding / robot.size)


@lru_cache(maxsize=32)
def modes_321(legs: tuple[Leg, ...], apices: tuple[Vec3, Vec3, Vec3], least: float, back: Shift) -> CompiledFunction:
    """q to the eight poses, by three tetrahedra (Bruyninckx §8.14); NaN where one cannot close.

    Squared heights below `least`, relative, are uncertain; poses are shifted `back` to the user's frames.
    """
    t3, t2, t1 = apices
    r32, r31, r21 = (t2 - t3).norm(), (t1 - t3).norm(), (t1 - t2).norm()
    b = [leg.root for leg in legs]

    def run(q: Any) -> Any:
        l = [leg.sphere(x)[1] for leg, x in zip(legs, q, strict=True)]
        positive: Scalar = 1.0
        for x in l:
            positive = where(x > 0.0, positive, 0.0)
        pairs: list[list[Scalar]] = []
        *tops, height = apex(b[0], b[1], b[2], l[0], l[1], l[2])
        doubts = [doubt(b[0], b[1], b[2], l[0], height, least)]
        for p3 in tops:
            *tops, height = apex(b[3], b[4], p3, l[3], l[4], r32)
            doubts.append(doubt(b[3], b[4], p3, l[3], height, least))
            for p2 in tops:
                # The factor [r32, r31, e6] has the opposite sign of the height of this tetrahedron.
                *tops, height = apex(b[5], p2, p3, l[5], r21, r31)
                doubts.append(doubt(b[5], p2, p3, l[5], height, least))
                poses = [pose_of_points((p3, p2, p1), apices) for p1 in reversed(tops)]
                rods = [(X * leg.platform - leg.root).norm() - x for X in poses for leg, x in zip(legs, l, strict=True)]
                error = largest_size(rods)
                label = float(len(pairs))
                numbers = [x for X in poses for row in Spatial().between(X.as_matrix(), *back) for x in row]
                # Both depend on the same square root: they exist together.
                pairs.append([where(error < LARGEST, positive, 0.0), error, label, *numbers])
        error, certain = 0.0, 1.0
        for there, miss, *_ in pairs:
            error = where(there > 0.5, where(error < miss, miss, error), error)
        for x in doubts:  # those of tetrahedra above a nonexistent point are zero
            certain = where(x > 0.5, 0.0, certain)
        count = 2.0 * sum((p[0] for p in pairs), 0.0)
        pairs = _first_those_that_exist(pairs)
        shown = [[where(p[0] > 0.5, x, math.nan) for x in p[3:]] for p in pairs]
        return shown, [where(p[0] > 0.5, p[2], NOWHERE) for p in pairs], count, error, certain

    identity = f"parallel 321 {legs} {apices} {least} {back}"
    outputs = (Port("poses", (4, 32)), Port("label", (4,)), Port("count", ()), Port("error", ()), Port("certain", ()))
    return CompiledFunction(run, (Port("q", (6,)),), outputs, identity)


def _first_those_that_exist(rows: list[list[Scalar]]) -> list[list[Scalar]]:
    """Rows whose first number is 1 before those where it is 0, in their order."""
    for end in range(len(rows) - 1, 0, -1):
        for k in range(end):
            swap = where(rows[k][0] < 0.5, rows[k + 1][0], 0.0) > 0.5
            for j, (x, y) in enumerate(zip(rows[k], rows[k + 1], strict=True)):
                rows[k][j], rows[k + 1][j] = where(swap, y, x), where(swap, x, y)
    return rows


def assembly_321(form: NormalForm, q: Array) -> AssemblyModes:
    """In closed form; polished where digits were lost, and in sixty digits where rounding decides on the number.

    Lengths are those of the normal form, poses between the user's frames.
    """
    robot = form.robot
    modes = modes_321(robot.legs, robot.apices, certain_height(robot), form.back)
    poses, label, count, error, certain = (np.asarray(x) for x in modes(q))
    batch, count = count.shape, count.astype(int)
    poses, certified = poses.reshape(*batch, 8, 4, 4), certain > 0.5
    names = NAMES_321[label.astype(int)].reshape(*batch, 8)
    if (rough := ~(certified & (error < max(POLISHED * robot.size, robot.rounding)))).any():
        whole = tuple(np.array(x).reshape(-1, *x.shape[len(batch) :]) for x in (poses, names, count, error, certified))
        which = np.flatnonzero(rough)
        parts = [x[which] for x in whole]
        parts[0] = form.pose(parts[0])
        _improved(robot, q.reshape(-1, 6)[which], *parts)
        parts[0] = form.user_pose(parts[0])
        for x, new in zip(whole, parts, strict=True):
            x[which] = new
        poses, names, count, error, certified = (
            x.reshape(*batch, *x.shape[1:]) if batch else x[0] for x in whole
        )  # fmt: skip
    most = int(count.max(initial=0))
    if not batch:
        return AssemblyModes(poses[:most], most, 8, bool(certified), tuple(names[:most]), float(error))
    several = [np.broadcast_to(np.asarray(x), batch) for x in (8, False)]
    names = names[..., :most]
    return AssemblyModes(poses[..., :most, :, :], count, several[0], certified, names, error, several[1])


def _improved(robot: Any, q: Array, poses: Array, names: Array, count: Array, error: Array, certified: Array) -> None:
    """All samples again: certain ones polished, others with 60-digit arithmetic if they have lengths."""
    from sixvec.parallel.exact_321 import exact_321
    from sixvec.parallel.singularity import label_321

    at = np.nonzero((np.arange(8) < count[:, None]) & certified[:, None])
    if len(at[0]):
        searched = near(robot, q[at[0]], poses[at], 0.1 * POLISHED, 10)
        old = missing(robot, poses[at], *(np.asarray(x) for x in spheres(robot.legs)(q[at[0]]))).max(axis=-1)
        better = searched.residual < old
        poses[at] = np.where(better[:, None, None], searched.pose, poses[at])
        error[:] = 0.0
        np.maximum.at(error, at[0], np.where(better, searched.residual, old))
    lengths = q + np.array([leg.offset for leg in robot.legs])
    for k in range(len(q)):
        polished = certified[k] and error[k] < max(POLISHED * robot.size, robot.rounding)
        if polished or not (np.isfinite(q[k]) & (lengths[k] > 0.0)).all():
            continue
        exact, certified[k] = exact_321(robot.platform[[0, 3, 5]], robot.roots, lengths[k], robot.rounding)
        misses = np.abs(np.asarray(robot.inverse_position(exact)) - q[k]).max(axis=-1)
        poses[k], names[k], count[k], error[k] = np.nan, "", 0, 0.0
        if (misses < max(ROUNDING * robot.size, robot.rounding + LAST_DIGITS * lengths[k].max())).all():
            count[k], error[k] = len(exact), misses.max(initial=0.0)
            poses[k, : count[k]], names[k, : count[k]] = exact, label_321(robot, exact)
        else:  # points are on circles, not at two places
            certified[k] = False


def _delta_positions(legs: tuple[Leg, ...], q: Any, least: float) -> tuple[list[Vec3], list[Scalar], Scalar]:
    """Both positions, their errors, and whether their number is in doubt: the spheres of the elbows, shifted by the
    pivots, intersect in two points."""
    balls = [leg.sphere(x) for leg, x in zip(legs, q, strict=True)]
    centres = [c - leg.platform for leg, (c, _) in zip(legs, balls, strict=True)]
    *positions, height = apex(*centres, *(r for _, r in balls))
    errors = [largest_size([(p - c).norm() - r for c, (_, r) in zip(centres, balls, strict=True)]) for p in positions]
    return positions, errors, doubt(centres[0], centres[1], centres[2], balls[0][1], height, least)


@lru_cache(maxsize=32)
def modes_delta(legs: tuple[Leg, ...], least: float = ROUNDING) -> CompiledFunction:
    """q to the two positions."""

    def run(q: Any) -> Any:
        positions, errors, uncertain = _delta_positions(legs, q, least)
        return [[*p] for p in positions], errors, uncertain

    outputs = (Port("points", (2, 3)), Port("error", (2,)), Port("doubt", ()))
    return CompiledFunction(run, (Port("q", (3,)),), outputs, f"parallel delta {legs} {least}")


@lru_cache(maxsize=32)
def pose_delta(legs: tuple[Leg, ...], least: float = ROUNDING) -> CompiledFunction:
    """q to the lower pose, its error, and 1 where its existence is in doubt, else 0."""

    def run(q: Any) -> Any:
        (one, two), errors, uncertain = _delta_positions(legs, q, least)
        low = Vec3(*(where(two.z < one.z, y, x) for x, y in zip(one, two, strict=True)))
        return Pose.translation(low).as_matrix(), where(two.z < one.z, errors[1], errors[0]), uncertain

    outputs = (Port("X", (4, 4)), Port("error", ()), Port("doubt", ()))
    return CompiledFunction(run, (Port("q", (3,)),), outputs, f"parallel lower delta {legs} {least}")


def assembly_delta(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """The pose above the plane of the elbows and the one below, the working side of a Delta."""
    points, residual, uncertain = (np.asarray(x) for x in modes_delta(robot.legs, certain_height(robot))(q))
    upside_down = (points[..., 0, 2] < points[..., 1, 2])[..., None]
    points = np.where(upside_down[..., None], points[..., ::-1, :], points)
    residual = np.where(upside_down, residual[..., ::-1], residual)
    closed = np.where(np.isfinite(residual), residual, 0.0).max(axis=-1) < LEG_ERROR
    return gathered(
        robot.space.as_user_pose(points), np.isfinite(residual), ("up", "down"), residual, 2, closed & (uncertain < 0.5)
    )


def lower_delta(robot: ParallelRobot, q: Array) -> ForwardPosition:
    """The lower of the two poses; if the spheres do not intersect, the arm with the largest error is named."""
    X, residual, uncertain = (np.asarray(x) for x in pose_delta(robot.legs, certain_height(robot))(q))
    closed = np.isfinite(residual)
    if closed.all():
        none = np.full(closed.shape, -1)
        return ForwardPosition(X, np.zeros(closed.shape, np.int8), residual, none, none)
    verdict = np.where(closed, Verdict.SOLVED, Verdict.UNREACHABLE)
    verdict = np.where(np.isfinite(q).all(axis=-1), verdict, Verdict.INVALID).astype(np.int8)
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(q))
    shifted = centre - robot.platform
    if (open_ := (verdict == Verdict.UNREACHABLE) & (uncertain > 0.5)).any():  # flat or without a base: not a proof
        below = shifted.mean(axis=-2) - radius.max(axis=-1, keepdims=True) * [0.0, 0.0, 1.0]
        searched = near(robot, q[open_], below[open_], ROUNDING, ITERATIONS)
        X, residual, verdict = (np.array(x) for x in (X, residual, verdict))
        X[open_], residual[open_], verdict[open_] = searched.pose, searched.residual, searched.verdict
        closed = verdict == Verdict.SOLVED
    spread = np.linalg.norm(shifted - shifted.mean(axis=-2, keepdims=True), axis=-1).argmax(axis=-1)
    leg = np.where(closed, -1, np.where(np.isfinite(q).all(axis=-1), spread, (~np.isfinite(q)).argmax(axis=-1)))
    return ForwardPosition(X, verdict, residual, leg, np.full(leg.shape, -1))


def assembly_planar(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """Up to six poses: the roots of a polynomial of degree six in exp(iφ).

    With u_i = R β_i - γ_i the differences to the first leg are linear in the position w of its pivot,
    2 u_i·w = h_i, and |w|² = r₀² leaves  |h₁ u₂ - h₂ u₁|² = 4 r₀² (u₁×u₂)², of degree three in cos φ and sin φ.
    """
    batch = q.shape[:-1]
    flat = q.reshape(-1, 3)
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(flat))
    n = len(flat)
    samples = 8
    angles = 2.0 * np.pi * np.arange(samples) / samples
    with np.errstate(invalid="ignore"):  # lengths that are not finite have no roots
        value, _, terms, _ = _planar_equation(
            robot, centre[:, None], radius[:, None], np.broadcast_to(angles, (n, samples))
        )
        c = np.fft.fft(value, axis=-1) / samples  # coefficients of exp(ikφ), k = 0, 1, 2, 3, (4), -3, -2, -1
    polynomial = np.concatenate([c[:, 5:], c[:, :4]], axis=-1)  # from exp(-3iφ) to exp(3iφ)
    starts, known, clear = np.full((n, 6, 3), np.nan), np.zeros(n, int), np.zeros(n, bool)
    for k in range(n):
        if not np.isfinite(polynomial[k]).all() or not np.abs(polynomial[k]).max() > 0.0:
            continue
        roots = np.roots(polynomial[k][::-1])
        known[k] = len(roots)
        off = np.abs(np.abs(roots) - 1.0)
        phi = np.angle(roots[off < ON_CIRCLE])
        _, w, _, sine = (x[0] for x in _planar_equation(robot, centre[k, None], radius[k, None], phi[None]))
        slope = np.abs(np.polyval(np.polyder(polynomial[k][::-1]), roots[off < NEAR_CIRCLE]))
        clear[k] = (slope > STEEP * terms[k].max()).all() and (np.abs(sine) > STEEP).all()
        b = robot.platform[0, :2]
        turned = np.stack([np.cos(phi) * b[0] - np.sin(phi) * b[1], np.sin(phi) * b[0] + np.cos(phi) * b[1]], -1)
        starts[k, : len(phi)] = np.concatenate([w + centre[k, 0, :2] - turned, phi[:, None]], axis=-1)
    with np.errstate(invalid="ignore"):
        searched = near(robot, np.broadcast_to(flat[:, None], (n, 6, 3)), starts, ROUNDING, 50)
    valid = searched.solved & np.isfinite(starts).all(axis=-1)
    poses = np.where(valid[..., None], searched.pose, np.nan)
    poses[..., 2] = (poses[..., 2] + np.pi) % (2.0 * np.pi) - np.pi
    valid &= ~_repeated(poses, valid)
    lines = unit_lines(robot, np.where(valid[..., None], poses, 0.0), centre[:, None])
    clear &= (~valid | (relative_least(lines) > steady(robot))).all(axis=-1)
    tried = np.isfinite(starts).all(axis=-1).sum(axis=-1)
    certified = clear & (known == 6) & (valid.sum(axis=-1) == tried) & (valid.sum(axis=-1) % 2 == 0)
    labels = np.where(orientation(robot, poses, centre[:, None]) > 0.0, "+", "-")
    shape = (*batch, 6)
    return gathered(
        poses.reshape(*shape, 3), valid.reshape(shape), labels.reshape(shape), searched.residual.reshape(shape),
        known.reshape(batch), certified.reshape(batch),
    )  # fmt: skip


def _planar_equation(robot: ParallelRobot, centre: Array, radius: Array, phi: Array) -> tuple[Array, ...]:
    """For angles (..., k) the polynomial's value, the position of the first pivot from its centre, the size of the
    polynomial's terms, and the sine between the two lines on which that position lies."""
    beta = robot.platform[1:, :2] - robot.platform[0, :2]
    gamma = centre[..., 1:, :2] - centre[..., :1, :2]
    c, s = np.cos(phi)[..., None], np.sin(phi)[..., None]
    u = np.stack([c * beta[:, 0] - s * beta[:, 1], s * beta[:, 0] + c * beta[:, 1]], axis=-1) - gamma
    h = radius[..., 1:] ** 2 - radius[..., :1] ** 2 - (u * u).sum(axis=-1)
    D = u[..., 0, 0] * u[..., 1, 1] - u[..., 0, 1] * u[..., 1, 0]
    v = h[..., 0, None] * u[..., 1, :] - h[..., 1, None] * u[..., 0, :]
    uu = (u * u).sum(axis=-1)
    value = (v * v).sum(axis=-1) - 4.0 * radius[..., 0] ** 2 * D * D
    terms = (h * h * uu[..., ::-1]).sum(axis=-1) + 4.0 * radius[..., 0] ** 2 * uu.prod(axis=-1)
    sizes = (gamma * gamma).sum(axis=-1) + (beta * beta).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = np.stack([v[..., 1], -v[..., 0]], axis=-1) / (2.0 * D[..., None])
        sine = D / np.sqrt(sizes.prod(axis=-1))  # also small where one of the lines is lost, u = 0
    return value, w, terms, sine


def _repeated(poses: Array, valid: Array) -> Array:
    """Which poses of a sample repeat another one."""
    again = np.zeros(valid.shape, bool)
    for j in range(valid.shape[-1]):
        for i in range(j):
            gap = np.abs(poses[..., j, :] - poses[..., i, :])
            gap[..., 2] = np.minimum(gap[..., 2], 2.0 * np.pi - gap[..., 2])
            with np.errstate(invalid="ignore"):
                again[..., j] |= valid[..., i] & valid[..., j] & (gap.max(axis=-1) < 1e-7)
    return again
