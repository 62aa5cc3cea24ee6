"""Programs on a CUDA device, through CuPy: arrays of any batch shape in, one thread a sample, arrays out.

CuPy compiles the source with NVRTC and keeps the result on disk.  Launches go to CuPy's current stream and nothing
waits for them.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from sixvec.border import common_batch
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.cuda_rows import emit_rows, launch
from sixvec.compiler.emit.cuda_spread import TILE, TILE_ROWS, distinct, emit_spread, spread_blocks
from sixvec.compiler.emit.function import Function
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program
from sixvec.errors import ArgumentError, DtypeError, MissingExtra, ShapeError
from sixvec.lazy import lazy

EXACT = ("--fmad=false",)
"""Products and sums are fused in the program already; a compiler that fuses more computes other bits."""

FAST = ("--use_fast_math",)

DEFAULT_ROOM = 48 * 1024
"""Bytes of shared memory that a kernel gets without asking."""


@cache
def cupy() -> Any:
    return cupy_with_device("CUDA arrays need")


def cupy_with_device(who: str) -> Any:
    """CuPy with a device, or an error that says which of them is missing."""
    try:
        found: Any = importlib.import_module("cupy")
    except ImportError:
        raise MissingExtra(f"{who} CuPy: pip install cupy-cuda13x (or the one for your CUDA)") from None
    problem = ""
    try:
        if found.cuda.runtime.getDeviceCount():
            return found
    except found.cuda.runtime.CUDARuntimeError as error:
        problem = f": {error}"
    raise MissingExtra(f"{who} a CUDA device, and CuPy finds none{problem}")


class CudaProgram:
    """A program for one dtype, compiled when it is first called."""

    def __init__(self, program: Program, dtype: str, fast: bool = False) -> None:
        self.program, self.dtype = program, dtype
        self._options = FAST if fast else EXACT
        self.launch = launch(lowered(program, dtype), dtype)
        self._distinct = None if self.launch.staged else distinct(program)
        if self._distinct is not None:
            program = self._distinct.program
            self.launch = replace(launch(lowered(program, dtype), dtype), staged=False)
        function = Function(program)
        self.source, self._symbol = emit_rows(function, dtype, self.launch), function.symbol

    def __call__(self, count: int, inputs: Sequence[Any], shared: Sequence[bool], outputs: Sequence[Any]) -> None:
        """Run `count` rows: contiguous arrays of CuPy, of which some inputs hold one row for all."""
        if not count:
            return
        if self._distinct is None:
            self._run(count, inputs, shared, outputs)
            return
        step = self._distinct.rows(inputs[0].dtype.itemsize)
        numbers = cupy().empty(self._distinct.program.outputs[0].size * min(step, count), self.dtype)
        for first in range(0, count, step):
            n = min(step, count - first)
            part = [
                x if one else x.reshape(count, p.size)[first:]
                for x, one, p in zip(inputs, shared, self.program.inputs, strict=True)
            ]
            self._run(n, part, shared, [numbers])
            for out, port, places in zip(outputs, self.program.outputs, self._places, strict=True):
                arguments = (np.int64(n), np.int32(port.size), places, self._constants, numbers)
                target = out.reshape(count, port.size)[first:]
                self._spread(spread_blocks(n, port.size), (TILE, TILE_ROWS), (*arguments, target))

    def _run(self, count: int, inputs: Sequence[Any], shared: Sequence[bool], outputs: Sequence[Any]) -> None:
        arguments: list[Any] = [np.int64(count)]
        for x, one in zip(inputs, shared, strict=True):
            arguments += [x, np.int32(one)]
        plan = self.launch
        self.kernel((plan.blocks(count),), (plan.threads,), (*arguments, *outputs), shared_mem=plan.shared_bytes)

    @lazy
    def kernel(self) -> Any:
        """The kernel as CuPy has it."""
        kernel = cupy().RawKernel(self.source, self._symbol, options=self._options)
        if self.launch.shared_bytes > DEFAULT_ROOM:
            kernel.max_dynamic_shared_size_bytes = self.launch.shared_bytes
        return kernel

    @lazy
    def _spread(self) -> Any:
        return cupy().RawKernel(emit_spread(self.dtype), "spread")

    @lazy
    def _places(self) -> list[Any]:
        assert self._distinct is not None
        return [cupy().asarray(p, "int32") for p in self._distinct.places]

    @lazy
    def _constants(self) -> Any:
        assert self._distinct is not None
        return cupy().asarray(self._distinct.constants or (0.0,), self.dtype)


class CudaKernel:
    """A compiled function for arrays on the device."""

    def __init__(self, function: Compiled, fast: bool = False) -> None:
        if isinstance(function, Iterated):
            raise ArgumentError(f"{function.name} is a loop, which runs on the CPU alone; give it arrays on the CPU")
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs
        self._program, self._fast, self._in_double = function.program, fast, function.needs_double
        self._programs: dict[str, CudaProgram] = {}

    def program(self, dtype: str) -> CudaProgram:
        """The program for one dtype."""
        if dtype not in self._programs:
            self._programs[dtype] = CudaProgram(self._program, dtype, self._fast)
        return self._programs[dtype]

    def __call__(self, *arrays: Any, empty: Callable[[tuple[int, ...], str], Any] | None = None) -> list[Any]:
        """The outputs for arrays of CuPy, whose batch axes broadcast; `empty` makes the arrays for them."""
        xp = cupy()
        dtypes = {str(x.dtype) for x in arrays}
        if not dtypes <= {"float32", "float64"}:
            raise DtypeError(f"{self.name}: arrays on the device must be float32 or float64, not {', '.join(dtypes)}")
        asked = "float32" if dtypes == {"float32"} else "float64"
        dtype = "float64" if self._in_double else asked
        leads = [self._lead(x, p) for x, p in zip(arrays, self.inputs, strict=True)]
        batch = common_batch(self.name, leads, [p.name for p in self.inputs], [x.shape for x in arrays])
        shared = [math.prod(lead) == 1 for lead in leads]
        rows = [
            xp.ascontiguousarray(x if one or lead == batch else xp.broadcast_to(x, batch + p.shape), dtype)
            for x, one, lead, p in zip(arrays, shared, leads, self.inputs, strict=True)
        ]
        results = [(empty or xp.empty)(batch + p.shape, asked) for p in self.outputs]
        targets = [xp.asarray(r) if dtype == asked else xp.empty(r.shape, dtype) for r in results]
        self.program(dtype)(math.prod(batch), rows, shared, targets)
        if dtype != asked:
            for r, t in zip(results, targets, strict=True):
                xp.asarray(r)[...] = t
        return results

    def _lead(self, x: Any, port: Port) -> tuple[int, ...]:
        n = x.ndim - len(port.shape)
        if n < 0 or tuple(x.shape[n:]) != port.shape:
            expected = ", ".join(["...", *map(str, port.shape)])
            raise ShapeError(f"{self.name}: {port.name} has shape {tuple(x.shape)}, but ({expected}) is needed")
        return tuple(x.shape[:n])


def on_device(function: Compiled) -> CudaKernel:
    """The function for arrays on the device, made once."""
    made: CudaKernel = function.__dict__.get("_cuda") or function.__dict__.setdefault("_cuda", CudaKernel(function))
    return made
