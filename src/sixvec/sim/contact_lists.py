"""The contacts that are near in a step, as lists of each sample: of many pairs that may touch, few do.

Blocks of contacts with the same rows are of one kind and have one program, whichever joints move them: entries have
their whitened rows with zeros for all other joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sixvec.constraints.contacts.block_sweeps import AWAY, Block, BlockTerms
from sixvec.kernels import Packing, PackingItem, PackingKind, Port
from sixvec.sim.impulse_problem import ImpulseProblem, StepTerms

FAR = 1e3
"""The gap of a contact that is not near, m."""

LEAST = 20
"""Blocks from which lists pay: fewer are visited faster one after the other, each behind a branch."""


def suits_lists(problem: ImpulseProblem) -> bool:
    """Whether the contacts of a step are in lists: not with driven joints, and not of bodies of different trees."""
    return len(problem.layout.points) >= LEAST and not problem.driven and not problem.stacks


class ContactLists:
    """The layout of the lists: a number of rows, a law, mobilities and the gap for each entry."""

    def __init__(self, blocks: Sequence[Block], singles: int = 0) -> None:
        self.blocks = tuple(blocks)
        alike: dict[tuple[int, int, int], list[Block]] = {}
        for b in blocks:
            alike.setdefault((b.core, b.spins, b.rolls), []).append(b)
        self.kinds = [
            replace(same[0], columns=tuple(sorted({j for b in same for j in b.columns}))) for same in alike.values()
        ]
        kind_of = {key: k for k, key in enumerate(alike)}
        items, numbers, rows = [], 0, 0
        for b in blocks:
            k = kind_of[b.core, b.spins, b.rolls]
            places = self._places(b, self.kinds[k])
            items.append(PackingItem(k, numbers, places, rows))
            numbers, rows = numbers + len(places), rows + b.rows
        self.packing = Packing([PackingKind(self._empty(b), b.rows) for b in self.kinds], items, numbers)
        self.rows = rows
        self.ports = (
            Port("needed", (len(items),)), Port("numbers", (numbers,)), Port("p_lists", (rows,)),
            Port("p_single", (singles,)),
        )  # fmt: skip

    def written(self, t: StepTerms, p: Sequence[Any]) -> list[Any]:
        """What goes to the lists, for `ports`: flags and numbers of all blocks, and the impulses of the last step."""
        numbers = [x for b, (_, gap) in zip(t.blocks, t.near, strict=False) for x in self._numbers(b, gap)]
        return [[near for near, _ in t.near], numbers, p[: self.rows], p[self.rows :]]

    @staticmethod
    def _places(b: Block, kind: Block) -> tuple[int, ...]:
        """Where the numbers of a block are in an entry."""
        n = len(kind.columns)
        places = [i * n + kind.columns.index(j) for i in range(b.rows) for j in b.columns]
        return (*places, *range(b.rows * n, b.rows * n + b.numbers + b.mobilities + 1))

    @staticmethod
    def _empty(kind: Block) -> tuple[float, ...]:
        law = (AWAY, *(0.0,) * (kind.numbers - 1))
        return (*(0.0,) * (kind.rows * len(kind.columns)), *law, *(1.0,) * kind.mobilities, FAR)

    def most(self, kind: int) -> int:
        """Entries of a sample at most: all blocks of the kind."""
        return self.packing.most(kind)

    def size(self, kind: int) -> int:
        """Numbers of an entry."""
        return len(self.packing.kinds[kind].empty)

    def terms(self, kind: int, entry: Sequence[Any]) -> BlockTerms:
        """The terms of an entry."""
        b = self.kinds[kind]
        n, at = len(b.columns), b.rows * len(b.columns)
        rows = [list(entry[i * n : (i + 1) * n]) for i in range(b.rows)]
        return BlockTerms(b, rows, list(entry[at : at + b.numbers]), list(entry[at + b.numbers : -1]))

    @staticmethod
    def _numbers(t: BlockTerms, gap: Any) -> list[Any]:
        """The numbers of a block."""
        return [*(x for z in t.rows for x in z), *t.law, *t.mobility, gap]
