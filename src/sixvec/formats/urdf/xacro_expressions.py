"""The expressions of xacro files: a small part of Python, evaluated node by node, so that a file cannot run code.

Allowed are numbers, texts, lists and dictionaries, names of properties and arguments, arithmetic, comparisons,
conditions, subscripts, and calls of the functions in `FUNCTIONS`.  A dot leads to a function of `math`, `python` or
`xacro`, to a property of an included file or to an entry of a dictionary; never to an attribute of an object.

This file imports nothing from the library, because the process that expands a file uses it alone.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

BUILTINS = [
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "divmod",
    "enumerate",
    "float",
    "int",
    "len",
    "list",
    "map",
    "max",
    "min",
    "ord",
    "range",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
]
XACRO = [
    "load_yaml",
    "abs_filename",
    "dotify",
    "arg",
    "message",
    "warning",
    "error",
    "print_location",
    "fatal",
    "tokenize",
]
FUNCTIONS = {
    "python": {*BUILTINS, "True", "False"},
    "math": {name for name in vars(math) if not name.startswith("_")},
    "xacro": {*XACRO},
}
"""The members of each name space that expressions may use."""

LONGEST = 1_000_000
"""Characters of a text and entries of a list that an expression may make, with those of the lists inside."""

MOST_BITS = 20_000
"""Of a whole number; a float has 1024."""

LARGEST_ARGUMENT = 1000
"""Of functions of whole numbers whose results have as many digits as their arguments have units."""

DEEPEST = 100
"""Expressions inside each other."""


class NotAllowed(Exception):
    """An expression that only a file that is trusted may contain."""


UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda x, y: x in y,
    ast.NotIn: lambda x, y: x not in y,
}

NUMBERS = (bool, int, float)
SEQUENCES = (str, list, tuple, range)
DATA = (*NUMBERS, *SEQUENCES, dict, set, type(None))
"""Values on which operators work; functions and other objects are only called or passed on."""


def evaluated(text: str, names: Any) -> Any:
    """The value of an expression; `names[key]` is the value of a name, or a KeyError.

    >>> evaluated("2 * (width + 1)", {"width": 0.5})
    3.0
    >>> evaluated("().__class__", {})
    Traceback (most recent call last):
    sixvec.formats.urdf.xacro_expressions.NotAllowed: the attribute "__class__" of a tuple
    """
    return _Evaluator(names).value(ast.parse(text.strip(), mode="eval").body)


class _Evaluator:
    def __init__(self, names: Any) -> None:
        self.names, self.depth = names, 0

    def value(self, node: ast.AST) -> Any:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise NotAllowed(f"{type(node).__name__} in an expression")
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotAllowed(f"more than {DEEPEST} expressions inside each other")
        value = _bounded(method(node))
        self.depth -= 1
        return value

    def _Constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, (*NUMBERS, str, type(None))):
            raise NotAllowed(f"a {type(node.value).__name__} in an expression")
        return node.value

    def _Name(self, node: ast.Name) -> Any:
        if node.id.startswith("__"):
            raise NotAllowed(f'the name "{node.id}"')
        try:
            return self.names[node.id]
        except KeyError:
            raise NameError(f"name '{node.id}' is not defined") from None

    def _List(self, node: ast.List) -> Any:
        return _inside_bounded([self.value(each) for each in node.elts])

    def _Tuple(self, node: ast.Tuple) -> Any:
        return _inside_bounded(tuple(self.value(each) for each in node.elts))

    def _Set(self, node: ast.Set) -> Any:
        return {self.value(each) for each in node.elts}

    def _Dict(self, node: ast.Dict) -> Any:
        if None in node.keys:
            raise NotAllowed("two stars in an expression")
        entries = zip(node.keys, node.values, strict=True)
        return _inside_bounded({self.value(k): self.value(v) for k, v in entries if k is not None})

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        return UNARY[type(node.op)](_data(self.value(node.operand)))

    def _BinOp(self, node: ast.BinOp) -> Any:
        left, right = _data(self.value(node.left)), _data(self.value(node.right))
        _require_small(node.op, left, right)
        return _inside_bounded(BINARY[type(node.op)](left, right))

    def _BoolOp(self, node: ast.BoolOp) -> Any:
        result: Any = None
        for each in node.values:
            result = self.value(each)
            if bool(_data(result)) is isinstance(node.op, ast.Or):
                break
        return result

    def _Compare(self, node: ast.Compare) -> Any:
        left, result = _data(self.value(node.left)), True
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            right = _data(self.value(comparator))
            result = COMPARISONS[type(operation)](left, right)
            if not result:
                break
            left = right
        return result

    def _IfExp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if _data(self.value(node.test)) else node.orelse)

    def _Subscript(self, node: ast.Subscript) -> Any:
        value = self.value(node.value)
        if not isinstance(value, (*SEQUENCES, dict)):
            raise NotAllowed(f"a subscript of a {type(value).__name__}")
        key = self.value(node.slice)
        if isinstance(node.value, ast.Name) and node.value.id in FUNCTIONS and key not in value:
            raise NotAllowed(f'"{node.value.id}.{key}"')
        return value[key]

    def _Slice(self, node: ast.Slice) -> Any:
        return slice(*(None if each is None else self.value(each) for each in (node.lower, node.upper, node.step)))

    def _Attribute(self, node: ast.Attribute) -> Any:
        value = self.value(node.value)
        # A dictionary: a name space of xacro, or a part of a YAML file; its entries, never its methods.
        if node.attr.startswith("__") or not isinstance(value, dict):
            raise NotAllowed(f'the attribute "{node.attr}" of a {type(value).__name__}')
        try:
            return value[node.attr]
        except KeyError:
            if isinstance(node.value, ast.Name) and node.value.id in FUNCTIONS:
                raise NotAllowed(f'"{node.value.id}.{node.attr}"') from None
            raise NameError(f"name '{node.attr}' is not defined") from None

    def _Call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name | ast.Attribute):
            raise NotAllowed("a call of the result of an expression")
        if any(isinstance(each, ast.Starred) for each in node.args) or any(k.arg is None for k in node.keywords):
            raise NotAllowed("a star in an expression")
        function = self.value(node.func)
        if not callable(function):
            raise NotAllowed(f"a call of a {type(function).__name__}")
        arguments = [self.value(each) for each in node.args]
        named = {str(k.arg): self.value(k.value) for k in node.keywords}
        return _inside_bounded(function(*arguments, **named))


def _data(value: Any) -> Any:
    if not isinstance(value, DATA):
        raise NotAllowed(f"an operation on a {type(value).__name__}")
    return value


def _bounded(value: Any) -> Any:
    """The value, if it is not too large; a function that can grow without bound is replaced by one that cannot."""
    if isinstance(value, types.BuiltinFunctionType):
        return LIMITED.get(value, value)
    if isinstance(value, (*SEQUENCES, dict, set)) and len(value) > LONGEST:
        raise NotAllowed(f"a {type(value).__name__} of more than {LONGEST} entries")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise NotAllowed(f"a whole number of more than {MOST_BITS} bits")
    return value


def _inside_bounded(value: Any) -> Any:
    """Raise an error for lists of lists that are large as a whole: comparing or printing one visits every entry."""
    if isinstance(value, NUMBERS):
        return value
    count, pending = 0, [value]
    while pending:
        each = pending.pop()
        if isinstance(each, (list, tuple, set)):
            pending += each
        elif isinstance(each, dict):
            pending += [*each, *each.values()]
        count += len(each) if isinstance(each, str) else 1
        if count + len(pending) > LONGEST:
            raise NotAllowed(f"a {type(value).__name__} of more than {LONGEST} entries, with those inside")
    return value


_WIDTH = re.compile(r"\*|\d{4}")


def _require_small(operation: ast.operator, left: Any, right: Any) -> None:
    """Raise an error for a result of excessive size before it is computed."""
    if isinstance(operation, ast.Mult):
        for sequence, times in ((left, right), (right, left)):
            if isinstance(sequence, SEQUENCES) and isinstance(times, int) and len(sequence) * times > LONGEST:
                raise NotAllowed(f"a {type(sequence).__name__} of more than {LONGEST} entries")
    elif isinstance(operation, ast.Mod) and isinstance(left, str):
        if _WIDTH.search(left):
            raise NotAllowed("a text of variable or excessive width")
    elif isinstance(operation, ast.Pow | ast.LShift) and isinstance(left, int) and isinstance(right, int):
        size = left.bit_length() * right if isinstance(operation, ast.Pow) else left.bit_length() + right
        if size > MOST_BITS:
            raise NotAllowed(f"a whole number of more than {MOST_BITS} bits")


def _limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of whole numbers that are not large."""

    def limited(*numbers: Any) -> Any:
        if any(isinstance(x, int) and x > LARGEST_ARGUMENT for x in numbers):
            raise NotAllowed(f"{function.__name__} of a number above {LARGEST_ARGUMENT}")
        return function(*numbers)

    return limited


