"""What is made when it is first used: properties, without a lock, and the names of packages.

Python 3.11's `cached_property` holds a lock of the class while it computes.  Tracing a large robot takes a second, and
a process that forks in that second would leave its child waiting forever.  Here two threads may compute the same
value twice; the first result is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
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


def on_demand(
    package: str, homes: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package that imports names on first use: names by their module.

    A module without names is a subpackage.

    Most programs need few of them.  A module with the name of one of its functions is imported at once: whoever
    imported it later would replace the function by the module.

    >>> names, get, _ = on_demand("sixvec.geometry", {"point": "Point"})
    >>> names, get("Point").__name__
    (['Point'], 'Point')
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in home:
            return vars(sys.modules[package]).setdefault(name, getattr(import_module(f"{package}.{home[name]}"), name))
        if name in homes:
            return import_module(f"{package}.{name}")
        raise _missing(package, name, [*home, *homes])

    for name, module in home.items():
        if name == module:
            setattr(sys.modules[package], name, getattr(import_module(f"{package}.{module}"), name))
    names = sorted(home)
    return names, get, names.copy


def modules_on_demand(package: str, *names: str) -> Callable[[str], Any]:
    """`__getattr__` of a package whose modules `names` are imported when they are first used as attributes.

    >>> modules_on_demand("sixvec.theory", "lagrange")("lagrange").__name__
    'sixvec.theory.lagrange'
    """

    def get(name: str) -> Any:
        if name in names:
            return import_module(f"{package}.{name}")
        raise _missing(package, name, [*vars(sys.modules[package]), *names])

    return get


def _missing(package: str, name: str, names: list[str]) -> AttributeError:
    from sixvec.arguments.misspelt import no_name  # not at import time: it is needed by mistakes only

    return AttributeError(no_name(package, name, names), name=name)
