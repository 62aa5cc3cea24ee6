"""Quadratic programs of torch and JAX arrays that need derivatives: those of the equations of the active rows.

While the active set stays the same, the minimum x and the multipliers y of the active rows G solve linear equations,

    H x + Gᵀ y = -g,    G x = b,

where b are the active bounds.  The library solves them once more, so that every derivative, of any order, is that of a
linear solution.  Rows that are not active have the equations y = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels.any_arrays import alike
from sixvec.kernels.portable import interop, library_of
from sixvec.solve.active_set import LEAST_PIVOT
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.solve.quadratic_program import QuadraticProgram


def followed(
    H: Any, g: Any, A: Any, lower: Any, upper: Any, start: Any = None, names: Sequence[str] = ()
) -> QuadraticProgram | None:
    """`quadratic_program` with derivatives; None where the library does not know the numbers."""
    from sixvec.solve.quadratic_program import QuadraticProgram, checked_program, quadratic_program

    H, g, lower, upper = alike(H, g, lower, upper)
    name = str(library_of(H))
    library, xp, n = interop(name), import_module({"jax": "jax.numpy"}.get(name, name)), H.shape[-1]
    A = library.constant(np.zeros((0, n)), H) if A is None else alike(A, H)[0]
    parts = [H, g, A, lower, upper, *([] if start is None else [alike(start, H)[0]])]
    known = [library.placeholder(library.constant_of(x)) for x in parts]
    program = checked_program(*known, names=names)
    batch, m = program.batch, lower.shape[-1]
    shapes = [tuple(x.shape[x.ndim - k :]) for x, k in zip(parts, program.axes, strict=False)]
    parts = [xp.broadcast_to(x, (*batch, *s)) for x, s in zip(parts, shapes, strict=True)]

    def solved(numbers: Array) -> tuple[Array, ...]:
        ends = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]
        arrays = [x.reshape(*x.shape[:-1], *s) for x, s in zip(np.split(numbers, ends, -1), shapes, strict=True)]
        solution = quadratic_program(*arrays[:5], start=arrays[5] if start is not None else None)
        return (
            solution.x,
            solution.verdict,
            solution.active,
            solution.multipliers,
            solution.residual,
            *_constants(solution, arrays[0], arrays[2]),
        )

    sizes = (n,), (), (m,), (m,), (), (n, n), (), (m,), (m, m)
    kinds = float, np.int8, np.int8, *6 * (float,)
    together = xp.concatenate([x.reshape(*batch, int(np.prod(s))) for x, s in zip(parts, shapes, strict=True)], -1)
    constants = library.evaluated(solved, sizes, kinds, together)
    if constants is None:
        return None
    x0, verdict, active, multipliers, residual, near, unit, scale, idle = constants
    H, g, A, lower, upper = parts[:5]
    bounds = [xp.broadcast_to(xp.eye(n, dtype=H.dtype), (*batch, n, n))] if m > A.shape[-2] else []
    on, none = scale > 0, xp.zeros_like(lower)
    b = xp.where(on, xp.where(active > 0, upper, lower), none) * scale
    G = xp.concatenate([*bounds, A], -2)
    G = xp.where(on[..., None], G, xp.zeros_like(G)) * scale[..., None]
    curved = xp.where(unit[..., None, None] > 0, H + xp.swapaxes(H, -1, -2), xp.zeros_like(H)) * (
        0.5 * unit[..., None, None]
    )
    slope = xp.where(unit[..., None] > 0, g, xp.zeros_like(g)) * unit[..., None]
    K = xp.concatenate([
        xp.concatenate([curved + near, xp.swapaxes(G, -1, -2)], -1), xp.concatenate([G, idle], -1),
    ], -2)  # fmt: skip
    right = xp.concatenate([(near @ x0[..., None])[..., 0] - slope, b], -1)
    z = xp.linalg.solve(K, right[..., None])[..., 0]
    x, y = z[..., :n], z[..., n:] * xp.where(on, scale / xp.where(on, unit[..., None], none + 1.0), none)
    constant = library.constant_of
    return QuadraticProgram(
        x0 + (x - constant(x)), verdict, active, multipliers + (y - constant(y)), residual, program.names
    )


def _constants(solution: QuadraticProgram, H: Array, A: Array) -> tuple[Array, Array, Array, Array]:
    """What the equations need beyond the program: the matrix that keeps x near its value where H is flat, since every x
    there is a minimum; the unit of H, 0 for programs without a minimum; scales of the rows, 0 if they are not active;
    and a unit matrix for those."""
    general = A.shape[-2]
    solved = solution.verdict == Verdict.SOLVED
    S = np.where(solved[..., None, None], 0.5 * (H + np.swapaxes(H, -1, -2)), 0.0)
    values, vectors = np.linalg.eigh(S)
    flat = np.where(values > LEAST_PIVOT * values[..., -1:], 0.0, 1.0)
    near = (vectors * flat[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    unit = np.where(solved, 1.0 / np.where(values[..., -1] > 0.0, values[..., -1], 1.0), 0.0)
    lengths = np.linalg.norm(np.where(solved[..., None, None], A, 0.0), axis=-1)
    lengths = np.concatenate([np.ones((*lengths.shape[:-1], solution.active.shape[-1] - general)), lengths], -1)
    on = solved[..., None] & (solution.active != 0)
    scale = np.where(on, 1.0 / np.where(on & (lengths > 0.0), lengths, 1.0), 0.0)
    return near, unit, scale, ~on[..., None] * np.eye(on.shape[-1])
