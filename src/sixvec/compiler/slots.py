"""The slots of an output's entries in its tile: equal entries share a slot.

A symmetric matrix contains each number twice, a sparse one contains zero a thousand times.  Kernels on lanes store each
distinct value once, which keeps tiles within the fastest cache; the transposition back to rows looks up each column's
slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.compiler.graph import Node, Operand


@dataclass(frozen=True, slots=True)
class Slots:
    """The distinct entries of an output, and the slot of each of its columns."""

    values: tuple[Operand, ...]
    of_column: tuple[int, ...]

    @property
    def constants(self) -> tuple[tuple[int, float], ...]:
        """The slots whose values are known before the kernel runs."""
        return tuple((slot, x) for slot, x in enumerate(self.values) if not isinstance(x, Node))


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of an output's columns in its tile, and the slots that contain constants."""

    of_column: tuple[int, ...]
    constants: tuple[tuple[int, float], ...]


def share_slots(entries: Sequence[Operand]) -> Slots:
    """One slot for each distinct entry, in order of appearance.  Zeros of either sign are distinct."""
    numbers: dict[Node | str, int] = {}
    values: list[Operand] = []
    of_column = []
    for x in entries:
        slot = numbers.setdefault(x if isinstance(x, Node) else repr(x), len(values))
        if slot == len(values):
            values.append(x)
        of_column.append(slot)
    return Slots(tuple(values), tuple(of_column))
