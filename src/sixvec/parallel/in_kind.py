"""Answers in the kind of array that was given."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from sixvec.kernels.portable import converted, in_kind

F = TypeVar("F", bound=Callable[..., Any])

PLAIN = (np.ndarray, np.generic, list, tuple, float, int, str, type(None))


def kept_kind(method: F) -> F:
    """A method that computes in float64: arrays of other libraries are answered in kind, float32 in float32.

    Singular poses are told from regular ones by digits that float32 does not have.
    """
    of_every_library = in_kind(method)

    @wraps(method)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if not all(isinstance(x, PLAIN) or (hasattr(x, "__array__") and is_answer(x)) for x in given):
            return of_every_library(self, *args, **kwargs)
        result = method(self, *args, **kwargs)
        sizes = {_dtype(x) for x in given} - {None}
        return converted(result, _single) if sizes == {"float32"} else result

    return cast(F, answer)


def is_answer(x: Any) -> bool:
    """Whether it is one of this library, which passes as an array of float64."""
    return type(x).__module__.startswith("sixvec.")


def _dtype(x: Any) -> str | None:
    """Of arrays and of what becomes one; none of choices and words."""
    if isinstance(x, np.ndarray | np.generic):
        return str(x.dtype) if x.dtype.kind == "f" else None
    return "float64" if isinstance(x, list | tuple) or is_answer(x) else None


def _single(x: Any) -> Any:
    return x.astype(np.float32)
