"""A program as device functions of C: a long one as several in a row, so that a compiler needs seconds for it.

Compilers take longer than linearly on long functions.  A program is cut where few numbers pass, blocks of `guard` are
kept whole as long as they fit, and longer ones become a branch around several functions.  Numbers that pass from part
to part are in memory, as inputs and results are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sixvec.compiler.emit.c import TYPES, guarded, literal
from sixvec.compiler.emit.cuda import LARGE_EXPRESSIONS, NOT_FINITE, Load, Store
from sixvec.compiler.emit.residence import COMPARISON
from sixvec.compiler.emit.schedule import Region, Step, Wraps, schedule
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Program

LARGEST = 2000
"""Operations of a part."""

AHEAD = 64
"""Numbers that are on their way from memory at a time."""

EARLIEST = 0.6
"""Of the largest part: from here on the place is chosen where the fewest numbers pass."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The value of a guard whose branch is around several parts."""

    guard: Node
    taken: bool

    @property
    def value(self) -> Operand:
        return self.guard.args[1 if self.taken else 2]


Unit = Node | Region | Choice


@dataclass(eq=False)
class Part:
    """One function."""

    units: list[Unit]


@dataclass(eq=False)
class Fork:
    """A branch: some parts if its condition holds, another if not."""

    region: Region
    taken: list[Piece]
    skipped: list[Piece]


Piece = Part | Fork


