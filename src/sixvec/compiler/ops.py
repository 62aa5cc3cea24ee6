"""The op table: for each scalar operation its meaning, its derivative and its cost.

`value` is the meaning, as a function of NumPy arrays.  `partials` gives, from the arguments and the result, the
derivative with respect to each argument (as nodes; None where it is zero by definition).  `cost` is the number that a
scheduler or a reader should count: 1 for one arithmetic instruction, 0 for what instruction selection absorbs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sixvec.compiler.graph import Operand

    Partials = Callable[..., tuple["Operand | None", ...]]


@dataclass(frozen=True, slots=True)
class Op:
    """One row of the table."""

    name: str
    arity: int
    value: Callable[..., Any]
    partials: Partials
    cost: int = 1
    commutative: bool = False


def _wrap(x: Any) -> Any:
    """The angle itself while it is small enough for a fast reduction, else the equal angle in [-π, π]."""
    return np.where(np.abs(x) < WRAP_BEYOND, x, np.arctan2(np.sin(x), np.cos(x)))


WRAP_BEYOND = 1e5
"""Up to here the three-term reduction of sin and cos is accurate; larger angles are wrapped first."""


def _sin(x: Any) -> Any:
    from sixvec.compiler import graph

    return graph.sin(x)


def _cos(x: Any) -> Any:
    from sixvec.compiler import graph

    return graph.cos(x)


def _norm2(y: Any, x: Any) -> Any:
    return x * x + y * y


def _pick(condition: Any, yes: Any, no: Any) -> Any:
    from sixvec.compiler import graph

    return graph.where(condition, yes, no)


def _of_choice(condition: Any, yes: Any, no: Any, y: Any) -> tuple[Any, ...]:
    return None, _pick(condition, 1.0, 0.0), _pick(condition, 0.0, 1.0)


_TABLE = [
    Op("neg", 1, np.negative, lambda x, y: (-1.0,), cost=0),
    Op("add", 2, np.add, lambda a, b, y: (1.0, 1.0), commutative=True),
    Op("sub", 2, np.subtract, lambda a, b, y: (1.0, -1.0)),
    Op("mul", 2, np.multiply, lambda a, b, y: (b, a), commutative=True),
    Op("recip", 1, np.reciprocal, lambda x, y: (-(y * y),), cost=8),
    Op("fma", 3, lambda a, b, c: a * b + c, lambda a, b, c, y: (b, a, 1.0)),
    Op("sqrt", 1, np.sqrt, lambda x, y: (0.5 / y,), cost=8),
    Op("abs", 1, np.abs, lambda x, y: (_pick(x < 0.0, -1.0, 1.0),)),
    Op("rint", 1, np.rint, lambda x, y: (None,)),
    Op("wrap", 1, _wrap, lambda x, y: (1.0,)),
    Op("sin", 1, np.sin, lambda x, y: (_cos(x),), cost=16),
    Op("cos", 1, np.cos, lambda x, y: (-_sin(x),), cost=16),
    Op("arctan2", 2, np.arctan2, lambda b, a, y: (a / _norm2(b, a), -(b / _norm2(b, a))), cost=32),
    Op("lt", 2, np.less, lambda a, b, y: (None, None)),
    Op("where", 3, np.where, _of_choice),
    Op("guard", 3, np.where, _of_choice),
]

OPS: dict[str, Op] = {op.name: op for op in _TABLE}
"""All operations under their names."""

CHOICES = frozenset(("where", "guard"))
"""Operations whose first argument is a comparison.  They mean the same; a guard may skip what only `yes` needs."""

COMMUTATIVE = frozenset(op.name for op in _TABLE if op.commutative)
"""Their arguments are in the order of creation."""
