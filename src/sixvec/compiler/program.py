"""A program: named arrays in, named arrays out, scalar operations between."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from sixvec.collector import collector_paused
from sixvec.compiler.graph import BUILD, Graph, Node, Operand
from sixvec.errors import DtypeError
from sixvec.lazy import lazy


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
        live: set[Node] = set()
        stack = [x for entries in self.results for x in entries if type(x) is Node]
        while stack:
            node = stack.pop()
            if node not in live:
                live.add(node)
                stack += [a for a in node.args if type(a) is Node]
        return tuple(sorted(live, key=attrgetter("id")))

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

    def rebuild(self, rule: Callable[[Graph, Node, tuple[Operand, ...]], Operand]) -> Program:
        """A new program in a new graph: `rule` gives each node's replacement from its replaced arguments."""
        graph = Graph()
        new: dict[Node, Operand] = {}
        for node in self.nodes:
            if node.op == "input":
                new[node] = graph.input(*node.source)
            else:
                new[node] = rule(graph, node, tuple([new[a] if type(a) is Node else a for a in node.args]))
        results = tuple(tuple(new[x] if isinstance(x, Node) else x for x in entries) for entries in self.results)
        return Program(self.name, self.inputs, self.outputs, results)

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


def apply(graph: Graph, node: Node, args: tuple[Operand, ...]) -> Operand:
    """The same operation on new arguments: the default of a pass for nodes that it does not change."""
    return BUILD[node.op](*args)


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
    _require_numbers(name, graph, ports, results)
    return Program(name, tuple(inputs), ports, results)


def _require_numbers(
    name: str, graph: Graph, outputs: Sequence[Port], results: tuple[tuple[Operand, ...], ...]
) -> None:
    """Refuse comparisons but as conditions of `where`, and conditions that are not comparisons."""
    compared: set[Operand] = {node for node in graph.table.values() if node.op == "lt"}
    are_numbers, advice = compared.isdisjoint, "write where(x < 1.0, 1.0, 0.0) for the number"
    for port, entries in zip(outputs, results, strict=True):
        if not are_numbers(entries):
            raise DtypeError(f"{name}: {port.name} is a comparison, not a number; {advice}")
    for node in [node for node in graph.table.values() if node.op == "where" or not are_numbers(node.args)]:
        if node.op == "where" and node.args[0] not in compared:
            raise DtypeError(f"{name}: the condition of a where is a number; write where(x > 0.0, yes, no)")
        if node.op != "where" or not are_numbers(node.args[1:]):
            raise DtypeError(f"{name}: a comparison is an argument of {node.op}; {advice}")
