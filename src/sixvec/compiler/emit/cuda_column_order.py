"""The steps of columns without those that do not pay, in an order for which few values are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sixvec.compiler.emit.cuda_column_steps import ENTRY, Argument, Signed, Step, Variable, common_order, variables_of
from sixvec.compiler.graph import Node


def pruned(
    steps: Sequence[Step], numbers: Mapping[Variable, Mapping[int, Signed]], results: Sequence[Argument]
) -> list[Step]:
    """The steps without those that only make a value from more numbers than it has itself: it is loaded instead."""
    of: dict[Variable, list[Step]] = {}
    for step in steps:
        of.setdefault(step.target, []).append(step)
    used: dict[Variable, set[Variable]] = {v: set() for v in of}
    for step in steps:
        for a in variables_of(step.args):
            if a != step.target:
                used[a].add(step.target)
    final, dropped = set(variables_of(results)), set[Variable]()
    for v in list(of):  # arguments before users
        alone, pending = set[Variable](), [a for step in of[v] for a in variables_of(step.args)]
        while pending:
            a = pending.pop()
            if a != v and a not in alone and a not in final and used[a] - dropped <= alone | {v}:
                alone.add(a)
                pending += [b for step in of[a] for b in variables_of(step.args)]
        loaded = sum(len(step.entries or ()) for a in (*alone, v) for step in of[a])
        if v in numbers and loaded > len(numbers[v]) and all(isinstance(x, Node) for _, x in numbers[v].values()):
            of[v] = [Step(v, ENTRY, (), frozenset(numbers[v]), numbers[v])]
            dropped |= alone
    needed, pending = set[Variable](), variables_of(results)
    while pending:
        v = pending.pop()
        if v not in needed:
            needed.add(v)
            pending += [a for step in of[v] for a in variables_of(step.args)]
    remaining, done = list[Step](), set[Variable]()
    for step in steps:
        if step.target in needed and of[step.target][0].op == ENTRY and len(of[step.target]) == 1:
            if step.target not in done:
                remaining += of[step.target]
                done.add(step.target)
        elif step.target in needed:
            remaining.append(step)
    return remaining


def merged(steps: Sequence[Step]) -> list[Step]:
    """The steps with one that loads the numbers of a variable, for all columns that have one."""
    entries: dict[Variable, dict[int, Signed]] = {}
    for step in steps:
        if step.entries:
            entries.setdefault(step.target, {}).update(step.entries)
    merged = list[Step]()
    for step in steps:
        if not step.entries:
            merged.append(step)
        elif step.target in entries:
            numbers_of_all = entries.pop(step.target)
            merged.append(replace(step, columns=frozenset(numbers_of_all), entries=numbers_of_all))
    return merged


_Added = tuple[Variable, int]
"""What is added to a sum, and how often it was before."""


def _of_terms(terms: Iterable[_Added | None]) -> Iterator[Variable]:
    return (term[0] for term in terms if term is not None)


class Order:
    """The steps in an order for which few values are kept: result by result, each value when it is needed.

    Numbers that a column has for itself are loaded again for each use.  Sums that several results need grow together
    with the largest of them: all those of a term while it is there.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._of: dict[Variable, list[Step]] = {}
        for step in steps:
            self._of.setdefault(step.target, []).append(step)
        self._reached: dict[Variable, set[int]] = {v: set() for v in self._of}
        """Of each variable, the results that need it."""
        self._needs: dict[Variable, set[Variable]] = {}
        self._terms: dict[Variable, dict[_Added | None, list[Step]]] = {}
        for v, mine in self._of.items():
            terms: dict[_Added | None, list[Step]] = {}
            last: _Added | None = None
            for step in mine:
                for a in variables_of(step.args):
                    if a != v and (last is None or a != last[0]):
                        last = a, sum(a == term[0] for term in terms if term)
                terms.setdefault(last, []).append(step)
            self._terms[v] = terms
        pairs = [[t, v] for v, terms in self._terms.items() for t in _of_terms(terms)]
        for v in common_order([*([v] for v in self._of), *pairs]) or ():
            self._needs[v] = set().union(*({a} | self._needs[a] for a in _of_terms(self._terms[v])))
        self._plain, self._steps, self._done = steps, list[Step](), set[Variable]()

    def of(self, results: Sequence[Argument]) -> Sequence[Step]:
        if len(self._needs) < len(self._of):  # values of some columns need others of their kind
            return self._plain
        for k, x in enumerate(results):
            for v in variables_of([x]):
                for u in (v, *self._needs[v]):
                    self._reached[u].add(k)
        for x in results:
            for v in variables_of([x]):
                self._need(v)
        return self._steps

    def _need(self, v: Variable) -> None:
        if all(step.op == ENTRY or not variables_of(step.args) for step in self._of[v]):
            self._steps += self._of[v]
        elif v not in self._done:
            sums = self._grown_with(v)
            order = common_order([list(self._terms[u]) for u in sums])
            if order is None:
                sums, order = [v], list(self._terms[v])
            self._done.update(sums)
            for term in order:
                if term is not None:
                    self._need(term[0])
                for u in sums:
                    self._steps += self._terms[u].get(term, ())

    def _grown_with(self, v: Variable) -> list[Variable]:
        """The sum itself, and others that have most terms in common with it."""
        terms, sums = self._terms[v].keys(), [v]
        if len(self._of[v]) > 1 and len(self._reached[v]) > 1:
            for u in self._of:
                if u not in self._done and u != v and len(self._reached[u]) > 1 and u not in self._needs[v]:
                    mine = self._terms[u].keys()
                    if 2 * len(mine & terms) >= len(mine | terms) and v not in self._needs[u]:
                        sums.append(u)
        return sums
