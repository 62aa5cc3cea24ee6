"""The small mistakes that a test should see: one token of a source file changed.

An operator, a comparison, a number, an index, a sign or a `not`.  Never words: docstrings, messages and annotations.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
COMPARISONS = {
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<", ">=")),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.In: ("in", ("not in",)),
}
LARGE = 10
"""Numbers beyond are bounds and capacities, whose next neighbour means the same: they become one."""

SILENT = {"strict", "stacklevel", "frozen", "eq", "repr", "slots", "kw_only", "maxsize", "default_factory", "indent"}
"""Keywords that guard against mistakes or tune; what they say is not behaviour."""


@dataclass(frozen=True)
class Mutation:
    """Characters `start` to `end` of a file become `new`."""

    kind: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def mutations(text: str) -> list[Mutation]:
    """All of them, in the order of the text.

    >>> [(m.old, m.new) for m in mutations("y = -x[0] if not a < b else 2.0 * c")]
    [('-', ''), ('0', '1'), ('not', ''), ('<', '<='), ('<', '>'), ('2.0', '3.0'), ('*', '/')]
    """
    return sorted(_Finder(text).found, key=lambda m: (m.start, m.new))


class _Finder(ast.NodeVisitor):
    """Walks the tree for what means something, and the tokens for where it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.tokens = [
            (self.starts[t.start[0] - 1] + t.start[1], t.string)
            for t in tokenize.generate_tokens(io.StringIO(text).readline)
            if t.type in (tokenize.OP, tokenize.NAME)
        ]
        self.found: list[Mutation] = []
        self.visit(ast.parse(text))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        swap = OPERATORS.get(type(node.op))
        if swap and not any(isinstance(side, ast.JoinedStr) or _is_word(side) for side in (node.left, node.right)):
            self._between("operator", node.left, node.right, *swap)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between("operator", left, right, *OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip((node.left, *node.comparators), node.ops, node.comparators, strict=False):
            if isinstance(op, (ast.IsNot, ast.NotIn)):
                self._between("not", left, right, "not", "")
            else:
                old, others = COMPARISONS[type(op)]
                for new in others:
                    self._between("comparison", left, right, old, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        kind, old = {ast.USub: ("sign", "-"), ast.Not: ("not", "not")}.get(type(node.op), ("", ""))
        if kind:
            self._add(kind, self._start(node), old, "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._add("constant", self._start(node), str(value), str(not value))
        elif isinstance(value, (int, float)):
            old = self.text[self._start(node) : self._end(node)]
            self._add("constant", self._start(node), old, repr(type(value)(1) if abs(value) > LARGE else value + 1))

    def visit_If(self, node: ast.If | ast.IfExp | ast.While) -> None:
        self._negated(node.test)
        self.generic_visit(node)

    visit_IfExp = visit_While = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negated(test)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in ("__repr__", "__str__"):
            for child in (*node.args.defaults, *node.args.kw_defaults, *node.body):
                if child is not None:
                    self.visit(child)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in SILENT:
            self.visit(node.value)

    def _skip(self, node: ast.AST) -> None:
        """Words, and checks of what cannot happen."""

    visit_JoinedStr = visit_Raise = visit_Assert = visit_ImportFrom = visit_arg = _skip

    def _negated(self, test: ast.expr) -> None:
        is_name = isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
        if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) and not is_name:
            start = self._start(test)
            self.found.append(Mutation("not", test.lineno, start, start, "", "not "))

    def _between(self, kind: str, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        low, high = self._end(left), self._start(right)
        self._add(kind, next(at for at, word in self.tokens if low <= at < high and word == old), old, new)

    def _add(self, kind: str, start: int, old: str, new: str) -> None:
        line = next(i for i, s in enumerate(self.starts) if s > start)
        self.found.append(Mutation(kind, line, start, start + len(old), old, new))

    def _start(self, node: ast.expr) -> int:
        return self._at(node.lineno, node.col_offset)

    def _end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._at(node.end_lineno, node.end_col_offset)

    def _at(self, line: int, column: int) -> int:
        """The parser counts bytes, the text has characters."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def names(text: str) -> Iterator[str]:
    """What a module gives to others: its public functions, classes and constants."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (t.id for t in targets if isinstance(t, ast.Name))
