"""A kernel over arrays in a zarr store, larger than memory: blocks of samples, each a task of dask.

A block is read, computed and written where its task runs; only its number is sent.  Writing a block twice writes the
same bits, so a task whose worker died can be rerun by another one.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.compiler.threads import set_threads
from sixvec.errors import ArgumentError, DtypeError, MissingExtra, OutputError, ShapeError, SixvecError, unknown
from sixvec.kernels.exported import notes
from sixvec.kernels.kernel import Kernel
from sixvec.quoting import quoted

BYTES_PER_BLOCK = 64 * 2**20
"""Of all arrays of a block: large enough to hide the overhead of a task, small enough for a worker's memory."""

DONE = "done"
"""The array in an unfinished output that records which blocks are written: the digest of a block's states, else 0."""

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
    """Run a kernel on the arrays of a zarr group and write a group of its outputs; their shapes and types by name.

    The arrays of `states` have the names of the kernel's inputs ("q", "v", "a"), samples along their first axes; one
    without such axes is the same for all samples.  `scheduler` is the address of a dask cluster whose workers have
    access to both stores; without one, the cores of this machine are used.  An output that was interrupted is completed
    with `resume`, unless the states of a block already written have changed.

    >>> import sixvec
    >>> mass_matrix = sixvec.load("double_pendulum").kernel("mass_matrix")
    >>> batch(mass_matrix, "states.zarr", "states.zarr")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: the output ...states.zarr is the store of the states; choose another
    """
    source, target = _address(states), _address(output)
    if source == target:
        raise ArgumentError(f"the output {quoted(target)} is the store of the states; choose another")
    zarr, distributed = _engines()
    plan = _plan(kernel, _group(zarr, source), source)
    task = _Task(pickle.dumps(kernel), source, target, plan.rows)
    with _client(distributed, scheduler) as client:
        done = _prepared(zarr, plan, target, overwrite, resume)
        _require_same_states(client, task, done[...], source)
        waiting = np.flatnonzero(done[...] == 0).tolist()
        samples = plan.samples - plan.samples_of(waiting)
        futures = {client.submit(task, i, pure=False): i for i in waiting}
        try:
            for future in distributed.as_completed(futures):
                block = futures[future]
                _require_success(distributed, future, plan, block)
                done[block] = future.result()
                future.release()
                samples += plan.samples_of([block])
                if report is not None:
                    report(samples, plan.samples)
        except BaseException:
            client.cancel(list(futures))
            raise
    group = zarr.open_group(target, mode="r+")
    group.attrs["complete"] = True
    del group[DONE]
    return {name: (shape, plan.dtype) for name, shape in plan.outputs.items()}


@dataclass(frozen=True)
class _Plan:
    """The computation and its blocks of `rows` entries of the first axis each."""

    batch: tuple[int, ...]
    rows: int
    dtype: str
    outputs: dict[str, tuple[int, ...]]
    about: dict[str, Any]

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
        part = self._part(block)
        group: Any = zarr.open_group(self.target, mode="r+")
        for port, values in zip(kernel.outputs, (result,) if len(kernel.outputs) == 1 else result, strict=True):
            group[port.name][part] = values
        return _digest(arrays)

    def digest(self, block: int) -> int:
        """The digest of the block's states as they are now."""
        return _digest(self._states(block))

    def _part(self, block: int) -> slice:
        return slice(block * self.rows, (block + 1) * self.rows)

    def _states(self, block: int) -> list[Any]:
        import zarr

        group: Any = zarr.open_group(self.source, mode="r")
        part = self._part(block)
        ports = [(p, group[p.name]) for p in _unpickled(self.kernel).inputs]
        return [array[part] if array.ndim > len(p.shape) else array[...] for p, array in ports]


def _digest(arrays: list[Any]) -> int:
    """A number other than 0 that identifies the contents of arrays."""
    found = hashlib.blake2b(digest_size=8)
    for x in arrays:
        found.update(f"{x.dtype} {x.shape} ".encode() + np.ascontiguousarray(x).tobytes())
    return int.from_bytes(found.digest(), "little") or 1


@lru_cache(maxsize=4)
def _unpickled(kernel: bytes) -> Kernel:
    """One kernel per process, for any number of blocks."""
    found: Kernel = pickle.loads(kernel)
    return found


