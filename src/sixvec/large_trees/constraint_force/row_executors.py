"""Two ways to run a schedule: compiled SIMD functions on the CPU, or one thread per row on a CUDA device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sixvec.compiler.runtime.cuda import cupy_with_device
from sixvec.large_trees.constraint_force.row_layout import PREFIX_SPAN
from sixvec.large_trees.constraint_force.row_schedule import Rows, Schedule, Step

Array = Any
Launch = Callable[[tuple[int], tuple[int], tuple[Any, ...]], Any]
"""A kernel: called with the number of blocks, the number of threads per block, and its arguments."""

MARGIN = 4
"""Rows of zeros around every table on the CPU: read by stages beyond the ends."""

THREADS = 64
"""Threads per block on a device: a thread of these stages uses all available registers."""


class CpuRows:
    """Tables are row-major with margins; their rows are the lanes and threads of compiled functions."""

    mode = "calls"
    xp: Any = np

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._tables = {name: np.zeros((rows + 2 * MARGIN, k)) for name, (rows, k) in schedule.all_tables().items()}
        for name, value in schedule.constants.items():
            self.put(name, value)
        # A shared row for empty tables, longer than any that stages read.
        self._nothing = np.zeros(2 * PREFIX_SPAN * max(k for _, k in schedule.all_tables().values()))
        self._steps = [self._bound(step) for step in schedule.steps]

    def __call__(self, **sources: Array) -> Array:
        """The accelerations, flat, for arrays q, v and tau."""
        for name, gather in self._schedule.gathers.items():
            numbers = np.append(sources[gather.source], (0.0, 1.0))
            # `clip` avoids a copy; every index is in range.
            np.take(numbers, gather.index, out=self._inside(name), mode="clip")
        for run in self._steps:
            run()
        return self._inside("acceleration").reshape(-1)[self._schedule.result]

    def put(self, table: str, value: Array) -> None:
        """Fill a table (rows, columns) that is constant between calls."""
        self._inside(table)[...] = value

    def _inside(self, table: str) -> Array:
        return self._tables[table][MARGIN:-MARGIN]

    def _bound(self, step: Step) -> Callable[[], None]:
        """The step as one call of machine code: the arrays never move, so their addresses are resolved once."""
        function = self._schedule.layout.stages[step.stage].function
        ins = [self._view(r, step.count, p.size, True) for r, p in zip(step.inputs, function.inputs, strict=True)]
        outs = [self._view(r, step.count, p.size, False) for r, p in zip(step.outputs, function.outputs, strict=True)]
        batch = function.executable("float64").batch()
        shared = [x is self._nothing for x in ins]
        return batch.prepared(step.count, ins, outs, shared)

    def _view(self, rows: Rows, count: int, size: int, read: bool) -> Array:
        if read and not self._schedule.all_tables()[rows.table][0]:
            return self._nothing
        first = MARGIN + rows.offset
        return self._tables[rows.table][first : first + count * rows.stride].reshape(count, size)


class CudaRows:
    """Tables are component-major; every step is one launch of a kernel with a thread for each row.

    `xp` makes arrays on the device, and `kernels` are the launchable stages.
    """

    def __init__(self, schedule: Schedule, xp: Any, kernels: Mapping[str, Launch]) -> None:
        self._schedule, self.xp = schedule, xp
        self._tables = {name: xp.zeros((k, max(rows, 1))) for name, (rows, k) in schedule.all_tables().items()}
        for name, value in schedule.constants.items():
            self.put(name, value)
        self._index = {name: _plain_or(xp, g.index.T) for name, g in schedule.gathers.items()}
        n, freedoms = schedule.all_tables()["acceleration"]
        self._result = _plain_or(xp, schedule.result % freedoms * n + schedule.result // freedoms)
        self._launches = [(kernels[s.stage], (-(-s.count // THREADS),), self._arguments(s)) for s in schedule.steps]

    def __call__(self, **sources: Array) -> Array:
        """The accelerations, flat, for arrays q, v and tau on the device or the host."""
        self.load(**sources)
        self.launch()
        return self.result()

    def put(self, table: str, value: Array) -> None:
        """Fill a table (rows, columns) that is constant between calls."""
        self._tables[table][...] = self.xp.asarray(value.T)

    def load(self, **sources: Array) -> None:
        """Copy q, v and tau to the tables of the stages."""
        xp = self.xp
        arrays = {source: xp.asarray(x) for source, x in sources.items()}
        for name, gather in self._schedule.gathers.items():
            index, table = self._index[name], self._tables[name]
            if index is None:
                table[0] = arrays[gather.source]
            else:
                numbers = xp.concatenate([arrays[gather.source], xp.asarray([0.0, 1.0])])
                table[...] = numbers[index]

    def launch(self) -> None:
        """All steps in sequence."""
        for kernel, blocks, arguments in self._launches:
            kernel(blocks, (THREADS,), arguments)

    def result(self) -> Array:
        flat = self._tables["acceleration"].reshape(-1)
        return flat.copy() if self._result is None else flat[self._result]

    def _arguments(self, step: Step) -> tuple[Any, ...]:
        arguments: list[Any] = [np.int64(step.count)]
        for rows in (*step.inputs, *step.outputs):
            table, exist = self._tables[rows.table], self._schedule.all_tables()[rows.table][0]
            arguments += [table, np.int32(table.shape[1]), *map(np.int64, (exist, rows.stride, rows.offset))]
        return tuple(arguments)


class RecordedCudaRows(CudaRows):
    """`CudaRows` on CuPy, with all launches recorded into one CUDA graph where the driver allows it."""

    def __init__(self, schedule: Schedule) -> None:
        cupy = cupy_with_device('device="cuda" needs')
        super().__init__(schedule, cupy, _cupy_kernels(cupy, schedule))
        # Run once before recording: a module cannot be loaded during it.
        super().launch()
        cupy.cuda.get_current_stream().synchronize()
        self._graph = self._recorded(cupy)

    @property
    def mode(self) -> str:
        return "CUDA graph" if self._graph is not None else "launches"

    def launch(self) -> None:
        if self._graph is None:
            super().launch()
        else:
            self._graph.launch(self.xp.cuda.get_current_stream())

    def _recorded(self, cupy: Any) -> Any:
        stream = cupy.cuda.Stream(non_blocking=True)
        try:
            with stream:
                stream.begin_capture()
                super().launch()
                return stream.end_capture()
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError):
            return None


def _cupy_kernels(cupy: Any, schedule: Schedule) -> dict[str, Launch]:
    used = {step.stage for step in schedule.steps}
    # Products and sums are fused in the program already; further fusion by a compiler would change the bits.
    return {
        name: cupy.RawKernel(stage.cuda(), name, options=("--fmad=false",))
        for name, stage in schedule.layout.stages.items()
        if name in used
    }


def _plain_or(xp: Any, index: Array) -> Array | None:
    """None for 0, 1, 2, …, which needs no gathering."""
    flat = index.reshape(-1)
    return None if len(index) in (1, len(flat)) and (flat == np.arange(len(flat))).all() else xp.asarray(index)
