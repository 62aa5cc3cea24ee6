"""Holonomy: whether velocity constraints Aᵀ(q) q̇ = 0 are the rates of position constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from sixvec.errors import MissingExtra, ShapeError
from sixvec.function import compiled

Forms = Callable[[Sequence[Any]], Sequence[Sequence[Any]]]
"""q -> the rows of Aᵀ(q), written with the functions of sixvec.scalar."""

INTEGRABLE = 1e-9
"""A bracket that sticks out of the allowed velocities by less than this, relative to its forms' curl, lies in them."""


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
    Brackets that are not are added until nothing new appears; the codimension of the result is the number of
    conditions on position.  Ranks are those at a general position.

    >>> import sympy
    >>> from sixvec.scalar import cos, sin
    >>> x, y, heading = sympy.symbols("x y heading", real=True)
    >>> print(symbolic_holonomy(lambda q: [[sin(q[2]), -cos(q[2]), 0]], [x, y, heading]))  # a skate
    non-holonomic: 0 of 1 independent constraints on 3 coordinates can be integrated
    """
    try:
        import sympy
    except ImportError as error:
        raise MissingExtra("symbolic_holonomy needs SymPy: pip install sixvec[symbolic]") from error
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


def is_holonomic(forms: Forms, positions: Any) -> bool:
    """Frobenius' theorem with numbers, at given positions: whether all the constraints can be integrated.

    For velocities X, Y that the constraints allow, each form a must have  Xᵀ (∂a/∂q - (∂a/∂q)ᵀ) Y = 0.  The
    derivatives are exact (the forms are compiled and differentiated).  A "no" at one position is a proof up to
    rounding; a "yes" holds for the positions tried, so give some in general position.

    >>> is_holonomic(lambda q: [[q[0], q[1]]], [[0.3, 0.4]])  # on a circle
    True
    """
    q = np.atleast_2d(np.asarray(positions, float))
    return bool((curvature(forms, q) < INTEGRABLE).all())


def curvature(forms: Forms, positions: Any) -> Any:
    """The largest |Xᵀ (∂a/∂q - (∂a/∂q)ᵀ) Y| over orthonormal allowed X, Y and all forms a, relative to the
    largest derivative of the forms; one number for each position.

    >>> curvature(lambda q: [[q[0], q[1]]], [[0.3, 0.4]]).tolist()
    [0.0]
    """
    q = np.atleast_2d(np.asarray(positions, float))
    n = q.shape[-1]
    m = len(forms([0.0] * n))
    if any(len(form) != n for form in forms([0.0] * n)):
        raise ShapeError(f"each of the {m} forms must have {n} coefficients, one for each coordinate")
    rows = compiled(f"q[{n}] -> A[{m},{n}]")(forms)
    A, dA = rows(q), rows.derivative("q")(q)
    curl = dA - np.swapaxes(dA, -1, -2)
    result = np.zeros(len(q))
    for k in range(len(q)):
        _, singular, directions = np.linalg.svd(A[k])
        rank = int((singular > INTEGRABLE * singular.max(initial=0.0)).sum())
        allowed = directions[rank:]
        brackets = np.abs(allowed @ curl[k] @ allowed.T)
        size = max(np.abs(dA[k]).max(initial=0.0), np.abs(A[k]).max(initial=0.0))
        result[k] = brackets.max(initial=0.0) / size if size > 0.0 else 0.0
    return result
