"""Batches: ours against Pinocchio's native batch, or a Python loop of Pinocchio's calls where it has none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bench import CHECK_TOLERANCE, Bench
from contender import answer
from kernels import KERNELS, NATIVE_BATCH, Kernel
from ours import set_threads
from result import Row, Target, timing_row
from selection import Selection
from state import State
from targets import FIRST_DERIVATIVES, batch_target
from timing import Effort, interleaved, storing_loop, sweep

SECTION = "batch"
OURS = "sixvec"

ANSWER_BYTES = 2**28
"""Of all answers of one contender; the regressors of a humanoid's whole batch would not fit the memory."""

LARGE_BYTES = 2**25
"""Answers that no cache holds: their row says how fast they are written, and there are rows in place and in cache."""

CACHED_BYTES = 3 * 2**19
"""Of all answers of a batch in cache: three quarters of the second level's 2 MiB, the rest is for temporaries."""

CACHED_MULTIPLE = 8
"""Batches in cache are full SIMD registers where so many states fit."""


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """One row per kernel on one thread, more where its answers are large, and inverse dynamics on all cores."""
    for kernel in KERNELS.values():
        if selection.wants(SECTION, bench.robot.name, kernel.name) and bench.offers(kernel):
            yield from _one_thread(bench, kernel, effort)
    cores = os.cpu_count() or 1
    if cores > 1 and selection.wants(SECTION, bench.robot.name, "inverse_dynamics"):
        kernel = KERNELS["inverse_dynamics"]
        yield _row(bench, kernel, effort, bench.states, f"{kernel.name} ({cores} threads)", threads=cores)


def _one_thread(bench: Bench, kernel: Kernel, effort: Effort) -> Iterator[Row]:
    each, target = _answer_bytes(bench, kernel), batch_target(bench.robot.name, kernel.name)
    states = bench.states.first(ANSWER_BYTES // each)
    whole = _row(bench, kernel, effort, states, kernel.name, target)
    if len(bench.states) * each <= LARGE_BYTES:
        yield whole
        return
    yield _with_write_speed(whole, each)
    yield _row(bench, kernel, effort, states, f"{kernel.name} (in place)", target, in_place=True)
    if kernel.name in FIRST_DERIVATIVES:  # Python, not machine code, checks several out= arrays: 55 µs a call
        return
    fitting = CACHED_BYTES // each
    cached = bench.states.first(fitting // CACHED_MULTIPLE * CACHED_MULTIPLE or max(fitting, 1))
    yield _row(bench, kernel, effort, cached, f"{kernel.name} (in cache)", target)


def _answer_bytes(bench: Bench, kernel: Kernel) -> int:
    """Of one state: our answer, or Pinocchio's where we do not take part."""
    if bench.ours is not None:
        return int(bench.ours.answer_bytes(kernel))
    return sum(x.nbytes for x in answer(bench.reference, kernel, bench.states[0]))


def _with_write_speed(row: Row, answer_bytes: int) -> Row:
    if row.ours_us is None:
        return row
    speed = f"memory: {answer_bytes / row.ours_us / 1e3:.0f} GB/s written"
    return replace(row, note=f"{row.note}; {speed}" if row.note else speed)


def _row(
    bench: Bench,
    kernel: Kernel,
    effort: Effort,
    states: State,
    label: str,
    target: Target | None = None,
    threads: int = 1,
    in_place: bool = False,
) -> Row:
    candidates: dict[str, Callable[[], object]] = {}
    told: dict[str, Any] = {}
    if len(states) < len(bench.states):
        told["note"] = f"batch of {len(states)}"
    set_threads(threads)
    if bench.ours is not None:
        told["errors"] = {OURS: (error := bench.check_batch(kernel, in_place))}
        if error <= CHECK_TOLERANCE:
            candidates[OURS] = (bench.ours.batch_in_place if in_place else bench.ours.batch)(kernel, states)
        else:
            told |= {"note": "ours differs from Pinocchio: not timed", "failed": True}
    if kernel.name in NATIVE_BATCH:
        candidates["Pinocchio native batch"] = bench.reference.native_batch(kernel, states, threads)
    else:
        candidates["Pinocchio loop"] = _pinocchio_loop(bench, kernel, states)
    seconds = {name: each / len(states) for name, each in interleaved(candidates, effort).items()}
    set_threads(1)
    return timing_row(SECTION, bench.robot.name, label, seconds, OURS, target=target, **told)


def _pinocchio_loop(bench: Bench, kernel: Kernel, states: State) -> Callable[[], None]:
    """Calls over the batch that store their answers, as `Data` is overwritten by the next call.

    The arrays are as large as ours: a batch of matrices does not fit the caches, which is part of its cost.
    """
    function, count = bench.reference.function(kernel), len(states)
    arguments = [bench.reference.arguments(kernel, states[i]) for i in range(count)]
    if kernel.dropped:
        return sweep(function, arguments)
    if kernel.name == "momentum":  # a pin.Force, whose vector is the answer
        return storing_loop(lambda *args: function(*args).vector, arguments, [np.zeros((count, 6))])
    sample = bench.reference.unpack(kernel, function(*arguments[0]))
    outs = [np.zeros((count, *np.shape(x))) for x in sample]
    return storing_loop(function, arguments, outs)
