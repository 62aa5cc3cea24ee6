"""Dynamics is linear in the inertial parameters: regressor times parameters is what the algorithms compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from random_states import States, random_states
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError
from sixvec.identification import inertial_parameters, parameter_names, with_parameters
from sixvec.model import Body, Frame, JointDynamics, Mimic, Model
from sixvec.model.joints import Fixed, Revolute
from sixvec.spatial import Vec3
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import DIFFERENCE, IDENTITY, assert_close

on_targets = pytest.mark.parametrize("robot", SMALLER_CASES, indirect=True, ids="-".join)


@on_targets
@pytest.mark.covers("DYN-05", "DYN-16")
def test_inverse_dynamics_is_its_regressor_times_the_parameters(robot: OnTarget, states: States) -> None:
    q, v, a, _ = states
    Y = robot.inverse_dynamics_regressor(q, v, a)
    assert_close(Y @ inertial_parameters(robot.model), robot.inverse_dynamics(q, v, a), IDENTITY)


@pytest.mark.every(2)
@on_targets
def test_energies_are_their_regressors_times_the_parameters(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    pi = inertial_parameters(robot.model)
    assert_close(robot.kinetic_energy_regressor(q, v) @ pi, robot.kinetic_energy(q, v), IDENTITY)
    U = robot.potential_energy_regressor(q) @ pi
    assert_close(U, robot.potential_energy(q), IDENTITY, scale=np.abs(robot.gravity).max() * robot.mass)


@pytest.mark.every(2)
@on_targets
@pytest.mark.covers("DYN-11")
def test_momentum_is_its_regressor_times_the_parameters(robot: OnTarget, states: States) -> None:
    q, v, _, _ = states
    pi = inertial_parameters(robot.model)
    assert_close(robot.momentum_regressor(q, v) @ pi, robot.momentum(q, v), IDENTITY)  # one default for both
    h = robot.momentum_regressor(q, v, about="world") @ pi
    assert_close(h, robot.momentum(q, v, about="world"), IDENTITY)
    c = robot.center_of_mass(q)
    about_center = np.hstack([h[:, :3] - np.cross(c, h[:, 3:]), h[:, 3:]])
    assert_close(about_center, robot.momentum(q, v), IDENTITY)


def test_momentum_is_about_a_point_that_it_knows() -> None:
    robot = tree("small")
    q, v, _, _ = random_states(robot, 2)
    for method in (robot.momentum, robot.momentum_regressor):
        with pytest.raises(ArgumentError, match=named("about", "center_of_mass", "world", "base")):
            method(q, v, about="base")


@pytest.mark.parametrize("name", ["small", "floating"])
def test_the_regressor_at_rest_is_the_gradient_of_the_potential_energy_regressor(name: str) -> None:
    robot = tree(name)
    q, v, _, _ = random_states(robot, 2)
    static = robot.inverse_dynamics_regressor(q, 0.0 * v, 0.0 * v)
    slope = robot.kernel("potential_energy_regressor").derivative("q")(q)
    assert_close(static, np.swapaxes(slope, -1, -2), IDENTITY)


def with_other_inertias(model: Model, seed: int) -> Model:
    other = random_tree(seed, bodies=len(model.bodies))
    pairs = zip(model.bodies, other.bodies, strict=True)
    return replace(model, bodies=tuple(replace(b, inertia=o.inertia) for b, o in pairs))


def test_the_regressor_does_not_depend_on_the_parameters() -> None:
    robot = tree("tree")
    other = Robot(with_other_inertias(robot.model, 77))
    q, v, a, _ = random_states(robot)
    Y = robot.inverse_dynamics_regressor(q, v, a)
    assert (other.inverse_dynamics_regressor(q, v, a) == Y).all()
    assert_close(Y @ inertial_parameters(other.model), other.inverse_dynamics(q, v, a), IDENTITY)


def test_rotors_and_followers_keep_the_law() -> None:
    """A joint that mimics another has parameters of its own; rotors add to the forces what no parameter explains."""
    rng = np.random.default_rng(5)
    inertias = [b.inertia for b in random_tree(9, bodies=4).bodies]
    axis = [Vec3.of(rng.normal(size=3).tolist()) for _ in range(3)]
    bodies = (
        Body("one", None, Revolute(axis[0]), inertia=inertias[0], dynamics=JointDynamics(armature=(0.7,))),
        Body("plate", "one", Fixed(), inertia=inertias[1]),
        Body("two", "plate", Revolute(axis[1]), inertia=inertias[2], mimic=Mimic("one", -2.0, 0.3)),
        Body("three", "two", Revolute(axis[2]), inertia=inertias[3]),
    )
    robot = Robot(Model("follower", bodies))
    q, v, a, _ = random_states(robot)
    assert len(parameter_names(robot.model)) == 30
    Y = robot.inverse_dynamics_regressor(q, v, a)
    rotor = a * [0.7, 0.0]
    assert_close(Y @ inertial_parameters(robot.model) + rotor, robot.inverse_dynamics(q, v, a), IDENTITY)


def test_forward_dynamics_changes_with_the_parameters_as_its_derivative_says() -> None:
    """Central differences of order 4 in the parameters of two bodies."""
    robot = tree("small")
    q, v, _, tau = random_states(robot, 1)
    pi = inertial_parameters(robot.model)
    D = robot.forward_dynamics_parameter_derivative(q, v, tau)
    state = [x[0].tolist() for x in (q, v, tau)]
    for k in (0, 3, 4, 15, len(pi) - 1):
        step = 1e-3 * np.eye(len(pi))[k]

        def acceleration(t: int, step: np.ndarray = step) -> np.ndarray:
            model = with_parameters(robot.model, pi + t * step)
            return np.array(Robot(model).evaluate("forward_dynamics", *state))

        slope = (8.0 * (acceleration(1) - acceleration(-1)) - (acceleration(2) - acceleration(-2))) / 12e-3
        assert_close(D[..., k], slope[None], DIFFERENCE, scale=np.abs(D).max())


def test_parameters_go_into_the_model_and_come_back() -> None:
    model = tree("tree").model
    pi = np.random.default_rng(0).normal(size=len(parameter_names(model)))
    pi[::10] = np.abs(pi[::10])  # masses
    assert_close(inertial_parameters(with_parameters(model, pi)), pi, IDENTITY, batched=False)


def test_wrong_parameters_are_named() -> None:
    model = sixvec.load("panda").model
    with pytest.raises(sixvec.errors.ShapeError, match="parameters"):
        with_parameters(model, np.zeros(3))
    pi = inertial_parameters(model)
    pi[11] = np.nan
    with pytest.raises(sixvec.errors.ArgumentError, match="panda_link2"):
        with_parameters(model, pi)


def test_frames_of_the_model_do_not_change_the_columns() -> None:
    model = tree("small").model
    fewer = replace(model, frames=(Frame("only", model.bodies[0].name),))
    q, v, a, _ = random_states(tree("small"), 1)
    one, two = (Robot(m).inverse_dynamics_regressor(q, v, a) for m in (model, fewer))
    assert (one == two).all()
