"""Timing of several candidates side by side."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

os.environ["SIXVEC_BACKGROUND"] = "off"  # what is measured is the best code


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repeats: int
    slice_seconds: float
    """Time that a candidate runs before the next one has its turn."""
    batch: int
    pool: int = 32
    """Different states that single calls cycle through."""
    processes: int = 3
    """Fresh processes per figure of the compile section."""
    long_repeats: int = 5
    """Repeats where a call takes seconds: inverse kinematics of the peers, rollouts."""
    problems: int = 300
    """Problems of inverse kinematics for solvers that take milliseconds each; others solve a batch."""
    long_slice_seconds: float = 0.5
    """As `slice_seconds`, where a call takes long."""

    def of_long_calls(self) -> Effort:
        """Long turns for all, where some call takes that long: a disturbance must not spare the quicker ones."""
        return replace(self, repeats=self.long_repeats, slice_seconds=self.long_slice_seconds)


FULL = Effort(repeats=15, slice_seconds=0.02, batch=4096)
QUICK = Effort(repeats=4, slice_seconds=0.005, batch=4096, processes=1, long_repeats=1, problems=20)
TINY = Effort(
    repeats=1, slice_seconds=1e-5, batch=16, pool=2, processes=1, long_repeats=1, problems=2, long_slice_seconds=1e-5
)
"""One call of everything: whether it runs, not how fast."""


def interleaved(candidates: Mapping[str, Callable[[], object]], effort: Effort) -> dict[str, float]:
    """Seconds per call of each candidate: the least over repeats, in each of which every candidate has its turn.

    A disturbance of the machine thus hits all candidates alike, and the least of many repeats drops it.
    """
    loops = {name: _loops(call, effort.slice_seconds) for name, call in candidates.items()}
    best = dict.fromkeys(candidates, math.inf)
    order = list(candidates)
    gc.collect()
    gc.disable()
    try:
        for repeat in range(effort.repeats):
            for name in order if repeat % 2 == 0 else reversed(order):
                best[name] = min(best[name], _run(candidates[name], loops[name]))
    finally:
        gc.enable()
    return best


def sweep(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Callable[[], None]:
    """One call per tuple of arguments, answers dropped."""

    def call() -> None:
        for each in arguments:
            function(*each)

    return call


def storing_loop(
    function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], outs: Sequence[Any]
) -> Callable[[], None]:
    """One call per tuple of arguments, the answers stored in the arrays of a batch (dropped if there are none)."""
    if not outs:
        return sweep(function, arguments)

    def one() -> None:
        out = outs[0]
        for i, each in enumerate(arguments):
            out[i] = function(*each)

    def many() -> None:
        for i, each in enumerate(arguments):
            for out, x in zip(outs, function(*each), strict=True):
                out[i] = x

    return one if len(outs) == 1 else many


def _run(call: Callable[[], object], loops: int) -> float:
    start = perf_counter()
    for _ in range(loops):
        call()
    return (perf_counter() - start) / loops


def _loops(call: Callable[[], object], seconds: float) -> int:
    call()
    return max(1, math.ceil(seconds / _run(call, 2)))
