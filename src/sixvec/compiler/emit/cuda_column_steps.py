"""Steps that columns of results have in common: a program in which a variable has a value for each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from sixvec.compiler.graph import Node, Operand

T = TypeVar("T")

COPY, ENTRY = "copy", "entry"
"""A step that takes another value as it is, and one that loads a number that each column has for itself."""


@dataclass(frozen=True)
class Variable:
    number: int


@dataclass(frozen=True)
class Negative:
    """The negative of a value, or of a number that all columns share."""

    of: Variable | Node


Argument = Variable | Node | float | Negative
"""What a step takes: a value of the column, a number that all columns share, or a constant."""

Signed = tuple[int, Operand]
"""A node or its negative."""


@dataclass(frozen=True)
class Step:
    """An operation of some columns."""

    target: Variable
    op: str
    args: tuple[Argument, ...]
    columns: frozenset[int]
    entries: Mapping[int, Signed] | None = None
    """The number of each column, of a step that loads it."""


@dataclass(frozen=True)
class Result:
    """A value of some columns, and where each of them writes it: to components of the output."""

    value: Argument
    places: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Family:
    """Columns of one output that take the same steps."""

    output: int
    count: int
    steps: tuple[Step, ...]
    results: tuple[Result, ...]

    @property
    def is_symmetric(self) -> bool:
        """Whether values are written to several places."""
        return any(len(places) > 1 for result in self.results for places in result.places.values())

    @property
    def staged(self) -> int:
        """Results that are put together in shared memory: those of a symmetric matrix."""
        return sum(len(result.places) for result in self.results) if self.is_symmetric else 0

    @property
    def shared(self) -> list[Node]:
        """Numbers that all columns need."""
        args = (x.of if isinstance(x, Negative) else x for step in self.steps for x in step.args)
        return list(dict.fromkeys(x for x in args if isinstance(x, Node)))

    @property
    def entries(self) -> list[Signed]:
        """Numbers that single columns need."""
        return list(dict.fromkeys(x for step in self.steps if step.entries for x in step.entries.values()))


def signed(x: Operand) -> Signed:
    """A number as the sign and the node that it is the negative of."""
    return (-1, x.args[0]) if isinstance(x, Node) and x.op == "neg" else (1, x)


def times(sign: int, x: Variable | Node | Negative) -> Argument:
    if sign > 0:
        return x
    return x.of if isinstance(x, Negative) else Negative(x)


def variables_of(args: Iterable[Argument]) -> list[Variable]:
    plain = (x.of if isinstance(x, Negative) else x for x in args)
    return [x for x in plain if isinstance(x, Variable)]


def common_order(lists: Sequence[Sequence[T]]) -> list[T] | None:
    """All elements in an order that is that of each list; None if there is none, or a list has an element twice."""
    earlier: dict[T, set[T]] = {}
    for elements in lists:
        if len(set(elements)) < len(elements):
            return None
        for x in elements:
            earlier.setdefault(x, set())
        for one, two in pairwise(elements):
            earlier[two].add(one)
    order = list[T]()
    while earlier:
        free = [x for x, before in earlier.items() if not before]
        if not free:
            return None
        ready = free[0]
        order.append(ready)
        del earlier[ready]
        for before in earlier.values():
            before.discard(ready)
    return order
