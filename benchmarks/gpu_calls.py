"""A Panda on a CUDA device through torch and JAX, as users call it; next to it what each library does by itself.

A call is repeated and waited for at the end.  torch: also the host's time for a call, on so few samples that the device
does not matter, and calls recorded in a CUDA graph.  JAX: one call inside `jit`, of all and of few samples, and in turn
with it an addition of arrays of the same sizes; eight calls in one compiled function, and a scan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv

CALLED = 2**20
"""Samples of a call."""

FEW = 64
"""Samples of calls whose answers are compared, and of those that show the time of the host."""

REPEATS, RUNS = 100, 7
CHAIN, STEPS = 8, 16
"""Calls in one compiled function, and in one scan."""

KERNELS = ("inverse_dynamics", "forward_dynamics")


def seconds(call: Callable[[], Any], wait: Callable[[Any], Any], repeats: int = REPEATS, runs: int = RUNS) -> float:
    """The fastest run's time for a call, after one to warm up."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        for _ in range(repeats):
            result = call()
        wait(result)
        times.append((time.perf_counter() - start) / repeats)
    return min(times[1:])


def in_turn(calls: Mapping[str, Callable[[], Any]], wait: Callable[[Any], Any]) -> dict[str, float]:
    """As `seconds`, for calls to compare: run after run of each, so that all see the same state of the machine."""
    found = [{name: seconds(call, wait, runs=1) for name, call in calls.items()} for _ in range(2 * RUNS)]
    return {name: min(run[name] for run in found) for name in calls}


def row(library: str, kernel: str, dtype: str, spent: float, **more: Any) -> dict[str, Any]:
    return {
        "kernel": f"panda {kernel}", "library": library, "dtype": dtype, "samples": CALLED, "seconds": spent,
        "samples_per_second": CALLED / spent, **more,
    }  # fmt: skip


def torch_calls(panda: sv.Robot, _: Path) -> Iterator[dict[str, Any]]:
    try:
        import torch
    except ImportError:
        return

    def wait(_: Any) -> None:
        torch.cuda.synchronize()

    for dtype in ("float32", "float64"):
        arrays = [torch.randn(CALLED, 7, device="cuda", dtype=getattr(torch, dtype)) for _ in range(3)]
        few = [x[:FEW] for x in arrays]
        for name in KERNELS:
            method = getattr(panda, name)
            expected = method(*(x.cpu().numpy() for x in few))
            same = bool(np.array_equal(method(*few).cpu().numpy(), expected))
            spent = seconds(lambda method=method, arrays=arrays: method(*arrays), wait)
            host = seconds(lambda method=method, few=few: method(*few), lambda _: None)
            turned = [x.T.contiguous().T for x in arrays]
            components = seconds(lambda method=method, turned=turned: method(*turned), wait)
            graph = torch.cuda.CUDAGraph()
            with torch.no_grad(), torch.cuda.graph(graph):
                for _ in range(CHAIN):
                    recorded = method(*arrays)
            replayed = seconds(graph.replay, wait, 10) / CHAIN
            same = same and bool(torch.equal(recorded, method(*arrays)))
            yield row("torch", name, dtype, spent, host_seconds=host, same_bits=same)
            yield row("torch, component-major", name, dtype, components)
            yield row("torch, CUDA graph", name, dtype, replayed)
    few = [torch.randn(FEW, 7, device="cuda") for _ in range(2)]
    yield {"library": "torch", "kernel": "addition", "host_seconds": seconds(lambda: few[0] + few[1], lambda _: None)}


def jax_calls(panda: sv.Robot, _: Path) -> Iterator[dict[str, Any]]:
    try:
        import jax
    except ImportError:
        return
    jax.config.update("jax_enable_x64", True)
    wait = jax.block_until_ready
    for dtype in ("float32", "float64"):
        keys = jax.random.split(jax.random.PRNGKey(0), 3)
        arrays = [jax.random.normal(k, (CALLED, 7), dtype=dtype) for k in keys]
        few = [x[:FEW] for x in arrays]
        single = {"addition": jax.jit(lambda q, v, a: q + v)} | {
            name: jax.jit(getattr(panda, name)) for name in KERNELS
        }
        whole = in_turn({name: partial(call, *arrays) for name, call in single.items()}, wait)
        host = in_turn({name: partial(call, *few) for name, call in single.items()}, wait)
        yield row("JAX alone", "addition", dtype, whole["addition"], host_seconds=host["addition"])
        for name in KERNELS:
            method = getattr(panda, name)

            def chained(q: Any, v: Any, a: Any, method: Any = method) -> Any:
                for _ in range(CHAIN):
                    a = method(q, v, a)
                return a

            def scanned(q: Any, v: Any, a: Any, method: Any = method) -> Any:
                return jax.lax.scan(lambda a, _: (method(q, v, a), None), a, None, length=STEPS, unroll=2)[0]

            chain, scan = jax.jit(chained), jax.jit(scanned)
            expected = method(*map(np.asarray, few))
            same = bool(np.array_equal(np.asarray(single[name](*few)), expected))
            yield row("JAX, one call in jit", name, dtype, whole[name], same_bits=same, host_seconds=host[name])
            spent = seconds(lambda chain=chain, arrays=arrays: chain(*arrays), wait, 20) / CHAIN
            yield row(f"JAX, {CHAIN} calls in jit", name, dtype, spent)
            spent = seconds(lambda scan=scan, arrays=arrays: scan(*arrays), wait, 10) / STEPS
            yield row("JAX, scan", name, dtype, spent)
