"""All assembly modes of six legs, by following the solutions of another platform to this one."""

from __future__ import annotations

import numpy as np

from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.design import groups
from sixvec.parallel.forward_position import missing, near, spheres
from sixvec.parallel.gough_system import GOUGH
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.orientation import orientation
from sixvec.parallel.path_tracking import ACCURACY, newton, tracked
from sixvec.parallel.programs import has_branches
from sixvec.parallel.space import Array
from sixvec.parallel.start_system import Pattern, conjugate_closed, features, repeated, start_system

REAL = 1e-7
"""Imaginary part, relative, below which a solution is real: rounding leaves 1e-9 where two real ones are 1e-6 apart."""

DOUBTFUL, NEARLY_REAL = 1e-5, 1e-3
"""Below the first, a solution that is not real may be one of two that meet, parted by rounding: the answer is not
certified.  Below the second it is tried as a real pose, which counts if it closes."""

LOOSE = 1e-9
"""A last correction of a nearly real solution, relative, that is not rounding."""

DOUBLE = 1e-10
"""Largest error of a leg, in lengths of the mechanism, of a pose at which solutions meet: it grows with the square of
the pose's."""

POLISHED = 2e-14
"""Largest error of a leg, in lengths of the mechanism, of a pose that is returned."""

ATTEMPTS = (ACCURACY, 5e-3, 1e-3, 2e-4)
"""Accuracies of the ways tried, each from another start, while a solution is missing."""

CHUNK = 128
"""Platforms at a time: bounds the memory."""


def assembly_general(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """All real poses of any six legs; certified if as many solutions as the design has were found, all different."""
    batch = q.shape[:-1]
    flat = q.reshape(-1, 6)
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(flat))
    base: Pattern = tuple(range(6)) if has_branches(robot.legs) else groups(robot.roots)
    platform = groups(robot.platform)
    most = len(start_system(base, platform).solutions)
    parts = [
        _solved(robot, flat[k : k + CHUNK], centre[k : k + CHUNK], radius[k : k + CHUNK], base, platform)
        for k in range(0, max(1, len(flat)), CHUNK)
    ]
    poses, valid, labels, residual, found, certified = (np.concatenate(x) for x in zip(*parts, strict=True))
    shape = (*batch, most)
    return gathered(
        poses.reshape(*shape, 4, 4), valid.reshape(shape), labels.reshape(shape), residual.reshape(shape),
        found.reshape(batch), certified.reshape(batch),
    )  # fmt: skip


def _solved(
    robot: ParallelRobot, q: Array, centre: Array, radius: Array, base: Pattern, platform: Pattern
) -> tuple[Array, ...]:
    """Poses, which of them are there, their labels and errors; the number of solutions, and whether that is all."""
    target, shift, size = _normalised(robot, centre, radius)
    ends, complete = _ends(target, np.asarray((radius > 0.0).all(axis=-1)), base, platform)
    known = np.asarray(np.isfinite(ends).all(axis=-1))
    f = features(np.where(known[..., None], ends, 1.0))
    size_f = 1.0 + np.abs(f).max(axis=-1)
    imaginary = np.abs(f.imag).max(axis=-1) / size_f
    loose = known & (imaginary < NEARLY_REAL) & (_last_correction(ends, known, target) > LOOSE)
    doubtful = known & ((imaginary < DOUBTFUL) & (imaginary >= REAL) | loose)
    real = known & (imaginary < REAL) & ~loose
    at = np.nonzero(real | doubtful | (known & (imaginary < NEARLY_REAL)))
    X = np.tile(np.eye(4), (*known.shape, 1, 1))
    labels, residual, valid = np.full(known.shape, "", object), np.zeros(known.shape), np.zeros(known.shape, bool)
    if len(at[0]):
        scale, g = size[at[0]], f[at].real
        start = np.tile(np.eye(4), (len(g), 1, 1))
        start[:, :3, :3] = _rotations(g[:, :9].reshape(-1, 3, 3))
        start[:, :3, 3] = g[:, 9:] * scale[:, None] + shift[0][at[0]] - start[:, :3, :3] @ shift[1]
        # Newton's last steps on the real pose; near a double root they are slow, and half the digits must do.
        X[at] = near(robot, q[at[0]], start, float(POLISHED * scale.max() / robot.size), 60).pose
        residual[at] = missing(robot, X[at], centre[at[0]], radius[at[0]]).max(axis=-1)
        moved = np.abs(X[at] - start).max(axis=(-1, -2)) / (1.0 + scale)
        good = (moved < 1e-4) & (residual[at] < 50.0 * POLISHED * scale)
        double = (moved < NEARLY_REAL * 10.0) & (residual[at] < DOUBLE * scale)
        valid[at] = np.where(real[at], good, double)
        labels[at] = np.where(orientation(robot, X[at], centre[at[0]]) > 0.0, "+", "-")
    missed = (real & ~valid).any(axis=-1)
    again = repeated(np.where(valid[..., None], X[..., :3, :].reshape(*known.shape, 12), np.nan))
    valid &= ~again
    special = valid & ~real
    for k in np.flatnonzero(special.any(axis=-1)):  # both ends of a double root are one pose
        for i in np.flatnonzero(special[k]):
            gap = np.abs(X[k] - X[k, i]).max(axis=(-1, -2)) / (1.0 + size[k])
            gap[i] = np.inf
            valid[k, i] = not (valid[k] & (gap < NEARLY_REAL * 10.0)).any()
    sound = conjugate_closed(f, real, known) & ~missed & ~again.any(axis=-1) & ~(doubtful | special).any(axis=-1)
    return X, valid, labels, residual, known.sum(axis=-1), complete & sound


