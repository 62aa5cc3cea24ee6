"""What a rollout refuses, and how it says so: under its own name, with the offender and what would be valid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.errors import ArgumentError, DtypeError, ModelError, ShapeError, SixvecError
from sixvec.mobile import wheeled_robot
from sixvec.model import Body, Frame, Model
from sixvec.model.edits import without_closures
from sixvec.model.joints import Revolute
from sixvec.sim import INTEGRATORS, rollout
from sixvec.sim.hold_schedule import require_rolling
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

START = {"q": [0.1, 0.2], "v": [0.0, 0.0], "tau": np.zeros((3, 2)), "dt": 0.01}
TIP = "pole"


@pytest.fixture(scope="module")
def robot() -> Robot:
    return sixvec.load("cart_pole")


BAD = [
    ({"tau": np.zeros((3, 2)) * 1j}, DtypeError, "tau must hold real numbers, not complex128"),
    ({"tau": [[None, 0.0]] * 3}, DtypeError, "tau must hold real numbers"),
    ({"tau": [[0.0, 0.0], [0.0]]}, ShapeError, "tau is ragged"),
    ({"tau": np.zeros((3, 5))}, ShapeError, r"tau has shape \(3, 5\), but \(\.\.\., steps, 2\) is needed"),
    ({"tau": np.zeros((0, 2))}, ArgumentError, r"tau has shape \(0, 2\), which is no step"),
    ({"q": [0.0]}, ShapeError, r"q has shape \(1,\), but \(\.\.\., 2\) is needed"),
    ({"q": [[0.0, 0.0], [0.0]]}, ShapeError, "q is ragged"),
    ({"v": [0.0, 1j]}, DtypeError, "v must hold real numbers, not complex128"),
    ({"q": np.zeros((3, 2)), "v": np.zeros((4, 2))}, ShapeError, r"do not broadcast: q \(3, 2\), v \(4, 2\)"),
    ({"dt": "x"}, DtypeError, "dt is 'x'; a time step must be a number of seconds"),
    ({"dt": None}, DtypeError, "dt is None; a time step must be a number of seconds"),
    ({"dt": [[0.1], [0.1, 0.2]]}, DtypeError, "dt is .*; a time step must be a number of seconds"),
    ({"dt": 0.1j}, DtypeError, "dt is 0.1j; a time step must be a number of seconds"),
    ({"integrator": ["rk4"]}, ArgumentError, "no integrator .* integrators: bounded_leapfrog, euler, midpoint, rk4"),
    ({"integrator": None}, ArgumentError, "no integrator .* integrators: bounded_leapfrog, euler, midpoint, rk4"),
    ({"control": 3}, ArgumentError, r"control must be a function of \(q, v, u\) that returns 2 .* not a int"),
    ({"passive": "yes"}, ArgumentError, "passive must be True or False, not 'yes'"),
    ({"passive": 1}, ArgumentError, "passive must be True or False, not 1"),
    ({"control": lambda q, v, u: None}, ShapeError, "the control law returned a NoneType; 2 joint forces are needed"),
    ({"control": lambda q, v, u: u[:1]}, ShapeError, "the control law returned 1 joint forces; 2 are needed"),
    ({"control": lambda q, v, u: ["a", 0.0]}, DtypeError, "entry 0 of what the control law returned is a str"),
    ({"external": {TIP: np.zeros(6) * 1j}}, DtypeError, f'the wrench on "{TIP}" must hold real numbers'),
    ({"external": {TIP: None}}, DtypeError, f'the wrench on "{TIP}" must hold real numbers'),
    ({"external": {TIP: [[1.0, 2.0], [3.0]]}}, ShapeError, f'the wrench on "{TIP}" is ragged'),
    ({"external": {TIP: 1.0}}, ShapeError, rf'the wrench on "{TIP}" has shape \(\), but \(6,\) or \(\.\.\., 3, 6\)'),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), BAD)
def test_errors_name_the_offender(robot: Robot, wrong: dict[str, Any], kind: type[SixvecError], message: str) -> None:
    assert TIP in robot.frame_names
    with pytest.raises(kind, match=f"^rollout: .*{message}"):
        robot.rollout(**(START | wrong))


def test_a_control_law_may_return_an_array(robot: Robot) -> None:
    path = robot.rollout(**START, control=lambda q, v, u: np.array(u) - 2.0 * np.array(v))
    by_list = robot.rollout(**START, control=lambda q, v, u: [x - 2.0 * y for x, y in zip(u, v, strict=True)])
    assert np.array_equal(path.q, by_list.q)


def test_open_loops_raise_unless_they_are_left_out() -> None:
    loop = sixvec.load("four_bar")
    run = loop.neutral(), np.zeros(loop.nv), np.zeros((3, loop.nv)), 0.01
    with pytest.raises(ArgumentError, match=named("rollout", "coupler_pin", "x")):
        loop.rollout(*run)
    assert rollout(Robot(without_closures(loop.model)), *run).q.shape == (3, loop.nq)


@pytest.mark.parametrize("integrator", sorted(INTEGRATORS))
def test_a_joint_that_moves_no_mass_is_named(integrator: str) -> None:
    arm = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.0, 0.0), Sym3.diagonal(0.1, 0.1, 0.1))
    bodies = (
        Body("arm", None, Revolute(), Pose.identity(), arm),
        Body("ghost", "arm", Revolute(Vec3(1.0, 0.0, 0.0)), Pose.identity(), RigidInertia.zero()),
    )
    robot = Robot(Model("haunted", bodies, (Frame("ghost", "ghost"),)))
    with pytest.raises(ModelError, match="ghost"):
        robot.rollout([0.0, 0.0], [0.0, 0.0], np.zeros((2, 2)), 0.1, integrator=integrator)


def test_wheels_of_positions_and_velocities_whose_batches_broadcast() -> None:
    slab = RigidInertia.from_center_of_mass(60.0, Vec3(0.1, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
    robot = wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), slab, 1.0)
    wheels = held_frames(robot.sliding.model, robot.rolling)
    q, v, slipping = np.zeros((2, 1, 5)), np.zeros((3, 5)), np.eye(5)[:1]
    require_rolling(robot.sliding, wheels, q, v)
    require_rolling(robot.sliding, (), q, v + 1.0)
    with pytest.raises(SixvecError, match=named("rollout", "rolling_velocity")):
        require_rolling(robot.sliding, wheels, q, slipping)
    with pytest.raises(ShapeError, match="q"):
        require_rolling(robot.sliding, wheels, np.zeros((2, 5)), v)
