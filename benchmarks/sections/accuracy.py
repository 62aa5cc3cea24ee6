"""Accuracy: ours against Pinocchio, and single against double precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench import Bench
from contender import answer
from convention import scaled_error, worst
from kernels import KERNELS, Kernel
from result import Row
from selection import Selection
from state import Array, State
from targets import ACCURACY, FLOAT32_ACCURACY

SECTION = "accuracy"
COUNT = 64


def rows(bench: Bench, selection: Selection) -> Iterator[Row]:
    """Two rows per kernel; the worst of 64 states, scaled by the largest entry of each answer."""
    if bench.ours is None:
        return
    for kernel in KERNELS.values():
        if not selection.wants(SECTION, bench.robot.name, kernel.name) or not bench.offers(kernel):
            continue
        try:
            yield from _rows(bench, kernel, bench.states.first(COUNT))
        except Exception as error:  # a bug in one kernel must not end the run
            yield Row(SECTION, bench.robot.name, kernel.name, "error", None, ACCURACY, note=repr(error), failed=True)


def _rows(bench: Bench, kernel: Kernel, states: State) -> Iterator[Row]:
    reference = [answer(bench.reference, kernel, states[i]) for i in range(len(states))]
    single = [answer(bench.ours, kernel, states[i]) for i in range(len(states))]
    double = bench.ours.batch_answers(kernel, states)
    float32 = bench.ours.batch_answers(kernel, states, np.float32)
    error = worst((_worst(single, reference), _worst(double, reference)))
    yield Row(SECTION, bench.robot.name, kernel.name, "error", error, ACCURACY)
    error32 = _worst(float32, double)
    yield Row(SECTION, bench.robot.name, f"{kernel.name} (float32)", "error", error32, FLOAT32_ACCURACY)


def _worst(mine: list[list[Array]], reference: list[list[Array]]) -> float:
    return worst(scaled_error(x, y) for x, y in zip(mine, reference, strict=True))
