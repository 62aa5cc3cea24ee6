"""A program: named arrays in, named arrays out, scalar operations between."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sixvec.collector import collector_paused
from sixvec.compiler.graph import BUILD, Graph, Node, Operand
from sixvec.compiler.ops import CHOICES, COMMUTATIVE, OPS
from sixvec.errors import DtypeError
from sixvec.lazy import lazy

Replacements: TypeAlias = "Mapping[Operand, Operand | None]"
Rule: TypeAlias = "Callable[[Graph, Node, Replacements], Operand | None]"


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output array of a program: its name and its shape without batch axes."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Program:
    """The result of a trace.  `results` holds, for each output, its entries in row-major order."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    results: tuple[tuple[Operand, ...], ...]

    @lazy
    def nodes(self) -> tuple[Node, ...]:
        """The operations that the results need, arguments before users, in the order they were traced."""
        live: set[Operand] = {x for entries in self.results for x in entries if type(x) is Node}
        if not live:
            return ()
        graph = next(x for x in live if type(x) is Node).graph
        nodes = list(graph.table.values())  # in the order of creation; another thread may be tracing a derivative
        for node in reversed(nodes):
            if node in live:
                live.update(node.args)
        return tuple([node for node in nodes if node in live])

    def count(self) -> dict[str, int]:
        """Operations by kind.  `add` counts additions and subtractions, `div` reciprocals; signs cost nothing extra.

        A fused multiply-add counts as the multiplication and the addition that it is.
        """
        spelled = {"sub": ("add",), "recip": ("div",), "fma": ("mul", "add")}
        counted: Counter[str] = Counter()
        for node in self.nodes:
            if node.op != "input":
                counted.update(spelled.get(node.op, (node.op,)))
        return dict(counted)

    def rebuild(self, changed: Mapping[Node, Rule]) -> Program:
        """A new program in a new graph, with these nodes replaced and the others copied, without new rewriting.

        A rule gets the graph, its node and the replacements so far, in which constants are absent.  It may return
        None for a node that no other than changed ones uses.
        """
        graph = Graph()
        new: dict[Operand, Operand | None] = {}
        get, pair = new.get, graph.pair
        for node in self.nodes:
            if node in changed:
                new[node] = changed[node](graph, node, new)
            elif len(node.args) == 2:
                (x, y), op = node.args, node.op
                a, b = get(x, x), get(y, y)
                if type(b) is Node and op in COMMUTATIVE and a.id > b.id:  # type: ignore[union-attr]
                    a, b = b, a
                new[node] = pair(op, a, b)  # type: ignore[arg-type]
            elif node.args:
                new[node] = graph.intern(node.op, *[get(x, x) for x in node.args])  # type: ignore[arg-type]
            else:
                new[node] = graph.input(*node.source)
        results = tuple(tuple([get(x, x) for x in entries]) for entries in self.results)
        return Program(self.name, self.inputs, self.outputs, results)  # type: ignore[arg-type]

    def on(self, values: Mapping[str, Sequence[Operand]]) -> list[list[Operand]]:
        """The same operations on other scalars, by the names of the inputs: the entries of each output."""
        new: dict[Operand, Operand] = {}
        for node in self.nodes:
            if node.op == "input":
                name, index = node.source
                new[node] = values[name][index]
            else:
                new[node] = _result(node.op, [new.get(x, x) for x in node.args])
        return [[new.get(x, x) for x in entries] for entries in self.results]

    def __str__(self) -> str:
        """One line per operation, numbered in program order."""
        number = {node: i for i, node in enumerate(self.nodes)}

        def show(x: object) -> str:
            return f"%{number[x]}" if isinstance(x, Node) else str(x)

        lines = [f"{self.name}({', '.join(f'{p.name}{list(p.shape)}' for p in self.inputs)})"]
        for node, i in number.items():
            args = f"{node.source[0]}[{node.source[1]}]" if node.op == "input" else ", ".join(map(show, node.args))
            lines.append(f"  %{i} = {node.op if node.op != 'input' else 'load'} {args}")
        for port, entries in zip(self.outputs, self.results, strict=True):
            lines.append(f"  {port.name} = [{', '.join(map(show, entries))}]")
        return "\n".join(lines)

    @lazy
    def digest(self) -> str:
        """A name for the meaning of this program: equal programs have equal digests in every process."""
        return hashlib.sha256(str(self).encode()).hexdigest()


def _result(op: str, args: Sequence[Operand]) -> Operand:
    """An operation on nodes and constants; on constants alone it is computed."""
    if any(type(x) is Node for x in args):
        return BUILD[op](*args)
    with np.errstate(all="ignore"):
        value: float = OPS[op].value(*args).item()
    return value


def trace(
    name: str,
    inputs: Sequence[Port],
    function: Callable[..., Iterable[tuple[Port, Sequence[Operand]]]],
) -> Program:
    """Run `function` on symbols: it gets one list of nodes per input and returns its ports with their entries."""
    graph = Graph()
    symbols = [[graph.input(port.name, i) for i in range(port.size)] for port in inputs]
    with collector_paused():
        outputs = list(function(*symbols))
    results = tuple(tuple(x if isinstance(x, Node) else float(x) for x in entries) for _, entries in outputs)
    ports = tuple(port for port, _ in outputs)
    require_numbers(name, graph, ports, results)
    return Program(name, tuple(inputs), ports, results)


def require_numbers(name: str, graph: Graph, outputs: Sequence[Port], results: tuple[tuple[Operand, ...], ...]) -> None:
    """Raise an error for comparisons but as conditions of `where`, and conditions that are not comparisons."""
    compared: set[Operand] = {node for node in graph.table.values() if node.op == "lt"}
    if not compared and all(node.op not in CHOICES for node in graph.table.values()):
        return
    are_numbers, advice = compared.isdisjoint, "write where(x < 1.0, 1.0, 0.0) for the number"
    for port, entries in zip(outputs, results, strict=True):
        if not are_numbers(entries):
            raise DtypeError(f"{name}: {port.name} is a comparison, not a number; {advice}")
    for node in [node for node in graph.table.values() if node.op in CHOICES or not are_numbers(node.args)]:
        if node.op in CHOICES and node.args[0] not in compared:
            raise DtypeError(f"{name}: the condition of a {node.op} is a number; write {node.op}(x > 0.0, yes, no)")
        if node.op not in CHOICES or not are_numbers(node.args[1:]):
            raise DtypeError(f"{name}: a comparison is an argument of {node.op}; {advice}")