def _last_correction(ends: Array, known: Array, target: Array) -> Array:
    """The size of one more Newton step at the ends, relative: rounding, unless solutions meet there."""
    points = np.where(known[..., None], ends, 1.0)
    P = np.ascontiguousarray(np.broadcast_to(target[:, None], (*known.shape, 42))).view(float)
    step = newton(GOUGH)(np.ascontiguousarray(points).view(float), P, np.zeros(84))[1]
    return np.asarray(np.asarray(step) / (1.0 + np.abs(points).max(axis=-1)))


def _ends(target: Array, positive: Array, base: Pattern, platform: Pattern) -> tuple[Array, Array]:
    """The different ends of the paths (n, k, 7), not a number where one is missing, and whether none is."""
    n, most = len(target), len(start_system(base, platform).solutions)
    ends = np.full((n, most, 7), np.nan, complex)
    complete, before = np.zeros(n, bool), np.full(n, -1.0)
    open_ = np.flatnonzero(np.isfinite(target).all(axis=-1) & positive)
    for variant, accuracy in enumerate(ATTEMPTS):
        if not len(open_):
            break
        start = start_system(base, platform, variant)
        spread = np.broadcast_to(target[open_, None], (len(open_), most, 42))
        first = np.broadcast_to(start.solutions, (len(open_), most, 7))
        paths = tracked(GOUGH, first, start.parameters, spread, accuracy)
        reached = np.where(paths.arrived[..., None], paths.end, np.nan)
        ends[open_] = _merged(ends[open_], reached) if variant else _unique(reached)
        # A special geometry sends paths to infinity: from two starts the same number, and all others have an end.
        infinite = np.where(paths.arrived | paths.diverged, paths.diverged, np.nan).sum(axis=-1)
        finite = np.isfinite(ends[open_]).all(axis=-1).sum(axis=-1)
        agreed = (finite == most) | ((finite + infinite == most) & (infinite == before[open_]))
        complete[open_], before[open_] = agreed, infinite
        open_ = open_[~agreed]
    return ends, complete


def _normalised(robot: ParallelRobot, centre: Array, radius: Array) -> tuple[Array, tuple[Array, Array], Array]:
    """Parameters with both sets of pivots around the origin and of size one; the shifts and the size."""
    middle, inner = centre.mean(axis=-2), robot.platform.mean(axis=0)
    a, b = centre - middle[..., None, :], robot.platform - inner
    size = np.sqrt(((a * a).sum(axis=(-1, -2)) + (b * b).sum()) / 12.0)
    lengths = (radius / size[..., None]) ** 2
    flat = np.broadcast_to((b / size[..., None, None]).reshape(*size.shape, 18), (*size.shape, 18))
    target = np.concatenate([(a / size[..., None, None]).reshape(*size.shape, 18), flat, lengths], axis=-1)
    return target.astype(complex), (middle, inner), size


def _unique(ends: Array) -> Array:
    """Each once, not a number in the place of a repeat."""
    return np.where(repeated(features(ends))[..., None], np.nan, ends)


def _merged(old: Array, new: Array) -> Array:
    """Different solutions of both, as many as there is room for."""
    both = _unique(np.concatenate([old, new], axis=-2))
    order = np.argsort(~np.isfinite(both).all(axis=-1), axis=-1, kind="stable")[..., : old.shape[-2]]
    return np.take_along_axis(both, order[..., None], axis=-2)


def _rotations(R: Array) -> Array:
    """The nearest ones."""
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)
