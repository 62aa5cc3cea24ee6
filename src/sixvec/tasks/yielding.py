"""Programs that are infeasible because of clearances: these yield, and the program is solved again; on scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, where
from sixvec.verdict import Verdict

INF = float("inf")


def has_failed(verdict: Scalar) -> Any:
    """Whether a program is infeasible, or not converged, which is nearly always the same without a proof."""
    infeasible = where(abs(verdict - float(Verdict.INFEASIBLE)) < 0.5, 1.0, 0.0)
    return where(abs(verdict - float(Verdict.NOT_CONVERGED)) < 0.5, 1.0, infeasible) > 0.5


def _function(name: str, run: Callable[..., Any], inputs: Sequence[Port], outputs: Sequence[Port]) -> CompiledFunction:
    function = CompiledFunction(run, tuple(inputs), tuple(outputs), name)
    function.needs_double = True
    return function


@lru_cache(maxsize=64)
def yielding(m: int) -> CompiledFunction:
    """Lower bounds that are requested, or the possible ones where these contradict each other; and whether they did."""

    def yielded(requested: Any, possible: Any, verdict: Any) -> Any:
        contradict = has_failed(verdict)
        lower = [where(contradict, p, w) for w, p in zip(requested, possible, strict=True)]
        return lower, where(contradict, 1.0, 0.0)

    inputs = (Port("requested", (m,)), Port("possible", (m,)), Port("verdict", ()))
    return _function(f"yielding bounds {m}", yielded, inputs, (Port("lower", (m,)), Port("yields", ())))


@lru_cache(maxsize=64)
def repeated(n: int, general: int) -> CompiledFunction:
    """The program again where it was infeasible; elsewhere one that is solved at once, so that nobody waits for it."""
    m = n + general

    def again(H: Any, g: Any, A: Any, lower: Any, upper: Any, verdict: Any) -> Any:
        repeat = has_failed(verdict)
        return (
            [[where(repeat, x, float(i == j)) for j, x in enumerate(row)] for i, row in enumerate(H)],
            [where(repeat, x, 0.0) for x in g],
            A,
            [where(repeat, x, -INF) for x in lower],
            [where(repeat, x, INF) for x in upper],
        )

    program = (Port("H", (n, n)), Port("g", (n,)), Port("A", (general, n)), Port("lower", (m,)), Port("upper", (m,)))
    return _function(f"program again {n} {general}", again, (*program, Port("verdict", ())), program)


@lru_cache(maxsize=64)
def chosen(n: int, m: int) -> CompiledFunction:
    """The results of the second program where the first was infeasible."""

    def choose(*arrays: Any) -> Any:
        first, second = arrays[:5], arrays[5:]
        repeat = has_failed(first[4])
        return tuple(
            [where(repeat, b, a) for a, b in zip(x, y, strict=True)] if k < 3 else where(repeat, y, x)
            for k, (x, y) in enumerate(zip(first, second, strict=True))
        )

    def ports(word: str) -> tuple[Port, ...]:
        shapes = {"x": (n,), "multipliers": (m,), "active": (m,), "residual": (), "verdict": ()}
        return tuple(Port(f"{name} {word}", shape) for name, shape in shapes.items())

    return _function(f"chosen program {n} {m}", choose, (*ports("first"), *ports("second")), ports("chosen"))
