"""Compiled functions on torch tensors: no copies, gradients by our own kernels, `torch.func` and `torch.compile`.

Tensors are read and written in place.  Gradients are kernels too (`kernels/products.py`), so they have gradients
as well.  The gradient with respect to positions has nq entries, one for each number, quaternions included: the part
orthogonal to the unit quaternions depends on the formulas, the rest is the derivative along the motion.

Inside `torch.compile` and `torch.export` a call is one operator, `sixvec::kernel`, which contains the program of its
function: a saved graph computes with the robot for which it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

import sixvec.interop.torch_trees  # noqa: F401  # results are trees from here on
from sixvec.errors import ArgumentError, DtypeError
from sixvec.interop.posed import following
from sixvec.interop.torch_arguments import as_tensors, is_wrapped, placeholder, require_one_device
from sixvec.interop.torch_arguments import constant as constant  # `kernels` asks this module for the next four
from sixvec.interop.torch_arguments import constant_of as constant_of
from sixvec.interop.torch_arguments import evaluated as evaluated
from sixvec.interop.torch_arguments import stacked as stacked
from sixvec.interop.torch_cuda import PLAIN, Calls, answer_on_device, calls_of, is_dual, run_on_device
from sixvec.interop.written_function import function_of, written
from sixvec.kernels.any_arrays import converted, flat
from sixvec.kernels.devices import device_function
from sixvec.kernels.portable import Portable
from sixvec.kernels.products import pullback, pushforward
from sixvec.sim.adjoint import Composition


def call(function: Portable, arrays: Sequence[Any], out: Any = None) -> Any:
    """The function's results as tensors on the device of its arguments."""
    if (
        out is None
        and (compiled := shortcut(function, arrays)) is not None
        and (result := compiled(arrays)) is not None
    ):
        return result
    tensors = as_tensors(function, arrays)
    if out is not None:
        return _into(function, tensors, out)
    results = _apply(function, tensors)
    return results[0] if function.result_type is None else function.result_type(*results)


def shortcut(function: Portable, arrays: Sequence[Any]) -> Calls | None:
    """The calls on a CUDA device, if the first of these tensors is there."""
    first: Any = arrays[0] if arrays else None
    return calls_of(function) if type(first) in PLAIN and first.is_cuda else None


