"""Many states in one call: leading axes of the arguments of a function of one state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sixvec.arguments import common_batch
from sixvec.large_trees.constraint_force.namespace import Array, Namespace

Results = tuple[Array, ...]


_AXES = {"external": 2}
"""Of an array of one state; of all others one."""


def over_batch(xp: Namespace, where: str, one: Callable[..., Results], named: Mapping[str, Array | None]) -> Results:
    """`one` for each state, with the keyword arguments that are not None; their leading axes broadcast.

    JAX maps all states at once (`jax.vmap`); elsewhere they are processed in sequence, since the array operations of a
    long chain already use the whole machine.

    >>> given = {"x": np.ones((3, 2)), "y": np.ones(2)}
    >>> (rows,) = over_batch(np, "sum", lambda x, y: (x + y,), given)
    >>> rows.shape
    (3, 2)
    """
    arrays = {name: x for name, x in named.items() if x is not None}
    axes = [_AXES.get(name, 1) for name in arrays]
    leads = [tuple(x.shape)[: len(x.shape) - n] for x, n in zip(arrays.values(), axes, strict=True)]
    if not any(leads):
        return one(*arrays.values())
    batch = common_batch(where, leads, list(arrays), [x.shape for x in arrays.values()])
    count = int(np.prod(batch))
    flat = [_flat(xp, x, batch, count, n) for x, n in zip(arrays.values(), axes, strict=True)]
    if xp.__name__.startswith("jax"):
        parts = _vmap(one)(*flat)
    else:
        # An empty batch has the shapes of a state at zero.
        states = [one(*(x[i] for x in flat)) for i in range(count)] or [one(*(xp.zeros(x.shape[1:]) for x in flat))]
        parts = tuple(xp.stack(list(column), 0)[:count] for column in zip(*states, strict=True))
    return tuple(x.reshape((*batch, *tuple(x.shape)[1:])) for x in parts)


def _flat(xp: Namespace, x: Array, batch: tuple[int, ...], count: int, axes: int) -> Array:
    shape = tuple(x.shape)[len(x.shape) - axes :]
    return xp.broadcast_to(x, (*batch, *shape)).reshape((count, *shape))


def _vmap(one: Callable[..., Results]) -> Any:
    import jax

    return jax.vmap(one)
