"""The rank of constraints, decided once for a mechanism and used by every solver.

Dimensions in files are rounded, and a loop whose axes are parallel up to the last digit must move as if they were
parallel.  So the rank of the rows is a property of the mechanism, found along its motion with a tolerance that is a
length, and not a property of the state, found with the rounding of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.mechanism.constraint_samples import OPEN, SUM, ConstraintSamples, constraint_samples
from sixvec.mechanism.loop_size import loop_sizes
from sixvec.model.body import JointDynamics, Limits
from sixvec.model.canonical import canonical
from sixvec.model.held_frame import Held, RollingFrame
from sixvec.model.model import STANDARD_GRAVITY, Model
from sixvec.model.spanning_tree import without_rolling
from sixvec.spatial import RigidInertia

T = TypeVar("T")

WEAK = 1e-3
"""Rows whose independence is below this fraction of the loop's size may be meant to be dependent."""

CLEAR = (0.3, 0.1, 0.03, 0.01, 1e-3, 0.0)
"""How much of a row must be independent of earlier rows for it to be chosen, as a fraction of the least singular value
that counts: the first of these that gives enough rows."""


SHARE = 0.01
"""Rows carry the rank if their singular values are at least this fraction of those of all rows."""


@dataclass(frozen=True)
class RowGroup:
    """Rows that may depend on each other; `rank` of them are independent."""

    rows: tuple[int, ...]
    rank: int
    columns: tuple[int, ...] = ()
    """The coordinates of v that move them, where these are of interest."""


@dataclass(frozen=True)
class RowRank:
    """Which constraint rows are independent along the motion of a mechanism."""

    count: int
    used: tuple[int, ...]
    """The rows that solvers use: the others vanish, or are the same combination of these at every state."""
    groups: tuple[RowGroup, ...]
    """Those of the used rows that depend on each other in a way that changes with the state."""
    scale: tuple[float, ...]
    """The factor that makes a row a length: its loop's size, in metres, for angles, 1 for distances."""
    size: tuple[float, ...]
    """The size of the loop to which each row belongs, in metres."""
    basis: tuple[int, ...]
    """The rows that do not follow from those before them."""
    deviation: tuple[float, ...] = ()
    """For each row outside the basis, how far it is from dependent, as a fraction of the size."""
    weak: tuple[tuple[int, float], ...] = ()
    """Rows of the basis that are nearly dependent, and how far they are from it, as a fraction of the size."""
    components: tuple[RowGroup, ...] = ()
    """All rows: those of different components share no joints."""
    typical: tuple[float, ...] = ()
    """For each component the smallest singular value that counts, where it is largest, in metres."""
    unit: tuple[float, ...] = ()
    """The factor that makes a column a length: 1 for a coordinate that turns, the size for one that shifts."""
    is_known: bool = True
    """False where no state with closed loops was found, dimensions are symbols, wheels roll, or holds come and go: then
    rows that count as independent may not be."""

    @property
    def rank(self) -> int:
        return len(self.basis)

    @property
    def places(self) -> list[tuple[list[int], int]]:
        """The groups, by the places of their rows among the used ones."""
        return [([self.used.index(row) for row in group.rows], group.rank) for group in self.groups]

    def of_used(self, rows: Sequence[T]) -> list[T]:
        """The entries of the used rows."""
        return [rows[row] for row in self.used]

    def of_all(self, values: Sequence[Any]) -> list[Any]:
        """An entry for each row from those of the used ones: zero for the others."""
        complete: list[Any] = [0.0] * self.count
        for row, x in zip(self.used, values, strict=False):
            complete[row] = x
        return complete

    @property
    def dependent(self) -> tuple[int, ...]:
        """The rows that follow from those before them."""
        return tuple(r for r in range(self.count) if r not in self.basis)

    @classmethod
    def of_group(cls, count: int, rank: int) -> RowRank:
        """Rows in units of length, `rank` of which are independent."""
        rows, ones = tuple(range(count)), (1.0,) * count
        return cls(count, rows, (RowGroup(rows, rank),), ones, ones, rows[:rank])

    @classmethod
    def unknown(cls, count: int) -> RowRank:
        """All rows may be independent: nothing is known about them."""
        rows, ones = tuple(range(count)), (1.0,) * count
        return cls(count, rows, (), ones, ones, rows, is_known=False)


