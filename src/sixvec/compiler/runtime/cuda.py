"""Programs on a CUDA device, through CuPy: arrays of any batch shape in, one thread per sample, arrays out.

NVRTC compiles the source, and the result is kept on disk (cuda_code.py).  Launches go to CuPy's current stream and are
not waited for.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from sixvec.arguments import common_batch, require_shape
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.cuda_limits import ONE_KERNEL
from sixvec.compiler.emit.cuda_rows import emit_rows, planned
from sixvec.compiler.emit.function import Function
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program
from sixvec.compiler.runtime.cuda_call import launching
from sixvec.compiler.runtime.cuda_code import DeviceKernel
from sixvec.compiler.runtime.cuda_launch import KernelLaunch, Launcher, launch_address
from sixvec.compiler.runtime.cuda_sections import CudaSections
from sixvec.errors import DeviceMemoryError, DtypeError, MissingExtra, ShapeError
from sixvec.lazy import lazy


@cache
def cupy() -> Any:
    return cupy_with_device("CUDA arrays need")


def cupy_with_device(who: str) -> Any:
    """CuPy with a device, or an error that names the missing one."""
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError:
        raise MissingExtra(f"{who} CuPy: pip install cupy-cuda13x (or the one for your CUDA)") from None
    problem = ""
    try:
        if cupy.cuda.runtime.getDeviceCount():
            return cupy
    except cupy.cuda.runtime.CUDARuntimeError as error:
        if "InsufficientDriver" in str(error):
            raise MissingExtra(
                f"{who} a driver as new as CuPy's CUDA; update the driver, or install the CuPy for it: {error}"
            ) from None
        problem = f": {error}"
    raise MissingExtra(f"{who} a CUDA device, and CuPy finds none{problem}")


def raw_kernel(source: str, symbol: str, fast: bool = False, shared_bytes: int = 0) -> Any:
    """A kernel for every device."""
    return DeviceKernel(source, symbol, fast, shared_bytes)


Steps = tuple[int, ...]
"""From row to row and from component to component of an array, in numbers; one row for all has steps (0, 1).  Arrays of
loops by lanes also have one from entry to entry."""


class Runnable(Protocol):
    """A program on the device, for one dtype."""

    takes_steps: bool
    """Whether inputs may have any steps, or must be rows one after the other."""
    by_lanes: bool
    """Whether arrays with an entry per step are loops' own: (n, steps, rows) in memory."""

    def __call__(self, count: int, inputs: Sequence[Any], steps: Sequence[Steps], outputs: Sequence[Any]) -> None:
        """Run `count` rows of arrays of CuPy; outputs are contiguous."""


class CudaProgram:
    """A program for one dtype, compiled when it is first called."""

    takes_steps, by_lanes = True, False

    def __init__(self, program: Program, dtype: str, fast: bool = False) -> None:
        self.program, self.dtype, self.fast = program, dtype, fast
        self.launch = planned(program, dtype, fast, ("rows", "distinct", "one by one"))
        function = Function(program)
        self.source, self.symbol = emit_rows(function, dtype, self.launch, fast), function.symbol
        self._launchers: dict[int, Launcher] = {}

    def __call__(self, count: int, inputs: Sequence[Any], steps: Sequence[Steps], outputs: Sequence[Any]) -> None:
        if not count:
            return
        stream = cupy().cuda.get_current_stream().ptr
        self.direct(count, [x.data.ptr for x in inputs], steps, [x.data.ptr for x in outputs], stream)

    def direct(
        self, count: int, inputs: Sequence[int], steps: Sequence[Steps], outputs: Sequence[int], stream: int
    ) -> None:
        """As a call, with the addresses of arrays, on a stream."""
        words = [count]
        for x, (row, step) in zip(inputs, steps, strict=True):
            words += (x, row, step)
        device = cupy().cuda.Device().id
        if device not in self._launchers:
            self._launchers[device] = Launcher(self.kernel, self.launch.threads, self.launch.shared_bytes)
        self._launchers[device](self.launch.blocks(count), stream, [*words, *outputs])

    def launching(self, count: int, steps: Sequence[Steps]) -> Callable[..., int] | None:
        """`direct` for so many rows as a function of addresses and the stream, which returns the driver's code."""
        words: list[int | None] = [count]
        for row, step in steps:
            words += (None, row, step)
        words += [None] * len(self.program.outputs)
        plan = self.launch
        kernel = (int(self.kernel.kernel.ptr), plan.blocks(count), plan.threads, plan.shared_bytes)
        return launching(launch_address(), kernel, words)

    def launches(self) -> list[KernelLaunch]:
        """The kernel, compiled for the current device."""
        plan, counts = self.launch, (len(self.program.inputs), len(self.program.outputs))
        inputs, outputs = (tuple(range(count)) for count in counts)
        return [KernelLaunch(int(self.kernel.kernel.ptr), plan.rows, plan.threads, plan.shared_bytes, inputs, outputs)]

    @lazy
    def kernel(self) -> Any:
        """The kernel as CuPy has it."""
        return raw_kernel(self.source, self.symbol, self.fast, self.launch.shared_bytes)


