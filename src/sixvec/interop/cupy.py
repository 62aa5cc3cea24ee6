"""Compiled functions on CuPy arrays: on their device, on CuPy's current stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.compiler.runtime.cuda import cupy, on_device
from sixvec.errors import ArgumentError
from sixvec.kernels.portable import Portable


def call(function: Portable, arrays: Sequence[Any], out: Any = None) -> Any:
    """The function's results as CuPy arrays."""
    function.require_count(arrays)
    if out is not None:
        raise ArgumentError(f"{function.name}: out= is for NumPy arrays; results on the device are new arrays")
    xp = cupy()
    given = [x if isinstance(x, xp.ndarray) else xp.asarray(x, "float64") for x in arrays]
    results = on_device(function)(*given)
    return results[0] if function.result_type is None else function.result_type(*results)


def shadow(x: Any) -> Any:
    """Paths are computed on the CPU."""
    raise ArgumentError("rollouts run on the CPU; give them NumPy arrays: cupy.asnumpy")


def answer(robot: Any, method: Any, given: dict[str, Any]) -> Any:
    """Methods that are no kernels compute on the CPU."""
    raise ArgumentError(f"{method.__name__} computes on the CPU; give it NumPy arrays: cupy.asnumpy")
