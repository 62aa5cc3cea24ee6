"""The order in which operations are emitted: angles first, and blocks of `guard` as regions behind a branch.

A guard has the meaning of `where`, but what only its first value needs is computed in a region that is skipped unless
some lane needs it.  Guards with the same condition share a region, unless one uses the result of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sixvec.compiler.emit.residence import Branches
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Program

SHORTEST_REGION = 24
"""Operations from which skipping pays for a branch that is predicted wrong now and then."""


@dataclass(eq=False)
class Region:
    """The guards of one condition; `body` computes what only their first values need."""

    condition: Node
    guards: list[Node]
    parent: Region | None = None
    body: list[Step] = field(default_factory=list)
    unread: frozenset[Node] = frozenset()
    """Those of its guards that nothing follows but a store, and only where the condition holds (`unread`)."""

    @property
    def joined(self) -> list[Node]:
        """The guards that have a value after the region."""
        return [guard for guard in self.guards if guard not in self.unread]

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else 1 + self.parent.depth


@dataclass(frozen=True, eq=False)
class Wraps:
    """Angles that are tested together for being huge."""

    nodes: list[Node]


Step = Node | Wraps | Region


@dataclass(frozen=True, eq=False)
class Branch:
    """The beginning of a region."""

    region: Region


@dataclass(frozen=True, eq=False)
class Join:
    """The end of a region, where its guards are known."""

    region: Region


FlatStep = Node | Wraps | Branch | Join


def flat(steps: Sequence[Step]) -> list[FlatStep]:
    """The steps one after the other, those of regions between their branch and their join."""
    flat_steps: list[FlatStep] = []
    for step in steps:
        flat_steps += [Branch(step), *flat(step.body), Join(step)] if isinstance(step, Region) else [step]
    return flat_steps


def results_of(step: FlatStep) -> list[Node]:
    """What is known after a step."""
    if isinstance(step, Node):
        return [step]
    return step.nodes if isinstance(step, Wraps) else step.region.joined if isinstance(step, Join) else []


def branches(steps: Sequence[FlatStep]) -> Branches:
    """The regions among these steps, and what must be in registers at each branch."""
    joins = {step.region: i for i, step in enumerate(steps) if isinstance(step, Join)}
    starts = {i: step.region for i, step in enumerate(steps) if isinstance(step, Branch)}
    skipped = {i: dict.fromkeys(guard.args[2] for guard in region.joined) for i, region in starts.items()}
    return Branches(
        {i: joins[region] for i, region in starts.items()},
        {i: [x for x in values if isinstance(x, Node)] for i, values in skipped.items()},
    )


def unread(program: Program) -> dict[Node, Node]:
    """The guards that are only results, and that nothing reads unless their condition holds: what is stored then.

    They have NaN as their second value (`sixvec.scalar.UNREAD`).  A guard that is the first value of such a one, of
    nothing else, and has NaN as well, is one of them.
    """
    uses: dict[Node, int] = {}
    for node in program.nodes:
        for a in node.args:
            if isinstance(a, Node):
                uses[a] = uses.get(a, 0) + 1
    stored: dict[Node, Node] = {}
    for x in {x for entries in program.results for x in entries if isinstance(x, Node) and x not in uses}:
        chain, value = [], x
        while value.op == "guard" and value.args[2] != value.args[2] and isinstance(value.args[1], Node):
            chain.append(value)
            value = value.args[1]
            if uses[value] > 1:
                break
        stored |= dict.fromkeys(chain, value)
    return stored


def schedule(program: Program, group_wraps: bool = True) -> list[Step]:
    """The operations in an order to emit them, with regions as one step.

    With `group_wraps`, all wraps of one depth form one group, as early as possible.
    """
    regions = _regions(program)
    homes = _homes(program, regions) if regions else {}
    if short := _short(program, regions, homes):
        regions = {guard: region for guard, region in regions.items() if region not in short}
        homes = _homes(program, regions)
    inside: dict[Region | None, list[Node]] = {None: []} | {region: [] for region in regions.values()}
    for node in program.nodes:
        inside[homes.get(node)].append(node)
    return _ordered(None, inside, regions, group_wraps)


def _regions(program: Program) -> dict[Node, Region]:
    """The region of each guard.  One is complete when the first of its results is used."""
    complete: dict[Node, Region] = {}
    growing: dict[Operand, Region] = {}
    for node in program.nodes:
        for a in node.args:
            if isinstance(a, Node) and a in complete:
                region = complete[a]
                if growing.get(region.condition) is region:
                    del growing[region.condition]
        if node.op == "guard":
            condition = node.args[0]
            assert isinstance(condition, Node)
            region = growing.setdefault(condition, Region(condition, []))
            region.guards.append(node)
            complete[node] = region
    return complete


def _homes(program: Program, regions: dict[Node, Region]) -> dict[Node, Region | None]:
    """The innermost region that contains all uses of each operation; None for the program itself."""
    for region in regions.values():
        region.parent = None
    results = (x for entries in program.results for x in entries if isinstance(x, Node))
    used: dict[Node, list[Region | None]] = {x: [None] for x in results}
    last = {region.guards[-1]: region for region in regions.values()}
    homes: dict[Node, Region | None] = {}
    for node in reversed(program.nodes):
        if node in last:  # all users of its guards come later in the program
            region = last[node]
            region.parent = _common([home for guard in region.guards for home in used.get(guard, [None])])
        region_of_guard = regions.get(node)
        home = _common(used.get(node, [None])) if region_of_guard is None else region_of_guard.parent
        homes[node] = home
        for k, a in enumerate(node.args):
            if type(a) is Node:
                used.setdefault(a, []).append(region_of_guard if region_of_guard is not None and k == 1 else home)
    return homes


def _common(regions: Sequence[Region | None]) -> Region | None:
    """The innermost region around all of these."""
    common = regions[0]
    for other in regions[1:]:
        while common is not other:
            if common is None or other is None:
                return None
            if common.depth >= other.depth:
                common = common.parent
            else:
                other = other.parent
    return common


def _short(program: Program, regions: dict[Node, Region], homes: dict[Node, Region | None]) -> set[Region]:
    """Regions with so few operations, those of regions inside them included, that a branch does not pay."""
    length = dict.fromkeys(regions.values(), 0)
    for node in program.nodes:
        home = homes.get(node)
        while home is not None:
            length[home] += node.op != "input"
            home = home.parent
    return {region for region, n in length.items() if n < SHORTEST_REGION}


def _ordered(
    region: Region | None, inside: dict[Region | None, list[Node]], regions: dict[Node, Region], group_wraps: bool
) -> list[Step]:
    """The steps of a region: its operations in program order, wraps of one depth together, regions as one step."""
    nodes = inside[region]
    steps: list[Step] = []
    done: set[Node] = set()

    def put(node: Node) -> None:
        inner = regions.get(node)
        if inner is None:
            done.add(node)
            steps.append(node)
        else:
            done.update(inner.guards)
            inner.body = _ordered(inner, inside, regions, group_wraps)
            steps.append(inner)

    def pull(node: Node) -> None:
        """Emit an operation now, and before it what it needs."""
        stack = [node]
        while stack:
            missing = [a for a in needs(stack[-1]) if a not in done]
            if missing:
                stack.extend(missing)
            elif (top := stack.pop()) not in done:
                put(top)

    if group_wraps and any(node.op == "wrap" for node in nodes):
        needs = _Needs(nodes, inside, regions)
        for wraps in needs.levels(nodes):
            for wrap in wraps:
                for a in needs(wrap):
                    pull(a)
            done.update(wraps)
            steps.append(Wraps(wraps))
    for node in nodes:
        if node not in done and (node not in regions or node is regions[node].guards[-1]):
            put(node)
    return steps


class _Needs:
    """What each of some operations takes from the others; a guard what its whole region takes."""

    def __init__(
        self, nodes: Sequence[Node], inside: dict[Region | None, list[Node]], regions: dict[Node, Region]
    ) -> None:
        self._members, self._inside, self._regions = set(nodes), inside, regions
        guarded = dict.fromkeys(regions[node] for node in nodes if node in regions)
        self._of_region = {region: list(dict.fromkeys(self._outside(region))) for region in guarded}

    def __call__(self, node: Node) -> list[Node]:
        region = self._regions.get(node)
        return self._among(node) if region is None else self._of_region[region]

    def levels(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """The wraps by their depth: those of one depth do not depend on each other."""
        depth: dict[Node, int] = {}
        levels: dict[int, list[Node]] = {}
        for node in nodes:
            region = self._regions.get(node)
            if region is not None and node is not region.guards[-1]:
                continue  # known with the last guard of its region, before the first use
            level = max((depth[a] for a in self(node)), default=0) + (node.op == "wrap")
            depth |= dict.fromkeys([node] if region is None else region.guards, level)
            if node.op == "wrap":
                levels.setdefault(level, []).append(node)
        return [levels[k] for k in sorted(levels)]

    def _among(self, node: Node) -> list[Node]:
        return [a for a in node.args if type(a) is Node and a in self._members]

    def _outside(self, region: Region) -> Iterator[Node]:
        """Operations that a region and those inside it use but do not contain."""
        for guard in region.guards:
            yield from self._among(guard)
        for node in self._inside[region]:
            inner = self._regions.get(node)
            yield from self._among(node)
            if inner is not None and inner.guards[-1] is node:
                yield from self._outside(inner)
