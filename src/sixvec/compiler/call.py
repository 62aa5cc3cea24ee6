"""The call path: NumPy arrays of any batch shape in, machine code on rows, arrays out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.executable import Executable, door_address
from sixvec.compiler.program import Port, Program
from sixvec.compiler.runtime import door
from sixvec.compiler.source import source
from sixvec.errors import DtypeError, ShapeError

MOST_OVERLAP_WORK = 1000
"""Candidates to try when it is asked whether two interleaved arrays share an entry; blocks and stripes take a few."""

DOOR_RANK = 2
"""The door answers calls on single vectors and on plain batches of them."""


class Compiled:
    """A program as a function of arrays.  Subclasses say where the program comes from.

    Every array has the port's axes last and any batch axes before them; batch axes broadcast.  Results are float64
    unless every argument is a float32 array.  `out=` takes the array to write, or as many as there are outputs; they
    come back as the result would.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    result_type: Any = None

    @cached_property
    def program(self) -> Program:
        """The scalar program."""
        raise NotImplementedError

    @property
    def identity(self) -> str:
        """A text that decides about the program; cheaper than the program itself where possible."""
        return self.program.digest

    def count(self) -> dict[str, int]:
        """Scalar operations by kind."""
        return self.program.count()

    def source(self, target: str = "c", dtype: str = "float64") -> str:
        """Source text: "c" (stand-alone C99), "cuda", "llvm" (assembly), or "program" (the scalar program)."""
        return source(self.program, target, dtype)

    @cached_property
    def _executables(self) -> dict[str, Executable]:
        return {
            dtype: Executable(self.identity, self.inputs, self.outputs, lambda: self.program, dtype)
            for dtype in ("float64", "float32")
        }

    def executable(self, dtype: str) -> Executable:
        """Machine code for arrays of `dtype`."""
        return self._executables[dtype]

    @cached_property
    def _entrance(self) -> tuple[Any, door.Door | None]:
        """The fastest callable, and the door behind it if this interpreter allows one."""
        if not door.available():
            return self.call, None
        made = door.Door(door_address(), self._call_and_remember, self.name, self.__doc__ or "")
        return made.function, made

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        function, _ = self._entrance
        return function(*arrays) if out is None else function(*arrays, out=out)

    def _call_and_remember(self, *arrays: Any, **keywords: Any) -> Any:
        result = self.call(*arrays, **keywords)
        self.remember(self._entrance[1], arrays, (), tuple(keywords))
        return result

    def remember(
        self, entrance: door.Door | None, arrays: tuple[Any, ...], objects: tuple[Any, ...], keywords: tuple[str, ...]
    ) -> None:
        """Let a door answer calls like this one from now on, if they are of the kind that it can answer."""
        if entrance is None or any(len(p.shape) != 1 for p in self.inputs):
            return
        if self.result_type is not None and "out" in keywords:  # several arrays to write to are left to Python
            return
        if all(isinstance(x, np.ndarray) and x.ndim <= DOOR_RANK and x.dtype == np.float64 for x in arrays):
            shapes = tuple(p.shape for p in self.outputs)
            has_out = bool(keywords) and keywords[-1] == "out"
            lengths = tuple(p.size for p in self.inputs)
            seen = door.Call(lengths, objects, keywords, shapes, self.result_type, has_out)
            entrance.open(seen, self.executable("float64").entry())

    def call(self, *arrays: Any, out: Any = None) -> Any:
        """The Python path: checks everything, broadcasts, converts, runs."""
        given, dtype, batch = self.checked_inputs(arrays)
        rows, shared = self.rows(given, dtype, batch)
        if out is None:
            results = targets = [np.empty(batch + p.shape, dtype) for p in self.outputs]
        else:
            results = self._checked(out, batch, dtype)
            targets = [r if _is_safe(r, rows) else np.empty(r.shape, dtype) for r in results]
        n = math.prod(batch)
        if n == 1:
            self.executable(dtype).run_one(rows, targets)
        elif n:
            self.executable(dtype).run(n, rows, targets, shared)
        if out is not None:
            for r, t in zip(results, targets, strict=True):
                if r is not t:
                    r[...] = t
            return out if self.result_type is None else self.result_type(*results)
        values = [r[()] for r in results]
        return values[0] if self.result_type is None else self.result_type(*values)

    def checked_inputs(self, arrays: Sequence[Any]) -> tuple[list[NDArray[Any]], str, tuple[int, ...]]:
        """The inputs as arrays that fit their ports, the dtype of the results, and the batch axes."""
        if len(arrays) != len(self.inputs):
            names = ", ".join(p.name for p in self.inputs)
            raise TypeError(f"{self.name} takes {len(self.inputs)} arrays ({names}), not {len(arrays)}")
        given = [as_array(x, port, self.name) for x, port in zip(arrays, self.inputs, strict=True)]
        dtype = "float32" if all(x.dtype == np.float32 for x in given) else "float64"
        return given, dtype, self._batch_shape(given)

    def rows(
        self, given: Sequence[NDArray[Any]], dtype: str, batch: tuple[int, ...]
    ) -> tuple[list[NDArray[Any]], list[bool]]:
        """What machine code reads: each input as contiguous rows, and whether one row stands for all samples."""
        pairs = [_rows(x, p, batch, dtype) for x, p in zip(given, self.inputs, strict=True)]
        return [x for x, _ in pairs], [shared for _, shared in pairs]

    def _batch_shape(self, arrays: list[NDArray[Any]]) -> tuple[int, ...]:
        leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(arrays, self.inputs, strict=True)]
        if leads.count(leads[0]) == len(leads):
            return leads[0]
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            shapes = ", ".join(f"{p.name} {x.shape}" for x, p in zip(arrays, self.inputs, strict=True))
            raise ShapeError(f"{self.name}: the batch shapes do not broadcast: {shapes}") from None

    def _checked(self, out: Any, batch: tuple[int, ...], dtype: str) -> list[NDArray[Any]]:
        """The caller's arrays for the results."""
        arrays = [out] if self.result_type is None else self._several(out)
        for array, port in zip(arrays, self.outputs, strict=True):
            shape = batch + port.shape
            if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
                found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise ShapeError(f"{self.name}: out for {port.name} must be a {dtype} array {shape}, not {found}")
            if not array.flags.writeable:
                raise ShapeError(f"{self.name}: out for {port.name} is read-only")
        for (x, one), (y, other) in combinations(zip(arrays, self.outputs, strict=True), 2):
            if _overlap(x, y):
                raise ShapeError(
                    f"{self.name}: out for {one.name} and out for {other.name} share memory; each needs its own"
                )
        return arrays

    def _several(self, out: Any) -> list[Any]:
        names = ", ".join(p.name for p in self.outputs)
        try:
            arrays = list(out)
        except TypeError:
            raise ShapeError(
                f"{self.name}: out must hold {len(self.outputs)} arrays ({names}), not be a {type(out).__name__}"
            ) from None
        if len(arrays) != len(self.outputs):
            raise ShapeError(f"{self.name}: out must hold {len(self.outputs)} arrays ({names}), not {len(arrays)}")
        return arrays


