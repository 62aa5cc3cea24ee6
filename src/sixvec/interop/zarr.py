"""A kernel over arrays in a zarr store, larger than memory: blocks of samples, each a task for a thread or a worker.

A block is read, computed and written where its task runs; only its number is sent.  Writing a block twice writes the
same bits, so a task whose worker died can be rerun by another one.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.compiler.threads import set_threads
from sixvec.errors import ArgumentError, DtypeError, MissingExtra, OutputError, ShapeError, SixvecError, unknown
from sixvec.interop.output_store import Output, address, require_apart, shown
from sixvec.interop.workers import Workers, cluster, threads
from sixvec.kernels.exported import notes
from sixvec.kernels.kernel import Kernel

BYTES_PER_BLOCK = 64 * 2**20
"""Of all arrays of a block: large enough to hide the overhead of a task, small enough for a worker's memory."""

Report = Callable[[int, int], None]
"""report(samples done, samples in all)"""


def batch(
    kernel: Kernel,
    states: str | Path,
    output: str | Path,
    *,
    scheduler: str | None = None,
    overwrite: bool = False,
    resume: bool = False,
    report: Report | None = None,
) -> dict[str, tuple[tuple[int, ...], str]]:
    """Run a kernel on the arrays of a zarr group and write a group of its outputs; return their shapes and types.

    The arrays of `states` have the names of the kernel's inputs ("q", "v", "a"), samples along their first axes; one
    without such axes is the same for all samples.  `scheduler` is the address of a dask cluster whose workers have
    access to both stores; without one, threads of this process compute.  The output is written next to its place, as
    `OUTPUT.part`, and put there when it is complete; `overwrite` replaces an output of an earlier batch then, and
    nothing else.  An output that was interrupted is completed with `resume`, unless the states of a block already
    written have changed.

    >>> import sixvec
    >>> mass_matrix = sixvec.load("double_pendulum").kernel("mass_matrix")
    >>> batch(mass_matrix, "states.zarr", "states.zarr")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: the output ...states.zarr is the store of the states; choose another
    """
    source, target = address(states), address(output)
    require_apart(source, target)
    zarr = _zarr()
    plan = _plan(kernel, _group(zarr, source), source)
    store = Output(zarr, target, plan.outputs, plan.rows, plan.dtype, plan.about)
    require_apart(source, store.part)
    with threads(plan.bytes_per_block) if scheduler is None else cluster(scheduler) as workers:
        _require_memory(plan, workers)
        done = store.prepared(plan.blocks, overwrite, resume)
        task = _Task(pickle.dumps(kernel), source, store.part, plan.rows)
        _require_same_states(workers, task, done[...], source)
        _compute(workers, task, plan, done, report)
    store.finish()
    return {name: (shape, plan.dtype) for name, shape in plan.outputs.items()}


def _compute(workers: Workers, task: _Task, plan: _Plan, done: Any, report: Report | None) -> None:
    """The blocks that are not yet written."""
    missing = np.flatnonzero(done[...] == 0).tolist()
    samples = plan.samples - plan.samples_of(missing)
    tasks = {workers.submit(task, i): i for i in missing}
    try:
        for future in workers.completed(tasks):
            block = tasks[future]
            _require_success(workers, future, plan, block)
            done[block] = future.result()
            samples += plan.samples_of([block])
            if report is not None:
                report(samples, plan.samples)
    except BaseException:
        workers.cancel([*tasks])
        raise


