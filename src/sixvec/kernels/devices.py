"""Methods that compute in NumPy, and on CUDA devices with CuPy arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from sixvec.compiler.program import Port
from sixvec.kernels.portable import library_of

F = TypeVar("F", bound=Callable[..., Any])


def on_devices(place: str = "") -> Callable[[F], F]:
    """Declare that a method below `any_arrays` computes with CuPy arrays too, or by the function "module:name".

    That takes the same arguments; arrays of torch and JAX on a device become CuPy arrays and its results theirs.
    """

    def declared(method: F) -> F:
        method.on_device = place or method  # type: ignore[attr-defined]
        return method

    return declared


def device_function(method: Callable[..., Any]) -> Callable[..., Any] | None:
    """The function that computes a method for CuPy arrays; None if the method computes on the CPU alone."""
    place = getattr(method, "on_device", "")
    if callable(place):
        return cast("Callable[..., Any]", place)
    module, _, name = place.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), name)) if name else None


def namespace(*arrays: Any) -> Any:
    """The library with the functions for these arrays: NumPy, or CuPy if one of them is of CuPy.

    >>> namespace(np.zeros(3), [1.0]) is np
    True
    """
    return sys.modules["cupy"] if "cupy" in map(library_of, arrays) else np


def on_its_device(x: Any) -> Any:
    """An array of torch or JAX on a CUDA device as one of CuPy, without a copy; anything else as it is.

    >>> on_its_device([1.0, 2.0])
    [1.0, 2.0]
    """
    library = library_of(x)
    if library in (None, "numpy", "cupy") or "cuda" not in str(getattr(x, "device", "")):
        return x
    from sixvec.compiler.runtime.cuda import cupy

    return cupy().from_dlpack(x.detach() if library == "torch" else x)


def device_values(where: str, x: Any, name: str, *shape: int) -> Any:
    """An argument as an array of CuPy in single or double precision, whose last axes have this shape."""
    from sixvec.compiler.runtime.cuda import device_array

    return device_array(x, Port(name, shape), where)


def constants_on_device(arguments: Any, xp: Any) -> Any:
    """Arguments of a function of CuPy arrays, with NumPy arrays of floats copied to the device."""

    def moved(x: Any) -> Any:
        return xp.asarray(x) if type(x) is np.ndarray and x.dtype.kind == "f" else x

    return with_parts(arguments, np.ndarray, moved)


def with_parts(value: Any, kind: Any, convert: Callable[[Any], Any]) -> Any:
    """A value whose parts of some type are converted, in results, tuples and dictionaries.

    Results are the dataclasses that are not compared, `eq=False`; platforms, legs and other parts of a design, which
    are, stay as they are.

    >>> with_parts({"q": (1.0, "a")}, float, lambda x: x + 1.0)
    {'q': (2.0, 'a')}
    """
    if isinstance(value, kind):
        return convert(value)
    if is_dataclass(value) and not isinstance(value, type) and type(value).__eq__ is object.__eq__:
        parts = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        return replace(value, **with_parts(parts, kind, convert))
    if isinstance(value, tuple):
        values = [with_parts(x, kind, convert) for x in value]
        return type(value)(*values) if hasattr(value, "_fields") else tuple(values)
    if isinstance(value, dict):
        return {name: with_parts(x, kind, convert) for name, x in value.items()}
    return value
