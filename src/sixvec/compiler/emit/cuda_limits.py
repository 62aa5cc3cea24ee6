"""The sizes of programs that are compiled for a CUDA device."""

from __future__ import annotations

from sixvec.compiler.program import Program
from sixvec.errors import ArgumentError

ONE_KERNEL = {"float64": 8_000, "float32": 12_000}
"""Operations of the longest program that is one kernel where it can be several: longer ones are faster in sections."""

ONE_FUNCTION = 20_000
"""Operations of the longest program that is one kernel where it must be: about a minute to compile."""

LONGEST = 400_000
"""Operations of the longest program in sections: some minutes to compile."""


def require_length(program: Program, most: int, advice: str) -> None:
    """Raise an error for a program that would take too long to compile.

    >>> from sixvec.compiler.program import Port, trace
    >>> p = trace("f", [Port("x", (2,))], lambda x: [(Port("y", (1,)), [x[0] * x[1]])])
    >>> require_length(p, 2, "give less")
    Traceback (most recent call last):
        ...
    sixvec.errors.ArgumentError: f: 3 operations are too many for a CUDA device, at most 2 can be compiled; give less
    """
    operations = len(program.nodes)
    if operations > most:
        raise ArgumentError(
            f"{program.name}: {operations} operations are too many for a CUDA device, at most {most} can be compiled; "
            f"{advice}"
        )