def device_program(program: Program, dtype: str, fast: bool = False) -> CudaProgram | CudaSections:
    """A program as one kernel, or as several if it is long."""
    if len(lowered(program, dtype).nodes) <= ONE_KERNEL[dtype]:
        single = CudaProgram(program, dtype, fast)
        if single.launch.results != "one by one":
            return single
    return CudaSections(program, dtype, fast)


class CudaKernel:
    """A compiled function for arrays on the device."""

    def __init__(self, function: Compiled, fast: bool = False) -> None:
        self.name, self.inputs, self.outputs = function.name, function.inputs, function.outputs
        self._function, self._fast, self._in_double = function, fast, function.needs_double

        self._held, self._carried = [False] * len(self.inputs), 0
        if isinstance(function, Iterated):
            self._held[len(self.inputs) - function.each :] = [True] * function.each
            self._carried = function.carried
        self._programs: dict[str, Runnable] = {}

    def program(self, dtype: str) -> Runnable:
        """The program for one dtype."""
        if dtype not in self._programs:
            self._programs[dtype] = self._made(dtype)
        return self._programs[dtype]

    def direct(self, dtype: str) -> CudaProgram | None:
        """The program, where a call is nothing but its launch."""
        program = None if self._in_double and dtype == "float32" else self.program(dtype)
        return program if isinstance(program, CudaProgram) else None

    def _made(self, dtype: str) -> Runnable:
        if isinstance(self._function, Iterated):
            from sixvec.compiler.runtime.cuda_loop import CudaLoop

            return CudaLoop(self._function, dtype, self._fast)
        return device_program(self._function.program, dtype, self._fast)

    def __call__(self, *arrays: Any, empty: Callable[[tuple[int, ...], str], Any] | None = None) -> list[Any]:
        """The outputs for arrays of CuPy, whose batch axes broadcast; `empty` makes the arrays for them."""
        xp = cupy()
        dtypes = {str(x.dtype) for x in arrays}
        if not dtypes <= {"float32", "float64"}:
            raise DtypeError(f"{self.name}: arrays on the device must be float32 or float64, not {', '.join(dtypes)}")
        result_dtype = "float32" if dtypes == {"float32"} else "float64"
        dtype = "float64" if self._in_double else result_dtype
        leads = [self._lead(x, p) for x, p in zip(arrays, self.inputs, strict=True)]
        batch = leads[0] if leads.count(leads[0]) == len(leads) else self._common(leads, arrays)
        program = self.program(dtype)
        try:
            strided = [
                _entries(xp, x, batch, lead, dtype)
                if memory and program.by_lanes
                else _rows(xp, _once(x, p) if memory else x, batch, lead, dtype, program.takes_steps)
                for x, p, lead, memory in zip(arrays, self.inputs, leads, self._held, strict=True)
            ]
            rows, steps = [x for x, _ in strided], [s for _, s in strided]
            results, others = self._outputs(batch, dtype, result_dtype, program.by_lanes, empty)
            targets = [xp.asarray(r) if t is None else t for r, t in zip(results, others, strict=True)]
            program(math.prod(batch), rows, steps, targets)
            for r, t in zip(results, others, strict=True):
                if t is not None and t is not r:
                    xp.asarray(r)[...] = t
        except xp.cuda.memory.OutOfMemoryError as problem:
            size = math.prod(batch) * sum(p.size for p in self.outputs) * np.dtype(result_dtype).itemsize
            raise DeviceMemoryError(
                f"{self.name}: the device has no memory for {math.prod(batch)} samples, whose results take "
                f"{size / 2**30:.3g} GiB; give fewer at a time ({problem})"
            ) from None
        return results

    def _outputs(
        self, batch: tuple[int, ...], dtype: str, result_dtype: str, by_lanes: bool, empty: Callable[..., Any] | None
    ) -> tuple[list[Any], list[Any]]:
        """The results, and arrays that the program writes in their places, or None."""
        xp, results, others = cupy(), [], []
        same = dtype == result_dtype
        for k, port in enumerate(self.outputs):
            shape, other = batch + port.shape, None
            if by_lanes and k >= self._carried:
                other = _by_lanes(xp, batch, port.shape, dtype)
            elif not same:
                other = xp.empty(shape, dtype)
            is_result = other is not None and same and empty is None
            results.append(other if is_result else (empty or xp.empty)(shape, result_dtype))
            others.append(other)
        return results, others

    def _common(self, leads: Sequence[tuple[int, ...]], arrays: Sequence[Any]) -> tuple[int, ...]:
        return common_batch(self.name, leads, [p.name for p in self.inputs], [x.shape for x in arrays])

    def _lead(self, x: Any, port: Port) -> tuple[int, ...]:
        n = x.ndim - len(port.shape)
        if n < 0 or tuple(x.shape[n:]) != port.shape:
            expected = ", ".join(["...", *map(str, port.shape)])
            raise ShapeError(f"{self.name}: {port.name} has shape {tuple(x.shape)}, but ({expected}) is needed")
        return tuple(x.shape[:n])


