"""States in a zarr store, blocks on the workers of a real dask cluster, one of which is killed."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DtypeError, OutputError, ShapeError
from sixvec.interop import zarr as stored

zarr = pytest.importorskip("zarr")
distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]

SAMPLES, CHUNK = 5000, 50


@pytest.fixture(scope="module")
def robot() -> sv.Robot:
    return sv.load("double_pendulum")


@pytest.fixture
def states(robot: sv.Robot, tmp_path: Path) -> Path:
    group = zarr.open_group(tmp_path / "states.zarr", mode="w")
    for name, seed in (("q", 0), ("v", 1), ("a", 2)):
        group.create_array(name, data=robot.random(seed, SAMPLES), chunks=(CHUNK, 2))
    return tmp_path / "states.zarr"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


def arrays(store: Path) -> list[np.ndarray]:
    group = zarr.open_group(store, mode="r")
    return [group[name][:] for name in ("q", "v", "a")]


def test_a_killed_worker_loses_nothing(
    robot, cluster: Any, states: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "BYTES_PER_BLOCK", 1)
    seen: list[int] = []
    victim = next(iter(cluster.workers.values())).pid

    def report(done: int, of: int) -> None:
        seen.append(done)
        if len(seen) == 5:
            os.kill(victim, signal.SIGKILL)

    kernel = robot.kernel("inverse_dynamics")
    stored.batch(kernel, states, tmp_path / "out.zarr", scheduler=cluster.scheduler_address, report=report)
    assert len(seen) == SAMPLES // CHUNK and seen[-1] == SAMPLES
    found = zarr.open_group(tmp_path / "out.zarr", mode="r")["tau"][:]
    assert np.array_equal(found, robot.inverse_dynamics(*arrays(states)))
    assert victim not in [worker.pid for worker in cluster.workers.values()]


def test_interrupted_work_is_resumed(robot, states: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "BYTES_PER_BLOCK", 1)
    kernel, out = robot.kernel("inverse_dynamics"), tmp_path / "out.zarr"

    def interrupted(done: int, of: int) -> None:
        if done >= 1000:
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        stored.batch(kernel, states, out, report=interrupted)
    assert not out.exists() and zarr.open_group(f"{out}.part", mode="r").attrs["complete"] is False
    with pytest.raises(OutputError, match="--resume"):
        stored.batch(kernel, states, out)
    with pytest.raises(OutputError, match="of other work"):
        stored.batch(robot.kernel("mass_matrix"), states, out, resume=True)
    q = zarr.open_group(states, mode="r+")["q"]
    before = q[:]
    q[:] = 0.5 * before
    with pytest.raises(OutputError, match=r"(\d+) of the \1 blocks"):
        stored.batch(kernel, states, out, resume=True)
    q[:] = before
    counted: list[int] = []
    stored.batch(kernel, states, out, resume=True, report=lambda done, of: counted.append(done))
    assert len(counted) <= (SAMPLES - 1000) // CHUNK and counted[-1] == SAMPLES
    found = zarr.open_group(out, mode="r")["tau"][:]
    assert np.array_equal(found, robot.inverse_dynamics(*arrays(states)))
    with pytest.raises(OutputError, match="is complete"):
        stored.batch(kernel, states, out, resume=True)


def test_what_does_not_fit_is_named_before_anything_is_written(robot, states: Path, tmp_path: Path) -> None:
    kernel, out = robot.kernel("inverse_dynamics"), tmp_path / "out.zarr"
    with pytest.raises(ArgumentError, match=named("zarr")):
        stored.batch(kernel, tmp_path / "nothing.zarr", out)
    with pytest.raises(ArgumentError, match=named("dask")):
        stored.batch(kernel, states, out, scheduler="127.0.0.1:1")
    with pytest.raises(ShapeError, match=named("q", "inverse_dynamics", "(5000, 2)")):
        stored.batch(sv.load("panda").kernel("inverse_dynamics"), states, out)
    group = zarr.open_group(states, mode="r+")
    del group["a"]
    group.create_array("a", data=np.zeros((17, 2)))
    with pytest.raises(ShapeError, match=named("a", "(17,)")):
        stored.batch(kernel, states, out)
    del group["a"]
    group.create_array("a", data=np.zeros((SAMPLES, 2), complex))
    with pytest.raises(DtypeError, match=named("a", "complex128")):
        stored.batch(kernel, states, out)
    assert not out.exists()
