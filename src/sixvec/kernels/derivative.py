"""Derivatives of kernels: full, along one direction, and of weighted sums; each can be differentiated again."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from numpy.typing import DTypeLike, NDArray

from sixvec.algorithms.declaration import Algorithm, JointVector, Output, input_shape
from sixvec.compiler.autodiff import directional
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.in_place import InPlace
from sixvec.compiler.program import Port, Program
from sixvec.compiler.source import sources
from sixvec.kernels.portable import Portable
from sixvec.kernels.products import Pullback, Pushforward, adjoints, scalars, slopes, symbols, tangents
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.wrong_positions import require_unit_quaternions, warn_of_degrees
from sixvec.scalar import is_zero


class Differentiable(Portable):
    """A compiled function of a robot's arrays that can be differentiated, any number of times.

    Derivatives with respect to positions are in tangent coordinates (nv): coordinate k is the direction in which
    `robot.integrate` moves q with the k-th unit velocity.  Repeated derivatives with respect to positions repeat that
    step; if a joint rotates about more than one axis, the steps do not commute, and the *last* axis of the result
    belongs to the first step from q.
    """

    model: Model
    algorithm: Algorithm

    def source(self, target: str = "c", dtype: str = "float64", name: str = "") -> str:
        """Source text: "c" (stand-alone C99), "cuda", "llvm" (assembly), or "program" (the scalar program).

        The function has the given `name`, otherwise one made from robot, kernel, frame and options, which is unique.

        >>> import sixvec
        >>> text = sixvec.load("panda").kernel("jacobian", frame="panda_link8").source("c")
        >>> "void panda_jacobian_panda_link8(const double q[7], double J[42])" in text
        True
        """
        from sixvec.kernels.exported import function

        self.require_dtype(dtype)
        return sources([function(self, dtype, name)], target, dtype)

    def in_place(self, batch: int | tuple[int, ...], dtype: DTypeLike = "float64") -> InPlace:
        """Calls for batches of this shape that write into the same arrays each time; fastest for large results.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> regressor = robot.kernel("inverse_dynamics_regressor").in_place(1000)
        >>> q, v, a = robot.random(0, 1000), numpy.zeros((1000, 7)), numpy.ones((1000, 7))
        >>> Y = regressor(q, v, a)
        >>> numpy.array_equal(Y, robot.inverse_dynamics_regressor(q, v, a)), regressor(q, a, v) is Y
        (True, True)
        """
        return InPlace(self, batch, dtype)

    def derivative(self, wrt: str) -> Derivative:
        """∂output/∂`wrt` by automatic differentiation, one more axis at the end of each output.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> gradient = robot.kernel("potential_energy").derivative("q")
        >>> q = robot.random(0)
        >>> numpy.allclose(gradient(q), robot.gravity_forces(q))
        True
        >>> gradient.derivative("q")(q).shape
        (7, 7)
        """
        return Derivative(self, self.require_input(wrt))

    def directional(self, wrt: str, *others: str) -> Directional:
        """The derivative along one direction, which is one more input after the others; outputs keep their shapes.

        With several names all these inputs change at once, each along its own direction.
        Forward mode: about three times the operations of the function, however many coordinates `wrt` has.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v = robot.random(0), numpy.ones(7)
        >>> power = robot.kernel("potential_energy").directional("q")(q, v)
        >>> numpy.allclose(power, robot.gravity_forces(q) @ v)
        True
        """
        return Directional(self, *map(self.require_input, dict.fromkeys((wrt, *others))))

    def gradient(self, wrt: str) -> Gradient:
        """The derivative of  Σ weight · output  with respect to `wrt`; the weights are inputs after the others.

        Reverse mode: about four times the operations of the function, however many coordinates `wrt` has.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, weight = robot.random(0), numpy.ones(3)
        >>> g = robot.kernel("center_of_mass").gradient("q")(q, weight)
        >>> numpy.allclose(g, weight @ robot.center_of_mass_jacobian(q))
        True
        """
        return Gradient(self, self.require_input(wrt))

    @lazy
    def vjp(self) -> Pullback:
        """(∂output/∂input)ᵀ · weight for all inputs at once, as a kernel of the inputs and a weight for each output.

        Reverse mode on the graph: about four times the operations of the function, `vjp.count()` of them, however many
        inputs and coordinates there are.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v, w = robot.random(0), numpy.ones(7), numpy.eye(7)[0]
        >>> gradient = robot.kernel("forward_dynamics").vjp(q, v, v, w)
        >>> numpy.allclose(gradient.q, robot.forward_dynamics_derivatives(q, v, v).dq[0])
        True
        """
        return Pullback(self, tangent=True)

    @lazy
    def jvp(self) -> Pushforward:
        """∂output/∂input · direction of all inputs at once, as a kernel of the inputs and a direction for each.

        Forward mode on the graph: about three times the operations of the function, `jvp.count()` of them.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v, along = robot.random(0), numpy.ones(7), numpy.eye(7)[0]
        >>> da = robot.kernel("forward_dynamics").jvp(q, v, v, along, 0 * v, 0 * v)
        >>> numpy.allclose(da, robot.forward_dynamics_derivatives(q, v, v).dq[:, 0])
        True
        """
        return Pushforward(self, tangent=True)

    def hessian_product(self, wrt: str, along: str | None = None) -> Directional:
        """The Hessian of  Σ weight · output  times a direction: ∂/∂`along` of the gradient with respect to `wrt`.

        Forward over reverse mode: a small multiple of the operations of the function itself, whereas the whole Hessian
        costs that much per coordinate.  Inputs: those of the function, the weights, the direction.

        >>> import sixvec, numpy
        >>> robot = sixvec.load("panda")
        >>> q, v, direction = robot.random(0), numpy.zeros(7), numpy.eye(7)[1]
        >>> column = robot.kernel("kinetic_energy").hessian_product("v")(q, v, 1.0, direction)
        >>> numpy.allclose(column, robot.mass_matrix(q)[:, 1])
        True
        """
        return self.gradient(wrt).directional(along or wrt)

    def check_values(self, inputs: Sequence[NDArray[Any]]) -> None:
        super().check_values(inputs)
        for x, port in zip(inputs, self.inputs, strict=True):
            if self._is_position(port.name):
                require_unit_quaternions(self.model, x, f"{self.name}: {port.name}")
                warn_of_degrees(self.model, x)

    def tangent_port(self, wrt: str) -> Port:
        """The coordinates in which derivatives with respect to an input are taken."""
        port = next(p for p in self.inputs if p.name == wrt)
        return Port(wrt, (self.model.nv,)) if self._is_position(wrt) else port

    def _is_position(self, wrt: str) -> bool:
        return wrt in self.algorithm.arrays and input_shape(self.model, wrt) == (self.model.nq,)

    def rates(self, wrt: str, direction: Sequence[Operand]) -> dict[Node, Operand]:
        """The rates of the input's scalars when its tangent coordinates change with `direction`; without zeros."""
        nodes = scalars(self.program, wrt)
        if not nodes:
            return {}
        rates = list(direction)
        if self._is_position(wrt):
            model = canonical(self.model)
            graph = next(iter(nodes.values())).graph
            q = JointVector([graph.input(wrt, i) for i in range(model.nq)], model.q_slices)
            v = JointVector(direction, model.v_slices)
            rates = [x for b in model.moving for x in b.joint.rate(q[b], v[b])]
        return {nodes[i]: x for i, x in enumerate(rates) if i in nodes and not is_zero(x)}

    def unit_rates(self, wrt: str) -> list[dict[Node, Operand]]:
        """`rates` along each coordinate."""
        n = self.tangent_port(wrt).size
        return [self.rates(wrt, [float(i == k) for i in range(n)]) for k in range(n)]


