"""Constraint rows of a mechanism at several states: with closed loops, along the motion of the mechanism.

The equations run on arrays with one entry per state, so nothing is compiled here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.model.closure import Closure
from sixvec.model.held_frame import Held
from sixvec.model.model import Model

NUDGES = (0.0, 0.02, 0.1, 0.3, 0.3, 1.0, 1.0, 1.0)
"""Standard deviations, in rad or fractions of the size, of the starts around the neutral position."""

WIDE = (2.0,) * 24
"""The same of further starts, if loops cannot be closed from the first ones, or if there they have less than the rank
that they have while they are open."""

STRIDE, STRIDES = 0.15, 4
"""Length of a step along the motion of the mechanism, in rad or fractions of the size, and the number of steps."""

FAINT = 1e-3
"""Directions of motion with smaller entries for the joints of a loop are rounding: the loop stands still."""

FAR = 0.5
"""The fraction of a step along the motion that must be left when the loops are closed again."""

ROUNDS, LONGEST, STILL = 40, 0.5, 1e-11
"""Newton steps at most, the longest one, and the length below which the iteration has converged."""

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
    """For each row the size of its component, in metres: that of its largest loop."""
    scale: Array
    """The factor of each row: its size if it is about an angle, else 1."""
    unit: Array
    """The factor of each column: 1 for a coordinate that turns, else the size of its component."""
    steps: Array
    """(n, nv): the steps along the motion that led to the states, as fractions of their lengths; zero at the starts."""
    closed: NDArray[np.bool_]
    """(n, components): whether the loops of a component are closed.  Loops that share no joints close independently."""

    def on_motion(self, component: int) -> NDArray[np.bool_]:
        """The closed states that were reached by moving the joints of a component; all closed ones if none was.

        Positions at which a mechanism is stuck, isolated ones and those next to change points, have a rank of their own
        if dimensions are rounded.
        """
        return on_motion(self.rows[:, list(self.components[component])], self.closed[:, component], self.steps)


def on_motion(rows: Array, closed: NDArray[np.bool_], steps: Array) -> NDArray[np.bool_]:
    """`ConstraintSamples.on_motion` of a component, from its rows (n, m, nv)."""
    moving = np.abs(rows).max(axis=(0, 1)) > 0.0
    reached = closed & (np.abs(steps[:, moving]).max(axis=1, initial=0.0) > FAR)
    return np.asarray(reached if reached.any() else closed)


def constraint_samples(
    model: Model, hold: tuple[Held, ...], sizes: tuple[float, ...], tolerance: float
) -> ConstraintSamples | None:
    """Rows at states with closed loops of these `loop_sizes`; None if some loop was closed in none of them."""
    sampling = Sampling(model, hold, sizes, tolerance)
    if model.closures:
        states, steps, closed = sampling.closed_states()
    else:
        states = sampling.starts()
        steps = np.zeros((states.shape[1], model.nv))
        closed = sampling.are_closed(states)
    if not closed.any(axis=0).all():
        return None
    rows = sampling.rows(states, hold)
    of_rows = sampling.components, sampling.size, sampling.scale, sampling.unit
    return ConstraintSamples(states.T, rows, *of_rows, steps, closed)


class Sampling:
    """Positions are (nq, n): one array per coordinate, as the equations need them."""

    def __init__(self, model: Model, hold: tuple[Held, ...], sizes: tuple[float, ...], tolerance: float) -> None:
        self.model, self.hold, self.tolerance = model, hold, tolerance
        self._rng = np.random.default_rng(0)
        angles = [_angles(c) for c in (*model.closures, *hold)]
        owners = [k for k, rows in enumerate(angles) for _ in rows]
        support = self.support = self._support()
        self.components = _components(support)
        self.size = np.ones(len(owners))
        for part in self.components:
            self.size[list(part)] = max(sizes[owners[r]] for r in part) or 1.0
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
        return self.moved(np.repeat(self.neutral()[:, None], len(deviations), axis=1), nudges)

    def closed_states(self) -> tuple[Array, Array, NDArray[np.bool_]]:
        """States near the starts and further ones along the motion, the steps to them, and which loops are closed.

        Near the neutral position loops may not close, or be folded: links that cover each other, as those of a scissor
        lift, move in ways in which more rows depend on each other than elsewhere.  Then there are further starts.
        """
        near = self.starts()
        result = self._motions_from(self.closed(near))
        if self._has_full_rank(near, *result):
            return result
        more = self._motions_from(self.closed(self.starts(WIDE)))
        states, steps, closed = (np.concatenate(x, axis=k) for x, k in zip(zip(result, more, strict=True), (1, 0, 0)))
        return states, steps, closed

    def _motions_from(self, q: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """The states q (nq, n) in which loops are closed, and others along the motion, as `closed_states`."""
        closed = self.are_closed(q)
        q, closed = q[:, closed.any(axis=1)], closed[closed.any(axis=1)]
        states, steps, which = [q], [np.zeros((q.shape[1], self.model.nv))], [closed]
        way = self._rng.normal(size=(q.shape[1], self.model.nv))
        for _ in range(STRIDES if q.shape[1] else 0):
            way = self._along(q, way)
            q1 = self.closed(self.moved(q, STRIDE * way), closed)
            closed = closed & self.are_closed(q1)
            steps.append(self._fractions(q, q1, way))
            which.append(closed)
            states.append(q := q1)
        return np.concatenate(states, axis=1), np.concatenate(steps), np.concatenate(which)

    def _has_full_rank(self, open_states: Array, q: Array, steps: Array, closed: NDArray[np.bool_]) -> bool:
        """Whether all loops have closed, and their rows are as independent on the motion as with open loops.

        The rank is nowhere larger than at open states in general.
        """
        if not closed.any(axis=0).all():
            return False
        at_open, rows = self.rows(open_states), self.rows(q)
        for n, part in enumerate(self._closure_parts()):
            reached = on_motion(rows[:, part], closed[:, n], steps) if part else closed[:, n]
            if self._rank(at_open[:, part], part) > self._rank(rows[reached][:, part], part):
                return False
        return True

    def _rank(self, A: Array, part: list[int]) -> int:
        """The largest rank of rows A (n, m, nv) of a component."""
        if not part:
            return 0
        sigma = np.linalg.svd(np.nan_to_num(A), compute_uv=False)
        return int((sigma > SUM * self.tolerance * self.size[part[0]]).sum(axis=1).max(initial=0))

    def _fractions(self, q0: Array, q1: Array, way: Array) -> Array:
        """The steps from q0 to q1 (n, nv) as fractions of the longest entry of `way` in their component."""
        from sixvec.algorithms.difference import difference

        change = stacked([[x] for x in difference(self.model, list(q0), list(q1))], q0.shape[1], 1)[..., 0]
        asked = np.full_like(change, np.inf)
        for part in self.components:
            columns = self.support[list(part)].any(axis=0)
            longest = np.abs(way[:, columns]).max(axis=1, initial=0.0)
            asked[:, columns] = np.where(longest > FAINT, longest, np.inf)[:, None]
        return np.asarray(change / self.unit / (STRIDE * asked))

    def rows(self, q: Array, hold: tuple[Held, ...] = ()) -> Array:
        """The rows (n, m, nv), in units of length."""
        from sixvec.algorithms.constraint_terms import constraint_jacobian

        A = stacked(constraint_jacobian(self.model, list(q), hold=hold), q.shape[1], self.model.nv)
        return A * self.scale[: A.shape[1], None] * self.unit

    def errors(self, q: Array) -> Array:
        from sixvec.algorithms.closure_error import closure_error

        e = stacked([[x] for x in closure_error(self.model, list(q))], q.shape[1], 1)[..., 0]
        return e * self.scale[: e.shape[1]]

    def closed(self, q: Array, only: Any = True) -> Array:
        """Newton steps by the rows that are independent to the tolerance; some loops may stay open.

        `only` these components (n, components) are closed, the others stay.
        """
        chosen = np.broadcast_to(only, (q.shape[1], len(self.components)))
        for _ in range(ROUNDS):
            step = -self._solved(self.rows(q), self.errors(q), chosen)
            q = self.moved(q, step)
            if not (np.abs(step) > STILL).any():
                break
        return q

    def are_closed(self, q: Array) -> NDArray[np.bool_]:
        """For each state (nq, n) and component, whether its loops are closed (n, components)."""
        e = self.errors(q)
        limit = OPEN * self.tolerance * self.size[: e.shape[1]]
        within, finite = np.abs(e) <= limit, np.isfinite(q).all(axis=0)
        return np.stack([within[:, part].all(axis=1) & finite for part in self._closure_parts()], axis=1)

    def _solved(self, A: Array, e: Array, chosen: NDArray[np.bool_]) -> Array:
        """The shortest steps that close the loops, none longer than `LONGEST` in a component."""
        steps = np.zeros((len(A), self.model.nv))
        for part, is_chosen in zip(self._closure_parts(), chosen.T, strict=True):
            if not part:
                continue
            U, sigma, Vt = np.linalg.svd(np.nan_to_num(A[:, part]), full_matrices=False)
            is_there = sigma > SUM * self.tolerance * self.size[part[0]]
            gain = np.where(is_there, 1.0 / np.where(is_there, sigma, 1.0), 0.0)
            step = np.einsum("nk,nkj->nj", gain * np.einsum("nik,ni->nk", U, np.nan_to_num(e[:, part])), Vt)
            long = np.abs(step).max(axis=1, initial=0.0)
            steps += step * (is_chosen * np.minimum(1.0, LONGEST / np.maximum(long, LONGEST)))[:, None]
        return steps

    def _along(self, q: Array, way: Array) -> Array:
        """The directions of the mechanism's motion nearest to `way`, with entries up to 1."""
        A = self.rows(q)
        for part in filter(None, self._closure_parts()):
            _, sigma, Vt = np.linalg.svd(A[:, part], full_matrices=False)
            V = Vt * (sigma > SUM * self.tolerance * self.size[part[0]])[..., None]
            way = way - np.einsum("nkj,nk->nj", V, np.einsum("nkj,nj->nk", V, way))
        return np.asarray(way / np.maximum(np.abs(way).max(axis=1, keepdims=True), 1e-300))

    def _closure_parts(self) -> list[list[int]]:
        """The rows of closures in each component; those of held frames have no errors."""
        m = sum(c.constraints for c in self.model.closures)
        return [[r for r in part if r < m] for part in self.components]

    def moved(self, q: Array, step: Array) -> Array:
        """`step` (n, nv) is in units of the coordinates."""
        from sixvec.algorithms.integrate import integrate

        n = q.shape[1]
        return np.array([np.broadcast_to(x, n) for x in integrate(self.model, list(q), list((step * self.unit).T))])

    def neutral(self) -> Array:
        q = [0.0] * self.model.nq
        for b in self.model.moving:
            q[self.model.q_slices[b.name]] = b.joint.neutral()
        return np.array(q)

    def _support(self) -> NDArray[np.bool_]:
        """Which coordinates move each row, at positions in general."""
        from sixvec.algorithms.constraint_terms import constraint_jacobian

        q = self.neutral()[:, None]
        general = [np.ones((1, self.model.nv)), np.full((1, self.model.nv), 0.3)]
        self.unit = np.ones(self.model.nv)
        support = []
        for nudge in general:
            at = self.moved(q, nudge * np.cos(1.0 + np.arange(self.model.nv)))
            rows = constraint_jacobian(self.model, list(at), hold=self.hold)
            support.append(np.array([[np.any(np.asarray(x) != 0.0) for x in row] for row in rows], bool))
        return np.asarray(support[0] | support[1]).reshape(-1, self.model.nv)


def stacked(rows: Any, n: int, width: int) -> Array:
    """Entries that are numbers or arrays of n as one array (n, m, width)."""
    stacked = np.empty((n, len(rows), width))
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            stacked[:, i, j] = x
    return stacked


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
