"""A compiled function applied to its own results, many times, without Python between the steps."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler import threads
from sixvec.compiler.build import Code
from sixvec.compiler.bytecode_first import poll
from sixvec.compiler.call import Compiled, as_tuple
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.executable import Executable
from sixvec.compiler.memory import ALIGN, address, aligned, integers, padded, pointers
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.call_stub import BatchLoop, Entry
from sixvec.compiler.runtime.functions import BATCH, ONE, batch_loop, runtime_function
from sixvec.compiler.runtime.iterate import Word, iterate_assembly
from sixvec.compiler.runtime.tile_header import HEADER
from sixvec.compiler.target import host
from sixvec.compiler.threads import share
from sixvec.lazy import lazy

_TILE_BYTES = 256 * 1024
"""Bytes of the arrays with an entry per step that are in tiles at a time: longer loops run in blocks of steps."""

_MOST_WIDTH = 8
"""Lanes of most machines: the work of a slice is counted for all of them, for a vector or one sample."""


class Iterated(Compiled):
    """`steps` applications of a compiled step, in one call: lanes are samples, the loop is machine code.

    The first `carried` inputs and outputs of the step are its state: given once, fed back from step to step, returned
    as they are after the last.  The last `each` inputs have one more axis here, an entry per step, and so have all
    other outputs.  With `until`, the step's last output states whether to continue: the loop ends when it is positive
    for no sample of a vector register.  Samples that share a register run to its end, so the step must leave the state
    of a finished sample unchanged.  Such a loop has no outputs but its state.  With `may_skip`, the last number of the
    state states the same before the first step: where it is positive for no sample of a register, there is none.

    With `counted`, one more input at the end says how many steps a sample needs, `steps` at most: the loop ends with
    the sample of a vector register that needs most.  Entries of results beyond that are not written.
    """

    backwards = False
    """Whether the first step takes and makes the last entries of the arrays with an entry per step."""

    by_lanes = False
    """Whether a CUDA device has arrays with an entry per step as (n, steps, rows) in memory: for steps that take many
    numbers."""

    def __init__(
        self, step: Compiled, steps: int, carried: int, each: int = 0, until: bool = False, name: str = "",
        may_skip: bool = False, counted: bool = False,
    ) -> None:  # fmt: skip
        self.step, self.steps, self.carried, self.each, self.until = step, steps, carried, each, until
        self.may_skip, self.counted = may_skip, counted
        self.needs_double = step.needs_double
        self.name = name or f"{step.name}_{steps}_times"
        constant = len(step.inputs) - each
        self.inputs = (*step.inputs[:constant], *(_per_step(p, steps) for p in step.inputs[constant:]))
        self.inputs += (Port("count", ()),) * counted
        stop = len(step.outputs) - until
        self.outputs = (*step.outputs[:carried], *(_per_step(p, steps) for p in step.outputs[carried:stop]))
        if len(self.outputs) > 1:
            self.result_type = as_tuple

    @lazy
    def _executables(self) -> dict[str, Any]:
        return {dtype: _Loop(self, self.step.executable(dtype)) for dtype in ("float64", "float32")}

    def check_options(self) -> None:
        self.step.check_options()

    def check_values(self, inputs: Sequence[NDArray[Any]]) -> None:
        """As for other functions; a search begins with special values, such as an infinite error."""
        if not self.until:
            super().check_values(inputs)

    def tiles(self, dtype: str, lanes: Lanes) -> Any:
        """The loop as a stage of another loop's step (`staged.py`)."""
        return self._executables[dtype].tiles(lanes)


def _per_step(p: Port, steps: int) -> Port:
    return Port(p.name, (steps, *p.shape))


