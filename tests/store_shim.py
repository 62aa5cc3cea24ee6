"""Stand-ins for zarr and dask: groups in memory, and a client that runs each task at once, in this process."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


class Array:
    def __init__(self, data: np.ndarray, chunks: tuple[int, ...]) -> None:
        self.data, self.chunks = data, chunks

    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)
    dtype = property(lambda self: self.data.dtype)

    def __getitem__(self, part: Any) -> Any:
        return self.data[part].copy()

    def __setitem__(self, part: Any, values: Any) -> None:
        self.data[part] = values


class Attributes(dict[str, Any]):
    def asdict(self) -> dict[str, Any]:
        return dict(self)


class Group(dict[str, Array]):
    """Arrays by name."""

    def __init__(self) -> None:
        super().__init__()
        self.attrs = Attributes()

    array_keys = dict.keys

    def create_array(
        self,
        name: str,
        *,
        data: Any = None,
        shape: Any = None,
        chunks: Any = None,
        dtype: Any = None,
        fill_value: Any = 0,
    ) -> Array:
        data = np.full(shape, fill_value, dtype) if data is None else np.array(data)
        self[name] = Array(data, chunks or data.shape)
        return self[name]


class Future:
    def __init__(self, compute: Callable[[], Any]) -> None:
        self.found, self.problem = None, None
        try:
            self.found = compute()
        except Exception as problem:
            self.problem = problem

    def result(self) -> Any:
        return self.found

    def exception(self) -> Exception | None:
        return self.problem

    def release(self) -> None:
        """Nothing is held elsewhere."""


class Cluster:
    """Both modules, with what was asked of them."""

    def __init__(self) -> None:
        self.stores: dict[str, Group] = {}
        self.clusters: list[dict[str, Any]] = []
        self.clients: list[tuple[Any, dict[str, Any]]] = []
        self.cancelled: list[int] = []
        self.killed = type("KilledWorker", (Exception,), {})
        self.zarr: Any = types.ModuleType("zarr")
        self.zarr.open_group = self.open_group
        self.distributed: Any = types.ModuleType("distributed")
        self.distributed.Client, self.distributed.LocalCluster = self._client, self._cluster
        self.distributed.as_completed, self.distributed.KilledWorker = iter, self.killed

    def open_group(self, store: Any, mode: str) -> Group:
        if mode == "w":
            self.stores[str(store)] = Group()
        elif str(store) not in self.stores:
            raise FileNotFoundError(str(store))
        return self.stores[str(store)]

    def _client(self, address: Any, **options: Any) -> Any:
        if address == "nowhere":
            raise OSError("nobody listens")
        self.clients.append((address, options))
        return Client(self)

    def _cluster(self, **options: Any) -> Any:
        self.clusters.append(options)
        return Client(self)


class Client:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing runs on."""

    def submit(self, task: Any, block: int, *, pure: bool) -> Future:
        assert not pure  # a task writes
        return Future(lambda: task(block))

    def map(self, task: Any, blocks: list[int], *, pure: bool) -> list[Future]:
        return [self.submit(task, block, pure=pure) for block in blocks]

    def gather(self, futures: list[Future]) -> list[Any]:
        return [f.result() for f in futures]

    def cancel(self, futures: list[Future]) -> None:
        self.cluster.cancelled.append(len(futures))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    monkeypatch.setitem(sys.modules, "zarr", made.zarr)
    monkeypatch.setitem(sys.modules, "distributed", made.distributed)
    return made
