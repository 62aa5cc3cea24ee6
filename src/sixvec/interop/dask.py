"""dask infers the type of a function's results by calling it on arrays of one entry, ignoring its signature."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

_MOST_FRAMES = 12


def is_asking() -> bool:
    """Whether the current call comes from dask's `apply_infer_dtype`, which needs only the type."""
    frame: Any = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return False
        if frame.f_code.co_name == "apply_infer_dtype" and frame.f_globals.get("__name__", "").startswith("dask."):
            return True
        frame = frame.f_back
    return False


def answer(function: Any, arrays: tuple[Any, ...]) -> Any:
    """Arrays of the type that a call on these would have."""
    single = all(np.asarray(x).dtype == np.float32 for x in arrays)
    results = [np.zeros((1,) * (1 + len(p.shape)), np.float32 if single else np.float64) for p in function.outputs]
    return results[0] if function.result_type is None else function.result_type(*results)