class _Loop:
    """Machine code for an iteration and one dtype; replaces an `Executable`."""

    def __init__(self, iterated: Iterated, step: Executable) -> None:
        # The iteration owns this loop, so a weak reference suffices: unreachable code is freed immediately.
        self.iterated: Any = proxy(iterated)
        self._step, self._dtype = step, step.dtype

    @lazy
    def _one(self) -> _Tiles:
        return _Tiles(self.iterated, self._step, Lanes(1, self._dtype), self.iterated.steps)

    @lazy
    def _many(self) -> _Tiles:
        lanes = Lanes(host().width(self._dtype), self._dtype)
        it = self.iterated
        each = [p.size for p in (*it.inputs[len(it.step.inputs) - it.each :], *it.outputs[it.carried :])]
        per_step = sum(each) * lanes.bytes // max(1, it.steps)
        return _Tiles(it, self._step, lanes, min(it.steps, max(1, _TILE_BYTES // per_step)) if per_step else it.steps)

    def tiles(self, lanes: Lanes) -> _Tiles:
        """The loop for one sample or for lanes, as a stage of another loop's step."""
        return self._one if lanes.width == 1 else self._many

    def entry(self) -> Entry:
        """The loops made so far, as far as call stubs can run them."""
        tiles: list[_Tiles | None] = [self.__dict__.get("_one"), self.__dict__.get("_many")]
        one, many = (x if x and x.suits_call_stubs else None for x in tiles)
        loop = many.for_batches if many else None
        if one is None:
            return Entry(None, loop)
        code, memory, work = one.for_one_sample
        return Entry(code, loop, ctypes.addressof(memory.words), memory.go_on, work, (one.codes, memory))

    def run_one(self, inputs: Any, outputs: Any) -> None:
        """One sample: the arrays themselves are the tiles."""
        self._one.run_one([*map(address, inputs)], [*map(address, outputs)])

    def on_arrays(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Callable[[], None] | None:
        """`run_one` as a function for these arrays, called by one thread at a time; None while it is not one call."""
        return self._one.on_arrays(inputs, outputs) if self._one.suits_call_stubs else None

    def run(self, n: int, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], shared: list[bool]) -> None:
        """`n` samples, one per row of each array."""
        self._many.run(n, inputs, outputs, shared)


class _Tiles:
    """The loop over steps inside the loop over a batch: `block` steps at a time."""

    def __init__(self, it: Iterated, step: Executable, lanes: Lanes, block: int) -> None:
        self._kernel, operations = step.step(lanes)
        self.it, self.step, self.lanes, self.kernel = it, step, lanes, self._kernel.address
        self._codes = step.codes(lanes)
        most = threads.WORK_PER_SLICE // (_MOST_WIDTH * max(1, operations) * self._kernel.slowdown)
        self.block = max(1, min(block, most))
        self._iterate = runtime_function("iterate", iterate_assembly(lanes), lanes)
        self._work_per_row = operations * it.steps
        item = lanes.bytes // lanes.width
        self._ports = (*it.step.inputs, *it.inputs[len(it.step.inputs) :])
        constant = len(it.step.inputs) - it.each
        self._each_in = [constant <= k < len(it.step.inputs) for k in range(len(it.inputs))]
        self._each_out = [k >= it.carried for k in range(len(it.outputs))]
        self._row_in = [p.size * item for p in it.inputs]
        self._row_out = [p.size * item for p in it.outputs]
        self._step_in = [p.size * item if e else 0 for p, e in zip(self._ports, self._each_in, strict=True)]
        self._step_out = [
            p.size * item if e else 0 for p, e in zip(it.step.outputs, self._each_out, strict=False)
        ]  # fmt: skip
        self._local = threading.local()

    @property
    def codes(self) -> tuple[Code, ...]:
        """All code that the loop runs."""
        return (self._iterate, self._kernel, *self._codes)

    @property
    def suits_call_stubs(self) -> bool:
        """Whether call stubs can run the loop: they run all steps in one block, and do not poll."""
        return self.block >= self.it.steps and all(code.slowdown == 1 for code in self.codes)

    @lazy
    def for_one_sample(self) -> tuple[Code, LoopMemory, int]:
        """The loop with its own memory, for call stubs: they hold the interpreter's lock, so one uses it at a time."""
        return self._iterate, self._whole_loop(), self._work_per_row

    @lazy
    def for_batches(self) -> BatchLoop:
        """The loop over a batch with its own memory, for call stubs: one call at a time uses it."""
        memory, loop = self._whole_loop(), batch_loop(self.lanes)
        ports = (self._ports, self._each_in), (self.it.step.outputs, self._each_out)
        columns = [self._columns(*p, self.it.steps) for p in ports]
        tin = (ctypes.c_void_p * len(self._each_in)).from_address(memory.tin)
        arrays = (integers(self._row_in), columns[0], integers(self._row_out), columns[1], tin, memory.tout)
        addresses = tuple(map(ctypes.addressof, arrays))
        owner = (loop, self.codes, arrays, memory)
        return BatchLoop(
            loop.address, self._iterate.address, self.lanes.width, self._work_per_row, addresses, owner
        )  # fmt: skip

    def _whole_loop(self) -> LoopMemory:
        memory = LoopMemory(self)
        memory.words[Word.STEPS] = self.it.steps
        return memory

    @property
    def iterate_address(self) -> int:
        return self._iterate.address

    def run_one(self, inputs: list[int], outputs: list[int]) -> None:
        """Block after block of steps, so that interrupts are handled between them."""
        carried = self.it.carried
        with self._memory() as memory:
            for start in range(0, max(1, self.it.steps), self.block):
                poll(*self._codes)
                count = memory.words[Word.STEPS] = min(self.block, self.it.steps - start)
                first = self._first(start, count)
                if start:
                    inputs = [*outputs[:carried], *inputs[carried:]]
                ins = [x + d * first for x, d in zip(inputs, self._step_in, strict=True)]
                arguments = pointers([ctypes.addressof(memory.words), *ins])
                outs = [x + d * first for x, d in zip(outputs, self._step_out, strict=False)]
                ONE(self._iterate.address)(
                    ctypes.addressof(arguments) + ctypes.sizeof(ctypes.c_void_p), pointers([*outs, memory.go_on])
                )

    def _first(self, start: int, count: int) -> int:
        """The first entry in memory for so many steps after `start` of them."""
        return self.it.steps - start - count if self.it.backwards else start

    def on_arrays(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Callable[[], None]:
        """All steps of one sample, for these arrays, with memory of its own."""
        poll(*self.codes)
        memory, code = self._whole_loop(), ONE(self._iterate.address)
        arguments = pointers([ctypes.addressof(memory.words), *map(address, inputs)])
        results = pointers([*map(address, outputs), memory.go_on])
        owned = (self, memory, arguments, inputs, outputs)
        first = ctypes.addressof(arguments) + ctypes.sizeof(ctypes.c_void_p)

        def run(_: Any = owned) -> None:
            code(first, results)

        return run

    def run(self, n: int, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], shared: list[bool]) -> None:
        ins, outs, arrays = [*map(address, inputs)], [*map(address, outputs)], (inputs, outputs)

        def work(first: int, stop: int, cancelled: Callable[[], bool], alive: Any = arrays) -> None:
            # As in a batch, the arrays belong to the work: no thread can write to memory that was freed.
            with self._memory() as memory:
                self._rows(memory, first, stop, ins, outs, shared, cancelled)

        work_per_row = self._work_per_row * self._kernel.slowdown
        share(work, n, work_per_row, sum(self._row_in) + sum(self._row_out), self.lanes.width)

    def _rows(
        self,
        memory: LoopMemory,
        first: int,
        stop: int,
        inputs: list[int],
        outputs: list[int],
        shared: list[bool],
        cancelled: Callable[[], bool],
    ) -> None:
        """Rows `first` to `stop`, block after block of steps; later blocks continue from the state in the outputs."""
        it, loop = self.it, BATCH(batch_loop(self.lanes).address)
        strides = [0 if s else row for row, s in zip(self._row_in, shared, strict=True)]
        for start in range(0, max(1, it.steps), self.block):
            if cancelled():
                return
            poll(*self._codes)
            count = min(self.block, it.steps - start)
            memory.words[Word.STEPS] = count
            if start:
                inputs = [*outputs[: it.carried], *inputs[it.carried :]]
                strides = [*self._row_out[: it.carried], *strides[it.carried :]]
            entry = self._first(start, count)
            ins = pointers(x + d * entry for x, d in zip(inputs, self._step_in, strict=True))
            outs = pointers(x + d * entry for x, d in zip(outputs, self._step_out, strict=False))
            loop(
                self._iterate.address, self.lanes.width, first, stop,
                len(ins), ins, integers(strides), self._columns(self._ports, self._each_in, count),
                len(outs), outs, integers(self._row_out), self._columns(it.step.outputs, self._each_out, count),
                memory.tin, memory.tout,
            )  # fmt: skip

    def _columns(self, ports: tuple[Port, ...], each: list[bool], count: int) -> Any:
        return integers([p.size * (count if e else 1) for p, e in zip(ports, each, strict=False)])

    @contextmanager
    def _memory(self) -> Iterator[LoopMemory]:
        """Tiles of this thread, for one call: a signal handler that makes another call finds them in use."""
        memory = self._local.__dict__.pop("memory", None) or LoopMemory(self)
        try:
            yield memory
        finally:
            self._local.memory = memory

    def tile_sizes(self) -> tuple[list[int], list[int], list[int]]:
        """Bytes of the tiles of inputs, outputs and carried state."""
        width, size = self.lanes.width, self.lanes.bytes
        if width == 1:  # the caller's arrays are the tiles
            ins, outs = [0] * len(self._each_in), [0] * len(self._each_out)
        else:
            ins, outs = (
                [padded(p.size * (self.block if e else 1), width) * size for p, e in zip(ports, each, strict=False)]
                for ports, each in ((self._ports, self._each_in), (self.it.step.outputs, self._each_out))
            )
        return ins, outs, [padded(p.size, width) * size for p in self.it.step.inputs[: self.it.carried]]


class LoopMemory:
    """One thread's tiles and the words that direct its loop."""

    def __init__(self, tiles: _Tiles) -> None:
        it, width = tiles.it, tiles.lanes.width
        ahead = -width if it.backwards else width
        ins, outs, carried = tiles.tile_sizes()
        sizes = [*ins, *outs, *carried, *carried, tiles.lanes.bytes]
        self._tiles, starts = tile_memory(sizes)
        tin, tout, even, odd, (self.go_on,) = _cut(starts, [len(ins), len(outs), len(carried), len(carried), 1])
        self.iterate = tiles.iterate_address
        # a kernel of several stages reads its own table in front of its inputs
        arguments, results = pointers([0] * (1 + len(it.step.inputs))), pointers([0] * len(it.step.outputs))
        inputs = ctypes.addressof(arguments) + ctypes.sizeof(ctypes.c_void_p)
        self._workspace = tiles.step.workspace(tiles.lanes, inputs, ctypes.addressof(results))
        if self._workspace is not None:
            arguments[0] = ctypes.addressof(self._workspace.words)
        self._arrays = (
            arguments, results, pointers(even), pointers(odd),
            integers(p.size * tiles.lanes.bytes for p in it.step.inputs[: it.carried]),
            integers(x * ahead for x in tiles._step_in[: len(it.step.inputs)]),
            integers([*(x * ahead for x in tiles._step_out), *([0] if it.until else [])]),
        )  # fmt: skip
        go_on = self.go_on if it.until else 0
        self.words = integers([
            tiles.kernel, 0, it.carried, len(it.step.inputs), len(it.step.outputs),
            inputs, *(ctypes.addressof(a) for a in self._arrays[1:]), go_on, it.carried - 1 if it.may_skip else -1,
            it.counted,
        ])  # fmt: skip
        self._in = pointers([ctypes.addressof(self.words), *tin])
        self.tin = ctypes.addressof(self._in) + ctypes.sizeof(ctypes.c_void_p)
        self.tout = pointers([*tout, self.go_on])


def tile_memory(sizes: list[int]) -> tuple[NDArray[np.uint8], list[int]]:
    """Memory for tiles of these sizes, each with an empty header, and where each starts."""
    rounded = [padded(x, ALIGN) + HEADER for x in sizes]
    memory = aligned(sum(rounded))
    return memory, [address(memory) + sum(rounded[:k]) + HEADER for k in range(len(rounded))]


def _cut(values: list[int], lengths: list[int]) -> list[list[int]]:
    ends = [sum(lengths[: k + 1]) for k in range(len(lengths))]
    return [values[end - n : end] for end, n in zip(ends, lengths, strict=True)]


@lru_cache(maxsize=128)
def iterated(step: Compiled, steps: int, carried: int, each: int = 0, until: bool = False, name: str = "") -> Iterated:
    """An iteration, made once for each number of steps; errors use `name`."""
    return Iterated(step, steps, carried, each, until, name)
