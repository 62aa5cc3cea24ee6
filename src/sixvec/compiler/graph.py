"""Traced scalars: hash-consed nodes that simplify themselves as they are built.

A `Node` behaves like a number under `+ - * /` and the functions of this file.  Constants are plain floats, so
arithmetic between constants does not enter the graph; next to arrays NumPy's rules hold (`scalar_arrays.py`).
Structural zeros and ones vanish, signs move outward until a subtraction absorbs them, and equal subexpressions are one
node: the plain textbook forms then cost no more than hand-optimised ones.  Every line marked with an equation is one
rewrite; tests/compiler checks each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sixvec.compiler.ops import CHOICES, OPS

Operand: TypeAlias = "Node | float"


class Graph:
    """The container of nodes: one per trace.  The same operation on the same arguments is the same node."""

    __slots__ = ("table",)

    def __init__(self) -> None:
        self.table: dict[tuple[object, ...], Node] = {}

    def input(self, name: str, index: int) -> Node:
        """Scalar number `index` of the input array `name`."""
        key = ("input", name, index)
        if key not in self.table:
            self.table[key] = Node(self, "input", (), len(self.table), (name, index))
        return self.table[key]

    def intern(self, op: str, *args: Operand) -> Node:
        """The node of this operation on these arguments, without any rewriting."""
        key: tuple[object, ...] = (op, *args)
        if op in CHOICES and 0.0 in args:  # 0.0 and -0.0 are equal, but not the same result
            key = (op, *[str(x) if x == 0.0 else x for x in args])
        node = self.table.get(key)
        if node is None:
            node = self.table[key] = Node(self, op, args, len(self.table))
        return node

    def pair(self, op: str, a: Operand, b: Operand) -> Node:
        """As `intern`, for the arithmetic of two operands, of which most of a trace consists."""
        table, key = self.table, (op, a, b)
        node = table.get(key)
        if node is None:
            node = table[key] = Node(self, op, (a, b), len(table))
        return node


def _constant(x: object) -> Operand:
    """A node as it is, anything else as a float."""
    return x if type(x) is Node or type(x) is float else float(x)  # type: ignore[arg-type]


def _number(x: Operand) -> float:
    """An operand that is known to be a constant."""
    assert not isinstance(x, Node)
    return x


def neg(x: Operand) -> Operand:
    if type(x) is not Node:
        return -_number(_constant(x))
    if x.op == "neg":
        return x.args[0]  # -(-x) = x
    return x.graph.intern("neg", x)


def add(a: Operand, b: Operand) -> Operand:
    if type(a) is not Node:
        if type(b) is not Node:
            return _number(_constant(a)) + _number(_constant(b))
        a, b = b, a
    assert type(a) is Node
    if type(b) is not Node:
        if type(b) is not float and isinstance(b, np.ndarray):
            return NotImplemented
        c = float(b)  # type: ignore[arg-type]
        if c == 0.0:
            return a  # x + 0 = x
        if a.op == "neg":
            return sub(c, a.args[0])  # -x + c = c - x
        return a.graph.pair("add", a, c)
    if b.op == "neg":
        return sub(a, b.args[0])  # a + (-b) = a - b
    if a.op == "neg":
        return sub(b, a.args[0])  # (-a) + b = b - a
    return a.graph.pair("add", a, b) if a.id < b.id else a.graph.pair("add", b, a)


def sub(a: Operand, b: Operand) -> Operand:
    if type(b) is not Node:
        if type(b) is not float and isinstance(b, np.ndarray):
            return NotImplemented
        c = float(b)  # type: ignore[arg-type]
        return add(a, -c) if type(a) is Node else _number(_constant(a)) - c  # x - c = x + (-c)
    if b.op == "neg":
        return add(a, b.args[0])  # a - (-b) = a + b
    if type(a) is not Node:
        c = float(a)  # type: ignore[arg-type]
        return neg(b) if c == 0.0 else b.graph.pair("sub", c, b)  # 0 - x = -x
    if a is b:
        return 0.0  # x - x = 0
    if a.op == "neg":
        return neg(add(a.args[0], b))  # (-a) - b = -(a + b)
    if (twin := a.graph.table.get(("sub", b, a))) is not None:
        return neg(twin)  # a - b = -(b - a), if that is there already
    return a.graph.pair("sub", a, b)


def mul(a: Operand, b: Operand) -> Operand:
    if type(a) is not Node:
        if type(b) is not Node:
            return _number(_constant(a)) * _number(_constant(b))
        a, b = b, a
    assert type(a) is Node
    if type(b) is not float and isinstance(b, np.ndarray):
        return NotImplemented
    if a.op == "neg":
        return neg(mul(a.args[0], b))  # (-a) b = -(a b)
    if type(b) is not Node:
        return _scaled(a, float(b))  # type: ignore[arg-type]
    if b.op == "neg":
        return neg(mul(a, b.args[0]))  # a (-b) = -(a b)
    if a.op in _MAY_CANCEL or b.op in _MAY_CANCEL:
        if _undoes(a, b) or _undoes(b, a):
            return 1.0  # x (1/x) = 1
        if (remaining := _cancelled(a, b)) is not None or (remaining := _cancelled(b, a)) is not None:
            return remaining
    return a.graph.pair("mul", a, b) if a.id < b.id else a.graph.pair("mul", b, a)


def _scaled(a: Node, c: float) -> Operand:
    if c == 0.0:
        return 0.0  # 0 x = 0
    if c == 1.0:
        return a  # 1 x = x
    if c < 0.0:
        return neg(mul(a, -c))  # (-c) x = -(c x)
    if a.op == "mul" and type(a.args[1]) is float:
        return mul(a.args[0], a.args[1] * c)  # (x c) d = x (c d)
    return a.graph.pair("mul", a, c)


_MAY_CANCEL = frozenset(("mul", "recip"))


def _cancelled(a: Node, b: Node) -> Operand | None:
    """What is left of a b if the product a has a factor that b undoes."""
    if a.op == "mul" and type(a.args[1]) is Node:
        x, y = a.args
        if _undoes(y, b) or _undoes(b, y):
            return x  # (x (1/y)) y = x
        if _undoes(x, b) or _undoes(b, x):
            return y
    return None


def _undoes(a: Operand, b: Operand) -> bool:
    return type(a) is Node and a.op == "recip" and a.args[0] is b


ROOT = 0.5
"""The exponent of a square root."""


class Node:
    """The result of one scalar operation.  `args` are nodes and floats; `id` increases in the order of creation.

    An input has no arguments but a `source`: the name of its array and its index there.
    """

    __slots__ = ("args", "graph", "id", "op", "source")

    def __init__(
        self, graph: Graph, op: str, args: tuple[Operand, ...], id: int, source: tuple[str, int] = ("", 0)
    ) -> None:
        self.graph, self.op, self.args, self.id, self.source = graph, op, args, id, source

    def __repr__(self) -> str:
        shown = ", ".join(f"%{a.id}" if isinstance(a, Node) else str(a) for a in self.args or self.source)
        return f"%{self.id} = {self.op}({shown})"

    __add__ = __radd__ = add
    __sub__ = sub
    __mul__ = __rmul__ = mul
    __neg__ = neg

    def __rsub__(self, other: Operand) -> Operand:
        return sub(other, self)

    def __truediv__(self, other: Operand) -> Operand:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return mul(self, recip(other))

    def __rtruediv__(self, other: Operand) -> Operand:
        return mul(other, recip(self))

    def __pow__(self, exponent: float) -> Operand:
        """Whole powers, as products, and the square root."""
        if exponent == ROOT:
            return sqrt(self)
        if isinstance(exponent, Node) or exponent != round(exponent):
            raise TypeError("a traced scalar has whole powers and sqrt only")
        square: Operand = self if exponent > 0 else recip(self)
        result: Operand = 1.0
        for digit in reversed(f"{abs(round(exponent)):b}"):
            result = mul(result, square) if digit == "1" else result
            square = mul(square, square)
        return result

    def __array_ufunc__(self, ufunc: object, method: str, *inputs: object, **options: object) -> object:
        """NumPy's functions and operators, on a scalar, also together with arrays."""
        from sixvec.compiler.scalar_arrays import applied

        return applied(ufunc, method, *inputs, **options)

    def __array_function__(self, func: object, types: object, args: object, kwargs: object) -> object:
        from sixvec.compiler.scalar_arrays import arranged

        return arranged(func, args, kwargs)

    def __abs__(self) -> Operand:
        return self.graph.intern("abs", self)

    def __lt__(self, other: Operand) -> Node:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.graph.intern("lt", self, _constant(other))

    def __gt__(self, other: Operand) -> Node:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.graph.intern("lt", _constant(other), self)

    def __bool__(self) -> bool:
        raise TypeError("traced code cannot branch on a number; use sixvec.scalar.where(condition, yes, no)")


