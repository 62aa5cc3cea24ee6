"""Results in the array type of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from sixvec.kernels.portable import converted, in_kind

F = TypeVar("F", bound=Callable[..., Any])

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
PLAIN = (np.ndarray, np.generic, list, tuple, float, int, str, type(None))


def kept_kind(method: F) -> F:
    """A method that computes in float64: results have the array library and the precision of the inputs.

    Singular poses cannot be distinguished from regular ones in float32.
    """
    of_every_library = in_kind(method)

    @wraps(method)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if not all(isinstance(x, PLAIN) or (hasattr(x, "__array__") and is_answer(x)) for x in given):
            chosen = (_choice(x) for x in args)
            return of_every_library(self, *chosen, **{name: _choice(x) for name, x in kwargs.items()})
        result = method(self, *args, **kwargs)
        sizes = {_dtype(x) for x in given} - {None}
        return converted(result, _single) if sizes == {SINGLE} else result

    return cast(F, answer)


def _choice(x: Any) -> Any:
    """Branches, as the library returns them, belong to no array library."""
    return x.tolist() if isinstance(x, np.ndarray) and x.dtype.kind in "iub" else x


def is_answer(x: Any) -> bool:
    """Whether it is an array of this library that can be used as float64."""
    return type(x).__module__.startswith("sixvec.")


def _dtype(x: Any) -> Any:
    """The dtype of arrays and array-likes; none for options and strings."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype if x.dtype.kind == "f" else None
    return DOUBLE if isinstance(x, list | tuple) or is_answer(x) else None


def _single(x: Any) -> Any:
    return x.astype(np.float32)
