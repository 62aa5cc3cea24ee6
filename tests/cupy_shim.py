"""A stand-in for CuPy on machines without a device: arrays that do not mix with NumPy's, kernels run on the CPU."""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sixvec.compiler.iteration import Iterated
from sixvec.compiler.runtime import cuda


def _own(x: Any) -> Any:
    """The numbers of an array; those of NumPy raise an error, as in CuPy."""
    if isinstance(x, ndarray):
        return x.numbers
    if isinstance(x, np.ndarray) and x.ndim:
        raise TypeError("an array of NumPy among those of a device")
    if isinstance(x, list | tuple):
        return type(x)(map(_own, x))
    return x


def _wrapped(x: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic):
        return ndarray(np.asarray(x))
    return type(x)(map(_wrapped, x)) if isinstance(x, list | tuple) else x


def _lifted(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return _wrapped(function(*_own(args), **{k: _own(x) for k, x in kwargs.items()}))

    return call


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):  # noqa: N801  # the name in CuPy
    """An array of the device."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    shape = property(lambda self: self.numbers.shape)
    ndim = property(lambda self: self.numbers.ndim)
    size = property(lambda self: self.numbers.size)
    dtype = property(lambda self: self.numbers.dtype)
    strides = property(lambda self: self.numbers.strides)
    itemsize = property(lambda self: self.numbers.itemsize)
    device = property(lambda self: SimpleNamespace(id=0))

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("no implicit conversion to a NumPy array; use .get()")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _lifted(getattr(ufunc, method))(*inputs, **kwargs)

    def __array_function__(self, function: Any, _: Any, args: Any, kwargs: Any) -> Any:
        return _lifted(function)(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return ndarray(np.asarray(self.numbers[_own(key)]))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.numbers[_own(key)] = _own(value)

    def __len__(self) -> int:
        return len(self.numbers)

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def __float__(self) -> float:
        return float(self.numbers)

    def __int__(self) -> int:
        return int(self.numbers)

    def get(self) -> Any:
        return self.numbers.copy()


for _name in (
    "all",
    "any",
    "argmax",
    "argmin",
    "astype",
    "copy",
    "max",
    "min",
    "ravel",
    "reshape",
    "sum",
    "swapaxes",
    "tolist",
    "transpose",
):
    setattr(ndarray, _name, _lifted(getattr(np.ndarray, _name)))


class _OnTheCpu:
    """A kernel or loop in the place of a launch."""

    def __init__(self, function: Any, dtype: str) -> None:
        self._function, self._run = function, function.executable(dtype).run
        self.takes_steps = self.by_lanes = isinstance(function, Iterated) and function.by_lanes

    def __call__(self, count: int, inputs: Any, steps: Any, outputs: Any) -> None:
        rows, shared = [], []
        for x, (step, *_), port in zip(inputs, steps, self._function.inputs, strict=True):
            n = 1 if step == 0 else count
            numbers = x.numbers
            if isinstance(self._function, Iterated) and numbers.size < n * port.size:  # an entry for all steps
                numbers = np.broadcast_to(numbers.reshape(n, 1, -1), (n, port.shape[0], port.size // port.shape[0]))
            rows.append(np.ascontiguousarray(numbers))
            shared.append(n == 1)
        results = [np.ascontiguousarray(x.numbers) for x in outputs]
        if count:
            self._run(count, rows, results, shared)
        for x, result in zip(outputs, results, strict=True):
            x.numbers[...] = result


class _Module(ModuleType):
    ndarray = ndarray
    nan = np.nan
    linalg = SimpleNamespace(inv=_lifted(np.linalg.inv), solve=_lifted(np.linalg.solve))
    cuda = SimpleNamespace(
        Device=lambda *_: SimpleNamespace(id=0),
        Stream=SimpleNamespace(),
        runtime=SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=RuntimeError),
        memory=SimpleNamespace(OutOfMemoryError=MemoryError),
    )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _lifted(getattr(np, name))

    @staticmethod
    def asarray(x: Any, dtype: Any = None) -> Any:
        return ndarray(np.asarray(x.numbers if isinstance(x, ndarray) else x, dtype))

    @staticmethod
    def asnumpy(x: Any) -> Any:
        return x.get() if isinstance(x, ndarray) else np.asarray(x)


@contextlib.contextmanager
def cupy_without_device() -> Any:
    """The stand-in in the place of CuPy, as what `import cupy` gives."""
    with pytest.MonkeyPatch.context() as patch:
        module: Any = _Module("cupy")
        patch.setitem(sys.modules, "cupy", module)
        patch.setattr(cuda.CudaKernel, "program", lambda self, dtype: _OnTheCpu(self._function, dtype))
        cuda.cupy.cache_clear()
        yield module
    cuda.cupy.cache_clear()
