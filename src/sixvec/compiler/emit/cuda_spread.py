"""Large results on a CUDA device: each distinct number is computed once, then written to the user's rows.

Matrices of large robots hold zeros, constants and equal entries.  If the distinct numbers of a warp's rows fit into
shared memory, all warps of a block write the rows of the first from there, by a table of places.  Otherwise a first
kernel stores the distinct numbers, component-major; each block of a second one brings those of a few rows to shared
memory and writes the rows from there, one after the other.  Large batches are split, so that the intermediate numbers
need little device memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.emit.cuda_tiles import BYTES, WARP
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Port, Program

WRITERS = 128
"""Threads that write the rows of a warp."""

THREADS = 512
"""Threads of a block of the second kernel."""

ROWS = {"float32": 32, "float64": 16}
"""Rows of such a block: a stretch of 128 bytes of every number."""

MOST_NUMBERS = 384
"""Distinct numbers of a row in shared memory, some 50 kB a block."""

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

    @property
    def columns(self) -> int:
        """Numbers and constants."""
        return self.program.outputs[0].size + len(self.constants)

    def row(self) -> tuple[Operand, ...]:
        """All of them, in order."""
        return (*self.program.results[0], *self.constants)

    def rows(self, itemsize: int) -> int:
        """Samples that one pair of launches computes."""
        return max(128, WAITING_BYTES // (itemsize * max(1, self.program.outputs[0].size)) // 128 * 128)


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


def tables(found: Distinct, outputs: tuple[str, ...]) -> Iterator[str]:
    """For each output by name, the columns of its entries among the numbers and the constants after them."""
    first = found.program.outputs[0].size
    for name, places in zip(outputs, found.places, strict=True):
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


@dataclass(frozen=True)
class Part:
    """Neighbouring columns of an output, which one launch of the second kernel writes."""

    output: int
    first: int
    used: tuple[int, ...]
    """The distinct numbers in them."""
    places: tuple[int, ...]
    """The index in `used` of each column; -1 - k means the k-th constant."""


def parts(found: Distinct, most: int = MOST_NUMBERS) -> list[Part]:
    """All outputs, in pieces that hold at most so many numbers.

    >>> some = Distinct(Program("f", (), (), ()), ((0, -1, 1, 0, 2),), (0.0,))
    >>> [(p.first, p.used, p.places) for p in parts(some, 2)]
    [(0, (0, 1), (0, -1, 1, 0)), (4, (2,), (0,))]
    """
    made = []
    for output, columns in enumerate(found.places):
        first, used, places = 0, dict[int, int](), list[int]()
        for column, place in enumerate(columns):
            if place >= 0 and place not in used and len(used) == most:
                made.append(Part(output, first, tuple(used), tuple(places)))
                first, used, places = column, {}, []
            places.append(used.setdefault(place, len(used)) if place >= 0 else place)
        made.append(Part(output, first, tuple(used), tuple(places)))
    return made


def spread_bytes(part: Part, dtype: str) -> int:
    """Shared memory of a block."""
    return len(part.used) * (ROWS[dtype] + 1) * BYTES[dtype]


def spread_blocks(count: int, dtype: str) -> int:
    return -(-count // ROWS[dtype])


def emit_spread(dtype: str) -> str:
    """The kernel `spread(count, width, columns, distinct, used, places, constants, numbers, out)`.

    It writes `columns` numbers from `out` on in each of `count` rows, which are `width` numbers apart.
    """
    kind, _ = TYPES[dtype]
    rows = ROWS[dtype]
    return f"""extern "C" __global__ void __launch_bounds__({THREADS}) spread(long long count, int width, int columns,
    int distinct, const int *__restrict__ used, const int *__restrict__ places, const {kind} *__restrict__ constants,
    const {kind} *__restrict__ numbers, {kind} *__restrict__ out) {{
  extern __shared__ double2 shared_memory[];
  {kind} *const tile = ({kind} *)shared_memory;
  const long long first = (long long)blockIdx.x * {rows};
  const int here = count - first < {rows} ? (int)(count - first) : {rows};
  for (int k = threadIdx.x; k < distinct * {rows}; k += {THREADS}) {{
    const int row = k % {rows}, number = k / {rows};
    if (row < here) tile[number * {rows + 1} + row] = numbers[used[number] * count + first + row];
  }}
  __syncthreads();
  for (int k = threadIdx.x; k < here * columns; k += {THREADS}) {{
    const int row = k / columns, column = k - row * columns, place = places[column];
    out[(first + row) * width + column] = place < 0 ? constants[-1 - place] : tile[place * {rows + 1} + row];
  }}
}}
"""
