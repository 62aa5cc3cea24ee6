"""Products with derivatives: `kernel.vjp` and `kernel.jvp` against whole Jacobians, and against each other."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError
from sixvec.kernels.products import Pullback, Pushforward, pullback
from tolerances import IDENTITY, SOLVED, assert_close


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot(random_tree(3, 3, floating=True))


def _state(robot: Robot, count: int = 3) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return robot.random(rng, count), *rng.normal(size=(2, count, robot.nv))


@pytest.mark.covers("DYN-05")
def test_products_are_those_with_the_jacobians(robot: Robot) -> None:
    q, v, tau = _state(robot)
    rng = np.random.default_rng(1)
    w, *along = rng.normal(size=(4, 3, robot.nv))
    parts = robot.forward_dynamics_derivatives(q, v, tau)
    kernel = robot.kernel("forward_dynamics")
    for found, part in zip(kernel.vjp(q, v, tau, w), parts, strict=True):
        assert_close(found, np.einsum("bi,bij->bj", w, part), SOLVED)
    expected = sum(np.einsum("bij,bj->bi", part, d) for part, d in zip(parts, along, strict=True))
    assert_close(kernel.jvp(q, v, tau, *along), expected, SOLVED)


def test_both_products_are_transposes_of_each_other(robot: Robot) -> None:
    q, _, _ = _state(robot)
    rng = np.random.default_rng(2)
    kernel = robot.kernel("mass_matrix")  # symmetric: every node off the diagonal is in two places
    w, along = rng.normal(size=(3, robot.nv, robot.nv)), rng.normal(size=(3, robot.nv))
    there = (w * kernel.jvp(q, along)).sum(axis=(-2, -1))
    assert_close(there, (kernel.vjp(q, w) * along).sum(axis=-1), IDENTITY)


def test_products_in_the_numbers_of_the_array(robot: Robot) -> None:
    """The four numbers of a quaternion are independent here: central differences of each."""
    q, _, _ = _state(robot, 1)
    kernel, step = robot.kernel("gravity_forces"), 1e-3
    w = np.random.default_rng(4).normal(size=robot.nv)
    units = np.eye(robot.nq)
    far, near = ((kernel(q + h * units) - kernel(q - h * units)) / (2 * h) for h in (step, step / 2))
    expected = ((4 * near - far) / 3) @ w
    assert_close(Pullback(kernel)(q, w)[0], expected, 1e-7)
    assert_close(Pushforward(kernel)(q, np.eye(robot.nq)) @ w, expected, 1e-7)


def test_products_of_products() -> None:
    """Second derivatives of the potential energy, by reverse over reverse mode."""
    arm = sixvec.load("panda")
    q, w, along = arm.random(0), 2.0, np.arange(7.0)
    once = pullback(arm.kernel("potential_energy"), ["q"])
    twice = Pullback(once, ["q"])
    hessian = arm.kernel("gravity_forces").derivative("q")(q)
    assert_close(twice(q, w, along), w * hessian @ along, SOLVED, batched=False)
    assert len({p.name for p in twice.inputs}) == len(twice.inputs)


def test_reverse_mode_has_fewer_operations_than_the_analytic_jacobian() -> None:
    arm = sixvec.load("panda")
    for name in ("inverse_dynamics", "forward_dynamics"):
        count = {k: sum(x.count().values()) for k, x in {
            "own": arm.kernel(name), "vjp": arm.kernel(name).vjp, "jvp": arm.kernel(name).jvp,
            "whole": arm.kernel(f"{name}_derivatives"),
        }.items()}  # fmt: skip
        assert count["vjp"] < 3 * count["own"] and count["jvp"] < 3 * count["own"]
        assert count["vjp"] < count["whole"]


def test_only_some_inputs(robot: Robot) -> None:
    q, v, tau = _state(robot)
    kernel, w = robot.kernel("forward_dynamics"), np.ones((3, robot.nv))
    assert_close(Pullback(kernel, ["tau"])(q, v, tau, w), kernel.vjp(q, v, tau, w).tau, SOLVED)
    with pytest.raises(ArgumentError, match=named("u")):
        Pullback(kernel, ["u"])


def test_products_pickle_and_are_freed() -> None:
    arm = sixvec.load("double_pendulum")
    kernel = arm.kernel("gravity_forces")
    q, w = np.ones(2), np.ones(2)
    again = pickle.loads(pickle.dumps(kernel.vjp))
    assert np.array_equal(again(q, w), kernel.vjp(q, w))
    gc.collect()
    gc.disable()
    try:
        seen = weakref.ref(kernel)
        del kernel, arm, again
        assert seen() is None, "a kernel and its products hold each other"
    finally:
        gc.enable()
