"""Constraint rows of a mechanism at several states: with closed loops, along the motion of the mechanism.

The equations run on arrays with one entry per state, so nothing is compiled here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.parts.held_frames import Held
from sixvec.arguments import Array
from sixvec.model.closure import Closure
from sixvec.model.model import Model

NUDGES = (0.0, 0.02, 0.1, 0.3, 0.3, 1.0, 1.0, 1.0)
"""Standard deviations, in rad or fractions of the size, of the starts around the neutral position."""

WIDE = (2.0,) * 24
"""The same of further starts, if loops cannot be closed from the first ones."""

STRIDE, STRIDES = 0.15, 4
"""Length of a step along the motion of the mechanism, in rad or fractions of the size, and the number of steps."""

FAINT = 1e-3
"""Directions of motion with smaller entries for the joints of a loop are rounding: the loop stands still."""

FAR = 0.5
"""The fraction of a step along the motion that must be left when the loops are closed again."""

ROUNDS, LONGEST, STILL = 40, 0.5, 1e-11
"""Newton steps at most, the longest one, and the length below which the iteration has converged."""

SHORTEST = 1e-9
"""All axes of a loop with a shorter perimeter, in metres, pass through one point: only its angles count."""

SUM = 10.0
"""Rows count as dependent up to this multiple of the tolerance: errors of several dimensions add up around a loop."""

OPEN = 30.0
"""States count as closed up to this multiple of the tolerance: gaps add up, and levers enlarge them."""


@dataclass(frozen=True)
class ConstraintSamples:
    """Rows (n, m, nv) at n states, in units of length, so that angles and distances count alike."""

    states: Array
    """(n, nq)"""
    rows: Array
    components: tuple[tuple[int, ...], ...]
    """Rows that share joints.  Rows of different components are independent of each other."""
    size: Array
    """For each row the size of its component, in metres: the longest way around one of its loops."""
    scale: Array
    """The factor of each row: its size if it is about an angle, else 1."""
    unit: Array
    """The factor of each column: 1 for a coordinate that turns, else the size of its component."""
    steps: Array
    """(n, nv): the steps along the motion that led to the states, as fractions of their lengths; zero at the starts."""

    def on_motion(self, part: Iterable[int]) -> NDArray[np.bool_]:
        """The states that were reached by moving the joints of these rows; all states if none was.

        Positions at which a mechanism is stuck, isolated ones and those next to change points, have a rank of their own
        if dimensions are rounded.
        """
        moving = np.abs(self.rows[:, list(part)]).max(axis=(0, 1)) > 0.0
        reached = np.abs(self.steps[:, moving]).max(axis=1, initial=0.0) > FAR
        return reached if reached.any() else np.ones(len(reached), bool)


def constraint_samples(model: Model, hold: tuple[Held, ...], tolerance: float) -> ConstraintSamples | None:
    """Rows at states with closed loops; None if no such state was found."""
    sampling = _Sampling(model, hold, tolerance)
    if model.closures:
        states, steps = sampling.closed_states()
    else:
        states = sampling.starts()
        steps = np.zeros((states.shape[1], model.nv))
    if not states.shape[1]:
        return None
    rows = sampling.rows(states, hold)
    return ConstraintSamples(states.T, rows, sampling.components, sampling.size, sampling.scale, sampling.unit, steps)


class _Sampling:
    """Positions are (nq, n): one array per coordinate, as the equations need them."""

    def __init__(self, model: Model, hold: tuple[Held, ...], tolerance: float) -> None:
        self.model, self.hold, self.tolerance = model, hold, tolerance
        self._rng = np.random.default_rng(0)
        loops = [_length(model, c) for c in (*model.closures, *hold)]
        angles = [_angles(c) for c in (*model.closures, *hold)]
        owners = [k for k, rows in enumerate(angles) for _ in rows]
        support = self.support = self._support()
        self.components = _components(support)
        self.size = np.ones(len(owners))
        for part in self.components:
            self.size[list(part)] = max(loops[owners[r]] for r in part) or 1.0
        is_angle = np.array([x for rows in angles for x in rows], bool)
        self.scale = np.where(is_angle, self.size, 1.0)
        longest = float(self.size.max(initial=0.0)) or 1.0
        column_size = np.full(model.nv, longest)
        for part in self.components:
            column_size[support[list(part)].any(axis=0)] = self.size[part[0]]
        self.unit = np.where(_turning(model), 1.0, column_size)
        """A unit of each velocity coordinate: 1 rad, or the size of the component."""

    def starts(self, deviations: tuple[float, ...] = NUDGES) -> Array:
        """The neutral position and positions around it."""
        nudges = np.array(deviations)[:, None] * self._rng.normal(size=(len(deviations), self.model.nv))
        return self._moved(np.repeat(self._neutral()[:, None], len(deviations), axis=1), nudges)

    def closed_states(self) -> tuple[Array, Array]:
        """States with closed loops near the starts, and further ones along the motion; the steps that led to them."""
        q = self._closed(self.starts())
        if not q.shape[1]:
            q = self._closed(self.starts(WIDE))[:, : len(NUDGES)]
        found, steps = [q], [np.zeros((q.shape[1], self.model.nv))]
        way = self._rng.normal(size=(q.shape[1], self.model.nv))
        for _ in range(STRIDES):
            if not q.shape[1]:
                break
            way = self._along(q, way)
            q1 = self._closed(self._moved(q, STRIDE * way), keep=True)
            is_closed = self._is_closed(q1)
            steps.append(self._fractions(q, q1, way)[is_closed])
            q, way = q1[:, is_closed], way[is_closed]
            found.append(q)
        return np.concatenate(found, axis=1), np.concatenate(steps)

    def _fractions(self, q0: Array, q1: Array, way: Array) -> Array:
        """The steps from q0 to q1 (n, nv) as fractions of the longest entry of `way` in their component."""
        from sixvec.algorithms.difference import difference

        change = _stacked([[x] for x in difference(self.model, list(q0), list(q1))], q0.shape[1], 1)[..., 0]
        asked = np.full_like(change, np.inf)
        for part in self.components:
            own = self.support[list(part)].any(axis=0)
            longest = np.abs(way[:, own]).max(axis=1, initial=0.0)
            asked[:, own] = np.where(longest > FAINT, longest, np.inf)[:, None]
        return np.asarray(change / self.unit / (STRIDE * asked))

    def rows(self, q: Array, hold: tuple[Held, ...] = ()) -> Array:
        """The rows (n, m, nv), in units of length."""
        from sixvec.algorithms.constraint_terms import constraint_jacobian

        A = _stacked(constraint_jacobian(self.model, list(q), hold=hold), q.shape[1], self.model.nv)
        return A * self.scale[: A.shape[1], None] * self.unit

    def _errors(self, q: Array) -> Array:
        from sixvec.algorithms.closure_error import closure_error

        e = _stacked([[x] for x in closure_error(self.model, list(q))], q.shape[1], 1)[..., 0]
        return e * self.scale[: e.shape[1]]

    def _closed(self, q: Array, keep: bool = False) -> Array:
        """Newton steps by the rows that are independent to the tolerance; states that stay open are left out."""
        for _ in range(ROUNDS):
            step = -self._solved(self.rows(q), self._errors(q))
            long = np.abs(step).max(axis=1, initial=0.0)
            q = self._moved(q, step * np.minimum(1.0, LONGEST / np.maximum(long, LONGEST))[:, None])
            if not (long > STILL).any():
                break
        return q if keep else q[:, self._is_closed(q)]

    def _is_closed(self, q: Array) -> NDArray[np.bool_]:
        e = self._errors(q)
        limit = OPEN * self.tolerance * self.size[: e.shape[1]]
        return np.asarray((np.abs(e) <= limit).all(axis=1) & np.isfinite(q).all(axis=0))

    def _solved(self, A: Array, e: Array) -> Array:
        found = np.zeros((len(A), self.model.nv))
        for part in self._closure_parts():
            U, sigma, Vt = np.linalg.svd(np.nan_to_num(A[:, part]), full_matrices=False)
            is_there = sigma > SUM * self.tolerance * self.size[part[0]]
            gain = np.where(is_there, 1.0 / np.where(is_there, sigma, 1.0), 0.0)
            found += np.einsum("nk,nkj->nj", gain * np.einsum("nik,ni->nk", U, np.nan_to_num(e[:, part])), Vt)
        return found

    def _along(self, q: Array, way: Array) -> Array:
        """The directions of the mechanism's motion nearest to `way`, with entries up to 1."""
        A = self.rows(q)
        for part in self._closure_parts():
            _, sigma, Vt = np.linalg.svd(A[:, part], full_matrices=False)
            V = Vt * (sigma > SUM * self.tolerance * self.size[part[0]])[..., None]
            way = way - np.einsum("nkj,nk->nj", V, np.einsum("nkj,nj->nk", V, way))
        return np.asarray(way / np.maximum(np.abs(way).max(axis=1, keepdims=True), 1e-300))

    def _closure_parts(self) -> Iterable[list[int]]:
        m = sum(c.constraints for c in self.model.closures)
        return filter(None, ([r for r in part if r < m] for part in self.components))

    def _moved(self, q: Array, step: Array) -> Array:
        """`step` (n, nv) is in units of the coordinates."""
        from sixvec.algorithms.integrate import integrate

        n = q.shape[1]
        return np.array([np.broadcast_to(x, n) for x in integrate(self.model, list(q), list((step * self.unit).T))])

    def _neutral(self) -> Array:
        q = [0.0] * self.model.nq
        for b in self.model.moving:
            q[self.model.q_slices[b.name]] = b.joint.neutral()
        return np.array(q)

    def _support(self) -> NDArray[np.bool_]:
        """Which coordinates move each row, at positions in general."""
        from sixvec.algorithms.constraint_terms import constraint_jacobian

        q = self._neutral()[:, None]
        general = [np.ones((1, self.model.nv)), np.full((1, self.model.nv), 0.3)]
        self.unit = np.ones(self.model.nv)
        found = []
        for nudge in general:
            at = self._moved(q, nudge * np.cos(1.0 + np.arange(self.model.nv)))
            rows = constraint_jacobian(self.model, list(at), hold=self.hold)
            found.append(np.array([[np.any(np.asarray(x) != 0.0) for x in row] for row in rows], bool))
        return np.asarray(found[0] | found[1]).reshape(-1, self.model.nv)


