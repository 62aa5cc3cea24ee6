"""A tree as one long chain and its side branches, level by level."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sixvec.large_trees.constraint_force.namespace import Array
from sixvec.model import WORLD, Body


@dataclass(frozen=True)
class SideLevel:
    """Bodies at one distance from the main chain: rows `start` to `stop`.

    `parent` counts from 1 and 0 is the world; `children` lists, for every body of the level before, its children as
    rows of this level, padded with the row after the last.
    """

    start: int
    stop: int
    parent: Array
    children: Array


def tree_levels(bodies: Sequence[Body]) -> list[list[Body]]:
    """The main chain, then the bodies at distance one from it, distance two, and so on."""
    by_name = {b.name: b for b in bodies}
    depth: dict[str, int] = {}
    for b in bodies:
        depth[b.name] = 1 if b.parent is WORLD else depth[b.parent] + 1
    tip: str | None = max(depth, key=lambda name: depth[name])
    main: list[Body] = []
    while tip is not WORLD:
        main.append(by_name[tip])
        tip = main[-1].parent
    distance: dict[str | None, int] = {WORLD: 0} | {b.name: 0 for b in main}
    levels: list[list[Body]] = [main[::-1]]
    for b in bodies:
        if b.name in distance:
            continue
        distance[b.name] = distance[b.parent] + 1
        if distance[b.name] == len(levels):
            levels.append([])
        levels[distance[b.name]].append(b)
    return levels


def side_levels(levels: Sequence[Sequence[Body]]) -> tuple[SideLevel, ...]:
    """The levels after the first as arrays of rows."""
    row = {b.name: i for i, b in enumerate(b for level in levels for b in level)}
    levels_of_rows, start = [], len(levels[0])
    for before, level in pairwise(levels):
        parent = np.array([0 if b.parent is WORLD else row[b.parent] + 1 for b in level])
        levels_of_rows.append(SideLevel(start, start + len(level), parent, _children(before, level)))
        start += len(level)
    return tuple(levels_of_rows)


def _children(before: Sequence[Body], level: Sequence[Body]) -> Array:
    mine: dict[str | None, list[int]] = defaultdict(list)
    for i, b in enumerate(level):
        mine[b.parent].append(i)
    lists = [mine.get(b.name, []) for b in before]
    width = max(1, max(map(len, lists)))
    return np.array([children + [len(level)] * (width - len(children)) for children in lists])
