"""Arguments of the functions of this package: robots or their models, and arrays of matching sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.border import common_batch, real_array
from sixvec.errors import ShapeError
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.robot import Robot

Array = NDArray[np.float64]


def as_robot(given: Robot | Model, where: str) -> Robot:
    """A robot unchanged, or one made from a model.

    >>> import sixvec
    >>> as_robot(sixvec.load("panda").model, "EulerLagrange")
    <Robot panda: 7 joints, nq 7, nv 7, 9 frames>
    """
    return given if isinstance(given, Robot) else Robot(require_model(given, where))


def vector(where: str, name: str, given: ArrayLike, size: int) -> Array:
    """One vector of that many numbers.

    >>> vector("inverse_dynamics", "v", [0.0, 0.0], 3)
    Traceback (most recent call last):
    sixvec.errors.ShapeError: inverse_dynamics: v has shape (2,), but (3,) is needed
    """
    found = real_array(f"{where}: {name}", given)
    if found.shape != (size,):
        raise ShapeError(f"{where}: {name} has shape {found.shape}, but ({size},) is needed")
    return found


def vectors(where: str, **given: tuple[ArrayLike, int]) -> tuple[Array, ...]:
    """Vectors or batches of them, by name with the number of entries each needs; their batches must broadcast.

    >>> q, v = vectors("momenta", q=([0.0, 0.0], 2), v=([[1.0, 0.0], [0.0, 1.0]], 2))
    >>> q.shape, v.shape
    ((2,), (2, 2))
    """
    found = {name: real_array(f"{where}: {name}", x) for name, (x, _) in given.items()}
    for name, (_, size) in given.items():
        if found[name].shape[-1:] != (size,):
            raise ShapeError(f"{where}: {name} has shape {found[name].shape}, but (..., {size}) is needed")
    common_batch(where, [x.shape[:-1] for x in found.values()], list(found))
    return tuple(found.values())
