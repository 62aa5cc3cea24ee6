"""Arguments of calls as torch tensors, checked, and the numbers that a tensor has: what calls and methods share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from sixvec.arguments import require_shape
from sixvec.compiler.call import as_array
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.interop.torch_cuda import PLAIN
from sixvec.kernels import Port
from sixvec.kernels.portable import Portable


def as_tensors(function: Portable, arrays: Sequence[Any]) -> list[torch.Tensor]:
    """The arguments as tensors that fit: of one device and of single or double precision."""
    function.require_count(arrays)
    named_tensors = [(p, x) for p, x in zip(function.inputs, arrays, strict=True) if isinstance(x, torch.Tensor)]
    device = require_one_device(function.name, [(p.name, x) for p, x in named_tensors], ("cpu", "cuda"))
    for port, x in named_tensors:
        if x.dtype not in (torch.float32, torch.float64):
            raise DtypeError(
                f"{function.name}: {port.name} is {x.dtype}, but kernels compute in torch.float32 or torch.float64; "
                f"convert it first: {port.name}.double()"
            )
    single = all(x.dtype == torch.float32 for _, x in named_tensors)
    dtype = torch.float32 if single else torch.float64
    tensors = [
        x if isinstance(x, torch.Tensor) else _on(device, _tensor(x, p, dtype, function.name))
        for p, x in zip(function.inputs, arrays, strict=True)
    ]
    for port, x in zip(function.inputs, tensors, strict=True):
        if tuple(x.shape[max(0, x.ndim - len(port.shape)) :]) != port.shape:
            require_shape(f"{function.name}: {port.name}", x, *port.shape)
    return tensors


def require_one_device(
    where: str, tensors: Sequence[tuple[str, torch.Tensor]], kinds: tuple[str, ...] = ("cpu",)
) -> torch.device:
    """The device of all these tensors; raise an error for several, and for devices of other kinds."""
    devices = {x.device for _, x in tensors}
    if len(devices) > 1:
        places = ", ".join(f"{name} is on {x.device}" for name, x in tensors)
        raise ArgumentError(f"{where}: all tensors must be on one device, but {places}")
    for name, x in tensors:
        if x.device.type not in kinds:
            places = "the CPU or a CUDA device" if "cuda" in kinds else "the CPU"
            raise ArgumentError(f"{where}: {name} is on {x.device}; kernels take tensors on {places}: {name}.cpu()")
        if x.is_nested:
            raise ArgumentError(f"{where}: {name} is a nested tensor; call {where} for each of {name}.unbind()")
        if x.layout != torch.strided:
            raise ArgumentError(f"{where}: {name} is a {x.layout} tensor; kernels take dense ones: {name}.to_dense()")
    return devices.pop() if devices else torch.device("cpu")


def _tensor(x: Any, port: Port, dtype: torch.dtype, where: str) -> torch.Tensor:
    """Arguments other than tensors are constants with the precision of the tensors."""
    if isinstance(x, np.ndarray):
        return torch.tensor(as_array(x, port, where), dtype=dtype)
    try:
        return torch.tensor(x, dtype=dtype)
    except (TypeError, ValueError, RuntimeError):
        raise DtypeError(f"{where}: {port.name} must hold real numbers, not {x!r}") from None


def _on(device: torch.device, x: torch.Tensor) -> torch.Tensor:
    """On a device a single number is written, not copied, which CUDA graphs cannot record."""
    return x.to(device) if device.type == "cpu" or x.numel() != 1 else torch.full_like(x, x.item(), device=device)


def stacked(what: str, x: Any) -> torch.Tensor:
    """A list of tensors and numbers as one tensor, with derivatives with respect to its entries."""
    parts = [stacked(what, entry) if isinstance(entry, list | tuple) else entry for entry in x]
    tensors = [tensor for tensor in parts if isinstance(tensor, torch.Tensor)]
    if bad := [str(part.dtype) for part in tensors if part.is_complex()]:
        raise DtypeError(f"{what} must hold real numbers, not {bad[0]}")
    single = bool(tensors) and all(part.dtype == torch.float32 for part in tensors)
    dtype = torch.float32 if single else torch.float64
    try:
        return torch.stack([torch.as_tensor(part, dtype=dtype) for part in parts])
    except (TypeError, ValueError):
        raise DtypeError(f"{what} must hold real numbers, not {x!r}") from None
    except RuntimeError as problem:
        raise ShapeError(f"{what} is not an array: {problem}") from None


def constant(x: Any, like: torch.Tensor) -> torch.Tensor:
    """Numbers as a tensor of the precision of another one."""
    return torch.as_tensor(x, dtype=like.dtype, device=like.device)


def placeholder(x: Any, unknown: float = float("nan"), own: int | None = None) -> Any:
    """The values of a tensor, for checks; inside a transformation or on a device they are unknown."""
    if not isinstance(x, torch.Tensor):
        return x
    if x.device.type == "cuda" and x.is_floating_point():
        from sixvec.interop.cupy import shape_alone

        return shape_alone(tuple(x.shape), str(x.dtype).removeprefix("torch."), unknown, own)
    if type(x) not in PLAIN or torch._C._functorch.is_functorch_wrapped_tensor(x):
        return np.full(tuple(x.shape), unknown, str(x.dtype).removeprefix("torch."))
    try:
        with torch._C._DisableFuncTorch():  # otherwise `detach` wraps a constant of a transformed function
            return x.detach().cpu().resolve_neg().numpy()
    except (TypeError, RuntimeError) as problem:  # of a precision, layout or device that NumPy does not support
        raise DtypeError(f"a tensor of {x.dtype} on {x.device} has no numbers to compute with: {problem}") from problem


def evaluated(
    function: Any, shapes: Sequence[tuple[int, ...]], kinds: Sequence[Any], x: torch.Tensor
) -> list[torch.Tensor] | None:
    """The results of a NumPy function of batches (..., n) as constants; None where the numbers of x are not known.

    Those of a tensor on a device are copied there and back.
    """
    if is_wrapped(x):
        return None
    results = function(np.asarray(x.detach().cpu() if x.device.type == "cuda" else placeholder(x), float))
    constants = [torch.from_numpy(np.array(result, kind)) for result, kind in zip(results, kinds, strict=True)]
    return [c.to(x.device) for c in constants]


def constant_of(x: torch.Tensor) -> torch.Tensor:
    """The same numbers without derivatives."""
    return x.detach()


def is_wrapped(x: torch.Tensor) -> bool:
    return type(x) not in PLAIN or bool(torch._C._functorch.is_functorch_wrapped_tensor(x))
