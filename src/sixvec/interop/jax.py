"""Compiled functions on JAX arrays, inside `jit`, `vmap`, `grad`, `jacfwd` and `scan`, by our own machine code.

A call is a primitive of JAX with a rule for each transformation.  XLA calls a handler in machine code
(`compiler/runtime/call_frame.py`) on its own buffers: no copies, no callback to Python.  Derivatives are kernels
(`kernels/products.py`): forward mode is a second primitive that is linear in its directions, and its transpose is the
kernel of reverse mode.  The gradient of positions has nq entries, one for each number, quaternions included.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from sixvec.border import common_batch
from sixvec.compiler.runtime.call_frame import Handler
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.ik.solution import Solution
from sixvec.interop.posed import following
from sixvec.kernels.devices import device_function, with_parts
from sixvec.kernels.in_kind import converted, flat
from sixvec.kernels.portable import Portable
from sixvec.kernels.products import pullback, pushforward
from sixvec.model.coordinate_names import coordinate_names
from sixvec.sim.step_options import Trajectory
from sixvec.verdict import Verdict

jax.tree_util.register_dataclass(Trajectory, ["q", "v"], [])


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


def call(function: Portable, arrays: Sequence[Any], out: Any = None) -> Any:
    """The function's results as JAX arrays, or as tracers if the arguments are tracers."""
    if out is not None:
        raise ArgumentError(f"{function.name}: JAX arrays cannot be written to; leave out=")
    given = as_arrays(function, arrays)
    results = kernel_p.bind(*_one_batch(function, given), function=Known(function))
    if function.needs_double:
        asked = _dtype(function, arrays)
        results = [x.astype(asked) for x in results]
    return results[0] if function.result_type is None else function.result_type(*results)


def _dtype(function: Portable, arrays: Sequence[Any]) -> Any:
    """Double precision unless all arrays are of single precision."""
    given = [(p, x) for p, x in zip(function.inputs, arrays, strict=True) if isinstance(x, jax.Array)]
    for port, x in given:
        if x.dtype not in (np.float32, np.float64):
            raise DtypeError(
                f"{function.name}: {port.name} is {x.dtype}, but kernels compute in float32 or float64; "
                f"convert it first: {port.name}.astype(float)"
            )
    return np.dtype(np.float32 if all(x.dtype == np.float32 for _, x in given) else np.float64)


def as_arrays(function: Portable, arrays: Sequence[Any]) -> list[Any]:
    """The arguments as arrays of one precision that fit."""
    function.require_count(arrays)
    dtype = _dtype(function, arrays)
    if function.needs_double and dtype == np.float32:
        if not jax.config.jax_enable_x64:
            raise DtypeError(f'{function.name} needs double precision: jax.config.update("jax_enable_x64", True)')
        dtype = np.dtype(np.float64)
    converted = []
    for port, x in zip(function.inputs, arrays, strict=True):
        require_platform(function.name, port.name, x, ("cpu", "gpu"))
        try:
            known = isinstance(x, jax.Array) and x.dtype == dtype
            array = x if known else jax.numpy.asarray(x, dtype)
        except (TypeError, ValueError):
            raise DtypeError(f"{function.name}: {port.name} must hold real numbers, not {x!r}") from None
        if array.shape[max(0, array.ndim - len(port.shape)) :] != port.shape:
            expected = ", ".join(["...", *map(str, port.shape)])
            raise ShapeError(f"{function.name}: {port.name} has shape {array.shape}, but ({expected}) is needed")
        converted.append(array)
    return converted


def stacked(what: str, x: Any) -> Any:
    """A list of arrays, tracers and numbers as one array."""
    try:
        return jax.numpy.asarray(x)
    except (TypeError, ValueError) as problem:
        raise ShapeError(f"{what} is not an array: {problem}") from None


def constant(x: Any, like: Any) -> Any:
    """Numbers as an array of the precision of another one."""
    return jax.numpy.asarray(x, like.dtype)


