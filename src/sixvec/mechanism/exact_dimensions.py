"""The nearest dimensions of a mechanism for which what rounding has spoilt is exact.

Rows that depend on others up to rounding lock a mechanism that is taken literally, and rounding moves the branches of a
change point apart.  The dimensions found here have the change points, and rows that are exactly dependent: Newton's
method, where each step is the shortest change of all placements along the way around the loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sixvec.algorithms.closure_error import closure_error
from sixvec.arguments import Array
from sixvec.mechanism.change_points import NUDGE, ChangePoint, ChangePointSearch, search_of
from sixvec.mechanism.constraint_samples import SUM, stacked
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model.body import Body, Frame
from sixvec.model.canonical import canonical
from sixvec.model.closure import Closure
from sixvec.model.model import Model
from sixvec.spatial import Pose, Vec3, so3
from sixvec.tolerances import ROUNDING

FAINT = 1e-3
"""Dimensions, and combinations of them, with less effect than this fraction of the largest are left alone."""

SURE, WEAKEST = 10.0, 1e-6
"""Combinations of weaker effect too, down to the second fraction, if it is at least this multiple of the errors: these
disturb the effects as much."""

EXACT = 1e-10
"""Errors, as a fraction of the size, of dimensions that are exact enough: mechanisms with larger ones pass singular
positions as exact ones do."""

CORRECTIONS = 6
"""Newton steps for the dimensions, each of which squares the error."""

REGULAR = 0.1
"""States count whose smallest singular value is at least this fraction of its usual size: near singular ones the
direction in which rows depend is not known."""

AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


@lru_cache(maxsize=64)
def with_exact_dimensions(
    model: Model, points: tuple[ChangePoint, ...], components: tuple[int, ...] = ()
) -> Model | None:
    """The canonical model with the least change of dimensions for which these are exact, None if rounding is less.

    Exact are the change points, and the dependences of the rows of these components.
    """
    rank, corrected = row_rank(model), canonical(model)
    dimensions, size = _dimensions(corrected, bool(components)), max(rank.size)
    states = {n: _regular_states(search_of(model, n), rank.typical[n]) for n in components}
    total, errors = np.zeros(len(dimensions)), np.zeros(0)
    for n in range(CORRECTIONS + 1):
        conditions = [_of_point(corrected, rank, x) for x in points] + [
            _of_rows(corrected, rank, *x) for x in states.items()
        ]
        errors = np.concatenate([x.errors for x in conditions])
        if not np.isfinite(errors).all():
            return None
        if np.abs(errors).max(initial=0.0) <= ROUNDING * size or n == CORRECTIONS:
            break
        J = np.concatenate([x.slopes(corrected, dimensions, rank) for x in conditions])
        if not components:
            J[np.abs(J) < FAINT * np.abs(J).max(axis=1, keepdims=True, initial=0.0)] = 0.0
        weak = np.clip(SURE * np.abs(errors).max() / size, WEAKEST, FAINT)
        change = np.linalg.lstsq(J, -errors, rcond=weak)[0]
        total += change
        corrected = _changed(corrected, dimensions, change.tolist(), size)
    is_small = np.abs(total).max(initial=0.0) <= SUM * model.loop_tolerance * size
    return corrected if is_small and np.abs(errors).max(initial=0.0) <= EXACT * size else None


class _Condition(NamedTuple):
    """Sums of errors at positions q (nq, n), with the weights (n, k, rows), that vanish for exact dimensions."""

    rows: list[int]
    q: Array
    weights: Array
    errors: Array
    """(n * k,), in metres."""

    def slopes(self, model: Model, dimensions: Sequence[_Dimension], rank: RowRank) -> Array:
        """The derivatives of the errors (n * k, dimensions) at these positions, with weights that stay."""
        size, n = max(rank.size), self.q.shape[1]
        scale = np.array([rank.scale[r] for r in self.rows])
        slopes = []
        for d in dimensions:
            ahead, behind = (
                stacked([[x] for x in closure_error(_changed(model, [d], [x], size), list(self.q))], n, 1)[..., 0]
                for x in (NUDGE * size, -NUDGE * size)
            )
            slope = (ahead - behind)[:, self.rows] * scale / (2.0 * NUDGE * size)
            slopes.append(np.einsum("nki,ni->nk", self.weights, slope).ravel())
        return np.stack(slopes, axis=-1)


def _of_point(model: Model, rank: RowRank, point: ChangePoint) -> _Condition:
    """The errors u · e at a change point."""
    search = ChangePointSearch(model, rank, point.component)
    q, u = search.critical(np.array(point.q)[:, None], point.lost)
    return _Condition(search.rows, q, u, search.gaps(q, u).ravel())


def _of_rows(model: Model, rank: RowRank, component: int, q: Array) -> _Condition:
    """The errors that are left at states along the motion when the independent rows are closed."""
    search = ChangePointSearch(model, rank, component)
    q = search.sampling.closed(q)
    weights, errors = search.left_open(q)
    return _Condition(list(rank.components[component].rows), q, weights, errors.ravel())


def _regular_states(search: ChangePointSearch, typical: float) -> Array:
    """Closed states (nq, n) along the motion of one component."""
    q, _, closed = search.sampling.closed_states()
    margin = search.decomposed(q)[1][:, search.rank - 1]
    return np.asarray(q[:, closed.all(axis=1) & (margin > REGULAR * typical)])


class _Dimension(NamedTuple):
    """A placement that is shifted along a direction, or turned about it."""

    kind: type
    name: str
    is_angle: bool
    along: Vec3


def _dimensions(model: Model, every: bool) -> list[_Dimension]:
    """Of the ways around loops: `every` direction, or lengths and angles that are not zero.

    Zeros are exact for change points, and save operations.
    """
    ends = {name for c in model.closures if isinstance(c, Closure) for name in (c.first, c.second)}
    carriers = {b.name for name in ends for b in model.path(model.frame(name).body)}
    parts: list[Body | Frame] = [b for b in model.bodies if b.name in carriers]
    parts += [f for f in model.frames if f.name in ends]
    dimensions = []
    for part in parts:
        for is_angle, p in ((False, part.placement.pos), (True, so3.log(part.placement.rot))):
            ways = AXES if every else (p * (1.0 / _norm(p)),) if _norm(p) > 0.0 else ()
            dimensions += [_Dimension(type(part), part.name, is_angle, along) for along in ways]
    return dimensions


def _changed(model: Model, dimensions: Sequence[_Dimension], by: Sequence[float], size: float) -> Model:
    """The model with placements shifted, and turned by these numbers as fractions of the size."""
    bodies, frames = {b.name: b for b in model.bodies}, {f.name: f for f in model.frames}
    for dimension, x in zip(dimensions, by, strict=True):
        if x != 0.0:
            if dimension.kind is Body:
                b = bodies[dimension.name]
                bodies[b.name] = replace(b, placement=_moved(b.placement, dimension, x, size))
            else:
                f = frames[dimension.name]
                frames[f.name] = replace(f, placement=_moved(f.placement, dimension, x, size))
    return replace(model, bodies=tuple(bodies.values()), frames=tuple(frames.values()))


def _moved(X: Pose, dimension: _Dimension, x: float, size: float) -> Pose:
    if not dimension.is_angle:
        return Pose(X.rot, X.pos + dimension.along * x)
    return Pose(X.rot @ so3.exp(dimension.along * (x / size)), X.pos)


def _norm(p: Vec3) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in p))