def recip(x: Operand) -> Operand:
    x = _constant(x)
    if type(x) is float:
        return 1.0 / x if x else math.inf
    assert type(x) is Node
    if x.op == "neg":
        return neg(recip(x.args[0]))  # 1/(-x) = -(1/x)
    if x.op == "recip":
        return x.args[0]  # 1/(1/x) = x
    return x.graph.intern("recip", x)


def fma(a: Operand, b: Operand, c: Operand) -> Operand:
    """a b + c with one rounding.  Created by the fusing pass; equations write a * b + c."""
    graph = next(x.graph for x in (a, b, c) if isinstance(x, Node))
    return graph.intern("fma", a, b, c)


def sqrt(x: Node) -> Operand:
    return x.graph.intern("sqrt", x)


def rint(x: Operand) -> Operand:
    return x.graph.intern("rint", x) if type(x) is Node else float(round(_number(x)))


def wrap(x: Node) -> Node:
    return x.graph.intern("wrap", x)


def sin(x: Operand) -> Operand:
    if type(x) is not Node:
        return math.sin(_number(x))
    if x.op == "neg":
        return neg(sin(x.args[0]))  # sin(-x) = -sin(x)
    return x.graph.intern("sin", x)


def cos(x: Operand) -> Operand:
    if type(x) is not Node:
        return math.cos(_number(x))
    if x.op == "neg":
        return cos(x.args[0])  # cos(-x) = cos(x)
    return x.graph.intern("cos", x)


