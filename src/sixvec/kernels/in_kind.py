"""Functions that compute in NumPy, for arrays of every library: their results are arrays of the same one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from sixvec.errors import CallError
from sixvec.kernels.devices import with_parts
from sixvec.kernels.portable import TYPES, as_one_array, interop, library_of, one_library

F = TypeVar("F", bound=Callable[..., Any])

_OF_NUMPY = frozenset({np.ndarray, np.float64, float, int, bool, str, type(None)})
"""Types of arguments that belong to NumPy, or to no library; lists may contain arrays of others."""


def in_kind(function: F) -> F:
    """A function or method whose arrays may be of any library; floats are returned in the same one.

    Results have derivatives if `differentiable` says how, or if the interop module of the library defines them for a
    method of that name; otherwise arrays that need them raise an error.
    """
    return _answering(function, keeps_precision=False)


def kept_kind(function: F) -> F:
    """The same for functions that compute in float64: results have the precision of the arguments, too.

    >>> @kept_kind
    ... def half(x):
    ...     return np.asarray(x, float) / 2.0
    >>> half(np.ones(2, np.float32)).dtype, half([1.0, 1.0]).dtype
    (dtype('float32'), dtype('float64'))
    """
    return _answering(function, keeps_precision=True)


def differentiable(through: Callable[..., Any]) -> Callable[[F], F]:
    """Declare how a function below `in_kind` or `kept_kind` is computed where derivatives are needed.

    `through` takes its arguments by name, as arrays of the library in double precision, and calls compiled functions
    alone, whose derivatives are compiled as well; it returns None where that cannot be done.  Values that are known
    have passed the checks of the function itself before.
    """

    def declared(function: F) -> F:
        function.through = through  # type: ignore[attr-defined]
        return function

    return declared


def _answering(function: F, keeps_precision: bool) -> F:
    signature = inspect.signature(function)
    names = [*signature.parameters]
    own = int(names[:1] == ["self"])
    method = function if own else _as_method(function)

    @wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        values = (*args[own:], *kwargs.values())
        if not _OF_NUMPY.issuperset(map(type, values)) and any(x in sys.modules for x in TYPES):
            named = {**dict(zip(names[own:], args[own:], strict=False)), **kwargs}
            named = {name: as_one_array(function.__name__, name, x) for name, x in named.items()}
            library = one_library(function.__name__, ((k, x) for k, x in flat(named.items()) if not _is_choice(x)))
            if library is not None:
                try:
                    signature.bind(*args, **kwargs)
                except TypeError as problem:
                    raise CallError(f"{function.__name__}: {problem}") from None
                return interop(library).answer(args[0] if own else None, method, named)
        found = function(*args, **kwargs)
        return converted(found, _single) if keeps_precision and _are_single(values) else found

    return cast(F, answer)


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def method(_: None, **given: Any) -> Any:
        return function(**given)

    return method


def _are_single(values: Iterable[Any]) -> bool:
    """Whether all arrays of floats are of single precision; lists and answers of this library are double."""
    single = False
    for x in values:
        if isinstance(x, np.ndarray):
            single = single or x.dtype == np.float32
            if x.dtype.kind == "f" and x.dtype != np.float32:
                return False
        elif isinstance(x, list | tuple) or (is_dataclass(x) and hasattr(x, "__array__")):
            return False
    return single


def _is_choice(x: Any) -> bool:
    """Whether it selects, as branches and indices do: whole numbers in NumPy go with arrays of every library."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "iub"


def flat(given: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Arguments by name, those in dictionaries by their keys."""
    for name, x in given:
        if isinstance(x, Mapping):
            yield from ((f"{name}[{key}]", part) for key, part in x.items())
        else:
            yield name, x


def converted(answer: Any, convert: Callable[[Any], Any]) -> Any:
    """A result with its arrays of floats, of any library, converted, including those in its parts."""
    foreign = [getattr(sys.modules.get(library), name, None) for library, name in TYPES.items()]
    kinds = (np.ndarray, np.floating, *filter(None, foreign))
    return with_parts(answer, kinds, lambda x: convert(x) if _is_real(x.dtype) else x)


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
    known = x.detach().cpu() if hasattr(x, "detach") else x
    return known.get() if library_of(x) == "cupy" else np.asarray(known)


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
