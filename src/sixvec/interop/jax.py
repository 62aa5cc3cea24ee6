"""Compiled functions, rollouts and methods on JAX arrays, inside `jit`, `vmap`, `grad`, `jacfwd` and `scan`, too.

The functions are primitives of JAX (`interop/jax_primitives.py`); rollouts scan over their step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from sixvec.arguments import common_batch, require_shape
from sixvec.arguments.result import Result, for_each_result, numbers_of, put_together, taken_apart
from sixvec.compiler.call import as_array
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.ik.solution import Solution
from sixvec.interop.jax_primitives import Known, kernel_p
from sixvec.interop.posed import following
from sixvec.kernels.any_arrays import converted, flat
from sixvec.kernels.devices import constants_on_device, device_function, with_parts
from sixvec.kernels.portable import Portable
from sixvec.model.coordinate_names import coordinate_names
from sixvec.verdict import Verdict


def _register(cls: type[Result]) -> None:
    """Make results of a class trees of JAX."""
    key = jax.tree_util.GetAttrKey

    def with_keys(result: Any) -> Any:
        numbers, words = taken_apart(result)
        return [(key(name), x) for name, x in zip(numbers_of(result), numbers, strict=True)], words

    jax.tree_util.register_pytree_with_keys(
        cls, with_keys, lambda words, numbers: put_together(cls, numbers, words), taken_apart
    )


for_each_result(_register)


def call(function: Portable, arrays: Sequence[Any], out: Any = None) -> Any:
    """The function's results as JAX arrays, or as tracers if the arguments are tracers."""
    if out is not None:
        raise ArgumentError(f"{function.name}: JAX arrays cannot be written to; leave out=")
    values = as_arrays(function, arrays)
    results = kernel_p.bind(*_one_batch(function, values), function=Known(function))
    if function.needs_double:
        dtype = _dtype(function, arrays)
        results = [x.astype(dtype) for x in results]
    return results[0] if function.result_type is None else function.result_type(*results)


def _dtype(function: Portable, arrays: Sequence[Any]) -> Any:
    """Double precision unless all arrays are of single precision."""
    floats = [(p, x) for p, x in zip(function.inputs, arrays, strict=True) if isinstance(x, jax.Array)]
    for port, x in floats:
        if x.dtype not in (np.float32, np.float64):
            raise DtypeError(
                f"{function.name}: {port.name} is {x.dtype}, but kernels compute in float32 or float64; "
                f"convert it first: {port.name}.astype(float)"
            )
    return np.dtype(np.float32 if all(x.dtype == np.float32 for _, x in floats) else np.float64)


def as_arrays(function: Portable, arrays: Sequence[Any]) -> list[Any]:
    """The arguments as arrays of one precision that fit."""
    function.require_count(arrays)
    dtype = _dtype(function, arrays)
    if function.needs_double and dtype == np.float32:
        _require_double(function.name)
        dtype = np.dtype(np.float64)
    converted = []
    for port, x in zip(function.inputs, arrays, strict=True):
        require_platform(function.name, port.name, x, ("cpu", "gpu"))
        constant = as_array(x, port, function.name) if isinstance(x, np.ndarray) else x
        try:
            known = isinstance(x, jax.Array) and x.dtype == dtype
            array = x if known else jax.numpy.asarray(constant, dtype)
        except (TypeError, ValueError):
            raise DtypeError(f"{function.name}: {port.name} must hold real numbers, not {x!r}") from None
        if array.shape[max(0, array.ndim - len(port.shape)) :] != port.shape:
            require_shape(f"{function.name}: {port.name}", array, *port.shape)
        converted.append(array)
    return converted


def _require_double(where: str) -> None:
    if not jax.config.jax_enable_x64:
        raise DtypeError(f'{where} needs double precision: jax.config.update("jax_enable_x64", True)')


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
    """Raise an error for arrays on devices on which kernels do not run."""
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


def placeholder(x: Any, unknown: float = float("nan"), own: int | None = None) -> Any:
    """The values of an array, for checks; those of a tracer are unknown."""
    if isinstance(x, jax.core.Tracer):
        return np.full(x.shape, unknown, x.dtype)
    if isinstance(x, jax.Array) and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        raise DtypeError(f"an array of {x.dtype} holds keys of a random generator, not real numbers")
    return np.asarray(x) if isinstance(x, jax.Array) else x


