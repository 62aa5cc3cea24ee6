"""Motors behind gears: positions, velocities and torques both ways, and what the rotors add to the inertia."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.model import Body, Mimic, Model
from sixvec.model.joints import Free, Revolute
from sixvec.model.motor import Motors, with_rotors
from sixvec.robot import Robot
from sixvec.spatial import RigidInertia, Sym3, Vec3
from tolerances import IDENTITY, ROUNDING, assert_close

pytestmark = pytest.mark.covers("KIN-16")

JOINTS = ("a", "b", "c")
GEARED = Motors.geared(JOINTS, (100.0, 50.0, 161.0), sign=(1, -1, -1), offset=(0.0, 0.3, -1.2))
# Motor 2 drives b over a, as a belt does; motors 2 and 3 move b and c as a differential.
COUPLED = Motors(JOINTS, ((80.0, 0.0, 0.0), (-20.0, 60.0, 60.0), (0.0, 60.0, -60.0)), (0.1, 0.2, 0.3))


@pytest.mark.parametrize("motors", [GEARED, COUPLED], ids=["geared", "coupled"])
def test_every_map_has_its_inverse(motors: Motors) -> None:
    x = np.random.default_rng(1).normal(size=(5, 4, 3))
    assert_close(motors.joint_positions(motors.motor_positions(x)), x, ROUNDING)
    assert_close(motors.joint_velocities(motors.motor_velocities(x)), x, ROUNDING)
    assert_close(motors.motor_torques(motors.joint_torques(x)), x, ROUNDING)


@pytest.mark.parametrize("motors", [GEARED, COUPLED], ids=["geared", "coupled"])
def test_velocities_are_the_derivative_of_positions_and_power_is_the_same_on_both_sides(motors: Motors) -> None:
    q, v, tau = np.random.default_rng(2).normal(size=(3, 20, 3))
    h = 0.5  # the map is affine: differences are exact
    difference = (motors.motor_positions(q + h * v) - motors.motor_positions(q - h * v)) / (2.0 * h)
    assert_close(motors.motor_velocities(v), difference, ROUNDING)
    at_joints = (motors.joint_torques(tau) * v).sum(axis=-1)
    at_motors = (tau * motors.motor_velocities(v)).sum(axis=-1)
    assert_close(at_joints, at_motors, IDENTITY, batched=False)


def test_the_gear_of_one_joint() -> None:
    drive = Motors.geared(("elbow",), 100.0, sign=-1, offset=0.5)
    assert drive.joint_positions([0.0]).tolist() == [0.5]  # the motor's zero
    assert drive.motor_positions([1.5]).tolist() == [-100.0]
    assert drive.joint_torques([2.0]).tolist() == [-200.0]
    assert Motors.geared(("elbow",), -100.0, offset=0.5) == drive


def test_a_manufacturers_zeros_and_senses_are_gears_of_one() -> None:
    theirs = Motors.geared(JOINTS, sign=(1, -1, 1), offset=(0.0, np.pi / 2, -np.pi))
    assert theirs.joint_positions([0.1, 0.2, 0.3]).tolist() == [0.1, np.pi / 2 - 0.2, 0.3 - np.pi]


def test_rotors_are_bodies_that_follow_their_joint() -> None:
    """A rotor on the ground whose axis is the joint's, built as a body that mimics the joint `ratio` times."""
    arm, ratio, J = sixvec.load("planar_2r").model, -30.0, 2e-4
    first = arm.moving[0]
    ball = RigidInertia(0.0, Vec3.zero(), Sym3.diagonal(J, J, J))
    rotor = Body("rotor", None, replace(first.joint), first.placement, ball, mimic=Mimic(first.name, ratio))
    explicit = Robot(replace(arm, bodies=(*arm.bodies, rotor), frames=()))
    drive = Motors.geared((first.joint_name or first.name,), ratio)
    q, v = np.random.default_rng(3).normal(size=(2, 10, 2))
    reflected = Robot(with_rotors(arm, drive, J))
    assert_close(reflected.mass_matrix(q), explicit.mass_matrix(q), IDENTITY)
    assert_close(reflected.inverse_dynamics(q, v, q), explicit.inverse_dynamics(q, v, q), IDENTITY)
    assert_close(reflected.kinetic_energy(q, v), explicit.kinetic_energy(q, v), IDENTITY)


def test_reflected_inertia_is_the_energy_of_the_rotors() -> None:
    J, v = np.array([1e-4, 2e-4, 3e-4]), np.random.default_rng(4).normal(size=(10, 3))
    for motors in (GEARED, COUPLED):
        H = motors.reflected_inertia(J)
        spinning = 0.5 * (J * motors.motor_velocities(v) ** 2).sum(axis=-1)
        assert_close(0.5 * np.einsum("ni,ij,nj->n", v, H, v), spinning, IDENTITY, batched=False)
    assert H[0, 1] != 0.0