@dataclass
class Parts:
    """The parts of a program, and where the numbers between them are."""

    program: Program
    pieces: list[Piece]
    slots: dict[Node, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Numbers between parts."""
        return 1 + max(self.slots.values(), default=-1)


def parts(program: Program, largest: int = LARGEST) -> Parts:
    """The program, cut into parts of at most so many operations each, unless one alone is larger."""
    pieces = _pieces(schedule(program, group_wraps=False), largest)
    live = _live(pieces)
    made = Parts(program, _cut(pieces, largest, live))
    made.slots.update(_slots(made.pieces))
    return made


def _size(unit: Step | Choice) -> int:
    if isinstance(unit, Region):
        return sum(map(_size, unit.body)) + len(unit.guards)
    return int(isinstance(unit, Choice) or (isinstance(unit, Node) and unit.op != "input"))


def _pieces(steps: Sequence[Step | Choice], largest: int) -> list[Piece]:
    """One part between the regions that are too large for one."""
    pieces: list[Piece] = []
    units: list[Unit] = []
    for step in steps:
        assert not isinstance(step, Wraps)
        if not isinstance(step, Region) or _size(step) <= largest:
            units.append(step)
            continue
        pieces += [Part(units)] if units else []
        units = []
        inner = [*step.body, *(Choice(g, True) for g in step.guards)]
        skipped: list[Piece] = [Part([Choice(g, False) for g in step.guards])]
        pieces.append(Fork(step, _pieces(inner, largest), skipped))
    return [*pieces, Part(units)] if units else pieces


def _in_order(pieces: Sequence[Piece]) -> Iterator[Part | Fork]:
    """All parts and forks, each fork before what is in it."""
    for piece in pieces:
        yield piece
        if isinstance(piece, Fork):
            yield from _in_order(piece.taken)
            yield from _in_order(piece.skipped)


def _uses(unit: Unit | Fork) -> Iterator[Node]:
    """The numbers that a unit takes from others, but for inputs."""
    if isinstance(unit, Fork):
        operands: Sequence[Operand] = [unit.region.condition]
    elif isinstance(unit, Choice):
        operands = [unit.value]
    elif isinstance(unit, Region):
        inside = set(_inner(unit))
        operands = [x for node in (*inside, *unit.guards) for x in node.args if x not in inside]
    else:
        operands = unit.args
    yield from (x for x in operands if isinstance(x, Node) and x.op != "input")


def _inner(region: Region) -> Iterator[Node]:
    for step in region.body:
        if isinstance(step, Region):
            yield from _inner(step)
            yield from step.guards
        elif isinstance(step, Node):
            yield step


class _Load(str):
    """A line that reads memory which the function does not write."""


def _loads_first(lines: list[str]) -> list[str]:
    """Each load so many loads earlier: a compiler moves none of them across a store."""
    places = [k for k, line in enumerate(lines) if isinstance(line, _Load)]
    before: dict[int, list[str]] = {}
    for n, k in enumerate(places):
        before.setdefault(places[n - AHEAD] if n >= AHEAD else 0, []).append(str(lines[k]))
    moved = set(places)
    return [x for k, line in enumerate(lines) for x in (*before.get(k, ()), *([] if k in moved else [line]))]


def _results(unit: Unit) -> Sequence[Node]:
    if isinstance(unit, Choice):
        return [unit.guard]
    return unit.guards if isinstance(unit, Region) else [unit]


def _live(pieces: Sequence[Piece]) -> dict[Unit, int]:
    """How many numbers are needed later, after each unit."""
    order: list[Unit | Fork] = []
    for piece in _in_order(pieces):
        order += [piece] if isinstance(piece, Fork) else piece.units
    first: dict[Node, int] = {}
    last: dict[Node, int] = {}
    for k, unit in enumerate(order):
        for x in _uses(unit):
            last[x] = k
        for x in () if isinstance(unit, Fork) else _results(unit):
            first.setdefault(x, k)
    change = [0] * (len(order) + 1)
    for x, k in first.items():
        change[k] += 1
        change[max(k, last.get(x, k))] -= 1
    live: dict[Unit, int] = {}
    count = 0
    for unit, step in zip(order, change, strict=False):
        count += step
        if not isinstance(unit, Fork):
            live[unit] = count
    return live


def _cut(pieces: Sequence[Piece], largest: int, live: dict[Unit, int]) -> list[Piece]:
    """Parts that are not too large, each cut where the fewest numbers pass."""
    made: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Fork):
            made.append(Fork(piece.region, _cut(piece.taken, largest, live), _cut(piece.skipped, largest, live)))
            continue
        units = piece.units
        while units:
            size, best, fewest = 0, len(units), -1
            for k, unit in enumerate(units):
                size += _size(unit)
                if size > largest and fewest >= 0:
                    break
                if size >= EARLIEST * largest and (fewest < 0 or live[unit] <= fewest):
                    best, fewest = k + 1, live[unit]
            else:
                best = len(units) if size <= largest else best
            made.append(Part(units[:best]))
            units = units[best:]
    return made


def _slots(pieces: Sequence[Piece]) -> dict[Node, int]:
    """A place for each number that another part uses; places are used again when a number is needed no more."""
    order = list(_in_order(pieces))
    first: dict[Node, int] = {}
    last: dict[Node, int] = {}
    for k, piece in enumerate(order):
        units: Sequence[Unit | Fork] = [piece] if isinstance(piece, Fork) else piece.units
        for unit in units:
            for x in _uses(unit):
                if first.get(x, k) != k or isinstance(piece, Fork):
                    last[x] = k
            for x in () if isinstance(unit, Fork) else _results(unit):
                if x in first:  # the other value of a guard
                    last[x] = max(k, last.get(x, k))
                first.setdefault(x, k)
    ending: dict[int, list[Node]] = {}
    for x, k in last.items():
        ending.setdefault(k, []).append(x)
    beginning: dict[int, list[Node]] = {}
    for x, k in first.items():
        if x in last:
            beginning.setdefault(k, []).append(x)
    slots: dict[Node, int] = {}
    free: list[int] = []
    count = 0
    for k in range(len(order)):
        for x in beginning.get(k, ()):
            if free:
                slots[x] = free.pop()
            else:
                slots[x], count = count, count + 1
        free += [slots[x] for x in ending.get(k, ())]
    return slots


class PartWriter:
    """The statements of parts; `kept_` is the array of numbers between them."""

    def __init__(self, whole: Parts, dtype: str, load: Load, store: Store) -> None:
        self.whole, self.load = whole, load
        self.kind, self.suffix = TYPES[dtype]
        self._names = {node: f"t{i}" for i, node in enumerate(whole.program.nodes)}
        self._stores: dict[object, list[str]] = {}
        for k, entries in enumerate(whole.program.results):
            for j, x in enumerate(entries):
                known = x if isinstance(x, Node) and x.op != "input" else None
                self._stores.setdefault(known, []).append(f"  {store(k, j, self._show(x))}")

    def between(self, node: Node) -> str:
        """The place of a number between parts."""
        return f"kept_[{self.whole.slots[node]}]"

    def _show(self, x: object) -> str:
        return self._names[x] if isinstance(x, Node) else literal(x, self.suffix, NOT_FINITE)

    def _declared(self, x: Node) -> str:
        return "int" if x.op == COMPARISON else self.kind

    def lines(self, piece: Part) -> Iterator[str]:
        loaded: set[Node] = set()

        def loads(operands: Sequence[object]) -> Iterator[str]:
            for x in operands:
                if isinstance(x, Node) and x not in loaded:
                    loaded.add(x)
                    read = self.load(*x.source) if x.op == "input" else self.between(x)
                    yield _Load(f"  const {self._declared(x)} {self._show(x)} = {read};")

        def known(node: Node) -> Iterator[str]:
            loaded.add(node)
            if node in self.whole.slots:
                yield f"  {self.between(node)} = {self._show(node)};"
            yield from self._stores.get(node, ())

        def lines(units: Sequence[Step | Choice]) -> Iterator[str]:
            for unit in units:
                if isinstance(unit, Region):
                    yield from loads([unit.condition, *(guard.args[2] for guard in unit.guards)])
                    outside = set(loaded)
                    body = _loads_first([*lines(unit.body), *loads([guard.args[1] for guard in unit.guards])])
                    loaded.intersection_update(outside)  # what the block has read is unknown after it
                    yield from guarded(unit, self._show, self.kind, (f"  {line}" for line in body), "  ")
                    for guard in unit.guards:
                        yield from known(guard)
                elif isinstance(unit, Choice):
                    yield from loads([unit.value])
                    yield f"  const {self.kind} {self._show(unit.guard)} = {self._show(unit.value)};"
                    yield from known(unit.guard)
                elif isinstance(unit, Node) and unit.op != "input":
                    yield from loads(unit.args)
                    expression = LARGE_EXPRESSIONS[unit.op](self.suffix, *map(self._show, unit.args))
                    yield f"  const {self._declared(unit)} {self._show(unit)} = {expression};"
                    yield from known(unit)

        yield from _loads_first(list(lines(piece.units)))

    def rest(self) -> Iterator[str]:
        """Results that are constants or inputs."""
        if None not in self._stores:
            return
        yield "  {"
        entries = (x for row in self.whole.program.results for x in row if isinstance(x, Node) and x.op == "input")
        for x in dict.fromkeys(entries):
            yield f"  const {self.kind} {self._show(x)} = {self.load(*x.source)};"
        yield from self._stores[None]
        yield "  }"
