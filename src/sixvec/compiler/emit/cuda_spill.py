"""Spilling to shared memory on a CUDA device, where a thread has too few registers for all values.

CUDA's compiler spills to local memory, which is device memory: large programs in double precision move more bytes there
than to and from their arrays.  Here the values whose next use is farthest are spilled to shared memory: to the columns
of results that are not known yet, of inputs that are no longer needed, and to a few more.  Inputs and results are read
from their own columns.  Values without a column are left to the compiler if they are few.  In sections of long programs
they have places in local memory: fewer loads and stores than the compiler would emit, and less time to compile.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from sixvec.compiler.emit.residence import COMPARISON, residence
from sixvec.compiler.graph import Node
from sixvec.compiler.program import Program

Column = tuple[int, int]
"""A port, inputs first, and a component of it; BEYOND and a number for columns beyond those of ports, LOCAL and a
number for those in local memory."""

BEYOND, LOCAL = -1, -2

EARLY, EARLY_FAR = 32, 96
"""Operations between a load and the first use: with the few warps of such a program, nothing else hides the wait.  The
second is for what is not in shared memory."""


@dataclass(frozen=True)
class SpillPlan:
    """Before step i of a program, the nodes of `loads[i]` are read from their columns."""

    loads: Sequence[Sequence[Node]]
    columns: dict[Node, Column]
    stored: frozenset[Node]
    """Those that must be written to their columns: inputs and results are there already."""
    without_memory: int
    """How many values found no column."""

    @property
    def extra(self) -> int:
        """The columns beyond those of ports."""
        return self._most(BEYOND)

    @property
    def local(self) -> int:
        """The columns in local memory."""
        return self._most(LOCAL)

    def _most(self, kind: int) -> int:
        return 1 + max((c for port, c in self.columns.values() if port == kind), default=-1)


def spill_plan(
    program: Program, registers: int, extra: int, far: Container[str] = (), local: bool = False
) -> SpillPlan:
    """The plan for a program of which so many values are in registers, with `extra` columns beyond those of ports.

    Ports in `far` are in device memory: they have no columns, and their numbers can be read again from there.  With
    `local`, no value is left without a column.

    >>> from sixvec.compiler.program import Port, trace
    >>> x = Port("x", (2,))
    >>> p = trace("f", [x], lambda x: [(Port("y", (2,)), [x[0] * x[1], (x[0] + x[1]) * (x[0] - x[1]) * (x[0] * x[1])])])
    >>> plan = spill_plan(p, 1, 0)
    >>> sorted((node.op, column) for node, column in plan.columns.items()), [node.op for node in plan.stored]
    ([('add', (1, 1)), ('input', (0, 1)), ('mul', (1, 0))], ['add'])
    """
    steps = [[node] for node in program.nodes]
    loads_of_step = residence(steps, registers).loads
    end = {a: i for i, nodes in enumerate(loads_of_step) for a in nodes if a.op != COMPARISON}
    column_of, spans = _spans(program, extra, far)
    outside = _in_device_memory(program, far)
    columns = {node: column_of[node] for node in end if node in column_of}
    free, later = set[Column](), dict[int, list[Column]]()
    free_local, used, without_memory = list[Column](), 0, 0
    for column, (first, _) in spans.items():
        later.setdefault(first, []).append(column)
    for i, node in enumerate(program.nodes):
        for column in later.pop(i, ()):
            (free_local.append if column[0] == LOCAL else free.add)(column)
        if node in end and node not in columns:
            fitting = [c for c in free if spans[c][1] >= end[node]]
            if fitting:
                chosen = min(fitting, key=lambda c: (spans[c][1], c))
                free.discard(chosen)
            elif node in outside:
                columns[node] = outside[node]
                continue
            elif not local:
                without_memory += 1
                continue
            else:
                chosen = free_local.pop() if free_local else (LOCAL, used)
                used = max(used, chosen[1] + 1)
            columns[node] = chosen
            later.setdefault(end[node], []).append(chosen)
    distance = {a: EARLY_FAR if c[0] == LOCAL or c == outside.get(a) else EARLY for a, c in columns.items()}
    loads = _early([[a for a in nodes if a in columns] for nodes in loads_of_step], program.nodes, distance)
    there = {node for node, column in columns.items() if column in (column_of.get(node), outside.get(node))}
    return SpillPlan(loads, columns, frozenset(columns) - there, without_memory)


def _in_device_memory(program: Program, far: Container[str]) -> dict[Node, Column]:
    ports = {p.name: k for k, p in enumerate(program.inputs)}
    inputs = (node for node in program.nodes if node.op == "input" and node.source[0] in far)
    return {node: (ports[node.source[0]], node.source[1]) for node in inputs}


def _early(loads: list[list[Node]], nodes: Sequence[Node], distance: dict[Node, int]) -> list[list[Node]]:
    """The loads some steps before they are needed, each after the computation and the load before it."""
    last = {node: i for i, node in enumerate(nodes)}
    early: list[list[Node]] = [[] for _ in loads]
    for i, step_loads in enumerate(loads):
        for a in step_loads:
            early[max(min(i, last[a] + 1), i - distance[a])].append(a)
            last[a] = i
    return early


def _spans(
    program: Program, extra: int, far: Container[str]
) -> tuple[dict[Node, Column], dict[Column, tuple[int, int]]]:
    """The columns of inputs and results, and from which step to which each column is free.

    That of an input is from its last use on, that of a result until it is known.
    """
    number = {node: i for i, node in enumerate(program.nodes)}
    ports, stop = {p.name: k for k, p in enumerate(program.inputs)}, len(number)
    used = {a: i for node, i in number.items() for a in node.args if isinstance(a, Node) and a.op == "input"}
    column_of: dict[Node, Column] = {}
    spans = {(BEYOND, c): (0, stop) for c in range(extra)}
    for x, last in used.items():
        if x.source[0] not in far:
            column_of[x] = column = (ports[x.source[0]], x.source[1])
            spans[column] = (last, stop)
    for k, (port, entries) in enumerate(zip(program.outputs, program.results, strict=True)):
        for j, entry in enumerate(() if port.name in far else entries):
            column = (len(ports) + k, j)
            spans[column] = (0, stop)
            if isinstance(entry, Node) and entry.op == "input":
                spans.pop(column_of.setdefault(entry, (ports[entry.source[0]], entry.source[1])), None)
            elif isinstance(entry, Node):
                column_of.setdefault(entry, column)
                spans[column] = (0, number[entry])
    return column_of, spans