def row_rank(
    model: Model, hold: tuple[Held, ...] = (), prescribed: Iterable[int] = (), changing: bool = False
) -> RowRank:
    """The rank of closures and wheels of a model and of frames in `hold`, where `prescribed` coordinates do not count.

    If the set of held frames is `changing`, nothing is known about their rows.

    Singular values below ten times `model.loop_tolerance` of the size of a loop count as zero: dimensions that are off
    by the tolerance each may add up to that.

    >>> from sixvec.model.robots import BUILT_IN
    >>> loop = row_rank(BUILT_IN["four_bar"]())
    >>> loop.count, loop.rank, loop.used
    (5, 2, (2, 3))
    """
    model, hold = without_rolling(model), (*model.rolling, *hold)
    open_ended = bool(hold) and (changing or any(isinstance(h, RollingFrame) for h in hold))
    if open_ended and not model.closures:
        return RowRank.unknown(_count(model, hold))
    return _row_rank(skeleton(model), hold, frozenset(prescribed), _sizes(model, hold), open_ended)


def loop_rank(model: Model, prescribed: Iterable[int] = ()) -> RowRank:
    """The rank of the closures alone, without wheels."""
    return row_rank(without_rolling(model), (), prescribed)


def gap_limits(model: Model) -> Array:
    """For each row of the closures, the largest error of a closed loop, in m or rad.

    Dimensions that are known to `model.loop_tolerance` leave gaps of that size, which add up around a loop.
    """
    return np.asarray(OPEN * model.loop_tolerance * row_sizes(model))


def row_sizes(model: Model) -> Array:
    """For each row of the closures what is large for it: 1 rad, or the size of its loop in metres."""
    rank = loop_rank(model)
    return np.asarray(np.array(rank.size) / np.array(rank.scale))


def exact_rows(model: Model, A: Array, hold: tuple[Held, ...] = ()) -> Array:
    """Constraint rows A (..., m, nv) as those of the mechanism with exact dimensions: of the rank that it has.

    What rounded dimensions add is removed: of each component the smallest singular values beyond its rank, in units of
    length.  Rows that are not finite stay so.
    """
    return exact_equations(model, A, np.zeros(A.shape[:-1]), hold)[0]


def exact_equations(model: Model, A: Array, b: Array, hold: tuple[Held, ...] = ()) -> tuple[Array, Array]:
    """A x = b (..., m) as `exact_rows`, where b too loses what no x can reach."""
    rank = row_rank(model, hold)
    batch = np.broadcast_shapes(A.shape[:-2], b.shape[:-1])
    rows_of, right = np.array(A, float), np.array(np.broadcast_to(b, (*batch, b.shape[-1])), float)
    finite = np.isfinite(rows_of).all(axis=(-2, -1))[..., None, None]
    unit = np.array(rank.unit or 1.0)
    for component in rank.components:
        if component.rank < len(component.rows):
            rows, k = list(component.rows), component.rank
            scale = np.array(rank.scale)[rows, None]
            block = rows_of[..., rows, :]
            U, sigma, Vt = np.linalg.svd(np.where(finite, block, 0.0) * scale * unit)
            exact = (U[..., :k] * sigma[..., None, :k] @ Vt[..., :k, :]) / (scale * unit)
            rows_of[..., rows, :] = np.where(finite, exact, block)
            reached = U[..., :k] @ (np.swapaxes(U[..., :k], -1, -2) @ (right[..., rows, None] * scale)) / scale
            right[..., rows] = reached[..., 0]
    return rows_of, right


def is_regular(model: Model, A: Array, hold: tuple[Held, ...] = ()) -> NDArray[np.bool_]:
    """Whether rows A (..., m, nv) have the rank that they have along the motion, to the tolerance of the model."""
    rank = row_rank(model, hold)
    regular = np.ones(A.shape[:-2], bool)
    for component in rank.components:
        rows = list(component.rows)
        scaled = A[..., rows, :] * np.array(rank.scale)[rows, None] * np.array(rank.unit)
        sigma = np.linalg.svd(scaled, compute_uv=False)
        regular &= (sigma > SUM * model.loop_tolerance * rank.size[rows[0]]).sum(axis=-1) >= component.rank
    return regular