def _apply(function: Portable | Composition, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    if isinstance(function, Composition):
        return _composed(function, tensors)
    followed = torch.is_grad_enabled() and any(t.requires_grad for t in tensors)
    plain = all(type(t) in PLAIN for t in tensors) and not torch.compiler.is_compiling()
    if plain and not followed and not is_dual(tensors):
        return tuple(run(function, tensors))
    return tuple(_Call.apply(function, *tensors))


def _composed(function: Composition, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """A function made of several: its intermediate results have the precision that it needs."""
    if not function.needs_double:
        return tuple(function.composed(torch, _apply, tensors))
    single = all(x.dtype == torch.float32 for x in tensors)
    results = function.composed(torch, _apply, [x.double() for x in tensors])
    return tuple(x.to(torch.float32 if single else torch.float64) for x in results)


def run(function: Portable, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The results, without derivatives: arrays and tensors share their memory."""
    device = next((t.device for t in tensors), torch.device("cpu"))
    if device.type == "cuda":
        return run_on_device(function, tensors, device)
    result = function.call_numpy(*_arrays(function, tensors))
    parts = (result,) if function.result_type is None else result
    return [torch.from_numpy(np.asarray(x)) for x in parts]


def _arrays(function: Portable, tensors: Sequence[torch.Tensor]) -> list[Any]:
    """The memory of tensors on the CPU as NumPy arrays."""
    try:
        return [t.detach().resolve_neg().numpy() for t in tensors]
    except RuntimeError as problem:
        raise ArgumentError(
            f"{function.name}: torch gives no numbers here ({problem}); vectorize=True and is_grads_batched=True use "
            "an old vmap, which cannot map compiled functions: use torch.func.jacrev, hessian and vmap"
        ) from problem


def _into(function: Portable, tensors: Sequence[torch.Tensor], out: Any) -> Any:
    outs = [out] if function.result_type is None else list(out)
    for x in (*tensors, *outs):
        if isinstance(x, torch.Tensor) and x.requires_grad and torch.is_grad_enabled():
            raise ArgumentError(f"{function.name}: out= cannot be differentiated; leave it out, or use torch.no_grad()")
    for x in outs:
        if not isinstance(x, torch.Tensor) or x.device.type != "cpu":
            raise ArgumentError(f"{function.name}: out must be a torch tensor on the CPU, as the arguments are")
    views = [x.detach().numpy() for x in outs]
    function.call_numpy(*_arrays(function, tensors), out=views[0] if function.result_type is None else views)
    return out if function.result_type is None else function.result_type(*outs)


def rollout(loop: Any, arrays: Sequence[tuple[Any, Any]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Positions and velocities of a path; `arrays` are the inputs of the loop, each with an array of its shape."""
    fitted = [
        _fitted(x, like, p.shape) if isinstance(x, torch.Tensor) else like
        for (x, like), p in zip(arrays, loop.inputs, strict=True)
    ]
    q, v = path(loop, fitted)[:2]  # held frames have a gap, too
    return q, v


def path(loop: Any, arrays: Sequence[Any]) -> Sequence[torch.Tensor]:
    """What a loop returns of each step."""
    results: Sequence[torch.Tensor] = call(loop, arrays)[loop.carried :]
    return results


def double_on_cpu(where: str, named: Sequence[tuple[str, torch.Tensor]]) -> list[torch.Tensor]:
    """The tensors in double precision; raise an error for those on other devices."""
    require_one_device(where, named)
    return [x.double() for _, x in named]


def _fitted(x: torch.Tensor, like: Any, shape: tuple[int, ...]) -> torch.Tensor:
    """Constant inputs are broadcast over all steps, without copies."""
    x = x[..., 0, :] if x.ndim > like.ndim else x
    return x.broadcast_to((*x.shape[: x.ndim - len(shape)], *shape))


def call_method(robot: Any, method: Any, arguments: dict[str, Any]) -> Any:
    """The result of a NumPy method as tensors with the precision of its arguments."""
    name = method.__name__
    tensors = [(key, x) for key, x in flat(arguments.items()) if isinstance(x, torch.Tensor)]
    device = require_one_device(name, tensors, ("cpu", "cuda") if device_function(method) else ("cpu",))
    for key, x in tensors:
        if x.dtype in (torch.float16, torch.bfloat16):
            raise DtypeError(f"{name}: {key} is {x.dtype}; give single or double precision: {key}.double()")
    floats = {x.dtype for _, x in tensors if x.is_floating_point()}
    dtype = torch.float32 if floats == {torch.float32} else torch.float64
    wrapped = [key for key, x in tensors if is_wrapped(x)]
    followed = [key for key, x in tensors if x.requires_grad and torch.is_grad_enabled() and (name, key) != IK_POSE]
    if wrapped or followed:
        return _followed(robot, method, arguments, wrapped, followed, dtype)
    if device.type == "cuda":
        return answer_on_device(robot, method, arguments, device, dtype)
    result = converted(method(robot, **_plain(arguments)), lambda x: torch.from_numpy(np.array(x)).to(dtype))
    pose = arguments.get("pose")
    if name == "ik" and isinstance(pose, torch.Tensor) and pose.requires_grad and torch.is_grad_enabled():
        solved = torch.from_numpy(np.asarray(result.solved))
        moving = following(robot, arguments["frame"], result.q, pose.to(dtype), torch, torch.Tensor.detach, solved)
        result = replace(result, q=moving)
    return result


IK_POSE = ("ik", "pose")


def _followed(
    robot: Any, method: Any, arguments: dict[str, Any], wrapped: list[str], followed: list[str], dtype: torch.dtype
) -> Any:
    """The result of a method whose derivatives are needed, by compiled functions alone; else an error."""
    name, through = method.__name__, getattr(method, "through", None)
    if through is not None:
        if not wrapped and not any(isinstance(x, torch.Tensor) and x.is_cuda for x in arguments.values()):
            method(robot, **_plain(arguments))  # whose checks need values
        exact = {k: _exact(x) for k, x in arguments.items()}
        if (result := through(*[robot] * (robot is not None), **exact)) is not None:
            return converted(result, lambda x: x.to(dtype))
    if followed:
        only = "has derivatives with respect to pose alone" if name == "ik" else "has no derivative"
        key = followed[0]
        raise ArgumentError(f"{name} {only}, but {key} requires grad; give {key}.detach(), or use torch.no_grad()")
    raise ArgumentError(
        f"{name}: {wrapped[0]} is inside a transformation of torch, where its numbers are not known; call {name} "
        "outside, it takes batches"
    )


def _exact(x: Any) -> Any:
    """Arrays of floats as tensors of double precision, constants included; anything else as it is."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return torch.tensor(x, dtype=torch.float64)
    return x.double() if isinstance(x, torch.Tensor) else x


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as NumPy arrays."""
    return {
        k: {n: placeholder(y) for n, y in x.items()} if isinstance(x, Mapping) else placeholder(x)
        for k, x in arguments.items()
    }


class _Call(torch.autograd.Function):  # type: ignore[misc]
    """A call whose results have derivatives of both modes, and batches of `torch.func.vmap`."""

    @staticmethod
    def forward(function: Portable, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        if all(type(t) in PLAIN for t in tensors) and not torch.compiler.is_compiling():
            return tuple(run(function, tensors))
        return tuple(torch.ops.sixvec.kernel(list(tensors), *written(function)))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.function, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.shapes = [x.shape for x in output]
        ctx.dtype = output[0].dtype
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        return None, *gradients(ctx.function, ctx.saved_tensors, weights, ctx.shapes, ctx.needs_input_grad[1:])

    @staticmethod
    def jvp(ctx: Any, _: Any, *directions: Any) -> Any:
        function, tensors = ctx.function, ctx.saved_tensors
        moved = [k for k, d in enumerate(directions) if d is not None]
        wrt = [function.inputs[k].name for k in moved]
        product = pushforward(function, wrt)
        along = [directions[k].expand(tensors[k].shape) for k in moved]
        return _apply(product, [*tensors, *along])

    @staticmethod
    def vmap(info: Any, in_dims: Any, function: Portable, *tensors: torch.Tensor) -> Any:
        batch = _common(function, tensors, in_dims[1:])
        rows = [
            t if d is None else _front(t.movedim(d, 0), len(p.shape), batch)
            for t, d, p in zip(tensors, in_dims[1:], function.inputs, strict=True)
        ]
        results = _apply(function, rows)
        full = [x.expand(info.batch_size, *x.shape[1:]) for x in results]
        return tuple(full), (0,) * len(results)


def _common(function: Portable, tensors: Sequence[torch.Tensor], dims: Sequence[Any]) -> int:
    """The number of batch axes of the sample, besides the mapped one."""
    counts: list[int] = [
        t.ndim - len(p.shape) - (d is not None) for t, d, p in zip(tensors, dims, function.inputs, strict=True)
    ]
    return max(counts)


def _front(t: torch.Tensor, rank: int, batch: int) -> torch.Tensor:
    """The mapped axis in front of as many batch axes as the other tensors have."""
    missing = batch - (t.ndim - rank - 1)
    return t.reshape(t.shape[0], *(1,) * missing, *t.shape[1:])


def gradients(
    function: Portable,
    tensors: Sequence[torch.Tensor],
    weights: Sequence[torch.Tensor | None],
    shapes: Sequence[torch.Size],
    needed: Sequence[bool],
) -> list[torch.Tensor | None]:
    """The gradient of each input that needs one, in its own shape: broadcast axes are summed."""
    wrt = [p.name for p, need in zip(function.inputs, needed, strict=True) if need]
    if not wrt or all(w is None for w in weights):
        return [None] * len(tensors)
    some = next(w for w in weights if w is not None)
    full = [some.new_zeros(s) if w is None else w for w, s in zip(weights, shapes, strict=True)]
    parts = iter(_apply(pullback(function, wrt), [*tensors, *full]))
    return [
        next(parts).sum_to_size(t.shape).to(t.dtype) if need else None for t, need in zip(tensors, needed, strict=True)
    ]


torch.library.define("sixvec::kernel", "(Tensor[] arrays, str function, str program) -> Tensor[]")


def _operator(arrays: list[torch.Tensor], function: str, program: str) -> list[torch.Tensor]:
    return run(function_of(function, program), arrays)


def _shapes_only(arrays: list[torch.Tensor], function: str, program: str) -> list[torch.Tensor]:
    of = function_of(function, program)
    leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(arrays, of.inputs, strict=True)]
    batch = torch.broadcast_shapes(*leads)
    dtype = torch.float32 if all(x.dtype == torch.float32 for x in arrays) else torch.float64
    return [arrays[0].new_empty((*batch, *p.shape), dtype=dtype) for p in of.outputs]


def _save(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.tensors, *ctx.function = inputs
    ctx.shapes = [x.shape for x in output]


def _backward(ctx: Any, weights: Any) -> Any:
    needed = [t.requires_grad for t in ctx.tensors]
    return gradients(function_of(*ctx.function), ctx.tensors, weights, ctx.shapes, needed), None, None


torch.library.impl("sixvec::kernel", "CPU")(_operator)
torch.library.impl("sixvec::kernel", "CUDA")(_operator)
torch.library.register_fake("sixvec::kernel")(_shapes_only)
torch.library.register_autograd("sixvec::kernel", _backward, setup_context=_save)
