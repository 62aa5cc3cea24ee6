"""The same equations on every kind of scalar: floats, arrays, SymPy symbols, JAX tracers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from sixvec import scalar
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


def test_functions_of_plain_numbers_and_arrays() -> None:
    x, y = np.array([0.5, -0.25]), np.array([1.0, -2.0])
    for name, reference in (("sin", np.sin), ("cos", np.cos), ("arccos", np.arccos)):
        function = getattr(scalar, name)
        assert function(0.5) == pytest.approx(float(reference(0.5)), rel=1e-15) and isinstance(function(0.5), float)
        np.testing.assert_array_equal(function(x), reference(x))
    assert scalar.sqrt(4) == 2.0 and scalar.sqrt(np.array([9.0])).tolist() == [3.0]
    assert scalar.arctan2(1, -1.0) == math.atan2(1.0, -1.0)
    for a, b in ((y, x), (1.0, x), (y, 2)):
        np.testing.assert_array_equal(scalar.arctan2(a, b), np.arctan2(a, b))
    assert scalar.where(np.float64(1.0) < 2.0, "yes", "no") == "yes" and scalar.where(False, "yes", "no") == "no"
    assert scalar.where(x < 0.0, 1.0, 2.0).tolist() == [2.0, 1.0]


def test_what_is_certain_is_known_for_numbers_alone() -> None:
    batch = np.array([True, True])
    for condition in (True, np.bool_(True)):
        assert scalar.certainly(condition) and not scalar.certainly_not(condition)
    for condition in (False, np.bool_(False)):
        assert scalar.certainly_not(condition) and not scalar.certainly(condition)
    for condition in (batch, ~batch):
        assert not scalar.certainly(condition) and not scalar.certainly_not(condition)
    assert scalar.is_finite(np.array([np.nan])) and scalar.is_finite("x") and not scalar.is_finite(np.float32(np.inf))
    assert scalar.is_plain(np.float32(1.0)) and not scalar.is_plain(np.ones(1))
    assert scalar.like(2.0, 3.0) == 3.0 and scalar.like(np.float32(2.0), 3.0).dtype == np.float32
    sympy = pytest.importorskip("sympy")
    x = sympy.Symbol("x")
    assert scalar.is_symbolic(x) and scalar.is_finite(x) and not scalar.is_symbolic(np.ones(1))
    assert scalar.where(x < 0, 1, 2).subs(x, -3) == 1 and scalar.where(x < 0, 1, 2).subs(x, 3) == 2
    assert scalar.arccos(x) == sympy.acos(x) and scalar.arctan2(1.0, x) == sympy.atan2(1.0, x)


def test_double_precision_where_forces_of_constraints_are_solved_for() -> None:
    tree, loop = sv.load("planar_2r"), sv.load("four_bar")
    assert not tree.kernel("forward_dynamics").needs_double and not loop.kernel("mass_matrix").needs_double
    assert loop.kernel("forward_dynamics").needs_double
    held = {tree.frame_names[-1]: "point"}
    assert tree.kernel("constrained_dynamics", hold=held).needs_double
    assert not tree.kernel("constraint_jacobian", hold=held).needs_double