def rollout(loop: Any, arrays: Sequence[tuple[Any, Any]]) -> Any:
    """Positions and velocities of a path; `arrays` as for torch."""
    return path(loop, [_fitted(x, like) if isinstance(x, jax.Array) else like for x, like in arrays])[:2]


def path(loop: Any, arrays: Sequence[Any]) -> list[Any]:
    """What a loop returns of each step, by `jax.lax.scan` over the step."""
    padded = as_arrays(loop, arrays)
    step, count, carried = loop.step, len(loop.inputs) - loop.each, loop.carried
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(p.shape)] for x, p in zip(padded, loop.inputs, strict=True)))
    state = [jax.numpy.broadcast_to(x, batch + p.shape) for x, p in zip(padded[:carried], loop.inputs, strict=False)]
    changing = [
        jax.numpy.moveaxis(x, x.ndim - len(p.shape), 0)
        for x, p in zip(padded[count:], loop.inputs[count:], strict=True)
    ]

    def one(state: Any, entries: Any) -> Any:
        results = call(step, [*state, *padded[carried:count], *entries])
        return tuple(results[:carried]), tuple(results[carried:])

    # Of two steps, the second can write where the first one read; a single one would be copied there.
    _, paths = jax.lax.scan(one, tuple(state), tuple(changing), unroll=2)
    dtype = _dtype(loop, arrays)
    steps_axis = [-len(p.shape) for p in loop.outputs[carried:]]
    return [jax.numpy.moveaxis(x, 0, axis).astype(dtype) for x, axis in zip(paths, steps_axis, strict=True)]


def double_on_cpu(where: str, named: Sequence[tuple[str, Any]]) -> list[Any]:
    """The arrays in double precision; raise an error for those on other devices."""
    for name, x in named:
        require_platform(where, name, x)
    _require_double(where)
    return [jax.numpy.asarray(x, np.float64) for _, x in named]


def _fitted(x: Any, like: Any) -> Any:
    return jax.numpy.broadcast_to(x[..., 0, :] if x.ndim > like.ndim else x, like.shape)


def call_method(robot: Any, method: Any, arguments: dict[str, Any]) -> Any:
    """The result of a NumPy method as arrays with the precision of its arguments."""
    name = method.__name__
    arrays = [(key, x) for key, x in flat(arguments.items()) if isinstance(x, jax.Array)]
    for key, x in arrays:
        require_platform(name, key, x, ("cpu", "gpu") if device_function(method) else ("cpu",))
    floats = {str(x.dtype) for _, x in arrays if jax.numpy.issubdtype(x.dtype, np.floating)}
    dtype = jax.dtypes.canonicalize_dtype(np.float32 if floats == {"float32"} else np.float64)
    traced = [key for key, x in arrays if isinstance(x, jax.core.Tracer)]
    if name == "ik" and traced:
        return _traced_ik(robot, method, arguments, traced, dtype)
    through = getattr(method, "through", None)
    if traced and through is not None:
        double = jax.dtypes.canonicalize_dtype(float)
        exact = {k: jax.numpy.asarray(x, double) if _is_floating(x) else x for k, x in arguments.items()}
        if (result := through(*[robot] * (robot is not None), **exact)) is not None:
            return converted(result, lambda x: x.astype(dtype))
    if traced:
        raise ArgumentError(
            f"{name}: {traced[0]} is traced by JAX, and {name} is neither compiled nor differentiated there; call it "
            "outside jit, vmap and grad: it takes batches"
        )
    if any(device.platform == "gpu" for _, x in arrays for device in x.devices()):
        return _answer_on_device(robot, method, arguments, dtype)
    plain = {
        k: {n: placeholder(y) for n, y in x.items()} if isinstance(x, Mapping) else placeholder(x)
        for k, x in arguments.items()
    }
    return converted(method(robot, **plain), lambda x: jax.numpy.asarray(x, dtype))


