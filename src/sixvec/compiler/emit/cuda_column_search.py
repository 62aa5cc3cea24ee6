"""What columns of results have in common, operation by operation, from the last ones back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sixvec.compiler.emit.cuda_column_order import Order, merged, pruned
from sixvec.compiler.emit.cuda_column_steps import (
    COPY,
    ENTRY,
    Argument,
    Family,
    Result,
    Signed,
    Step,
    Variable,
    common_order,
    signed,
    times,
)
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Program

FEWEST = 4
"""Columns that share a step at least; what fewer have in common is computed before."""

THIN = 2.5
"""The terms of sums, taken together, are those of at least one column in so many."""

SUMS = frozenset({"fma", "add", "sub"})

Line = dict[int, tuple[Operand, tuple[int, ...]]]
"""A row of results: for each column the result, and the components of the output to which it is written."""


def family_of(program: Program, output: int) -> Family:
    """The columns of an output as one program."""
    return _Columns(program, output).family()


class Term(NamedTuple):
    """A term of a sum: the product of a factor that columns share and a number of the column, or that number alone."""

    factor: Operand | None
    private: Operand
    sign: int


class _Columns:
    """The columns of an output while their steps are found.

    A trace moves signs to where they cost least, so a column may have -x where another has x.  Rounding is the same on
    both sides of zero: what a step takes and makes is the number of each column or its negative, with `Signed` nodes.
    """

    def __init__(self, program: Program, output: int) -> None:
        self._output = output
        rows, self._count = program.outputs[output].shape
        self._lines = _lines(program.results[output], rows, self._count)
        self._owner = _owners(program, output, self._lines)
        self._uses = Counter(a for node in program.nodes for a in set(node.args) if isinstance(a, Node))
        self._uses.update(x for entries in program.results for x in set(entries) if isinstance(x, Node))
        self._value = dict[tuple[int, Operand], tuple[Variable, int]]()
        self._numbers = dict[Variable, dict[int, Signed]]()
        """The number that a variable has for each column."""
        self._steps = list[Step]()
        self._variables = 0

    def family(self) -> Family:
        results = []
        for line in self._lines:
            value = self._unified({column: signed(x) for column, (x, _) in line.items()})
            results.append(Result(value, {column: places for column, (_, places) in line.items()}))
        steps = merged(pruned(self._steps, self._numbers, [result.value for result in results]))
        return Family(
            self._output, self._count, tuple(Order(steps).of([result.value for result in results])), tuple(results)
        )

    def _new(self) -> Variable:
        self._variables += 1
        return Variable(self._variables - 1)

    def _is_own(self, column: int, x: Operand) -> bool:
        """Whether only this column needs it."""
        return isinstance(x, Node) and self._owner.get(x) == column

    def _add(self, target: Variable, op: str, args: Sequence[Argument], wanted: Iterable[int]) -> None:
        self._steps.append(Step(target, op, tuple(args), frozenset(wanted)))

    def _unified(self, wanted: Mapping[int, Signed]) -> Argument:
        """The variable with these values, one for each column, or its negative."""
        sources: dict[tuple[Variable, int], list[int]] = {}
        for column, (sign, x) in wanted.items():
            if (column, x) in self._value:
                variable, known = self._value[column, x]
                sources.setdefault((variable, sign * known), []).append(column)
        new = {column: x for column, x in wanted.items() if (column, x[1]) not in self._value}
        only = next(iter(sources))[0] if len(sources) == 1 else None
        if only is not None and self._numbers[only].keys().isdisjoint(new):
            ((target, sign),) = sources
        else:
            target, sign = self._new(), 1 if sum(s for s, _ in wanted.values()) >= 0 else -1
            for (variable, flipped), columns in sources.items():
                self._add(target, COPY, (times(flipped * sign, variable),), columns)
                self._value.update({(c, wanted[c][1]): (target, wanted[c][0] * sign) for c in columns})
        self._numbers.setdefault(target, {}).update({column: (s * sign, x) for column, (s, x) in wanted.items()})
        new = {column: (s * sign, x) for column, (s, x) in new.items()}
        for column, (s, x) in new.items():
            if isinstance(x, Node):
                self._value[column, x] = target, s
        self._fill(target, new)
        return times(sign, target)

    def _fill(self, target: Variable, wanted: Mapping[int, Signed]) -> None:
        """The steps of values of several forms; numbers from the sections are one of them."""
        groups: dict[object, dict[int, Signed]] = {}
        for column, (sign, x) in wanted.items():
            groups.setdefault(self._form(column, sign, x), {})[column] = sign, x
        entries: dict[int, Signed] = {}
        for form, group in groups.items():
            first = next(iter(group.values()))[1]
            if not isinstance(first, Node):
                self._add(target, COPY, (_value(*next(iter(group.values()))),), group)
            elif form is None or len(group) < max(FEWEST, len(wanted) / 2):
                entries |= group
            elif form == "sum":
                if not self._summed(target, group):
                    entries |= group
            elif not self._operated(target, group):
                entries |= group
        if entries:
            self._steps.append(Step(target, ENTRY, (), frozenset(entries), entries))

    def _form(self, column: int, sign: int, x: Operand) -> object:
        if not isinstance(x, Node):
            return str(_value(sign, x))
        if not self._is_own(column, x) or x.op == "input":
            return None
        if x.op in SUMS and self._sum(column, x)[1]:
            return "sum"
        return x.op, tuple(self._is_own(column, signed(a)[1]) if isinstance(a, Node) else str(a) for a in x.args)

    def _operated(self, target: Variable, group: Mapping[int, Signed]) -> bool:
        """A product in which the columns share a factor: the sign is that of their other factor."""
        nodes = {c: x for c, (_, x) in group.items() if isinstance(x, Node)}
        if {x.op for x in nodes.values()} != {"mul"}:
            return False
        factors = {c: [signed(a) for a in x.args] for c, x in nodes.items()}
        same = set.intersection(*({x for _, x in pair} for pair in factors.values()))
        if not same:
            return False
        factor, private = min(same, key=lambda x: x.id if isinstance(x, Node) else -1), dict[int, Signed]()
        for c, ((s, x), (t, y)) in factors.items():
            private[c] = group[c][0] * s * t, y if x is factor else x
        self._add(target, "mul", (factor, self._argument(private)), group)
        return True

    def _argument(self, wanted: Mapping[int, Signed]) -> Argument:
        column, (sign, x) = next(iter(wanted.items()))
        is_same = len({(s, y if isinstance(y, Node) else str(y)) for s, y in wanted.values()}) == 1
        if is_same and not self._is_own(column, x):
            return times(sign, x) if isinstance(x, Node) else _value(sign, x)
        return self._unified(wanted)

    def _sum(self, column: int, x: Node) -> tuple[Signed, list[Term]]:
        """The first term of a sum of the column, and the others, in order; the signs are those that x has for +1."""
        terms = list[Term]()
        sign, top = signed(x)
        while isinstance(top, Node) and self._is_own(column, top) and top.op in SUMS:
            if terms and self._uses[top] > 1:
                break
            split = self._split(column, top)
            if split is None:
                break
            term, (flipped, earlier) = split
            terms.append(term._replace(sign=term.sign * sign))
            sign, top = sign * flipped, earlier
        return (sign, top), terms[::-1]

    def _split(self, column: int, x: Node) -> tuple[Term, Signed] | None:
        """The last term of a sum and the sum without it."""
        if x.op == "fma":
            one, two = (signed(a) for a in x.args[:2])
            if self._is_own(column, one[1]) == self._is_own(column, two[1]):
                return None
            shared, private = (two, one) if self._is_own(column, one[1]) else (one, two)
            return Term(shared[1], private[1], shared[0] * private[0]), signed(x.args[2])
        signs = (1, 1 if x.op == "add" else -1)
        parts = [(s * sign, y) for s, (sign, y) in zip(signs, map(signed, x.args), strict=True)]
        partial = [i for i, (_, y) in enumerate(parts) if self._is_partial(column, y)]
        if len(partial) != 1:
            return None
        before, (sign, added) = parts[partial[0]], parts[1 - partial[0]]
        return Term(None, added, sign), before

    def _is_partial(self, column: int, x: Operand) -> bool:
        """Whether it is a sum to which one more term is added."""
        return isinstance(x, Node) and x.op in SUMS and self._is_own(column, x) and self._uses[x] == 1

    def _summed(self, target: Variable, group: Mapping[int, Signed]) -> bool:
        """The steps of sums whose terms have the same factors."""
        sums = {c: self._sum(c, x) for c, (_, x) in group.items() if isinstance(x, Node)}
        order = common_order([[term.factor for term in terms] for _, terms in sums.values()])
        count = sum(len(terms) for _, terms in sums.values())
        if order is None or order == [None] or count * THIN < len(order) * len(group):
            return False
        mine: dict[object, dict[int, Signed]] = {factor: {} for factor in order}
        for c, (_, terms) in sums.items():
            for term in terms:
                mine[term.factor][c] = term.sign * group[c][0], term.private
        start = self._argument({c: (s * group[c][0], x) for c, ((s, x), _) in sums.items()})
        steps = [(factor, self._argument(private), private) for factor, private in mine.items()]
        self._add(target, COPY, (start,), group)
        for factor, argument, private in steps:
            if isinstance(factor, Node | float):
                self._add(target, "fma", (factor, argument, target), private)
            else:
                self._add(target, "add", (target, argument), private)
        return True


def _value(sign: int, x: Operand) -> float:
    assert not isinstance(x, Node)
    return -x if sign < 0 else x


def _lines(entries: Sequence[Operand], rows: int, columns: int) -> list[Line]:
    """For each row, the results of the columns and their components; of a symmetric matrix, the upper triangle."""
    symmetric = rows == columns and all(
        entries[i * columns + j] is entries[j * columns + i] for i in range(rows) for j in range(i)
    )
    lines = list[Line]()
    for i in range(rows):
        line: Line = {}
        for j in range(columns):
            if not symmetric:
                line[j] = entries[i * columns + j], (i * columns + j,)
            elif j >= i:
                line[j] = entries[i * columns + j], tuple(dict.fromkeys((i * columns + j, j * columns + i)))
        lines.append(line)
    return lines


def _owners(program: Program, output: int, lines: Sequence[Line]) -> dict[Node, int]:
    """The column that alone needs an operation; those that several need have none."""
    users = dict[Node, set[int]]()
    several = -1
    for k, entries in enumerate(program.results):
        if k != output:
            for x in entries:
                if isinstance(x, Node):
                    users.setdefault(x, set()).add(several)
    for line in lines:
        for column, (x, _) in line.items():
            if isinstance(x, Node):
                users.setdefault(x, set()).add(column)
    for node in reversed(program.nodes):
        mine = users.get(node, set())
        if len(mine) > 1:
            mine = {several}
        for a in node.args:
            if isinstance(a, Node):
                users.setdefault(a, set()).update(mine)
    return {node: next(iter(x)) for node, x in users.items() if len(x) == 1 and several not in x}
