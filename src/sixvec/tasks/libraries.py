"""Arguments and results of stacks in arrays of torch, JAX and CuPy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from sixvec.arguments import Array, real_array
from sixvec.kernels.portable import as_one_array, interop, library_of


def checked_array(name: str, x: Any, *shape: int) -> tuple[Any, Array]:
    """An array of any library, and its values where they are known; NaN on devices and where derivatives are taken."""
    x = as_one_array(name, name, x)
    library = library_of(x)
    if library in (None, "numpy"):
        known = real_array(name, x, *shape)
        return known, known
    return x, real_array(name, interop(library).placeholder(x, own=len(shape)), *shape)


def with_steps(x: Any, axes: int, count: int) -> Any:
    """Targets (steps, ..., shape) as (..., steps, shape), the same for all steps without copies."""
    xp = namespace(x)
    moved = xp.moveaxis(x, 0, -1 - axes) if x.ndim > axes else x[None]
    shape = tuple(moved.shape)
    return xp.broadcast_to(moved, (*shape[: len(shape) - axes - 1], count, *shape[len(shape) - axes :]))


def namespace(x: Any) -> Any:
    """The library of functions for an array."""
    library = library_of(x)
    return np if library is None else import_module({"jax": "jax.numpy"}.get(library, library))


def whole_numbers(x: Any) -> Any:
    """An array of small whole numbers in 8 bits."""
    return x.char() if library_of(x) == "torch" else x.astype("int8")


def as_numpy(x: Any) -> Any:
    """An array of any library in NumPy."""
    library = library_of(x)
    if library == "cupy":
        return x.get()
    return x.detach().cpu().numpy() if library == "torch" else np.asarray(x)


def common_library(arrays: Sequence[Any]) -> bool:
    """Whether some array is not of NumPy."""
    return any(library_of(x) not in (None, "numpy") for x in arrays)
