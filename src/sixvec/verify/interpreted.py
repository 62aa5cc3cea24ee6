"""A robot whose methods run the scalar programs in the interpreter, without compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.compiler.interpret import interpret
from sixvec.robot import Robot


class Interpreted:
    """The same robot, each algorithm evaluated as the program that would be compiled.

    Equal calls, with the very same arrays, are evaluated once: most identities need M or the joint forces.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0, 3)
    >>> bool(numpy.allclose(Interpreted(robot).mass_matrix(q), robot.mass_matrix(q)))
    True
    """

    def __init__(self, robot: Robot) -> None:
        self.of = robot
        self.model, self.nv, self.gravity = robot.model, robot.nv, robot.gravity
        self._known: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any) -> Any:
            key = (name, *(x if isinstance(x, str) else id(x) for x in arguments))
            if key not in self._known:  # the arguments are kept as well: an id names an object only while it lives
                self._known[key] = arguments, self._result(name, *arguments)
            return self._known[key][1]

        if name.startswith("_"):
            raise AttributeError(name)
        return method

    def _result(self, name: str, *arguments: Any) -> Any:
        frame = {"frame": arguments[-1]} if isinstance(arguments[-1], str) else {}
        arrays = arguments[: len(arguments) - len(frame)]
        kernel = self.of.kernel(name, **frame)
        given = zip(kernel.inputs, (*arrays, *self.of.parameters), strict=True)
        results = interpret(kernel.program, {port.name: np.asarray(x, float) for port, x in given})
        return results[0] if kernel.result_type is None else kernel.result_type(*results)
