"""Exact derivatives inside traced functions: Jacobians of functions of scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.compiler.autodiff import Differentiator
from sixvec.compiler.graph import Node
from sixvec.scalar import Scalar


def differentiated(
    function: Callable[[Sequence[Scalar]], Sequence[Scalar]], x: Sequence[Scalar]
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """The values of a function at traced scalars, and its Jacobian as rows, all in the graph that x belongs to.

    The result is traced code itself, so it can be differentiated again: brackets of brackets are exact.

    >>> from sixvec import compiled
    >>> @compiled("x[2] -> J[1,2]")
    ... def slope(x):
    ...     return differentiated(lambda x: [x[0] * x[0] * x[1]], x)[1]
    >>> slope([3.0, 5.0]).tolist()
    [[30.0, 9.0]]
    """
    y = list(function(x))
    seeds = [a for a in x if isinstance(a, Node)]
    chain = Differentiator(_between(y, set(seeds)))
    tangents = [chain.forward({a: 1.0}) if isinstance(a, Node) else {} for a in x]
    columns = [[t.get(v, 0.0) if isinstance(v, Node) else 0.0 for v in y] for t in tangents]
    return y, [list(row) for row in zip(*columns, strict=True)]


def _between(y: Sequence[Any], seeds: set[Node]) -> list[Node]:
    """The operations that y needs, from the seeds on; the operations before the seeds are excluded."""
    between: set[Node] = set()
    stack = [v for v in y if isinstance(v, Node)]
    while stack:
        node = stack.pop()
        if node not in between and node not in seeds:
            between.add(node)
            stack.extend(a for a in node.args if isinstance(a, Node))
    return sorted(between, key=lambda n: n.id)
