"""A program as text, for any target."""

from __future__ import annotations

from collections.abc import Callable

from sixvec.compiler.emit.c import emit_c
from sixvec.compiler.emit.cuda import emit_cuda
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Program
from sixvec.errors import ArgumentError

TARGETS: dict[str, Callable[[Program, str], str]] = {
    "c": lambda program, dtype: emit_c(program, dtype),
    "cuda": lambda program, dtype: emit_cuda(program, dtype),
    "llvm": lambda program, dtype: emit_llvm(lowered(program, dtype), Lanes(1, dtype), program.name),
    "program": lambda program, dtype: str(program),
}
"""One line per target."""


def source(program: Program, target: str, dtype: str = "float64") -> str:
    """The text of `program` for `target`."""
    if target not in TARGETS:
        raise ArgumentError(f'no target "{target}"; targets: {", ".join(TARGETS)}')
    return TARGETS[target](program, dtype)
