"""What a body costs: no compiling, bytes that do not depend on the others, and less than a microsecond a pass."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from rod_trees import state, tree

from sixvec.compiler.executable import Executable
from sixvec.large_trees import LargeTree, forward_dynamics, inverse_dynamics, mass_matrix_product, mass_matrix_solve

CALLS: dict[str, tuple[int, Callable[[LargeTree, Any, Any, Any], Any]]] = {
    "inverse dynamics": (2, inverse_dynamics),
    "forward dynamics": (3, forward_dynamics),
    "mass matrix product": (2, lambda large, q, v, x: mass_matrix_product(large, q, x)),
    "mass matrix solve": (3, lambda large, q, v, x: mass_matrix_solve(large, q, x)),
}
"""The number of passes, and the call."""


def test_a_longer_chain_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for _, call in CALLS.values():
        call(tree("chain", 10), *state(10))

    def raise_or_note(*args: Any, **options: Any) -> Any:
        raise AssertionError("compiled again")

    monkeypatch.setattr(Executable, "_artifact", raise_or_note)
    for _, call in CALLS.values():
        call(tree("chain", 1000), *state(1000))


def test_memory_is_linear() -> None:
    def peak(count: int) -> int:
        large, mine = tree("chain", count), state(count)
        forward_dynamics(large, *mine)
        tracemalloc.start()
        forward_dynamics(large, *mine)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    small, large = peak(10_000), peak(40_000)
    assert 3.9 < large / small < 4.1
    assert small / 10_000 < 1000  # bytes a body: some 60 numbers, and offsets of the pass under way


def seconds(call: Callable[[LargeTree, Any, Any, Any], Any], count: int) -> float:
    """Processor time, the best of five: one core, whoever else is busy on the machine."""
    large, mine = tree("chain", count), state(count)
    call(large, *mine)
    taken = []
    for _ in range(5):
        start = time.process_time()
        call(large, *mine)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_body_takes_less_than_a_microsecond_a_pass(name: str) -> None:
    passes, call = CALLS[name]
    each = seconds(call, 100_000) / 100_000 / passes
    assert each < 1e-6, f"{1e9 * each:.0f} ns"  # 100 to 200 ns are usual


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_time_is_linear(name: str) -> None:
    _, call = CALLS[name]
    short, long = seconds(call, 1000) / 1000, seconds(call, 100_000) / 100_000
    assert 0.1 < long / short < 2.0  # short chains pay for the call, long ones for the main memory
