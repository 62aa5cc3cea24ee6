"""Batches of one size, written into the same arrays by every call."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sixvec.compiler.call import Compiled
from sixvec.compiler.input_checks import are_checked
from sixvec.compiler.memory import aligned
from sixvec.errors import ArgumentError, DtypeError, ShapeError

DTYPES = ("float64", "float32")


class InPlace:
    """Calls of a kernel for batches of one shape, whose results are the same arrays each time.

    No result arrays are allocated, and entries that do not depend on inputs, such as the zeros between the branches of
    a tree, were written when the arrays were created: calls do not write them.  Therefore the arrays are read-only.  A
    result is valid until the next call; copy results to keep them.  Two threads must not call the same object at once.
    """

    def __init__(self, function: Compiled, batch: int | tuple[int, ...], dtype: DTypeLike = "float64") -> None:
        self.function, self.batch, self.dtype = function, _shape(function, batch), _named(function, dtype)
        function.require_dtype(self.dtype)
        self._n = math.prod(self.batch)
        item = np.dtype(self.dtype).itemsize
        self._own = [
            aligned(self._n * p.size * item).view(self.dtype).reshape(self._n, p.size) for p in function.outputs
        ]
        for array, constants in zip(self._own, function.executable(self.dtype).constants(), strict=True):
            array[:] = constants
            _lock(array)
        results = [x.reshape(self.batch + p.shape) for x, p in zip(self._own, function.outputs, strict=True)]
        self.result = results[0] if function.result_type is None else function.result_type(*results)

    def __reduce__(self) -> Any:
        """A copy has its own arrays, without these results."""
        return InPlace, (self.function, self.batch, self.dtype)

    def __repr__(self) -> str:
        return f"<{self.function.name} in place, batch {self.batch}, {self.dtype}>"

    def __call__(self, *arrays: Any) -> Any:
        """Compute, write, and return the arrays."""
        inputs, dtype, batch = self.function.checked_inputs(arrays)
        if are_checked():
            self.function.check_values(inputs)
        if dtype != self.dtype == "float32":
            raise DtypeError(f"{self.function.name}: arrays in place of float32 need inputs of float32")
        if batch != self.batch and not _broadcasts(batch, self.batch):
            raise ShapeError(f"{self.function.name}: the batch in place is {self.batch}, that of the inputs {batch}")
        rows, shared = self.function.rows(inputs, self.dtype, self.batch)
        rows = [x.copy() if any(np.may_share_memory(x, result) for result in self._own) else x for x in rows]
        code = self.function.executable(self.dtype)
        if self._n == 1:
            code.run_one(rows, self._own)
        elif self._n:
            code.run(self._n, rows, self._own, shared, stored=True)
        return self.result


def _lock(array: NDArray[Any]) -> None:
    """Forbid writing through Python and all views: machine code uses the address."""
    while isinstance(array, np.ndarray):
        array.flags.writeable = False
        array = array.base  # type: ignore[assignment]


def _named(function: Compiled, dtype: DTypeLike) -> str:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = ""
    if name not in DTYPES:
        raise DtypeError(f"{function.name}: dtype must be {' or '.join(map(repr, DTYPES))}, not {dtype!r}")
    return name


def _shape(function: Compiled, batch: int | tuple[int, ...]) -> tuple[int, ...]:
    try:
        shape = (batch,) if isinstance(batch, int | np.integer) else tuple(batch)
    except TypeError:
        shape = (-1,)
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 0 for n in shape):
        raise ArgumentError(f"{function.name}: a batch is a number of states or a tuple of such, not {batch!r}")
    return tuple(int(n) for n in shape)


def _broadcasts(batch: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(batch, to) == to
    except ValueError:
        return False