def arctan2(y: Operand, x: Operand) -> Operand:
    graph = next(a.graph for a in (y, x) if isinstance(a, Node))
    return graph.intern("arctan2", _constant(y), _constant(x))


def arccos(x: Node) -> Operand:
    """By arctan2, which is accurate near ±1, too."""
    return arctan2(sqrt((1.0 - x) * (1.0 + x)), x)  # type: ignore[arg-type]


def where(condition: Node | bool, yes: Operand, no: Operand) -> Operand:
    return _chosen("where", condition, yes, no)


def guard(condition: Node | bool, yes: Operand, no: Operand) -> Operand:
    """As `where`, for a `yes` that takes many operations and is seldom needed: targets may skip them."""
    return _chosen("guard", condition, yes, no)


def _chosen(op: str, condition: Node | bool, yes: Operand, no: Operand) -> Operand:
    yes, no = _constant(yes), _constant(no)
    if type(condition) is not Node:
        return yes if condition else no  # constants were compared, as in arctan2(2, x)
    if yes is no or (type(yes) is float and yes == no and str(yes) == str(no)):
        return yes  # where(c, x, x) = x
    return condition.graph.intern(op, condition, yes, no)


BUILD: dict[str, Callable[..., Operand]] = {
    "neg": neg, "add": add, "sub": sub, "mul": mul, "recip": recip, "fma": fma, "sqrt": sqrt, "abs": abs,
    "rint": rint, "wrap": wrap, "sin": sin, "cos": cos, "arctan2": arctan2, "where": where, "guard": guard,
    "lt": lambda a, b: a < b if isinstance(a, Node) else b > a,
}  # fmt: skip
"""The constructor of every op, so that passes can rebuild a graph from another one."""

assert BUILD.keys() == OPS.keys()
