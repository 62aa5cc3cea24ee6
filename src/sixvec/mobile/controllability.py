"""What fields reach: the directions that they and their Lie brackets span, with a verdict.

Coordinates have units, and brackets of k fields have the k-th powers of them, so nothing is compared before coordinates
and fields are scaled: by the factors that make the entries of all fields and of their Jacobians as near to 1 as
possible.  Other units of length or time change these factors and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, whole_number
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.differentiation import differentiated
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.vector_field import Controllability, Law, VectorField, as_field, lie_bracket
from sixvec.tolerances import RANK

_NOTHING = 1e-11
"""Size of a scaled field that counts as zero: rounding of its terms, which are of size 1, and of nested differences."""

_NUMBERS = 300
"""Numbers in which fields are compared as functions, at random configurations: more than there are brackets."""


def controllability(fields: Sequence[VectorField | Law], q: ArrayLike, depth: int = 6) -> Controllability:
    """The rank of the Lie algebra of fields at q (n), by brackets of up to `depth` fields.

    It is final if the algebra is closed: if the brackets of one more field are combinations, with constant factors, of
    those before, or if they span nothing new at a random configuration, where fewer than n directions are spanned.
    Otherwise a rank below n is undecided.  Brackets that are combinations of others are left out.

    >>> from sixvec.mobile import VectorField, controllability
    >>> from sixvec.scalar import cos, sin
    >>> drive = VectorField(lambda q: [cos(q[2]), sin(q[2]), 0.0], "drive")
    >>> rotate = VectorField(lambda q: [0.0, 0.0, 1.0], "rotate")
    >>> print(controllability([drive, rotate], [0.0, 0.0, 0.3]))
    controllable: rank 3 of 3, growth (2, 3), by drive, rotate, [drive, rotate]
    """
    q = real_array("controllability: q", q, "n ≥ 1", batch=False, finite=True)
    if not isinstance(fields, Iterable):
        raise ArgumentError(f"controllability: fields must be a list of vector fields, not {fields!r}")
    whole_number("controllability: depth", depth, 1)
    first = [as_field(f) for f in fields]
    if not first:
        raise ArgumentError("controllability: fields is empty; without any nothing can be reached")
    return _Search(first, q).run(depth)


@dataclass(frozen=True)
class _Scaled:
    """A field, the factor of its scale, and its number in the list of generators, if it is one."""

    field: VectorField
    factor: float
    generator: int = -1


class _Search:
    """Brackets, level by level."""

    def __init__(self, first: list[VectorField], q: Array) -> None:
        self.n = len(q)
        size, factors = _scales(first, q)
        self.first = [_Scaled(f, r, k) for k, (f, r) in enumerate(zip(first, factors, strict=True))]
        self.size = size
        many = max(16, -(-_NUMBERS // self.n))
        self.points = np.vstack([q, q + size * np.random.default_rng(1).uniform(0.1, 0.4, (many, self.n))])
        usable = np.isfinite([f(self.points[1:]) for f in first]).all(axis=(0, 2))
        self.points = self.points[np.r_[True, usable]]
        self.here, self.beside, self.functions = _Span(self.n), _Span(self.n), _Span(self.n * (len(self.points) - 1))
        self.rows: list[Array] = []
        self.names: list[str] = []

    def run(self, depth: int) -> Controllability:
        growth: list[int] = []
        level, closed, reached = self.first, False, 0
        for _ in range(depth):
            reached += 1
            beside = len(self.beside)
            level = [f for f in level if self._is_new(f)]
            growth.append(len(self.here))
            if growth[-1] == self.n:
                break
            stays = reached > 1 and len(self.points) > 1 and len(self.beside) == beside < self.n
            closed = not level or stays
            if closed:
                break
            level = self._next(level)
        while len(growth) > 1 and growth[-1] == growth[-2]:
            growth.pop()
        return Controllability(self.n, tuple(growth), tuple(self.names), closed, reached, self._margin())

    def _next(self, level: list[_Scaled]) -> list[_Scaled]:
        """The brackets of all generators with the new fields; of two generators one of the two."""
        pairs = [(g, f) for g in self.first for f in level if not 0 <= f.generator <= g.generator]
        return [_Scaled(lie_bracket(g.field, f.field), g.factor * f.factor) for g, f in pairs]

    def _is_new(self, f: _Scaled) -> bool:
        """Whether a field is not a combination of those before; what it spans is noted."""
        values = f.field(self.points) * (f.factor / self.size)
        finite = np.asarray(np.isfinite(values).all(axis=-1))
        values = np.where(finite[:, None], values, 0.0)
        typical = float(np.abs(values[1:]).max(initial=0.0))
        if max(typical, float(np.abs(values[0]).max())) <= _NOTHING:
            return False  # it is zero everywhere, and so are its brackets
        if len(self.functions) < self.functions.size // 2 and not self.functions.add(values[1:].ravel()):
            return False
        if np.abs(values[0]).max() > _NOTHING * min(typical, 1.0):
            self.rows.append(values[0] / max(float(np.linalg.norm(values[0])), typical))
            if self.here.add(values[0]):
                self.names.append(f.field.name)
        if len(values) > 1 and np.abs(values[1]).max() > _NOTHING * min(typical, 1.0):
            self.beside.add(values[1])
        return True

    def _margin(self) -> float:
        if len(self.here) < self.n:
            return 0.0
        return float(np.linalg.svd(np.array(self.rows), compute_uv=False)[self.n - 1])


class _Span:
    """Orthonormal vectors, added one by one."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._basis = np.zeros((0, size))

    def __len__(self) -> int:
        return len(self._basis)

    def add(self, x: Array) -> bool:
        """Whether x is independent of the vectors; it is added if so."""
        unit = x / np.linalg.norm(x)
        remainder = unit - self._basis.T @ (self._basis @ unit)
        remainder = remainder - self._basis.T @ (self._basis @ remainder)
        length = float(np.linalg.norm(remainder))
        if not length > RANK:
            return False
        self._basis = np.vstack([self._basis, remainder / length])
        return True


