"""Loops on a CUDA device: all steps of all samples in one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.compiler.emit.cuda_limits import ONE_FUNCTION, require_length
from sixvec.compiler.emit.cuda_loop import LoopLaunch, Repeated, emit_loop, loop_launch
from sixvec.compiler.emit.cuda_staged import THREADS, emit_staged_loop
from sixvec.compiler.emit.function import Function
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.lower import lowered
from sixvec.compiler.runtime.cuda import Steps, cupy, raw_kernel
from sixvec.compiler.staged import Staged
from sixvec.lazy import lazy


class CudaLoop:
    """A loop for one dtype, compiled when it is first called."""

    takes_steps = False

    def __init__(self, function: Iterated, dtype: str, fast: bool = False) -> None:
        self._steps, self._until, self._each = function.steps, function.until, function.each
        self._sizes = [p.size for p in function.step.inputs]
        self.fast, self.by_lanes = fast, function.by_lanes
        if isinstance(function.step, Staged):
            self.launch = LoopLaunch(THREADS, 0)
            self._until = self.by_lanes = False  # each thread computes one row
            self.source, self.symbol = emit_staged_loop(function, dtype, fast)
            return
        advice = "the step of a loop is one kernel; call the step itself, or give NumPy arrays"
        require_length(lowered(function.step.program, dtype), ONE_FUNCTION, advice)
        kinds = function.until, function.backwards, function.may_skip, function.by_lanes
        loop = Repeated(function.step.program, function.carried, function.each, *kinds)
        self.launch = loop_launch(loop, dtype)
        self.takes_steps = self.by_lanes
        step = Function(function.step.program)
        self.source, self.symbol = emit_loop(step, loop, dtype, self.launch, fast), step.symbol

    def __call__(self, count: int, inputs: Sequence[Any], steps: Sequence[Steps], outputs: Sequence[Any]) -> None:
        """As `Runnable`; an input with an entry per step may have one entry for all steps of a row."""
        if not count:
            return
        plan = self.launch
        blocks = plan.blocks(count)
        following = 0
        if self._until:
            blocks = min(blocks, self._resident)
            following = cupy().full(1, blocks * plan.threads, "uint64")
        arguments: list[Any] = [np.int64(count), np.int64(self._steps), following]
        for k, (x, (row, *others)) in enumerate(zip(inputs, steps, strict=True)):
            if self.by_lanes:
                arguments += [x, *map(np.int64, (row, *others))]
                continue
            one = row == 0
            arguments += [x, np.int32(one)]
            if k >= len(inputs) - self._each:
                rows = 1 if one else count
                arguments.append(np.int32(self._steps > 1 and x.size == rows * self._sizes[k]))
        self.kernel((blocks,), (plan.threads,), (*arguments, *outputs), shared_mem=plan.shared_bytes)

    @lazy
    def kernel(self) -> Any:
        """The kernel as CuPy has it."""
        return raw_kernel(self.source, self.symbol, self.fast, self.launch.shared_bytes)

    @lazy
    def _resident(self) -> int:
        """Blocks that the device runs at once: they process sample after sample."""
        xp, plan = cupy(), self.launch
        device = xp.cuda.Device()
        registers = device.attributes["MaxRegistersPerMultiprocessor"] // (self.kernel.num_regs * plan.threads)
        resident = device.attributes["MaxSharedMemoryPerMultiprocessor"] // (plan.shared_bytes + 1024)
        return int(device.attributes["MultiProcessorCount"] * max(1, min(registers, resident, 32)))
