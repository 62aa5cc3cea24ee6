"""Compiled functions that accept arrays of any library and return arrays of the same library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Self, cast

import numpy as np

from sixvec.arguments import require_shape
from sixvec.compiler.call import Compiled
from sixvec.compiler.scalar_arrays import entries_of, holds_scalars, scalar_array
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.lazy import lazy

TYPES = {"torch": "Tensor", "jax": "Array", "cupy": "ndarray"}
"""The array type of each library; JAX tracers are arrays too."""


_served: dict[type, Any] = {}
"""The implementation for each array type used so far."""


class Portable(Compiled):
    """A compiled function of NumPy, torch, JAX or CuPy arrays; the results are of the same library.

    NumPy arrays, lists and numbers next to arrays of another library are constants of its precision.
    """

    is_fast = False
    """Whether computation on a CUDA device is fast rather than identical to the CPU bit for bit."""

    @lazy
    def fast(self) -> Self:
        """The same function, on CUDA devices with the device's own sine and cosine and more fused products.

        The last digits differ.  Angles are good to 5e-7 in single precision; elsewhere, and in NumPy, nothing changes.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update({k: x for k, x in self.__getstate__().items() if k != "fast"})
        twin.is_fast = True
        return twin

    @property
    def token(self) -> str:
        """The identity, including the fast option."""
        return f"{self.identity} fast" if self.is_fast else self.identity

    def call(self, *arrays: Any, out: Any = None) -> Any:
        try:
            return self._call(arrays, out)
        except DtypeError:
            if any(map(holds_scalars, arrays)):  # inside a function that is traced, as a control law
                return self._inlined(arrays)
            raise

    def _inlined(self, arrays: Sequence[Any]) -> Any:
        """The results on traced scalars, as arrays of them: the operations become part of that trace."""
        self.require_count(arrays)
        entries = {}
        for x, p in zip(arrays, self.inputs, strict=True):
            require_shape(
                f"{self.name} inside a traced function: {p.name}", np.asarray(x, object), *p.shape, batch=False
            )
            entries[p.name] = entries_of(x)
        results = [scalar_array(x, p.shape)[()] for x, p in zip(self.program.on(entries), self.outputs, strict=True)]
        return results[0] if self.result_type is None else self.result_type(*results)

    def _call(self, arrays: tuple[Any, ...], out: Any) -> Any:
        if all(type(x) is np.ndarray for x in arrays):
            try:
                return super().call(*arrays, out=out)
            except ShapeError:
                if "dask" in sys.modules and interop("dask").is_asking():
                    return interop("dask").answer(self, arrays)
                raise
        kinds = {type(x) for x in arrays}
        if len(kinds) == 1 and (served := _served.get(*kinds)) is not None:
            return served.call(self, arrays, out)
        names = [p.name for p in self.inputs]
        known = [as_one_array(self.name, name, x) for name, x in zip(names, arrays, strict=False)]
        arrays = (*known, *arrays[len(known) :])
        library = one_library(self.name, zip(names, arrays, strict=False))
        if library is None:
            return super().call(*arrays, out=out)
        if len(kinds) == 1 and library_of(arrays[0]) and not kinds & {list, tuple}:
            _served[kinds.pop()] = interop(library)
        return interop(library).call(self, arrays, out)

    def shortcut(self, arrays: Sequence[Any]) -> Callable[[tuple[Any, ...]], Any] | None:
        shortcut = getattr(_served.get(type(arrays[0])), "shortcut", None) if arrays else None
        return None if shortcut is None else cast("Callable[[tuple[Any, ...]], Any] | None", shortcut(self, arrays))

    def call_numpy(self, *arrays: Any, out: Any = None) -> Any:
        """As `call`, for arrays whose library is already known."""
        return super().call(*arrays, out=out)


def interop(library: str) -> Any:
    """The implementation for arrays of a library."""
    return import_module(f"sixvec.interop.{library}")


def library_of(x: Any) -> str | None:
    """The library whose array this is; None for numbers, lists and anything else that is not an array.

    >>> library_of(np.zeros(3)), library_of([0.0, 1.0])
    ('numpy', None)
    """
    if isinstance(x, np.ndarray):
        return "numpy"
    for library, name in TYPES.items():  # there are no arrays of a library that was not imported
        array_type = getattr(sys.modules.get(library), name, None)
        if array_type is not None and isinstance(x, array_type):
            return library
    return None


def namespace(x: Any) -> Any:
    """The module with the functions for an array.

    >>> namespace(np.zeros(3)).__name__
    'numpy'
    """
    library = library_of(x)
    return np if library is None else import_module({"jax": "jax.numpy"}.get(library, library))


def one_library(where: str, arguments: Iterable[tuple[str, Any]]) -> str | None:
    """The library of all these arrays, under the name of the argument; None for NumPy.

    NumPy arrays next to those of another library are constants, as lists and numbers are.  Arrays of two other
    libraries raise an error.
    """
    libraries_of = [(name, x, library_of(x)) for name, x in arguments]
    libraries = {library for _, _, library in libraries_of if library not in (None, "numpy")}
    if len(libraries) > 1:
        raise ArgumentError(
            f"{where}: all arrays must be of one library, but "
            f"{', '.join(f'{name} is {place(x, library)}' for name, x, library in libraries_of if library)}"
        )
    return libraries.pop() if libraries else None


def as_one_array(where: str, name: str, x: Any) -> Any:
    """A list that contains arrays of another library as one array of it, with derivatives; anything else as it is.

    >>> as_one_array("pose", "q", [0.0, 1.0])
    [0.0, 1.0]
    """
    if not isinstance(x, list | tuple) or not sys.modules.keys() & TYPES.keys():
        return x
    library = one_library(where, _entries(name, x))
    return x if library is None else interop(library).stacked(f"{where}: {name}", x)


def _entries(name: str, x: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(x, list | tuple):
        for i, entry in enumerate(x):
            yield from _entries(f"{name}[{i}]", entry)
    else:
        yield name, x


def place(x: Any, library: str) -> str:
    """Where an array is, as text.

    >>> place(np.zeros(3), "numpy")
    'a NumPy array'
    """
    kind = {"numpy": "a NumPy array", "torch": "a torch tensor", "jax": "a JAX array", "cupy": "a CuPy array"}[library]
    device = getattr(x, "device", None)
    return kind if library in ("numpy", "cupy") or device is None else f"{kind} on {device}"
