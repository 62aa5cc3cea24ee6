"""Derivatives of programs, with structural zeros kept: forward, reverse, and whole Jacobians.

Derivative nodes are added to the graph of the program, so they share every subexpression with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.ops import OPS
from sixvec.compiler.program import Port, Program

Mode = Literal["forward", "reverse"]


class Differentiator:
    """The local derivatives of a list of nodes, computed once and used for every direction."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self._edges: dict[Node, list[tuple[Node, Operand]]] = {}
        for node in nodes:
            if node.op == "input":
                continue
            partials = OPS[node.op].partials(*node.args, node)
            self._edges[node] = [
                (a, d)
                for a, d in zip(node.args, partials, strict=True)
                if isinstance(a, Node) and d is not None and not (isinstance(d, float) and d == 0.0)
            ]

    def forward(self, seeds: Mapping[Node, Operand]) -> dict[Node, Operand]:
        """Tangents of all nodes for tangents of some; missing ones are zero."""
        tangent: dict[Node, Operand] = dict(seeds)
        for node in self.nodes:
            terms = [d * tangent[a] for a, d in self._edges.get(node, ()) if a in tangent]
            if terms:
                tangent[node] = sum(terms[1:], terms[0])
        return tangent

    def reverse(self, seeds: Mapping[Node, Operand]) -> dict[Node, Operand]:
        """Adjoints of all nodes for adjoints of some; missing ones are zero."""
        adjoint: dict[Node, Operand] = dict(seeds)
        for node in reversed(self.nodes):
            if node in adjoint:
                for a, d in self._edges.get(node, ()):
                    adjoint[a] = adjoint.get(a, 0.0) + d * adjoint[node]
        return adjoint


def jacobian(program: Program, wrt: str, mode: Mode = "forward") -> Program:
    """The program of ∂output/∂wrt for every output: shape (*output, *wrt).

    Forward mode costs about one program per entry of `wrt`, reverse mode one per entry of the outputs.
    """
    port = next(p for p in program.inputs if p.name == wrt)
    inputs = {node.source[1]: node for node in program.nodes if node.op == "input" and node.source[0] == wrt}
    if mode == "forward":
        directions: list[dict[Node, Operand]] = [{inputs[i]: 1.0} if i in inputs else {} for i in range(port.size)]
        return directional(program, directions, Port(wrt, port.shape))
    differentiator = Differentiator(program.nodes)
    results = []
    for entries in program.results:
        rows = [differentiator.reverse({x: 1.0}) if isinstance(x, Node) else {} for x in entries]
        results.append(tuple(row.get(inputs[i], 0.0) if i in inputs else 0.0 for row in rows for i in range(port.size)))
    return _derived(program, Port(wrt, port.shape), results)


def directional(program: Program, directions: Sequence[Mapping[Node, Operand]], wrt: Port) -> Program:
    """Derivatives along several directions, each given by tangents of the inputs; they form the last axes, `wrt`."""
    differentiator = Differentiator(program.nodes)
    tangents = [differentiator.forward(seeds) for seeds in directions]
    results = [
        tuple(t.get(x, 0.0) if isinstance(x, Node) else 0.0 for x in entries for t in tangents)
        for entries in program.results
    ]
    return _derived(program, wrt, results)


def _derived(program: Program, wrt: Port, results: Sequence[tuple[Operand, ...]]) -> Program:
    outputs = tuple(Port(f"d{p.name}_d{wrt.name}", p.shape + wrt.shape) for p in program.outputs)
    return Program(f"{program.name}_d{wrt.name}", program.inputs, outputs, tuple(results))
