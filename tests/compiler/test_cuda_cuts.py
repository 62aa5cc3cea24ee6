"""Cuts into sections move the fewest numbers, and shared memory is as large as what is spilled to it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import combinations

import pytest

import sixvec as sv
from sixvec.compiler.emit.cuda_cuts import PRICE, SPILLED, ends
from sixvec.compiler.emit.cuda_section import REGISTERS, SHARED, emit_section
from sixvec.compiler.emit.cuda_sections import sections
from sixvec.compiler.emit.cuda_tiles import WARP
from sixvec.compiler.emit.function import Function
from sixvec.compiler.graph import Node
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program, trace


def drawn(seed: int, length: int) -> Program:
    """Sums of two numbers that are known, mostly recent ones."""
    draw = random.Random(seed)

    def build(x: Sequence[Node]) -> list[tuple[Port, list[Node]]]:
        known = [*x]
        for k in range(length):
            a, b = (known[-1 - min(int(draw.expovariate(0.4)), len(known) - 1)] for _ in range(2))
            known.append(a * b + float(k + 2))
        return [(Port("y", (2,)), [known[-1], known[len(known) // 2]])]

    return trace("f", [Port("x", (3,))], build)


def moved(nodes: Sequence[Node], cuts: Sequence[int]) -> float:
    """Loads and stores, counted one by one."""
    home = {node: sum(i >= c for c in cuts) for i, node in enumerate(nodes)}
    loads = {(a, home[n]) for n in nodes for a in n.args if isinstance(a, Node) and home[a] < home[n]}
    return len(loads) + len({a for a, _ in loads}) + PRICE * len(cuts)


@pytest.mark.parametrize("seed", range(8))
def test_no_other_cuts_move_fewer_numbers(seed: int) -> None:
    nodes = drawn(seed, 6).nodes
    largest, count = 6, len(nodes)
    found = ends(nodes, [1] * count, largest, count)
    possible = [
        (*inner, count)
        for k in range(count)
        for inner in combinations(range(1, count), k)
        if max(b - a for a, b in zip((0, *inner), (*inner, count), strict=True)) <= largest
    ]
    assert tuple(found) in possible
    assert moved(nodes, found) == min(moved(nodes, cuts) for cuts in possible)


def test_sections_are_shorter_where_numbers_would_be_spilled() -> None:
    """All products of two numbers out of many: with few registers a long section loads each number again and again."""

    def products(x: Sequence[Node]) -> list[tuple[Port, list[Node]]]:
        return [(Port("y", ()), [sum((a * b for a in x for b in x[::-1]), 0.0 * x[0])])]

    nodes = trace("f", [Port("x", (20,))], products).nodes
    sizes = [1] * len(nodes)
    assert SPILLED > 2 and len(ends(nodes, sizes, 400, 8)) > len(ends(nodes, sizes, 400, 100))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_spilled_numbers_stay_within_shared_memory(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 8 if dtype == "float64" else 4
    monkeypatch.setitem(REGISTERS, dtype, 40)
    monkeypatch.setitem(SHARED, dtype, 64 * WARP * size)
    program = sv.load("panda").kernel("forward_dynamics_derivatives").program
    cut = sections(lowered(program, dtype), 1500)
    spilling = 0
    for k, section in enumerate(cut.each):
        code = emit_section(Function(program), section, k, cut.scratch_size, dtype)
        last = [int(n) for n in re.findall(r"tile_\)\[(\d+) \+ lane_\]", code.source)]
        if last:
            spilling += 1
            assert (max(last) + WARP) * size == code.shared_bytes
        assert code.shared_bytes <= SHARED[dtype] or not last
    assert spilling
