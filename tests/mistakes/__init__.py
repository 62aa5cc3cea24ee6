"""One table of wrong arguments: a call, the class of its error, names in its message.

`tests/test_mistakes.py` states the law for all rows.
Messages may be worded freely: rows have names, not sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """A call with a wrong argument."""

    what: str
    call: Callable[[], Any]
    error: type[Exception]
    names: tuple[str, ...]


def mistake(what: str, call: Callable[[], Any], error: type[Exception], *names: str) -> Mistake:
    """`names` are the function and the argument, or whatever else the user needs to find the place."""
    return Mistake(what, call, error, names)