def require_platform(where: str, name: str, x: Any, platforms: tuple[str, ...] = ("cpu",)) -> None:
    """Refuse arrays on devices on which kernels do not run."""
    if isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer):
        for device in x.devices():
            if device.platform not in platforms:
                places = "the CPU or a CUDA device" if "gpu" in platforms else "the CPU"
                raise ArgumentError(
                    f"{where}: {name} is on {device}; it takes arrays on {places}: "
                    f'jax.device_put({name}, jax.devices("cpu")[0])'
                )


def _one_batch(function: Portable, arrays: Sequence[Any]) -> list[Any]:
    """Each array with all batch axes, or with none: an input shared by all samples stays one row."""
    for x, p in zip(arrays, function.inputs, strict=True):
        if not all(isinstance(d, int) for d in x.shape):
            shape = f"{p.name} {x.shape}"
            raise ShapeError(f"{function.name}: shapes must be known when a function is traced, not {shape}")
    leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(arrays, function.inputs, strict=True)]
    batch = common_batch(function.name, leads, [p.name for p in function.inputs], [x.shape for x in arrays])
    return [
        x if lead in ((), batch) else jax.numpy.broadcast_to(x, batch + p.shape)
        for x, lead, p in zip(arrays, leads, function.inputs, strict=True)
    ]


def shadow(x: Any, unknown: float = float("nan"), own: int | None = None) -> Any:
    """The values of an array, for checks; those of a tracer are unknown."""
    if isinstance(x, jax.core.Tracer):
        return np.full(x.shape, unknown, x.dtype)
    if isinstance(x, jax.Array) and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        raise DtypeError(f"an array of {x.dtype} holds keys of a random generator, not real numbers")
    return np.asarray(x) if isinstance(x, jax.Array) else x


def rollout(loop: Any, arrays: Sequence[tuple[Any, Any]]) -> Any:
    """Positions and velocities of a path, by `jax.lax.scan` over the step; `arrays` as for torch."""
    fitted = [_fitted(x, like) if isinstance(x, jax.Array) else x for x, like in arrays]
    given = as_arrays(loop, fitted)
    step, count = loop.step, len(loop.inputs) - loop.each
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(p.shape)] for x, p in zip(given, loop.inputs, strict=True)))
    state = [jax.numpy.broadcast_to(x, batch + p.shape) for x, p in zip(given[:2], loop.inputs, strict=False)]
    changing = [
        jax.numpy.moveaxis(x, x.ndim - len(p.shape), 0) for x, p in zip(given[count:], loop.inputs[count:], strict=True)
    ]

    def one(state: Any, entries: Any) -> Any:
        q, v, *_ = call(step, [*state, *given[2:count], *entries])
        return (q, v), (q, v)

    # Of two steps, the second can write where the first one read; a single one would be copied there.
    _, path = jax.lax.scan(one, tuple(state), tuple(changing), unroll=2)
    asked = _dtype(loop, fitted)
    return [jax.numpy.moveaxis(x, 0, -2).astype(asked) for x in path]


def _fitted(x: Any, like: Any) -> Any:
    return jax.numpy.broadcast_to(x[..., 0, :] if x.ndim > like.ndim else x, like.shape)


