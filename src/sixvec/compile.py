"""The seam between robots and compiler: an algorithm, run on symbols for one model, becomes a callable on arrays."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.declaration import Algorithm, flatten, input_shape, size
from sixvec.compiler.executable import Executable
from sixvec.compiler.program import Port, Program, trace
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.model import Model
from sixvec.model.canonical import canonical

_WRENCH = 6


class Kernel:
    """One algorithm compiled for one robot, with its options fixed; call it with arrays.

    >>> import sixvec
    >>> kernel = sixvec.load("panda").kernel("gravity_forces")
    >>> kernel.count()["sin"]
    6
    >>> kernel([0.0] * 7).shape
    (7,)
    """

    def __init__(
        self, model: Model, algorithm: Algorithm, options: Mapping[str, Any], external: Sequence[str] = ()
    ) -> None:
        self.model, self.algorithm, self.options, self.external = model, algorithm, dict(options), tuple(external)
        for name in [*self.external, *([self.options["frame"]] if "frame" in self.options else [])]:
            model.frame(name)
        self.inputs = tuple(
            [Port(name, input_shape(model, name)) for name in algorithm.arrays]
            + [Port(f"external[{name}]", (_WRENCH,)) for name in self.external]
        )
        self.outputs = tuple(Port(o.name, tuple(size(model, d) for d in o.shape)) for o in algorithm.outputs)
        self._executables: dict[str, Executable] = {}

    @property
    def name(self) -> str:
        return self.algorithm.name

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"<Kernel {self.name} of {self.model.name}{options}>"

    @cached_property
    def program(self) -> Program:
        """The scalar program: what running the algorithm on symbols leaves."""
        model = canonical(self.model)
        arrays = len(self.algorithm.arrays)

        def run(*symbols: list[Any]) -> list[tuple[Port, list[Any]]]:
            options = dict(self.options)
            if self.external:
                options["external"] = dict(zip(self.external, symbols[arrays:], strict=True))
            result = self.algorithm(model, *symbols[:arrays], **options)
            parts = result if len(self.outputs) > 1 else (result,)
            return [(p, flatten(x, len(p.shape))) for p, x in zip(self.outputs, parts, strict=True)]

        return trace(self.name, self.inputs, run)

    def count(self) -> dict[str, int]:
        """Scalar operations by kind."""
        return self.program.count()

    def source(self, target: str = "c", dtype: str = "float64") -> str:
        """Source text of this kernel: "c" (stand-alone C99), "llvm" (assembly), or "program" (the scalar program)."""
        return source(self.program, target, dtype)

    def executable(self, dtype: str) -> Executable:
        """Machine code for arrays of `dtype`."""
        if dtype not in self._executables:
            self._executables[dtype] = Executable(
                self._identity(), self.inputs, self.outputs, lambda: self.program, dtype
            )
        return self._executables[dtype]

    def _identity(self) -> str:
        """What decides about the program.  The library's own algorithms need not be traced to know it."""
        if not self.algorithm.function.__module__.startswith("sixvec."):
            return self.program.digest
        return f"{self.model.fingerprint} {self.name} {sorted(self.options.items())} {self.external}"

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        if len(arrays) != len(self.inputs):
            names = ", ".join(p.name for p in self.inputs)
            raise TypeError(f"{self.name} takes {len(self.inputs)} arrays ({names}), not {len(arrays)}")
        given = [as_array(x, port, self.name) for x, port in zip(arrays, self.inputs, strict=True)]
        dtype = "float32" if all(x.dtype == np.float32 for x in given) else "float64"
        batch = self._batch_shape(given)
        rows, shared = zip(*(_rows(x, p, batch, dtype) for x, p in zip(given, self.inputs, strict=True)), strict=True)
        results = [np.empty(batch + p.shape, dtype) for p in self.outputs] if out is None else self._given(out, batch, dtype)
        targets = [r if _is_safe(r, rows) else np.empty(r.shape, dtype) for r in results]
        n = math.prod(batch)
        if n == 1:
            self.executable(dtype).run_one(rows, targets)
        elif n:
            self.executable(dtype).run(n, rows, targets, list(shared))
        for r, t in zip(results, targets, strict=True):
            if r is not t:
                r[...] = t
        if out is not None:
            return out
        values = [r[()] for r in results]
        return values[0] if len(values) == 1 else result_type(self.algorithm)(*values)

    def _batch_shape(self, arrays: list[NDArray[Any]]) -> tuple[int, ...]:
        leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(arrays, self.inputs, strict=True)]
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            shapes = ", ".join(f"{p.name} {x.shape}" for x, p in zip(arrays, self.inputs, strict=True))
            raise ShapeError(f"{self.name}: the batch shapes do not broadcast: {shapes}") from None

    def _given(self, out: Any, batch: tuple[int, ...], dtype: str) -> list[NDArray[Any]]:
        """The caller's arrays for the results, checked."""
        arrays = [out] if len(self.outputs) == 1 else list(out)
        if len(arrays) != len(self.outputs):
            raise ShapeError(f"{self.name}: out must hold {len(self.outputs)} arrays, not {len(arrays)}")
        for array, port in zip(arrays, self.outputs, strict=True):
            shape = batch + port.shape
            if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
                found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise ShapeError(f"{self.name}: out for {port.name} must be a {dtype} array {shape}, not {found}")
            if not array.flags.writeable:
                raise ShapeError(f"{self.name}: out for {port.name} is read-only")
        return arrays


def as_array(x: Any, port: Port, where: str) -> NDArray[Any]:
    """`x` as a real array whose last axes fit the port."""
    try:
        array = np.asarray(x)
    except ValueError as problem:
        raise ShapeError(f"{where}: {port.name} is not an array: {problem}") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"{where}: {port.name} must hold real numbers, not {array.dtype}")
    if array.dtype.kind != "f" or array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    if array.shape[array.ndim - len(port.shape) :] != port.shape:
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


@cache
def result_type(algorithm: Algorithm) -> Any:
    """The named tuple of an algorithm with several outputs."""
    title = "".join(word.capitalize() for word in algorithm.name.split("_"))
    return namedtuple(title, [o.name for o in algorithm.outputs])  # type: ignore[misc]


def source(program: Program, target: str, dtype: str = "float64") -> str:
    """A program as text for a target."""
    emitters: dict[str, Callable[[], str]] = {
        "c": lambda: _c(program, dtype),
        "llvm": lambda: _llvm(program, dtype),
        "program": lambda: str(program),
    }
    if target not in emitters:
        raise ArgumentError(f'no target "{target}"; targets: {", ".join(emitters)}')
    return emitters[target]()


def _llvm(program: Program, dtype: str) -> str:
    from sixvec.compiler.emit.llvm import Lanes, emit_llvm
    from sixvec.compiler.lower import fuse_multiply_add, lower_trigonometry

    return emit_llvm(fuse_multiply_add(lower_trigonometry(program, dtype)), Lanes(1, dtype), program.name)  # type: ignore[arg-type]


def _c(program: Program, dtype: str) -> str:
    from sixvec.compiler.emit.c import emit_c

    return emit_c(program, dtype)
