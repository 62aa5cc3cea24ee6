"""CUDA C that copies the rows of a warp to and from shared memory, whole cache lines at a time."""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.program import Port

BYTES = {"float64": 8, "float32": 4}

WARP = 32
"""Threads that run together, on every device so far."""

WIDE = 16
"""Bytes that a thread can move at once."""


def pitch(size: int) -> int:
    """Numbers from row to row of a tile."""
    return size | 1


def rows_of_a_warp(kind: str, numbers: int, alone: bool = False) -> Iterator[str]:
    """The warp's tile of shared memory, `numbers` for each row, and the rows of the warp: few or none at the end.

    If `alone`, the rows and the tile are those of the whole block.
    """
    yield "  extern __shared__ double2 shared_memory[];"
    yield f"  const int warp_ = threadIdx.x / {WARP}, lane_ = threadIdx.x % {WARP};"
    if alone:
        yield f"  {kind} *const tile_ = ({kind} *)shared_memory;"
        yield f"  const long long first_ = (long long)blockIdx.x * {WARP};"
    else:
        yield f"  {kind} *const tile_ = ({kind} *)shared_memory + warp_ * {WARP * numbers};"
        yield f"  const long long first_ = (long long)blockIdx.x * blockDim.x + warp_ * {WARP};"
    yield f"  const int here_ = count - first_ < {WARP} ? (int)(count - first_) : {WARP};"


PREFETCH = """static __device__ __forceinline__ void sixvec_prefetch(const void *p) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" :: "l"(p));
#else
  (void)p;
#endif
}
"""

LINE = 128
"""Bytes of a cache line."""


def brought(dtype: str, arrays: list[tuple[str, Port]], ahead: int = 0) -> Iterator[str]:
    """The warp loads its rows of all arrays into shared memory.

    All loads are issued before the first completes if all arrays are row-major, or all are component-major.  The rows
    `ahead`, which a later block computes, are fetched into the device's cache.
    """
    if not arrays:
        return
    kind, _ = TYPES[dtype]
    plain = " && ".join(f"{name}_row == {port.size} && {name}_step == 1" for name, port in arrays)
    places = " | ".join(f"(unsigned long long){name}" for name, _ in arrays)
    yield f"  if (here_ == {WARP} && {plain} && ({places}) % {WIDE} == 0) {{"
    loads: list[str] = []
    stores: list[str] = []
    for name, port in arrays:
        for condition, near, far, word in _lanes(dtype, name, port):
            number = f"w{len(loads)}_"
            loads.append(f"    {word or kind} {number}; {condition}{number} = {far};")
            stores.append(f"    {condition}{near} = {number};")
    yield from loads
    if ahead:
        yield f"    if (first_ + {ahead + WARP} <= count) {{"
        for name, port in arrays:
            yield from _lines_ahead(name, ahead, port.size, WARP * port.size * BYTES[dtype])
        yield "    }"
    yield from stores
    yield f"  }} else if (lane_ < here_ && {' && '.join(f'{name}_row == 1' for name, _ in arrays)}) {{"
    columns = [(name, port, j) for name, port in arrays for j in range(port.size)]
    for k, (name, _, j) in enumerate(columns):
        yield f"    const {kind} w{k}_ = {name}[first_ + lane_ + {j} * {name}_step];"
    if ahead:
        yield f"    if (first_ + {ahead + WARP} <= count) {{"
        for name, port in arrays:
            yield from _columns_ahead(name, ahead, port.size)
        yield "    }"
    for k, (name, port, j) in enumerate(columns):
        yield f"    {name}_tile[lane_ * {pitch(port.size)} + {j}] = w{k}_;"
    yield "  } else {"
    for name, port in arrays:
        yield from _any_layout(name, port)
    yield "  }"


def _lines_ahead(name: str, ahead: int, size: int, bytes_: int) -> Iterator[str]:
    lines = -(-bytes_ // LINE)
    for first in range(0, lines, WARP):
        condition = f"if (lane_ < {lines - first}) " if lines - first < WARP else ""
        far = f"(const char *)({name} + (first_ + {ahead}) * {size}) + (lane_ + {first}) * {LINE}"
        yield f"      {condition}sixvec_prefetch({far});"


def _columns_ahead(name: str, ahead: int, size: int) -> Iterator[str]:
    """As `_lines_ahead`, of a component-major array: the rows of a warp are a line or two of each component."""
    for first in range(0, size, WARP):
        condition = f"if (lane_ < {size - first}) " if size - first < WARP else ""
        yield f"      {condition}sixvec_prefetch({name} + first_ + {ahead} + (lane_ + {first}) * {name}_step);"


def _any_layout(name: str, port: Port) -> Iterator[str]:
    """Neighbouring threads load neighbouring rows of component-major arrays, and neighbouring numbers of others."""
    size = port.size
    yield f"    if ({name}_row == 1) {{"
    yield '      _Pragma("unroll 8")'
    near = f"{name}_tile[lane_ * {pitch(size)} + k_]"
    yield f"      for (int k_ = 0; k_ < {size}; ++k_)"
    yield f"        if (lane_ < here_) {near} = {name}[first_ + lane_ + k_ * {name}_step];"
    yield "    } else {"
    near = f"{name}_tile[k_ / {size} * {pitch(size)} + k_ % {size}]"
    far = f"{name}[(first_ + k_ / {size}) * {name}_row + k_ % {size} * {name}_step]"
    yield from (f"  {line}" for line in _any_rows(size, f"{near} = {far};", 4))
    yield "    }"


def taken_away(dtype: str, name: str, port: Port) -> Iterator[str]:
    """The warp writes its rows of an array from shared memory."""
    yield f"  if (here_ == {WARP} && (unsigned long long){name} % {WIDE} == 0) {{"
    yield from (f"    {condition}{far} = {near};" for condition, near, far, _ in _lanes(dtype, name, port))
    yield "  } else {"
    near = f"{name}_tile[k_ / {port.size} * {pitch(port.size)} + k_ % {port.size}]"
    yield from _any_rows(port.size, f"{name}[first_ * {port.size} + k_] = {near};", 1)
    yield "  }"


def _lanes(dtype: str, name: str, port: Port) -> Iterator[tuple[str, str, str, str]]:
    """What each thread of a warp copies: whether it copies, the shared and global addresses, and the word size."""
    wide = pitch(port.size) == port.size  # without padding, rows are one stretch of memory
    length = WARP * port.size * BYTES[dtype] // WIDE if wide else WARP * port.size
    for first in range(0, length, WARP):
        k = f"(lane_ + {first})"
        condition = f"if {k[:-1]} < {length}) " if first + WARP > length else ""
        if wide:
            far = f"((double2 *)({name} + first_ * {port.size}))[{k}]"
            yield condition, f"((double2 *){name}_tile)[{k}]", far, "double2"
        else:
            near = f"{name}_tile[{k} + {k} / {port.size}]"
            yield condition, near, f"{name}[first_ * {port.size} + {k}]", ""


def _any_rows(size: int, statement: str, unrolled: int) -> Iterator[str]:
    yield f'    _Pragma("unroll {unrolled}")'
    yield f"    for (int k_ = lane_; k_ < here_ * {size}; k_ += {WARP}) {{ {statement} }}"
