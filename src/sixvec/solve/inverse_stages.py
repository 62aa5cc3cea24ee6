"""The inverse of the matrix of quadratic programs, as stages of their loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sixvec.kernels import Iterated, Port, Stage
from sixvec.kernels.function import CompiledFunction
from sixvec.solve.active_set import inverted, raised, swept, symmetric_part

WRITTEN_OUT = 16
"""Variables up to which the inverse is one program: its operations grow with their cube, but none is a selection."""


@lru_cache(maxsize=64)
def inverse_stages(n: int) -> tuple[Stage, ...]:
    """From "H": "quadratic", the lower triangle of its symmetric part; "regular", the same with raised pivots; and "S",
    the inverse of that with the opposite sign."""
    size = n * (n + 1) // 2
    S, quadratic, growth = Port("S", (size,)), Port("quadratic", (size,)), Port("growth", (n,))
    H, k, largest, regular = Port("H", (n, n)), Port("k", ()), Port("largest", ()), Port("regular", (size,))
    if n <= WRITTEN_OUT:
        return (_stage(n, "inverse", _inverse, (H,), (quadratic, regular, S)),)

    def sweep(S: Any, k: Any, largest: Any) -> Any:
        after, growth = swept(S, k, largest, n)
        return after, k + 1.0, growth

    one = _stage(n, "sweep", sweep, (S, k, largest), (S, k, Port("growth", ()))).function
    return (
        _stage(n, "symmetric", _symmetric, (H,), (quadratic, Port("first", ()), largest)),
        Stage(Iterated(one, n, 2, name="sweeps"), ("quadratic", "first", "largest"), ("S", "last", "growth")),
        _stage(n, "raise", raised, (quadratic, growth), (regular,)),
    )


def _inverse(H: Any) -> Any:
    quadratic, largest = symmetric_part(H)
    S, growth = inverted(quadratic, largest, len(H))
    return quadratic, raised(quadratic, growth), S


def _symmetric(H: Any) -> Any:
    quadratic, largest = symmetric_part(H)
    return quadratic, 0.0, largest


def _stage(n: int, name: str, function: Callable[..., Any], inputs: Sequence[Port], outputs: Sequence[Port]) -> Stage:
    compiled = CompiledFunction(function, tuple(inputs), tuple(outputs), f"inverse of programs {n} {name}")
    compiled.needs_double = True
    return Stage(compiled, tuple(p.name for p in inputs), tuple(p.name for p in outputs))
