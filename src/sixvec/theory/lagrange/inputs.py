"""Arguments of the functions of this package: vectors of matching sizes."""

from __future__ import annotations

from numpy.typing import ArrayLike

from sixvec.arguments import Array, common_batch, real_array


def vectors(where: str, **arguments: tuple[ArrayLike, int]) -> tuple[Array, ...]:
    """Named vectors or batches of them, with the number of entries each needs; their batches must broadcast.

    >>> q, v = vectors("momenta", q=([0.0, 0.0], 2), v=([[1.0, 0.0], [0.0, 1.0]], 2))
    >>> q.shape, v.shape
    ((2,), (2, 2))
    """
    arrays = {name: real_array(f"{where}: {name}", x, size) for name, (x, size) in arguments.items()}
    common_batch(where, [x.shape[:-1] for x in arrays.values()], list(arrays))
    return tuple(arrays.values())
