"""Compiled functions on CuPy arrays: on their device, on CuPy's current stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.compiler.runtime.cuda import cupy, on_device
from sixvec.errors import ArgumentError, DtypeError
from sixvec.kernels.any_arrays import flat
from sixvec.kernels.devices import constants_on_device, device_function, with_parts
from sixvec.kernels.portable import Portable


def call(function: Portable, arrays: Sequence[Any], out: Any = None) -> Any:
    """The function's results as CuPy arrays."""
    function.require_count(arrays)
    if out is not None:
        raise ArgumentError(f"{function.name}: out= is for NumPy arrays; results on the device are new arrays")
    results = on_device(function, function.is_fast)(*_of_one_device(function, arrays))
    return results[0] if function.result_type is None else function.result_type(*results)


def _of_one_device(function: Portable, arrays: Sequence[Any]) -> list[Any]:
    """The arguments on the current device; numbers have the precision of the other arrays."""
    xp = cupy()
    here = xp.cuda.Device().id
    on_device_already = [x for x in arrays if isinstance(x, xp.ndarray)]
    for port, x in zip(function.inputs, arrays, strict=True):
        if isinstance(x, xp.ndarray) and x.device.id != here:
            raise ArgumentError(
                f"{function.name}: {port.name} is on CUDA device {x.device.id}, but device {here} is the current one; "
                f"call it within cupy.cuda.Device({x.device.id})"
            )
    dtype = "float32" if all(x.dtype == "float32" for x in on_device_already) else "float64"
    moved = []
    for port, x in zip(function.inputs, arrays, strict=True):
        try:
            moved.append(x if isinstance(x, xp.ndarray) else xp.asarray(x, dtype))
        except (TypeError, ValueError):
            raise DtypeError(f"{function.name}: {port.name} must hold real numbers, not {x!r}") from None
    return moved


def stacked(what: str, x: Any) -> Any:
    """A list of CuPy arrays as one array."""
    try:
        return cupy().stack([stacked(what, entry) if isinstance(entry, list | tuple) else entry for entry in x])
    except (TypeError, ValueError) as problem:
        raise ArgumentError(f"{what} is a list with CuPy arrays that do not stack: {problem}") from None


def placeholder(x: Any, unknown: float = float("nan"), own: int | None = None) -> Any:
    """A placeholder for an array on the device, without waiting for its values; `own` axes are not batch axes.

    The batch axes have length one.
    """
    if not isinstance(x, cupy().ndarray):
        return x
    if x.dtype not in ("float32", "float64"):
        raise DtypeError(f"arrays on the device must be float32 or float64, not {x.dtype}")
    return shape_alone(x.shape, str(x.dtype), unknown, own)


def shape_alone(shape: tuple[int, ...], dtype: str, unknown: float, rank: int | None) -> Any:
    """An array of unknown numbers, with batch axes of length one."""
    batch = 0 if rank is None else max(0, len(shape) - rank)
    return np.full((1,) * batch + tuple(shape[batch:]), unknown, dtype)


def rollout(loop: Any, arrays: Sequence[tuple[Any, Any]]) -> Any:
    """Positions and velocities of a path; `arrays` are the inputs of the loop, each with an array of its rank."""
    xp = cupy()
    fitted = [
        _fitted(xp, x, like, p.shape) if isinstance(x, xp.ndarray) else like
        for (x, like), p in zip(arrays, loop.inputs, strict=True)
    ]
    q, v = call(loop, fitted)[loop.carried :][:2]  # held frames have a gap, too
    return q, v


def _fitted(xp: Any, x: Any, like: Any, shape: tuple[int, ...]) -> Any:
    """Constant inputs are broadcast over all steps, without copies."""
    x = x[..., 0, :] if x.ndim > like.ndim else x
    return xp.broadcast_to(x, x.shape[: x.ndim - len(shape)] + shape)


def call_method(robot: Any, method: Any, arguments: dict[str, Any]) -> Any:
    """The result of a method that computes on the device, with the precision of its arguments."""
    compute = device_function(method)
    if compute is None:
        raise ArgumentError(f"{method.__name__} computes on the CPU; give it NumPy arrays: cupy.asnumpy")
    xp = cupy()
    result = compute(robot, **constants_on_device(arguments, xp))
    floats = [x for _, x in flat(arguments.items()) if isinstance(x, xp.ndarray)]
    return with_parts(result, xp.ndarray, _single) if all(x.dtype == "float32" for x in floats) else result


def _single(x: Any) -> Any:
    return x.astype("float32") if x.dtype == "float64" else x
