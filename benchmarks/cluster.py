"""Samples a second on 1, 2, … dask workers of this machine, and the efficiency per worker.

    python benchmarks/cluster.py [--workers 1 2 4] [--samples 4000000]

A worker is a process with one thread.  Two kinds of work on a Panda: a sweep whose states are drawn where they are used
and of which only sums come back, and `sixvec batch` from zarr to zarr.  Every answer is compared with that of one call.
The efficiency is the rate divided by that of one worker and by the number of workers.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import zarr
from distributed import Client, LocalCluster

import sixvec as sv
from sixvec.interop.zarr import batch

REPEATS = 3
SWEPT, AT_ONCE = 1_000_000, 50_000
"""Samples of one task of the sweep, and of one call in it: their arrays remain in the cache."""

ONE_THREAD = {"ZARR_THREADING__MAX_WORKERS": "1", "ZARR_ASYNC__CONCURRENCY": "1", "BLOSC_NTHREADS": "1"}
"""So that one worker does not compress with the threads of a second one."""


def swept(robot: sv.Robot, seed: int) -> np.ndarray:
    """One task: the sum of the accelerations at random states."""
    sv.set_threads(1)
    total = np.zeros(robot.nv)
    for part in range(SWEPT // AT_ONCE):
        q, v, tau = (robot.random(3 * (seed * SWEPT + part) + i, AT_ONCE) for i in range(3))
        total += robot.forward_dynamics(q, v, tau).sum(axis=0)
    return total


def sweep(client: Client, robot: sv.Robot, tasks: int) -> list[np.ndarray]:
    futures = client.map(swept, [robot] * tasks, range(tasks), pure=False)
    return client.gather(futures)


def stored(folder: Path, robot: sv.Robot, samples: int) -> Path:
    group = zarr.open_group(folder / "states.zarr", mode="w")
    for seed, name in enumerate("qva"):
        group.create_array(name, data=robot.random(seed, samples), chunks=(50_000, robot.nv))
    return folder / "states.zarr"


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several repeats; one more before them warms the workers up."""
    seconds = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = os.cpu_count() or 1
    parser.add_argument("--workers", type=int, nargs="+", default=[n for n in (1, 2, 4, 8, 16, 32) if n <= cores])
    parser.add_argument("--samples", type=int, default=4_000_000, help="in the store; the sweep has four times as many")
    chosen = parser.parse_args()
    os.environ.update(ONE_THREAD)
    robot = sv.load("panda")
    kernel, tasks = robot.kernel("inverse_dynamics"), max(4 * chosen.samples // SWEPT, max(chosen.workers))
    first = swept(robot, 0)
    print(f"{'workers':>7} {'sweep, M/s':>12} {'efficiency':>10} {'zarr, M/s':>12} {'efficiency':>10}")
    rates: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        states = stored(Path(folder), robot, chosen.samples)
        for workers in chosen.workers:
            with (
                LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
                Client(cluster) as client,
            ):
                if not np.array_equal(sweep(client, robot, 1)[0], first):
                    raise SystemExit("a worker's answer differs")
                out, address = Path(folder) / "out.zarr", cluster.scheduler_address
                measured = {
                    "sweep": tasks * SWEPT / best(lambda client=client: sweep(client, robot, tasks)),
                    "zarr": chosen.samples
                    / best(lambda a=address, out=out: batch(kernel, states, out, scheduler=a, overwrite=True)),
                }
            group, found = zarr.open_group(states, mode="r"), zarr.open_group(out, mode="r")["tau"][:]
            if not np.array_equal(found, robot.inverse_dynamics(*(group[name][:] for name in "qva"))):
                raise SystemExit("a stored answer differs")
            line = f"{workers:>7}"
            for name, rate in measured.items():
                alone = rates.setdefault(name, rate / workers)
                line += f" {rate / 1e6:>12.2f} {rate / alone / workers:>10.0%}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
