"""A robot whose methods evaluate the equations themselves, without tracing or compilation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from sixvec.analysis.verify.state import Array
from sixvec.errors import SixvecError
from sixvec.kernels.kernel import Kernel
from sixvec.robot import Robot


class Evaluation(NamedTuple):
    """A kernel's inputs and its results by the equations, each with a row per sample; and inputs that all share."""

    kernel: Kernel
    inputs: tuple[Array, ...]
    parameters: tuple[Array, ...]
    results: tuple[Array, ...]


class Equations:
    """The same robot, but its algorithms run on NumPy arrays in place of scalars: columns with an entry per sample.

    Nothing is traced, lowered or compiled, so results are independent of the compiler.  Equal calls are evaluated
    once: most identities need M or the joint forces.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q = robot.random(0, 3)
    >>> bool(numpy.allclose(Equations(robot).mass_matrix(q), robot.mass_matrix(q)))
    True
    """

    def __init__(self, robot: Robot) -> None:
        self.of = robot
        self.model, self.nv, self.gravity = robot.model, robot.nv, robot.gravity
        self.evaluations: dict[str, Evaluation] = {}
        """The first call of each method."""
        self.reader_errors: dict[str, SixvecError] = {}
        """Methods that do not support this robot, with the reason."""
        self._known: dict[tuple[Any, ...], Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any) -> Any:
            key = (name, *(x if isinstance(x, str) else (x.shape, x.tobytes()) for x in arguments))
            if key not in self._known:
                try:
                    self._known[key] = self._result(name, *arguments)
                except SixvecError as problem:
                    self.reader_errors.setdefault(name, problem)
                    raise
            return self._known[key]

        if name.startswith("_"):
            raise AttributeError(name)
        return method

    def _result(self, name: str, *arguments: Any) -> Any:
        frame = {"frame": arguments[-1]} if isinstance(arguments[-1], str) else {}
        state = arguments[: len(arguments) - len(frame)]
        kernel = self.of.kernel(name, **frame)
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in state))
        rows = tuple(np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in state)
        results = evaluated(kernel, rows, self.of.parameters)
        self.evaluations.setdefault(name, Evaluation(kernel, rows, self.of.parameters, results))
        shaped = [x.reshape(*batch, *x.shape[1:]) for x in results]
        return shaped[0] if kernel.result_type is None else kernel.result_type(*shaped)


def evaluated(kernel: Kernel, rows: Sequence[Array], parameters: Sequence[Array] = ()) -> tuple[Array, ...]:
    """The outputs of a kernel by its equations, a row per sample; `parameters` are inputs that all samples share.

    One sample is evaluated on floats, which takes a third of the time of arrays, however short.
    """
    count, numbers = len(rows[0]), [x.tolist() for x in parameters]
    if count == 1:
        with suppress(ArithmeticError, ValueError):  # where arrays are infinite or NaN
            return _arrays(kernel.equations(*(x[0].tolist() for x in rows), *numbers), count)
    return _arrays(kernel.equations(*(list(np.ascontiguousarray(x.T)) for x in rows), *numbers), count)


def _arrays(outputs: Sequence[tuple[Any, Sequence[Any]]], count: int) -> tuple[Array, ...]:
    arrays = []
    for port, entries in outputs:
        columns = np.empty((port.size, count))
        for column, x in zip(columns, entries, strict=True):
            column[:] = x
        arrays.append(np.ascontiguousarray(columns.T).reshape(count, *port.shape))
    return tuple(arrays)
