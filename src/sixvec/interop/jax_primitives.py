"""Compiled functions as primitives of JAX, with a rule for each of its transformations.

XLA calls a handler in machine code (`compiler/runtime/call_frame.py`) on its own buffers: no copies, no callback to
Python.  Derivatives are kernels (`kernels/products.py`): forward mode is a second primitive that is linear in its
directions, and its transpose is the kernel of reverse mode.  The gradient of positions has nq entries, one for each
number, quaternions included.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import threading
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.call_frame import Handler
from sixvec.kernels.portable import Portable
from sixvec.kernels.products import pullback, pushforward


class Known:
    """A function as a constant of JAX: equal ones have equal hashes, so that they are compiled once."""

    def __init__(self, function: Portable) -> None:
        self.function, self._identity = function, function.token

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return self.function.name

    def pulled(self, wrt: Sequence[int]) -> Known:
        return Known(pullback(self.function, [self.function.inputs[k].name for k in wrt]))

    def pushed(self, wrt: Sequence[int]) -> Known:
        return Known(pushforward(self.function, [self.function.inputs[k].name for k in wrt]))


_PLATFORMS = {"cpu": "cpu", "cuda": "CUDA"}
"""The platforms of handlers: the name of a platform in lowering, and in XLA's table of handlers."""

kernel_p = Primitive("sixvec")
"""f(x, …).  Each operand has all batch axes or none of them."""
kernel_p.multiple_results = True

linear_p = Primitive("sixvec_jvp")
"""∂f/∂x · ẋ: operands are the inputs of f, then directions of the inputs `wrt`; linear in the directions."""
linear_p.multiple_results = True


def _shapes(*operands: Any, function: Known) -> list[Any]:
    of = function.function
    leads = [x.shape[: len(x.shape) - len(p.shape)] for x, p in zip(operands, of.inputs, strict=True)]
    batch = next((lead for lead in leads if lead), ())
    return [jax.core.ShapedArray(batch + p.shape, operands[0].dtype) for p in of.outputs]


def _run(*operands: Any, function: Known, platform: str = "cpu") -> Any:
    """The call of the handler, for XLA."""
    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in _shapes(*operands, function=function)]
    if platform == "cpu" and isinstance(function.function, Iterated):  # XLA cannot call a loop's machine code
        return jax.pure_callback(partial(_on_host, function.function), shapes, *operands)
    target, handler = _target(function.function, operands[0].dtype.name, platform)
    scratch = handler.scratch(_samples(shapes[0].shape, function.function.outputs[0]))
    if scratch:
        shapes.append(jax.ShapeDtypeStruct((scratch,), operands[0].dtype))
    results = jax.ffi.ffi_call(target, shapes)(*operands)
    return results[: len(function.function.outputs)]


def _on_host(function: Portable, *operands: Any) -> list[Any]:
    """The call with arrays of NumPy."""
    results = function.call_numpy(*map(np.asarray, operands))
    return list(results) if len(function.outputs) > 1 else [results]


def _samples(shape: Sequence[int], port: Port) -> int:
    return math.prod(shape[: len(shape) - len(port.shape)])


@lru_cache(maxsize=256)
def _compiled(primitive: Any, **constants: Any) -> Any:
    """A primitive in a separate compiled function, which JAX calls faster than one with constants as arguments."""
    return jax.jit(partial(primitive.bind, **constants))


def _at_once(*operands: Any, function: Known) -> Any:
    """Outside `jit`."""
    return _compiled(kernel_p, function=function)(*operands)


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, function: Known) -> Any:
    results = kernel_p.bind(*primals, function=function)
    wrt = tuple(k for k, t in enumerate(tangents) if type(t) is not ad.Zero)
    moved = [tangents[k] for k in wrt]
    return results, linear_p.bind(*primals, *moved, function=function, wrt=wrt)


def _batched(operands: Sequence[Any], dims: Sequence[Any], function: Known) -> list[Any]:
    """The mapped axis first; operands with other batch axes get it too."""
    (size,) = {x.shape[d] for x, d in zip(operands, dims, strict=True) if d is not None}
    fronted, ranks = [], []
    for x, d, p in zip(operands, dims, function.function.inputs, strict=True):
        fronted.append(x if d is None else jax.numpy.moveaxis(x, d, 0))
        ranks.append(x.ndim - len(p.shape) - (d is not None))
    shapes = [
        x.shape[d is not None :][:rank] for x, d, rank in zip(fronted, dims, ranks, strict=True) if rank
    ]  # fmt: skip
    batch = next(iter(shapes), ())
    batched = []
    for x, d, rank, p in zip(fronted, dims, ranks, function.function.inputs, strict=True):
        if d is None and rank:
            x = jax.numpy.broadcast_to(x, (size, *x.shape))
        elif d is not None and not rank and batch:
            x = jax.numpy.broadcast_to(x.reshape(size, *(1,) * len(batch), *p.shape), (size, *batch, *p.shape))
        batched.append(x)
    return batched


