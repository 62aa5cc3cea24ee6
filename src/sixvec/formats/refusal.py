"""Problems of a file: a reader stops at the first one; for a check it notes them and goes on where it can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from sixvec.errors import FileFormatError

P = ParamSpec("P")
T = TypeVar("T")

MOST_NOTED = 200
"""Problems after which a reader stops in any case."""

_NOTED: ContextVar[list[FileFormatError] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[list[FileFormatError]]:
    """A list of the problems that readers find inside this context; they end with an error if there are any."""
    found: list[FileFormatError] = []
    token = _NOTED.set(found)
    try:
        yield found
    finally:
        _NOTED.reset(token)


def refuse(problem: FileFormatError) -> None:
    """Stop because of a problem, or note it; the caller then continues without what is wrong."""
    noted = _NOTED.get()
    if noted is None or len(noted) >= MOST_NOTED:
        raise problem
    noted.append(problem)


def attempt(otherwise: T, read: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """What a function reads; `otherwise` where it meets a problem and problems are noted.

    >>> def length(text: str) -> int:
    ...     if not text:
    ...         raise FileFormatError("is empty")
    ...     return len(text)
    >>> with noting() as noted:
    ...     print(attempt(0, length, "arm"), attempt(0, length, ""), noted)
    3 0 [FileFormatError('is empty')]
    """
    try:
        return read(*arguments, **options)
    except FileFormatError as problem:
        refuse(problem)
        return otherwise


def stop_if_noted() -> None:
    """The end of a reader that has noted problems: no model can be made."""
    if noted := _NOTED.get():
        raise noted[0]
