"""Second derivatives of the dynamics, whole and times vectors, by automatic differentiation of the first ones."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from differences import gradient, tangent_gradient
from naming import named
from random_states import random_states
from sixvec.compiler.interpret import interpret
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

SAMPLES = 2
FIRST = {"inverse_dynamics_derivatives": "a", "forward_dynamics_derivatives": "tau"}


def run(function: object, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """By the reference interpreter: these programs are long, and each is needed once."""
    return interpret(function.program, {p.name: x for p, x in zip(function.inputs, arrays, strict=True)})  # type: ignore[attr-defined]


@pytest.mark.every(2)
@pytest.mark.parametrize("name", list(FIRST))
@pytest.mark.parametrize("robot_name", ["small", "tiny"])
def test_second_derivatives_of_the_dynamics_by_differences(robot_name: str, name: str) -> None:
    """All blocks: derivatives of (∂/∂q, ∂/∂v, ∂/∂x) with respect to q, v and x."""
    robot = tree(robot_name)
    q, v, a, _ = random_states(robot, SAMPLES)
    first = robot.kernel(name)
    for wrt in ("q", "v", FIRST[name]):
        found = run(first.derivative(wrt), q, v, a)
        for k, second in enumerate(found):

            def part(*x: np.ndarray, k: int = k) -> np.ndarray:
                return first(*x)[k]

            slopes = {
                "q": lambda part=part: tangent_gradient(robot, part, q, v, a),
                "v": lambda part=part: gradient(lambda v, q, a: part(q, v, a), v, q, a),
                FIRST[name]: lambda part=part: gradient(lambda a, q, v: part(q, v, a), a, q, v),
            }
            scale = np.abs(second).reshape(SAMPLES, -1).max(axis=1) + np.abs(part(q, v, a)).max()
            assert_close(second, slopes[wrt](), DIFFERENCE, scale=scale)


def test_differentiating_twice_is_differentiating_the_analytic_derivatives() -> None:
    """The graph of inverse dynamics differentiated twice, and the recursion for the first derivatives once."""
    robot = tree("tiny")
    q, v, a, _ = random_states(robot, SAMPLES)
    plain, analytic = robot.kernel("inverse_dynamics"), robot.kernel("inverse_dynamics_derivatives")
    for k, first in enumerate(("q", "v", "a")):
        for second in ("q", "v", "a"):
            twice = plain.derivative(first).derivative(second)
            assert twice.outputs[0].shape == (robot.nv,) * 3
            assert_close(run(twice, q, v, a)[0], run(analytic.derivative(second), q, v, a)[k], IDENTITY * 10)


def test_second_derivatives_commute_for_plain_coordinates() -> None:
    """With joints of one axis each, ∂²tau/∂q_j ∂q_k does not depend on the order; ∂²tau/∂v² is the Coriolis tensor."""
    robot = sixvec.load("stanford_arm")
    q, v, a, _ = random_states(robot, SAMPLES)
    (H,) = run(robot.kernel("inverse_dynamics").derivative("q").derivative("q"), q, v, a)
    assert_close(H, np.swapaxes(H, -1, -2), IDENTITY)
    (C,) = run(robot.kernel("inverse_dynamics").derivative("v").derivative("v"), q, v, a)
    velocity_forces = robot.bias_forces(q, v) - robot.gravity_forces(q)
    assert_close(0.5 * np.einsum("nijk,nj,nk->ni", C, v, v), velocity_forces, IDENTITY)


@pytest.mark.every(2)
@pytest.mark.parametrize(("name", "third"), [("inverse_dynamics", "a"), ("forward_dynamics", "tau")])
@pytest.mark.parametrize("robot_name", ["tiny", "small"])
def test_hessian_products_are_the_hessian_times_vectors(robot_name: str, name: str, third: str) -> None:
    robot = tree(robot_name)
    q, v, x, _ = random_states(robot, SAMPLES)
    rng = np.random.default_rng(3)
    weight, direction = rng.normal(size=(2, SAMPLES, robot.nv))
    kernel = robot.kernel(name)
    for wrt, along in (("q", "q"), ("q", "v"), ("v", "v"), (third, "q")):
        (H,) = run(kernel.derivative(wrt).derivative(along), q, v, x)
        (product,) = run(kernel.hessian_product(wrt, along), q, v, x, weight, direction)
        expected = np.einsum("ni,nijk,nk->nj", weight, H, direction)
        assert_close(product, expected, SOLVED, scale=np.abs(H).reshape(SAMPLES, -1).max(axis=1))


def test_gradients_and_directions_are_rows_and_columns_of_the_derivative() -> None:
    robot = tree("floating")
    q, v, a, _ = random_states(robot, SAMPLES)
    rng = np.random.default_rng(4)
    kernel = robot.kernel("inverse_dynamics")
    weight, direction = rng.normal(size=(2, SAMPLES, robot.nv))
    (D,) = run(kernel.derivative("q"), q, v, a)
    assert_close(run(kernel.gradient("q"), q, v, a, weight)[0], np.einsum("ni,nij->nj", weight, D), IDENTITY)
    assert_close(run(kernel.directional("q"), q, v, a, direction)[0], np.einsum("nij,nj->ni", D, direction), IDENTITY)


def test_a_gradient_weighs_every_entry_of_every_output() -> None:
    """M is symmetric, so one node stands in two places; three outputs add up."""
    robot = sixvec.load("planar_2r")
    q, v, a, _ = random_states(robot, SAMPLES)
    kernel = robot.kernel("inverse_dynamics_derivatives")
    weights = np.random.default_rng(0).normal(size=(3, SAMPLES, 2, 2))
    parts = run(kernel.derivative("q"), q, v, a)
    expected = sum(np.einsum("nij,nijk->nk", w, D) for w, D in zip(weights, parts, strict=True))
    assert_close(run(kernel.gradient("q"), q, v, a, *weights)[0], expected, IDENTITY)


def test_compiled_second_derivatives_of_an_arm() -> None:
    """Machine code and interpreter agree on the Hessian product of inverse dynamics, in batches."""
    robot = sixvec.load("panda")
    q, v, a, weight = random_states(robot)
    product = robot.kernel("inverse_dynamics").hessian_product("q")
    assert_close(product(q, v, a, weight, v), run(product, q, v, a, weight, v)[0], IDENTITY)


def test_a_hessian_product_costs_a_few_programs() -> None:
    kernel = sixvec.load("panda").kernel("inverse_dynamics")
    cost = {k: sum(k.count().values()) for k in (kernel, kernel.gradient("q"), kernel.hessian_product("q"))}
    plain, slope, product = cost.values()
    assert slope < 5 * plain and product < 12 * plain


def test_unknown_inputs_are_named() -> None:
    kernel = sixvec.load("planar_2r").kernel("inverse_dynamics")
    with pytest.raises(sixvec.errors.ArgumentError, match=named("x")):
        kernel.derivative("q").derivative("x")
    with pytest.raises(sixvec.errors.ArgumentError, match="tau"):
        kernel.gradient("q").directional("tau")


def test_what_does_not_depend_on_an_input_has_zero_derivatives() -> None:
    robot = sixvec.load("planar_2r")
    q, v, a, _ = random_states(robot, SAMPLES)
    third = robot.kernel("inverse_dynamics").derivative("a").derivative("a")
    assert (third(q, v, a) == 0.0).all()
    assert (third.hessian_product("q")(q, v, a, np.ones((2, 2, 2)), v) == 0.0).all()


def test_inputs_that_move_together_add_up() -> None:
    robot = tree("tiny")
    q, v, a, _ = random_states(robot, SAMPLES)
    dq, dv = np.random.default_rng(5).normal(size=(2, SAMPLES, robot.nv))
    kernel = robot.kernel("inverse_dynamics")
    (both,) = run(kernel.directional("q", "v"), q, v, a, dq, dv)
    apart = run(kernel.directional("q"), q, v, a, dq)[0] + run(kernel.directional("v"), q, v, a, dv)[0]
    assert_close(both, apart, IDENTITY)
    with pytest.raises(sixvec.errors.ArgumentError, match=named("x")):
        kernel.directional("q", "x")
