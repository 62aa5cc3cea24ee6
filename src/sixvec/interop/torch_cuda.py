"""Tensors on a CUDA device: one launch on torch's stream, into torch's memory, with as little Python as possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from sixvec.compiler.runtime.call_stub import available
from sixvec.compiler.runtime.cuda import CudaKernel, CudaProgram, cupy, on_device, steps_of
from sixvec.errors import DeviceMemoryError
from sixvec.interop.posed import following
from sixvec.kernels.devices import constants_on_device, device_function, with_parts
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
    results = calls_of(function).results([t.detach() for t in tensors])
    if results is not None:
        return results
    kernel = on_device(function, function.is_fast)
    try:
        return _converted(cupy(), kernel, tensors, device, torch._C._cuda_getCurrentRawStream(device.index))
    except torch.OutOfMemoryError as problem:
        raise DeviceMemoryError(
            f"{function.name}: {device} has no memory for the results; give fewer samples at a time ({problem})"
        ) from None


def calls_of(function: Portable) -> Calls:
    """The calls of a function, remembered with it."""
    programs: dict[Any, Any] = function.__dict__.setdefault("_cuda", {})
    calls: Calls = programs.get("tensors") or programs.setdefault("tensors", Calls(function))
    return calls


class _Plan(NamedTuple):
    """What all calls with tensors of these shapes and strides have in common."""

    device: int
    dtype: torch.dtype
    layouts: tuple[tuple[torch.Size, tuple[int, ...]], ...]
    results: tuple[torch.Tensor, ...]
    """Tensors with the shapes of the results and next to no memory."""
    launch: Callable[..., int]
    program: CudaProgram
    """It owns the machine code."""


MOST_PLANS = 64


class Calls:
    """The calls of one function: most repeat the shapes of the one before, and are a launch with other addresses."""

    def __init__(self, function: Portable) -> None:
        self._function = function
        self._latest: _Plan | None = None
        self._plans: dict[Any, _Plan | None] = {}

    def __call__(self, arrays: Sequence[Any]) -> Any:
        """The result for tensors on the current device that need no derivatives and no conversion; else None."""
        if torch.compiler.is_compiling() or is_dual(()):
            return None
        results = self.results(arrays)
        if results is None:
            return None
        make = self._function.result_type
        return results[0] if make is None else make(*results)

    def results(self, arrays: Sequence[Any]) -> list[torch.Tensor] | None:
        """As a call, outside of all transformations."""
        try:
            plan = self._latest
            places = None if plan is None else _places(plan, arrays)
            if places is None:
                self._latest = plan = self._plan(arrays)
                places = None if plan is None else _places(plan, arrays)
            if plan is None or places is None:
                return None
            results = [torch.empty_like(x) for x in plan.results]
        except RuntimeError:  # tensors without strides; no memory
            return None
        places += [x.data_ptr() for x in results]
        return None if plan.launch(*places, torch._C._cuda_getCurrentRawStream(plan.device)) else results

    def _plan(self, arrays: Sequence[Any]) -> _Plan | None:
        if not arrays or len(arrays) != len(self._function.inputs) or any(type(x) not in PLAIN for x in arrays):
            return None
        key = (arrays[0].get_device(), arrays[0].dtype, *((x.shape, x.stride()) for x in arrays))
        if key not in self._plans:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[key] = self._made(key, arrays)
        return self._plans[key]

    def _made(self, key: Any, arrays: Sequence[torch.Tensor]) -> _Plan | None:
        device, dtype, *layouts = key
        kernel = on_device(self._function, self._function.is_fast)
        if not isinstance(kernel, CudaKernel) or dtype not in PRECISIONS or not available():
            return None
        batch: tuple[int, ...] | None = None
        deepest = 0
        steps = []
        for (shape, strides), port in zip(layouts, kernel.inputs, strict=True):
            lead = len(shape) - len(port.shape)
            if lead < 0 or shape[lead:] != port.shape or (stride := steps_of(shape, strides, len(port.shape))) is None:
                return None
            lead_shape, one = tuple(shape[:lead]), math.prod(shape[:lead]) == 1
            if not one and batch is not None and lead_shape != batch:
                return None
            batch, deepest = batch if one else lead_shape, max(deepest, lead)
            steps.append(stride)
        program = kernel.direct(PRECISIONS[dtype])
        if batch is None or deepest > len(batch) or program is None or not math.prod(batch):
            return None
        launch = program.launching(math.prod(batch), steps)
        if launch is None:
            return None
        small = arrays[0].detach().new_empty(1)
        results = tuple(small.expand(batch + p.shape) for p in kernel.outputs)
        return _Plan(device, dtype, tuple(layouts), results, launch, program)


def _places(plan: _Plan, arrays: Sequence[Any]) -> list[int] | None:
    """The addresses of tensors that the plan is for; None if it is not for them."""
    device, dtype, layouts = plan.device, plan.dtype, plan.layouts
    if len(arrays) != len(layouts) or torch._C._cuda_getDevice() != device:
        return None
    grad = torch.is_grad_enabled()
    places = []
    for x, (shape, strides) in zip(arrays, layouts, strict=True):
        if (
            type(x) not in PLAIN
            or x.shape != shape
            or x.stride() != strides
            or x.dtype is not dtype
            or x.get_device() != device
            or (grad and x.requires_grad)
            or x.is_neg()
        ):
            return None
        places.append(x.data_ptr())
    return places


def _converted(
    xp: Any, kernel: Any, tensors: Sequence[torch.Tensor], device: torch.device, stream: int
) -> list[torch.Tensor]:
    """Through CuPy, which converts and broadcasts where needed."""

    def empty(shape: tuple[int, ...], dtype: str) -> torch.Tensor:
        return torch.empty(shape, dtype=getattr(torch, dtype), device=device)

    with xp.cuda.Device(device.index), _stream(xp, stream):
        results: list[torch.Tensor] = kernel(*(xp.asarray(t.detach().resolve_neg()) for t in tensors), empty=empty)
        return results


def _stream(xp: Any, stream: int) -> Any:
    """torch's stream as CuPy's; under another name from version 14 on."""
    from_external = getattr(xp.cuda.Stream, "from_external", None)
    return xp.cuda.ExternalStream(stream) if from_external is None else from_external(_Pointer(stream))


class _Pointer:
    """A stream in the exchange format of CUDA libraries."""

    def __init__(self, stream: int) -> None:
        self._stream = stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._stream


def answer_on_device(robot: Any, method: Any, named: dict[str, Any], device: torch.device, dtype: torch.dtype) -> Any:
    """The result of a method that computes on the device: all its arrays are tensors there."""
    compute, xp = device_function(method), cupy()
    assert compute is not None

    def tensor(x: Any) -> torch.Tensor:
        tensor = torch.as_tensor(x, device=device)
        return tensor.to(dtype) if tensor.is_floating_point() else tensor

    with xp.cuda.Device(device.index), _stream(xp, torch.cuda.current_stream(device).cuda_stream):
        arrays = with_parts(named, torch.Tensor, lambda x: xp.asarray(x.detach().resolve_neg()))
        result = with_parts(compute(robot, **constants_on_device(arrays, xp)), xp.ndarray, tensor)
    pose = named.get("pose")
    if method.__name__ == "ik" and isinstance(pose, torch.Tensor) and pose.requires_grad and torch.is_grad_enabled():
        solved = result.verdict == int(Verdict.SOLVED)
        moving = following(robot, named["frame"], result.q, pose.to(dtype), torch, torch.Tensor.detach, solved)
        result = replace(result, q=moving)
    return result
