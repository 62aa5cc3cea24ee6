"""Batches: ours against Pinocchio's native batch, or a Python loop of Pinocchio's calls where it has none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench import CHECK_TOLERANCE, Bench
from contender import answer
from kernels import KERNELS, NATIVE_BATCH, Kernel
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from state import State
from targets import batch_target
from timing import Effort, interleaved, storing_loop

SECTION = "batch"
OURS = "sixvec"

ANSWER_BYTES = 2**28
"""Of all answers of one contender; the regressors of a humanoid's whole batch would not fit the memory."""


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """One row per kernel on one thread, and inverse dynamics on all cores."""
    for kernel in KERNELS.values():
        if selection.wants(SECTION, bench.robot.name, kernel.name) and bench.offers(kernel):
            yield _row(bench, kernel, effort, threads=1)
    cores = os.cpu_count() or 1
    if cores > 1 and selection.wants(SECTION, bench.robot.name, "inverse_dynamics"):
        yield _row(bench, KERNELS["inverse_dynamics"], effort, threads=cores)


def _row(bench: Bench, kernel: Kernel, effort: Effort, threads: int) -> Row:
    candidates: dict[str, Callable[[], object]] = {}
    told: dict[str, Any] = {}
    states = bench.states.first(ANSWER_BYTES // sum(x.nbytes for x in answer(bench.reference, kernel, bench.states[0])))
    if len(states) < len(bench.states):
        told["note"] = f"batch of {len(states)}"
    set_threads(threads)
    if bench.ours is not None:
        told["errors"] = {OURS: (error := bench.check_batch(kernel))}
        if error <= CHECK_TOLERANCE:
            candidates[OURS] = bench.ours.batch(kernel, states)
        else:
            told |= {"note": "ours differs from Pinocchio: not timed", "failed": True}
    if kernel.name in NATIVE_BATCH:
        candidates["Pinocchio native batch"] = bench.reference.native_batch(kernel, states, threads)
    else:
        candidates["Pinocchio loop"] = _pinocchio_loop(bench, kernel, states)
    seconds = {name: each / len(states) for name, each in interleaved(candidates, effort).items()}
    set_threads(1)
    target = batch_target(bench.robot.name, kernel.name) if threads == 1 else None
    label = kernel.name if threads == 1 else f"{kernel.name} ({threads} threads)"
    return timing_row(SECTION, bench.robot.name, label, seconds, OURS, target=target, **told)


def _pinocchio_loop(bench: Bench, kernel: Kernel, states: State) -> Callable[[], None]:
    """Calls over the batch that store their answers, as `Data` is overwritten by the next call.

    The arrays are as large as ours: a batch of matrices does not fit the caches, which is part of its cost.
    """
    function, count = bench.reference.function(kernel), len(states)
    arguments = [bench.reference.arguments(kernel, states[i]) for i in range(count)]
    if kernel.name == "momentum":  # a pin.Force, whose vector is the answer
        return storing_loop(lambda *args: function(*args).vector, arguments, [np.zeros((count, 6))])
    sample = bench.reference.unpack(kernel, function(*arguments[0]))
    outs = [np.zeros((count, *np.shape(x))) for x in sample]
    return storing_loop(function, arguments, outs)