def _round(number: Any, ndigits: Any = None) -> Any:
    """As Python's own, which computes 10**1000000000 for a whole number and -1000000000 digits."""
    if isinstance(ndigits, int) and abs(ndigits) > LARGEST_ARGUMENT:
        raise NotAllowed(f"round to more than {LARGEST_ARGUMENT} digits")
    return round(number, ndigits)


def _product(factors: Any, *, start: Any = 1) -> Any:
    for x in factors:
        start = _bounded(_data(start) * _number(x))
    return start


def _sum(terms: Any, start: Any = 0) -> Any:
    """As Python's own, without copying a list for each term that is added to it."""
    if not isinstance(start, (list, tuple)):
        return sum(map(_number, terms), start)
    joined: list[Any] = []
    for each in (start, *terms):
        if type(each) is not type(start):
            raise TypeError(f"a {type(each).__name__} cannot be added to a {type(start).__name__}")
        _bounded(joined)
        joined += each
    return type(start)(joined)


def _number(value: Any) -> Any:
    if not isinstance(value, NUMBERS):
        raise TypeError(f"a number is needed, not a {type(value).__name__}")
    return value


LIMITED: dict[Any, Callable[..., Any]] = {
    math.factorial: _limited(math.factorial),
    math.comb: _limited(math.comb),
    math.perm: _limited(math.perm),
    math.prod: _product,
    round: _round,
    sum: _sum,
}
"""What expressions call instead of functions whose time or results grow without bound, by whatever name."""


def only_allowed(names: Mapping[str, Any]) -> dict[str, Any]:
    """The global names of the package xacro without those that expressions may not use."""
    directly = {name for members in FUNCTIONS.values() for name in members}
    remaining = {key: value for key, value in names.items() if key in directly}
    for space, members in FUNCTIONS.items():
        remaining[space] = names[space]
        for key in [*names[space]]:
            if key not in members:
                dict.pop(names[space], key)
    return remaining
