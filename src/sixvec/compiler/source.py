"""Programs as text, for any target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixvec.compiler.emit.c import emit_source
from sixvec.compiler.emit.cuda import emit_kernel
from sixvec.compiler.emit.function import Function
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.lower import lowered
from sixvec.errors import ArgumentError


def _llvm(functions: Sequence[Function], dtype: str) -> str:
    if len(functions) > 1:
        raise ArgumentError("a module of LLVM assembly holds one function; emit them one by one")
    (function,) = functions
    return emit_llvm(lowered(function.program, dtype), Lanes(1, dtype), function.symbol)


TARGETS: dict[str, Callable[[Sequence[Function], str], str]] = {
    "c": emit_source,
    "cuda": lambda functions, dtype: "\n".join(emit_kernel(f, dtype) for f in functions),
    "llvm": _llvm,
    "program": lambda functions, dtype: "\n\n".join(str(f.program) for f in functions),
}
"""One line per target."""


def sources(functions: Sequence[Function], target: str, dtype: str = "float64") -> str:
    """The text of several functions for `target`, in one file."""
    if target not in TARGETS:
        raise ArgumentError(f'no target "{target}"; targets: {", ".join(TARGETS)}')
    return TARGETS[target](functions, dtype)
