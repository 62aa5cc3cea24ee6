"""The library of an array."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, TypeAlias

from sixvec.errors import ArgumentError, DtypeError

Array: TypeAlias = Any
"""An array of NumPy, CuPy, JAX or PyTorch."""

Namespace: TypeAlias = Any
"""The module with that library's `matmul`, `concatenate`, `linalg.inv`, …"""


def array_namespace(x: Array) -> Namespace:
    """The module whose functions work on arrays like `x`, by the array-API protocol, else by the module of its type.

    >>> import numpy as np
    >>> array_namespace(np.zeros(2)) is np
    True
    """
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    return importlib.import_module(type(x).__module__.partition(".")[0])


def as_array(name: str, x: Any, like: Array) -> Array:
    """An array unchanged; anything else as an array of the library and type of `like`.

    >>> import numpy as np
    >>> as_array("tau", [0, 1], np.zeros(3)).tolist()
    [0.0, 1.0]
    """
    if hasattr(x, "shape"):
        return x
    if isinstance(x, Mapping):
        raise ArgumentError(f"{name} must be an array, not a mapping")
    try:
        return array_namespace(like).asarray(x, dtype=like.dtype)
    except (TypeError, ValueError) as problem:
        raise DtypeError(f"{name} is not an array of real numbers: {problem}") from None
