"""Change points of loops: positions at which branches of the motion cross, as in a flat parallelogram.

There the rows lose rank.  Dimensions that are rounded move the branches apart: taken literally, the motion turns
sharply from one to the other, within the square root of the rounding.  So a change point is a property of the mechanism
with exact dimensions, as its rank is, and the nearest dimensions that have it describe the motion past it.

With the singular value σ that vanishes and its vectors u (of rows) and n (of coordinates),  g = Aᵀ u = σ n  is the
gradient of the error u · e along motions that keep the other combinations of rows at zero.  Newton's method leads to
g = 0; the error that is left there is what rounding adds.  Where several legs are straight at once, several singular
values vanish, with a vector u and a gradient g each.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from sixvec.arguments import Array
from sixvec.mechanism.constraint_samples import SUM, Sampling
from sixvec.mechanism.loop_size import loop_sizes
from sixvec.mechanism.row_rank import RowRank, row_rank, skeleton
from sixvec.model.canonical import canonical
from sixvec.model.model import Model
from sixvec.tolerances import ROUNDING

ROUNDS, LONGEST, STILL = 12, 0.2, 1e-8
"""Newton steps at most, the longest one, and the length of the last one, in rad or fractions of the size."""

NUDGE = 1e-5
"""The step of differences for second derivatives."""

BENT = 0.01
"""Second derivatives of errors smaller than this fraction of the size are none."""

VANISHING = 0.03
"""Singular values below this fraction of the smallest usual one vanish together with another one."""

LEFT = 0.003
"""The largest gradient, as a fraction of the size, that rounding leaves where several singular values vanish."""

DIGITS = 3
"""Digits of the position of a change point: the same one is found from many states, up to rounding of dimensions."""


@dataclass(frozen=True)
class ChangePoint:
    """Where branches cross, for one component of the rows."""

    component: int
    q: tuple[float, ...]
    """Only the coordinates of the component count; angles are within one turn."""
    gap: float = field(compare=False)
    """The error there, as a fraction of the size: what rounded dimensions add."""
    apart: float = field(compare=False)
    """How far that moves the branches apart: the singular value there, as a fraction of its usual size."""
    lost: int = 1
    """By how much the rank is lower there."""

    @property
    def is_exact(self) -> bool:
        return abs(self.gap) <= ROUNDING


def change_points(model: Model, component: int, q: Array) -> list[ChangePoint | None]:
    """The change points next to the states q (n, nq); None where there is none, or it is beyond the loop tolerance."""
    search = search_of(model, component)
    found: list[ChangePoint | None] = [None] * len(q)
    lost = np.ones(len(q), int)
    for n in range(2):
        for k in np.unique(lost[lost > n]):
            states = np.flatnonzero(lost == k)
            near, points = _of_rank_lower_by(int(k), search, model, component, q[states])
            for at, x in zip(states, points, strict=True):
                found[at] = found[at] if x is None else x
            lost[states] = np.maximum(k, np.maximum(search.vanishing(near), search.vanishing(q[states].T)))
    return found


def _of_rank_lower_by(
    lost: int, search: ChangePointSearch, model: Model, component: int, q: Array
) -> tuple[Array, list[ChangePoint | None]]:
    """The positions (nq, n) next to the states q, and the change points there, by which the rank is lower by `lost`."""
    near, u = search.critical(q.T, lost)
    error, bends, typical = search.gaps(near, u), search.bends(near, u), row_rank(model).typical[component]
    least, gap = BENT * search.size, error / search.size
    valid = (bends[..., 0] < -least) & (bends[..., -1] > least) & (np.abs(gap) <= SUM * model.loop_tolerance)
    if lost > 1:
        valid &= search.largest_gradient(near, u) <= LEFT * search.size
    apart = np.sqrt(2.0 * np.abs(error[..., None] * bends).max(axis=(1, 2))) / typical
    largest = np.take_along_axis(gap, np.abs(gap).argmax(axis=1)[:, None], axis=1)[:, 0]
    return near, [
        ChangePoint(component, search.rounded(near[:, k]), float(largest[k]), float(apart[k]), lost)
        if valid[k].all()
        else None
        for k in range(len(q))
    ]


class ChangePointSearch:
    """For one component of the rows.  Positions are (nq, n), as in `Sampling`."""

    def __init__(self, model: Model, rank: RowRank, component: int) -> None:
        part = rank.components[component]
        self.size, self.rank, self.columns = rank.size[part.rows[0]], part.rank, list(part.columns)
        self.typical = rank.typical[component]
        self.rows = [r for r in part.rows if r in rank.used]
        owners = [k for k, c in enumerate(model.closures) for _ in range(c.constraints)]
        closures_of_rows = sorted({owners[r] for r in part.rows})
        all_own = [r for r, k in enumerate(owners) if k in closures_of_rows]
        self._local = [all_own.index(r) for r in self.rows]
        self._all_local = [all_own.index(r) for r in part.rows]
        closures = tuple(model.closures[k] for k in closures_of_rows)
        bare = replace(skeleton(model), closures=closures)
        self.sampling = Sampling(bare, (), loop_sizes(canonical(model), closures), model.loop_tolerance)

    def critical(self, q: Array, lost: int = 1) -> tuple[Array, Array]:
        """Positions at which the gradients of `lost` errors vanish, NaN if not found, and u (n, lost, rows) there."""
        q = np.array(q, float)
        long = np.full(q.shape[1], np.inf)
        u = np.swapaxes(self.decomposed(q)[0][..., self.rank - lost : self.rank], -1, -2)
        with np.errstate(invalid="ignore", over="ignore"):
            for _ in range(ROUNDS):
                U, sigma, V = self._strong(q, lost)
                missed = np.einsum("nik,ni->nk", U, self._errors(q)) / sigma
                T = self._others(q, lost)
                slopes = np.concatenate([self._curvature(q, x, T, lost) for x in self._each(u)], axis=1)
                gradients = np.concatenate([T @ self._gradient(q, x, lost)[..., None] for x in self._each(u)], axis=1)
                turn = np.linalg.pinv(slopes) @ gradients
                step = -np.einsum("nkj,nk->nj", V, missed) - np.einsum("nkj,nk->nj", T, turn[..., 0])
                long = np.abs(step).max(axis=1, initial=0.0)
                q = self._moved(q, step * np.minimum(1.0, LONGEST / np.maximum(long, LONGEST))[:, None])
                if not (long > STILL).any():
                    break
        q[:, np.flatnonzero(~(long <= STILL))] = np.nan
        U, _, _ = self._strong(q, lost)
        basis: list[Array] = []
        for x in self._each(u):
            x = x - np.einsum("nik,nk->ni", U, np.einsum("nik,ni->nk", U, x))
            for y in basis:
                x = x - y * np.einsum("ni,ni->n", x, y)[:, None]
            basis.append(x / np.linalg.norm(x, axis=1, keepdims=True))
        return q, np.stack(basis, axis=1)

    def vanishing(self, q: Array) -> Array:
        """How many singular values vanish at the states q (nq, n), at least one."""
        sigma = self.decomposed(q)[1][:, : self.rank]
        small = (sigma < VANISHING * self.typical).sum(axis=1)
        return np.where(np.isfinite(q.sum(axis=0)), np.clip(small, 1, max(self.rank - 1, 1)), 1)

    def gaps(self, q: Array, u: Array) -> Array:
        return np.asarray(np.einsum("nki,ni->nk", u, self._errors(q)))

    def bends(self, q: Array, u: Array) -> Array:
        """Second derivatives of the errors: branches meet where each grows in some directions and falls in others."""
        lost, found = u.shape[1], []
        for x in self._each(u):
            H = self._curvature(q, x, self._others(q, lost), lost)
            H = np.where(np.isfinite(q.sum(axis=0))[:, None, None], H, 0.0)
            found.append(np.linalg.eigvalsh(0.5 * (H + np.swapaxes(H, -1, -2))))
        return np.stack(found, axis=1)

    def largest_gradient(self, q: Array, u: Array) -> Array:
        """(n, 1)"""
        g = np.stack([self._gradient(q, x, u.shape[1]) for x in self._each(u)], axis=1)
        return np.asarray(np.abs(g).max(axis=(1, 2))[:, None])

    def rounded(self, q: Array) -> tuple[float, ...]:
        """A position to `DIGITS`, with angles within one turn, and neutral joints of other components."""
        bare, rounded_q = self.sampling.model, self.sampling.neutral()
        for b in bare.moving:
            at, where = bare.v_slices[b.name], bare.q_slices[b.name]
            if any(at.start <= c < at.stop for c in self.columns):
                turns = b.joint.nq == 1 and b.joint.rotation_axes
                whole = np.ceil(np.round(q[where] / (2.0 * np.pi), DIGITS) - 0.5) if turns else 0.0
                rounded_q[where] = q[where] - 2.0 * np.pi * whole
        return tuple((np.round(rounded_q, DIGITS) + 0.0).tolist())

    def left_open(self, q: Array) -> tuple[Array, Array]:
        """Combinations (n, k, rows) of all rows of the component that follow from others, and their errors (n, k)."""
        U = np.linalg.svd(self._of_all(self.sampling.rows(q)), full_matrices=True)[0]
        weights = np.swapaxes(U[..., self.rank :], -1, -2)
        return weights, np.einsum("nki,ni->nk", weights, self._of_all(self.sampling.errors(q)))

    def decomposed(self, q: Array) -> tuple[Array, Array, Array]:
        U, sigma, Vt = np.linalg.svd(self._rows(q), full_matrices=True)
        return U, sigma, Vt

    def _strong(self, q: Array, lost: int) -> tuple[Array, Array, Array]:
        """The singular triples but those that vanish, `lost` in number, and those of rows that depend on others."""
        (U, sigma, Vt), k = self.decomposed(q), self.rank - lost
        return U[..., :k], sigma[:, :k], Vt[:, :k]

    def _others(self, q: Array, lost: int) -> Array:
        """The directions that these leave free."""
        return self.decomposed(q)[2][:, self.rank - lost :]

    def _each(self, u: Array) -> list[Array]:
        return [u[:, k] for k in range(u.shape[1])]

    def _rows(self, q: Array) -> Array:
        return np.asarray(np.nan_to_num(self.sampling.rows(q)[:, self._local][..., self.columns]))

    def _of_all(self, rows: Array) -> Array:
        return np.asarray(np.nan_to_num(rows[:, self._all_local]))

    def _errors(self, q: Array) -> Array:
        return self.sampling.errors(q)[:, self._local]

    def _gradient(self, q: Array, u: Array, lost: int) -> Array:
        """Aᵀ u for one vector u (n, rows), without what the other rows determine."""
        g, V = np.einsum("nij,ni->nj", self._rows(q), u), self._strong(q, lost)[2]
        return np.asarray(g - np.einsum("nkj,nk->nj", V, np.einsum("nkj,nj->nk", V, g)))

    def _curvature(self, q: Array, u: Array, T: Array, lost: int) -> Array:
        """The derivatives of the gradient along the directions T (n, k, columns)."""
        slopes = []
        for k in range(T.shape[1]):
            ahead, behind = (self._gradient(self._moved(q, x * T[:, k]), u, lost) for x in (NUDGE, -NUDGE))
            slopes.append((ahead - behind) / (2.0 * NUDGE))
        return np.asarray(T @ np.stack(slopes, axis=-1))

    def _moved(self, q: Array, step: Array) -> Array:
        whole = np.zeros((q.shape[1], self.sampling.model.nv))
        whole[:, self.columns] = step
        return self.sampling.moved(q, whole)


@lru_cache(maxsize=64)
def search_of(model: Model, component: int) -> ChangePointSearch:
    return ChangePointSearch(model, row_rank(model), component)
