"""Derivatives of rollouts, and of every other compiled loop, in both modes and of any order.

A loop repeats a step  (x_{k+1}, y_k) = f(x_k, c, u_k)  with a state x, constant inputs c and inputs u_k of each step.
The gradient λ_k of a function of all results satisfies

    λ_k = (∂x_{k+1}/∂x_k)ᵀ λ_{k+1} + (∂y_k/∂x_k)ᵀ w_k

where w_k is its partial derivative with respect to y_k; those with respect to c are summed, and there is one for each
u_k.  In forward mode the rates of x are one more state.  Both are loops of the same kind: a derivative of a loop is
made of loops, and so has derivatives too.  The path is recomputed, which costs less than storing the intermediate
values of each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.compiler.graph import Node, Operand
from sixvec.kernels import Compiled, Iterated, Port, Program
from sixvec.kernels.portable import Portable
from sixvec.kernels.products import adjoints, kept_product, new_name, scalars, symbols, tangents, twin
from sixvec.lazy import lazy

Run = Callable[[Any, Sequence[Any]], Sequence[Any]]
"""Calls a compiled function on arrays of a library, with derivatives."""


class Loop(Portable, Iterated):
    """The steps of a rollout as one function whose derivatives are made of other loops."""

    @property
    def identity(self) -> str:
        return f"{self.step.identity} loop {self.steps} {self.carried} {self.each}"

    def pullback(self, wrt: Sequence[str]) -> LoopPullback:
        pullback: LoopPullback = kept_product(self, LoopPullback, tuple(wrt))
        return pullback

    def pushforward(self, wrt: Sequence[str]) -> LoopPushforward:
        pushforward: LoopPushforward = kept_product(self, LoopPushforward, tuple(wrt))
        return pushforward


class _Step(Compiled):
    """A step derived from that of a loop, with its inputs sorted by the part that they play."""

    word: str

    def __init__(self, loop: Loop) -> None:
        self.of, self.name, self.needs_double = loop.step, f"{loop.name}_{self.word}", loop.needs_double
        first_each = len(loop.step.inputs) - loop.each
        self.state = loop.step.inputs[: loop.carried]
        self.kept = loop.step.inputs[loop.carried : first_each]
        self.changing = loop.step.inputs[first_each:]
        self.results = loop.step.outputs[loop.carried :]
        self._taken = {p.name for p in loop.step.inputs}
        self.result_type = tuple

    @property
    def identity(self) -> str:
        return f"{self.of.identity} {self.word} {len(self.state)} {len(self.changing)}"

    def named(self, word: str, ports: Sequence[Port]) -> tuple[Port, ...]:
        """Ports like these under new names."""
        return tuple(Port(new_name(f"{word}[{p.name}]", self._taken), p.shape) for p in ports)


class _BackStep(_Step):
    """One step back.  State: λ and the sums for constant inputs."""

    word = "gradient"

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop)
        self.adjoint, self.sums = self.named("adjoint", self.state), self.named("sum", self.kept)
        self.weights = self.named("weight", self.results)
        self.inputs = (*self.adjoint, *self.sums, *self.kept, *self.state, *self.changing, *self.weights)
        self.outputs = (*self.adjoint, *self.sums, *self.named("gradient", self.changing))

    @lazy
    def program(self) -> Program:
        program = self.of.program
        adjoint_of = adjoints(program, (symbols(program, p) for p in (*self.adjoint, *self.weights)))

        def gradient(port: Port) -> list[Any]:
            nodes = scalars(program, port.name)
            return [adjoint_of.get(nodes[i], 0.0) if i in nodes else 0.0 for i in range(port.size)]

        sums = [
            [a + b for a, b in zip(symbols(program, s), gradient(p), strict=True)]
            for s, p in zip(self.sums, self.kept, strict=True)
        ]
        results = [*map(gradient, self.state), *sums, *map(gradient, self.changing)]
        return Program(self.name, self.inputs, self.outputs, tuple(map(tuple, results)))


class _StateStep(_Step):
    """The same step, whose only result besides the new state is the old one."""

    word = "states"

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop)
        self.inputs, self.outputs = loop.step.inputs, (*self.state, *self.state)

    @lazy
    def program(self) -> Program:
        program = self.of.program
        before = [tuple(symbols(program, p)) for p in self.state]
        return Program(self.name, self.inputs, self.outputs, (*program.results[: len(self.state)], *before))


class _RateStep(_Step):
    """The step and its rates.  State: x and its rates; inputs in `wrt` have rates as well."""

    word = "rates"

    def __init__(self, loop: Loop, wrt: Sequence[str]) -> None:
        super().__init__(loop)
        self.wrt = tuple(p.name for p in (*self.kept, *self.changing) if p.name in wrt)
        kept, changing = ([p for p in ports if p.name in wrt] for ports in (self.kept, self.changing))
        self.rates = [self.named("tangent", ports) for ports in (self.state, kept, changing)]
        self.moving = (*self.state, *kept, *changing)
        self.inputs = (
            *self.state, *self.rates[0], *self.kept, *self.rates[1], *self.changing, *self.rates[2],
        )  # fmt: skip
        self.outputs = (*self.state, *self.rates[0], *self.named("rate", self.results))
        self.each = len(changing)

    @property
    def identity(self) -> str:
        return f"{super().identity} {self.wrt}"

    @lazy
    def program(self) -> Program:
        program = self.of.program
        seeds: dict[Node, Operand] = {}
        for port, rate in zip(self.moving, (p for ports in self.rates for p in ports), strict=True):
            along = symbols(program, rate)
            seeds |= {node: along[i] for i, node in scalars(program, port.name).items()}
        results = (*program.results[: len(self.state)], *tangents(program, seeds))
        return Program(self.name, self.inputs, self.outputs, results)


class Composition:
    """A function made of compiled functions and operations on arrays, which each library carries out in its own."""

    name: str
    inputs: tuple[Port, ...]
    needs_double: bool

    def composed(self, xp: Any, run: Run, arrays: Sequence[Any]) -> list[Any]:
        """The results: `xp` is the library, and `run` calls a compiled function on its arrays."""
        raise NotImplementedError


class LoopPullback(Composition):
    """The gradient of a weighted sum of all outputs of a loop: its inputs, then weights; `wrt` are the outputs."""

    def __init__(self, of: Loop, wrt: Sequence[str]) -> None:
        self.of: Any = twin(of)
        self.wrt, self.name, self.needs_double = tuple(wrt), f"{of.name}_gradient", of.needs_double
        weights = (Port(f"cotangent[{k}]", p.shape) for k, p in enumerate(of.outputs))
        self.inputs = (*of.inputs, *weights)
        step = _BackStep(of)
        each = len(step.state) + len(step.changing) + len(step.weights)
        self._back = Loop(step, of.steps, len(step.adjoint) + len(step.sums), each, name=self.name)

    @lazy
    def _states(self) -> Loop | None:
        """The loop whose results are the states before each step; None if those after each step are results of `of`."""
        of, results = self.of, self.of.step.program.results
        if results[of.carried : 2 * of.carried] == results[: of.carried]:
            return None
        return Loop(_StateStep(of), of.steps, of.carried, of.each, name=f"{of.name}_states")

    def _before(self, xp: Any, run: Run, inputs: Sequence[Any]) -> list[Any]:
        """The states before each step."""
        m = self.of.carried
        if self._states is not None:
            return list(run(self._states, inputs)[m:])
        after, made = run(self.of, inputs)[m : 2 * m], []
        for x, path, port in zip(inputs, after, self.of.step.inputs, strict=False):
            rank = len(port.shape)
            first = xp.broadcast_to(x, path.shape[: path.ndim - rank - 1] + port.shape)
            axis = -rank - 1
            steps: list[Any] = [slice(None)] * rank
            made.append(xp.concatenate([first[(..., None, *steps)], path[(..., slice(-1), *steps)]], axis))
        return made

    def composed(self, xp: Any, run: Run, arrays: Sequence[Any]) -> list[Any]:
        """The path forward, then its adjoint back."""
        of, count, m = self.of, len(self.of.inputs), self.of.carried
        inputs, ends, weights = arrays[:count], arrays[count : count + m], arrays[count + m :]
        kept, changing = inputs[m : count - of.each], inputs[count - of.each :]
        ports = self._back.inputs[len(self._back.inputs) - self._back.each :]
        each = (*self._before(xp, run, inputs), *changing, *weights)
        turned = [xp.flip(x, (-len(p.shape),)) for x, p in zip(each, ports, strict=True)]
        results = run(self._back, [*ends, *map(xp.zeros_like, kept), *kept, *turned])
        constant = len(results) - of.each
        back = [
            xp.flip(x, (-len(p.shape),)) for x, p in zip(results[constant:], self._back.outputs[constant:], strict=True)
        ]
        named = dict(zip((p.name for p in of.inputs), [*results[:constant], *back], strict=True))
        return [named[name] for name in self.wrt]


class LoopPushforward(Composition):
    """The rates of all outputs of a loop: its inputs, then a direction for each input in `wrt`."""

    def __init__(self, of: Loop, wrt: Sequence[str]) -> None:
        self.wrt, self.name, self.needs_double = tuple(wrt), f"{of.name}_rates", of.needs_double
        directions = [Port(f"tangent[{p.name}]", p.shape) for p in of.inputs if p.name in wrt]
        self.inputs = (*of.inputs, *directions)
        self._step = _RateStep(of, wrt)
        self._loop = Loop(self._step, of.steps, 2 * of.carried, of.each + self._step.each, name=self.name)

    def composed(self, xp: Any, run: Run, arrays: Sequence[Any]) -> list[Any]:
        step, count = self._step, len(self._step.of.inputs)
        names = [p.name for p in step.of.inputs]
        values, along = dict(zip(names, arrays, strict=False)), dict(zip(self.wrt, arrays[count:], strict=True))
        rates = [along.get(p.name) for p in step.state]
        parts = [values[p.name] for p in step.state]
        parts += [xp.zeros_like(values[p.name]) if r is None else r for p, r in zip(step.state, rates, strict=True)]
        for ports in (step.kept, step.changing):
            parts += [values[p.name] for p in ports]
            parts += [along[p.name] for p in ports if p.name in along]
        results = run(self._loop, parts)
        return list(results[len(step.state) :])
