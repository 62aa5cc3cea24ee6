"""Large results on a CUDA device: each distinct number is computed once, then written to the user's rows.

Matrices of large robots hold zeros, constants and equal entries.  A first kernel stores the distinct numbers,
component-major; a second one transposes it tile by tile through shared memory and writes whole lines.  Large batches
are split, so that the intermediate numbers need little device memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Port, Program

TILE = 32
"""Rows and columns of a tile: a warp reads one and writes the other."""

TILE_ROWS = 8
"""Threads of a block across a tile; each handles so many lines in turn."""

MOST_ROWS = 65535 // 4 * 4 * TILE
"""Rows that a grid can have in its second direction, in multiples of 128."""

WAITING_BYTES = 128 * 2**20
"""Bytes between the two kernels; with much less, launching kernels takes longer than running them."""


@dataclass(frozen=True)
class Distinct:
    """A program with one result, the distinct numbers, and the indices of each output's entries in it.

    A negative index -1 - k means the k-th constant.
    """

    program: Program
    places: tuple[tuple[int, ...], ...]
    constants: tuple[float, ...]

    def rows(self, itemsize: int) -> int:
        """Samples that one pair of launches computes."""
        fitting = WAITING_BYTES // (itemsize * max(1, self.program.outputs[0].size)) // 128 * 128
        return min(max(128, fitting), MOST_ROWS)


def distinct(program: Program) -> Distinct:
    """Every computed entry once.

    >>> from sixvec.compiler.program import trace
    >>> p = trace("f", [Port("x", (2,))], lambda x: [(Port("y", (4,)), [x[0] * x[1], 0.0, x[0], x[0] * x[1]])])
    >>> distinct(p).places, distinct(p).constants
    (((0, -1, 1, 0),), (0.0,))
    """
    found: dict[Node, int] = {}
    constants: dict[float, int] = {}

    def place(x: Operand) -> int:
        if isinstance(x, Node):
            return found.setdefault(x, len(found))
        return -1 - constants.setdefault(float(x), len(constants))

    places = tuple(tuple(place(x) for x in entries) for entries in program.results)
    numbers = replace(program, outputs=(Port("numbers", (len(found),)),), results=(tuple(found),))
    return Distinct(numbers, places, tuple(constants))


def emit_spread(dtype: str) -> str:
    """The kernel `spread(count, columns, places, constants, numbers, out)` on blocks of (TILE, TILE_ROWS) threads."""
    kind, _ = TYPES[dtype]
    return f"""extern "C" __global__ void spread(long long count, int columns, const int *__restrict__ places,
    const {kind} *__restrict__ constants, const {kind} *__restrict__ numbers, {kind} *__restrict__ out) {{
  __shared__ {kind} tile[{TILE}][{TILE + 1}];
  const long long first_row = (long long)blockIdx.y * {TILE};
  const int first_column = blockIdx.x * {TILE};
  for (int k = threadIdx.y; k < {TILE}; k += {TILE_ROWS}) {{
    const long long row = first_row + threadIdx.x;
    const int column = first_column + k;
    if (row < count && column < columns) {{
      const int place = places[column];
      tile[k][threadIdx.x] = place < 0 ? constants[-1 - place] : numbers[place * count + row];
    }}
  }}
  __syncthreads();
  for (int k = threadIdx.y; k < {TILE}; k += {TILE_ROWS}) {{
    const long long row = first_row + k;
    const int column = first_column + threadIdx.x;
    if (row < count && column < columns) out[row * columns + column] = tile[threadIdx.x][k];
  }}
}}
"""


def spread_blocks(count: int, columns: int) -> tuple[int, int]:
    """Blocks of the second kernel: neighbours in a row follow each other, so that they complete each other's lines."""
    return -(-columns // TILE), -(-count // TILE)
