"""Items that few samples need, as stages of a loop: packed into lists of each sample, and their states put back.

A program writes numbers of all items, say of pairs of bodies that may touch, with a flag for each of them: 1 where a
sample needs it.  `Packing.pack` makes a list of those that a sample needs, in the order of the items, and `Iterated`
with `counted` visits the entries: as many as the sample with the most of a vector register has.  So the work does not
depend on the number of items, and one short program serves all items of a kind.

Samples with fewer entries than others of their register have empty entries at the end: programs must leave everything
as it is there.  There is an entry for every item, so none is ever left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.compiler.build import Code
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.memory import address
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.functions import runtime_function
from sixvec.compiler.runtime.packing import MOST_KINDS, pack_assembly, unpack_assembly
from sixvec.errors import ArgumentError

WORK = 500
"""Operations of a lane, more or less."""


@dataclass(frozen=True)
class Kind:
    """Items with the same program: the numbers of an empty entry, and how many numbers the state of an entry has."""

    empty: tuple[float, ...]
    states: int


@dataclass(frozen=True)
class Item:
    """An item: its kind, where its numbers are among all numbers, their places in an entry, and its first state."""

    kind: int
    first: int
    places: tuple[int, ...]
    state: int


class Packing:
    """The lists of items; `numbers` are those of all items."""

    def __init__(self, kinds: Sequence[Kind], items: Sequence[Item], numbers: int) -> None:
        if len(kinds) > MOST_KINDS:
            raise ArgumentError(f"{len(kinds)} kinds of items; there may be {MOST_KINDS}")
        self.kinds, self.items, self.numbers = tuple(kinds), tuple(items), numbers
        self.states = sum(kinds[x.kind].states for x in items)
        self._pairs = [np.array([*zip(range(x.first, x.first + len(x.places)), x.places, strict=True)], np.int64)
                       for x in items]  # fmt: skip
        self._sizes = np.array([len(k.empty) for k in kinds] or [0], np.int64)
        self._states = np.array([k.states for k in kinds] or [0], np.int64)
        self._empty = [np.array(k.empty, np.float64) for k in kinds]
        self._empty_at = np.array([address(x) for x in self._empty] or [0], np.int64)
        words = [
            [x.kind, len(x.places), address(pairs), kinds[x.kind].states, x.state]
            for x, pairs in zip(items, self._pairs, strict=True)
        ]
        self._items = np.array(words or [[0] * 5], np.int64)
        self.words = np.array([
            len(items), address(self._items), address(self._sizes), address(self._states), address(self._empty_at),
            self.states, len(kinds),
        ], np.int64)  # fmt: skip

    def most(self, kind: int) -> int:
        """Entries that a sample may have of a kind."""
        return sum(x.kind == kind for x in self.items)

    @property
    def pack(self) -> Pack:
        """(flags, numbers, state of all items) -> for each kind count, entries, and their states."""
        return Pack(self)

    @property
    def unpack(self) -> Unpack:
        """(flags, then the states of the entries of each kind) -> the state of all items."""
        return Unpack(self)

    def __reduce__(self) -> Any:
        return Packing, (self.kinds, self.items, self.numbers)


class _PackingStage(Compiled):
    """A stage with the table of a packing."""

    needs_double = False

    def __init__(self, packing: Packing) -> None:
        self.packing = packing

    def executable(self, dtype: str) -> Any:
        return self

    @property
    def ahead(self) -> int:
        return address(self.packing.words)

    def step(self, lanes: Lanes) -> tuple[Code, int]:
        raise NotImplementedError

    def codes(self, lanes: Lanes) -> list[Code]:
        return [self.step(lanes)[0]]

    def workspace(self, lanes: Lanes, inputs: int, outputs: int) -> None:
        """None is needed."""

    def check_options(self) -> None:
        """It has none."""

    def __reduce__(self) -> Any:
        return type(self), (self.packing,)


class Pack(_PackingStage):
    """Items -> lists."""

    def __init__(self, packing: Packing) -> None:
        super().__init__(packing)
        self.name = "pack"
        n = len(packing.items)
        self.inputs = (Port("needed", (n,)), Port("numbers", (packing.numbers,)), Port("state", (packing.states,)))
        self.outputs = tuple(
            port
            for k, kind in enumerate(packing.kinds)
            for port in (
                Port(f"count_{k}", ()),
                Port(f"entries_{k}", (packing.most(k), len(kind.empty))),
                Port(f"states_{k}", (packing.most(k), kind.states)),
            )
        )

    def step(self, lanes: Lanes) -> tuple[Code, int]:
        return runtime_function("pack", pack_assembly(lanes), lanes), WORK


class Unpack(_PackingStage):
    """The states of entries -> those of items."""

    def __init__(self, packing: Packing) -> None:
        super().__init__(packing)
        self.name = "unpack"
        states = (Port(f"states_{k}", (packing.most(k), x.states)) for k, x in enumerate(packing.kinds))
        self.inputs = (Port("needed", (len(packing.items),)), *states)
        self.outputs = (Port("state", (packing.states,)),)

    def step(self, lanes: Lanes) -> tuple[Code, int]:
        return runtime_function("unpack", unpack_assembly(lanes), lanes), WORK
