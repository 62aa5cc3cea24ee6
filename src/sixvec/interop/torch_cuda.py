"""Tensors on a CUDA device: one launch on torch's stream, into torch's memory, with as little Python as possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import torch

from sixvec.compiler.runtime.cuda import CudaKernel, cupy, on_device
from sixvec.errors import DeviceMemoryError
from sixvec.interop.posed import following
from sixvec.kernels.portable import Portable
from sixvec.verdict import Verdict

PLAIN = (torch.Tensor, torch.nn.Parameter)
PRECISIONS = {torch.float32: "float32", torch.float64: "float64"}


def is_dual(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether transformations of `torch.func` are active."""
    return bool(torch._C._are_functorch_transforms_active()) or bool(torch.autograd.forward_ad._current_level >= 0)


def run_on_device(function: Portable, tensors: Sequence[torch.Tensor], device: torch.device) -> list[torch.Tensor]:
    """On torch's current stream, into torch's memory, so that its CUDA graphs can record it."""
    if torch.cuda.current_device() != device.index:
        with torch.cuda.device(device):
            return run_on_device(function, tensors, device)
    kernel = on_device(function, function.is_fast)
    stream = torch._C._cuda_getCurrentRawStream(device.index)
    try:
        found = _directly(kernel, tensors, device, stream)
        return _converted(cupy(), kernel, tensors, device, stream) if found is None else found
    except torch.OutOfMemoryError as problem:
        raise DeviceMemoryError(
            f"{function.name}: {device} has no memory for the results; give fewer samples at a time ({problem})"
        ) from None


def at_once(function: Portable, arrays: Sequence[Any]) -> Any:
    """The results for tensors on the current device that need no derivatives and no conversion; else None."""
    first: Any = arrays[0] if arrays else None
    if type(first) not in PLAIN or not first.is_cuda or len(arrays) != len(function.inputs):
        return None
    device = first.device
    if device.index != torch.cuda.current_device() or torch.compiler.is_compiling() or is_dual(()):
        return None
    grad = torch.is_grad_enabled()
    for x in arrays:
        if type(x) not in PLAIN or x.device != device or x.dtype not in PRECISIONS or (grad and x.requires_grad):
            return None
    return run_on_device(function, arrays, device)


def _directly(kernel: Any, tensors: Sequence[torch.Tensor], device: torch.device, stream: int) -> Any:
    """One launch on contiguous tensors of one batch shape; None if they are not."""
    if not isinstance(kernel, CudaKernel) or len(tensors) != len(kernel.inputs):
        return None
    dtype, batch, deepest = tensors[0].dtype, None, 0
    places, shared = [], []
    for t, port in zip(tensors, kernel.inputs, strict=True):
        lead = t.ndim - len(port.shape)
        shape = tuple(t.shape)
        if lead < 0 or shape[lead:] != port.shape or t.dtype is not dtype or not t.is_contiguous() or t.is_neg():
            return None
        own, one = shape[:lead], t.numel() == port.size
        if not one and batch is not None and own != batch:
            return None
        batch, deepest = batch if one else own, max(deepest, lead)
        places.append(t.data_ptr())
        shared.append(one)
    if batch is None or deepest > len(batch):
        return None
    program = kernel.direct(PRECISIONS[dtype])
    if program is None:
        return None
    results = [torch.empty(batch + p.shape, dtype=dtype, device=device) for p in kernel.outputs]
    if count := math.prod(batch):
        program.direct(count, places, shared, [x.data_ptr() for x in results], stream)
    return results


def _converted(
    xp: Any, kernel: Any, tensors: Sequence[torch.Tensor], device: torch.device, stream: int
) -> list[torch.Tensor]:
    """Through CuPy, which converts and broadcasts where needed."""

    def empty(shape: tuple[int, ...], dtype: str) -> torch.Tensor:
        return torch.empty(shape, dtype=getattr(torch, dtype), device=device)

    with xp.cuda.Device(device.index), _stream(xp, stream):
        found: list[torch.Tensor] = kernel(*(xp.asarray(t.detach().resolve_neg()) for t in tensors), empty=empty)
        return found


def _stream(xp: Any, stream: int) -> Any:
    """torch's stream as CuPy's; under another name from version 14 on."""
    made = getattr(xp.cuda.Stream, "from_external", None)
    return xp.cuda.ExternalStream(stream) if made is None else made(_Pointer(stream))


class _Pointer:
    """A stream in the exchange format of CUDA libraries."""

    def __init__(self, stream: int) -> None:
        self._stream = stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._stream


def ik_as_tensors(robot: Any, given: dict[str, Any], device: torch.device, dtype: torch.dtype) -> Any:
    """Inverse kinematics on the device: all arrays of the result are tensors on the device."""
    from sixvec.ik.on_device import ik_on_device

    pose, xp = given["pose"], cupy()
    with xp.cuda.Device(device.index), _stream(xp, torch.cuda.current_stream(device).cuda_stream):
        arrays = {k: xp.asarray(x.detach()) if isinstance(x, torch.Tensor) else x for k, x in given.items()}
        found = ik_on_device(robot, **arrays)
        parts = {f.name: getattr(found, f.name) for f in fields(found)}
        tensors = {k: torch.as_tensor(x, device=device) for k, x in parts.items() if isinstance(x, xp.ndarray)}
    found = replace(found, **{k: x.to(dtype) if x.is_floating_point() else x for k, x in tensors.items()})
    if pose.requires_grad and torch.is_grad_enabled():
        solved = tensors["verdict"] == int(Verdict.SOLVED)
        moving = following(robot, given["frame"], found.q, pose.to(dtype), torch, torch.Tensor.detach, solved)
        found = replace(found, q=moving)
    return found
