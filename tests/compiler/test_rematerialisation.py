"""Values computed a second time: the same operations, fewer values at a time."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler.emit.rematerialisation import best_cut, rematerialised
from sixvec.compiler.graph import Node
from sixvec.compiler.interpret import interpret
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Program


@pytest.fixture(scope="module")
def derivatives() -> Program:
    """Derivatives of forward dynamics, as they are emitted."""
    return lowered(sv.load("puma560").kernel("forward_dynamics_derivatives").program, "float64")


FEW = 6
"""Operations for which a value is computed again."""


def most_at_a_time(program: Program) -> int:
    last = {a: i for i, node in enumerate(program.nodes) for a in node.args if isinstance(a, Node)}
    made = {node: i for i, node in enumerate(program.nodes) if node.op != "input" and node in last}
    changes = np.zeros(len(program.nodes) + 1, int)
    for node, i in made.items():
        changes[i] += 1
        changes[last[node]] -= 1
    return int(changes.cumsum().max())


def test_a_cut_program_has_the_same_bits(derivatives: Program) -> None:
    rng = np.random.default_rng(1)
    state = {p.name: rng.normal(size=(5, p.size)) for p in derivatives.inputs}
    expected = interpret(derivatives, state)
    for cut in (1, len(derivatives.nodes) // 3, len(derivatives.nodes) // 2, len(derivatives.nodes)):
        for x, y in zip(interpret(rematerialised(derivatives, cut, FEW).program, state), expected, strict=True):
            assert np.array_equal(x, y)


def test_a_cut_lowers_what_is_kept(derivatives: Program) -> None:
    before = most_at_a_time(derivatives)
    cut = best_cut(derivatives, before // 2, FEW)
    found = rematerialised(derivatives, cut, FEW)
    assert most_at_a_time(found.program) <= 0.8 * before
    assert len(found.program.nodes) < 1.25 * len(derivatives.nodes)


def test_without_a_cut_a_program_stays_as_it_is(derivatives: Program) -> None:
    same = rematerialised(derivatives, 0, FEW)
    assert same.program is derivatives and not same.fresh


def test_what_takes_long_is_kept(derivatives: Program) -> None:
    found = rematerialised(derivatives, len(derivatives.nodes) // 2, FEW).program
    for slow in ("recip", "rint"):  # rint: sines, of more than FEW operations
        count = [sum(node.op == slow for node in p.nodes) for p in (derivatives, found)]
        assert count[0] == count[1] > 0, (slow, FEW)


def test_fresh_values_share_no_operand_with_recomputed_ones(derivatives: Program) -> None:
    """They are those from which a compiler would learn that a value is known."""
    found = rematerialised(derivatives, len(derivatives.nodes) // 2, FEW)
    twice: dict[tuple[object, ...], list[Node]] = {}
    for node in found.program.nodes:
        if node.op != "input":
            twice.setdefault((node.op, *node.args), []).append(node)
    equal = [group for group in twice.values() if len(group) > 1]
    assert equal and all(node in found.fresh for group in equal for node in group[1:])
