"""Where to cut a long order of operations into sections, so that few numbers pass through device memory.

A number is stored once if a section after its own uses it, and loaded once by each of those.  For a section that
begins at a and ends before b, the loads are the numbers of which one use (or the operation itself) is before a and the
next use is between a and b; the stores are those of its operations whose last use is not before b.  Both are counts of
points in rectangles, so sums over a table give them for all a and b, and the best cuts follow from the best cuts of
shorter beginnings (dynamic programming, Bellman 1957).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from sixvec.compiler.emit.residence import COMPARISON
from sixvec.compiler.graph import Node

STEPS = 64
"""Places for a cut in a section of the largest size."""

MOST_PLACES = 1500
"""Places for a cut in a program."""

PRICE = 8
"""Numbers that are moved in the time that one more section takes."""


SPILLED = 7.0
"""Numbers between sections that are moved in the time in which a section spills one and loads it again (on an H200)."""

STARTS = 8
"""Places from one start of a count of spilled numbers to the next."""


def ends(
    nodes: Sequence[Node], sizes: Sequence[int], largest: int, most: int, later: Container[Node] = ()
) -> list[int]:
    """The end of each section, none larger than that if its operations have these sizes, for the fewest numbers moved.

    A thread keeps at most so many numbers; others are spilled.  Those in `later` are needed after the end, too.

    >>> from sixvec.compiler.program import Port, trace
    >>> def f(x):
    ...     a = x[0] * x[1]  # two numbers are needed until here, then one
    ...     return [(Port("y", ()), [(((a + 1.0) * a + 2.0) * a + 3.0) * a])]
    >>> nodes = trace("f", [Port("x", (2,))], f).nodes
    >>> ends(nodes, [1] * len(nodes), 6, 10)
    [3, 9]
    """
    step = max(1, largest // STEPS, -(-len(nodes) // MOST_PLACES))
    places = np.minimum(np.arange(-(-len(nodes) // step) + 1) * step, len(nodes))
    size = np.concatenate([[0], np.cumsum(sizes)])[places]
    moved = _moved(nodes, step, len(places), later)
    reach = [int(np.searchsorted(size, s + largest, "right")) - 1 for s in size]
    for a in range(0, len(places), STARTS):
        until = reach[min(a + STARTS, len(places)) - 1]
        counts = np.array(list(spilled(nodes[places[a] : places[until]], most)))[places[a : until + 1] - places[a]]
        for start in range(a, min(a + STARTS, len(places))):
            moved[start, start : until + 1] += SPILLED * (counts[start - a :] - counts[start - a])
    best, before = np.zeros(len(places)), np.zeros(len(places), int)
    for b in range(1, len(places)):
        first = min(int(np.searchsorted(size, size[b] - largest)), b - 1)
        costs = best[first:b] + moved[first:b, b] + PRICE
        before[b] = first + int(costs.argmin())
        best[b] = costs.min()
    cuts, b = list[int](), len(places) - 1
    while b:
        cuts.append(int(places[b]))
        b = int(before[b])
    return cuts[::-1]


def spilled(nodes: Sequence[Node], most: int) -> Iterator[int]:
    """For each operation and the end, how many numbers were loaded again before, if so many are kept (residence.py)."""
    uses = dict[Node, list[int]]()
    for i in reversed(range(len(nodes))):
        for a in {a for a in nodes[i].args if isinstance(a, Node)}:
            uses.setdefault(a, []).append(i)
    kept, seen, farthest, count = dict[Node, int](), set[Node](), list[tuple[int, int, Node]](), 0
    pushed = 0
    for node in nodes:
        yield count
        needed = {a for a in node.args if isinstance(a, Node)}
        count += len((needed & seen) - kept.keys())
        seen |= needed
        seen.add(node)
        for a in needed:
            uses[a].pop()
            kept.pop(a, None)
        for a in (*needed, node):
            if uses.get(a):
                kept[a] = uses[a][-1]
                pushed += 1
                heappush(farthest, (-kept[a], pushed, a))
        while len(kept) > most:
            use, _, a = heappop(farthest)
            if kept.get(a) == -use:
                del kept[a]
    yield count


def _moved(nodes: Sequence[Node], step: int, count: int, later: Container[Node]) -> Any:
    """The numbers that a section from one place to another loads and stores."""
    uses, lives = np.zeros((count + 1, count + 1)), np.zeros((count + 1, count + 1))
    made, last = dict[Node, int](), dict[Node, int]()
    for i, node in enumerate(nodes):
        for a in {a for a in node.args if isinstance(a, Node) and a.op != COMPARISON}:
            uses[last[a] // step + 1, i // step + 1] += 1
            last[a] = i
        made[node] = last[node] = i
    for node, i in made.items():
        if node in later:
            lives[i // step + 1, count] += 1
        elif last[node] > i:
            lives[i // step + 1, last[node] // step + 1] += 1
    uses, lives = uses.cumsum(0).cumsum(1), lives.cumsum(0).cumsum(1)  # [a, b]: before a, and before b
    begin, end = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    loads = uses[begin, end] - uses[begin, begin]
    stores = (lives[end, count] - lives[begin, count]) - (lives[end, end] - lives[begin, end])
    return loads + stores
