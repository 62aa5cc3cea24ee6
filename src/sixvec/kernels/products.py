"""Derivatives times vectors: along one direction (jvp), and of one weighted sum (vjp).

Frameworks for automatic differentiation require them of a function; `Differentiable.vjp` and `.jvp` offer them
to users.  Both are functions of the same kind, so they can be differentiated any number of times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sixvec.compiler.autodiff import Differentiator
from sixvec.compiler.call import Compiled, as_tuple
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Port, Program
from sixvec.kernels.portable import Portable
from sixvec.lazy import lazy


class Product(Portable):
    """The common base of the two.  `wrt` are the inputs that change, by default all of them.

    With `tangent`, directions of positions have nv coordinates, in the convention of `Differentiable`; otherwise they
    are directions of the numbers in the array, quaternions included.
    """

    prefix: str

    def __init__(self, of: Any, wrt: Sequence[str] = (), tangent: bool = False) -> None:
        self.of: Any = twin(of)
        self.tangent = tangent
        known = [p.name for p in of.inputs]
        self.wrt = tuple(map(of.require_input, wrt)) or tuple(known)
        self.needs_double = of.needs_double
        self.name = f"{of.name}_{self.prefix}"
        if self.wrt != tuple(known):
            self.name += "_" + "_".join(self.wrt)

    def __reduce__(self) -> Any:
        return type(self), (self.of, self.wrt, self.tangent)

    @property
    def identity(self) -> str:
        return f"{self.of.identity} {self.prefix} {self.wrt} {self.tangent}"

    def check_values(self, inputs: Sequence[Any]) -> None:
        super().check_values(inputs)
        self.of.check_values(inputs[: len(self.of.inputs)])

    def _directions(self) -> list[Port]:
        """The ports in which the inputs change."""
        if self.tangent:
            return [self.of.tangent_port(name) for name in self.wrt]
        ports = {p.name: p for p in self.of.inputs}
        return [ports[name] for name in self.wrt]


class Pushforward(Product):
    """∂f/∂x · ẋ: the inputs of f, then a direction `tangent[x]` for each input that changes; outputs as f.

    >>> import sixvec, numpy
    >>> kernel = sixvec.load("panda").kernel("potential_energy")
    >>> q = numpy.full(7, 0.3)
    >>> numpy.allclose(kernel.jvp(q, numpy.eye(7)), sixvec.load("panda").gravity_forces(q))
    True
    """

    prefix = "jvp"

    def __init__(self, of: Any, wrt: Sequence[str] = (), tangent: bool = False) -> None:
        super().__init__(of, wrt, tangent)
        taken = {p.name for p in of.inputs}
        directions = [
            Port(new_name(f"tangent[{n}]", taken), p.shape) for n, p in zip(self.wrt, self._directions(), strict=True)
        ]
        self.inputs, self.outputs = (*of.inputs, *directions), of.outputs
        self.result_type = of.result_type

    @lazy
    def program(self) -> Program:
        program = self.of.program
        seeds: dict[Node, Operand] = {}
        for name, port in zip(self.wrt, self.inputs[len(self.of.inputs) :], strict=True):
            direction = symbols(program, port)
            if self.tangent:
                seeds |= self.of.rates(name, direction)
            else:
                seeds |= {node: direction[i] for i, node in scalars(program, name).items()}
        return Program(self.name, self.inputs, self.outputs, tangents(program, seeds))


class Pullback(Product):
    """(∂f/∂x)ᵀ · w: the inputs of f, then weights `cotangent[y]` of its outputs; an output for each input that changes.

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> kernel = robot.kernel("center_of_mass")
    >>> q, w = robot.random(0), numpy.ones(3)
    >>> numpy.allclose(kernel.vjp(q, w), w @ robot.center_of_mass_jacobian(q))
    True
    """

    prefix = "vjp"

    def __init__(self, of: Any, wrt: Sequence[str] = (), tangent: bool = False) -> None:
        super().__init__(of, wrt, tangent)
        taken = {p.name for p in of.inputs}
        weights = [Port(new_name(f"cotangent[{p.name}]", taken), p.shape) for p in of.outputs]
        self.inputs = (*of.inputs, *weights)
        self.outputs = tuple(Port(n, p.shape) for n, p in zip(self.wrt, self._directions(), strict=True))
        if len(self.outputs) > 1:
            self.result_type = parts(self.name, self.outputs)

    @lazy
    def program(self) -> Program:
        program = self.of.program
        adjoint = adjoints(program, (symbols(program, port) for port in self.inputs[len(self.of.inputs) :]))
        results = tuple(tuple(self._gradient(name, adjoint)) for name in self.wrt)
        return Program(self.name, self.inputs, self.outputs, results)

    def _gradient(self, name: str, adjoint: dict[Node, Operand]) -> list[Operand]:
        if self.tangent:
            return slopes(adjoint, self.of.unit_rates(name))
        nodes = scalars(self.of.program, name)
        (size,) = (p.size for p in self.of.inputs if p.name == name)
        return [adjoint.get(nodes[i], 0.0) if i in nodes else 0.0 for i in range(size)]


def symbols(program: Program, port: Port) -> list[Operand]:
    """The scalars of an additional input."""
    nodes = program.nodes
    return [nodes[0].graph.input(port.name, i) for i in range(port.size)] if nodes else [0.0] * port.size


def scalars(program: Program, name: str) -> dict[int, Node]:
    """The numbers of an input that a program reads, by their indices."""
    return {n.source[1]: n for n in program.nodes if n.op == "input" and n.source[0] == name}


def tangents(program: Program, seeds: dict[Node, Operand]) -> tuple[tuple[Operand, ...], ...]:
    """The rates of all results where those of some nodes are given."""
    rate = Differentiator(program.nodes).forward(seeds)
    return tuple(tuple(rate.get(x, 0.0) if isinstance(x, Node) else 0.0 for x in each) for each in program.results)


def slopes(adjoint: dict[Node, Operand], units: Iterable[dict[Node, Operand]]) -> list[Operand]:
    """The derivatives along each of some directions, from those with respect to nodes."""
    return [sum((adjoint.get(node, 0.0) * rate for node, rate in unit.items()), 0.0) for unit in units]


def adjoints(program: Program, weights: Iterable[Iterable[Operand]]) -> dict[Node, Operand]:
    """The derivatives of a weighted sum of all results with respect to every node; the weights are those of each."""
    seeds: dict[Node, Operand] = {}
    for row, entries in zip(weights, program.results, strict=True):
        for weight, x in zip(row, entries, strict=True):
            if isinstance(x, Node):  # one node may be in several places, as in a symmetric matrix
                seeds[x] = seeds.get(x, 0.0) + weight
    return Differentiator(program.nodes).reverse(seeds)


def twin(of: Compiled) -> Compiled:
    """The same function without its machine code and derived functions.

    A product stored in its function must not reference it: unreachable functions are then freed immediately.
    """
    copy = object.__new__(type(of))
    not_copied = ("_executables", "_call_stub", "_products", "vjp", "jvp")
    copy.__dict__.update({name: x for name, x in of.__dict__.items() if name not in not_copied})
    return copy


def pullback(of: Any, wrt: Sequence[str]) -> Any:
    """The vector-Jacobian product in the numbers of the arrays, made once; loops have their own implementations."""
    return of.pullback(wrt) if hasattr(of, "pullback") else kept_product(of, Pullback, tuple(wrt))


def pushforward(of: Any, wrt: Sequence[str]) -> Any:
    """The Jacobian-vector product in the numbers of the arrays, made once."""
    return of.pushforward(wrt) if hasattr(of, "pushforward") else kept_product(of, Pushforward, tuple(wrt))


def kept_product(of: Any, kind: Any, wrt: tuple[str, ...]) -> Any:
    """A product of a function, made once and stored in it."""
    products = of.__dict__.setdefault("_products", {})
    if (kind, wrt) not in products:
        products.setdefault((kind, wrt), kind(of, wrt))
    return products[kind, wrt]


def parts(name: str, outputs: Sequence[Port]) -> Any:
    """The type of a result with several parts: a named tuple if Python accepts the names, otherwise a tuple."""
    from sixvec.kernels.derivative import named_tuple

    if all(p.name.isidentifier() for p in outputs):
        return named_tuple(name.replace("[", "_").replace("]", "_"), outputs)
    return as_tuple


def new_name(name: str, taken: set[str]) -> str:
    """An unused name, which is then reserved: products of products repeat the same words."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name