@dataclass(frozen=True)
class _Plan:
    """The computation and its blocks of `rows` entries of the first axis each."""

    batch: tuple[int, ...]
    rows: int
    dtype: str
    outputs: dict[str, tuple[int, ...]]
    about: dict[str, Any]
    bytes_per_block: int
    """Of all arrays of a block, and of the chunks from which they are read."""

    @property
    def samples(self) -> int:
        return int(np.prod(self.batch))

    @property
    def blocks(self) -> int:
        return -(-self.batch[0] // self.rows)

    def bounds(self, block: int) -> tuple[int, int]:
        """The first entry of a block and the one after its last."""
        return block * self.rows, min((block + 1) * self.rows, self.batch[0])

    def samples_of(self, blocks: Any) -> int:
        width = self.samples // self.batch[0]
        return sum((stop - first) * width for first, stop in map(self.bounds, blocks))


@dataclass(frozen=True)
class _Task:
    """The task of a worker for the number of a block."""

    kernel: bytes
    source: str
    target: str
    rows: int

    def __call__(self, block: int) -> int:
        """Write the results of the block; the digest of its states."""
        import zarr

        set_threads(1)  # each thread of a worker has its share of the machine
        kernel, arrays = _unpickled(self.kernel), self._states(block)
        result = kernel.call_numpy(*arrays)
        rows = self._part(block)
        group: Any = zarr.open_group(self.target, mode="r+")
        for port, values in zip(kernel.outputs, (result,) if len(kernel.outputs) == 1 else result, strict=True):
            group[port.name][rows] = values
        return _digest(arrays)

    def digest(self, block: int) -> int:
        """The digest of the block's states as they are now."""
        return _digest(self._states(block))

    def _part(self, block: int) -> slice:
        return slice(block * self.rows, (block + 1) * self.rows)

    def _states(self, block: int) -> list[Any]:
        import zarr

        group: Any = zarr.open_group(self.source, mode="r")
        rows = self._part(block)
        ports = [(p, group[p.name]) for p in _unpickled(self.kernel).inputs]
        return [array[rows] if array.ndim > len(p.shape) else array[...] for p, array in ports]


def _digest(arrays: list[Any]) -> int:
    """A number other than 0 that identifies the contents of arrays."""
    digest = hashlib.blake2b(digest_size=8)
    for x in arrays:
        digest.update(f"{x.dtype} {x.shape} ".encode() + np.ascontiguousarray(x).tobytes())
    return int.from_bytes(digest.digest(), "little") or 1


@lru_cache(maxsize=4)
def _unpickled(kernel: bytes) -> Kernel:
    """One kernel per process, for any number of blocks."""
    unpickled: Kernel = pickle.loads(kernel)
    return unpickled


def _plan(kernel: Kernel, group: Any, source: str) -> _Plan:
    """Names, shapes and types, checked before anything is written."""
    arrays = {}
    for port in kernel.inputs:
        if port.name not in group:
            known = unknown("array", port.name, sorted(group.array_keys()), source)
            raise ArgumentError(f"{known or 'none'}; {kernel.name} needs {', '.join(p.name for p in kernel.inputs)}")
        array = arrays[port.name] = group[port.name]
        if array.shape[array.ndim - len(port.shape) :] != port.shape or array.ndim < len(port.shape):
            axes = ", ".join(map(str, ("...", *port.shape)))
            raise ShapeError(f"{port.name} in {shown(source)} has shape {array.shape}; {kernel.name} needs ({axes})")
        if array.dtype.kind not in "fiu":
            raise DtypeError(f"{port.name} in {shown(source)} holds {array.dtype}, not real numbers")
    shapes = {p.name: tuple(arrays[p.name].shape[: arrays[p.name].ndim - len(p.shape)]) for p in kernel.inputs}
    batches = {shape for shape in shapes.values() if shape}
    if len(batches) != 1:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"samples must be along the same axes of all arrays, and at least one; found: {listed}")
    (batch,) = batches
    if not all(batch):
        raise ShapeError(f"no samples in {shown(source)}: the axes of the batch are {batch}")
    chunk = max(arrays[name].chunks[0] for name, shape in shapes.items() if shape)
    width = int(np.prod(batch[1:])) * kernel.bytes_per_sample
    rows = min(batch[0], chunk * max(1, BYTES_PER_BLOCK // (chunk * width)))
    single = all(array.dtype == np.float32 for array in arrays.values())
    return _Plan(
        batch,
        rows,
        "float32" if single else "float64",
        {p.name: (*batch, *p.shape) for p in kernel.outputs},
        {
            "notes": list(notes(kernel)),
            "identity": hashlib.sha256(kernel.identity.encode()).hexdigest(),
            "batch": [*batch],
            "rows": rows,
        },
        rows * width + sum(math.prod(array.chunks) * array.dtype.itemsize for array in arrays.values()),
    )


def _require_memory(plan: _Plan, workers: Workers) -> None:
    if plan.bytes_per_block > workers.memory:
        raise ArgumentError(
            f"a block of {plan.rows} rows needs {plan.bytes_per_block / 2**30:.1f} GiB of memory, and "
            f"{workers.memory / 2**30:.1f} GiB are free; write the states in smaller chunks"
        )


def _require_same_states(workers: Workers, task: _Task, done: Any, source: str) -> None:
    """Raise an error instead of completing an output if the states of the blocks already written have changed."""
    written = np.flatnonzero(done).tolist()
    tasks = [workers.submit(task.digest, block) for block in written]
    if changed := sum(int(done[block]) != each.result() for block, each in zip(written, tasks, strict=True)):
        raise OutputError(
            f"{shown(source)} has changed since {changed} of the {len(written)} blocks of the output were written; "
            "leave --resume out and replace the output: --force"
        )


def _require_success(workers: Workers, future: Any, plan: _Plan, block: int) -> None:
    problem = future.exception()
    if problem is None:
        return
    first, stop = plan.bounds(block)
    if workers.is_loss(problem):
        raise OutputError(
            f"several workers died on rows {first} to {stop}: they may lack memory (a block is "
            f"{BYTES_PER_BLOCK >> 20} MiB or one chunk of the states); write the states in smaller chunks"
        ) from problem
    if isinstance(problem, SixvecError):
        raise problem
    raise OutputError(f"rows {first} to {stop}: {type(problem).__name__}: {problem}") from problem


def _zarr() -> Any:
    try:
        import zarr
    except ImportError as problem:
        raise MissingExtra(f"batches in stores need {problem.name}", extra="cluster") from problem
    return zarr


def _group(zarr: Any, source: str) -> Any:
    try:
        return zarr.open_group(source, mode="r")
    except FileNotFoundError:
        raise ArgumentError(f"no zarr group {shown(source)}; write one array for each input, q and so on") from None
