"""A program as machine code in this process: one sample at a time, or a batch over lanes and threads."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler import cache as disk
from sixvec.compiler.build import compile_object, load_object
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.fingerprint import code_key
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program
from sixvec.compiler.runtime import door
from sixvec.compiler.runtime.batch import batch_assembly
from sixvec.compiler.runtime.door_assembly import door_assembly
from sixvec.compiler.runtime.tile_header import HEADER, KEPT
from sixvec.compiler.slots import share_slots
from sixvec.compiler.target import host
from sixvec.errors import ArgumentError

WORK_PER_THREAD = 10_000_000
"""Scalar operations below which handing a part of a batch to a thread costs more than it gains (some 0.4 ms)."""

ALIGN = 64


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_threads = _cores()
_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def set_threads(n: int) -> int:
    """Use at most `n` threads for the batch calls of this process; the bound until now is returned.

    >>> import sixvec
    >>> before = sixvec.set_threads(2)
    >>> sixvec.set_threads(before)
    2
    """
    global _threads, _pool
    if n < 1:
        raise ArgumentError(f"the number of threads must be at least 1, not {n}")
    with _pool_lock:
        before, _threads, _pool = _threads, int(n), None
        for batch in _batches:
            batch.bound_door()
    return before


_batches: WeakSet[_Batch] = WeakSet()


def _workers() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(_threads, thread_name_prefix="sixvec")
        return _pool


def _forget_workers() -> None:
    """A forked child has no threads, only the memory of them."""
    global _pool, _pool_lock
    _pool, _pool_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns of one output stand in its tile, and the slots that hold constants."""

    of_column: tuple[int, ...]
    constants: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """What compiling leaves on disk: object code, its length, and the layout of each output's tile."""

    code: bytes
    operations: int
    layouts: tuple[Layout, ...]

    def as_bytes(self) -> bytes:
        layouts = [[each.of_column, each.constants] for each in self.layouts]
        return json.dumps([self.operations, layouts]).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> Artifact:
        head, _, code = data.partition(b"\n")
        operations, layouts = json.loads(head)
        return cls(code, operations, tuple(Layout(tuple(columns), tuple(known)) for columns, known in layouts))


def build(program: Program, lanes: Lanes, whole: bool = False) -> Artifact:
    """Compile a program for one sample or for a vector of samples on this machine; `whole` as in `emit_llvm`."""
    final = lowered(program, lanes.dtype)
    code = compile_object(emit_llvm(final, lanes, whole=whole), len(final.nodes))
    shared = [share_slots(entries) for entries in final.results]
    return Artifact(code, len(final.nodes), tuple(Layout(each.of_column, each.constants) for each in shared))


class Executable:
    """Machine code for one program and one dtype, compiled or fetched from disk when first needed.

    `identity` names the program without tracing it: everything that decides what `trace` would return.
    """

    def __init__(
        self,
        identity: str,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        trace: Callable[[], Program],
        dtype: str,
    ) -> None:
        self.identity, self.inputs, self.outputs, self.dtype = identity, tuple(inputs), tuple(outputs), dtype
        self._trace = trace
        self._lock = threading.Lock()
        self._scalar: int | None = None
        self._batch: _Batch | None = None
        self._steps: dict[Lanes, tuple[int, int]] = {}

    def scalar(self) -> int:
        """The address of the function for one sample."""
        with self._lock:
            if self._scalar is None:
                self._scalar = load_object(self._artifact(Lanes(1, self.dtype)).code, "body")
            return self._scalar

    def batch(self) -> _Batch:
        """The function for batches."""
        with self._lock:
            if self._batch is None:
                lanes = Lanes(host().width(self.dtype), self.dtype)
                artifact = self._artifact(lanes)
                self._batch = _Batch(lanes, self.inputs, self.outputs, artifact)
            return self._batch

    def entry(self) -> door.Entry:
        """The code that exists by now, for the door."""
        loop = self._batch.door_words() if self._batch else door.Entry.NO_LOOP
        return door.Entry(self._scalar or 0, loop, self._batch)

    def step(self, lanes: Lanes) -> tuple[int, int]:
        """The function that the loop over steps calls: its address and its length in operations."""
        with self._lock:
            if lanes not in self._steps:
                artifact = self._artifact(lanes, whole=True)
                self._steps[lanes] = load_object(artifact.code, "body"), artifact.operations
            return self._steps[lanes]

    def _artifact(self, lanes: Lanes, whole: bool = False) -> Artifact:
        key = code_key(f"{self.identity} whole" if whole else self.identity, lanes)
        if (stored := disk.read(key)) is not None:
            return Artifact.from_bytes(stored)
        artifact = build(self._trace(), lanes, whole)
        disk.write(key, artifact.as_bytes())
        return artifact

    def run_one(self, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]]) -> None:
        """One sample: C-contiguous arrays of this dtype."""
        ONE(self.scalar())(pointers(map(address, inputs)), pointers(map(address, outputs)))

    def run(
        self,
        n: int,
        inputs: Sequence[NDArray[Any]],
        outputs: Sequence[NDArray[Any]],
        shared: list[bool],
        kept: bool = False,
    ) -> None:
        """`n` samples, one per row of each array; a shared input has a single row for all of them.

        `kept` promises that the outputs hold their constants, as `constants` gives them: they need not be written.
        """
        self.batch().run(n, [*map(address, inputs)], [*map(address, outputs)], shared, kept)

    def constants(self) -> list[NDArray[Any]]:
        """The entries of each output that no input changes; what the others hold means nothing."""
        return self.batch().constants()


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


