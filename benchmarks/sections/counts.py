"""Operation counts of the Panda's compiled programs."""

from __future__ import annotations

from collections.abc import Iterator

from bench import Bench
from result import Row
from selection import Selection
from targets import COUNTS

SECTION = "counts"
ROBOT = "panda"


def rows(bench: Bench, selection: Selection) -> Iterator[Row]:
    """A row per kernel and kind of operation; sines and cosines in the note."""
    if bench.ours is None or bench.robot.name != ROBOT:
        return
    for kernel, targets in COUNTS.items():
        if not selection.wants(SECTION, ROBOT, kernel):
            continue
        count = bench.ours.robot.kernel(kernel).count()
        rest = ", ".join(f"{n} {op}" for op, n in sorted(count.items()) if op not in targets)
        for op, target in targets.items():
            yield Row(SECTION, ROBOT, f"{kernel}: {op}", "count", count.get(op, 0), target, note=f"also {rest}")
