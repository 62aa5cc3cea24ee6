"""A kernel on SIMD lanes over the rows of a batch: its tiles, and the loop of the runtime around it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.build import Code
from sixvec.compiler.bytecode_first import poll
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.memory import ALIGN, Arrays, address, aligned, integers, padded, pointers
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.call_stub import BatchLoop
from sixvec.compiler.runtime.functions import BATCH, batch_loop
from sixvec.compiler.runtime.tile_header import HEADER, KEPT
from sixvec.compiler.slots import Layout
from sixvec.compiler.threads import share
from sixvec.lazy import lazy


class _OutputTile:
    """The tile of one output: a slot for each distinct entry, constants in theirs, and the header in front of it."""

    def __init__(self, layout: Layout, lanes: Lanes) -> None:
        self._lanes, self._layout, W = lanes, layout, lanes.width
        slots = np.zeros(padded(len(layout.of_column), W), np.int64)
        slots[: len(layout.of_column)] = layout.of_column
        count = int(slots.max(initial=0)) + 1
        self.bytes = count * lanes.bytes + HEADER
        self._places = (slots * lanes.bytes).astype(np.uint32)
        values, known = np.zeros(count, lanes.dtype), np.zeros(count, bool)
        for slot, x in layout.constants:
            values[slot], known[slot] = x, True
        self._row = values[slots]
        self._flags: NDArray[np.bool_] = np.asarray(known[slots].reshape(-1, W).all(axis=1))

    @property
    def constants(self) -> NDArray[Any]:
        """One row of the output, with zeros where it is not constant."""
        return self._row[: len(self._layout.of_column)]

    def fill(self, tile: NDArray[np.uint8]) -> None:
        """Write the header and the constants into a tile that begins with its header."""
        flags = [address(self._flags), address(self._row)] if self._flags.any() else [0, 0]
        tile[:24].view(np.uint64)[:] = [*flags, address(self._places)]
        numbers, width = tile[HEADER:].view(self._lanes.dtype), self._lanes.width
        for slot, x in self._layout.constants:
            numbers[slot * width : (slot + 1) * width] = x


@dataclass(frozen=True, slots=True)
class Tiles:
    """Memory to copy, beginning with a cache line, and where the tile of each input and output is in it."""

    template: NDArray[np.uint8]
    offsets: tuple[int, ...]
    owner: Any
    """References that keep the addresses in the headers valid."""


class Batch:
    """The loop over a batch around one kernel with so many operations."""

    def __init__(
        self,
        body: Code,
        operations: int,
        layouts: Sequence[Layout],
        lanes: Lanes,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
    ) -> None:
        self._lanes, self.body, self._operations = lanes, body, operations
        self._loop = batch_loop(lanes)
        self._row_bytes = [p.size * lanes.bytes // lanes.width for p in inputs]
        self._in_columns, self._out_columns = (integers([p.size for p in ports]) for ports in (inputs, outputs))
        self._out_strides = integers([p.size * lanes.bytes // lanes.width for p in outputs])
        self._output_tiles = [_OutputTile(layout, lanes) for layout in layouts]
        tiles = [padded(p.size, lanes.width) * lanes.bytes + HEADER for p in inputs]
        tiles += [padded(each.bytes, ALIGN) for each in self._output_tiles]
        self._offsets = [sum(tiles[:k]) + HEADER for k in range(len(tiles))]
        self._template = np.zeros(sum(tiles), np.uint8)
        for start, tile in zip(self._offsets[len(inputs) :], self._output_tiles, strict=True):
            tile.fill(self._template[start - HEADER :][: tile.bytes])
        self._local = threading.local()

    def constants(self) -> list[NDArray[Any]]:
        """The entries of each output that do not depend on inputs; the other values are undefined."""
        return [each.constants for each in self._output_tiles]

    def _tiles(self, resident: bool) -> tuple[Any, Any, Any]:
        """This thread's tiles: the output tiles contain their constants, which the kernel never overwrites."""
        by_kind: dict[bool, tuple[Any, Any, Any]] = self._local.__dict__.setdefault("tiles", {})
        if resident not in by_kind:
            by_kind[resident] = self._new_tiles(resident)
        return by_kind[resident]

    def _new_tiles(self, resident: bool = False) -> tuple[Any, Any, Any]:
        memory = aligned(self._template.size)
        memory[:] = self._template
        split = len(self._row_bytes)
        for offset in self._offsets[split:]:
            memory[offset - HEADER + KEPT :][:8].view(np.uint64)[0] = resident
        addresses = [address(memory) + offset for offset in self._offsets]
        return pointers(addresses[:split]), pointers(addresses[split:]), memory

    def tiles(self) -> Tiles:
        """The initial tiles of one call, for callers with their own memory."""
        return Tiles(self._template, tuple(self._offsets), self._output_tiles)

    @lazy
    def for_call_stubs(self) -> BatchLoop:
        """The loop with its own tiles, shared by all call stubs to this kernel: one call at a time uses them."""
        tin, tout, memory = self._new_tiles()
        arrays = (integers(self._row_bytes), self._in_columns, self._out_strides, self._out_columns, tin, tout)
        owner = (self._loop, self.body, arrays, memory, self._output_tiles)
        addresses = tuple(map(ctypes.addressof, arrays))
        return BatchLoop(self._loop.address, self.body.address, self._lanes.width, self._operations, addresses, owner)

    def run(self, n: int, inputs: Arrays, outputs: Arrays, shared: Sequence[bool], stored: bool = False) -> None:
        """`n` samples, one per row of each array; a shared input has a single row for all of them.

        `stored` states that the outputs already contain the constants of `constants`, which need not be written.
        """
        self.prepared(n, inputs, outputs, shared, stored)()

    def prepared(
        self, n: int, inputs: Arrays, outputs: Arrays, shared: Sequence[bool], stored: bool = False
    ) -> Callable[[], None]:
        """`run`, prepared for repeated calls: addresses are computed once."""
        strides = integers([0 if s else row for row, s in zip(self._row_bytes, shared, strict=True)])
        ins, outs, width = pointers(map(address, inputs)), pointers(map(address, outputs)), self._lanes.width
        loop = BATCH(self._loop.address)
        arrays = (inputs, outputs)

        def work(first: int, stop: int, cancelled: Callable[[], bool], alive: Any = arrays) -> None:
            # The arrays belong to the work, not to the caller's frame: no thread can write to memory that was freed.
            poll(self.body)
            tin, tout, _ = self._tiles(stored)
            loop(
                self.body.address, width, first, stop, len(ins), ins, strides, self._in_columns,
                len(outs), outs, self._out_strides, self._out_columns, tin, tout,
            )  # fmt: skip

        row_bytes = sum(self._row_bytes) + sum(self._out_strides)
        return partial(share, work, n, self._operations * self.body.slowdown, row_bytes, width)
