"""All assembly modes of six legs, by following the solutions of another platform to this one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sixvec.arguments import Array
from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.design import groups
from sixvec.parallel.forward_position import near
from sixvec.parallel.gough_system import GOUGH, least_value
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.path_tracking import ACCURACY, tracked
from sixvec.parallel.pivot_spheres import missing, spheres
from sixvec.parallel.real_pose import real_pose
from sixvec.parallel.rod_lines import orientation, steady
from sixvec.parallel.start_system import Pattern, conjugate_closed, converged, features, repeated, start_system

REAL = 1e-7
"""Imaginary part, relative, below which a solution is real: rounding leaves 1e-9 where two real ones are 1e-6 apart."""

DOUBTFUL, NEARLY_REAL = 1e-5, 1e-3
"""Below the first, a solution that is not real may be one of two that coincide, separated by rounding: the result is
not certified.  Below the second it is tried as a real pose, which counts if it closes."""

LOOSE = 1e-9
"""A last correction of a nearly real solution, relative, that is not rounding."""

DOUBLE = 1e-10
"""Largest error of a leg, in lengths of the mechanism, of a pose at which solutions coincide: it grows with the square
of the pose's."""

POLISHED = 2e-14
"""Largest error of a leg, in lengths of the mechanism, of a pose that is returned."""

ATTEMPTS = (ACCURACY, 5e-3, 1e-3, 2e-4)
"""Accuracies of the trials, each from another start, while a solution is missing."""

CHUNK = 128
"""Platforms at a time: bounds the memory."""


def assembly_general(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """All real poses of any six legs; certified if the number of solutions of the design was found, all distinct."""
    batch = q.shape[:-1]
    flat = q.reshape(-1, 6)
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(flat))
    base, platform = _patterns(robot)
    most = len(start_system(base, platform).solutions)
    parts = [
        _solved(robot, flat[k : k + CHUNK], centre[k : k + CHUNK], radius[k : k + CHUNK], base, platform)
        for k in range(0, max(1, len(flat)), CHUNK)
    ]
    poses, valid, labels, residual, count, certified, least = (np.concatenate(x) for x in zip(*parts, strict=True))
    shape = (*batch, most)
    return gathered(
        poses.reshape(*shape, 4, 4), valid.reshape(shape), labels.reshape(shape), residual.reshape(shape),
        count.reshape(batch), certified.reshape(batch), complex_margin=least.reshape(batch),
    )  # fmt: skip


@lru_cache(maxsize=64)
def _patterns(robot: ParallelRobot) -> tuple[Pattern, Pattern]:
    """Which pivots coincide; those on cranks and sliders separate."""
    base = tuple(range(6)) if robot.legs.has_branches else groups(robot.roots, robot.rounding)
    return base, groups(robot.platform, robot.rounding)


def _solved(
    robot: ParallelRobot, q: Array, centre: Array, radius: Array, base: Pattern, platform: Pattern
) -> tuple[Array, ...]:
    """Poses, which of them exist, their labels and errors; the number of solutions, whether it is complete, and
    the least singular value at those that are not poses."""
    target, shift, size = normalised(robot, centre, radius)
    ends = _ends(target, np.asarray((radius > 0.0).all(axis=-1)), base, platform)
    f, known = ends.features, ends.known
    imaginary = np.abs(f.imag).max(axis=-1) / (1.0 + np.abs(f).max(axis=-1))
    nearly = known & (imaginary < NEARLY_REAL)
    loose = known & (~ends.converged | nearly & ~(ends.correction <= LOOSE))
    doubtful = known & ((imaginary < DOUBTFUL) & (imaginary >= REAL) | loose)
    real = known & (imaginary < REAL) & ~loose
    X = np.tile(np.eye(4), (*known.shape, 1, 1))
    labels, residual, valid = np.full(known.shape, "", object), np.zeros(known.shape), np.zeros(known.shape, bool)
    at = np.nonzero(nearly)
    if len(at[0]):
        k, scale = at[0], size[at[0]]
        pose, error, moved, side = _posed(
            robot, q[k], ends.points[at], centre[k], radius[k], shift[0][k], shift[1], scale
        )
        X[at], residual[at] = pose, error
        good = (moved < 1e-4 * (1.0 + scale)) & (error < 50.0 * POLISHED * scale)
        double = (moved < NEARLY_REAL * 10.0 * (1.0 + scale)) & (error < DOUBLE * scale)
        valid[at] = np.where(real[at], good, double)
        labels[at] = np.where(side > 0.0, "+", "-")
    missed = (real & ~valid).any(axis=-1)
    again = repeated(np.where(valid[..., None], X[..., :3, :].reshape(*known.shape, 12), np.nan))
    valid &= ~again
    special = valid & ~real
    for j in np.flatnonzero(special.any(axis=-1)):  # both ends of a double root are the same pose
        for i in np.flatnonzero(special[j]):
            gap = np.abs(X[j] - X[j, i]).max(axis=(-1, -2)) / (1.0 + size[j])
            gap[i] = np.inf
            valid[j, i] = not (valid[j] & (gap < NEARLY_REAL * 10.0)).any()
    least = _least_values(ends.points, target)
    unsteady = known & ~(least > steady(robot))
    sound = conjugate_closed(f, real, known) & ~missed & ~again.any(axis=-1)
    sound &= ~(doubtful | special | unsteady).any(axis=-1)
    others = _least_of(least, known & ~valid)
    return X, valid, labels, residual, ends.converged.sum(axis=-1), ends.complete & sound, others