def test_armature_replaces_what_was_there_and_nothing_else() -> None:
    arm = sixvec.load("planar_2r").model
    names = [b.joint_name or b.name for b in arm.moving]
    drive = Motors.geared(names[::-1], (50.0, 100.0))
    once = with_rotors(arm, drive, (1e-4, 2e-4))
    assert [b.armature for b in once.moving] == [pytest.approx((2.0,)), pytest.approx((0.25,))]
    assert with_rotors(once, drive, (1e-4, 2e-4)) == once
    assert with_rotors(once, drive, 0.0).moving[0].armature == (0.0,)
    assert drive.coordinates(arm) == [1, 0]


def test_a_differential_with_equal_rotors_is_uncoupled() -> None:
    arm = sixvec.load("planar_2r").model
    names = tuple(b.joint_name or b.name for b in arm.moving)
    differential = Motors(names, ((10.0, 10.0), (10.0, -10.0)))
    assert [b.armature for b in with_rotors(arm, differential, 1e-3).moving] == [pytest.approx((0.2,))] * 2
    with pytest.raises(ModelError, match="reflected_inertia"):
        with_rotors(arm, differential, (1e-3, 2e-3))


def test_no_motors() -> None:
    assert Motors((), ()).joint_positions(np.zeros((4, 0))).shape == (4, 0)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Motors.geared(("a", "b"), (1.0, 0.0)), ArgumentError, "gear"),
        (lambda: Motors(("a", "b"), ((1.0, 2.0), (2.0, 4.0))), ArgumentError, "gear"),
        (lambda: Motors(("a", "b"), ((1.0,), (2.0,))), ShapeError, "rows"),
        (lambda: Motors.geared(("a",), float("nan")), ArgumentError, "gear"),
        (lambda: Motors.geared(("a", "a")), ArgumentError, "joints"),
        (lambda: Motors.geared(("a",), sign=2), ArgumentError, named("sign[0]")),
        (
            lambda: Motors.geared(("a", "b"), (1.0, 2.0, 3.0)),
            ShapeError,
            "ratio",
        ),
        (lambda: GEARED.motor_positions([1.0, 2.0]), ShapeError, named("q")),
        (lambda: GEARED.motor_velocities(1.0), ShapeError, named("v")),
        (lambda: GEARED.reflected_inertia(-1.0), ArgumentError, named("inertia[0]")),
        (lambda: GEARED.reflected_inertia((1.0, 1.0, float("inf"))), ArgumentError, named("inertia[2]")),
        (lambda: Motors.geared(("a",), offset=float("inf")), ArgumentError, "gear"),
        (lambda: Motors(("a", "b"), ((1.0, 0.0), (0.0, 1.0)), (0.0,)), ShapeError, "offsets"),
        (lambda: Motors(("a",), ((1.0,), (2.0,))), ShapeError, "rows"),
        (lambda: Motors(("a", "b"), ((1.0, 1.0), (1.0, 1.0 + 1e-13))), ArgumentError, "gear"),
    ],
)
def test_errors_say_what_would_be_valid(make: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()  # type: ignore[operator]


def test_motors_drive_joints_of_one_coordinate_that_exist() -> None:
    leader, follower = Body("l", "a", Revolute()), Body("f", "a", Revolute(), mimic=Mimic("l"))
    model = Model("r", (Body("a", None, Free()), leader, follower))
    assert Motors.geared(("l",)).coordinates(model) == [6]
    for name, words in (("a", named("a")), ("f", named("f")), ("m", named("m"))):
        with pytest.raises(ModelError, match=words):
            with_rotors(model, Motors.geared((name,)), 1.0)


def test_ratios_that_differ_much_are_no_problem() -> None:
    drive = Motors(("a", "b"), ((1e-9, 0.0), (1e-9, 1e9)))
    assert drive.joint_velocities([2.0, 2.0]).tolist() == pytest.approx([2e9, 0.0])
    assert Motors(("a", "b"), ((1.0, 1.0), (1.0, 1.0 + 1e-11))).offset == (0.0, 0.0)


def test_a_coupling_by_rounding_is_none() -> None:
    arm = sixvec.load("planar_2r").model
    names = tuple(b.joint_label for b in arm.moving)
    for gap, coupled in ((1e-13, False), (1e-11, True)):
        drive = Motors(names, ((1.0, gap), (0.0, 1.0)))
        if coupled:
            with pytest.raises(ModelError, match=named("joint1", "joint2")):
                with_rotors(arm, drive, 1.0)
        else:
            assert [b.armature for b in with_rotors(arm, drive, 1.0).moving] == [pytest.approx((1.0,))] * 2
    assert with_rotors(arm, Motors((), ()), 1.0) == arm