def answer(robot: Any, method: Any, given: dict[str, Any]) -> Any:
    """The result of a NumPy method as arrays with the precision of its arguments."""
    name = method.__name__
    arrays = [(key, x) for key, x in flat(given.items()) if isinstance(x, jax.Array)]
    for key, x in arrays:
        require_platform(name, key, x, ("cpu", "gpu") if device_function(method) else ("cpu",))
    floats = {str(x.dtype) for _, x in arrays if jax.numpy.issubdtype(x.dtype, np.floating)}
    dtype = jax.dtypes.canonicalize_dtype(np.float32 if floats == {"float32"} else np.float64)
    traced = [key for key, x in arrays if isinstance(x, jax.core.Tracer)]
    if name == "ik" and traced:
        return _traced_ik(robot, method, given, traced, dtype)
    through = getattr(method, "through", None)
    if traced and through is not None:
        exact = {
            k: x.astype(jax.dtypes.canonicalize_dtype(float)) if isinstance(x, jax.Array) else x
            for k, x in given.items()
        }
        if (found := through(*[robot] * (robot is not None), **exact)) is not None:
            return converted(found, lambda x: x.astype(dtype))
    if traced:
        raise ArgumentError(
            f"{name}: {traced[0]} is traced by JAX, and {name} is neither compiled nor differentiated there; call it "
            "outside jit, vmap and grad: it takes batches"
        )
    if any(device.platform == "gpu" for _, x in arrays for device in x.devices()):
        return _answer_on_device(robot, method, given, dtype)
    plain = {k: {n: shadow(y) for n, y in x.items()} if isinstance(x, Mapping) else shadow(x) for k, x in given.items()}
    return converted(method(robot, **plain), lambda x: jax.numpy.asarray(x, dtype))


def _answer_on_device(robot: Any, method: Any, given: dict[str, Any], dtype: Any) -> Any:
    """The result of a method that computes on a CUDA device: all its arrays are there."""
    from sixvec.compiler.runtime.cuda import cupy

    compute, xp = device_function(method), cupy()
    assert compute is not None
    found = compute(robot, **with_parts(given, jax.Array, xp.from_dlpack))
    kinds = {"f": dtype, "i": jax.dtypes.canonicalize_dtype(np.int64), "b": np.uint8}
    found = with_parts(found, xp.ndarray, lambda x: x if x.dtype == np.int8 else x.astype(kinds[x.dtype.kind]))
    xp.cuda.get_current_stream().synchronize()

    def array(x: Any) -> Any:
        made = jax.numpy.from_dlpack(x)
        return made.astype(bool) if x.dtype == np.uint8 else made  # truth values are bytes in between

    return with_parts(found, xp.ndarray, array)


_ANSWERS = ("q", "verdict", "position_error", "rotation_error", "joint", "starts")


def _traced_ik(robot: Any, method: Any, given: dict[str, Any], traced: Sequence[str], dtype: Any) -> Any:
    """Inverse kinematics inside `jit`, `vmap` and `grad`: a callback to NumPy, for whole batches."""
    for key in traced:
        if key not in ("pose", "q0", "swivel"):
            raise ArgumentError(f"ik: {key} is traced by JAX; pose, q0 and swivel may be, options may not")
    pose = given["pose"]
    own = {"pose": 2, "q0": 1, "swivel": 0}
    leads = [x.shape[: x.ndim - own[k]] for k, x in given.items() if k in own and isinstance(x, jax.Array)]
    batch = np.broadcast_shapes(*leads)
    kinds = (dtype, np.int8, dtype, dtype, *2 * (jax.dtypes.canonicalize_dtype(np.int64),))
    shapes = [jax.ShapeDtypeStruct(batch + (robot.nq,) * (k == 0), kind) for k, kind in enumerate(kinds)]

    def solve(*values: Any) -> Any:
        found = method(robot, **given | dict(zip(traced, map(np.asarray, values), strict=True)))
        return tuple(np.asarray(getattr(found, field), kind) for field, kind in zip(_ANSWERS, kinds, strict=True))

    fixed = [jax.lax.stop_gradient(given[key]) for key in traced]
    found = dict(zip(_ANSWERS, jax.pure_callback(solve, shapes, *fixed, vmap_method="broadcast_all"), strict=True))
    found = {field: jax.lax.stop_gradient(x) for field, x in found.items()}
    q = following(
        robot, given["frame"], found["q"], pose, jax.numpy, jax.lax.stop_gradient, found["verdict"] == Verdict.SOLVED
    )
    return Solution(**found | {"q": q}, names=coordinate_names(robot.model, "q"))


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
    target = _target(function.function, operands[0].dtype.name, platform)
    return jax.ffi.ffi_call(target, shapes)(*operands)


