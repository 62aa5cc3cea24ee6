"""Long programs in sections, each of them a separate kernel on a CUDA device.

A compiler takes more than proportional time for long functions, and a multiprocessor waits for instructions that do
not fit into its cache.  So a long program is cut, as for the CPU (residence.py).  What a section computes and later
ones use is either in device memory, or computed again: moving a number to device memory and back takes as long as a
dozen operations.  Results are written in stretches of neighbours, each as soon as it is complete.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sixvec.compiler.emit.cuda_columns import Columns, columns_of
from sixvec.compiler.emit.cuda_cuts import SPILLED, ends, spilled
from sixvec.compiler.emit.cuda_limits import LONGEST, require_length
from sixvec.compiler.emit.residence import COMPARISON
from sixvec.compiler.graph import Graph, Node, Operand
from sixvec.compiler.program import Port, Program

LENGTH = 4000
"""Operations of the longest section, without those that are computed again: their code nearly fits into the instruction
cache."""

STRETCH = 70
"""Neighbouring results that are written together, whole rows of a matrix if they are shorter.  Column by column, what
they need is used once: rows of factors stay in registers."""

FEW, PRICE = 24, 16.0
"""Operations for which a number is computed again at most, and operations in the time of moving one."""

NEVER = frozenset({"input", "recip", "sqrt", "wrap"})
"""Operations that are not made again: they take many times as long as others."""

EARLY = 160
"""Operations between the load of a number from device memory and its first use."""

PUT = "put"
"""The operation that writes a stretch of results: its arguments are those that were known before the last stretch was
written.  The others are stored as soon as they are known."""

SCRATCH, RESULTS, KEPT = "numbers in device memory", "results of a section", "numbers for later sections"
PUTS = "stretches of results"
"""Ports of sections; no port of a program has a name with spaces."""


@dataclass(frozen=True)
class Stretch:
    """Neighbouring components of an output, from `first` on."""

    output: int
    first: int
    entries: tuple[Operand, ...]


@dataclass(frozen=True)
class Section:
    """A part of a program as a program: its input is the scratch memory, for the first section all inputs."""

    program: Program
    stretches: dict[Node, Stretch]
    """What each of its put operations writes, in order."""
    columns: tuple[int, ...]
    """The place in its stretch of each result that is known shortly before the stretch is written."""
    slots: tuple[int, ...]
    """The place in scratch memory of each number that it keeps for later sections."""


@dataclass(frozen=True)
class Sections:
    """A program in sections."""

    each: tuple[Section, ...]
    scratch_size: int
    """Numbers per sample in device memory."""
    columns: Columns | None = None
    """Results that are computed after the sections, columns by columns."""
    first_slot: int = 0
    """Where in scratch memory their numbers are."""


def sections(program: Program, length: int = LENGTH, most: int = 336, dtype: str = "float64") -> Sections:
    """A lowered program in sections of at most that many operations, for threads that keep at most so many numbers.

    >>> from sixvec.compiler.program import trace
    >>> p = trace("f", [Port("x", (2,))], lambda x: [(Port("y", (2,)), [(x[0] + x[1]) * x[1], 1.0 / x[0] - x[1]])])
    >>> cut = sections(p, 6)
    >>> [[node.op for node in s.program.nodes] for s in cut.each], cut.scratch_size
    ([['input', 'input', 'add', 'mul', 'recip', 'sub'], ['input', 'input', 'put']], 2)
    """
    require_length(program, LONGEST, "call it with NumPy arrays, or ask for fewer results at once")
    columns = columns_of(program, dtype)
    program, needed = _before(program, columns)
    tried = [_made(program, _cut(nodes, length, most, needed), needed) for nodes in _orders(program, needed)]
    best = min(tried, key=lambda cut: _cost(cut, most))
    return replace(best, columns=columns, first_slot=best.scratch_size - len(needed))


def _before(program: Program, columns: Columns | None) -> tuple[Program, dict[Node, None]]:
    """What is computed before the columns, and the numbers that they need."""
    if columns is None:
        return program, {}
    graph = program.nodes[0].graph
    numbers = [x if sign > 0 else graph.intern("neg", x) for sign, x in columns.numbers]
    later = {family.output for family in columns.families}
    results = tuple(() if k in later else entries for k, entries in enumerate(program.results))
    needed = dict.fromkeys(x for x in numbers if isinstance(x, Node))
    outputs = (*program.outputs, Port(KEPT, (len(needed),)))
    return Program(program.name, program.inputs, outputs, (*results, tuple(needed))), needed


@dataclass(frozen=True)
class _Cut:
    """What a section computes first, what it has from before, and what of that it computes again."""

    local: Sequence[Node]
    loaded: dict[Node, None]
    """In the order in which they are found: the same source in every process is compiled once."""
    again: set[Node]


def _cost(cut: Sections, most: int) -> float:
    """Numbers moved, by sections that keep at most so many; operations are at their price."""
    return sum(
        sum(1 if node.op == "input" else 1 / PRICE for node in section.program.nodes)
        + len(section.slots)
        + SPILLED * max(spilled(section.program.nodes, max(8, most - _tile(section))))
        for section in cut.each
    )


def _tile(section: Section) -> int:
    """Columns of shared memory for results, at most as many as a thread has."""
    return max((len(stretch.entries) for stretch in section.stretches.values()), default=0)


def _orders(program: Program, needed: Collection[Node]) -> Iterator[list[Node]]:
    """The order of the program, that of the results from the last one on, and the latter after what they share.

    Inputs are first, with angles, which are reduced together.
    """
    angles = [n for n in program.nodes if n.op == "wrap" and isinstance(n.args[0], Node) and n.args[0].op == "input"]
    first = dict.fromkeys([*(n for n in program.nodes if n.op == "input"), *angles])
    puts = _puts(program)
    traced = [*first, *(n for n in program.nodes if n not in first)]
    number = {node: i for i, node in enumerate(traced)}
    yield sorted([*traced, *puts], key=lambda n: number[n] if n.op != PUT else _last(n, number))
    operands = [*needed, *(x for put in reversed(puts) for x in (*_by_columns(program, put), put))]
    yield [*first, *_needed_first(operands, set(first))]
    alone = _of_one(traced, puts)
    shared = [n for n in traced if n not in alone]
    yield [*shared, *_needed_first(operands, set(shared))]


def _puts(program: Program) -> list[Node]:
    """An operation for each stretch of results: its source is the number of the output and the first component."""
    graph, puts = Graph(), list[Node]()
    for k, (port, entries) in enumerate(zip(program.outputs, program.results, strict=True)):
        if port.name == KEPT:
            continue
        length = STRETCH // _width(port) * _width(port) or STRETCH
        for first in range(0, len(entries), length):
            puts.append(Node(graph, PUT, entries[first : first + length], len(puts), (str(k), first)))
    return puts


def _of_one(nodes: Sequence[Node], puts: Sequence[Node]) -> set[Node]:
    """Operations that a single stretch of results needs."""
    users: dict[Node, set[int]] = {}
    for k, put in enumerate(puts):
        for x in put.args:
            if isinstance(x, Node):
                users.setdefault(x, set()).add(k)
    for node in reversed(nodes):
        mine = users.setdefault(node, set())
        for a in node.args:
            if isinstance(a, Node):
                theirs = users.setdefault(a, set())
                if len(theirs) < 2:
                    theirs |= mine
    return {node for node in nodes if len(users[node]) < 2 and node.op != "input"}


def _width(port: Port) -> int:
    return port.shape[-1] if port.shape else 1


def _by_columns(program: Program, put: Node) -> Iterator[Operand]:
    """The results of a stretch, column by column if it is made of whole rows."""
    width = _width(program.outputs[int(put.source[0])])
    for column in range(width):
        yield from put.args[column::width]


def _last(put: Node, number: dict[Node, int]) -> float:
    return 0.5 + max((number[x] for x in put.args if isinstance(x, Node)), default=len(number))


def _needed_first(entries: Iterable[Operand], done: set[Node], leaves: Container[Node] = ()) -> Iterator[Node]:
    """The operations of the entries, each as late as it is needed, without those that are done; leaves need nothing."""
    for entry in entries:
        stack = [entry] if isinstance(entry, Node) else []
        while stack:
            top = stack[-1]
            missing = [a for a in top.args if isinstance(a, Node) and a not in done] if top not in leaves else []
            if missing:
                stack += reversed(missing)
                continue
            node = stack.pop()
            if node not in done:
                done.add(node)
                yield node


def _cut(nodes: Sequence[Node], length: int, most: int, needed: Collection[Node]) -> list[_Cut]:
    """The sections of an order: each result that is written counts as an operation, too."""
    number = {node: i for i, node in enumerate(nodes)}
    sizes = [1 + len(node.args) if node.op == PUT else 1 for node in nodes]
    stored, cuts, start = set(needed), list[_Cut](), 0
    for end in ends(nodes, sizes, length, most, needed):
        cuts.append(_slice(nodes[start:end], number, start, stored))
        start = end
    return cuts


def _slice(nodes: Sequence[Node], number: dict[Node, int], start: int, stored: set[Node]) -> _Cut:
    """The section of these operations; `kept` are the numbers in device memory, to which it adds."""
    cut = _Cut(nodes, {}, set())
    before = {a for node in nodes for a in node.args if isinstance(a, Node) and number[a] < start}
    for x in sorted(before, key=number.__getitem__):
        _bring(x, cut, stored)
    return cut


def _bring(x: Node, cut: _Cut, stored: set[Node]) -> None:
    """Have a number of an earlier section: again, or from device memory.

    What is there already costs one load, other numbers a store, too.
    """
    if x in cut.again or x in cut.loaded:
        return
    if x.op == COMPARISON:  # never in memory
        cut.again.add(x)
        for a in x.args:
            if isinstance(a, Node):
                _bring(a, cut, stored)
        return
    operations, leaves = _recipe(x, cut, stored)
    loads = sum(1 if y in stored else 2 for y in leaves)
    if operations and loads + len(operations) / PRICE < (1 if x in stored else 2):
        cut.again.update(operations)
        cut.loaded.update(leaves)
        stored.update(leaves)
    else:
        cut.loaded[x] = None
        stored.add(x)


def _recipe(x: Node, cut: _Cut, stored: set[Node]) -> tuple[set[Node], dict[Node, None]]:
    """The operations that make x from what the section has and from what is loaded; none if they are too many."""
    operations, leaves, pending = set[Node](), dict[Node, None](), [x]
    while pending:
        node = pending.pop()
        if node in cut.again or node in cut.loaded or node in operations or node in leaves:
            continue
        if node is not x and (node.op == "input" or node in stored):
            leaves[node] = None
            continue
        operations.add(node)
        if len(operations) > FEW or node.op in NEVER:
            return set(), {}
        pending += [a for a in node.args if isinstance(a, Node)]
    return operations, leaves


def _made(program: Program, cuts: Sequence[_Cut], needed: Collection[Node]) -> Sections:
    """The sections as programs; the numbers that columns need are in the last places of scratch memory."""
    home = {node: k for k, cut in enumerate(cuts) for node in cut.local}
    slots = _slots(cuts, home, needed)
    first = max(slots.values(), default=-1) + 1
    slots |= {node: first + i for i, node in enumerate(needed)}
    scratch_size = first + len(needed)
    inputs = [program.inputs, *[(Port(SCRATCH, (scratch_size,)),)] * (len(cuts) - 1)]
    each = (_section(program.name, ports, cut, slots) for ports, cut in zip(inputs, cuts, strict=True))
    return Sections(tuple(each), scratch_size)


def _slots(cuts: Sequence[_Cut], home: dict[Node, int], needed: Collection[Node]) -> dict[Node, int]:
    """A place in scratch memory for each number that is loaded.  No section stores where it loads from."""
    last = {node: k for k, cut in enumerate(cuts) for node in cut.loaded if node not in needed}
    stored: list[list[Node]] = [[] for _ in cuts]
    for node in last:
        stored[home[node]].append(node)
    slots, free, count = dict[Node, int](), list[int](), 0
    for k, cut in enumerate(cuts):
        for node in stored[k]:
            if not free:
                free, count = [count], count + 1
            slots[node] = free.pop()
        free += [slots[node] for node in cut.loaded if last.get(node) == k]
    return slots


def _section(name: str, inputs: tuple[Port, ...], cut: _Cut, slots: dict[Node, int]) -> Section:
    """One section: its own operations, those made again before their first use, loads earlier still."""
    graph, new, stretches = Graph(), dict[Operand, Operand](), dict[Node, Stretch]()
    stored = [node for node in cut.local if node in slots]
    fresh, direct = set[Operand](), list[tuple[Operand, int]]()  # since the last stretch was written
    for node in _sequence(cut, stored):
        if node in cut.loaded:
            new[node] = graph.input(SCRATCH, slots[node])
        elif node.op == "input":
            new[node] = graph.input(*node.source)
        else:
            entries = tuple([new.get(a, a) for a in node.args])
            args = tuple(a for a in entries if a not in fresh and isinstance(a, Node)) if node.op == PUT else entries
            table_node = graph.table[(len(graph.table),)] = Node(graph, node.op, args, len(graph.table))
            new[node] = table_node
            fresh.add(table_node)
            if node.op == PUT:
                stretches[table_node] = Stretch(int(node.source[0]), node.source[1], entries)
                direct += [(x, j) for j, x in enumerate(entries) if x in fresh]
                fresh.clear()
    outputs = (Port(RESULTS, (len(direct),)), Port(KEPT, (len(stored),)), Port(PUTS, (len(stretches),)))
    results = (tuple([x for x, _ in direct]), tuple([new[x] for x in stored]), tuple(stretches))
    columns, places = tuple([j for _, j in direct]), tuple([slots[node] for node in stored])
    return Section(Program(name, inputs, outputs, results), stretches, columns, places)


def _sequence(cut: _Cut, stored: Sequence[Node]) -> list[Node]:
    """The order of a section's operations."""
    computed = [node for node in cut.local if node.op != "input"]
    order = list(_needed_first((*computed, *stored), set(), cut.loaded))
    fetched = {node for node in order if node.op == "input" or node in cut.loaded}
    place = {node: i - (EARLY + 0.5 if node in fetched else 0.0) for i, node in enumerate(order)}
    return sorted(order, key=place.__getitem__)
