"""Every rewrite at construction: what it turns an expression into, and that the meaning stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naming import named
from sixvec.compiler.background import Flat
from sixvec.compiler.graph import BUILD, Node, cos, neg, recip, sin, where
from sixvec.compiler.interpret import interpret
from sixvec.compiler.program import Port, trace

Expression = Callable[[Any, Any], Any]

REWRITES: dict[str, tuple[Expression, int, Expression]] = {
    # law: (expression, operations left, its meaning in NumPy)
    "x + 0 = x": (lambda x, y: x + 0.0, 0, lambda x, y: x),
    "0 + x = x": (lambda x, y: 0.0 + x, 0, lambda x, y: x),
    "x - 0 = x": (lambda x, y: x - 0.0, 0, lambda x, y: x),
    "0 - x = -x": (lambda x, y: 0.0 - x, 1, lambda x, y: -x),
    "x - x = 0": (lambda x, y: x - x, 0, lambda x, y: 0 * x),
    "1 x = x": (lambda x, y: 1.0 * x, 0, lambda x, y: x),
    "0 x = 0": (lambda x, y: 0.0 * x, 0, lambda x, y: 0 * x),
    "-1 x = -x": (lambda x, y: -1.0 * x, 1, lambda x, y: -x),
    "-(-x) = x": (lambda x, y: neg(-x), 0, lambda x, y: x),
    "a + (-b) = a - b": (lambda x, y: x + (-y), 1, lambda x, y: x - y),
    "(-a) + b = b - a": (lambda x, y: (-x) + y, 1, lambda x, y: y - x),
    "a - (-b) = a + b": (lambda x, y: x - (-y), 1, lambda x, y: x + y),
    "(-a) - b = -(a + b)": (lambda x, y: (-x) - y, 2, lambda x, y: -x - y),
    "(-a)(-b) = a b": (lambda x, y: (-x) * (-y), 1, lambda x, y: x * y),
    "(-c) x = -(c x)": (lambda x, y: x * y - (-3.0) * x, 3, lambda x, y: x * y + 3 * x),
    "(x c) d = x (c d)": (lambda x, y: (x * 3.0) * 5.0, 1, lambda x, y: 15 * x),
    "a + b = b + a": (lambda x, y: (x + y) - (y + x), 0, lambda x, y: 0 * x),
    "a b = b a": (lambda x, y: (x * y) - (y * x), 0, lambda x, y: 0 * x),
    "a - b = -(b - a)": (lambda x, y: (x - y) * (y - x), 3, lambda x, y: -((x - y) ** 2)),
    "x (1/x) = 1": (lambda x, y: x * (1.0 / x), 0, lambda x, y: x / x),
    "(x (1/y)) y = x": (lambda x, y: (x / y) * y, 0, lambda x, y: x),
    "(x (1/y)) y = x, divided first": (lambda x, y: (recip(y) * x) * y, 0, lambda x, y: x),
    "y (x (1/y)) = x": (lambda x, y: y * (x / y), 0, lambda x, y: x),
    "(1/y) (x y) = x": (lambda x, y: recip(y) * (x * y), 0, lambda x, y: x),
    "(-x) (1/x) = -1": (lambda x, y: (-x) * (1.0 / x), 0, lambda x, y: -x / x),
    "x (1/(-x)) = -1": (lambda x, y: x * (1.0 / -x), 0, lambda x, y: -x / x),
    "(1/x) (-x) = -1": (lambda x, y: recip(x) * (-x), 0, lambda x, y: -x / x),
    "((-x) (1/y)) y = -x": (lambda x, y: (-x / y) * y, 1, lambda x, y: -x),
    "y (x (1/(-y))) = -x": (lambda x, y: y * (x / -y), 1, lambda x, y: -x),
    "1/(1/x) = x": (lambda x, y: recip(recip(x)), 0, lambda x, y: x),
    "1/(-x) = -(1/x)": (lambda x, y: y + recip(-x), 2, lambda x, y: y - 1 / x),
    "sin(-x) = -sin(x)": (lambda x, y: sin(-x) + sin(x), 0, lambda x, y: 0 * x),
    "cos(-x) = cos(x)": (lambda x, y: cos(-x) - cos(x), 0, lambda x, y: 0 * x),
    "where(c, x, x) = x": (lambda x, y: where(x < y, x, x), 0, lambda x, y: x),
}


def program_of(expression: Expression):
    return trace("p", [Port("x", (2,))], lambda x: [(Port("y", ()), [expression(*x)])])


@pytest.mark.parametrize("law", REWRITES)
def test_rewrite(law: str) -> None:
    expression, left, meaning = REWRITES[law]
    program = program_of(expression)
    assert sum(1 for n in program.nodes if n.op != "input") == left
    x = np.random.default_rng(0).uniform(0.5, 2.0, (100, 2))
    assert np.allclose(interpret(program, {"x": x})[0], meaning(*x.T), rtol=1e-14)


_LEAF = st.sampled_from(["x", "y", 0.0, 1.0, -1.0, 2.0, -0.5])
_TREE = st.recursive(_LEAF, lambda t: st.tuples(st.sampled_from("+-*/~"), t, t), max_leaves=12)
_LEAST_DIVISOR = 0.25
"""Smaller divisors would show the rounding of what stands below them."""


def _build(tree: Any, x: Any, y: Any) -> Any:
    if not isinstance(tree, tuple):
        return {"x": x, "y": y}.get(tree, tree) if isinstance(tree, str) else tree
    op, a, b = tree[0], _build(tree[1], x, y), _build(tree[2], x, y)
    if op == "/" and isinstance(b, float):
        assume(abs(b) > _LEAST_DIVISOR)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "~": lambda: -a}[op]()


@given(tree=_TREE, x=st.floats(-3, 3), y=st.floats(-3, 3))
@settings(deadline=None, max_examples=300)
def test_any_expression_keeps_its_meaning(tree: Any, x: float, y: float) -> None:
    meaning = _build(tree, x, y)
    program = program_of(lambda a, b: _build(tree, a, b))
    (found,) = interpret(program, {"x": np.array([x, y])})
    assert np.isclose(found, meaning, rtol=1e-12, atol=1e-12)


def test_a_traced_number_cannot_decide_an_if() -> None:
    with pytest.raises(TypeError, match=named("sixvec.scalar.where")):
        program_of(lambda x, y: x if x < y else y)


def test_numpy_does_not_swallow_nodes() -> None:
    program = program_of(lambda x, y: np.float64(2.0) * x)
    assert isinstance(program.results[0][0], Node)


def test_zeros_of_either_sign_are_two_constants_of_where() -> None:
    def run(x: Any) -> Any:
        return [where(x[0] < 1.0, 0.0, x[0]), where(x[0] < 1.0, -0.0, x[0]), where(x[0] < 0.5, -0.0, 0.0)]

    program = trace("zeros", [Port("x", (1,))], lambda x: [(Port("y", (3,)), run(x))])
    (found,) = interpret(program, {"x": np.array([0.3])})
    assert np.signbit(found).tolist() == [False, True, True]
    again = Flat.of(program).program()  # which knows no rewrites
    assert again.digest == program.digest


def test_constants_are_computed_at_once() -> None:
    two, three = 2.0, 3
    assert BUILD["add"](two, three) == 5.0 and BUILD["sub"](two, three) == -1.0 and BUILD["mul"](two, three) == 6.0
    assert BUILD["neg"](two) == -2.0 and BUILD["rint"](2.6) == 3.0 and BUILD["rint"](-0.5) == 0.0
    assert recip(4.0) == 0.25 and recip(0.0) == np.inf
    assert sin(0.5) == np.sin(0.5) and cos(0.5) == np.cos(0.5)
    assert where(True, 1.0, 2.0) == 1.0 and where(False, 1.0, 2.0) == 2.0


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        (lambda x, y: (-x) + 2.0, ["sub"]),
        (lambda x, y: neg(x - y) + (y - x), ["sub", "add", "neg"]),
        (lambda x, y: (y - x) * neg(x - y), ["sub", "mul"]),
        (lambda x, y: where(x < y, 2.0, 2.0) + x, ["add"]),
        (lambda x, y: where(x < y, 0.0, -0.0), ["lt", "where"]),
        (lambda x, y: where(x < y, 1.0, -1.0), ["lt", "where"]),
        (lambda x, y: (x * 3.0) * -5.0, ["mul", "neg"]),
        (lambda x, y: (x * y) * 5.0, ["mul", "mul"]),
        (lambda x, y: 5.0 - (-x), ["add"]),
        (lambda x, y: 5.0 - x, ["sub"]),
        (lambda x, y: (x * 4.0) / 4.0, []),
    ],
)
def test_operations_that_are_left(expression: Expression, left: list[str]) -> None:
    assert [n.op for n in program_of(expression).nodes if n.op != "input"] == left
