"""Many states in one call: leading axes of the arguments of a function of one state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sixvec.border import common_batch
from sixvec.large_trees.constraint_force.namespace import Array, Namespace

Results = tuple[Array, ...]


def over_batch(
    xp: Namespace, where: str, one: Callable[..., Results], given: Mapping[str, Array], axes: Mapping[str, int]
) -> Results:
    """`one` for each state; `axes` gives the number of axes per state of each array, the leading ones broadcast.

    JAX maps all states at once (`jax.vmap`); elsewhere they are processed in sequence, since the array operations of a
    long chain already use the whole machine.

    >>> given = {"x": np.ones((3, 2)), "y": np.ones(2)}
    >>> (rows,) = over_batch(np, "sum", lambda x, y: (x + y,), given, {"x": 1, "y": 1})
    >>> rows.shape
    (3, 2)
    """
    leads = {name: tuple(x.shape)[: len(x.shape) - axes[name]] for name, x in given.items()}
    if not any(leads.values()):
        return one(*given.values())
    batch = common_batch(where, list(leads.values()), list(given), [x.shape for x in given.values()])
    count = int(np.prod(batch))
    flat = [_flat(xp, x, batch, count, axes[name]) for name, x in given.items()]
    if xp.__name__.startswith("jax"):
        parts = _vmap(one)(*flat)
    else:
        # An empty batch has the shapes of a state at zero.
        states = [one(*(x[i] for x in flat)) for i in range(count)] or [one(*(xp.zeros(x.shape[1:]) for x in flat))]
        parts = tuple(xp.stack(list(column), 0)[:count] for column in zip(*states, strict=True))
    return tuple(x.reshape((*batch, *tuple(x.shape)[1:])) for x in parts)


def _flat(xp: Namespace, x: Array, batch: tuple[int, ...], count: int, axes: int) -> Array:
    own = tuple(x.shape)[len(x.shape) - axes :]
    return xp.broadcast_to(x, (*batch, *own)).reshape((count, *own))


def _vmap(one: Callable[..., Results]) -> Any:
    import jax

    return jax.vmap(one)
