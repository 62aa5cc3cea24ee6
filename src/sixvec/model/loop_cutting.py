"""From a graph of joints to a spanning tree and the joints to cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.errors import ModelError
from sixvec.model.body import WORLD

_MOST_NAMES_SHOWN = 10

Connection = tuple[str | None, str | None]


@dataclass(frozen=True)
class SpanningTree:
    """The joints of a mechanism by index: those of the tree, outward, and those cut."""

    tree: tuple[int, ...]
    cuts: tuple[int, ...]
    parents: dict[str, str | None]
    """The parent of each body in the tree, parents before children."""


def spanning_tree(joints: Sequence[Connection], prefer_cut: Sequence[int] = ()) -> SpanningTree:
    """Cut every loop once, so that there is one path from the world to each body (Bruyninckx §5.3.7).

    Breadth first, which keeps the branches short and limits the accumulation of errors along them.  Any choice
    describes the same mechanism; joints in `prefer_cut` (for example unactuated ones) are used for the tree only where
    no other joint is available.  The two ends of a joint may be given in any order: `parents` contains the inner one.

    >>> four_bar = [(None, "crank"), ("crank", "coupler"), (None, "rocker"), ("rocker", "coupler")]
    >>> spanning_tree(four_bar).cuts, spanning_tree(four_bar, prefer_cut=[1]).cuts
    ((3,), (1,))
    """
    around: dict[str | None, list[int]] = {WORLD: []}
    for i, ends in enumerate(joints):
        for name in ends:
            around.setdefault(name, []).append(i)
    parents: dict[str, str | None] = {}
    tree: list[int] = []
    late: deque[tuple[str | None, int]] = deque()
    soon: deque[tuple[str | None, int]] = deque((WORLD, i) for i in around[WORLD])
    avoided = set(prefer_cut)
    while soon or late:
        here, i = soon.popleft() if soon else late.popleft()
        if i in avoided:
            avoided.discard(i)
            late.append((here, i))
            continue
        a, b = joints[i]
        there = b if a == here else a
        if there is WORLD or there in parents:
            continue
        parents[there] = here
        tree.append(i)
        soon.extend((there, j) for j in around[there])
    lost = [name for name in around if name is not WORLD and name not in parents]
    if lost:
        shown = ", ".join(lost[:_MOST_NAMES_SHOWN]) + (", …" if len(lost) > _MOST_NAMES_SHOWN else "")
        raise ModelError(f"no joint connects these bodies with the world: {shown}; add one, a free one if they float")
    used = set(tree)
    return SpanningTree(tuple(tree), tuple(i for i in range(len(joints)) if i not in used), parents)
