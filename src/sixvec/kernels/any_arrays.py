"""Functions that compute in NumPy, for arrays of every library: their results are arrays of the same one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from sixvec.arguments.untraced import leave_untraced, untraced
from sixvec.errors import CallError
from sixvec.kernels.devices import with_parts
from sixvec.kernels.portable import TYPES, as_one_array, interop, library_of, one_library

F = TypeVar("F", bound=Callable[..., Any])

_PLAIN: set[type] = {float, int, bool, str, type(None), np.float64}
"""Types of arguments seen so far that do not decide on the library or the precision."""

_DOUBLE = np.dtype(np.float64)


def any_arrays(function: F) -> F:
    """A function or method whose arrays may be of any library; floats are returned in the same one.

    Results have derivatives if `differentiable` says how, or if the interop module of the library defines them for a
    method of that name; otherwise arrays that need them raise an error.
    """
    return _wrapped(function, keeps_precision=False)


def any_arrays_same_dtype(function: F) -> F:
    """The same for functions that compute in float64: results have the precision of the arguments, too.

    The function gets arrays in double precision, and only its result is rounded: functions that call each other never
    round in between.  Whole numbers and Python's numbers, also in lists, do not decide on the precision.

    >>> @any_arrays_same_dtype
    ... def half(x):
    ...     return np.asarray(x, float) / 2.0
    >>> half(np.ones(2, np.float32)).dtype, half([1.0, 1.0]).dtype
    (dtype('float32'), dtype('float64'))
    """
    return _wrapped(function, keeps_precision=True)


def differentiable(through: Callable[..., Any]) -> Callable[[F], F]:
    """Declare how a function below `any_arrays` or `any_arrays_same_dtype` is computed where derivatives are needed.

    `through` takes keyword arguments, as arrays of the library in double precision, and calls
    compiled functions only, whose derivatives are compiled as well; it returns None where that is not possible.  Values
    that are known have passed the checks of the function before.
    """

    def declared(function: F) -> F:
        function.through = through  # type: ignore[attr-defined]
        return function

    return declared


def _wrapped(function: F, keeps_precision: bool) -> F:
    signature = inspect.signature(function)
    names = [*signature.parameters]
    bound = int(names[:1] == ["self"])
    method = _on_arrays(function, bound, keeps_precision)

    @untraced
    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leave_untraced()
        try:
            for x in (*args, *kwargs.values()) if kwargs else args:
                kind = type(x)
                if kind is np.ndarray:
                    if x.dtype is not _DOUBLE:
                        break
                elif kind not in _PLAIN and not _is_plain(kind):
                    break
            else:
                return function(*args, **kwargs)
            named = {**dict(zip(names[bound:], args[bound:], strict=False)), **kwargs}
            if any(x in sys.modules for x in TYPES):
                named = {name: as_one_array(function.__name__, name, array_of(x)) for name, x in named.items()}
                floats = ((k, x) for k, x in flat(named.items()) if not _is_choice(x))
                library = one_library(function.__name__, floats)
                if library is not None:
                    signature.bind(*args, **kwargs)
                    return interop(library).call_method(args[0] if bound else None, method, named)
            if not keeps_precision:
                return function(*args, **kwargs)
            double = (*args[:bound], *map(_double, args[bound:]))
            result = function(*double, **{name: _double(x) for name, x in kwargs.items()})
            return converted(result, _single) if _are_single((*args[bound:], *kwargs.values())) else result
        except TypeError:
            _require_binding(signature, function.__name__, args, kwargs)
            raise

    wrapper.keeps_precision = keeps_precision  # type: ignore[attr-defined]
    return cast(F, wrapper)


def _is_plain(kind: type) -> bool:
    """Whether a type holds no arrays that decide on the library or the precision; it is kept for the next call."""
    if issubclass(kind, list | tuple | Mapping) or any(
        hasattr(kind, x) for x in ("__array__", "__dlpack__", "array_part")
    ):
        return False
    _PLAIN.add(kind)
    return True


def _require_binding(signature: inspect.Signature, name: str, args: Any, kwargs: Any) -> None:
    """Raise an error if the arguments do not fit the signature."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise CallError(f"{name}: {error}") from None


def _on_arrays(function: Callable[..., Any], bound: int, keeps_precision: bool) -> Callable[..., Any]:
    """The function as interop modules call it: of an object, or None, and NumPy arrays under their names."""

    @wraps(function)
    def method(this: Any, **arguments: Any) -> Any:
        if keeps_precision:
            arguments = {name: _double(x) for name, x in arguments.items()}
        return function(this, **arguments) if bound else function(**arguments)

    return method


def array_of(x: Any) -> Any:
    """The array of a result that has a part for uses as an array; anything else as it is."""
    array_part = getattr(type(x), "array_part", None)
    return x if array_part is None else getattr(x, array_part)


def _double(x: Any) -> Any:
    """An argument with its floats in double precision."""
    x = array_of(x)
    if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.dtype.itemsize <= 8 and x.dtype is not _DOUBLE:
        return x.astype(np.float64)
    if isinstance(x, Mapping):
        return {name: _double(value) for name, value in x.items()}
    return x


def _are_single(values: Iterable[Any]) -> bool:
    """Whether all arrays of floats, also those in results, lists and dictionaries, are of single precision."""
    sizes = {x.dtype.itemsize for x in _arrays(values) if x.dtype.kind == "f"}
    return sizes == {4}


def _arrays(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        x = array_of(value)
        if isinstance(x, np.ndarray):
            yield x
        elif isinstance(x, list | tuple | Mapping):
            yield from _arrays(x.values() if isinstance(x, Mapping) else x)


def _is_choice(x: Any) -> bool:
    """Whether it selects, as branches and indices do: NumPy integers are accepted next to arrays of every library."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "iub"


def flat(arguments: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Arguments under their names, those in dictionaries under their keys."""
    for name, x in arguments:
        if isinstance(x, Mapping):
            yield from ((f"{name}[{key}]", value) for key, value in x.items())
        else:
            yield name, x


def converted(result: Any, convert: Callable[[Any], Any]) -> Any:
    """A result with its arrays of floats, of any library, converted, including those in its parts."""
    foreign = [getattr(sys.modules.get(library), name, None) for library, name in TYPES.items()]
    kinds = (np.ndarray, np.floating, *filter(None, foreign))
    return with_parts(result, kinds, lambda x: convert(x) if _is_real(x.dtype) else x)


def _is_real(dtype: Any) -> bool:
    torch_says = getattr(dtype, "is_floating_point", None)
    return bool(np.issubdtype(dtype, np.floating) if torch_says is None else torch_says)


def _single(x: Any) -> Any:
    return np.asarray(x, np.float32)


def values_of(x: Any) -> Any:
    """The numbers of an array of any library as a NumPy array, without derivatives; traced ones have none.

    >>> values_of([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    values = x.detach().cpu() if hasattr(x, "detach") else x
    return values.get() if library_of(x) == "cupy" else np.asarray(values)


def alike(*values: Any) -> tuple[Any, ...]:
    """All as arrays of the library, other than NumPy, and of the precision to which one of them belongs.

    >>> [x.shape for x in alike([1.0, 2.0], 3.0)]
    [(2,), ()]
    """
    like = next((x for x in values if library_of(x) not in (None, "numpy")), None)
    if like is None:
        single = any(getattr(x, "dtype", None) == np.float32 for x in values)
        return tuple(np.asarray(x, np.float32 if single else np.float64) for x in values)
    constant = interop(str(library_of(like))).constant
    return tuple(constant(x, like) if library_of(x) in (None, "numpy") else x for x in values)
