"""How rows are shared: slices of whole vectors, bounded in work and in bytes, by as many threads as are useful."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sixvec.compiler import threads
from sixvec.compiler.memory import address, aligned, padded
from sixvec.errors import ArgumentError

MEGA = 1_000_000


class Recorder:
    """Helpers that are asked and never come."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def ask(self, rows: Any, count: int) -> None:
        self.asked.append(count)


@pytest.mark.parametrize(
    ("allowed", "n", "work", "bytes_", "width", "helpers", "step"),
    [
        (1, 100, 1, 8, 8, [], 104),
        (8, 100, 1, 8, 8, [], 104),
        (1, 0, 1, 8, 8, [], 0),
        (1, 100, 0, 0, 8, [], 104),
        (1, 40, 1000 * MEGA // 16, 8, 8, [], 16),
        (1, 40, 1000 * MEGA // 20, 8, 8, [], 24),
        (1, 40, 10_000 * MEGA, 8, 8, [], 8),
        (1, 40, 1, 6 * 2**20, 4, [], 16),
        (1, 40, 1, 7 * 2**20, 1, [], 13),
        (1, 40, 70 * MEGA, 8, 1, [], 14),
        (3, 30, MEGA, 8, 2, [2], 10),
        (3, 90, MEGA, 8, 2, [2], 30),
        (3, 29, MEGA, 8, 2, [1], 16),
        (3, 20, MEGA, 8, 2, [1], 10),
        (3, 19, MEGA, 8, 2, [], 20),
        (3, 63, MEGA, 8, 32, [], 64),
        (3, 64, MEGA, 8, 32, [1], 32),
    ],
)  # fmt: skip
def test_slices_and_helpers(
    allowed: int, n: int, work: int, bytes_: int, width: int, helpers: list[int], step: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """10 million operations are worth a thread; a slice has at most 1000 million of them, and 96 MiB."""
    recorder, seen = Recorder(), []
    monkeypatch.setattr(threads, "_threads", allowed)
    monkeypatch.setattr(threads, "_helpers", recorder)

    def rows(first: int, stop: int, cancelled: Callable[[], bool]) -> None:
        assert not cancelled()
        assert type(first) is type(stop) is int
        seen.append((first, stop))

    threads.share(rows, n, work, bytes_, width)
    assert recorder.asked == helpers
    assert seen == [(k, min(k + step, n)) for k in range(0, n, step or 1)]


def test_an_error_ends_the_work_and_is_raised() -> None:
    seen: list[int] = []

    def rows(first: int, stop: int, cancelled: Callable[[], bool]) -> None:
        seen.append(first)
        if first == 8:
            raise ZeroDivisionError

    threads.share(rows, 40, 10_000 * MEGA, 8, 40)
    with pytest.raises(ZeroDivisionError):
        threads.share(rows, 40, 1, 96 * 2**20, 8)
    assert seen == [0, 0, 8]


def test_doors_leave_long_work_to_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds: list[int] = []
    before = threads._threads
    monkeypatch.setattr(threads.call_stub, "most_work", bounds.append)
    try:
        assert threads.set_threads(2) == before
        assert threads.set_threads(1) == 2
        assert threads.set_threads(np.int64(1024)) == 1
        for bad in (0, -1, 1025, True, 1.5, "2", None):
            with pytest.raises(ArgumentError, match="threads"):
                threads.set_threads(bad)  # type: ignore[arg-type]
        assert threads.set_threads(before) == 1024
    finally:
        threads._threads = before
    assert bounds[:3] == [20 * MEGA, 62_500_000, 20 * MEGA]


def test_memory_begins_with_a_cache_line() -> None:
    assert [padded(n, 8) for n in (0, 1, 7, 8, 9, 16, 17)] == [0, 8, 8, 8, 16, 16, 24]
    for count in (0, 1, 63, 64, 65, 1000):
        memory = aligned(count)
        assert memory.shape == (count,) and not memory.any()
        assert count == 0 or address(memory) % 64 == 0
