"""Methods of `Robot`, made from the algorithms' declarations."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sixvec.algorithms.declaration import EXTERNAL, Algorithm
from sixvec.compiler.executable import door_address
from sixvec.compiler.runtime import door
from sixvec.errors import ArgumentError

if TYPE_CHECKING:
    from sixvec.robot import Robot


class Method:
    """One algorithm as a method of one robot: sorts the arguments, finds the kernel, runs it.

    Calls on float64 vectors, single or in rows, are remembered by a door (compiler/runtime/door.py), which answers
    the next such call without Python.
    """

    def __init__(self, robot: Robot, algorithm: Algorithm) -> None:
        self._robot, self._algorithm = robot, algorithm
        self._parameters = signature(algorithm)
        self._door: Any = None

    @staticmethod
    def descriptor(algorithm: Algorithm, name: str) -> Any:
        """What stands in the class: it makes the method on first use and leaves it in the instance."""
        return _Descriptor(algorithm, name)

    def callable(self) -> Any:
        """The fastest callable that this machine allows."""
        if not door.available():
            return self
        self._door = door.Door(door_address(), self, self._algorithm.name, documentation(self._algorithm))
        return self._door.function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        keywords = tuple(kwargs)
        out = kwargs.pop("out", None)
        values = self._bind(args, kwargs)
        arrays = [values.pop(name) for name in self._algorithm.arrays]
        wrenches = values.pop(EXTERNAL, None)
        if wrenches is None:
            wrenches = {}
        if not isinstance(wrenches, Mapping):
            raise ArgumentError(
                f"{self._algorithm.name}: external must be a dictionary from frame name to wrench, "
                f"not a {type(wrenches).__name__}"
            )
        kernel = self._robot.kernel(self._algorithm.name, external=tuple(wrenches), **values)
        parameters = self._robot.parameters
        result = kernel.call(*arrays, *wrenches.values(), *parameters, out=out)
        if not (wrenches or parameters) and len(args) >= len(arrays) and (out is None or keywords[-1] == "out"):
            others = (*args[len(arrays) :], *kwargs.values())
            kernel.remember(self._door, args[: len(arrays)], others, keywords)
        return result

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        name, known = self._algorithm.name, self._parameters
        if len(args) > len(known):
            raise TypeError(f"{name}() takes {len(known)} arguments ({', '.join(known)}), not {len(args)}")
        values = dict(known) | dict(zip(known, args, strict=False))
        for key, value in kwargs.items():
            if key not in known:
                raise TypeError(f"{name}() has no argument {key!r}; arguments: {', '.join([*known, 'out'])}")
            if key in list(known)[: len(args)]:
                raise TypeError(f"{name}() got two values for {key!r}")
            values[key] = value
        missing = [key for key, value in values.items() if value is Algorithm.REQUIRED]
        if missing:
            raise TypeError(f"{name}() needs {', '.join(missing)}")
        return values


class _Descriptor:
    """Makes an instance's method when it is first asked for; from then on Python finds it in the instance."""

    def __init__(self, algorithm: Algorithm, name: str) -> None:
        self.algorithm, self.name = algorithm, name
        self.__doc__ = algorithm.__doc__

    def __get__(self, robot: Robot | None, owner: type) -> Any:
        if robot is None:
            return self.algorithm
        made = Method(robot, self.algorithm).callable()
        robot.__dict__[self.name] = made
        return made


def signature(algorithm: Algorithm) -> dict[str, Any]:
    """The method's parameters with their defaults, in order."""
    found = list(inspect.signature(algorithm.function).parameters.values())[1:]
    return {p.name: p.default for p in found}


def documentation(algorithm: Algorithm) -> str:
    """The docstring as built-in functions carry it: signature first."""
    shown = [k if v is Algorithm.REQUIRED else f"{k}={v!r}" for k, v in signature(algorithm).items()]
    text = inspect.getdoc(algorithm.function) or ""
    return f"{algorithm.name}($self, {', '.join(shown)}, *, out=None)\n--\n\n{text}"
