"""Parameters as inputs: every algorithm gives what the same robot with those numbers in its model gives."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.compiler import build
from sixvec.errors import ArgumentError
from sixvec.identification import inertial_parameters
from sixvec.identification.parameters import with_parameters
from sixvec.model.edits.vary import _motion
from tolerances import SOLVED, assert_close

ROBOTS = {"panda": lambda: sixvec.load("panda"), "tree": lambda: Robot(random_tree(5, 6))}


def _results(robot: Robot) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    q, v, a = robot.random(rng, 4), *rng.normal(size=(2, 4, robot.nv))
    return {
        "inverse_dynamics": robot.inverse_dynamics(q, v, a),
        "forward_dynamics": robot.forward_dynamics(q, v, a),
        "mass_matrix": robot.mass_matrix(q),
        "momentum": robot.momentum(q, v),
        "pose": robot.pose(q, robot.frame_names[-1]),
    }


CASES = ["tree", pytest.param("panda", marks=pytest.mark.slow)]


@pytest.mark.parametrize("name", CASES)
def test_inertia(name: str) -> None:
    robot = ROBOTS[name]()
    varied = robot.with_parameters("inertia")
    values = inertial_parameters(robot.model)
    assert_close(varied.parameter_values, values, 1e-12, batched=False)
    other = values * np.random.default_rng(1).uniform(0.9, 1.1, values.shape)
    expected = _results(Robot(with_parameters(robot.model, other)))
    for key, found in _results(varied.at(other)).items():
        assert_close(found, expected[key], SOLVED)


@pytest.mark.parametrize("name", CASES)
def test_placements(name: str) -> None:
    robot = ROBOTS[name]()
    varied = robot.with_parameters("placements")
    assert not varied.parameter_values.any()
    rng = np.random.default_rng(2)
    values = rng.normal(0.0, 0.1, varied.parameter_values.shape)
    moved = iter(values.reshape(-1, 6))
    names = {n.partition("(")[2].rstrip(")") for n in varied.parameter_names}
    bodies = tuple(
        replace(b, placement=b.placement @ _motion(next(moved).tolist())) if b.name in names else b
        for b in robot.model.bodies
    )
    expected = _results(Robot(replace(robot.model, bodies=bodies)))
    for key, found in _results(varied.at(values)).items():
        assert_close(found, expected[key], SOLVED)


def test_batches_and_derivatives_need_no_new_code() -> None:
    arm = sixvec.load("double_pendulum")
    varied = arm.with_parameters("all", bodies=[arm.model.moving[-1].name])
    q = arm.random(0)
    nominal = varied.gravity_forces(q)
    many = varied.parameter_values + np.random.default_rng(0).normal(0.0, 0.01, (5, 16))
    varied.at(many).gravity_forces(q)
    before = build.compilations
    found = varied.at(many).gravity_forces(q)
    assert build.compilations == before and found.shape == (5, 2)
    kernel = varied.kernel("gravity_forces")
    J = kernel.derivative("parameters[all]")(q, varied.parameter_values)
    step = 1e-4
    units = step * np.eye(16)
    differences = (
        varied.at(varied.parameter_values + units).gravity_forces(q)
        - varied.at(varied.parameter_values - units).gravity_forces(q)
    ) / (2 * step)
    np.testing.assert_allclose(J, differences.T, atol=1e-6 * np.abs(nominal).max())
    again = pickle.loads(pickle.dumps(varied.at(many)))
    assert np.array_equal(again.gravity_forces(q), found)


def test_what_needs_the_model_raises() -> None:
    arm = sixvec.load("double_pendulum")
    varied = arm.with_parameters("inertia")
    assert varied.nq == 2 and varied.fixed.mass == arm.mass
    with pytest.raises(ArgumentError, match="fixed"):
        varied.rollout(np.zeros(2), np.zeros(2), np.zeros((3, 2)), 0.01)
    with pytest.raises(ArgumentError, match="fixed"):
        _ = varied.mass
    with pytest.raises(ArgumentError, match="mass"):
        arm.with_parameters("mass")
    with pytest.raises(ArgumentError, match=named("base", "bodies")):
        arm.with_parameters("inertia", bodies=["base"])
    with pytest.raises(ArgumentError, match=named("parameters", "inputs")):
        varied.fixed.with_payload(arm.frame_names[-1], 1.0).with_parameters("inertia")
    with pytest.raises(ArgumentError, match="inverse_dynamics_regressor"):
        varied.inverse_dynamics_regressor(*np.zeros((3, 2)))


@pytest.mark.parametrize("name", ["ur5e", "puma560"])  # their frames with the names of bodies are elsewhere on them
def test_inertias_are_those_of_identification(name: str) -> None:
    robot = sixvec.load(name)
    q, numbers = robot.random(0), inertial_parameters(robot.model)
    assert np.allclose(robot.with_parameters("inertia").at(numbers).gravity_forces(q), robot.gravity_forces(q))


def test_a_robot_with_parameters_cannot_be_edited() -> None:
    varied = sixvec.load("planar_2r").with_parameters("inertia")
    for edit in (lambda: varied.with_gravity((0, 0, -1)), lambda: varied.with_frame("t", "tip"), varied.with_limits):
        with pytest.raises(ArgumentError, match="edit"):
            edit()


def test_a_tensor_that_changes_leaves_the_robot_alone() -> None:
    torch = pytest.importorskip("torch")
    varied = sixvec.load("planar_2r").with_parameters("inertia")
    numbers = torch.tensor(varied.parameter_values, requires_grad=True)
    robot, q = varied.at(numbers), torch.zeros(2, dtype=torch.float64)
    before = robot.gravity_forces(q)
    with torch.no_grad():
        numbers *= 2.0
    assert torch.equal(robot.gravity_forces(q), before)
    before.sum().backward()
    assert numbers.grad is not None and bool((numbers.grad != 0.0).any())
    with pytest.raises(sixvec.SixvecError, match="parameters"):
        varied.at(torch.zeros(3))