def _plan(kernel: Kernel, group: Any, source: str) -> _Plan:
    """Names, shapes and types, checked before anything is written."""
    arrays = {}
    for port in kernel.inputs:
        if port.name not in group:
            known = unknown("array", port.name, sorted(group.array_keys()), source)
            raise ArgumentError(f"{known or 'none'}; {kernel.name} needs {', '.join(p.name for p in kernel.inputs)}")
        array = arrays[port.name] = group[port.name]
        if array.shape[array.ndim - len(port.shape) :] != port.shape or array.ndim < len(port.shape):
            wanted = ", ".join(map(str, ("...", *port.shape)))
            raise ShapeError(f"{port.name} in {quoted(source)} has shape {array.shape}; {kernel.name} needs ({wanted})")
        if array.dtype.kind not in "fiu":
            raise DtypeError(f"{port.name} in {quoted(source)} holds {array.dtype}, not real numbers")
    shapes = {p.name: tuple(arrays[p.name].shape[: arrays[p.name].ndim - len(p.shape)]) for p in kernel.inputs}
    batches = {shape for shape in shapes.values() if shape}
    if len(batches) != 1:
        shown = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"samples must be along the same axes of all arrays, and at least one; found: {shown}")
    (found,) = batches
    if not all(found):
        raise ShapeError(f"no samples in {quoted(source)}: the axes of the batch are {found}")
    chunk = max(arrays[name].chunks[0] for name, shape in shapes.items() if shape)
    width = int(np.prod(found[1:])) * kernel.bytes_per_sample
    rows = min(found[0], chunk * max(1, BYTES_PER_BLOCK // (chunk * width)))
    single = all(array.dtype == np.float32 for array in arrays.values())
    return _Plan(
        found,
        rows,
        "float32" if single else "float64",
        {p.name: (*found, *p.shape) for p in kernel.outputs},
        {
            "notes": list(notes(kernel)),
            "identity": hashlib.sha256(kernel.identity.encode()).hexdigest(),
        },
    )


def _prepared(zarr: Any, plan: _Plan, target: str, overwrite: bool, resume: bool) -> Any:
    """The array of finished blocks in an existing or new output."""
    about = json.loads(json.dumps({**plan.about, "batch": plan.batch, "rows": plan.rows}))
    try:
        group = zarr.open_group(target, mode="r+")
    except FileNotFoundError:
        group = None
    if group is not None and resume:
        kept = group.attrs.asdict()
        if kept.pop("complete", None) or kept != about or DONE not in group:
            raise OutputError(f"{quoted(target)} is complete, or of other work; leave --resume out, or choose another")
        return group[DONE]
    if Path(target).exists() and not Path(target).is_dir():
        raise OutputError(f"the output {quoted(target)} is a file; name a store")
    if (group is not None or Path(target).exists()) and not overwrite:
        raise OutputError(f"the output {quoted(target)} exists; choose another, or --resume, or replace it: --force")
    try:
        group = zarr.open_group(target, mode="w")
        for name, shape in plan.outputs.items():
            chunks = (plan.rows, *shape[1:])
            group.create_array(name, shape=shape, chunks=chunks, dtype=plan.dtype, fill_value=np.nan)
        group.attrs.update({**about, "complete": False})
        return group.create_array(DONE, shape=(plan.blocks,), chunks=(plan.blocks,), dtype="uint64")
    except OSError as problem:
        raise OutputError(f"the output {quoted(target)} cannot be written: {problem.strerror or problem}") from problem


def _require_same_states(client: Any, task: _Task, done: Any, source: str) -> None:
    """Refuse to complete an output if the states of the blocks already written have changed."""
    written = np.flatnonzero(done).tolist()
    found = client.gather(client.map(task.digest, written, pure=False))
    if changed := sum(int(done[block]) != digest for block, digest in zip(written, found, strict=True)):
        raise OutputError(
            f"{quoted(source)} has changed since {changed} of the {len(written)} blocks of the output were written; "
            "leave --resume out and replace the output: --force"
        )


def _require_success(distributed: Any, future: Any, plan: _Plan, block: int) -> None:
    problem = future.exception()
    if problem is None:
        return
    first, stop = plan.bounds(block)
    if isinstance(problem, distributed.KilledWorker):
        raise OutputError(
            f"several workers died on rows {first} to {stop}: they may lack memory (a block is "
            f"{BYTES_PER_BLOCK >> 20} MiB or one chunk of the states); write the states in smaller chunks"
        ) from problem
    if isinstance(problem, SixvecError):
        raise problem
    raise OutputError(f"rows {first} to {stop}: {type(problem).__name__}: {problem}") from problem


@contextmanager
def _client(distributed: Any, scheduler: str | None) -> Iterator[Any]:
    """A client of the cluster at an address, or of the cores of this process."""
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout=20)
        except (OSError, ValueError, TimeoutError) as problem:
            raise ArgumentError(f"no dask scheduler at {quoted(scheduler)}: {problem}") from problem
        with client:
            yield client
        return
    before = set_threads(1)
    try:
        with (
            distributed.LocalCluster(processes=False, n_workers=1, dashboard_address=None, memory_limit=0) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
    finally:
        set_threads(before)


def _engines() -> tuple[Any, Any]:
    try:
        import distributed
        import zarr
    except ImportError as problem:
        raise MissingExtra(f"batches in stores need {problem.name}: pip install 'sixvec[cluster]'") from problem
    return zarr, distributed


def _group(zarr: Any, source: str) -> Any:
    try:
        return zarr.open_group(source, mode="r")
    except FileNotFoundError:
        raise ArgumentError(f"no zarr group {quoted(source)}; write one array for each input, q and so on") from None


def _address(store: str | Path) -> str:
    """As an absolute path, for workers in other folders."""
    text = str(store)
    return text if "://" in text else str(Path(text).absolute())