def _count(model: Model, hold: Sequence[Held]) -> int:
    return sum(c.constraints for c in model.closures) + sum(len(h.directions) for h in hold)


@lru_cache(maxsize=256)
def skeleton(model: Model) -> Model:
    """The geometry of a model in its canonical form: all that its constraints depend on."""
    model = canonical(model)
    bare = [replace(b, inertia=RigidInertia.zero(), limits=Limits(), dynamics=JointDynamics()) for b in model.bodies]
    return replace(model, name="", bodies=tuple(bare), gravity=STANDARD_GRAVITY, geoms=(), passive=())


@lru_cache(maxsize=256)
def _sizes(model: Model, hold: tuple[Held, ...]) -> tuple[float, ...]:
    return loop_sizes(canonical(model), (*model.closures, *hold)) if _is_numeric(model) else ()


@lru_cache(maxsize=256)
def _row_rank(
    model: Model, hold: tuple[Held, ...], prescribed: frozenset[int], sizes: tuple[float, ...], open_ended: bool
) -> RowRank:
    count = _count(model, hold)
    if open_ended:
        return _with_open_ended(model, prescribed, sizes, count)
    if not count or not _is_numeric(model):
        return RowRank.unknown(count)
    samples = constraint_samples(model, hold, sizes, model.loop_tolerance)
    if samples is None and model.loop_tolerance < WEAK:  # dimensions lock a loop that may be meant to move
        samples = constraint_samples(model, hold, sizes, WEAK)
    return RowRank.unknown(count) if samples is None else _ranked(model, samples, prescribed)


def _with_open_ended(model: Model, prescribed: frozenset[int], sizes: tuple[float, ...], count: int) -> RowRank:
    """Of the loops; all other rows count as independent.

    The rank of rows of wheels depends on how they are steered, that of frames held for a while on which ones are.
    """
    loops = _row_rank(model, (), prescribed, sizes[: len(model.closures)], False)
    more = tuple(range(loops.count, count))
    ones = (1.0,) * len(more)
    return replace(
        loops,
        count=loops.count + len(more),
        used=loops.used + more,
        scale=loops.scale + ones,
        size=loops.size + ones,
        basis=loops.basis + more,
        is_known=False,
    )


def _is_numeric(model: Model) -> bool:
    """Whether all dimensions are numbers, not symbols."""
    parts: list[Any] = [b.numbers() for b in model.bodies]
    parts += [(*f.placement.rot.matrix, *f.placement.pos) for f in model.frames]
    return all(isinstance(x, int | float) for part in parts for x in part)


def _ranked(model: Model, samples: ConstraintSamples, prescribed: frozenset[int]) -> RowRank:
    rows, closures = samples.rows.copy(), sum(c.constraints for c in model.closures)
    rows[:, :, sorted(prescribed)] = 0.0
    used: list[int] = []
    groups: list[RowGroup] = []
    basis: list[int] = []
    deviation: dict[int, float] = {}
    weak: list[tuple[int, float]] = []
    components: list[RowGroup] = []
    typical: list[float] = []
    for n, component in enumerate(samples.components):
        size = float(samples.size[component[0]])
        least, A = SUM * model.loop_tolerance * size, rows[samples.on_motion(n)]
        constant = _constant_rows(A, component, closures, least)
        chosen, sigma = _in_order(A, component, least)
        rank = len(chosen)
        moving = np.flatnonzero(np.abs(A[:, list(component)]).max(axis=(0, 1)) > 0.0)
        components.append(RowGroup(tuple(component), rank, tuple(moving.tolist())))
        typical.append(float(sigma[rank - 1]) if rank else 0.0)
        used += constant
        if rank < len(constant):
            groups.append(_pivoted_rows(constant, chosen, closures))
        basis += chosen
        lost = float(sigma[rank]) / size if rank < len(sigma) else 0.0
        deviation |= {r: lost for r in component if r not in chosen}
        if rank and sigma[rank - 1] < WEAK * size:
            weak.append((chosen[-1], float(sigma[rank - 1]) / size))
    return RowRank(
        rows.shape[1],
        tuple(sorted(used)),
        tuple(groups),
        tuple(samples.scale.tolist()),
        tuple(samples.size.tolist()),
        tuple(sorted(basis)),
        tuple(deviation[r] for r in sorted(deviation)),
        tuple(weak),
        tuple(components),
        tuple(typical),
        tuple(samples.unit.tolist()),
    )


