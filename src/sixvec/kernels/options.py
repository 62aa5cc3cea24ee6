"""Options of kernels: invalid values, and the canonical form in which equal options select the same kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sixvec.algorithms.declaration import Algorithm
from sixvec.errors import ArgumentError


def require_options(algorithm: Algorithm, options: Mapping[str, Any], external: Sequence[str] = ()) -> None:
    """Raise an error for values that Python would accept: a string for a truth value, a name for a sequence of names.

    >>> from sixvec.algorithms import REGISTRY
    >>> require_options(REGISTRY["forward_dynamics"], {"passive": "no"})
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: forward_dynamics: passive must be True or False, not 'no'
    """
    sequences = {"external": external}
    for name, value in options.items():
        default = algorithm.options.get(name)
        if isinstance(default, bool) and not isinstance(value, bool):
            raise ArgumentError(f"{algorithm.name}: {name} must be True or False, not {value!r}")
        if isinstance(default, tuple):
            sequences[name] = value
    for name, value in sequences.items():
        if isinstance(value, str):
            raise ArgumentError(f'{name}="{value}" is one name; write a tuple: ("{value}",)')
        if not isinstance(value, Iterable):
            raise ArgumentError(f"{algorithm.name}: {name} must be a tuple, () for none, not {value!r}")


def hashable(option: str, value: Any) -> Any:
    """An option's value in plain Python, lists and arrays as tuples.

    >>> hashable("prescribed", np.array([0, 2]))
    (0, 2)
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, set | frozenset | dict):
        raise ArgumentError(f"{option} must be a tuple, not the {type(value).__name__} {value!r}")
    if isinstance(value, str):
        return str.__str__(value)  # a subclass may redefine comparison
    if not isinstance(value, list | tuple):
        return value
    if any(isinstance(x, bool | np.bool_) for x in value):
        raise ArgumentError(
            f"{option} is a mask of truth values; give the places that are True: np.flatnonzero({option})"
        )
    return tuple(hashable(option, x) for x in value)


def typed(value: Any) -> Any:
    """A key for an option's value: 1, 1.0 and True are equal in Python but different for kernels.

    >>> typed((0,)) == typed((0.0,)), typed((0,)) == typed((0,))
    (False, True)
    """
    return tuple(map(typed, value)) if isinstance(value, tuple) else (type(value), value)
