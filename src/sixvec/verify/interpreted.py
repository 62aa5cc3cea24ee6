"""A robot whose methods run the scalar programs in the interpreter, without compilation."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any

import numpy as np

from sixvec.compiler import cache as disk
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.fingerprint import code_key
from sixvec.compiler.interpret import Steps
from sixvec.kernels.kernel import Kernel
from sixvec.robot import Robot


class Interpreted:
    """The same robot, each algorithm evaluated as the program that would be compiled.

    Equal calls, with the very same arrays, are evaluated once: most identities need M or the joint forces.  Programs
    are kept on disk (`keep`), like machine code: tracing takes most of the time of a verification.

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
        self._key = ""
        if robot.model.is_known_by_its_data:
            self._key = code_key(f"interpreted {robot.model.fingerprint}", Lanes(1, "float64"))
        stored = disk.read(self._key) if self._key else None
        self._stored: dict[str, bytes] = marshal.loads(stored) if stored else {}
        self._steps: dict[str, Steps] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any) -> Any:
            key = (name, *(x if isinstance(x, str) else id(x) for x in arguments))
            if key not in self._known:  # the arguments are kept as well: an id names an object only while it lives
                self._known[key] = arguments, self._result(name, *arguments)
            return self._known[key][1]

        if name.startswith("_"):
            raise AttributeError(name)
        return method

    def keep(self) -> None:
        """Store the programs that were traced, for the next verification of this robot."""
        if self._key and not self._steps.keys() <= self._stored.keys():
            self._stored |= {identity: steps.as_bytes() for identity, steps in self._steps.items()}
            disk.write(self._key, marshal.dumps(self._stored))

    def _result(self, name: str, *arguments: Any) -> Any:
        frame = {"frame": arguments[-1]} if isinstance(arguments[-1], str) else {}
        arrays = arguments[: len(arguments) - len(frame)]
        kernel = self.of.kernel(name, **frame)
        given = [np.asarray(x, float) for x in (*arrays, *self.of.parameters)]
        results = self._program(kernel).run(kernel.inputs, kernel.outputs, given)
        return results[0] if kernel.result_type is None else kernel.result_type(*results)

    def _program(self, kernel: Kernel) -> Steps:
        identity = kernel.identity
        if identity not in self._steps:
            stored = self._stored.get(identity)
            self._steps[identity] = Steps.from_bytes(stored) if stored else Steps.of(kernel.program)
        return self._steps[identity]