class _Derived(Differentiable):
    """A function obtained by differentiating another one."""

    def __init__(self, of: Differentiable, wrt: str, name: str, extra: Sequence[Port], outputs: Sequence[Port]) -> None:
        self.of, self.wrt, self.name = of, wrt, name
        self.model, self.algorithm, self.needs_double = of.model, of.algorithm, of.needs_double
        self.inputs, self.outputs = (*of.inputs, *extra), tuple(outputs)
        if len(self.outputs) > 1:
            self.result_type = named_tuple(name, self.outputs)

    def __reduce__(self) -> Any:
        return type(self), (self.of, self.wrt)

    def _further(self) -> dict[Port, list[Operand]]:
        """The additional inputs and their scalars."""
        return {port: symbols(self.of.program, port) for port in self.inputs[len(self.of.inputs) :]}

    def _program(self, results: Iterable[Iterable[Operand]]) -> Program:
        return Program(self.name, self.inputs, self.outputs, tuple(map(tuple, results)))


class Derivative(_Derived):
    """The derivative with respect to one input: its axes follow those of each output."""

    def __init__(self, of: Differentiable, wrt: str) -> None:
        last = of.tangent_port(wrt).shape
        outputs = [Port(f"d{p.name}_d{wrt}", p.shape + last) for p in of.outputs]
        super().__init__(of, wrt, f"{of.name}_d{wrt}", (), outputs)

    @lazy
    def program(self) -> Program:
        return directional(self.of.program, self.of.unit_rates(self.wrt), self.of.tangent_port(self.wrt))


class Directional(_Derived):
    """The derivative along directions, one for each of some inputs; they are the last inputs."""

    def __init__(self, of: Differentiable, *wrt: str) -> None:
        directions = [Port(f"direction[{name}]", of.tangent_port(name).shape) for name in wrt]
        along = "_".join(wrt)
        outputs = [Port(f"d{p.name}_along_{along}", p.shape) for p in of.outputs]
        super().__init__(of, along, f"{of.name}_along_{along}", directions, outputs)
        self._moved = wrt

    def __reduce__(self) -> Any:
        return Directional, (self.of, *self._moved)

    @lazy
    def program(self) -> Program:
        seeds: dict[Node, Operand] = {}
        for name, direction in zip(self._moved, self._further().values(), strict=True):
            seeds |= self.of.rates(name, direction)
        return self._program(tangents(self.of.program, seeds))


class Gradient(_Derived):
    """The derivative of a weighted sum of all entries of all outputs; the weights are the last inputs."""

    def __init__(self, of: Differentiable, wrt: str) -> None:
        weights = [Port(f"weight[{p.name}]", p.shape) for p in of.outputs]
        outputs = [Port(f"gradient_{wrt}", of.tangent_port(wrt).shape)]
        super().__init__(of, wrt, f"{of.name}_gradient_{wrt}", weights, outputs)

    @lazy
    def program(self) -> Program:
        adjoint = adjoints(self.of.program, self._further().values())
        return self._program([slopes(adjoint, self.of.unit_rates(self.wrt))])


def named_tuple(name: str, outputs: Sequence[Port | Output]) -> Any:
    """The type of a result with several parts."""
    return _named_tuple(name, tuple(o.name for o in outputs))


@cache
def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    title = "".join(word.capitalize() for word in name.split("_"))
    plain = namedtuple(title, fields)  # type: ignore[misc]

    def reduce(self: Any) -> Any:
        """No module contains the type under its name, so results are pickled with its constructor."""
        return _named, (name, fields, tuple(self))

    return type(title, (plain,), {"__slots__": (), "__reduce__": reduce, "__doc__": plain.__doc__})


def _named(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return _named_tuple(name, fields)(*values)
