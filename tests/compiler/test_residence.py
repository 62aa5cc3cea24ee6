"""Registers and the memory behind them: every value is where it is needed, and no more is kept than there is room."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sixvec
from sixvec.compiler.emit import llvm as emission
from sixvec.compiler.emit import residence as planning
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.emit.residence import PLANNED_BYTES, PLANNED_LENGTH, part_ends, residence
from sixvec.compiler.graph import Node
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Program
from sixvec.scalar import where


def steps_of(name: str) -> list[list[Node]]:
    return [[node] for node in sixvec.load("panda").kernel(name).program.nodes]


@pytest.mark.parametrize("registers", [3, 8, 26, 10_000])
def test_values_are_at_hand_when_they_are_used(registers: int) -> None:
    """Replay the program: what a step needs was loaded for it, or has not left the registers since it was known."""
    steps = steps_of("mass_matrix_inverse")
    found = residence(steps, registers)
    uses: dict[Node, list[int]] = {}
    for i, (node,) in enumerate(steps):
        for a in node.args:
            if isinstance(a, Node):
                uses.setdefault(a, []).append(i)
    memory: dict[int, Node] = {}
    held = [0] * len(steps)
    for i, ((node,), loads) in enumerate(zip(steps, found.loads, strict=True)):
        for loaded in loads:
            assert loaded.op == "input" or memory[found.slots[loaded]] is loaded
        if node in found.slots:
            memory[found.slots[node]] = node
        for since, use in pairwise([i, *uses.get(node, [])]):
            if node not in found.loads[use]:  # it stays in a register in between
                held[since:use] = [n + 1 for n in held[since:use]]
    assert max(held) <= registers
    assert bool(found.slots) == (registers < 10_000)


def test_the_value_needed_last_goes_first() -> None:
    @sixvec.compiled("x[3] -> y[1]")
    def chain(x: list[float]) -> list[float]:
        a, b, c = x[0] * 2.0, x[1] * 3.0, x[2] * 4.0
        return [((b + c) * b + c) * a]

    nodes = chain.program.nodes
    loads = residence([[node] for node in nodes], 3).loads
    again = [node for nodes in loads for node in nodes if node.op != "input"]
    a = next(node for node in nodes if node.op == "mul" and 2.0 in node.args)
    assert again == [a]


@pytest.mark.parametrize("name", ["inverse_dynamics_derivatives", "mass_matrix_inverse"])
def test_memory_is_used_with_vectors_of_512_bits_and_in_long_programs(name: str) -> None:
    program: Program = lowered(sixvec.load("panda").kernel(name).program, "float64")
    for lanes in (Lanes(1, "float64"), Lanes(2, "float64"), Lanes(4, "float64"), Lanes(8, "float64")):
        text = emit_llvm(program, lanes)
        planned = lanes.bytes == PLANNED_BYTES or (lanes.width == 1 and len(program.nodes) >= PLANNED_LENGTH)
        assert ("%spill = alloca" in text) == planned
        names = re.findall(r"^  (%\S+) = ", text.split("\n}\n")[0], re.MULTILINE)
        assert len(names) == len(set(names))


def test_long_programs_on_one_sample_compute_the_same_bits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    robot = sixvec.load("panda")
    q, v, a = (np.random.default_rng(i).normal(size=(3, 7)) for i in range(3))
    plain = robot.inverse_dynamics_derivatives(q[0], v[0], a[0])
    monkeypatch.setattr(planning, "PLANNED_LENGTH", 0)
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path / "planned"))
    planned = sixvec.load("panda").inverse_dynamics_derivatives(q[0], v[0], a[0])
    batch = robot.inverse_dynamics_derivatives(q, v, a)
    for one, other, many in zip(plain, planned, batch, strict=True):
        assert np.array_equal(one, other) and np.array_equal(one, many[0])


def test_comparisons_wait_in_registers_of_their_own() -> None:
    """Far from where it is made, and among more values than there are registers."""

    @sixvec.compiled("x[40] -> y[41]")
    def chosen(x: list[float]) -> list[float]:
        first, products = x[0] < x[1], [a * b for a in x for b in x]
        sums = [sum(products[i::40], 0.0) for i in range(40)]
        return [*sums, where(first, sums[0], sums[1])]

    x = np.random.default_rng(0).normal(size=(9, 40))
    y = chosen(x)
    assert (y[:, 40] == np.where(x[:, 0] < x[:, 1], y[:, 0], y[:, 1])).all()
    assert "%spill = alloca" in emit_llvm(lowered(chosen.program, "float64"), Lanes(8, "float64"))


def test_parts_of_a_long_program_compute_the_same_bits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Functions that pass everything through memory, for one sample and for lanes."""
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path))
    q, v, a = (np.random.default_rng(i).normal(size=(9, 7)) for i in range(3))
    whole = sixvec.load("panda").inverse_dynamics_derivatives(q, v, a)
    monkeypatch.setattr(emission, "PART", 100)
    monkeypatch.setattr(planning, "PLANNED_LENGTH", 0)
    monkeypatch.setenv("SIXVEC_CACHE_DIR", str(tmp_path / "parts"))
    robot = sixvec.load("panda")
    program = lowered(robot.kernel("inverse_dynamics_derivatives").program, "float64")
    for lanes in (Lanes(1, "float64"), Lanes(8, "float64")):
        assert emit_llvm(program, lanes).count("define internal void @body.part") > 10
    batch, one = robot.inverse_dynamics_derivatives(q, v, a), robot.inverse_dynamics_derivatives(q[0], v[0], a[0])
    for x, y, z in zip(whole, batch, one, strict=True):
        assert np.array_equal(x, y) and np.array_equal(x[0], z)


def test_no_part_ends_between_a_comparison_and_its_use() -> None:
    @sixvec.compiled("x[40] -> y[41]")
    def chosen(x: list[float]) -> list[float]:
        products = [a * b for a in x for b in x]
        first, sums = x[0] < x[1], [sum(products[i::40], 0.0) for i in range(40)]
        return [*sums, where(first, sums[0], sums[1]) + products[7]]

    steps = [[node] for node in chosen.program.nodes]
    compared = next(i for i, (node,) in enumerate(steps) if node.op == "lt")
    used = next(i for i, (node,) in enumerate(steps) if node.op == "where")
    ends = part_ends(steps, 100)
    assert used - compared > 200 and len(ends) >= 8 and ends[-1] == len(steps) - 1
    assert not any(compared <= end < used for end in ends)
    held = residence(steps, 26, ends)
    made = {node: i for i, (node,) in enumerate(steps)}
    for before, end in pairwise([-1, *ends]):
        known: set[Node] = set()
        for i in range(before + 1, end + 1):
            known.update(held.loads[i])
            assert all(a in known or a.op == "lt" for a in steps[i][0].args if isinstance(a, Node))
            known.add(steps[i][0])
    assert all(made[node] < i for i, nodes in enumerate(held.loads) for node in nodes)
