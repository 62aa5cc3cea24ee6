"""The same equations on every kind of scalar: floats, arrays, SymPy symbols, JAX tracers."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from tolerances import IDENTITY, assert_close


@pytest.fixture(scope="module")
def robot() -> sv.Robot:
    return sv.load("double_pendulum")


@pytest.fixture(scope="module")
def state(robot: sv.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(5, 2)) for _ in range(3))


NAMES = ["inverse_dynamics", "forward_dynamics"]


@pytest.mark.parametrize("name", NAMES)
def test_floats(robot, state, name: str) -> None:
    rows = [robot.evaluate(name, *([float(y) for y in x[i]] for x in state)) for i in range(5)]
    assert_close(np.array(rows), getattr(robot, name)(*state), IDENTITY)


@pytest.mark.parametrize("name", NAMES)
def test_arrays_with_the_batch_inside(robot, state, name: str) -> None:
    columns = robot.evaluate(name, *(list(x.T) for x in state))
    assert_close(np.array(columns).T, getattr(robot, name)(*state), IDENTITY)


@pytest.mark.parametrize("name", NAMES)
def test_sympy(robot, state, name: str) -> None:
    sympy = pytest.importorskip("sympy")
    symbols = [sympy.symbols(f"{letter}0:2") for letter in "qva"]
    expressions = robot.evaluate(name, *symbols)
    function = sympy.lambdify([s for group in symbols for s in group], expressions)
    rows = [function(*(y for x in state for y in x[i])) for i in range(5)]
    assert_close(np.array(rows, float), getattr(robot, name)(*state), IDENTITY)


@pytest.mark.filterwarnings("ignore:evaluate on tracers")
@pytest.mark.parametrize("name", NAMES)
def test_jax(robot, state, name: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)

    @jax.jit
    @jax.vmap
    def function(q, v, a):
        return jax.numpy.stack(robot.evaluate(name, q, v, a))

    assert_close(np.asarray(function(*state)), getattr(robot, name)(*state), IDENTITY)
