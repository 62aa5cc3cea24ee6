"""The inverse of the matrix of quadratic programs, as stages of their loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sixvec.kernels import Iterated, Port, Stage
from sixvec.kernels.function import CompiledFunction
from sixvec.solve.active_set import full, inverted, raised, swept, symmetric_part, triangle

WRITTEN_OUT = 16
"""Variables up to which the inverse is one program: its operations grow with their cube."""


@lru_cache(maxsize=64)
def inverse_stages(n: int) -> tuple[Stage, ...]:
    """From "H": "quadratic", the lower triangle of its symmetric part; "regular", the same with raised pivots; and "S",
    the inverse of that with the opposite sign."""
    size = n * (n + 1) // 2
    S, quadratic, growth = Port("S", (size,)), Port("quadratic", (size,)), Port("growth", (n,))
    H, largest, regular = Port("H", (n, n)), Port("largest", ()), Port("regular", (size,))
    if n <= WRITTEN_OUT:
        return (_stage(n, "inverse", _inverse, (H,), (quadratic, regular, S)),)

    def sweep(S: Any, largest: Any) -> Any:
        after, growth = swept(S, 0, largest, n)
        return rotated(after, n), growth

    one = _stage(n, "sweep", sweep, (S, largest), (S, Port("growth", ()))).function
    return (
        _stage(n, "symmetric", symmetric_part, (H,), (quadratic, largest)),
        Stage(Iterated(one, n, 1, name="sweeps"), ("quadratic", "largest"), ("S", "growth")),
        _stage(n, "raise", raised, (quadratic, growth), (regular,)),
    )


def rotated(S: Sequence[Any], n: int) -> list[Any]:
    """The lower triangle of a symmetric matrix whose first row and column are now its last: a loop that changes the
    first one in each step needs no selections, and ends in the order in which it began.

    >>> rotated([1.0, 2.0, 3.0], 2)
    [3.0, 2.0, 1.0]
    """
    F = full(S, n)
    return [F[(i + 1) % n][(j + 1) % n] for i, j in triangle(n)]


def _inverse(H: Any) -> Any:
    quadratic, largest = symmetric_part(H)
    S, growth = inverted(quadratic, largest, len(H))
    return quadratic, raised(quadratic, growth), S


def _stage(n: int, name: str, function: Callable[..., Any], inputs: Sequence[Port], outputs: Sequence[Port]) -> Stage:
    compiled = CompiledFunction(function, tuple(inputs), tuple(outputs), f"inverse of programs {n} {name}")
    compiled.needs_double = True
    return Stage(compiled, tuple(p.name for p in inputs), tuple(p.name for p in outputs))
