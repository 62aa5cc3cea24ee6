"""Binds the arguments of a call to names: too many, too few, unknown or repeated ones raise one kind of error."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from sixvec.errors import CallError

F = TypeVar("F", bound=Callable[..., Any])

REQUIRED: Any = inspect.Parameter.empty
"""Marks an argument without a default."""


def bound(
    name: str,
    known: Mapping[str, Any],
    args: Sequence[Any] = (),
    named: Mapping[str, Any] | None = None,
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """All arguments of a function, with those of a call replacing the defaults; errors also list `also`.

    >>> bound("pose", {"q": REQUIRED, "frame": REQUIRED, "unit": "m"}, ([0.0],), {"frame": "tip"})
    {'q': [0.0], 'frame': 'tip', 'unit': 'm'}
    >>> bound("pose", {"q": REQUIRED, "frame": REQUIRED}, named={"q": [0.0]})
    Traceback (most recent call last):
    sixvec.errors.CallError: pose needs frame
    """
    if len(args) > len(known):
        count = "1 argument" if len(known) == 1 else f"{len(known)} arguments"
        raise CallError(f"{name} takes {count} ({', '.join(known)}), not {len(args)}")
    named_values = dict(zip(known, args, strict=False))
    for key, value in (named or {}).items():
        if key not in known:
            raise CallError(f"{name} has no argument {key!r}; arguments: {', '.join([*known, *also]) or 'none'}")
        if key in named_values:
            raise CallError(f"{name} got two values for {key!r}")
        named_values[key] = value
    values = {**known, **named_values}
    if missing := [key for key, value in values.items() if value is REQUIRED]:
        raise CallError(f"{name} needs {', '.join(missing)}")
    return values


def named_arguments(function: F) -> F:
    """A function or method whose calls with wrong arguments raise an error that lists them.

    >>> class Arm:
    ...     @named_arguments
    ...     def move(self, q, dt, *, steps=1):
    ...         return q
    >>> Arm().move([0.0], 0.1, 10)
    Traceback (most recent call last):
    sixvec.errors.CallError: move: too many positional arguments; it takes q, dt, as keywords: steps
    """
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    *_, owner, name = ["", *function.__qualname__.split(".")]
    name = owner if name in ("__init__", "__call__") else name

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as problem:
                in_order = ", ".join(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)
                by_name = ", ".join(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
                taken = ", ".join([in_order] * bool(in_order) + [f"as keywords: {by_name}"] * bool(by_name))
                raise CallError(f"{name}: {problem}; it takes {taken}") from None
            raise

    return cast(F, call)
