"""Problems of a file: a reader stops at the first one; for a check it notes them and goes on where it can."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, ParamSpec, TypeVar

from sixvec.errors import FileFormatError, level_of_user

P = ParamSpec("P")
T = TypeVar("T")

MOST_NOTED = 200
"""Problems that are noted, and problems of one function after which it is not called again: a file with more has the
same one many times, and the search for a similar name takes long."""


class _Noted(list[FileFormatError]):
    """Problems, and how often each function has met one."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: Counter[object] = Counter()


_NOTED: ContextVar[_Noted | None] = ContextVar("noted", default=None)
_WARNED: ContextVar[list[Warning] | None] = ContextVar("warned", default=None)
_EXAMINED: ContextVar[dict[object, list[Any]] | None] = ContextVar("examined", default=None)


@contextmanager
def noting(warned: list[Warning] | None = None) -> Iterator[list[FileFormatError]]:
    """A list of the problems that readers find inside this context; they end with an error if there are any.

    Their warnings go to a second list, if one is given, and not to the process.
    """
    noted = _Noted()
    before = _NOTED.get(), _WARNED.get()
    try:
        _NOTED.set(noted)
        _WARNED.set(before[1] if warned is None else warned)
        yield noted
    finally:
        _NOTED.set(before[0])
        _WARNED.set(before[1])


def strictly(read: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Read as if nobody noted problems: a file that is loaded while another one is checked, by a handler of signals."""

    def alone() -> T:
        _NOTED.set(None)
        _WARNED.set(None)
        _EXAMINED.set(None)
        return read(*arguments, **options)

    is_checked = _NOTED.get() is not None or _EXAMINED.get() is not None
    return copy_context().run(alone) if is_checked else read(*arguments, **options)


def raise_or_note(problem: FileFormatError) -> None:
    """Stop because of a problem, or note it, once; the caller then continues without what is wrong."""
    noted = _NOTED.get()
    if noted is None:
        raise problem
    # Copies of an element have its line and its mistake.
    if len(noted) < MOST_NOTED and not any(_key(problem) == _key(other) for other in noted):
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
    noted = _NOTED.get()
    if noted is not None and noted.failures[_function(read)] >= MOST_NOTED:
        return otherwise
    return attempt_each(otherwise, read, *arguments, **options)


def attempt_each(otherwise: T, read: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """As `attempt`, also after the function has failed often: for values of an element, whose errors cost little."""
    try:
        return read(*arguments, **options)
    except FileFormatError as problem:
        raise_or_note(problem)
        if (noted := _NOTED.get()) is not None:
            noted.failures[_function(read)] += 1
        return otherwise


def _function(read: Callable[..., object]) -> object:
    return getattr(read, "__func__", read)


@contextmanager
def examining() -> Iterator[dict[object, list[Any]]]:
    """The findings of the rules that readers apply inside this context, rule by rule."""
    examined: dict[object, list[Any]] = {}
    before = _EXAMINED.get()
    try:
        _EXAMINED.set(examined)
        yield examined
    finally:
        _EXAMINED.set(before)


def examine(rule: Callable[P, Iterable[object]], *values: P.args, **options: P.kwargs) -> None:
    """Apply a rule of the check to an element and its values; without a check, do nothing."""
    if (examined := _EXAMINED.get()) is not None:
        examined.setdefault(rule, []).extend(rule(*values, **options))


def stop_if_noted() -> None:
    """The end of a reader that has noted problems: no model can be made."""
    if noted := _NOTED.get():
        raise noted[0]
