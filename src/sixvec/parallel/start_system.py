"""Platforms with complex pivots whose solutions are all known: the start of a homotopy.

The solutions are found by monodromy: a pose and pivots are drawn at random, lengths are those of the pose, and
following it around triangles in the space of parameters leads to other poses of the same platform, until no new ones
appear.  A general platform has forty.  If pivots coincide, those of the start coincide likewise, so that no path is
lost: the number of poses is then that of the design.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.function import compiled
from sixvec.parallel.complex_scalar import paired, parts
from sixvec.parallel.gough_system import GOUGH, rotation
from sixvec.parallel.path_tracking import ACCURACY, tracked

GENERAL = 40
"""Solutions of a platform without special geometry (Ronga and Vust 1995, Mourrain 1993)."""

LOOPS, QUIET = 60, 8
"""Largest number of triangles, and the number without a new solution after which the search ends."""

SAME = 1e-6
"""Solutions nearer than this, relative, are the same."""

PAIRED = 1e-5
"""How well conjugate solutions agree, relative."""

CONVERGED, ROUNDING = 1e-8, 64.0 * float(np.finfo(float).eps)
"""Largest last correction at a solution, relative.  The second, times the square of the largest feature, is that of
rounding: far solutions are differences of large squares.  Corrections on a curve of solutions are 1e-7 and more."""

LARGEST = 1e6
"""Features of a solution are smaller: beyond, no digit of a correction is left."""

PROJECTION = np.random.default_rng(3).normal(size=12)
"""Any direction: different solutions have different components along it."""
ASLANT = PROJECTION * (1.0 - 0.7j)

Pattern = tuple[int, ...]
"""For each pivot the first one at the same position."""


@dataclass(frozen=True, eq=False)
class StartSystem:
    """Parameters (42,) and all solutions (k, 7) of one platform."""

    parameters: Array
    solutions: Array


@lru_cache(maxsize=64)
def start_system(base: Pattern, platform: Pattern, variant: int = 0) -> StartSystem:
    """The start of a design, always the same; `variant` selects platforms with other paths."""
    rng = np.random.default_rng([variant, 5])
    if variant:
        return _moved_start(rng, base, platform)
    y = _complex(rng, 7)
    y[:4] = y[:4] / np.sqrt((y[:4] ** 2).sum())
    parameters = _drawn(rng, base, platform)
    parameters[36:] = squared_lengths(y, parameters)
    solutions, quiet = y[None], 0
    general = len(set(base)) == len(set(platform)) == 6
    for _ in range(LOOPS):
        before, ends = len(solutions), solutions
        corners = [parameters, _drawn(rng, base, platform), _drawn(rng, base, platform), parameters]
        for start, end in pairwise(corners):
            ends = _reached(ends, start, end)
        solutions = distinct(np.concatenate([solutions, ends]))
        quiet = 0 if len(solutions) > before else quiet + 1
        if len(solutions) == GENERAL if general else quiet == QUIET:
            break
    return StartSystem(parameters, solutions)


def _moved_start(rng: Any, base: Pattern, platform: Pattern) -> StartSystem:
    """Another platform with all solutions: tracked from the first one."""
    first = start_system(base, platform)
    for _ in range(LOOPS):
        parameters = _drawn(rng, base, platform)
        ends = distinct(_reached(first.solutions, first.parameters, parameters, 1e-3))
        if len(ends) == len(first.solutions):
            return StartSystem(parameters, ends)
    return first


def _reached(y: Array, start: Array, end: Array, accuracy: float = ACCURACY) -> Array:
    """The ends of paths at which Newton's method converged."""
    paths = tracked(GOUGH, y, start, end, accuracy)
    return paths.end[paths.arrived & converged(features(paths.end), paths.correction)]


def features(y: Array) -> Array:
    """A unique representation of a solution: rotation and position (..., 12); a quaternion has two signs."""
    return np.asarray(_features(np.ascontiguousarray(y).view(float))).view(complex)


@compiled("y[14] -> f[24]")
def _features(y: Any) -> Any:
    e, p = paired(y[:8]), paired(y[8:])
    return parts([*(x for row in rotation(e) for x in row), *p])