class _Batch:
    """The loop over a batch with one kernel inside."""

    def __init__(self, lanes: Lanes, inputs: Sequence[Port], outputs: Sequence[Port], artifact: Artifact) -> None:
        self._lanes, self._body = lanes, load_object(artifact.code, "body")
        self._loop = LOOP(loop_address(lanes))
        self._row_bytes = [p.size * lanes.bytes // lanes.width for p in inputs]
        self._in_columns, self._out_columns = (integers([p.size for p in ports]) for ports in (inputs, outputs))
        self._out_strides = integers([p.size * lanes.bytes // lanes.width for p in outputs])
        self._output_tiles = [_OutputTile(layout, lanes) for layout in artifact.layouts]
        tiles = [padded(p.size, lanes.width) * lanes.bytes + HEADER for p in inputs]
        tiles += [padded(each.bytes, ALIGN) for each in self._output_tiles]
        self._offsets = [sum(tiles[:k]) + HEADER for k in range(len(tiles))]
        self._template = np.zeros(sum(tiles), np.uint8)
        for start, own in zip(self._offsets[len(inputs) :], self._output_tiles, strict=True):
            own.fill(self._template[start - HEADER :][: own.bytes])
        self._local = threading.local()
        self._rows_per_thread = max(lanes.width, WORK_PER_THREAD // max(1, artifact.operations))
        self._most_rows = ctypes.c_int64()
        self.bound_door()
        _batches.add(self)
        self._door_words: tuple[int, ...] | None = None

    def constants(self) -> list[NDArray[Any]]:
        """As `Executable.constants`."""
        return [each.constants for each in self._output_tiles]

    def _tiles(self, kept: bool) -> tuple[Any, Any, Any]:
        """This thread's tiles: the output tiles hold their constants, which the kernel never overwrites."""
        own: dict[bool, tuple[Any, Any, Any]] = self._local.__dict__.setdefault("tiles", {})
        if kept not in own:
            own[kept] = self._new_tiles(kept)
        return own[kept]

    def _new_tiles(self, kept: bool = False) -> tuple[Any, Any, Any]:
        memory = aligned(self._template.size)
        memory[:] = self._template
        split = len(self._row_bytes)
        for offset in self._offsets[split:]:
            memory[offset - HEADER + KEPT :][:8].view(np.uint64)[0] = kept
        addresses = [address(memory) + offset for offset in self._offsets]
        return pointers(addresses[:split]), pointers(addresses[split:]), memory

    def bound_door(self) -> None:
        """Batches that several threads should share must not be answered by the door, which uses one."""
        self._most_rows.value = 2 * self._rows_per_thread - 1 if _threads > 1 else np.iinfo(np.int64).max

    def door_words(self) -> tuple[int, ...]:
        """The loop and its constant arguments, in the order of the door's words from LOOP on."""
        if self._door_words is None:
            tin, tout, self._door_tiles = self._new_tiles()
            self._door_arrays = (
                integers(self._row_bytes), self._in_columns, self._out_strides, self._out_columns, tin, tout
            )  # fmt: skip
            addresses = [ctypes.addressof(a) for a in (self._most_rows, *self._door_arrays)]
            self._door_words = (loop_address(self._lanes), self._body, self._lanes.width, *addresses)
        return self._door_words

    def run(self, n: int, inputs: list[int], outputs: list[int], shared: list[bool], kept: bool = False) -> None:
        strides = integers([0 if s else row for row, s in zip(self._row_bytes, shared, strict=True)])
        ins, outs, width = pointers(inputs), pointers(outputs), self._lanes.width

        def work(first: int, stop: int) -> None:
            tin, tout, _ = self._tiles(kept)
            self._loop(
                self._body, width, first, stop, len(ins), ins, strides, self._in_columns,
                len(outs), outs, self._out_strides, self._out_columns, tin, tout,
            )  # fmt: skip

        share(work, n, self._rows_per_thread, width)


def share(work: Callable[[int, int], None], n: int, rows_per_thread: int, width: int) -> None:
    """Do `work(first, stop)` for n rows, in as many threads as are allowed and worth it."""
    parts = min(_threads, n // rows_per_thread)
    if parts <= 1:
        work(0, n)
        return
    step = padded(-(-n // parts), width)
    for job in [_workers().submit(work, first, min(first + step, n)) for first in range(0, n, step)]:
        job.result()


def padded(count: int, width: int) -> int:
    """Up to the next multiple: tiles hold whole blocks of W columns, threads whole chunks of W rows."""
    return -(-count // width) * width


def aligned(count: int) -> NDArray[np.uint8]:
    """Zeroed bytes that begin with a cache line."""
    memory = np.zeros(count + ALIGN, np.uint8)
    return memory[-address(memory) % ALIGN :][:count]


def address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def pointers(addresses: Iterable[int]) -> Any:
    values = list(addresses)
    return (ctypes.c_void_p * len(values))(*values)


def integers(numbers: Iterable[int]) -> Any:
    values = list(numbers)
    return (ctypes.c_int64 * len(values))(*values)


@cache
def loop_address(lanes: Lanes) -> int:
    return runtime_function("batch", batch_assembly(lanes), lanes)


@cache
def door_address() -> int:
    """The machine code that all doors share."""
    return runtime_function("door", door_assembly(), Lanes(1, "float64"))


@cache
def runtime_function(symbol: str, assembly: str, lanes: Lanes) -> int:
    """A function of the runtime, from the disk cache or compiled now."""
    key = code_key(assembly, lanes)
    code = disk.read(key)
    if code is None:
        code = compile_object(assembly, assembly.count("\n"))
        disk.write(key, code)
    return load_object(code, symbol)


_P, _N = ctypes.c_void_p, ctypes.c_int64
ONE = ctypes.CFUNCTYPE(None, _P, _P)
LOOP = ctypes.CFUNCTYPE(None, _P, _N, _N, _N, _N, _P, _P, _P, _N, _P, _P, _P, _P, _P)
