"""Values that wait in shared memory on a CUDA device, where a thread has too few registers for all of them.

A compiler keeps what exceeds the registers in local memory, which is device memory: large programs in double precision
move more bytes there than to and from their arrays.  Here the values whose next use is farthest wait in shared memory,
in the columns of results that are not known yet, of inputs that are no longer needed, and in a few more.  Inputs and
results are read from their own columns.  Values that find no place are left to the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.compiler.emit.residence import COMPARISON, residence
from sixvec.compiler.graph import Node
from sixvec.compiler.program import Program

Column = tuple[int, int]
"""A port, inputs first, and a component of it; BEYOND and a number for columns beyond those of ports."""

BEYOND = -1

EARLY = 32
"""Operations between a load and the first use: with the few warps of such a program, nothing else hides the wait."""


@dataclass(frozen=True)
class Waiting:
    """Before step i of a program, the nodes of `loads[i]` are read from their columns."""

    loads: Sequence[Sequence[Node]]
    columns: dict[Node, Column]
    stored: frozenset[Node]
    """Those that must be written to their columns: inputs and results are there already."""
    left: int
    """How many values found no column."""

    @property
    def extra(self) -> int:
        """The columns beyond those of ports."""
        return 1 + max((c for port, c in self.columns.values() if port == BEYOND), default=-1)


def waiting(program: Program, registers: int, extra: int) -> Waiting:
    """The plan for a program of which so many values are in registers, with `extra` columns beyond those of ports.

    >>> from sixvec.compiler.program import Port, trace
    >>> x = Port("x", (2,))
    >>> p = trace("f", [x], lambda x: [(Port("y", (2,)), [x[0] * x[1], (x[0] + x[1]) * (x[0] - x[1]) * (x[0] * x[1])])])
    >>> plan = waiting(p, 1, 0)
    >>> sorted((node.op, column) for node, column in plan.columns.items()), [node.op for node in plan.stored]
    ([('add', (1, 1)), ('input', (0, 1)), ('mul', (1, 0))], ['add'])
    """
    steps = [[node] for node in program.nodes]
    wanted = residence(steps, registers).loads
    end = {a: i for i, found in enumerate(wanted) for a in found if a.op != COMPARISON}
    own, spans = _spans(program, extra)
    columns = {node: own[node] for node in end if node in own}
    free, later = set[Column](), dict[int, list[Column]]()
    for column, (first, _) in spans.items():
        later.setdefault(first, []).append(column)
    for i, node in enumerate(program.nodes):
        free.update(later.pop(i, ()))
        if node in end and node not in columns:
            fitting = [c for c in free if spans[c][1] >= end[node]]
            if fitting:
                columns[node] = chosen = min(fitting, key=lambda c: (spans[c][1], c))
                free.discard(chosen)
                later.setdefault(end[node], []).append(chosen)
    loads = _early([[a for a in found if a in columns] for found in wanted], program.nodes)
    return Waiting(loads, columns, frozenset(columns) - frozenset(own), len(end.keys() - columns.keys()))


def _early(loads: list[list[Node]], nodes: Sequence[Node]) -> list[list[Node]]:
    """The loads some steps before they are needed, each after the computation and the load before it."""
    last = {node: i for i, node in enumerate(nodes)}
    early: list[list[Node]] = [[] for _ in loads]
    for i, found in enumerate(loads):
        for a in found:
            early[max(min(i, last[a] + 1), i - EARLY)].append(a)
            last[a] = i
    return early


def _spans(program: Program, extra: int) -> tuple[dict[Node, Column], dict[Column, tuple[int, int]]]:
    """The columns of inputs and results, and from which step to which each column is free.

    That of an input is from its last use on, that of a result until it is known.
    """
    number = {node: i for i, node in enumerate(program.nodes)}
    ports, stop = {p.name: k for k, p in enumerate(program.inputs)}, len(number)
    used = {a: i for node, i in number.items() for a in node.args if isinstance(a, Node) and a.op == "input"}
    own: dict[Node, Column] = {}
    spans = {(BEYOND, c): (0, stop) for c in range(extra)}
    for x, last in used.items():
        own[x] = column = (ports[x.source[0]], x.source[1])
        spans[column] = (last, stop)
    for k, entries in enumerate(program.results):
        for j, entry in enumerate(entries):
            column = (len(ports) + k, j)
            spans[column] = (0, stop)
            if isinstance(entry, Node) and entry.op == "input":
                spans.pop(own.setdefault(entry, (ports[entry.source[0]], entry.source[1])), None)
            elif isinstance(entry, Node):
                own.setdefault(entry, column)
                spans[column] = (0, number[entry])
    return own, spans
