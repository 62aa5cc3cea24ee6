"""How many velocity constraints are rates of position constraints, at given positions and with numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.constraints.holonomy import Forms, Holonomy, matrix_of, neighbours
from sixvec.errors import DegenerateError
from sixvec.kernels import Port
from sixvec.kernels.differentiation import differentiated
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar
from sixvec.solve.decomposition import rank_of
from sixvec.tolerances import RANK


def numeric_holonomy(forms: Forms, positions: ArrayLike) -> Holonomy:
    """How many combinations of the constraints Aᵀ(q) q̇ = 0 can be integrated, at given positions (..., n).

    The allowed velocities are closed under the Lie bracket, as in `symbolic_holonomy`, by exact derivatives of compiled
    functions: [X, Y] = (∂Y/∂q) X - (∂X/∂q) Y.  Ranks are those of random positions near the given ones; of several
    positions the one with the fewest integrable combinations counts.  Positions where forms lose rank are skipped, and
    DegenerateError is raised if there are no others.  Bruyninckx §4.13.2.

    >>> from sixvec.constraints import numeric_holonomy
    >>> from sixvec.scalar import cos, sin
    >>> def skate_on_a_lift(q):  # z = x² / 2
    ...     return [[sin(q[2]), -cos(q[2]), 0.0, 0.0], [q[0], 0.0, 0.0, -1.0]]
    >>> print(numeric_holonomy(skate_on_a_lift, [0.3, 0.1, 0.7, 0.2]))
    non-holonomic: 1 of 2 independent constraints on 4 coordinates can be integrated
    """
    q = np.asarray(positions, float)
    q = q.reshape(-1, q.shape[-1])
    rows, holonomies = matrix_of(forms, q.shape[-1]), list[Holonomy]()
    for here in q:
        around = neighbours(here)
        ranks = rank_of(np.linalg.svd(rows(np.vstack([here, around])), compute_uv=False), RANK)
        if ranks[0] == ranks.max():
            holonomies.append(_counted(forms, rows, here, around, int(ranks[0])))
    if not holonomies:
        raise DegenerateError(
            "numeric_holonomy: the forms lose rank at every position given; give positions where as many forms are "
            "independent as nearby"
        )
    return min(holonomies, key=lambda h: h.integrable)


def _counted(forms: Forms, rows: Any, here: Array, around: Array, rank: int) -> Holonomy:
    n = len(here)
    fields: list[_Field] = [_Allowed(forms, _pivots(rows(here), rank), k) for k in range(n - rank)]
    generators, last = list(fields), list(fields)
    values = [_at(f, around) for f in fields]
    while len(fields) < n:
        new: list[_Field] = []
        for candidate in (_Bracket(g, f) for g in generators for f in last if g is not f):
            value = _at(candidate, around)
            if _rank([*values, value]) > len(fields):
                fields.append(candidate)
                values.append(value)
                new.append(candidate)
        if not new:
            break
        last = new
    return Holonomy(n, rank, n - len(fields))


class _Field:
    """A vector field on scalars of any kind."""

    def __call__(self, q: Sequence[Scalar]) -> list[Scalar]:
        raise NotImplementedError


@dataclass(frozen=True)
class _Allowed(_Field):
    """The k-th velocity of a basis of those that the forms allow, by elimination with pivots chosen before."""

    forms: Forms
    pivots: tuple[tuple[int, int], ...]
    k: int

    def __call__(self, q: Sequence[Scalar]) -> list[Scalar]:
        A = [list(form) for form in self.forms(q)]
        bound = [column for _, column in self.pivots]
        free = [c for c in range(len(q)) if c not in bound][self.k]
        for row, column in self.pivots:
            factor = 1.0 / A[row][column]
            A[row] = [x * factor for x in A[row]]
            for other, _ in self.pivots:
                if other != row:
                    lead = A[other][column]
                    A[other] = [x - lead * y for x, y in zip(A[other], A[row], strict=True)]
        velocity: list[Scalar] = [0.0] * len(q)
        velocity[free] = 1.0
        for row, column in self.pivots:
            velocity[column] = -A[row][free]
        return velocity


@dataclass(frozen=True)
class _Bracket(_Field):
    first: _Field
    second: _Field

    def __call__(self, q: Sequence[Scalar]) -> list[Scalar]:
        (x, dx), (y, dy) = differentiated(self.first, q), differentiated(self.second, q)
        n = range(len(q))
        return [sum((dy[i][k] * x[k] - dx[i][k] * y[k] for k in n), 0.0) for i in n]


def _at(field: _Field, points: Array) -> Array:
    """The field at points (m, n), each a unit vector or zero."""
    n = points.shape[-1]

    def allowed(q: Sequence[Scalar]) -> list[Scalar]:
        return field(q)

    values = np.asarray(CompiledFunction(allowed, (Port("q", (n,)),), (Port("v", (n,)),))(points))
    size = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.where(size > RANK, values / np.where(size > RANK, size, 1.0), 0.0)


def _rank(values: Sequence[Array]) -> int:
    """The largest rank of vectors (m, n) at any of the points."""
    return int(rank_of(np.linalg.svd(np.stack(values, axis=-2), compute_uv=False), RANK).max())


def _pivots(A: Array, rank: int) -> tuple[tuple[int, int], ...]:
    """Rows and columns of the largest pivots of a matrix."""
    B, pivots = np.array(A, float), list[tuple[int, int]]()
    for _ in range(rank):
        row, column = (int(k) for k in np.unravel_index(np.abs(B).argmax(), B.shape))
        pivots.append((row, column))
        B = B - np.outer(B[:, column], B[row]) / B[row, column]
        B[row], B[:, column] = 0.0, 0.0
    return tuple(pivots)
