"""Gradients through rollouts by the adjoint: one compiled loop back over the steps.

With x = (q, v) and  x_{k+1} = f(x_k, u_k), the gradient λ_k of a function of the whole path obeys

    λ_k = (∂f/∂x)ᵀ (λ_{k+1} + g_{k+1}),    ∂/∂u_k = (∂f/∂u)ᵀ (λ_{k+1} + g_{k+1}),

where g_k is its partial derivative with respect to x_k.  Contributions of constant inputs are summed.  The path is
recomputed, which costs less than storing the intermediate values of each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.border import common_batch
from sixvec.compiler.autodiff import Differentiator
from sixvec.compiler.call import Compiled, as_tuple
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port, Program
from sixvec.compiler.runtime.cuda import cupy, on_device
from sixvec.errors import ArgumentError
from sixvec.kernels.portable import Portable
from sixvec.kernels.products import Pullback
from sixvec.lazy import lazy

_STATE = 2
"""Positions and velocities: the inputs and outputs of a step that are fed back."""


class Loop(Portable, Iterated):
    """The steps of a rollout as one function, whose gradient is another loop."""

    @property
    def identity(self) -> str:
        return f"{self.step.identity} rollout {self.steps}"

    def pullback(self, wrt: Sequence[str]) -> AdjointLoop:
        return AdjointLoop(self, wrt)

    def pushforward(self, wrt: Sequence[str]) -> Any:
        raise ArgumentError(
            "rollout has no derivative in forward mode; use reverse mode (backward, grad, jacrev), or a loop over "
            "forward_dynamics"
        )


class _AdjointStep(Compiled):
    """One step back.  State: λ and the sums for constant inputs; then these inputs, and those of each step."""

    def __init__(self, loop: Loop) -> None:
        self.of, self.each, self.needs_double = loop.step, loop.each, loop.needs_double
        self.name = "rollout_adjoint"
        step = loop.step
        self.state = step.inputs[:_STATE]
        self.kept = step.inputs[_STATE : len(step.inputs) - loop.each]
        self.changing = step.inputs[len(step.inputs) - loop.each :]
        self.carried = (*_named("adjoint", self.state), *_named("sum", self.kept))
        self.inputs = (*self.carried, *self.kept, *self.state, *self.changing, *_named("weight", self.state))
        self.outputs = (*self.carried, *_named("gradient", self.changing))
        self.result_type = tuple

    @property
    def identity(self) -> str:
        return f"{self.of.identity} adjoint"

    @lazy
    def program(self) -> Program:
        program = self.of.program
        graph = program.nodes[0].graph

        def symbols(word: str, port: Port) -> list[Operand]:
            return [graph.input(f"{word}[{port.name}]", i) for i in range(port.size)]

        seeds: dict[Node, Operand] = {}
        for port, entries in zip(self.state, program.results[:_STATE], strict=True):
            for x, later, own in zip(entries, symbols("adjoint", port), symbols("weight", port), strict=True):
                if isinstance(x, Node):
                    seeds[x] = seeds.get(x, 0.0) + (later + own)
        adjoint = Differentiator(program.nodes).reverse(seeds)

        def gradient(port: Port) -> list[Operand]:
            return [adjoint.get(graph.input(port.name, i), 0.0) for i in range(port.size)]

        state = [gradient(p) for p in self.state]
        sums = [[a + b for a, b in zip(symbols("sum", p), gradient(p), strict=True)] for p in self.kept]
        results = [*state, *sums, *(gradient(p) for p in self.changing)]
        return Program(self.name, self.inputs, self.outputs, tuple(map(tuple, results)))


def _named(word: str, ports: Sequence[Port]) -> tuple[Port, ...]:
    return tuple(Port(f"{word}[{p.name}]", p.shape) for p in ports)


class AdjointLoop(Portable):
    """The gradient of a weighted sum of all outputs of a rollout: its inputs, then weights; `wrt` are the outputs."""

    def __init__(self, of: Loop, wrt: Sequence[str]) -> None:
        self.of, self.wrt, self.needs_double = of, tuple(wrt), of.needs_double
        self.name = "rollout_gradient"
        weights = (Port(f"cotangent[{k}]", p.shape) for k, p in enumerate(of.outputs))
        self.inputs = (*of.inputs, *weights)
        self.outputs = tuple(p for p in of.inputs if p.name in self.wrt)
        self.result_type = as_tuple
        self._step = _AdjointStep(of)
        each = of.each + 2 * _STATE
        self._back = Iterated(self._step, of.steps, len(self._step.carried), each, name=self.name)

    @property
    def identity(self) -> str:
        return f"{self.of.identity} gradient {self.wrt}"

    def pullback(self, wrt: Sequence[str]) -> Pullback:
        raise ArgumentError("rollout has first derivatives only")

    pushforward = pullback

    def call_numpy(self, *arrays: Any, out: Any = None) -> Any:
        """The path forward, then its adjoint back."""
        given, asked, batch = self.checked_inputs(arrays)
        found = self._gradients(np, self.of.call_numpy, self._back.call, given, batch, asked)
        return tuple(np.ascontiguousarray(x, asked) for x in found)

    def for_device(self, fast: bool) -> Any:
        """The same for arrays of CuPy."""
        return _OnDevice(self)

    def _gradients(self, xp: Any, forward: Any, back: Any, given: Any, batch: tuple[int, ...], asked: str) -> list[Any]:
        """The gradient of each output, in arrays of the library `xp`."""
        of, count = self.of, len(self.of.inputs)
        dtype = "float64" if self.needs_double else asked
        inputs, (end_q, end_v, path_q, path_v) = given[:count], given[count:]
        _, _, q, v = forward(*inputs)
        full = [xp.broadcast_to(x, batch + p.shape).astype(dtype) for x, p in zip(inputs, of.inputs, strict=True)]
        starts = [
            xp.concatenate([x[..., None, :], path[..., :-1, :]], -2) for x, path in zip(full, (q, v), strict=False)
        ]
        kept, changing = full[_STATE : count - of.each], full[count - of.each :]
        zeros = [xp.zeros(batch + p.shape, dtype) for p in self._step.carried[_STATE:]]
        end = [xp.broadcast_to(x, batch + x.shape[-1:]).astype(dtype) for x in (end_q, end_v)]
        weights = [xp.broadcast_to(x, batch + x.shape[-2:]) for x in (path_q, path_v)]
        backwards = [xp.ascontiguousarray(xp.flip(x, len(batch)), dtype) for x in (*starts, *changing, *weights)]
        found = back(*end, *zeros, *kept, *backwards)
        constant = len(self._step.carried)
        gradients = [*found[:constant], *(xp.flip(x, len(batch)) for x in found[constant:])]
        named = dict(zip((p.name for p in of.inputs), gradients, strict=True))
        return [named[p.name] for p in self.outputs]


class _OnDevice:
    """The gradient on a CUDA device: the path forward and the adjoint back, one launch each."""

    def __init__(self, of: AdjointLoop) -> None:
        self._of = of

    def __call__(self, *arrays: Any, empty: Any = None) -> list[Any]:
        of, xp = self._of, cupy()
        leads = [x.shape[: x.ndim - len(p.shape)] for x, p in zip(arrays, of.inputs, strict=True)]
        batch = common_batch(of.name, leads, [p.name for p in of.inputs], [x.shape for x in arrays])
        asked = "float32" if all(x.dtype == "float32" for x in arrays) else "float64"
        found = of._gradients(xp, on_device(of.of), on_device(of._back), arrays, batch, asked)
        results = [(empty or xp.empty)(batch + p.shape, asked) for p in of.outputs]
        for r, x in zip(results, found, strict=True):
            xp.asarray(r)[...] = x
        return results
