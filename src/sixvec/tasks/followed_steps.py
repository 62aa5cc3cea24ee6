"""Steps of a stack with derivatives, in torch and JAX: stage by stage, each with its own derivative.

Values are those of the compiled loop; the programs have the derivatives of their active rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from sixvec.kernels import Iterated, Staged
from sixvec.kernels.portable import library_of
from sixvec.solve.quadratic_program import quadratic_program
from sixvec.tasks.levels import StepProgram
from sixvec.tasks.libraries import namespace


def run(program: StepProgram, steps: int, *arrays: Any) -> tuple[Any, ...]:
    """The results of `program.loop(steps)`, with derivatives where the arrays of a library ask for them."""
    loop = program.loop(steps)
    libraries = {library_of(x) for x in arrays}
    if "torch" in libraries:
        torch = import_module("torch")
        if torch.is_grad_enabled() and any(getattr(x, "requires_grad", False) for x in arrays):
            return tuple(composed(program, steps, arrays))
    if "jax" in libraries:
        jax = import_module("jax")
        if any(isinstance(x, jax.core.Tracer) for x in arrays):
            return tuple(_traced(jax, program, steps)(*arrays))
    return tuple(loop(*arrays))


def _traced(jax: Any, program: StepProgram, steps: int) -> Any:
    """The compiled loop for JAX's transformations; where they differentiate, the steps one after another."""
    loop = program.loop(steps)
    decided = jax.custom_jvp(lambda *x: tuple(loop(*x)))
    decided.defjvp(lambda x, moved: jax.jvp(lambda *y: tuple(composed(program, steps, y)), x, moved))
    return decided


def composed(program: StepProgram, steps: int, arrays: Sequence[Any]) -> list[Any]:
    """The steps one after another, from compiled functions and quadratic programs."""
    staged = program.staged
    names = [p.name for p in staged.inputs]
    loops = [s.function for s in staged.stages if isinstance(s.function, Iterated)]
    others = {loop: partial(_solved if isinstance(loop.step, Staged) else _once, loop) for loop in loops}
    values = dict(zip(names[:3], arrays, strict=False))
    rows: list[list[Any]] = []
    for k in range(steps):
        for port, x in zip(staged.inputs[3:], arrays[3:], strict=True):
            values[port.name] = x[(..., k, *[slice(None)] * len(port.shape))]
        after = staged.in_turn(values, others)
        values = {"q": after["q next"], "v": after["v next"], "dt": values["dt"]}
        rows.append([after[p.name] for p in staged.outputs[2:]])
    xp = namespace(values["q"])
    stacked = [xp.stack(list(column), x.ndim - len(p.shape)) for column, x, p in
               zip(zip(*rows, strict=True), rows[0], staged.outputs[2:], strict=True)]  # fmt: skip
    return [values["q"], values["v"], *stacked]


def _solved(loop: Iterated, *arrays: Any) -> Any:
    """As the compiled loop of a quadratic program."""
    program: dict[str, Any] = dict(zip((p.name for p in loop.step.inputs), arrays, strict=True))
    H, g, lower, upper = (program[name] for name in ("H", "g", "lower", "upper"))
    solution = quadratic_program(H, g, program.get("A"), lower, upper)
    if len(loop.outputs) == 1:
        return solution.x
    xp = namespace(solution.x)
    numbers = [xp.asarray(x, dtype=solution.x.dtype) for x in (solution.active, solution.residual, solution.verdict)]
    return solution.x, solution.multipliers, *numbers


def _once(loop: Iterated, *arrays: Any) -> tuple[Any, ...]:
    """As a compiled loop of one step that may be skipped."""
    return tuple(loop.step.call(*arrays)[: len(loop.outputs)])