def _batch_kernel(operands: Sequence[Any], dims: Sequence[Any], *, function: Known) -> Any:
    results = kernel_p.bind(*_batched(operands, dims, function), function=function)
    return results, [0] * len(results)


def _batch_linear(operands: Sequence[Any], dims: Sequence[Any], *, function: Known, wrt: tuple[int, ...]) -> Any:
    batched = _batched(operands, dims, function.pushed(wrt))
    results = linear_p.bind(*batched, function=function, wrt=wrt)
    return results, [0] * len(results)


def _linear_shapes(*operands: Any, function: Known, wrt: tuple[int, ...]) -> Any:
    return _shapes(*operands, function=function.pushed(wrt))


def _linear_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, function: Known, wrt: tuple[int, ...]) -> Any:
    return _jvp(primals, tangents, function=function.pushed(wrt))


def _linear_transpose(weights: Sequence[Any], *operands: Any, function: Known, wrt: tuple[int, ...]) -> Any:
    count = len(function.function.inputs)
    inputs, directions = operands[:count], operands[count:]
    unknown = [k for k, x in enumerate(directions) if ad.is_undefined_primal(x)]
    none = [None] * len(operands)
    if all(type(w) is ad.Zero for w in weights):
        return none
    pulled = function.pulled([wrt[k] for k in unknown])
    gradients = kernel_p.bind(*inputs, *map(ad.instantiate_zeros, weights), function=pulled)
    for k, gradient in zip(unknown, gradients, strict=True):
        shape = directions[k].aval.shape
        extra = gradient.ndim - len(shape)
        none[count + k] = gradient.sum(tuple(range(extra))) if extra else gradient
    return none


kernel_p.def_impl(_at_once)
kernel_p.def_abstract_eval(_shapes)
ad.primitive_jvps[kernel_p] = _jvp
batching.primitive_batchers[kernel_p] = _batch_kernel
for _platform, _run_on in _PLATFORMS.items():
    mlir.register_lowering(
        kernel_p, mlir.lower_fun(partial(_run, platform=_run_on), multiple_results=True), platform=_platform
    )


def _run_linear(*operands: Any, function: Known, wrt: tuple[int, ...], platform: str = "cpu") -> Any:
    return _run(*operands, function=function.pushed(wrt), platform=platform)


def _linear_at_once(*operands: Any, function: Known, wrt: tuple[int, ...]) -> Any:
    return _compiled(linear_p, function=function, wrt=wrt)(*operands)


linear_p.def_impl(_linear_at_once)
linear_p.def_abstract_eval(_linear_shapes)
ad.primitive_jvps[linear_p] = _linear_jvp
ad.primitive_transposes[linear_p] = _linear_transpose
batching.primitive_batchers[linear_p] = _batch_linear
for _platform, _run_on in _PLATFORMS.items():
    mlir.register_lowering(
        linear_p, mlir.lower_fun(partial(_run_linear, platform=_run_on), multiple_results=True), platform=_platform
    )

_handlers: dict[str, Any] = {}
"""Handlers that XLA may call during the lifetime of the process."""

_registering = threading.RLock()


def _target(function: Portable, dtype: str, platform: str) -> tuple[str, Any]:
    """The name of the handler in XLA, and the handler."""
    name = f"sixvec_{function.name}_{hashlib.sha256(function.token.encode()).hexdigest()[:24]}_{dtype}_{platform}"
    with _registering:
        if name not in _handlers:
            handler = _handler(function, dtype, platform)
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.c_void_p(handler.address)), platform=platform)
            _handlers[name] = handler
        return name, _handlers[name]


def _handler(function: Portable, dtype: str, platform: str) -> Any:
    if platform == "cpu":
        return Handler(function, dtype)
    from sixvec.compiler.runtime.cuda_frame import CudaHandler

    return CudaHandler(function, dtype, function.is_fast)
