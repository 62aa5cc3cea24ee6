"""Programs as plain data, and back: numbers, names and indices, nothing that could be executed.

Constants are exact, operations keep their order, and a program that was read has the digest of the written one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sixvec.compiler.graph import Graph, Node, Operand
from sixvec.compiler.ops import OPS
from sixvec.compiler.program import Port, Program, require_numbers
from sixvec.errors import ArgumentError

MOST_ENTRIES = 1 << 26
"""Entries of one array, far more than any program has: sizes are products of numbers from a file."""


def as_data(program: Program) -> dict[str, Any]:
    """A program as lists of names, floats and, for results of earlier operations, their numbers.

    >>> from sixvec.compiler.program import Port, trace
    >>> double = trace("double", [Port("x", ())], lambda x: [(Port("y", ()), [x[0] * 2.0])])
    >>> as_data(double)["operations"]
    [['input', 'x', 0], ['mul', 0, 2.0]]
    """
    number = {node: i for i, node in enumerate(program.nodes)}

    def operand(x: Operand) -> int | float:
        return number[x] if isinstance(x, Node) else float(x)

    return {
        "name": program.name,
        "inputs": [[p.name, list(p.shape)] for p in program.inputs],
        "outputs": [[p.name, list(p.shape)] for p in program.outputs],
        "operations": [
            [node.op, *(node.source if node.op == "input" else map(operand, node.args))] for node in program.nodes
        ],
        "results": [[operand(x) for x in entries] for entries in program.results],
    }


def from_data(data: Any) -> Program:
    """The program that was written; data of any other form raise an error.

    >>> from sixvec.compiler.program import Port, trace
    >>> double = trace("double", [Port("x", ())], lambda x: [(Port("y", ()), [x[0] * 2.0])])
    >>> from_data(as_data(double)).digest == double.digest
    True
    """
    _require(isinstance(data, dict) and isinstance(data.get("name"), str), "it has no name")
    inputs, outputs = _ports(data.get("inputs")), _ports(data.get("outputs"))
    sizes, graph, nodes = {p.name: p.size for p in inputs}, Graph(), list[Node]()
    _require(len(sizes) == len(inputs), "two inputs have the same name")
    _require(bool(outputs), "it has no results")
    for entry in _list(data.get("operations")):
        _require(isinstance(entry, list) and bool(entry) and isinstance(entry[0], str), f"operation {len(nodes)}")
        nodes.append(_node(graph, nodes, sizes, entry))
    results = []
    for port, entries in zip(outputs, _list(data.get("results")), strict=False):
        _require(len(_list(entries)) == port.size, f"{port.name} has another number of entries")
        results.append(tuple(_operand(nodes, x) for x in entries))
    _require(len(results) == len(outputs), "it has another number of results")
    require_numbers(data["name"], graph, outputs, tuple(results))
    return Program(data["name"], inputs, outputs, tuple(results))


def _node(graph: Graph, nodes: Sequence[Node], sizes: dict[str, int], entry: Sequence[Any]) -> Node:
    op, *args = entry
    if op == "input":
        _require(len(args) == 2 and isinstance(args[0], str) and _is_index(args[1], sizes.get(args[0], 0)), f"{entry}")
        return graph.input(*args)
    _require(op in OPS and len(args) == OPS[op].arity, f"operation {op[:20]!r} with {len(args)} arguments")
    return graph.intern(op, *(_operand(nodes, x) for x in args))


def _operand(nodes: Sequence[Node], x: Any) -> Operand:
    if isinstance(x, float):
        return x
    _require(_is_index(x, len(nodes)), "an operation uses a later one")
    node: Node = nodes[x]
    return node


def _ports(data: Any) -> tuple[Port, ...]:
    ports = []
    for entry in _list(data):
        _require(isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str), "an array has no name")
        shape = _list(entry[1])
        _require(all(_is_index(n, MOST_ENTRIES) for n in shape) and math.prod(shape) < MOST_ENTRIES, "a shape")
        ports.append(Port(entry[0], tuple(shape)))
    return tuple(ports)


def _list(x: Any) -> list[Any]:
    _require(isinstance(x, list), "a list is missing")
    items: list[Any] = x
    return items


def _is_index(x: Any, count: int) -> bool:
    return type(x) is int and 0 <= x < count


def _require(right: bool, what: str) -> None:
    if not right:
        raise ArgumentError(f"this is not a program of sixvec: {what}")
