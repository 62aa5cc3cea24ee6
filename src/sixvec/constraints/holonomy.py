"""Holonomy: whether velocity constraints Aᵀ(q) q̇ = 0 are the rates of position constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import DegenerateError, MissingExtra, ShapeError
from sixvec.kernels.function import CompiledFunction, compiled
from sixvec.solve.decomposition import rank_of
from sixvec.tolerances import RANK

Forms = Callable[[Sequence[Any]], Sequence[Sequence[Any]]]
"""q -> the rows of Aᵀ(q), written with the functions of sixvec.scalar."""


@dataclass(frozen=True, slots=True)
class Holonomy:
    """How many of the constraints can be integrated to conditions on position.

    `constraints` independent conditions on `coordinates` velocities, of which `integrable` (combinations) are rates of
    conditions on position.  The reachable positions therefore have `coordinates - integrable` dimensions.
    """

    coordinates: int
    constraints: int
    integrable: int

    @property
    def holonomic(self) -> bool:
        return self.integrable == self.constraints

    def __str__(self) -> str:
        kind = "holonomic" if self.holonomic else "non-holonomic"
        return (
            f"{kind}: {self.integrable} of {self.constraints} independent constraints on {self.coordinates} "
            "coordinates can be integrated"
        )


def symbolic_holonomy(forms: Forms, q: Sequence[Any]) -> Holonomy:
    """Frobenius' theorem with SymPy: close the allowed velocity fields under the Lie bracket and count.

    The fields X with Aᵀ X = 0 are integrable exactly if every bracket [X, Y] = (∂Y/∂q) X - (∂X/∂q) Y is again one.
    Brackets outside are added until no new ones appear; the codimension of the result is the number of
    conditions on position.  Ranks are those at a generic position.

    >>> import sympy
    >>> from sixvec.constraints import symbolic_holonomy
    >>> from sixvec.scalar import cos, sin
    >>> x, y, heading = sympy.symbols("x y heading", real=True)
    >>> print(symbolic_holonomy(lambda q: [[sin(q[2]), -cos(q[2]), 0]], [x, y, heading]))  # a skate
    non-holonomic: 0 of 1 independent constraints on 3 coordinates can be integrated
    """
    try:
        import sympy
    except ImportError as error:
        raise MissingExtra("symbolic_holonomy needs SymPy", extra="symbolic") from error
    A = sympy.Matrix([[sympy.nsimplify(a) for a in form] for form in forms(q)])
    fields = [_simple(X, sympy) for X in A.nullspace(simplify=True)]
    n, rank = len(q), len(q) - len(fields)
    position = sympy.Matrix(q)
    pending = list(combinations(fields, 2))
    while pending and len(fields) < n:
        X, Y = pending.pop()
        bracket = _simple(Y.jacobian(position) * X - X.jacobian(position) * Y, sympy)
        if sympy.Matrix.hstack(*fields, bracket).rank(simplify=True) > len(fields):
            pending += [(bracket, Z) for Z in fields]
            fields.append(bracket)
    return Holonomy(n, rank, n - len(fields))


def _simple(X: Any, sympy: Any) -> Any:
    return X.applyfunc(sympy.simplify)


def is_holonomic(forms: Forms, positions: ArrayLike) -> bool:
    """Frobenius' theorem with numbers, at given positions: whether all the constraints can be integrated.

    For velocities X, Y that the constraints allow, each form a must have  Xᵀ (∂a/∂q - (∂a/∂q)ᵀ) Y = 0.  The
    derivatives are exact (the forms are compiled and differentiated).  The theorem applies at positions around which
    the number of independent forms is constant: there a negative result is a proof up to rounding, while a positive one
    holds only for the given positions, so choose some generic ones.  Where forms become dependent or vanish, as x dy
    does at x = 0, it does not apply: these positions are skipped, and DegenerateError is raised if there are no others.

    >>> from sixvec.constraints import is_holonomic
    >>> is_holonomic(lambda q: [[q[0], q[1]]], [[0.3, 0.4]])  # on a circle
    True
    >>> is_holonomic(lambda q: [[0.0, q[0]]], [[0.0, 1.0], [0.5, 1.0]])  # x dy = 0, whose form vanishes at x = 0
    True
    """
    bends = curvature(forms, positions)
    usable = bends[~np.isnan(bends)]
    if not usable.size:
        raise DegenerateError(
            f"the forms lose rank at {'the position' if bends.size == 1 else 'every position'} given, where Frobenius' "
            "theorem says nothing; give positions where as many forms are independent as nearby"
        )
    return bool((usable < RANK).all())


def curvature(forms: Forms, positions: ArrayLike) -> Array:
    """The largest |Xᵀ (∂a/∂q - (∂a/∂q)ᵀ) Y| over orthonormal allowed X, Y and all forms a, relative to the
    largest derivative of the forms; one number for each position, NaN where the forms lose rank.

    >>> curvature(lambda q: [[q[0], q[1]]], [[0.3, 0.4], [0.0, 0.0]]).tolist()
    [0.0, nan]
    """
    q = np.atleast_2d(np.asarray(positions, float))
    n = q.shape[-1]
    rows = matrix_of(forms, n)
    A, dA = rows(q), rows.derivative("q")(q)
    curl = dA - np.swapaxes(dA, -1, -2)
    around = np.max([_ranks(A_there) for A_there in rows(neighbours(q))], axis=0)
    result = np.full(len(q), np.nan)
    for k, rank in enumerate(_ranks(A)):
        if rank < around[k]:
            continue
        allowed = np.linalg.svd(A[k])[2][rank:]
        brackets = np.abs(allowed @ curl[k] @ allowed.T)
        size = max(np.abs(dA[k]).max(initial=0.0), np.abs(A[k]).max(initial=0.0))
        result[k] = brackets.max(initial=0.0) / size if size > 0.0 else 0.0
    return result


def matrix_of(forms: Forms, n: int) -> CompiledFunction:
    """The forms on n coordinates as a compiled function, q -> A (forms, n)."""
    m = len(forms([0.0] * n))
    if any(len(form) != n for form in forms([0.0] * n)):
        raise ShapeError(f"each of the {m} forms must have {n} coefficients, one for each coordinate")
    return compiled(f"q[{n}] -> A[{m},{n}]")(forms)


def neighbours(q: Array) -> Array:
    """Random positions near some q (..., n), or one: (neighbours, ..., n)."""
    batch = (1,) * (q.ndim - 1)
    steps = _NEARBY * np.random.default_rng(0).normal(size=(_NEIGHBOURS, *batch, q.shape[-1]))
    return np.asarray(q + steps * (1.0 + np.abs(q)))


_NEARBY, _NEIGHBOURS = 1e-2, 3
"""Distance at which the rank of the forms is computed, relative to the position, and number of trials: if it drops at a
position of measure zero, a step in almost any direction restores it."""


def _ranks(A: Any) -> Any:
    """How many rows of each matrix are independent; none where it is not finite."""
    finite = np.isfinite(A).all(axis=(-2, -1))
    singular = np.linalg.svd(np.where(finite[:, None, None], A, 0.0), compute_uv=False)
    return rank_of(singular, RANK)
