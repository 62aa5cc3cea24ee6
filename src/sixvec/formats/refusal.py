"""Problems of a file: a reader stops at the first one; for a check it notes them and goes on where it can."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import ParamSpec, TypeVar

from sixvec.errors import FileFormatError, level_of_user

P = ParamSpec("P")
T = TypeVar("T")

MOST_NOTED = 200
"""Problems after which a reader stops in any case."""

_NOTED: ContextVar[list[FileFormatError] | None] = ContextVar("noted", default=None)
_WARNED: ContextVar[list[Warning] | None] = ContextVar("warned", default=None)


@contextmanager
def noting(warned: list[Warning] | None = None) -> Iterator[list[FileFormatError]]:
    """A list of the problems that readers find inside this context; they end with an error if there are any.

    Their warnings go to a second list, if one is given, and not to the process.
    """
    found: list[FileFormatError] = []
    before = _NOTED.get(), _WARNED.get()
    try:
        _NOTED.set(found)
        _WARNED.set(before[1] if warned is None else warned)
        yield found
    finally:
        _NOTED.set(before[0])
        _WARNED.set(before[1])


def strictly(read: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Read as if nobody noted problems: a file that is loaded while another one is checked, by a handler of signals."""

    def alone() -> T:
        _NOTED.set(None)
        _WARNED.set(None)
        return read(*arguments, **options)

    return read(*arguments, **options) if _NOTED.get() is None else copy_context().run(alone)


def refuse(problem: FileFormatError) -> None:
    """Stop because of a problem, or note it, once; the caller then continues without what is wrong."""
    noted = _NOTED.get()
    if noted is None:
        raise problem
    if not any(_key(problem) == _key(other) for other in noted):  # copies of an element have its line and its mistake
        if len(noted) >= MOST_NOTED:
            raise problem
        noted.append(problem)


def _key(problem: FileFormatError) -> tuple[object, ...]:
    return problem.file, problem.line, problem.subject or problem.element, problem.message


def remark(warning: Warning) -> None:
    """A warning about a file: to the user, or to the list of a check."""
    if (warned := _WARNED.get()) is None:
        warnings.warn(warning, stacklevel=level_of_user())
    else:
        warned.append(warning)


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
