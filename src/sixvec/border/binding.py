"""The arguments of a call by name: too many, too few, unknown or repeated arguments raise one kind of error."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from sixvec.errors import CallError

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
    given = dict(zip(known, args, strict=False))
    for key, value in (named or {}).items():
        if key not in known:
            raise CallError(f"{name} has no argument {key!r}; arguments: {', '.join([*known, *also]) or 'none'}")
        if key in given:
            raise CallError(f"{name} got two values for {key!r}")
        given[key] = value
    values = {**known, **given}
    if missing := [key for key, value in values.items() if value is REQUIRED]:
        raise CallError(f"{name} needs {', '.join(missing)}")
    return values