def as_array(x: Any, port: Port, where: str) -> NDArray[Any]:
    """`x` as a real array whose last axes fit the port."""
    try:
        array = np.asarray(x)
    except ValueError as problem:
        raise ShapeError(f"{where}: {port.name} is not an array: {problem}") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"{where}: {port.name} must hold real numbers, not {array.dtype}")
    if array.dtype != np.float64 and array.dtype != np.float32:
        array = array.astype(np.float64)
    if array.shape[max(0, array.ndim - len(port.shape)) :] != port.shape:
        expected = ", ".join(["...", *map(str, port.shape)])
        raise ShapeError(f"{where}: {port.name} has shape {array.shape}, but ({expected}) is needed")
    return array


def _rows(x: NDArray[Any], port: Port, batch: tuple[int, ...], dtype: str) -> tuple[NDArray[Any], bool]:
    """The array as contiguous rows, and whether it is one row for all samples.  Copies only if it must."""
    lead = x.shape[: x.ndim - len(port.shape)]
    shared = math.prod(lead) == 1
    if not shared and lead != batch:
        x = np.broadcast_to(x, batch + port.shape)
    return np.ascontiguousarray(x, dtype), shared


def _is_safe(out: NDArray[Any], inputs: Sequence[NDArray[Any]]) -> bool:
    """Whether results may be written straight into `out`."""
    return out.flags.c_contiguous and not any(np.may_share_memory(out, x) for x in inputs)


def _overlap(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Whether two arrays have an entry in common, or it is too hard to tell; interleaved ones have none."""
    if not np.may_share_memory(x, y):
        return False
    try:
        return np.shares_memory(x, y, max_work=MOST_OVERLAP_WORK)  # type: ignore[arg-type]  # any int is good
    except np.exceptions.TooHardError:
        return True
