"""The call path: NumPy arrays of any batch shape in, machine code on rows, arrays out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import common_batch, real_array
from sixvec.arguments.binding import REQUIRED, bound
from sixvec.arguments.checks import require_finite
from sixvec.arguments.untraced import leave_untraced, untraced
from sixvec.compiler.emit.function import Function
from sixvec.compiler.executable import Executable
from sixvec.compiler.input_checks import are_checked
from sixvec.compiler.program import Port, Program
from sixvec.compiler.runtime import call_stub
from sixvec.compiler.source import sources
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.lazy import lazy

MOST_OVERLAP_WORK = 1000
"""Candidates tried in the test whether two interleaved arrays share an entry; blocks and stripes need few."""


class Compiled:
    """A program as a function of arrays.  Subclasses provide the program.

    Every array has the port's axes last and any batch axes before them; batch axes broadcast.  Arrays are given in the
    order of the ports, or as keywords.  Results are float64 unless all arguments are float32.  `out=` is the array
    to write, or one for each output; they are returned as the result.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    result_type: Any = None
    needs_double: bool = False
    """Whether arrays of float32 must be computed in double precision."""
    needs_python: bool = False
    """Whether a call does more than machine code can: call stubs take its `shortcut`."""

    @property
    def ahead(self) -> int:
        """As a stage: the address that its machine code finds in front of its inputs; most functions need none."""
        return 0

    @lazy
    def program(self) -> Program:
        """The scalar program."""
        raise ArgumentError(
            f"{self.name} is a loop or runs in stages: it has no scalar program, so neither derivatives nor source"
        )

    @property
    def identity(self) -> str:
        """A text that identifies the program; cheaper than the program itself where possible."""
        return self.program.digest

    def __getstate__(self) -> dict[str, Any]:
        """Machine code is not pickled; other processes find it on disk."""
        return {name: x for name, x in self.__dict__.items() if name not in ("_executables", "_call_stub", "_cuda")}

    def count(self) -> dict[str, int]:
        """Scalar operations by kind."""
        return self.program.count()

    def source(self, target: str = "c", dtype: str = "float64", name: str = "") -> str:
        """Source text: "c" (stand-alone C99), "cuda", "llvm" (assembly), or "program" (the scalar program)."""
        self.require_dtype(dtype)
        return sources([Function(self.program, name)], target, dtype)

    def require_dtype(self, dtype: str) -> None:
        """Raise an error for machine code in single precision where it would be too inaccurate."""
        if dtype == "float32" and self.needs_double:
            raise DtypeError(f"{self.name} of a robot with constraints needs double precision, not float32")

    @lazy
    def _executables(self) -> dict[str, Executable]:
        return {dtype: Executable(self, dtype) for dtype in ("float64", "float32")}

    def executable(self, dtype: str) -> Executable:
        """Machine code for arrays of `dtype`."""
        return self._executables[dtype]

    @lazy
    def _call_stub(self) -> Any:
        """The fastest callable for this interpreter."""
        return (
            call_stub.CallStub(_PythonPath(self), self.name, self.__doc__ or "").function
            if call_stub.available()
            else None
        )

    @untraced
    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        leave_untraced()
        arrays = self.in_order(arrays, named) if named else arrays
        function = self._call_stub or self.call
        return function(*arrays) if out is None else function(*arrays, out=out)

    def in_order(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arrays in the order of the ports; `named` ones by the names of the ports."""
        return tuple(bound(self.name, {p.name: REQUIRED for p in self.inputs}, arrays, named, also=("out",)).values())

    def call(self, *arrays: Any, out: Any = None) -> Any:
        """The Python path: checks everything, broadcasts, converts, runs."""
        inputs, dtype, batch = self.checked_inputs(arrays)
        if are_checked():
            self.check_values(inputs)
        result_dtype, dtype = dtype, "float64" if self.needs_double else dtype
        rows, shared = self.rows(inputs, dtype, batch)
        if out is None:
            results = targets = [np.empty(batch + p.shape, dtype) for p in self.outputs]
        else:
            results = self._checked(out, batch, result_dtype)
            targets = [
                r if _is_safe(r, rows) and dtype == result_dtype else np.empty(r.shape, dtype) for r in results
            ]  # fmt: skip
        n = math.prod(batch)
        if n == 1:
            self.executable(dtype).run_one(rows, targets)
        elif n:
            self.executable(dtype).run(n, rows, targets, shared)
        else:
            self.check_options()
        if out is not None:
            for r, t in zip(results, targets, strict=True):
                if r is not t:
                    r[...] = t
            return out if self.result_type is None else self.result_type(*results)
        values = [r.astype(result_dtype, copy=False)[()] for r in results]
        return values[0] if self.result_type is None else self.result_type(*values)

    def shortcut(self, arrays: Sequence[Any]) -> Callable[[tuple[Any, ...]], Any] | None:
        """A faster call for arrays like these, which returns None for others; None if there is none."""
        return None

    def check_values(self, inputs: Sequence[NDArray[Any]]) -> None:
        """Raise an error for invalid inputs: see `sixvec.check_inputs`."""
        for x, port in zip(inputs, self.inputs, strict=True):
            require_finite(f"{self.name}: {port.name}", x)

    def check_options(self) -> None:
        """Check as in a run, for batches without samples."""
        _ = self.program

    def checked_inputs(self, arrays: Sequence[Any]) -> tuple[list[NDArray[Any]], str, tuple[int, ...]]:
        """The inputs as arrays with the shapes of their ports, the dtype of the results, and the batch axes."""
        self.require_count(arrays)
        inputs = [as_array(x, port, self.name) for x, port in zip(arrays, self.inputs, strict=True)]
        dtype = "float32" if all(x.dtype == np.float32 for x in inputs) else "float64"
        return inputs, dtype, self._batch_shape(inputs)

    def require_input(self, name: str) -> str:
        """Raise an error for a name that no input has."""
        names = [p.name for p in self.inputs]
        if name not in names:
            raise ArgumentError(f'{self.name} has no input "{name}"; inputs: {", ".join(names)}')
        return name

    def require_count(self, arrays: Sequence[Any]) -> None:
        """Raise an error for a wrong number of arrays."""
        if len(arrays) != len(self.inputs):
            bound(self.name, {p.name: REQUIRED for p in self.inputs}, arrays)

    def rows(
        self, inputs: Sequence[NDArray[Any]], dtype: str, batch: tuple[int, ...]
    ) -> tuple[list[NDArray[Any]], list[bool]]:
        """The inputs of machine code: each as contiguous rows, and whether one row is shared by all samples."""
        pairs = [_rows(x, p, batch, dtype) for x, p in zip(inputs, self.inputs, strict=True)]
        return [x for x, _ in pairs], [shared for _, shared in pairs]

    def _batch_shape(self, arrays: list[NDArray[Any]]) -> tuple[int, ...]:
        leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(arrays, self.inputs, strict=True)]
        if not leads:
            return ()
        if leads.count(leads[0]) == len(leads):
            return leads[0]
        return common_batch(self.name, leads, [p.name for p in self.inputs], [x.shape for x in arrays])

    def _checked(self, out: Any, batch: tuple[int, ...], dtype: str) -> list[NDArray[Any]]:
        """The caller's arrays for the results."""
        arrays = [out] if self.result_type is None else self._several(out)
        for array, port in zip(arrays, self.outputs, strict=True):
            shape = batch + port.shape
            if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
                actual = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise ShapeError(f"{self.name}: out for {port.name} must be a {dtype} array {shape}, not {actual}")
            if not array.flags.writeable:
                raise ShapeError(f"{self.name}: out for {port.name} is read-only")
            if _overlaps_itself(array):
                raise ShapeError(f"{self.name}: entries of out for {port.name} share memory; each needs its own")
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


class _PythonPath:
    """The Python path of a kernel's own call stub, which holds the kernel weakly: the kernel owns the stub."""

    def __init__(self, function: Compiled) -> None:
        self._function = ref(function)

    @property
    def owner(self) -> Compiled:
        function = self._function()
        assert function is not None, "only the kernel itself calls its call stub"
        return function

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Compiled]:
        function = self.owner
        return function.call(*args, **kwargs), function


