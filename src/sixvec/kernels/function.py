"""Any function of scalars as a compiled function of arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from sixvec.arguments.signature import named_shape, two_sides
from sixvec.compiler.autodiff import Mode, jacobian
from sixvec.compiler.call import Compiled, as_tuple
from sixvec.compiler.program import Port, Program, trace
from sixvec.kernels.array_loop import ArrayLoop
from sixvec.kernels.portable import Portable
from sixvec.lazy import lazy
from sixvec.pickling import by_name


def compiled(spec: str) -> Callable[[Callable[..., Any]], CompiledFunction]:
    """Declare the shapes of a function's arguments and results and compile it: `"R[3,3] t[3] -> X[4,4]"`.

    The function receives each argument as nested lists of scalars and returns the same (or any iterable values of
    `sixvec.spatial`); it must be written like an algorithm: `where` from sixvec.scalar instead of `if` on numbers.
    The compiled function accepts arrays with any batch axes, runs in SIMD lanes and threads, and can be differentiated.

    >>> import numpy, sixvec
    >>> from sixvec.spatial import Vec3
    >>> @sixvec.compiled("a[3] b[3] -> c[3]")
    ... def cross(a, b):
    ...     return Vec3.of(a).cross(Vec3.of(b))
    >>> cross([1.0, 0.0, 0.0], numpy.eye(3)).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    >>> cross.derivative("b")([1.0, 0.0, 0.0], numpy.zeros(3)).shape
    (3, 3)
    """
    inputs, outputs = (tuple(map(_port, side)) for side in two_sides(spec))
    return lambda function: CompiledFunction(function, inputs, outputs)


class CompiledFunction(Portable):
    """A function of arrays, compiled from a function of scalars when first called."""

    def __init__(
        self, function: Callable[..., Any], inputs: tuple[Port, ...], outputs: tuple[Port, ...], identity: str = ""
    ) -> None:
        self.function, self.inputs, self.outputs, self._identity = function, inputs, outputs, identity
        self.name = function.__name__
        self.__doc__ = inspect.getdoc(function)
        if len(outputs) > 1:
            self.result_type = as_tuple

    def __reduce__(self) -> Any:
        return by_name(self, self.function)

    @lazy
    def program(self) -> Program:
        def run(*symbols: list[Any]) -> list[tuple[Port, list[Any]]]:
            result = self.function(*(_nested(x, p.shape) for x, p in zip(symbols, self.inputs, strict=True)))
            parts = result if len(self.outputs) > 1 else (result,)
            return [(p, list(_flat(x, len(p.shape)))) for p, x in zip(self.outputs, parts, strict=True)]

        return trace(self.name, self.inputs, run)

    def check_values(self, inputs: Sequence[NDArray[Any]]) -> None:
        """As for other calls; the library calls its own functions with intermediate values, which may be no numbers."""
        if not str(self.function.__module__).startswith("sixvec."):
            super().check_values(inputs)

    @property
    def identity(self) -> str:
        """A key that determines the program, if it is known without tracing."""
        return self._identity or self.program.digest

    def derivative(self, wrt: str, mode: Mode = "forward") -> Compiled:
        """∂output/∂`wrt` for every output, by automatic differentiation: shape (*output, *wrt)."""
        return CompiledProgram(jacobian(self.program, self.require_input(wrt), mode))

    def over(self, *arrays: str) -> ArrayLoop:
        """The function for each entry of these arrays, one after another: a loop in machine code.

        They are the last inputs, and have one more axis.  Outputs with the names of the first inputs are the
        state, passed from entry to entry.

        >>> import sixvec
        >>> @sixvec.compiled("total x -> total square")
        ... def add(total, x):
        ...     return total + x, x * x
        >>> total, squares = add.over("x")(0.0, [1.0, 2.0, 3.0])
        >>> float(total), squares.tolist()
        (6.0, [1.0, 4.0, 9.0])
        """
        return ArrayLoop(self, arrays)


class CompiledProgram(Portable):
    """An existing program as a function of arrays."""

    def __init__(self, program: Program) -> None:
        self.__dict__["program"] = program
        self.name, self.inputs, self.outputs = program.name, program.inputs, program.outputs
        if len(self.outputs) > 1:
            self.result_type = as_tuple


def _port(text: str) -> Port:
    """`R[3,3]` or `x` (a single number)."""
    name, shape = named_shape(text)
    return Port(name, tuple(int(d) for d in shape or ()))


def _nested(values: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
    step = len(values) // shape[0]
    return [_nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def _flat(value: Any, depth: int) -> Iterator[Any]:
    if depth == 0:
        yield value
    else:
        for entry in value:
            yield from _flat(entry, depth - 1)
