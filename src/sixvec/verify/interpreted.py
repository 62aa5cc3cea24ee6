"""A robot whose methods run the scalar programs in the interpreter, without compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.compiler.interpret import interpret
from sixvec.robot import Robot


class Interpreted:
    """The same robot, each algorithm evaluated as the program that would be compiled.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0, 3)
    >>> bool(numpy.allclose(Interpreted(robot).mass_matrix(q), robot.mass_matrix(q)))
    True
    """

    def __init__(self, robot: Robot) -> None:
        self.of = robot
        self.model, self.nv, self.gravity = robot.model, robot.nv, robot.gravity

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any, **options: Any) -> Any:
            frame = {"frame": arguments[-1]} if isinstance(arguments[-1], str) else {}
            arrays = arguments[: len(arguments) - len(frame)]
            kernel = self.of.kernel(name, **frame, **options)
            given = zip(kernel.inputs, (*arrays, *self.of.parameters), strict=True)
            results = interpret(kernel.program, {port.name: np.asarray(x, float) for port, x in given})
            return results[0] if kernel.result_type is None else kernel.result_type(*results)

        if name.startswith("_"):
            raise AttributeError(name)
        return method
