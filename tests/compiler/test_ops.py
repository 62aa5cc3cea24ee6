"""Every target covers every op, and every op's derivative is right."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec
from sixvec.compiler.autodiff import jacobian
from sixvec.compiler.emit import c, cuda, llvm
from sixvec.compiler.graph import BUILD
from sixvec.compiler.interpret import interpret
from sixvec.compiler.ops import CHOICES, OPS
from sixvec.compiler.program import Port, Program, trace
from sixvec.scalar import where

NOT_DIFFERENTIABLE = {"rint", "lt"}
STEP = 1e-6


def program_of(name: str) -> Program:
    """A program with this one op on its inputs."""
    op = OPS[name]

    def run(x: list[object]) -> list[tuple[Port, list[object]]]:
        arguments = [x[0] < x[1], *x[1:]] if name in CHOICES else x
        result = BUILD[name](*arguments)
        return [(Port("y", ()), [result * 1.0 if name != "lt" else BUILD["where"](result, 1.0, 2.0)])]

    return trace(name, [Port("x", (op.arity,))], run)


@pytest.mark.parametrize("target", [llvm, c, cuda], ids=lambda m: m.__name__.rpartition(".")[2])
def test_every_target_covers_every_op(target) -> None:
    assert OPS.keys() == target.SUPPORTED


@pytest.mark.parametrize("name", OPS)
def test_constructors_mean_what_the_table_says(name: str) -> None:
    x = np.random.default_rng(1).uniform(0.3, 2.0, (50, OPS[name].arity))
    (y,) = interpret(program_of(name), {"x": x})
    columns = list(x.T)
    if name in CHOICES:
        columns[0] = columns[0] < columns[1]
    expected = OPS[name].value(*columns)
    assert np.allclose(y, np.where(expected, 1.0, 2.0) if name == "lt" else expected, rtol=1e-15)


@pytest.mark.parametrize("name", [name for name in OPS if name not in NOT_DIFFERENTIABLE])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_by_differences(name: str, mode: str) -> None:
    program = program_of(name)
    x = np.random.default_rng(2).uniform(0.3, 2.0, (20, OPS[name].arity))
    (d,) = interpret(jacobian(program, "x", mode), {"x": x})
    for i in range(OPS[name].arity):
        step = np.zeros_like(x)
        step[:, i] = STEP
        (up,), (down,) = interpret(program, {"x": x + step}), interpret(program, {"x": x - step})
        assert np.allclose(d[:, i], (up - down) / (2 * STEP), atol=1e-8)


def test_constants_that_are_not_finite_have_names_in_c() -> None:
    @sixvec.compiled("x[1] -> y[2]")
    def bounds(x):
        return [where(x[0] < 1.0, x[0], math.nan), where(x[0] < 1.0, -math.inf, x[0])]

    np.testing.assert_array_equal(bounds([[2.0], [0.0]]), [[math.nan, 2.0], [0.0, -math.inf]])
    assert "t1 ? x[0] : NAN;" in bounds.source("c") and "t1 ? (-INFINITY) : x[0];" in bounds.source("c")
    assert 'nanf("")' in bounds.source("cuda")


def test_a_function_without_a_name_is_called_lambda_in_c() -> None:
    twice = sixvec.compiled("x[1] -> y[1]")(lambda x: [x[0] * 2.0])
    assert "void lambda(const double x[1], double y[1]);" in twice.source("c")
