"""Quadratic programs in batches: a compiled loop in SIMD lanes, with verdicts that rest on recomputed residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.solve.active_set_loop import active_set_loop
from sixvec.solve.program_derivative import followed
from sixvec.solve.proximal import proximal
from sixvec.verdict import Verdict, tally

METRICS = ((1.0,), (1.0, 0.3, 2.0), (0.4, 3.0, 1.5, 0.7))
"""Diagonals of other matrices H, repeated, with which programs are searched for a contradiction."""

_NOT_CONVERGED = int(Verdict.NOT_CONVERGED)

LARGEST = 64
"""Variables: a change of the active set is one unrolled program."""


@dataclass(frozen=True, eq=False, repr=False)
class QuadraticProgram(Result):
    """The minimum x of quadratic programs, the multipliers of their rows, and a verdict for each.

    `multipliers` balance the gradient, H x + g + Aᵀ multipliers = 0: positive at an upper bound, negative at a lower
    one, else 0.  `active` is +1, -1 or 0 for each row.  `residual` is the largest violation of a row, of that balance
    or of a multiplier's sign, relative to the largest terms.

    `verdict`: SOLVED (the residual is below 1e-9), INFEASIBLE (rows contradict each other: `multipliers` are a proof,
    Aᵀ multipliers = 0, and `contradiction` names the rows), NOT_CONVERGED, or INVALID (a number is not finite).
    """

    x: Array
    verdict: NDArray[np.int8]
    active: NDArray[np.int8]
    multipliers: Array
    residual: Array
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        return f"<QuadraticProgram: {tally(self.verdict)}, x {self.x.shape}>"

    def contradiction(self, index: Any = ()) -> tuple[str, ...]:
        """The names of the rows that contradict each other in the sample at this index; none if it is feasible.

        >>> import sixvec as sv
        >>> solution = sv.solve.quadratic_program([[1]], [0], [[1], [2]], [-1, 5], [1, 6], names=("small", "large"))
        >>> solution.contradiction()
        ('small', 'large')
        """
        if self.verdict[index] != Verdict.INFEASIBLE:
            return ()
        return tuple(name for name, y in zip(self.names, self.multipliers[index], strict=True) if y)


@any_arrays_same_dtype
@differentiable(followed)
def quadratic_program(
    H: ArrayLike,
    g: ArrayLike,
    A: ArrayLike | None,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    start: ArrayLike | None = None,
    names: Sequence[str] = (),
) -> QuadraticProgram:
    """The x that minimises  ½ xᵀH x + gᵀx  with  lower ≤ A x ≤ upper.

    H (..., n, n) is positive semidefinite, g (..., n), A (..., m, n); lower and upper (..., m) may be infinite, and
    equal for equations.  If they have n entries more than A has rows, the first n bound x itself, which is faster than
    rows of A; A may then be None.  `start` is the `active` of a similar program: its rows are tried first.  `names` of
    the rows, bounds of x first, are for `contradiction`.

    A dual active-set method (`active_set.py`) in SIMD lanes, exact up to rounding: for a condition of H up to 1e7,
    errors are below 1e-8 of the largest number.  Where H is singular or nearly so, pivots below 1e-8 of its largest
    diagonal entry are raised to 1e-6 of it, so of many minima one near zero is found; programs that this leaves
    unsolved are solved again by the proximal point method (`proximal.py`).  A program that is unbounded below ends as
    not converged, or far away.  Everything is computed in double precision; bounds beyond 1e20 have no effect.

    torch and JAX have derivatives of x and the multipliers with respect to all numbers, of any order: those of the
    program with these active rows.  Where an active row is about to be left they are those to one side; where H is
    flat, those of the nearest minimum; without a minimum they are zero.

    >>> import sixvec as sv
    >>> solution = sv.solve.quadratic_program([[2, 0], [0, 2]], [-2, -6], [[1, 1]], [-1], [2])
    >>> solution.x.round(12).tolist(), solution.multipliers.round(12).tolist(), solution.active.tolist()
    ([0.0, 2.0], [2.0], [1])
    """
    program = checked_program(H, g, A, lower, upper, start, names=names)
    arrays, axes, n, general, m = program.arrays, program.axes, program.n, program.general, program.m
    if not m:  # the loop has at least one row
        leads = [x.shape[:-1] for x in arrays[3:5]]
        arrays[3], arrays[4] = np.full((*leads[0], n), -np.inf), np.full((*leads[1], n), np.inf)
    x, multipliers, active, residual, verdict = _solved(arrays, n, general)
    unsolved = verdict == _NOT_CONVERGED
    if unsolved.any():
        multipliers, verdict = _contradictions(arrays, axes, n, general, unsolved, multipliers, verdict)
        results = _repaired(arrays, axes, n, general, (x, multipliers, active, residual, verdict))
        x, multipliers, active, residual, verdict = results
    return QuadraticProgram(x, verdict, active[..., :m].astype(np.int8), multipliers[..., :m], residual, program.names)


@dataclass(frozen=True)
class Program:
    """A quadratic program whose arguments are checked."""

    arrays: list[Array]
    axes: tuple[int, ...]
    """How many axes one sample of each array has."""
    n: int
    general: int
    """Rows of A."""
    m: int
    names: tuple[str, ...]
    batch: tuple[int, ...]


def checked_program(
    H: Any, g: Any, A: Any, lower: Any, upper: Any, start: Any = None, *, names: Sequence[str] = ()
) -> Program:
    """The arrays of a program, or an error that names what does not fit."""
    H = real_array("quadratic_program: H", H)
    if H.ndim < 2:
        require_shape("quadratic_program: H", H, "n", "n")
    n = H.shape[-1]
    require_shape("quadratic_program: H", H, n, n, why="H is square")
    if not 0 < n <= LARGEST:
        raise ArgumentError(f"quadratic_program: H has {n} rows; programs have 1 to {LARGEST} variables")
    g = real_array("quadratic_program: g", g, n, why="one entry for each row of H")
    A = (
        np.zeros((0, n))
        if A is None
        else real_array("quadratic_program: A", A, "m", n, why="a column for each row of H")
    )
    lower, upper = (real_array(f"quadratic_program: {k}", x, "m") for k, x in (("lower", lower), ("upper", upper)))
    general, m = A.shape[-2], lower.shape[-1]
    if m not in (general, general + n):
        require_shape("quadratic_program: lower", lower, general, why=f"or {general + n}, with the bounds of x first")
    require_shape("quadratic_program: upper", upper, m, why="lower and upper have the same length")
    row_names = _names(names, m, m - general)
    arrays, axes = [H, g, A, lower, upper], [2, 1, 2, 1, 1]
    if start is not None:
        start = real_array("quadratic_program: start", start, m, why="one entry for each row")
        arrays.append(np.abs(start) if general else _point(start, lower, upper))
        axes.append(1)
    leads = [x.shape[: x.ndim - k] for x, k in zip(arrays, axes, strict=True)]
    words = ["H", "g", "A", "lower", "upper", "start"]
    batch = common_batch("quadratic_program", leads, words[: len(arrays)], [x.shape for x in arrays])
    return Program(arrays, tuple(axes), n, general, m, row_names, batch)


def _point(active: Array, lower: Array, upper: Array) -> Array:
    """The point near zero that is at these bounds, where they are finite."""
    x = np.where(active > 0, upper, np.where(active < 0, lower, np.clip(0.0, lower, upper)))
    return np.where(np.isfinite(x), x, 0.0)


def _solved(arrays: list[Array], n: int, general: int) -> tuple[Array, Array, Array, Array, NDArray[np.int8]]:
    m = arrays[3].shape[-1]
    loop = active_set_loop(n, m - general, general, len(arrays) > 5)
    data = arrays if general else [*arrays[:2], *arrays[3:]]
    x, multipliers, active, residual, verdict = loop(*data)
    x, multipliers, active = x[..., 0, :], multipliers[..., 0, :], active[..., 0, :]
    return x, multipliers, active, residual[..., 0], verdict[..., 0].astype(np.int8)


def _contradictions(
    arrays: list[Array],
    axes: Sequence[int],
    n: int,
    general: int,
    unsolved: NDArray[np.bool_],
    multipliers: Array,
    verdict: NDArray[np.int8],
) -> tuple[Array, NDArray[np.int8]]:
    """Unsolved programs whose rows contradict each other: that does not depend on H, which may hide it by rounding."""
    multipliers, verdict = multipliers.copy(), verdict.copy()
    for weights in METRICS:
        if not unsolved.any():
            break
        rows = [
            np.broadcast_to(x, (*unsolved.shape, *x.shape[x.ndim - k :]))[unsolved]
            for x, k in zip(arrays[2:5], axes[2:5], strict=True)
        ]
        metric = np.diag(np.resize(weights, n))
        _, proof, _, _, again = _solved([metric, np.zeros(n), *rows], n, general)
        contradictory = again == Verdict.INFEASIBLE
        if contradictory.any():
            at = tuple(np.argwhere(unsolved)[contradictory].T)  # () for a single program
            multipliers[at], verdict[at] = proof[contradictory], Verdict.INFEASIBLE
        unsolved = verdict == Verdict.NOT_CONVERGED
    return multipliers, verdict


def _repaired(
    arrays: list[Array], axes: Sequence[int], n: int, general: int, results: tuple[Array, ...]
) -> tuple[Array, ...]:
    """The results with those of `proximal` for programs that are not solved, if these are."""
    unsolved = results[-1] == Verdict.NOT_CONVERGED
    if not unsolved.any():
        return results
    data = [
        np.broadcast_to(x, (*unsolved.shape, *x.shape[x.ndim - k :]))[unsolved]
        for x, k in zip(arrays[:5], axes[:5], strict=True)
    ]
    *found, solved = proximal(lambda program: _solved(program, n, general), data)
    at = tuple(np.argwhere(unsolved)[solved].T)  # () for a single program
    repaired = [x.copy() for x in results]
    for x, y in zip(repaired, (*found, np.full(len(solved), Verdict.SOLVED)), strict=True):
        if solved.any():
            x[at] = y[solved] if len(at) else y[0]
    return tuple(repaired)


@lru_cache(maxsize=64)
def _numbered(m: int, variables: int) -> tuple[str, ...]:
    return (*(f"x[{i}]" for i in range(variables)), *(f"row {i}" for i in range(m - variables)))


def _names(names: Sequence[str], m: int, variables: int) -> tuple[str, ...]:
    if not len(names):
        return _numbered(m, variables)
    if len(names) != m or isinstance(names, str):
        raise ArgumentError(f"quadratic_program: names must have one entry for each of {m} rows, not {names!r}")
    return tuple(names)
