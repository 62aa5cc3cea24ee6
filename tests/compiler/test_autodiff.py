"""Automatic differentiation of kernels against the analytic algorithms; forward against reverse."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from random_trees import random_tree
from sixvec.compiler.autodiff import jacobian
from sixvec.compiler.interpret import interpret
from tolerances import IDENTITY, assert_close


@pytest.fixture(scope="module", params=["panda", "tree", "floating"])
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    if request.param == "panda":
        return sv.load("panda")
    return sv.Robot(random_tree(5, bodies=6, floating=request.param == "floating"))


@pytest.fixture(scope="module")
def state(robot: sv.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return robot.random(rng, 3), rng.normal(size=(3, robot.nv)), rng.normal(size=(3, robot.nv))


@pytest.mark.every(2)
@pytest.mark.parametrize(("kernel", "analytic"), [
    ("inverse_dynamics", "inverse_dynamics_derivatives"),
    ("forward_dynamics", "forward_dynamics_derivatives"),
])  # fmt: skip
@pytest.mark.slow
def test_against_the_analytic_derivatives(robot, state, kernel: str, analytic: str) -> None:
    found = robot.kernel(kernel)
    expected = getattr(robot, analytic)(*state)
    for wrt, matrix in zip([p.name for p in found.inputs], expected, strict=True):
        program = found.derivative(wrt).program
        (by_autodiff,) = interpret(program, dict(zip(("q", "v", found.inputs[2].name), state, strict=True)))
        assert_close(by_autodiff, matrix, IDENTITY)


def test_forward_is_reverse(robot, state) -> None:
    program = robot.kernel("inverse_dynamics").program
    inputs = dict(zip("qva", state, strict=True))
    for wrt in "qva":
        forward, reverse = (interpret(jacobian(program, wrt, mode), inputs)[0] for mode in ("forward", "reverse"))
        assert_close(forward, reverse, IDENTITY)


def test_structural_zeros_stay() -> None:
    robot = sv.load("panda")
    program = robot.kernel("inverse_dynamics").derivative("q").program
    first_column = np.array(program.results[0], object).reshape(7, 7)[:, 0]
    assert first_column.tolist() == [0.0] * 7  # turning the base changes nothing


def test_compiled_derivative() -> None:
    robot = sv.load("panda")
    q = robot.random(0, 10)
    gradient = robot.kernel("potential_energy").derivative("q")(q)
    assert_close(gradient, robot.gravity_forces(q), IDENTITY)