def _by_lanes(xp: Any, batch: tuple[int, ...], shape: tuple[int, ...], dtype: str) -> Any:
    """An array (*batch, steps, *numbers) that is (*numbers, steps, *batch) in memory."""
    steps, *numbers = shape
    b, n = len(batch), len(numbers)
    return xp.empty((*numbers, steps, *batch), dtype).transpose(*range(n + 1, n + 1 + b), n, *range(n))


def _entries(xp: Any, x: Any, batch: tuple[int, ...], lead: tuple[int, ...], dtype: str) -> tuple[Any, Steps]:
    """An array with an entry per step for loops by lanes, and its steps: a copy if it has none."""
    own = x.shape[len(lead) :]
    if not (math.prod(lead) == 1 or lead == batch):
        x = xp.broadcast_to(x, batch + own)
    strides, n = [s // x.itemsize for s in x.strides], x.ndim - len(own)
    row, step = _one_step(x.shape[:n], strides[:n], 0), _one_step(x.shape[n + 1 :], strides[n + 1 :], 1)
    if x.dtype == dtype and row is not None and step is not None:
        return x, (row, step, strides[n])
    copy = _by_lanes(xp, x.shape[:n], own, dtype)
    copy[...] = x
    return _entries(xp, copy, batch, lead, dtype)


def _once(x: Any, port: Port) -> Any:
    """An array with an entry per step: a single entry if all share the same memory."""
    axis = x.ndim - len(port.shape)
    return x[(slice(None),) * axis + (slice(0, 1),)] if x.strides[axis] == 0 and x.shape[axis] > 1 else x


def _rows(
    xp: Any, x: Any, batch: tuple[int, ...], lead: tuple[int, ...], dtype: str, any_steps: bool
) -> tuple[Any, Steps]:
    """An array of this dtype, and its steps: a copy if it has none."""
    rank = len(x.shape) - len(lead)
    one = math.prod(lead) == 1
    if not (one or lead == batch):
        x = xp.broadcast_to(x, batch + x.shape[len(lead) :])
    if any_steps and x.dtype == dtype:
        steps = steps_of(x.shape, [s // x.itemsize for s in x.strides], rank)
        if steps is not None:
            return x, steps
    x = xp.ascontiguousarray(x, dtype)
    return x, (0 if one else math.prod(x.shape[x.ndim - rank :]), 1)


def device_array(x: Any, port: Port, where: str) -> Any:
    """A CuPy array, or numbers as one, whose last axes are those of the port and whose precision kernels have."""
    xp = cupy()
    array = x if isinstance(x, xp.ndarray) else xp.asarray(x, "float64")
    if array.dtype not in ("float32", "float64"):
        raise DtypeError(f"{where}: {port.name} must be float32 or float64 on the device, not {array.dtype}")
    require_shape(f"{where}: {port.name}", array, *port.shape)
    return array


def steps_of(shape: Sequence[int], strides: Sequence[int], rank: int) -> Steps | None:
    """The steps of an array whose last `own` axes belong to a sample; None if the axes have no common step.

    >>> steps_of((100, 7), (7, 1), 1), steps_of((100, 7), (1, 100), 1), steps_of((20, 5, 7), (0, 0, 1), 1)
    ((7, 1), (1, 100), (0, 1))
    >>> steps_of((20, 5, 7), (7, 140, 1), 1)
    """
    lead = len(shape) - rank
    row, step = _one_step(shape[:lead], strides[:lead], 0), _one_step(shape[lead:], strides[lead:], 1)
    return None if row is None or step is None else (row, step)


def _one_step(shape: Sequence[int], strides: Sequence[int], alone: int) -> int | None:
    """The step through axes in order; `alone` if they hold one number."""
    step, reach = None, 0
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length == 1:
            continue
        if step is None:
            step = stride
        elif stride != reach:
            return None
        reach = stride * length
    return alone if step is None else step


def on_device(function: Compiled, fast: bool = False) -> Any:
    """The function for arrays on the device, made once."""
    programs = function.__dict__.setdefault("_cuda", {})
    if fast not in programs:
        make = getattr(function, "for_device", None)
        programs[fast] = CudaKernel(function, fast) if make is None else make(fast)
    return programs[fast]
