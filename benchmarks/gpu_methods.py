"""Methods that are more than one kernel, on a CUDA device: from the call to the answer, on arrays of CuPy.

Each answer is compared with the CPU's on a few samples: same bits, or for matrix products of CUDA's libraries, close.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from gpu_timing import timed_paths
from sixvec.parallel import StewartGough

FRAME = "panda_link8"
FEW, RUNS = 64, 7


def seconds(xp: Any, call: Callable[[], Any]) -> float:
    """The median, after two calls to warm up."""
    times = []
    for _ in range(RUNS):
        xp.cuda.Device().synchronize()
        start = time.perf_counter()
        call()
        xp.cuda.Device().synchronize()
        times.append(time.perf_counter() - start)
    return float(np.median(times[2:]))


def hexapod() -> StewartGough:
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3, 2) + 0.2 * np.tile([-1.0, 1.0], 3)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=-1)
    return StewartGough(circle, 0.6 * np.roll(circle, 1, axis=0))


def methods(panda: sv.Robot, _: Path) -> Iterator[dict[str, Any]]:
    from sixvec.compiler.runtime.cuda import cupy

    xp = cupy()
    rng = np.random.default_rng(0)

    def measured(name: str, count: int, call: Callable[..., Any], *arrays: np.ndarray) -> dict[str, Any]:
        """The samples are the rows of the arrays; `call` returns one array."""
        given = [xp.asarray(x) for x in arrays]
        found, expected = call(*given), call(*(x[:FEW] for x in arrays))
        error = float(np.abs(found[:FEW].get() - expected).max() / np.abs(expected).max())
        spent = seconds(xp, lambda: call(*given))
        return {
            "method": name, "samples": count, "seconds": spent, "samples_per_second": count / spent,
            "same_bits": error == 0.0, "error": error,
        }  # fmt: skip

    paths, poses = 2**13, 64
    q = 0.5 * (panda.random(1, paths) + 0.5 * (panda.lower + panda.upper))  # away from limits
    moved = q[:, None] + np.linspace(0.0, 0.1, poses)[:, None] * rng.normal(size=(paths, 1, 7))
    targets = panda.pose(moved, FRAME)
    yield measured("panda track, poses", paths * poses, lambda q, X: panda.track(q, X, FRAME).q, q, targets)
    states = [panda.random(0, 2**16), *rng.normal(size=(2, 2**16, 7))]
    for name in ("inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives"):
        yield measured(f"panda {name}", 2**16, lambda *x, name=name: getattr(panda, name)(*x).dqdq, *states)
    bars = sv.load("four_bar")
    start = rng.normal([0.7, 0.0, 1.0], 0.05, (2**18, 3))
    yield measured("four_bar assemble", 2**18, lambda q: bars.assemble(q).q, start)
    legs, count = hexapod(), 2**20
    X = np.tile(np.eye(4), (count, 1, 1))
    X[:, :3, 3] = rng.normal([0.0, 0.0, 0.9], 0.05, (count, 3))
    near = np.tile(np.eye(4), (count, 1, 1))
    near[:, 2, 3] = 0.9
    lengths = np.asarray(legs.inverse_position(X))
    yield measured("hexapod inverse_position", count, legs.inverse_position, X)
    yield measured("hexapod forward_position", count, lambda q, X: legs.forward_position(q, X).pose, lengths, near)
    force = rng.normal(size=(count, 6))
    yield measured("hexapod inverse_force", count, legs.inverse_force, X, force)
    yield from timed_paths(panda)