@lru_cache(maxsize=256)
def _compiled(primitive: Any, **constants: Any) -> Any:
    """A primitive in a compiled function of its own, which JAX calls faster than one with constants as arguments."""
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
    made = []
    for x, d, rank, p in zip(fronted, dims, ranks, function.function.inputs, strict=True):
        if d is None and rank:
            x = jax.numpy.broadcast_to(x, (size, *x.shape))
        elif d is not None and not rank and batch:
            x = jax.numpy.broadcast_to(x.reshape(size, *(1,) * len(batch), *p.shape), (size, *batch, *p.shape))
        made.append(x)
    return made


def _batch_kernel(operands: Sequence[Any], dims: Sequence[Any], *, function: Known) -> Any:
    results = kernel_p.bind(*_batched(operands, dims, function), function=function)
    return results, [0] * len(results)


def _batch_linear(operands: Sequence[Any], dims: Sequence[Any], *, function: Known, wrt: tuple[int, ...]) -> Any:
    made = _batched(operands, dims, function.pushed(wrt))
    results = linear_p.bind(*made, function=function, wrt=wrt)
    return results, [0] * len(results)


def _linear_shapes(*operands: Any, function: Known, wrt: tuple[int, ...]) -> Any:
    return _shapes(*operands, function=function.pushed(wrt))


def _linear_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, function: Known, wrt: tuple[int, ...]) -> Any:
    return _jvp(primals, tangents, function=function.pushed(wrt))


def _linear_transpose(weights: Sequence[Any], *operands: Any, function: Known, wrt: tuple[int, ...]) -> Any:
    count = len(function.function.inputs)
    inputs, directions = operands[:count], operands[count:]
    asked = [k for k, x in enumerate(directions) if ad.is_undefined_primal(x)]
    none = [None] * len(operands)
    if all(type(w) is ad.Zero for w in weights):
        return none
    pulled = function.pulled([wrt[k] for k in asked])
    found = kernel_p.bind(*inputs, *map(ad.instantiate_zeros, weights), function=pulled)
    for k, gradient in zip(asked, found, strict=True):
        shape = directions[k].aval.shape
        extra = gradient.ndim - len(shape)
        none[count + k] = gradient.sum(tuple(range(extra))) if extra else gradient
    return none


kernel_p.def_impl(_at_once)
kernel_p.def_abstract_eval(_shapes)
ad.primitive_jvps[kernel_p] = _jvp
batching.primitive_batchers[kernel_p] = _batch_kernel
for _platform, _made in _PLATFORMS.items():
    mlir.register_lowering(
        kernel_p, mlir.lower_fun(partial(_run, platform=_made), multiple_results=True), platform=_platform
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
for _platform, _made in _PLATFORMS.items():
    mlir.register_lowering(
        linear_p, mlir.lower_fun(partial(_run_linear, platform=_made), multiple_results=True), platform=_platform
    )

_handlers: dict[str, Any] = {}
"""Handlers that XLA may call during the lifetime of the process."""

_registering = threading.RLock()


def _target(function: Portable, dtype: str, platform: str) -> str:
    """The name of the handler in XLA."""
    name = f"sixvec_{function.name}_{hashlib.sha256(function.token.encode()).hexdigest()[:24]}_{dtype}_{platform}"
    with _registering:
        if name not in _handlers:
            made = _handler(function, dtype, platform)
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.c_void_p(made.address)), platform=platform)
            _handlers[name] = made
    return name


def _handler(function: Portable, dtype: str, platform: str) -> Any:
    if platform == "cpu":
        return Handler(function, dtype)
    from sixvec.compiler.runtime.cuda_frame import CudaHandler

    return CudaHandler(function, dtype, function.is_fast)