def _generic(A: Array) -> Array:
    """The largest value over all states of each singular value of (n, m, nv)."""
    return np.asarray(np.linalg.svd(A, compute_uv=False).max(axis=0, initial=0.0))


def _in_order(A: Array, component: Sequence[int], least: float) -> tuple[list[int], Array]:
    """The rows that raise the rank of those before them at some state, and the singular values of all."""
    sigma = _generic(A[:, list(component)])
    rank = int((sigma > least).sum())
    for fraction in CLEAR:
        chosen: list[int] = []
        for r in component:
            if len(chosen) < rank and _generic(A[:, [*chosen, r]])[-1] > max(fraction * sigma[rank - 1], least):
                chosen.append(r)
        if len(chosen) == rank and (_generic(A[:, chosen]) >= SHARE * sigma[:rank]).all():
            return chosen, sigma
    # Short rows at the beginning, rounding above the tolerance, have taken the places of long ones.
    chosen = []
    while len(chosen) < rank:
        chosen.append(
            max((r for r in component if r not in chosen), key=lambda r: float(_generic(A[:, [*chosen, r]])[-1]))
        )
    return sorted(chosen), sigma


def _length(A: Array, r: int) -> float:
    return float(np.linalg.norm(A[:, r], axis=-1).max(initial=0.0))


def _constant_rows(A: Array, component: Sequence[int], closures: int, least: float) -> list[int]:
    """The rows of a component without those that vanish, or are one and the same combination of others at all states.

    Rows of held frames stay, unless they vanish: users ask for forces and accelerations along them.
    """
    component = [r for r in component if _length(A, r) > least]
    loops = [r for r in component if r < closures]
    wide = np.concatenate(list(A[:, loops]), axis=-1) if loops else np.zeros((0, 1))  # side by side
    sigma = np.linalg.svd(wide, compute_uv=False)
    rank = int((sigma > least * np.sqrt(len(A))).sum())
    if rank == len(loops):
        return component
    chosen: list[int] = []
    for fraction in CLEAR:
        chosen = _chosen_rows(wide, rank, max(fraction * sigma[rank - 1], least), in_order=True)
        if len(chosen) == rank and (np.linalg.svd(wide[chosen], compute_uv=False) >= SHARE * sigma[:rank]).all():
            break
    else:
        chosen = _chosen_rows(wide, rank, 0.0, in_order=False)
    return [r for r in component if r >= closures or loops.index(r) in chosen]


def _pivoted_rows(rows: Sequence[int], chosen: Sequence[int], closures: int) -> RowGroup:
    """The rows among which solvers pivot, of which `chosen` carry the rank.

    Rows of closures that are independent of each other are eliminated first, whether frames are held or not.
    """
    loops = {r for r in rows if r < closures}
    first = loops if loops <= {*chosen} else set()
    return RowGroup(tuple(r for r in rows if r not in first), len(chosen) - len(first))


def _chosen_rows(wide: Array, rank: int, shortest: float, in_order: bool) -> list[int]:
    """Rows with a longer part than `shortest` that is independent of rows before; else those with the longest one."""
    remainders, chosen = wide.copy(), list[int]()
    for k in range(len(wide)):
        row = k if in_order else int(np.linalg.norm(remainders, axis=1).argmax())
        length = float(np.linalg.norm(remainders[row]))
        if len(chosen) < rank and length > shortest:
            chosen.append(row)
            way = remainders[row] / length
            for _ in range(2):
                remainders = remainders - np.outer(remainders @ way, way)
            remainders[chosen] = 0.0
    return chosen
