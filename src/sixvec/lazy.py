"""A property that is computed once, without a lock.

Python 3.11's `cached_property` holds a lock of the class while it computes.  Tracing a large robot takes a second, and
a process that forks in that second would leave its child waiting forever.  Here two threads may compute the same
value twice; the first result is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801  # used like `property`
    """`functools.cached_property` without its lock.

    >>> class Square:
    ...     side = 3
    ...     @lazy
    ...     def area(self) -> int:
    ...         return self.side**2
    >>> Square().area
    9
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._function(instance))
