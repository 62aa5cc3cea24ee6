"""The equations of active contacts: solutions stay, and move as those of sweeps do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixvec.constraints.contacts.active_laws import active_solution
from sixvec.constraints.contacts.block_sweeps import Block, BlockTerms, own_mobility, sweep

JOINTS = 7


def problem(rng: Any) -> tuple[list[BlockTerms], Any]:
    """Contacts with one and two tangents, and with resistance to spin and roll, a stop, friction; free velocities."""
    kinds: list[tuple[Any, ...]] = [
        ("contact", 3), ("contact", 2), ("contact", 1), ("contact", 3, 1, 2), ("stop",), ("friction",),
    ]  # fmt: skip
    terms = []
    for kind in kinds:
        block = Block(kind[0], tuple(range(JOINTS)), *kind[1:])
        rows = rng.normal(size=(block.rows, JOINTS))
        law = {"contact": [0.1, 0.5, 0.2, 0.1], "stop": [-0.3, 0.4], "friction": [0.3]}[kind[0]]
        friction = law[1] if kind[0] == "contact" else 0.0
        terms.append(BlockTerms(block, rows.tolist(), law, own_mobility(block, rows.tolist(), friction)))
    return terms, 2.0 * rng.normal(size=JOINTS)


def swept(terms: list[BlockTerms], free: Any) -> tuple[Any, Any]:
    w, p = free.tolist(), [0.0] * sum(t.block.rows for t in terms)
    for _ in range(20000):
        if sweep(terms, w, p, 1.0) < 1e-15:
            break
    else:
        raise AssertionError("sweeps do not converge: another seed")
    return np.array(w), np.array(p)


@pytest.mark.parametrize("seed", [0, 1, *range(3, 12)])
def test_solutions_stay_and_move_with_free_velocities(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms, free = problem(rng)
    w, p = swept(terms, free)
    same, impulses = active_solution(terms, free, p, range(JOINTS))
    assert np.allclose(same, w, atol=1e-11) and np.allclose(impulses, p, atol=1e-9)
    change = 1e-6 * rng.normal(size=JOINTS)
    moved, _ = active_solution(terms, free + change, p, range(JOINTS))
    expected, _ = swept(terms, free + change)
    assert np.allclose((moved - w) * 1e6, (expected - w) * 1e6, atol=1e-5)
