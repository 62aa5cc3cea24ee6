"""Single calls from Python: ours against every peer."""

from __future__ import annotations

from collections.abc import Iterator

from bench import CHECK_TOLERANCE, Bench
from kernels import KERNELS, SINGLE, Kernel
from result import Row, timing_row
from selection import Selection
from targets import single_target
from timing import Effort, interleaved, sweep

SECTION = "single"
OURS = "sixvec"


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """One row per kernel; a contender whose answer differs from Pinocchio's is left out and named."""
    for name in SINGLE:
        if selection.wants(SECTION, bench.robot.name, name):
            yield _row(bench, KERNELS[name], effort)


def _row(bench: Bench, kernel: Kernel, effort: Effort) -> Row:
    contenders = {OURS: bench.ours} if bench.ours is not None else {}
    contenders |= {name: peer for name, peer in bench.peers.items() if peer.function(kernel) is not None}
    errors = {name: bench.check(contender, kernel) for name, contender in contenders.items()}
    right = {name: contender for name, contender in contenders.items() if errors[name] <= CHECK_TOLERANCE}
    candidates = {
        name: sweep(
            contender.function(kernel), [contender.arguments(kernel, bench.states[i]) for i in range(effort.pool)]
        )
        for name, contender in right.items()
    }
    seconds = {name: each / effort.pool for name, each in interleaved(candidates, effort).items()}
    wrong = ", ".join(sorted(set(contenders) - set(right)))
    note = f"not timed, answer differs: {wrong}" if wrong else ""
    told = {"errors": errors, "note": note, "failed": OURS in contenders and OURS not in right}
    target = single_target(bench.robot.name, kernel.name)
    return timing_row(SECTION, bench.robot.name, kernel.name, seconds, OURS, target=target, **told)