def _scales(fields: Sequence[VectorField], q: Array) -> tuple[Array, Array]:
    """Sizes of the coordinates (n) and factors of the fields: entries r f / s and r (∂f/∂q) s / s are about 1.

    Logarithms are fitted by least squares, without the entries that are rounding.
    """
    n, m = len(q), len(fields)
    near = q + np.random.default_rng(0).uniform(0.1, 0.4, (8, n))
    rows, sides = [], []
    for i, f in enumerate(fields):
        values, slopes = (np.abs(x) for x in _with_slopes(f, n)(near))
        largest = np.concatenate([values[..., None], slopes], axis=-1)
        largest = np.where(np.isfinite(largest), largest, 0.0).max(axis=0)
        for j, k in zip(*np.nonzero(largest), strict=True):
            row = np.zeros(n + m)
            row[n + i] += 1.0
            row[j] -= 1.0
            if k:
                row[k - 1] += 1.0
            rows.append(row)
            sides.append(-math.log(largest[j, k]))
    A, b = np.array(rows).reshape(-1, n + m), np.array(sides)
    x = np.zeros(n + m)
    for _ in range(3):
        x = np.linalg.lstsq(A, b, rcond=None)[0] if len(A) else x
        there = A @ x - b > math.log(RANK)
        A, b = A[there], b[there]
    return np.exp(x[:n]), np.exp(x[n:])


def _with_slopes(f: VectorField, n: int) -> CompiledFunction:
    def field(q: Sequence[float]) -> tuple[list[float], list[list[float]]]:
        return differentiated(f.at, q)

    return CompiledFunction(field, (Port("q", (n,)),), (Port("v", (n,)), Port("slopes", (n, n))))