def _posed(
    robot: ParallelRobot, q: Array, ends: Array, centre: Array, radius: Array, middle: Array, inner: Array, scale: Array
) -> tuple[Array, Array, Array, Array]:
    """Real poses at ends (k, 7), their errors, how far they moved from the ends, and the side of the singularities."""
    y = np.ascontiguousarray(ends).view(float)
    arguments = (y, scale, middle, inner, centre, robot.platform, radius)
    X, error, start = (np.asarray(x) for x in real_pose(*arguments))
    if (rough := ~(error < POLISHED * scale)).any():
        # Near a double root Newton's steps are slow, or too long, and half the digits are accepted.
        nearest = near(robot, q[rough], start[rough], float(POLISHED * scale.max() / robot.size), 60).pose
        off = missing(robot, nearest, centre[rough], radius[rough]).max(axis=-1)
        worse = error[rough] < off
        X[rough] = np.where(worse[:, None, None], X[rough], nearest)
        error[rough] = np.where(worse, error[rough], off)
    return X, error, np.abs(X - start).max(axis=(-1, -2)), orientation(robot, X, centre)


@dataclass(frozen=True, eq=False)
class _Ends:
    """Distinct ends of the paths of n platforms, in slots (n, k): points (n, k, 7), features (n, k, 12), 1 where none
    is known, and the relative sizes of the last corrections."""

    points: Array
    features: Array
    correction: Array
    known: Array
    converged: Array
    """The ends that are solutions."""
    complete: Array
    """(n,): whether no solution is missing."""


def _ends(target: Array, positive: Array, base: Pattern, platform: Pattern) -> _Ends:
    n, most = len(target), len(start_system(base, platform).solutions)
    points, correction = np.full((n, most, 7), np.nan, complex), np.full((n, most), np.inf)
    f, good = np.full((n, most, 12), np.nan, complex), np.zeros((n, most), bool)
    complete, before = np.zeros(n, bool), np.full(n, -1.0)
    open_ = np.flatnonzero(np.isfinite(target).all(axis=-1) & positive)
    for variant, accuracy in enumerate(ATTEMPTS):
        if not len(open_):
            break
        start = start_system(base, platform, variant)
        spread = np.broadcast_to(target[open_, None], (len(open_), most, 42))
        first = np.broadcast_to(start.solutions, (len(open_), most, 7))
        paths = tracked(GOUGH, first, start.parameters, spread, accuracy)
        new_f = features(paths.end)
        arrived = paths.arrived & np.isfinite(new_f).all(axis=-1)
        new_f = np.where(arrived[..., None], new_f, np.nan)
        new = paths.end, new_f, paths.correction, arrived & converged(new_f, paths.correction)
        old = tuple(x[open_] for x in (points, f, correction, good)) if variant else None
        points[open_], f[open_], correction[open_], good[open_] = _merged(old, new)
        # With special geometry paths diverge: the same number from two starts, and all others have an end.
        infinite = np.where(arrived | paths.diverged, paths.diverged & ~arrived, np.nan).sum(axis=-1)
        count = good[open_].sum(axis=-1)
        agreed = (count == most) | ((count + infinite == most) & (infinite == before[open_]))
        complete[open_], before[open_] = agreed, infinite
        open_ = open_[~agreed]
    known = np.asarray(np.isfinite(f).all(axis=-1))
    return _Ends(points, np.where(known[..., None], f, 1.0), correction, known, good, complete)


def _least_of(values: Array, which: Array) -> Array:
    """The least of some values of each platform, infinite if there is none."""
    return np.asarray(np.where(which, values, np.inf).min(axis=-1, initial=np.inf))


def _least_values(points: Array, target: Array) -> Array:
    """Of all ends; NaN where there is none."""
    y = np.ascontiguousarray(points).view(float)
    return np.asarray(least_value(y, np.ascontiguousarray(target).view(float)[:, None]))


def normalised(robot: ParallelRobot, centre: Array, radius: Array) -> tuple[Array, tuple[Array, Array], Array]:
    """Parameters with both sets of pivots around the origin and of size one; the shifts and the size."""
    middle, inner = centre.mean(axis=-2), robot.platform.mean(axis=0)
    with np.errstate(invalid="ignore"):  # sliders that are not at a finite position
        a, b = centre - middle[..., None, :], robot.platform - inner
    size = np.sqrt(((a * a).sum(axis=(-1, -2)) + (b * b).sum()) / 12.0)
    lengths = (radius / size[..., None]) ** 2
    flat = np.broadcast_to((b / size[..., None, None]).reshape(*size.shape, 18), (*size.shape, 18))
    target = np.concatenate([(a / size[..., None, None]).reshape(*size.shape, 18), flat, lengths], axis=-1)
    return target.astype(complex), (middle, inner), size


def _merged(old: tuple[Array, ...] | None, new: tuple[Array, ...]) -> tuple[Array, ...]:
    """Distinct ends of both, solutions first, as many as there are slots, NaN in unused slots."""
    points, f, correction, good = (
        new if old is None else (np.concatenate(x, axis=1) for x in zip(old, new, strict=True))
    )
    again = repeated(f)
    f, good = np.where(again[..., None], np.nan, f), good & ~again
    if old is None:
        return points, f, correction, good
    rank = np.where(good, 0, np.where(np.isfinite(f).all(axis=-1), 1, 2))
    order = np.argsort(rank, axis=-1, kind="stable")[..., : new[2].shape[-1]]
    at = order[..., None]
    points, f = np.take_along_axis(points, at, axis=-2), np.take_along_axis(f, at, axis=-2)
    return points, f, np.take_along_axis(correction, order, axis=-1), np.take_along_axis(good, order, axis=-1)