def repeated(f: Array) -> Array:
    """Which solutions (..., k, 12) repeat an earlier one, those that are not finite excluded.

    Equal ones have equal projections on any direction, so sorted numbers show quickly where nothing is equal; a
    complex direction distinguishes conjugates.
    """
    with np.errstate(invalid="ignore"):
        size = 1.0 + np.fmax(np.abs(f).max(axis=-1), 0.0)
        key = np.sort((f @ ASLANT).real, axis=-1)
        near = (np.diff(key, axis=-1) < SAME * np.abs(ASLANT).sum() * size.max(axis=-1, keepdims=True)).any(axis=-1)
    again = np.zeros(f.shape[:-1], bool)
    if near.any():
        g = f[near]
        gap = np.abs(g[:, :, None, :] - g[:, None, :, :]).max(axis=-1)
        with np.errstate(invalid="ignore"):
            again[near] = np.tril(gap < SAME * size[near][..., None], -1).any(axis=-1)
    return again


def conjugate_closed(f: Array, real: Array, known: Array) -> Array:
    """Whether complex solutions (..., k, 12) come in pairs, as those of real equations do: a jump between paths breaks
    one.

    Pairing is one to one: each solution is the partner of its partner, and of no other one.
    """
    others = known & ~real
    key = np.where(others, (f @ PROJECTION).real, np.inf)
    order = np.argsort(key, axis=-1)
    sorted_, there = np.take_along_axis(f, order[..., None], axis=-2), np.take_along_axis(others, order, axis=-1)
    even = key.shape[-1] // 2 * 2
    first, second = sorted_[..., 0:even:2, :], sorted_[..., 1:even:2, :]
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second.conj()).max(axis=-1) <= PAIRED * (1.0 + np.abs(first).max(axis=-1))
    closed = (others.sum(axis=-1) % 2 == 0) & (near | ~there[..., 0:even:2]).all(axis=-1)
    for k in np.argwhere(~closed):  # pairs with interleaved projections are examined one by one
        closed[tuple(k)] = _paired_off(f[tuple(k)][others[tuple(k)]])
    return np.asarray(closed)


def _paired_off(f: Array) -> bool:
    """Whether solutions (k, 12) can be divided into pairs of conjugates, by the nearest conjugate of each."""
    if not len(f):
        return True
    with np.errstate(invalid="ignore"):
        gap = np.abs(f[:, None] - f[None].conj()).max(axis=-1)
        gap[np.isnan(gap)] = np.inf
        np.fill_diagonal(gap, np.inf)  # no solution that is not real is its own partner
        partner = gap.argmin(axis=-1)
        near = gap.min(axis=-1) <= PAIRED * (1.0 + np.abs(f).max(axis=-1))
    return bool((near & (partner[partner] == np.arange(len(f)))).all())


def converged(f: Array, correction: Array) -> Array:
    """At which ends of paths Newton's method converged: features (..., 12) that are not too large, and a last
    correction that is rounding."""
    with np.errstate(invalid="ignore"):
        size = np.abs(f).max(axis=-1)
        return np.asarray((correction <= CONVERGED + ROUNDING * size * size) & (size <= LARGEST))


def distinct(y: Array) -> Array:
    """Each solution (k, 7) once."""
    return y[~repeated(features(y)) & np.isfinite(y).all(axis=-1)]


def squared_lengths(y: Array, parameters: Array) -> Array:
    R = features(y)[:9].reshape(3, 3)
    d = y[4:] + parameters[18:36].reshape(6, 3) @ R.T - parameters[:18].reshape(6, 3)
    return np.asarray((d * d).sum(axis=-1))


def _drawn(rng: Any, base: Pattern, platform: Pattern) -> Array:
    a, b = _complex(rng, 6, 3)[list(base)], _complex(rng, 6, 3)[list(platform)]
    return np.concatenate([a.ravel(), b.ravel(), 2.0 * _complex(rng, 6)])


def _complex(rng: Any, *shape: int) -> Array:
    return np.asarray((rng.normal(size=shape) + 1j * rng.normal(size=shape)) * np.sqrt(0.5))
