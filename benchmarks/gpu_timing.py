"""The fastest motions along many paths on a CUDA device: from waypoints to durations, with limits of torque.

    python benchmarks/gpu_timing.py                     # needs CuPy and a CUDA device

Waypoints are arrays of CuPy.  Splines through five of them, 100 intervals, limits that hold between points, too; a few
durations are compared with those of the CPU, which are recorded here: the device's machine may have no compiler for it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sixvec as sv

PATHS, WAYPOINTS, POINTS = 2**17, 5, 100
RUNS = 5
LIMITS: dict[str, Callable[[sv.Robot], dict[str, Any]]] = {
    "torque": lambda robot: {"torque": 0.6 * robot.effort_limits},
    "acceleration": lambda robot: {"acceleration": 10.0, "torque": None},
}

OF_CPU = {
    "torque": [4.050909251907532, 2.573617321346707, 4.194826361896448, 4.633437616921457,
               3.347304160528271, 3.6005708552147824, 3.740997655495929, 3.343467011897759],
    "acceleration": [4.309765287007399, 2.746785145183556, 4.228954852501884, 5.083147922150333,
                     3.661941770667601, 4.024963803789863, 3.957200675211165, 3.761772438457486],
}  # fmt: skip
"""Durations of the first paths, in seconds."""


def waypoints(robot: sv.Robot, count: int) -> np.ndarray:
    """Through half the range of each joint."""
    middle, half = 0.5 * (robot.lower + robot.upper), 0.5 * (robot.upper - robot.lower)
    return middle + 0.5 * half * np.random.default_rng(0).uniform(-1, 1, (count, WAYPOINTS, robot.nq))


def durations(robot: sv.Robot, Q: Any, limit: str) -> Any:
    """From waypoints to the durations of the fastest motions."""
    from sixvec import motion

    path = motion.spline(robot, Q, knots=np.linspace(0.0, 1.0, WAYPOINTS), ends="not-a-knot")
    return motion.time_optimal(path, **LIMITS[limit](robot), points=POINTS).duration


def timed_paths(robot: sv.Robot, count: int = PATHS) -> Iterator[dict[str, Any]]:
    """A row for each kind of limit."""
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    Q = waypoints(robot, count)
    there = xp.asarray(Q)
    for limit in LIMITS:
        start = time.perf_counter()
        found = durations(robot, there, limit)
        xp.cuda.Device().synchronize()
        first = time.perf_counter() - start
        expected = np.array(OF_CPU[limit])
        error = np.abs(found[: len(expected)].get() / expected - 1.0)
        times = []
        for _ in range(RUNS):
            xp.cuda.Device().synchronize()
            start = time.perf_counter()
            durations(robot, there, limit)
            xp.cuda.Device().synchronize()
            times.append(time.perf_counter() - start)
        spent = float(np.median(times))
        yield {
            "method": f"{robot.name} time_optimal, {limit}", "samples": count, "seconds": spent,
            "samples_per_second": count / spent, "same_bits": bool((error == 0.0).all()),
            "error": float(error.max()), "first_call_seconds": first,
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, default=PATHS)
    parser.add_argument("--profile", action="store_true", help="also print the time of each kernel")
    options = parser.parse_args()
    robot = sv.load("panda")
    for row in timed_paths(robot, options.paths):
        print(json.dumps(row), flush=True)
    if options.profile:
        _profile(robot, options.paths)


def _profile(robot: sv.Robot, count: int) -> None:
    """Where the time of a call with torques goes: each kernel by itself, and all else."""
    from sixvec.compiler.runtime import cuda

    xp, spent, called = cuda.cupy(), {}, cuda.CudaKernel.__call__

    def now() -> float:
        xp.cuda.Device().synchronize()
        return time.perf_counter()

    def call(self: Any, *arrays: Any, **more: Any) -> Any:
        start = now()
        results = called(self, *arrays, **more)
        spent[self.name] = spent.get(self.name, 0.0) + now() - start
        return results

    there = xp.asarray(waypoints(robot, count))
    cuda.CudaKernel.__call__ = call  # type: ignore[method-assign]
    start = now()
    durations(robot, there, "torque")
    total = now() - start
    cuda.CudaKernel.__call__ = called  # type: ignore[method-assign]
    for name, seconds in (*spent.items(), ("all else", total - sum(spent.values()))):
        print(f"{1e3 * seconds:9.3f} ms  {name}")


if __name__ == "__main__":
    main()
