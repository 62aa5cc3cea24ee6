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

GROWING = ("factorial", "comb", "perm")
"""Functions of whole numbers whose results have as many digits as their arguments have units."""

LONGEST = 1_000_000
"""Characters of a text and entries of a list that an expression may make."""

MOST_BITS = 20_000
"""Of a whole number; a float has 1024."""

LARGEST_ARGUMENT = 1000
"""Of the functions in `GROWING`."""

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
        found = _bounded(method(node))
        self.depth -= 1
        return found

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
        return [self.value(each) for each in node.elts]

    def _Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(each) for each in node.elts)

    def _Set(self, node: ast.Set) -> Any:
        return {self.value(each) for each in node.elts}

    def _Dict(self, node: ast.Dict) -> Any:
        if None in node.keys:
            raise NotAllowed("two stars in an expression")
        return {self.value(k): self.value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        return UNARY[type(node.op)](_data(self.value(node.operand)))

    def _BinOp(self, node: ast.BinOp) -> Any:
        left, right = _data(self.value(node.left)), _data(self.value(node.right))
        _require_small(node.op, left, right)
        return BINARY[type(node.op)](left, right)

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
        _require_small_arguments(node.func, arguments)
        return function(*arguments, **named)


def _data(value: Any) -> Any:
    if not isinstance(value, DATA):
        raise NotAllowed(f"an operation on a {type(value).__name__}")
    return value


def _bounded(value: Any) -> Any:
    if isinstance(value, (*SEQUENCES, dict, set)) and len(value) > LONGEST:
        raise NotAllowed(f"a {type(value).__name__} of more than {LONGEST} entries")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise NotAllowed(f"a whole number of more than {MOST_BITS} bits")
    return value


_WIDTH = re.compile(r"\*|\d{4}")


def _require_small(operation: ast.operator, left: Any, right: Any) -> None:
    """Refuse a result of excessive size before it is computed."""
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


def _require_small_arguments(name: ast.Name | ast.Attribute, arguments: list[Any]) -> None:
    called = name.id if isinstance(name, ast.Name) else name.attr
    if called in GROWING and any(isinstance(x, int) and x > LARGEST_ARGUMENT for x in arguments):
        raise NotAllowed(f"{called} of a number above {LARGEST_ARGUMENT}")
    if called == "map" and any(getattr(x, "__name__", "") in (*GROWING, "prod") for x in arguments):
        raise NotAllowed("map of a function whose results may grow without bound")
    if called == "prod":
        if not all(isinstance(x, (*SEQUENCES, set, *NUMBERS)) for x in arguments):
            raise NotAllowed("prod of anything but a list")
        if sum(x.bit_length() for each in arguments[:1] for x in each if isinstance(x, int)) > MOST_BITS:
            raise NotAllowed(f"a whole number of more than {MOST_BITS} bits")


def only_allowed(names: Mapping[str, Any]) -> dict[str, Any]:
    """The global names of the package xacro without those that expressions may not use."""
    directly = {name for members in FUNCTIONS.values() for name in members}
    left = {key: value for key, value in names.items() if key in directly}
    for space, members in FUNCTIONS.items():
        left[space] = names[space]
        for key in [*names[space]]:
            if key not in members:
                dict.pop(names[space], key)
    return left
