"""A stand-in for dask: a client that runs each task at once, in this process."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import pytest


class Future:
    def __init__(self, compute: Callable[[], Any]) -> None:
        self.value, self.problem = None, None
        try:
            self.value = compute()
        except Exception as problem:
            self.problem = problem

    def result(self) -> Any:
        return self.value

    def exception(self) -> Exception | None:
        return self.problem

    def release(self) -> None:
        """Nothing is held elsewhere."""


class Cluster:
    """The module, with what was asked of it."""

    def __init__(self) -> None:
        self.clients: list[tuple[Any, dict[str, Any]]] = []
        self.cancelled: list[int] = []
        self.workers: dict[str, dict[str, Any]] = {"a": {"memory_limit": 0, "nthreads": 2}}
        self.killed = type("KilledWorker", (Exception,), {})
        self.distributed: Any = types.ModuleType("distributed")
        self.distributed.Client = self._client
        self.distributed.as_completed, self.distributed.KilledWorker = iter, self.killed

    def _client(self, address: Any, **options: Any) -> Any:
        if address == "nowhere":
            raise OSError("nobody listens")
        self.clients.append((address, options))
        return Client(self)


class Client:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing runs on."""

    def scheduler_info(self) -> dict[str, Any]:
        return {"workers": self.cluster.workers}

    def submit(self, task: Any, block: int, *, pure: bool) -> Future:
        assert not pure  # a task writes
        return Future(lambda: task(block))

    def cancel(self, futures: list[Future]) -> None:
        self.cluster.cancelled.append(len(futures))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    monkeypatch.setitem(sys.modules, "distributed", made.distributed)
    return made
