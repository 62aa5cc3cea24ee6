"""Which values stay in registers, and where the others are spilled.

In a program without branches the next use of each value is known.  So the optimal choice is known as well: when
registers run out, the value whose next use is farthest is spilled (Belady 1966).  A value that would be spilled again
first is used from memory without entering a register.  LLVM's own allocator must handle all kinds of code; on long
programs it moves more, takes longer, and addresses its stack with longer instructions than those that reach near a base
pointer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sixvec.compiler.graph import Node

REGISTERS = 26
"""Values kept at a time: 32 registers, less some for constants and for LLVM's own use."""

PLANNED_BYTES = 64
"""Vectors whose residence is planned; for shorter ones the choice is left to LLVM, for single numbers if the
program is short."""

PLANNED_LENGTH = 4000
"""Operations on single numbers from which LLVM's own allocator takes longer than the rest of the compilation."""


def registers(operations: int, width: int, size: int) -> int:
    """Values that a program of so many operations, on vectors of that width and size in bytes, keeps at a time."""
    planned = size == PLANNED_BYTES or (width == 1 and operations >= PLANNED_LENGTH)
    return REGISTERS if planned else operations


COMPARISON = "lt"


@dataclass(frozen=True)
class Residence:
    """Before step i of a program, the nodes of `loads[i]` are loaded from memory, each from its slot."""

    loads: Sequence[Sequence[Node]]
    slots: dict[Node, int]

    @property
    def size(self) -> int:
        return max(self.slots.values(), default=-1) + 1


@dataclass(frozen=True)
class Branches:
    """The regions of a sequence of steps: code that may be skipped."""

    exits: Mapping[int, int] = field(default_factory=dict)
    """The last step of each region, by the step before its first: there the branch is."""
    needed: Mapping[int, Sequence[Node]] = field(default_factory=dict)
    """What must be in registers at a branch, since it is the result if the region is skipped."""


def residence(
    steps: Sequence[Sequence[Node]], registers: int, ends: Container[int] = (), branches: Branches | None = None
) -> Residence:
    """Decide for steps that compute one or several nodes each.  Inputs have no slots: they stay in their arrays.

    After the steps in `ends` nothing stays in registers: a function ends there.  What a region of `branches` loads
    is not in registers after it.
    """
    branches = branches or Branches()
    arguments = [[*branches.needed.get(i, ()), *_arguments(step)] for i, step in enumerate(steps)]
    uses: dict[Node, deque[int]] = {node: deque() for step in steps for node in step}
    for i, needed in enumerate(arguments):
        for a in needed:
            uses[a].append(i)
    next_use: dict[Node, int] = {}  # what is in registers, and when it is used next
    open_regions: list[tuple[int, set[Node]]] = []  # where each ends, and what has been in registers since its branch

    def keep(node: Node) -> None:
        if not uses[node]:
            return
        if len(next_use) >= registers:
            last = max(next_use, key=next_use.__getitem__)
            if next_use[last] <= uses[node][0]:
                return
            del next_use[last]
        next_use[node] = uses[node][0]

    loads: list[list[Node]] = []
    for i, (step, needed) in enumerate(zip(steps, arguments, strict=True)):
        loaded = [a for a in needed if a not in next_use]
        loads.append(loaded)
        for _, since in open_regions:
            since.difference_update(loaded)
        for a in needed:
            uses[a].popleft()
            next_use.pop(a, None)
        if open_regions and open_regions[-1][0] == i:
            _, since = open_regions.pop()
            next_use, needed = {a: use for a, use in next_use.items() if a in since}, [a for a in needed if a in since]
        for node in (*needed, *step):
            keep(node)
        if i in branches.exits:
            open_regions.append((branches.exits[i], set(next_use)))
        if i in ends:
            next_use.clear()
    return Residence(loads, _slots(steps, loads))


def part_ends(steps: Sequence[Sequence[Node]], length: int) -> list[int]:
    """The last step of each part of a program whose parts have about that length.

    No part ends between a comparison and its use: comparisons are never in memory.
    """
    uses = {a: i for i, step in enumerate(steps) for n in step for a in n.args if isinstance(a, Node)}
    ends: list[int] = []
    start = until = 0
    for i, step in enumerate(steps):
        until = max([until, *(uses.get(node, 0) for node in step if node.op == COMPARISON)])
        if i == len(steps) - 1 or (i - start >= length and until <= i):
            ends.append(i)
            start = i
    return ends


def _arguments(step: Iterable[Node]) -> list[Node]:
    """The numbers that a step needs.  Results of comparisons are excluded: they have separate registers."""
    arguments = (a for node in step for a in node.args if isinstance(a, Node) and a.op != COMPARISON)
    return list(dict.fromkeys(arguments))


def _slots(steps: Sequence[Sequence[Node]], loads: Sequence[Sequence[Node]]) -> dict[Node, int]:
    """A place in memory for each node that is loaded, from its step to its last load."""
    end = {node: i for i, nodes in enumerate(loads) for node in nodes if node.op != "input"}
    slots: dict[Node, int] = {}
    free: list[int] = []
    count = 0
    for step, loaded, i in zip(steps, loads, range(len(steps)), strict=True):
        for node in step:
            if node in end:
                if not free:
                    free, count = [count], count + 1
                slots[node] = free.pop()
        free += [slots[node] for node in loaded if end.get(node) == i]
    return slots
