"""Columns of results as one program: the same operations on the same numbers, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler.emit.cuda_column_steps import COPY, ENTRY, Argument, Family, Negative, Variable, common_order
from sixvec.compiler.emit.cuda_columns import columns_of
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.lower import lowered
from sixvec.compiler.program import Port, Program, trace

OPERATIONS: dict[str, Callable[..., float]] = {
    "fma": lambda a, b, c: a * b + c,
    "mul": lambda a, b: a * b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "abs": abs,
    "recip": lambda a: 1.0 / a,
    "rint": lambda a: float(np.rint(a)),
    "wrap": lambda a: a,
}


def numbers_of(program: Program) -> dict[Node, float]:
    """What each operation gives for random inputs."""
    rng, numbers = np.random.default_rng(0), dict[Node, float]()
    inputs = {p.name: rng.normal(size=p.size) for p in program.inputs}
    for node in program.nodes:
        args = [numbers[a] if isinstance(a, Node) else a for a in node.args]
        given = float(inputs[node.source[0]][node.source[1]]) if node.op == "input" else 0.0
        numbers[node] = OPERATIONS[node.op](*args) if node.op != "input" else given
    return numbers


def results_of(family: Family, column: int, numbers: Mapping[Operand, float]) -> dict[int, float]:
    """The components of the output that the steps of a column give."""
    values = dict[Variable, float]()

    def value(x: Argument) -> float:
        if isinstance(x, Negative):
            return -value(x.of)
        return values[x] if isinstance(x, Variable) else numbers.get(x, x)  # type: ignore[arg-type,return-value]

    for step in family.steps:
        if column in step.columns:
            if step.op == ENTRY:
                assert step.entries is not None
                sign, entry = step.entries[column]
                values[step.target] = sign * numbers[entry]
            else:
                args = [value(x) for x in step.args]
                values[step.target] = args[0] if step.op == COPY else OPERATIONS[step.op](*args)
    return {place: value(r.value) for r in family.results for place in r.places.get(column, ())}


@pytest.mark.parametrize(
    ("robot", "name"),
    [
        ("panda", "forward_dynamics_derivatives"),
        ("solo12", "forward_dynamics_derivatives"),
        ("solo12", "mass_matrix_inverse"),
    ],
)
def test_the_steps_of_a_column_are_its_operations(robot: str, name: str) -> None:
    program = lowered(sv.load(robot).kernel(name).program, "float64")
    columns = columns_of(program, "float64")
    assert columns is not None and columns.families
    numbers: dict[Any, float] = dict(numbers_of(program))
    for family in columns.families:
        entries = program.results[family.output]
        found: dict[int, float] = {}
        for column in range(family.count):
            found |= results_of(family, column, numbers)
        assert [found[k] for k in range(len(entries))] == [numbers.get(x, x) for x in entries]


def test_derivatives_without_a_common_factor_are_left_to_the_sections() -> None:
    program = lowered(sv.load("solo12").kernel("inverse_dynamics_derivatives").program, "float64")
    assert columns_of(program, "float64") is None


def test_a_product_of_matrices_needs_their_entries() -> None:
    """W B with lower triangular W: its entries are shared, those of B are the columns' own, and zeros are no steps."""
    n = 16

    def product(x: Any) -> Any:
        W, B = x[: n * n], x[n * n :]
        rows = [
            [sum((W[i * n + k] * B[k * n + j] for k in range(i)), B[i * n + j]) for j in range(n)] for i in range(n)
        ]
        return [(Port("y", (n, n)), [y for row in rows for y in row])]

    program = lowered(trace("product", [Port("x", (2 * n * n,))], product), "float64")
    columns = columns_of(program, "float64")
    assert columns is not None and len(columns.numbers) <= n * (n - 1) // 2 + n * n + 1
    (family,) = columns.families
    assert sum(step.op == "fma" for step in family.steps) == n * (n - 1) // 2


def test_an_order_of_all_lists() -> None:
    assert common_order(["ace", "abc", "de"]) in (list("abcde"), list("adbce"), list("abdce"), list("dabce"))
    assert common_order(["ab", "ba"]) is None and common_order(["aa"]) is None
