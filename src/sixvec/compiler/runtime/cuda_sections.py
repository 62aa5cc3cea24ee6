"""Long programs on a CUDA device: kernel after kernel, with numbers for later ones in device memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.collector import collector_paused
from sixvec.compiler.emit.cuda_column_kernel import emit_columns
from sixvec.compiler.emit.cuda_section import emit_section, on_chip
from sixvec.compiler.emit.cuda_sections import sections
from sixvec.compiler.emit.cuda_tiles import WARP
from sixvec.compiler.emit.function import Function
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Program
from sixvec.compiler.runtime.cuda_code import DeviceKernel, compile_together
from sixvec.compiler.runtime.cuda_launch import KernelLaunch, Launcher, Scratch

SCRATCH_BYTES = 2**30
"""Device memory between the kernels; larger batches are computed piece by piece."""


class CudaSections:
    """A long program for one dtype, compiled when it is first called."""

    takes_steps, by_lanes = True, False

    def __init__(self, program: Program, dtype: str, fast: bool = False) -> None:
        self.program, self.dtype = program, dtype
        with collector_paused():
            cut, function = sections(lowered(program, dtype), most=on_chip(dtype), dtype=dtype), Function(program)
            self.codes = [emit_section(function, s, k, cut.scratch_size, dtype) for k, s in enumerate(cut.each)]
            if cut.columns is not None:
                self.codes.append(emit_columns(function, cut.columns, cut.first_slot, cut.scratch_size, dtype))
        self.scratch_size = cut.scratch_size
        self.kernels = [DeviceKernel(code.source, code.symbol, fast, code.shared_bytes) for code in self.codes]
        self._launchers: dict[int, list[Launcher]] = {}
        self._scratch = Scratch()

    @property
    def rows(self) -> int:
        """Samples that one series of launches computes."""
        return max(WARP, SCRATCH_BYTES // (max(1, self.scratch_size) * np.dtype(self.dtype).itemsize) // WARP * WARP)

    def numbers(self, samples: int) -> int:
        """Numbers in device memory for so many samples."""
        return self.scratch_size * -(-samples // WARP) * WARP

    def launches(self) -> list[KernelLaunch]:
        """All kernels, compiled for the current device."""
        compile_together(self.kernels)
        return [
            KernelLaunch(
                int(kernel.kernel.ptr), code.samples, code.threads, code.shared_bytes, code.inputs, code.outputs, True
            )
            for kernel, code in zip(self.kernels, self.codes, strict=True)
        ]

    def __call__(
        self, count: int, inputs: Sequence[Any], steps: Sequence[tuple[int, ...]], outputs: Sequence[Any]
    ) -> None:
        """As `Runnable`."""
        if not count:
            return
        from sixvec.compiler.runtime.cuda import cupy

        xp, size = cupy(), np.dtype(self.dtype).itemsize
        stream, most = xp.cuda.get_current_stream().ptr, min(self.rows, count)
        scratch = self._scratch(self.numbers(most), self.dtype)
        for first in range(0, count, most):
            starts = [
                (x.data.ptr + first * row * size, row, step) for x, (row, step) in zip(inputs, steps, strict=True)
            ]
            ports = zip(outputs, self.program.outputs, strict=True)
            written = [x.data.ptr + first * p.size * size for x, p in ports]
            self._launch(min(most, count - first), starts, written, scratch.data.ptr, stream)

    def _launch(
        self, count: int, inputs: Sequence[tuple[int, int, int]], outputs: Sequence[int], scratch: int, stream: int
    ) -> None:
        """All kernels, with addresses and steps of the inputs, addresses of the outputs and of the scratch memory."""
        for code, launcher in zip(self.codes, self._ready(), strict=True):
            words = [count]
            for k in code.inputs:
                words += inputs[k]
            words += [outputs[k] for k in code.outputs]
            launcher(-(-count // code.samples), stream, [*words, scratch])

    def _ready(self) -> list[Launcher]:
        from sixvec.compiler.runtime.cuda import cupy

        device = cupy().cuda.Device().id
        if device not in self._launchers:
            compile_together(self.kernels)
            pairs = zip(self.kernels, self.codes, strict=True)
            self._launchers[device] = [Launcher(kernel, code.threads, code.shared_bytes) for kernel, code in pairs]
        return self._launchers[device]
