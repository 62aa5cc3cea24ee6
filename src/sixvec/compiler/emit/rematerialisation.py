"""Rematerialisation: values that are computed a second time instead of being kept.

Where a program has too many values for the registers, it is cut in two.  Of the values that the second part takes from
the first, those that follow from inputs and from the others by a few operations are computed again there: the same
operations, so the same bits.  The derivatives of forward dynamics, for one, use velocities and frames of all bodies
before and after the accelerations are known; kept, they would be most of what is spilled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.compiler.graph import Graph, Node, Operand
from sixvec.compiler.program import Program

CUTS = 16
"""Parts of a program between which cuts are tried."""

NEVER = ("recip", "sqrt")
"""Operations that take many times as long as the others."""


@dataclass(frozen=True)
class Rematerialised:
    """A program of which some values are computed twice."""

    program: Program
    fresh: frozenset[Node]
    """The first of them: a compiler that saw their operands would keep the earlier values after all."""


def rematerialised(program: Program, cut: int, few: int) -> Rematerialised:
    """The program whose operations from number `cut` on compute again what takes a few of them; if 0, as it is.

    >>> from sixvec.compiler.program import Port, trace
    >>> share = lambda x: [(Port("y", (1,)), [(x[0] * x[1]) * (1.0 / (x[0] * x[1] + 1.0))])]
    >>> p = trace("f", [Port("x", (2,))], share)
    >>> [node.op for node in p.nodes][2:], [node.op for node in rematerialised(p, 5, 2).program.nodes][2:]
    (['mul', 'add', 'recip', 'mul'], ['mul', 'add', 'recip', 'mul', 'mul'])
    """
    if not cut:
        return Rematerialised(program, frozenset())
    graph, again = Graph(), _again(program, cut, few)
    new: dict[Operand, Operand] = {}
    second: dict[Operand, Node] = {}

    def copy(node: Node, args: tuple[Operand, ...]) -> Node:
        if node.op == "input":
            return graph.input(*node.source)
        table_node = graph.table[(len(graph.table),)] = Node(graph, node.op, args, len(graph.table))
        return table_node

    def get(x: Operand) -> Operand:
        if x not in again:
            return new.get(x, x)
        assert isinstance(x, Node)
        if x not in second:
            second[x] = copy(x, tuple([get(a) for a in x.args]))
        return second[x]

    for i, node in enumerate(program.nodes):
        new[node] = copy(node, tuple([new.get(a, a) if i < cut else get(a) for a in node.args]))
    results = tuple(tuple([new.get(x, x) for x in entries]) for entries in program.results)
    copies = set(second.values())
    fresh = frozenset(node for node in copies if copies.isdisjoint(node.args))
    return Rematerialised(Program(program.name, program.inputs, program.outputs, results), fresh)


def _again(program: Program, cut: int, few: int) -> set[Operand]:
    """What the operations after the cut compute again: what they use, and what that takes."""
    number = {node: i for i, node in enumerate(program.nodes)}
    crossing = {a for node in program.nodes[cut:] for a in node.args if isinstance(a, Node) and number[a] < cut}
    stored, again = set[Node](), set[Operand]()
    for x in sorted(crossing, key=number.__getitem__):
        needed = _needed(x, stored, again, few)
        if needed is None:
            stored.add(x)
        else:
            again |= needed
    return again


def _needed(x: Node, stored: set[Node], again: set[Operand], few: int) -> set[Operand] | None:
    """The operations that compute x from inputs and from what is there; None if they are too many."""
    needed, pending = set[Operand](), [x]
    while pending:
        node = pending.pop()
        if node.op == "input" or node in stored or node in again or node in needed:
            continue
        needed.add(node)
        if len(needed) > few or node.op in NEVER:
            return None
        pending += [a for a in node.args if isinstance(a, Node)]
    return needed


def best_cut(program: Program, registers: int, few: int) -> int:
    """The cut after which the fewest values exceed the registers, summed over all steps."""
    length = len(program.nodes)
    tried = []
    for cut in range(max(1, length // CUTS), length, max(1, length // CUTS)):
        nodes = rematerialised(program, cut, few).program.nodes
        tried.append((_excess(nodes, registers), len(nodes), cut))
    return min(tried)[-1]


def _excess(nodes: Sequence[Node], registers: int) -> int:
    last = {a: i for i, node in enumerate(nodes) for a in node.args if isinstance(a, Node)}
    ends = [0] * len(nodes)
    for node, i in last.items():
        ends[i] += node.op != "input"
    live = excess = 0
    for node, ended in zip(nodes, ends, strict=True):
        live += (node.op != "input" and node in last) - ended
        excess += max(0, live - registers)
    return excess
