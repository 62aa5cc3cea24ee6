"""Who computes the blocks of a batch: threads of this process, which open no port, or the workers of a dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from sixvec.compiler.threads import set_threads
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.quoting import quoted

TIMEOUT = 20
"""Seconds to wait for a scheduler."""


class Workers(Protocol):
    """Tasks with a number each; their futures have `result()` and `exception()`."""

    memory: float
    """Bytes that one task may use."""

    def submit(self, task: Callable[[int], int], block: int) -> Any: ...

    def completed(self, tasks: Iterable[Any]) -> Iterator[Any]: ...

    def cancel(self, tasks: Sequence[Any]) -> None: ...

    def is_loss(self, problem: BaseException) -> bool:
        """Whether an error says that the workers of a task died."""


class Threads:
    """Threads of this process, as many as the memory allows."""

    def __init__(self, count: int, memory: float) -> None:
        self.memory = memory
        self.pool = futures.ThreadPoolExecutor(count, thread_name_prefix="sixvec-batch")

    def submit(self, task: Callable[[int], int], block: int) -> Any:
        return self.pool.submit(task, block)

    def completed(self, tasks: Iterable[Any]) -> Iterator[Any]:
        return futures.as_completed(tasks)

    def cancel(self, tasks: Sequence[Any]) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)

    def is_loss(self, problem: BaseException) -> bool:
        return False


class Cluster:
    """The workers of a dask cluster."""

    def __init__(self, distributed: Any, client: Any) -> None:
        self.distributed, self.client = distributed, client
        self.memory = min(map(_memory_of_task, client.scheduler_info()["workers"].values()), default=float("inf"))

    def submit(self, task: Callable[[int], int], block: int) -> Any:
        return self.client.submit(task, block, pure=False)

    def completed(self, tasks: Iterable[Any]) -> Iterator[Any]:
        for future in self.distributed.as_completed(tasks):
            yield future
            future.release()

    def cancel(self, tasks: Sequence[Any]) -> None:
        self.client.cancel(tasks)

    def is_loss(self, problem: BaseException) -> bool:
        return isinstance(problem, self.distributed.KilledWorker)


def _memory_of_task(worker: dict[str, Any]) -> float:
    return (worker.get("memory_limit") or float("inf")) / max(1, worker.get("nthreads") or 1)


@contextmanager
def threads(bytes_per_task: int) -> Iterator[Workers]:
    """Threads for tasks that need that much memory each."""
    memory, before = free_memory(), set_threads(1)  # each task is one thread
    workers = Threads(int(max(1, min(before, memory // max(1, bytes_per_task)))), memory)
    try:
        yield workers
    finally:
        workers.cancel(())
        set_threads(before)


@contextmanager
def cluster(scheduler: str) -> Iterator[Workers]:
    """The workers of the cluster at an address."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as problem:
        raise MissingExtra(f"--scheduler needs {problem.name}", extra="cluster") from problem
    try:
        client = distributed.Client(scheduler, timeout=TIMEOUT)
    except (OSError, ValueError, TimeoutError) as problem:
        raise ArgumentError(f"no dask scheduler at {quoted(scheduler)}: {problem}") from problem
    with client:
        yield Cluster(distributed, client)


def free_memory() -> float:
    """Bytes that this process may still use: of the machine, or of its container."""
    return min(_of_machine(), _of_container())


def _of_machine() -> float:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        (available,) = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
        return 1024.0 * int(available)
    except (OSError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")  # unknown


def _of_container(folder: Path = Path("/sys/fs/cgroup")) -> float:
    try:
        most, used = ((folder / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current"))
        return max(0.0, float(most) - float(used)) if most.strip() != "max" else float("inf")
    except (OSError, ValueError):
        return float("inf")
