"""Which library an array belongs to."""

from __future__ import annotations

import importlib
from typing import Any, TypeAlias

Array: TypeAlias = Any
"""An array of NumPy, CuPy, JAX or PyTorch."""

Namespace: TypeAlias = Any
"""The module with that library's `matmul`, `concatenate`, `linalg.inv`, …"""


def array_namespace(x: Array) -> Namespace:
    """The module whose functions work on arrays like `x`, by the array-API protocol, else by where its type lives.

    >>> import numpy as np
    >>> array_namespace(np.zeros(2)) is np
    True
    """
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    return importlib.import_module(type(x).__module__.partition(".")[0])
