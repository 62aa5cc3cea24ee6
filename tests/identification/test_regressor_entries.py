"""The regressor without its zeros is the dense one at its pattern, and outside of the pattern there is nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import sixvec
from random_states import States, random_states
from sixvec import Robot
from sixvec.identification import inertial_parameters, parameter_names, regressor_pattern
from sixvec.model import Body, JointDynamics, Mimic, Model
from sixvec.model.edits import without_closures
from sixvec.model.joints import Fixed, Revolute, Spherical
from sixvec.spatial import Vec3
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import IDENTITY, SINGLE, assert_close

on_targets = pytest.mark.parametrize("robot", SMALLER_CASES, indirect=True, ids="-".join)
BUILT_IN = ("panda", "solo12", "humanoid", "four_bar")


def scattered(robot: Robot | OnTarget, entries: np.ndarray) -> np.ndarray:
    """Y with these entries and zeros elsewhere."""
    rows, columns = regressor_pattern(robot.model)
    Y = np.zeros((*entries.shape[:-1], robot.nv, len(parameter_names(robot.model))), entries.dtype)
    Y[..., rows, columns] = entries
    return Y


def assert_same(robot: Robot | OnTarget, states: States) -> None:
    q, v, a, _ = states
    entries = robot.inverse_dynamics_regressor_entries(q, v, a)
    assert_close(scattered(robot, entries), robot.inverse_dynamics_regressor(q, v, a), IDENTITY)


def with_followers(model: Model) -> Model:
    """The last joint with one freedom follows the first, and the last but one the last."""
    first, *_, middle, last = (b.name for b in model.bodies if b.joint.nv == 1)
    laws = {last: Mimic(first, -0.7, 0.2), middle: Mimic(last, 1.5, -0.1)}
    return replace(model, bodies=tuple(replace(b, mimic=laws.get(b.name)) for b in model.bodies))


def with_rotors(model: Model) -> Model:
    bodies = [replace(b, dynamics=replace(b.dynamics, armature=(0.3,) * b.joint.nv)) for b in model.bodies]
    return replace(model, bodies=tuple(bodies))


def in_other_order(model: Model) -> Model:
    """The same bodies with their coordinates the other way round: a child's before its parent's."""
    return replace(model, order=tuple(b.name for b in reversed(model.bodies)))


@pytest.mark.every(2)
@on_targets
@pytest.mark.covers("DYN-05")
def test_scattered_entries_are_the_dense_regressor(robot: OnTarget, states: States) -> None:
    assert_same(robot, states)


@pytest.mark.every(2)
@pytest.mark.parametrize("change", [with_followers, with_rotors, in_other_order])
@pytest.mark.parametrize("name", ["forest", "floating"])
def test_followers_rotors_and_orders(name: str, change: Callable[[Model], Model]) -> None:
    """On the interpreter, since these are programs of other robots and would have to be compiled."""
    robot = OnTarget(Robot(change(tree(name).model)), "interpreter")
    assert_same(robot, random_states(robot, 3))


@pytest.mark.every(4)
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_robots(name: str) -> None:
    robot = Robot(without_closures(sixvec.load(name).model))
    assert_same(robot, random_states(robot, 3))


def test_entries_times_parameters_are_the_joint_forces_of_a_robot_with_followers() -> None:
    """The route around the dense regressor: recursive Newton-Euler, which knows the coupling by virtual work."""
    robot = Robot(with_followers(tree("tree").model))
    assert robot.nv == tree("tree").nv - 2
    q, v, a, _ = random_states(robot)
    rows, columns = regressor_pattern(robot)
    terms = robot.inverse_dynamics_regressor_entries(q, v, a) * inertial_parameters(robot.model)[columns]
    tau = np.stack([np.bincount(rows, each, minlength=robot.nv) for each in terms])
    assert_close(tau, robot.inverse_dynamics(q, v, a), IDENTITY)


def zero_as_expression(robot: Robot) -> np.ndarray:
    """Which entries of the dense regressor are zero whatever the state."""
    program = robot.kernel("inverse_dynamics_regressor").program
    (port,), (entries,) = program.outputs, program.results
    return np.array([isinstance(x, float) and x == 0.0 for x in entries]).reshape(port.shape)


@pytest.mark.parametrize("change", [lambda model: model, with_followers, in_other_order])
@pytest.mark.parametrize("name", ["tree", "forest"])
def test_outside_of_the_pattern_the_dense_regressor_is_zero_as_an_expression(
    name: str, change: Callable[[Model], Model]
) -> None:
    robot = Robot(change(tree(name).model))
    outside = np.ones((robot.nv, len(parameter_names(robot.model))), bool)
    outside[regressor_pattern(robot)] = False
    assert outside.any()
    assert zero_as_expression(robot)[outside].all()


def test_the_pattern_has_no_block_that_is_always_zero() -> None:
    """Each coordinate in the pattern feels its link: on trees in general position a block of ten is never all zero."""
    robot = tree("floating")
    q, v, a, _ = random_states(robot)
    entries = robot.inverse_dynamics_regressor_entries(q, v, a)
    assert (np.abs(entries).reshape(len(q), -1, 10).max(axis=(0, 2)) > 0.0).all()


def test_the_order_is_by_link_then_coordinate_then_parameter() -> None:
    """By hand: a ball joint, a plate on it, a hinge that follows that of another branch, whose coordinate is last."""
    hinge = Revolute(Vec3(0.0, 0.0, 1.0))
    bodies = (
        Body("ball", None, Spherical()),
        Body("plate", "ball", Fixed()),
        Body("follower", "plate", hinge, mimic=Mimic("leader", 2.0)),
        Body("leader", None, hinge),
        Body("tip", "follower", hinge, dynamics=JointDynamics(armature=(0.1,))),
    )
    order = ("tip", "ball", "plate", "follower", "leader")  # coordinates: tip 0, ball 1 to 3, leader 4
    rows, columns = regressor_pattern(Model("by hand", bodies, order=order))
    blocks = [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (4, 1), (4, 2), *((j, 3) for j in range(5))]
    assert rows.tolist() == [j for j, _ in blocks for _ in range(10)]
    assert columns.tolist() == [10 * k + i for _, k in blocks for i in range(10)]
    assert np.issubdtype(rows.dtype, np.integer) and np.issubdtype(columns.dtype, np.integer)


def test_batches_of_any_shape_in_either_precision_into_a_given_array() -> None:
    robot = sixvec.load("panda")
    q, v, a, _ = random_states(robot, 6)
    flat = robot.inverse_dynamics_regressor_entries(q, v, a)
    assert flat.shape == (6, 10 * sum(range(1, 8)))
    out = np.full_like(flat, np.nan)
    assert robot.inverse_dynamics_regressor_entries(q, v, a, out=out) is out
    assert (out == flat).all()
    grid = robot.inverse_dynamics_regressor_entries(*(x.reshape(2, 3, 7) for x in (q, v, a)))
    assert (grid.reshape(flat.shape) == flat).all()
    assert_close(robot.inverse_dynamics_regressor_entries(q[0], v[0], a[0])[None], flat[:1], IDENTITY)
    single = robot.inverse_dynamics_regressor_entries(*(x.astype(np.float32) for x in (q, v, a)))
    assert single.dtype == np.float32
    assert_close(single, flat, SINGLE)


def test_a_robot_that_cannot_move_has_no_entries() -> None:
    rows, columns = regressor_pattern(Model("statue", (Body("stone"), Body("arm", "stone"))))
    assert rows.shape == columns.shape == (0,)