def as_tuple(*values: Any) -> tuple[Any, ...]:
    """Several results without names."""
    return values


def as_array(x: Any, port: Port, where: str) -> NDArray[Any]:
    """`x` as an array of the port, in single or double precision."""
    return real_array(f"{where}: {port.name}", x, *port.shape, keep_single=True)


def _rows(x: NDArray[Any], port: Port, batch: tuple[int, ...], dtype: str) -> tuple[NDArray[Any], bool]:
    """The array as contiguous rows, and whether it is one row for all samples.  Copies only if necessary."""
    lead = x.shape[: x.ndim - len(port.shape)]
    shared = math.prod(lead) == 1
    if not shared and lead != batch:
        x = np.broadcast_to(x, batch + port.shape)
    return np.ascontiguousarray(x, dtype), shared


def _is_safe(out: NDArray[Any], inputs: Sequence[NDArray[Any]]) -> bool:
    """Whether results may be written straight into `out`."""
    return out.flags.c_contiguous and not any(np.may_share_memory(out, x) for x in inputs)


def _overlaps_itself(x: NDArray[Any]) -> bool:
    """Whether two entries of an array may share memory, as in broadcast arrays."""
    if not x.size:
        return False  # NumPy gives an empty array strides of zero
    reach = x.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def _overlap(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Whether two arrays share an entry, or this is too hard to decide; interleaved ones share none."""
    if not np.may_share_memory(x, y):
        return False
    try:
        return np.shares_memory(x, y, max_work=MOST_OVERLAP_WORK)  # type: ignore[arg-type]  # any int is good
    except np.exceptions.TooHardError:
        return True
