"""Large results on a CUDA device: each distinct number is in shared memory once.

Matrices of large robots hold zeros, constants and equal entries.  All warps of a block write the rows of the first one
from shared memory, by a table of places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sixvec.compiler.emit.cuda_tiles import WARP
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Port, Program

WRITERS = 128
"""Threads that write the rows of a warp."""


@dataclass(frozen=True)
class Distinct:
    """A program with one result, the distinct numbers, and the indices of each output's entries in it.

    A negative index -1 - k means the k-th constant.
    """

    program: Program
    places: tuple[tuple[int, ...], ...]
    constants: tuple[float, ...]

    @property
    def columns(self) -> int:
        """Numbers and constants."""
        return self.program.outputs[0].size + len(self.constants)

    def row(self) -> tuple[Operand, ...]:
        """All of them, in order."""
        return (*self.program.results[0], *self.constants)


def distinct(program: Program) -> Distinct:
    """Every computed entry once.

    >>> from sixvec.compiler.program import trace
    >>> p = trace("f", [Port("x", (2,))], lambda x: [(Port("y", (4,)), [x[0] * x[1], 0.0, x[0], x[0] * x[1]])])
    >>> distinct(p).places, distinct(p).constants
    (((0, -1, 1, 0),), (0.0,))
    """
    number_of: dict[Node, int] = {}
    constants: dict[float, int] = {}

    def place(x: Operand) -> int:
        if isinstance(x, Node):
            return number_of.setdefault(x, len(number_of))
        return -1 - constants.setdefault(float(x), len(constants))

    places = tuple(tuple(place(x) for x in entries) for entries in program.results)
    numbers = replace(program, outputs=(Port("numbers", (len(number_of),)),), results=(tuple(number_of),))
    return Distinct(numbers, places, tuple(constants))


def tables(numbered: Distinct, outputs: tuple[str, ...]) -> Iterator[str]:
    """For the name of each output, the columns of its entries among the numbers and the constants after them."""
    first = numbered.program.outputs[0].size
    for name, places in zip(outputs, numbered.places, strict=True):
        columns = ", ".join(str(p if p >= 0 else first - 1 - p) for p in places)
        yield f"static __device__ const unsigned short {name}_places[] = {{{columns}}};"


def spread_by_block(name: str, size: int, columns: int) -> Iterator[str]:
    """A block writes the rows of its first warp, thread next to thread, from a tile of `columns` numbers a row."""
    place = f"{name}_places[k_ - k_ / {size} * {size}] + k_ / {size} * {columns}"
    copy = f"{name}[first_ * {size} + k_] = numbers_tile[{place}];"
    yield f"  if (here_ == {WARP}) {{"
    yield '    _Pragma("unroll 8")'
    yield f"    for (int k_ = threadIdx.x; k_ < {WARP * size}; k_ += {WRITERS}) {copy}"
    yield "  } else {"
    yield '    _Pragma("unroll 1")'
    yield f"    for (int k_ = threadIdx.x; k_ < here_ * {size}; k_ += {WRITERS}) {copy}"
    yield "  }"
