"""The seam between robots and compiler: an algorithm, run on symbols for one model, becomes a function of arrays."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from sixvec.algorithms.declaration import Algorithm, JointVector, Output, flatten, input_shape, size
from sixvec.compiler.autodiff import directional
from sixvec.compiler.call import Compiled
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Port, Program, trace
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.model.canonical import canonical

_WRENCH = 6


class Kernel(Compiled):
    """One algorithm compiled for one robot, with its options fixed; call it with arrays.

    >>> import sixvec
    >>> kernel = sixvec.load("panda").kernel("gravity_forces")
    >>> kernel.count()["sin"]
    6
    >>> kernel([0.0] * 7).shape
    (7,)
    """

    def __init__(
        self, model: Model, algorithm: Algorithm, options: Mapping[str, Any], external: Sequence[str] = ()
    ) -> None:
        self.model, self.algorithm, self.options, self.external = model, algorithm, dict(options), tuple(external)
        for name in [*self.external, *([self.options["frame"]] if "frame" in self.options else [])]:
            model.frame(name)
        self.name = algorithm.name
        self.inputs = tuple(
            [Port(name, input_shape(model, name)) for name in algorithm.arrays]
            + [Port(f"external[{name}]", (_WRENCH,)) for name in self.external]
        )
        self.outputs = tuple(Port(o.name, tuple(size(model, d) for d in o.shape)) for o in algorithm.outputs)
        self.result_type = result_type(algorithm) if len(self.outputs) > 1 else None

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"<Kernel {self.name} of {self.model.name}{options}>"

    @cached_property
    def program(self) -> Program:
        """The scalar program: what running the algorithm on symbols leaves."""
        model = canonical(self.model)
        arrays = len(self.algorithm.arrays)

        def run(*symbols: list[Node]) -> list[tuple[Port, list[Any]]]:
            options = dict(self.options)
            if self.external:
                options["external"] = dict(zip(self.external, symbols[arrays:], strict=True))
            result = self.algorithm(model, *symbols[:arrays], **options)
            parts = result if len(self.outputs) > 1 else (result,)
            return [(p, flatten(x, len(p.shape))) for p, x in zip(self.outputs, parts, strict=True)]

        return trace(self.name, self.inputs, run)

    @property
    def identity(self) -> str:
        """What decides about the program.  The library's own algorithms need not be traced to know it."""
        if not self.algorithm.function.__module__.startswith("sixvec."):
            return self.program.digest
        return f"{self.model.fingerprint} {self.name} {sorted(self.options.items())} {self.external}"

    def derivative(self, wrt: str) -> Derivative:
        """∂output/∂`wrt` by automatic differentiation, one more axis at the end of each output.

        Derivatives with respect to positions are in tangent coordinates: the last axis has nv entries.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> gradient = robot.kernel("potential_energy").derivative("q")
        >>> q = robot.random(0)
        >>> numpy.allclose(gradient(q), robot.gravity_forces(q))
        True
        """
        if wrt not in [p.name for p in self.inputs]:
            raise ArgumentError(f'{self.name} has no input "{wrt}"; inputs: {", ".join(p.name for p in self.inputs)}')
        return Derivative(self, wrt)


class Derivative(Compiled):
    """The derivative of a kernel with respect to one of its inputs."""

    def __init__(self, kernel: Kernel, wrt: str) -> None:
        self.kernel, self.wrt = kernel, wrt
        self.name, self.inputs = f"{kernel.name}_d{wrt}", kernel.inputs
        self._is_position = wrt in kernel.algorithm.arrays and input_shape(kernel.model, wrt) == (kernel.model.nq,)
        last = (kernel.model.nv,) if self._is_position else next(p.shape for p in self.inputs if p.name == wrt)
        self.outputs = tuple(Port(f"d{p.name}_d{wrt}", p.shape + last) for p in kernel.outputs)
        if len(self.outputs) > 1:
            self.result_type = _named_tuple(self.name, self.outputs)

    @cached_property
    def program(self) -> Program:
        program = self.kernel.program
        symbols = {n.source[1]: n for n in program.nodes if n.op == "input" and n.source[0] == self.wrt}
        port = next(p for p in self.inputs if p.name == self.wrt)
        if not self._is_position:
            units: list[dict[Node, Operand]] = [{symbols[i]: 1.0} if i in symbols else {} for i in range(port.size)]
            return directional(program, units, Port(self.wrt, port.shape))
        if not symbols:
            return directional(program, [{}] * self.kernel.model.nv, Port(self.wrt, (self.kernel.model.nv,)))
        return directional(program, self._tangent_directions(symbols), Port(self.wrt, (self.kernel.model.nv,)))

    def _tangent_directions(self, symbols: dict[int, Node]) -> list[dict[Node, Operand]]:
        """For each tangent coordinate, the rates of all position coordinates."""
        model = canonical(self.kernel.model)
        graph = next(iter(symbols.values())).graph
        q = JointVector([graph.input(self.wrt, i) for i in range(model.nq)], model.q_slices)
        directions = []
        for k in range(model.nv):
            v = JointVector([float(i == k) for i in range(model.nv)], model.v_slices)
            rates = [x for b in model.moving for x in b.joint.rate(q[b], v[b])]
            directions.append({symbols[i]: rate for i, rate in enumerate(rates) if i in symbols and not _is_zero(rate)})
        return directions


def _is_zero(x: Operand) -> bool:
    return isinstance(x, float) and x == 0.0


@cache
def result_type(algorithm: Algorithm) -> Any:
    """The named tuple of an algorithm with several outputs."""
    return _named_tuple(algorithm.name, algorithm.outputs)


def _named_tuple(name: str, outputs: Sequence[Port | Output]) -> Any:
    title = "".join(word.capitalize() for word in name.split("_"))
    return namedtuple(title, [o.name for o in outputs])
