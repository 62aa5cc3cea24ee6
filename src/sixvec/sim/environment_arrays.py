"""The arrays of a batch of environments in NumPy, torch or JAX: how they are made, changed and values to a loop."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter, is_
from typing import Any, Protocol

import numpy as np

from sixvec.arguments import real_array
from sixvec.errors import ArgumentError, DtypeError, MissingExtra, ShapeError

LIBRARIES = ("numpy", "torch", "jax")


_shape = attrgetter("shape")


class Library(Protocol):
    """What a batch needs of a library of arrays."""

    def array(self, x: Any) -> Any: ...
    def zeros(self, *shape: int) -> Any: ...
    def pair(self, count: int, nq: int, nv: int) -> tuple[Any, Any]: ...
    def zero_like(self, x: Any) -> Any: ...
    def copied(self, x: Any) -> Any: ...
    def numpy(self, x: Any) -> Any: ...
    def put(self, x: Any, rows: Any, values: Any) -> Any: ...
    def action(self, x: Any, count: int, size: int) -> Any: ...
    def finite(self, x: Any) -> Any:
        """NaN in place of what is infinite."""

    def joined(self, q: Any, v: Any) -> Any: ...
    def where_large(self, x: Any, limit: float) -> Any: ...
    def run(self, loop: Any, state: list[Any], inputs: list[Any]) -> list[Any]: ...
    def run_plain(self, function: Any, inputs: list[Any]) -> Any: ...


def library_for(name: str, device: str, dtype: str) -> Library:
    """The library of a name, for arrays on a device."""
    if name == "numpy":
        if device != "cpu":
            raise ArgumentError(f'Batch: device {device!r} goes with library="torch" or "jax"; NumPy has the CPU')
        return InNumpy(dtype)
    return InTorch(dtype, device) if name == "torch" else InJax(dtype, device)


class InNumpy:
    """Arrays of NumPy, updated in place."""

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self._spare: list[Any] = []
        self._single: tuple[list[Any], list[Any], Any] | None = None
        self._shapes: list[tuple[int, ...]] = []
        self._name = self.dtype.name
        self._both: Any = None

    def array(self, x: Any) -> Any:
        return np.array(x, self.dtype, order="C")

    def zeros(self, *shape: int) -> Any:
        return np.zeros(shape, self.dtype)

    def pair(self, count: int, nq: int, nv: int) -> tuple[Any, Any]:
        """Zeros for q and v; those of one environment are side by side, so that their copy is one."""
        if count > 1:
            return self.zeros(count, nq), self.zeros(count, nv)
        self._both = self.zeros(1, nq + nv)
        return self._both[:, :nq], self._both[:, nq:]

    def zero_like(self, x: Any) -> Any:
        x.fill(0.0)
        return x

    def copied(self, x: Any) -> Any:
        return x.copy()

    def numpy(self, x: Any) -> Any:
        return np.asarray(x)

    def put(self, x: Any, rows: Any, values: Any) -> Any:
        x[rows] = values
        return x

    def action(self, x: Any, count: int, size: int) -> Any:
        values = _real_action(x)
        if values.shape == (count, size) and values.dtype == self.dtype and values.flags.c_contiguous:
            return values
        return np.array(np.broadcast_to(values, _action_shape(values.shape, count, size)), self.dtype)

    def finite(self, x: Any) -> Any:
        return np.where(np.isfinite(x), x, np.nan)

    def joined(self, q: Any, v: Any) -> Any:
        return np.concatenate((q, v), 1) if self._both is None else self._both.copy()

    def where_large(self, x: Any, limit: float) -> Any:
        return np.where(x >= limit, np.inf, x)

    def run(self, loop: Any, state: list[Any], inputs: list[Any]) -> list[Any]:
        """All arrays are owned and of the right kind, so the machine code is called without the checks of a call."""
        if not self._spare:
            self._spare = [np.empty_like(x) for x in state]
            self._shapes = [x.shape for x in state]
        if [*map(_shape, state)] != self._shapes:
            self._require_same(state)
        if loop.needs_double and self._name == "float32":
            self._require_same(state)
            loop.call(*state, *inputs, out=tuple(state))
            return state
        if len(state[0]) == 1 and self._run_single(loop, state, inputs):
            return state
        self._require_same(state)
        executable = loop.executable(self._name)
        arrays, count = [*state, *inputs], len(state[0])
        if count == 1:
            executable.run_one(arrays, self._spare)
        else:
            shared = [x.ndim == len(p.shape) for x, p in zip(arrays, loop.inputs, strict=True)]
            executable.run(count, arrays, self._spare, shared)
        for x, y in zip(state, self._spare, strict=True):
            np.copyto(x, y)
        return state

    def _require_same(self, state: list[Any]) -> None:
        for x, y in zip(state, self._spare, strict=True):
            if x.shape != y.shape or x.dtype != y.dtype or not x.flags.c_contiguous:
                raise ArgumentError(
                    f"Batch: an array of it was changed from {y.shape} to {x.shape}; make another batch"
                )

    def _run_single(self, loop: Any, state: list[Any], inputs: list[Any]) -> bool:
        """One environment: the loop updates its state in place, and inputs that change are copied; False if it cannot.

        A loop writes its results when it has ended, so they may be where its inputs were.
        """
        if self._single is None:
            self._require_same(state)
            owned = [*inputs[:-1], inputs[-1].copy()]
            call = loop.executable(self._name).on_arrays([*state, *owned], state)
            if call is None:
                return False
            self._single = list(state), owned, call
        known, owned, call = self._single
        if not all(map(is_, known, state)):
            self._single = None
            return self._run_single(loop, state, inputs)
        for x, y in zip(owned, inputs, strict=True):
            if x is not y:
                x[...] = y
        call()
        return True

    def run_plain(self, function: Any, inputs: list[Any]) -> Any:
        return function(*inputs)


class InTorch:
    """Tensors of torch on a CPU or a CUDA device, updated in place."""

    def __init__(self, dtype: str, device: str) -> None:
        self.xp = _imported("torch")
        try:
            self.device = self.xp.zeros(0, device=device).device
        except (RuntimeError, TypeError, AssertionError) as problem:
            why = str(problem).partition("\n")[0]
            raise ArgumentError(f'Batch: torch has no device {device!r} here; give "cpu" or "cuda" ({why})') from None
        self.dtype = getattr(self.xp, dtype)

    def array(self, x: Any) -> Any:
        return self.xp.as_tensor(np.array(x), dtype=self.dtype, device=self.device)

    def zeros(self, *shape: int) -> Any:
        return self.xp.zeros(shape, dtype=self.dtype, device=self.device)

    def pair(self, count: int, nq: int, nv: int) -> tuple[Any, Any]:
        return self.zeros(count, nq), self.zeros(count, nv)

    def zero_like(self, x: Any) -> Any:
        return x.zero_()

    def copied(self, x: Any) -> Any:
        return x.clone()

    def numpy(self, x: Any) -> Any:
        return x.detach().cpu().numpy() if isinstance(x, self.xp.Tensor) else np.asarray(x)

    def put(self, x: Any, rows: Any, values: Any) -> Any:
        index = self.xp.as_tensor(rows, device=self.device)
        x[index] = values.to(x) if isinstance(values, self.xp.Tensor) else self.xp.as_tensor(values).to(x)
        return x

    def action(self, x: Any, count: int, size: int) -> Any:
        if not isinstance(x, self.xp.Tensor):
            x = self.xp.as_tensor(np.array(_real_action(x)))
        elif x.dtype.is_complex or x.dtype == self.xp.bool or x.device.type == "meta":
            raise DtypeError(f"Batch: an action holds real numbers, not {x.dtype} on {x.device}")
        elif x.requires_grad and self.xp.is_grad_enabled():
            raise ArgumentError(
                "Batch: a step changes the arrays of its batch and has no derivatives; env.step(action, state) has, or "
                "pass action.detach()"
            )
        values = x.detach().to(dtype=self.dtype, device=self.device)
        return values.expand(_action_shape(tuple(values.shape), count, size)).contiguous()

    def finite(self, x: Any) -> Any:
        return self.xp.where(self.xp.isfinite(x), x, self.xp.nan)

    def joined(self, q: Any, v: Any) -> Any:
        return self.xp.cat([q, v], dim=1)

    def where_large(self, x: Any, limit: float) -> Any:
        return self.xp.where(x >= limit, self.xp.inf, x)

    def run(self, loop: Any, state: list[Any], inputs: list[Any]) -> list[Any]:
        with self.xp.no_grad():
            for x, y in zip(state, loop(*state, *inputs), strict=True):
                x.copy_(y)
        return state

    def run_plain(self, function: Any, inputs: list[Any]) -> Any:
        return function(*inputs)


class InJax:
    """Arrays of JAX, which cannot be changed: a batch gets new ones."""

    def __init__(self, dtype: str, device: str) -> None:
        self.jax = _imported("jax")
        self.xp = import_module("jax.numpy")
        if dtype == "float64" and not self.jax.config.jax_enable_x64:
            raise ArgumentError(
                'Batch: JAX computes in single precision; give dtype="float32", or enable jax_enable_x64'
            )
        try:
            self.device = self.jax.devices(device)[0]
        except RuntimeError:
            raise ArgumentError(f"Batch: JAX has no device {device!r}") from None
        self.dtype = np.dtype(dtype)

    def array(self, x: Any) -> Any:
        return self.jax.device_put(np.asarray(x, self.dtype), self.device)

    def zeros(self, *shape: int) -> Any:
        return self.array(np.zeros(shape))

    def pair(self, count: int, nq: int, nv: int) -> tuple[Any, Any]:
        return self.zeros(count, nq), self.zeros(count, nv)

    def zero_like(self, x: Any) -> Any:
        return self.xp.zeros_like(x)

    def copied(self, x: Any) -> Any:
        return x

    def numpy(self, x: Any) -> Any:
        return np.asarray(x)

    def put(self, x: Any, rows: Any, values: Any) -> Any:
        return x.at[rows].set(self.xp.asarray(values, x.dtype))

    def action(self, x: Any, count: int, size: int) -> Any:
        if isinstance(x, self.jax.core.Tracer):
            raise ArgumentError(
                "Batch: a step changes the arrays of its batch, so it cannot be inside jax.jit, grad or vmap; "
                "env.step(action, state) can, or pass an action that is computed"
            )
        if not isinstance(x, self.jax.Array):
            x = _real_action(x)
        elif x.dtype.kind not in "fiu":
            raise DtypeError(f"Batch: an action holds real numbers, not {x.dtype}")
        values = self.xp.asarray(x, self.dtype)
        return self.xp.broadcast_to(values, _action_shape(values.shape, count, size))

    def finite(self, x: Any) -> Any:
        return self.xp.where(self.xp.isfinite(x), x, self.xp.nan)

    def joined(self, q: Any, v: Any) -> Any:
        return self.xp.concatenate([q, v], axis=1)

    def where_large(self, x: Any, limit: float) -> Any:
        return self.xp.where(x >= limit, self.xp.inf, x)

    def run(self, loop: Any, state: list[Any], inputs: list[Any]) -> list[Any]:
        return list(loop(*state, *inputs))

    def run_plain(self, function: Any, inputs: list[Any]) -> Any:
        return function(*inputs)


def _real_action(x: Any) -> Any:
    """Real numbers as an array of NumPy; truth values are a mistake."""
    values = x if type(x) is np.ndarray and x.dtype.kind == "f" else real_array("Batch: an action", x, keep_single=True)
    if values is not x and np.asarray(x).dtype.kind == "b":
        raise DtypeError("Batch: an action holds real numbers, not bool")
    return values


def _action_shape(shape: tuple[int, ...], count: int, size: int) -> tuple[int, int]:
    if shape not in ((count, size), (size,)):
        raise ShapeError(f"Batch: an action has the shape {shape}; it is ({count}, {size}), or ({size},) for all")
    return count, size


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as problem:
        raise MissingExtra(
            f'Batch: library="{name}" needs {name}, which is not installed: pip install {name}'
        ) from problem