def _is_floating(x: Any) -> bool:
    """Whether it is an array of floats, a constant of NumPy included."""
    return isinstance(x, jax.Array) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def _answer_on_device(robot: Any, method: Any, arguments: dict[str, Any], dtype: Any) -> Any:
    """The result of a method that computes on a CUDA device: all its arrays are there."""
    from sixvec.compiler.runtime.cuda import cupy

    compute, xp = device_function(method), cupy()
    assert compute is not None
    result = compute(robot, **constants_on_device(with_parts(arguments, jax.Array, xp.from_dlpack), xp))
    kinds = {"f": dtype, "i": jax.dtypes.canonicalize_dtype(np.int64), "b": np.uint8}
    result = with_parts(result, xp.ndarray, lambda x: x if x.dtype == np.int8 else x.astype(kinds[x.dtype.kind]))
    xp.cuda.get_current_stream().synchronize()

    def array(x: Any) -> Any:
        array = jax.numpy.from_dlpack(x)
        return array.astype(bool) if x.dtype == np.uint8 else array  # truth values are bytes in between

    return with_parts(result, xp.ndarray, array)


def evaluated(function: Any, shapes: Sequence[tuple[int, ...]], kinds: Sequence[Any], x: Any) -> list[Any]:
    """The results of a NumPy function of batches (..., n) as constants, also where x is traced."""
    kinds = [jax.dtypes.canonicalize_dtype(kind) for kind in kinds]

    def run(values: Any) -> tuple[Any, ...]:
        results = function(np.asarray(values, float))
        return tuple(np.asarray(result, kind) for result, kind in zip(results, kinds, strict=True))

    batch = x.shape[:-1]
    shapes_of_results = [
        jax.ShapeDtypeStruct((*batch, *shape), kind) for shape, kind in zip(shapes, kinds, strict=True)
    ]
    results = jax.pure_callback(run, tuple(shapes_of_results), jax.lax.stop_gradient(x), vmap_method="broadcast_all")
    return [jax.lax.stop_gradient(result) for result in results]


def constant_of(x: Any) -> Any:
    """The same numbers without derivatives."""
    return jax.lax.stop_gradient(x)


_ANSWERS = ("q", "verdict", "position_error", "rotation_error", "joint", "starts")


def _traced_ik(robot: Any, method: Any, arguments: dict[str, Any], traced: Sequence[str], dtype: Any) -> Any:
    """Inverse kinematics inside `jit`, `vmap` and `grad`: a callback to NumPy, for whole batches."""
    for key in traced:
        if key not in ("pose", "q0", "swivel"):
            raise ArgumentError(f"ik: {key} is traced by JAX; pose, q0 and swivel may be, options may not")
    pose = jax.numpy.asarray(arguments["pose"], dtype)
    ranks = {"pose": 2, "q0": 1, "swivel": 0}
    shapes_of = {k: np.shape(x) for k, x in arguments.items() if k in ranks and x is not None}
    batch = np.broadcast_shapes(*(shape[: len(shape) - ranks[k]] for k, shape in shapes_of.items()))
    kinds = (dtype, np.int8, dtype, dtype, *2 * (jax.dtypes.canonicalize_dtype(np.int64),))
    shapes = [jax.ShapeDtypeStruct(batch + (robot.nq,) * (k == 0), kind) for k, kind in enumerate(kinds)]

    def solve(*values: Any) -> Any:
        solution = method(robot, **arguments | dict(zip(traced, map(np.asarray, values), strict=True)))
        return tuple(np.asarray(getattr(solution, field), kind) for field, kind in zip(_ANSWERS, kinds, strict=True))

    fixed = [jax.lax.stop_gradient(arguments[key]) for key in traced]
    answers = dict(zip(_ANSWERS, jax.pure_callback(solve, shapes, *fixed, vmap_method="broadcast_all"), strict=True))
    answers = {field: jax.lax.stop_gradient(x) for field, x in answers.items()}
    q = following(
        robot,
        arguments["frame"],
        answers["q"],
        pose,
        jax.numpy,
        jax.lax.stop_gradient,
        answers["verdict"] == Verdict.SOLVED,
    )
    return Solution(**answers | {"q": q}, names=coordinate_names(robot.model, "q"))