def _stacked(rows: Any, n: int, width: int) -> Array:
    """Entries that are numbers or arrays of n as one array (n, m, width)."""
    found = np.empty((n, len(rows), width))
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            found[:, i, j] = x
    return found


def _angles(c: Any) -> list[bool]:
    """For each row of a constraint, whether it is about an angle."""
    from sixvec.algorithms.parts.closure_rows import rows_of

    if isinstance(c, Closure):
        return [row.name.startswith("turn") for row in rows_of(c.joint)]
    return [d.turns for d in c.directions] if isinstance(c, Held) else [True]


def _turning(model: Model) -> NDArray[np.bool_]:
    """For each velocity coordinate, whether it turns."""
    turns = [
        bool(any(float(x) != 0.0 for x in s.ang)) for b in model.moving for s in b.joint.subspace(b.joint.neutral())
    ]
    return np.array(turns, bool)


def _length(model: Model, c: Any) -> float:
    """The way around a loop from joint to joint, or from the root to a held frame, in metres; 0 if it is rounding."""
    if not isinstance(c, Closure | Held):
        return 0.0
    ends = (c.first, c.second) if isinstance(c, Closure) else (c.frame, c.to)
    frames = [model.frame(name) for name in ends if name is not None]
    paths = [model.path(frame.body) for frame in frames]
    shared = {b.name for b in paths[0]} & {b.name for b in paths[-1]} if len(paths) > 1 else set()
    ways = [
        [*(b.placement.pos for b in path if b.name not in shared), frame.placement.pos]
        for path, frame in zip(paths, frames, strict=True)
    ]
    # Where the loop is on the body that both ways start from does not matter.
    first = [way[0] for way in ways] if len(ways) == 1 else [ways[0][0] - ways[1][0]]
    way = sum(_norm(p) for p in (*first, *(p for way in ways for p in way[1:])))
    return way if way > SHORTEST else 0.0


def _norm(p: Any) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in p))


def _components(support: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Rows that share a coordinate, directly or through other rows, in order."""
    parts: list[tuple[set[int], NDArray[np.bool_]]] = []
    for r, row in enumerate(support):
        members, columns = {r}, row.copy()
        apart = []
        for other, used in parts:
            if (used & columns).any():
                members, columns = members | other, columns | used
            else:
                apart.append((other, used))
        parts = [*apart, (members, columns)]
    return tuple(sorted(tuple(sorted(members)) for members, _ in parts))
