"""Parallel prefix: every partial product of a sequence in ⌈log₂ n⌉ steps."""

from __future__ import annotations

from collections.abc import Callable

from sixvec.large_trees.constraint_force.namespace import Array, Namespace


def prefix_products(xp: Namespace, T: Array) -> Array:
    """T₀, T₀T₁, T₀T₁T₂, … of matrices (n, k, k), by doubling the span of every product (Hillis and Steele 1986).

    Homogeneous matrices [R p; 0 1] compose poses; [R ω; 0 1] orientations and, with the same rule, angular velocities.

    >>> import numpy as np
    >>> from sixvec.large_trees.constraint_force import prefix_products
    >>> prefix_products(np, np.array([[[2.0]], [[3.0]], [[5.0]]])).ravel().tolist()
    [2.0, 6.0, 30.0]
    """
    return _doubled(T, lambda T, span: xp.concatenate([T[:span], T[:-span] @ T[span:]], 0))


def suffix_sums(xp: Namespace, x: Array) -> Array:
    """x₀ + x₁ + …, x₁ + x₂ + …, …: the sums from each entry to the last, by doubling.

    >>> import numpy as np
    >>> from sixvec.large_trees.constraint_force import suffix_sums
    >>> suffix_sums(np, np.array([1.0, 2.0, 4.0])).tolist()
    [7.0, 6.0, 4.0]
    """
    return _doubled(x, lambda x, span: xp.concatenate([x[:-span] + x[span:], x[-span:]], 0))


def prefix_sums(xp: Namespace, x: Array) -> Array:
    """x₀, x₀ + x₁, …, by doubling.

    >>> import numpy as np
    >>> prefix_sums(np, np.array([1.0, 2.0, 4.0])).tolist()
    [1.0, 3.0, 7.0]
    """
    return _doubled(x, lambda x, span: xp.concatenate([x[:span], x[:-span] + x[span:]], 0))


def _doubled(x: Array, step: Callable[[Array, int], Array]) -> Array:
    span = 1
    while span < len(x):
        x, span = step(x, span), 2 * span
    return x


def prefix_levels(n: int) -> int:
    """The number of dependent steps of a prefix over n entries.

    >>> from sixvec.large_trees.constraint_force import prefix_levels
    >>> [prefix_levels(n) for n in (1, 2, 3, 4, 5, 2**20)]
    [0, 1, 2, 2, 3, 20]
    """
    return max(n - 1, 0).bit_length()
