"""Hybrid maps: what is given is met, positions, velocities and accelerations are derivatives of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from differences import derivative
from naming import named
from random_states import random_states
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.constraints import assembled
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, FrameNotFound, ShapeError
from sixvec.ik import (
    forward_acceleration,
    forward_force,
    forward_position,
    hybrid_acceleration,
    hybrid_force,
    hybrid_position,
    hybrid_velocity,
    inverse_acceleration,
    inverse_position,
)
from sixvec.ik.hybrid_position import rotation_of
from sixvec.verdict import Verdict
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, assert_close

ARM, TOOL = "panda", "panda_link8"
FOUND = 1e-9
"""Distance of what was found from what was given: the search stops at 1e-10."""
INVERTED = 1e-9
"""After a division by the smallest singular value, above 1e-2 for these samples."""
every_reference = pytest.mark.parametrize("reference", REFERENCES)
every_kind = pytest.mark.parametrize("kind", ["spatial", "classical"])


@pytest.fixture
def arm() -> sixvec.Robot:
    return sixvec.load(ARM)


@pytest.mark.covers("KIN-01")
def test_positions_meet_all_that_is_given(arm: sixvec.Robot) -> None:
    """Six open joints for the six coordinates of a pose, the seventh held: checked by forward kinematics."""
    rng = np.random.default_rng(0)
    q = arm.random(rng, 40)
    X = arm.pose(q, TOOL)
    place = dict(zip("xyz", np.moveaxis(X[:, :3, 3], 1, 0), strict=True))
    start = q + rng.uniform(-0.2, 0.2, q.shape)
    answer = hybrid_position(arm, start, TOOL, {"panda_joint3": q[:, 2]}, {**place, "orientation": X[:, :3, :3]})
    assert answer.solved.all() and (answer.verdict == Verdict.SOLVED).all()
    assert np.array_equal(answer.q[:, 2], q[:, 2])
    assert np.abs(arm.pose(answer.q, TOOL) - X).max() < FOUND
    assert np.abs(answer.pose - X).max() < FOUND


@pytest.mark.covers("KIN-01")
def test_positions_with_all_joints_or_the_whole_pose_are_the_other_two_maps(arm: sixvec.Robot) -> None:
    q = arm.random(1)
    all_joints = hybrid_position(arm, arm.neutral(), TOOL, dict(zip(arm.joint_names, q, strict=True)), {})
    assert_close(all_joints.pose, forward_position(arm, q, TOOL), IDENTITY, batched=False)
    assert str(all_joints) == "solved"
    X = arm.pose(q, TOOL)
    task = {"orientation": X[:3, :3], "x": X[0, 3], "y": X[1, 3], "z": X[2, 3]}
    whole = hybrid_position(arm, q + 0.1, TOOL, {}, task)
    assert str(whole) == "underdetermined" and int(whole.undetermined) == 1
    other = inverse_position(arm, X, TOOL, q + 0.1)
    assert whole.solved and other.solved
    assert np.abs(arm.pose(whole.q, TOOL) - arm.pose(other.q, TOOL)).max() < FOUND


def test_three_angles_are_an_orientation(arm: sixvec.Robot) -> None:
    """Also where they are no coordinates, at a pitch of 90°."""
    for angles in ([0.3, -0.2, 0.5], [0.3, np.pi / 2, 0.5]):
        R = np.asarray(rotation_of(np.array(angles)))
        reach = {"x": 0.45, "y": 0.1, "z": 0.4}
        start = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
        by_angles = hybrid_position(
            arm, start, TOOL, {}, {**reach, **dict(zip(("roll", "pitch", "yaw"), angles, strict=True))}
        )
        by_matrix = hybrid_position(arm, start, TOOL, {}, {**reach, "orientation": R})
        assert by_angles.solved and by_matrix.solved
        assert np.abs(by_angles.pose[:3, :3] - R).max() < FOUND
        assert_close(by_angles.q, by_matrix.q, IDENTITY, batched=False)


def test_an_angle_wraps_around(arm: sixvec.Robot) -> None:
    base = arm.joint_names[0]
    q = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    held = {name: q[i] for i, name in enumerate(arm.joint_names) if name != base}
    yaw = hybrid_position(arm, q, TOOL, held, {"yaw": 0.1}).q[0]
    assert hybrid_position(arm, q, TOOL, held, {"yaw": 0.1 + 2.0 * np.pi}).q[0] == pytest.approx(yaw, abs=FOUND)


def _motion(arm: sixvec.Robot, frame: str) -> Any:
    """Given coordinates as functions of time, and a start from which they are found."""
    q = np.array([0.2, -0.8, 0.3, -2.2, 0.1, 1.6, 0.8])
    X = arm.pose(q, frame)
    return q, (
        lambda t: {"panda_joint1": q[0] + 0.3 * t + 0.2 * t * t, "panda_joint5": q[4] - 0.1 * t, "panda_joint7": q[6]},
        lambda t: {"x": X[0, 3] + 0.1 * t, "y": X[1, 3] - 0.2 * t * t, "z": X[2, 3] + 0.05 * t},
    )


@pytest.mark.covers("KIN-01", "KIN-20")
def test_velocity_and_acceleration_are_derivatives_of_position(arm: sixvec.Robot) -> None:
    """Given coordinates move; the joints found along the way move as the hybrid maps of the derivatives say.

    Four open joints for three coordinates of position: one more joint is held to make the answer one.
    """
    q, (joints, task) = _motion(arm, TOOL)

    def found(t: float) -> np.ndarray:
        answer = hybrid_position(arm, q, TOOL, {**joints(t), "panda_joint6": q[5]}, task(t))
        assert str(answer) == "solved"
        return answer.q

    rates = {"panda_joint1": 0.3, "panda_joint5": -0.1, "panda_joint7": 0.0, "panda_joint6": 0.0}
    velocity = hybrid_velocity(arm, found(0.0), TOOL, rates, {"vx": 0.1, "vy": 0.0, "vz": 0.05}, strict=True)
    assert np.abs(velocity.v - derivative(found)).max() < DIFFERENCE

    def speed(t: float) -> np.ndarray:
        moving = {"vx": 0.1, "vy": -0.4 * t, "vz": 0.05}
        return hybrid_velocity(arm, found(t), TOOL, {**rates, "panda_joint1": 0.3 + 0.4 * t}, moving).v

    bent = dict.fromkeys(rates, 0.0) | {"panda_joint1": 0.4}
    pulled = {"dvx": 0.0, "dvy": -0.4, "dvz": 0.0}
    acceleration = hybrid_acceleration(arm, found(0.0), velocity.v, TOOL, bent, pulled, kind="classical", strict=True)
    assert np.abs(acceleration.a - derivative(speed)).max() < DIFFERENCE


@every_reference
@every_kind
@pytest.mark.covers("KIN-01", "KIN-25")
def test_accelerations_meet_all_that_is_given(reference: str, kind: str) -> None:
    robot = tree("floating")
    q, v, _, _ = random_states(robot)
    given = np.random.default_rng(1).normal(size=(len(q), 3))
    joints = {robot.joint_names[1]: given[:, 0], robot.joint_names[3]: given[:, 1]}
    task = {"dwz": given[:, 2], "dvx": 0.5}
    answer = hybrid_acceleration(robot, q, v, "tool1", joints, task, reference, kind=kind)
    there = forward_acceleration(robot, q, v, answer.a, "tool1", reference, kind=kind)
    assert_close(answer.acceleration, there, INVERTED)
    assert_close(there[:, [2, 3]], np.stack([given[:, 2], np.full(len(q), 0.5)], axis=1), INVERTED,
                 scale=np.abs(there).max(axis=1))  # fmt: skip
    at = [robot.model.v_slices[robot.model.moving[i].name].start for i in (1, 3)]
    assert_close(answer.a[:, at], given[:, :2], IDENTITY)


@every_reference
@every_kind
@pytest.mark.covers("KIN-01", "KIN-20", "KIN-25")
def test_inverse_acceleration_undoes_forward_of_both_kinds(arm: sixvec.Robot, reference: str, kind: str) -> None:
    q, v, _, _ = random_states(arm)
    A = np.random.default_rng(3).normal(size=(len(q), 6))
    a = inverse_acceleration(arm, q, v, A, TOOL, reference, kind=kind)
    assert_close(forward_acceleration(arm, q, v, a, TOOL, reference, kind=kind), A, INVERTED)
    with pytest.raises(ArgumentError, match=named("spatial", "classical", "cartesian")):
        forward_acceleration(arm, q, v, a, TOOL, kind="cartesian")  # type: ignore[arg-type]


@pytest.mark.covers("KIN-01")
def test_loops_follow_their_motor() -> None:
    """Position, velocity and acceleration of passive joints from those of the motor, by differences of each other."""
    for name, guess in (("four_bar", [0.7, 0.0, 1.0]), ("slider_crank", [0.7, -0.4, 0.15])):
        bars = sixvec.load(name)

        def position(t: float, bars: sixvec.Robot = bars, guess: list[float] = guess) -> np.ndarray:
            answer = hybrid_position(
                bars, guess, "coupler_end", {"drive": 0.7 + 2.0 * t + 1.5 * t * t}, {}, strict=True
            )
            return answer.q

        def speed(t: float, bars: sixvec.Robot = bars) -> np.ndarray:
            return hybrid_velocity(bars, position(t), "coupler_end", {"drive": 2.0 + 3.0 * t}, {}, strict=True).v

        q = position(0.0)
        assert_close(q, assembled(bars, guess), FOUND, batched=False)
        assert np.abs(speed(0.0) - derivative(position)).max() < DIFFERENCE
        a = hybrid_acceleration(bars, q, speed(0.0), "coupler_end", {"drive": 3.0}, {}, strict=True).a
        assert_close(a, derivative(speed), DIFFERENCE, batched=False)


@pytest.mark.covers("KIN-01")
def test_a_loop_is_driven_by_its_tool() -> None:
    """The crank of a four-bar linkage from the abscissa of a point of the coupler."""
    bars = sixvec.load("four_bar")
    q = assembled(bars, [0.7, 0.0, 1.0])
    x = bars.pose(q, "coupler_end")[0, 3]
    answer = hybrid_position(bars, [0.8, -0.3, 1.1], "coupler_end", {}, {"x": x})
    assert str(answer) == "solved"
    assert np.abs(answer.q - q).max() < 1e-7
    assert np.abs(bars.closure_error(answer.q)).max() < FOUND


@pytest.mark.covers("KIN-01", "KIN-26")
def test_the_direction_of_a_hybrid_force_is_named(arm: sixvec.Robot) -> None:
    q, joints = arm.random(1, 4), dict.fromkeys(arm.joint_names[:3], 1.0)
    task = {"fx": 2.0, "mz": 0.5, "my": 0.0}
    by = hybrid_force(arm, q, TOOL, joints, task, acting="by_robot")
    on = hybrid_force(arm, q, TOOL, joints, {name: -x for name, x in task.items()}, acting="on_robot")
    assert_close(on.wrench, -by.wrench, INVERTED)
    assert_close(on.tau, by.tau, INVERTED)
    with pytest.raises(TypeError, match="hybrid_force"):
        hybrid_force(arm, q, TOOL, joints, task)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="on_robot"):
        hybrid_force(arm, q, TOOL, joints, task, acting="at_robot")  # type: ignore[arg-type]


STRETCHED, BENT = [0.3, 0.0], [0.3, 0.9]


@pytest.mark.parametrize(
    ("q", "joints", "task", "word", "message"),
    [
        (BENT, {}, {"vx": 1.0}, "underdetermined", named("hybrid_velocity", "strict")),
        (BENT, {"joint1": 1.0}, {"vx": 1.0, "vz": 0.0}, "contradictory", "hybrid_velocity"),
        (STRETCHED, {}, {"vx": 1.0, "vz": 0.0}, "singular", "hybrid_velocity"),
        (BENT, {}, {"vx": 1.0, "vy": 0.0}, "singular", "hybrid_velocity"),
        (BENT, {}, {"vx": 1.0, "vz": 0.0}, "solved", ""),
        (BENT, {"joint2": 0.3}, {"vz": 0.5}, "solved", ""),
    ],
)  # fmt: skip
@pytest.mark.covers("KIN-01")
def test_verdicts_of_velocity_name_a_wrong_split(
    q: list[float], joints: dict[str, float], task: dict[str, float], word: str, message: str
) -> None:
    arm = sixvec.load("planar_2r")
    assert str(hybrid_velocity(arm, q, "tip", joints, task)) == word
    if message:
        with pytest.raises(DegenerateError, match=message):
            hybrid_velocity(arm, q, "tip", joints, task, strict=True)
        faster = {f"d{name}": x for name, x in task.items()}
        with pytest.raises(DegenerateError, match=named("hybrid_acceleration", "planar_2r")):
            hybrid_acceleration(arm, q, [0.0, 0.0], "tip", joints, faster, strict=True)


@pytest.mark.parametrize(
    ("q0", "joints", "task", "word"),
    [
        (BENT, {}, {"x": 1.5}, "underdetermined"),
        (BENT, {"joint1": 0.2}, {"x": 1.5, "z": 0.5}, "contradictory"),
        (BENT, {"joint1": 0.2, "joint2": 0.1}, {"x": 2.0}, "contradictory"),
        (BENT, {}, {"x": 3.0, "z": 0.0}, "unreachable"),
        (BENT, {}, {"x": 1.5, "y": 0.2}, "unreachable"),
        ([0.0, 0.0], {}, {"x": 1.0, "z": 0.0}, "unreachable"),
        (BENT, {}, {"x": np.nan, "z": 0.0}, "invalid"),
        ([np.inf, 0.0], {}, {"x": 1.0, "z": 0.0}, "invalid"),
        (BENT, {}, {"x": 1.0, "z": 0.5}, "solved"),
    ],
)  # fmt: skip
@pytest.mark.covers("KIN-01")
def test_verdicts_of_position(q0: list[float], joints: dict[str, float], task: dict[str, float], word: str) -> None:
    arm = sixvec.load("planar_2r")
    answer = hybrid_position(arm, q0, "tip", joints, task)
    assert str(answer) == word
    assert bool(answer.solved) == (word in ("solved", "underdetermined"))
    if word != "solved":
        with pytest.raises(DegenerateError, match=named("hybrid_position", "planar_2r")):
            hybrid_position(arm, q0, "tip", joints, task, strict=True)


def test_out_of_reach_the_nearest_is_found() -> None:
    arm = sixvec.load("planar_2r")
    answer = hybrid_position(arm, BENT, "tip", {}, {"x": 3.0, "z": 0.0})
    assert float(answer.residual) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(answer.q).max() < 1e-6


def test_what_is_left_of_a_map_by_rounding_is_not_inverted() -> None:
    """Upright, the second joint does not lift the tip: its part of J is cos 90°, 6e-17 in floating point."""
    answer = hybrid_velocity(sixvec.load("planar_2r"), [np.pi / 2, 0.0], "tip", {"joint1": 0.0}, {"vz": 1.0})
    assert answer.v.tolist() == [0.0, 0.0]
    assert str(answer) == "singular" and float(answer.residual) == 1.0


def test_what_is_not_finite_stays_in_its_sample() -> None:
    arm = sixvec.load("planar_2r")
    q = np.array([BENT, [0.3, np.nan], BENT])
    x = np.array([0.5, 0.5, np.inf])
    velocity = hybrid_velocity(arm, q, "tip", {"joint1": 0.1}, {"vz": x})
    acceleration = hybrid_acceleration(arm, q, np.ones(2), "tip", {"joint1": 0.1}, {"dvz": x})
    force = hybrid_force(
        arm,
        q,
        "tip",
        {"joint1": x},
        dict.fromkeys(("mx", "my", "mz", "fx", "fy"), 0.0),
        "local_world_aligned",
        acting="on_robot",
    )
    position = hybrid_position(arm, q, "tip", {"joint1": 0.1}, {"z": x})
    for answer in (velocity, acceleration, force, position):
        assert answer.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.INVALID]
        assert all(np.isfinite(np.asarray(x)[0]).all() for x in vars(answer).values())


def test_starts_joints_and_coordinates_broadcast() -> None:
    arm = sixvec.load("planar_2r")
    height = np.linspace(0.0, 0.5, 3)
    answer = hybrid_position(arm, np.array([BENT])[:, None], "tip", {"joint1": [0.1, 0.2, 0.3]}, {"z": height[:, None]})
    assert answer.q.shape == (3, 3, 2) and answer.solved.all()
    alone = hybrid_position(arm, BENT, "tip", {"joint1": 0.3}, {"z": height[1]})
    assert_close(answer.q[1, 2], alone.q, IDENTITY, batched=False)
    assert hybrid_velocity(arm, BENT, "tip", {"joint1": [0.1, 0.2]}, {"vz": 0.0}).v.shape == (2, 2)
    with pytest.raises(ShapeError, match=named("joints", "components")):
        hybrid_velocity(arm, BENT, "tip", {"joint1": [0.1, 0.2, 0.3]}, {"vz": [0.0, 1.0]})


def test_free_and_spherical_joints_are_given_whole() -> None:
    robot = tree("floating")
    q = robot.random(3)
    base = robot.joint_names[0]
    X = robot.pose(q, "tool1")
    answer = hybrid_position(robot, robot.random(4), "tool1", {base: q[:7]}, {"z": X[2, 3]})
    assert np.array_equal(answer.q[:7], q[:7])
    assert answer.solved and answer.pose[2, 3] == pytest.approx(X[2, 3], abs=FOUND)
    with pytest.raises(ShapeError, match="free0_joint"):
        hybrid_position(robot, q, "tool1", {base: 0.0}, {})


def test_names_and_shapes_are_checked() -> None:
    arm = sixvec.load("planar_2r")
    with pytest.raises(FrameNotFound, match="tipp"):
        hybrid_position(arm, BENT, "tipp", {}, {"x": 1.0})
    with pytest.raises(ArgumentError, match="elbow"):
        hybrid_position(arm, BENT, "tip", {"elbow": 1.0}, {})
    with pytest.raises(ArgumentError, match=named("vx")):
        hybrid_position(arm, BENT, "tip", {}, {"vx": 1.0})
    with pytest.raises(ShapeError, match=named("hybrid_position", "q0")):
        hybrid_position(arm, [0.0], "tip", {}, {"x": 1.0})
    with pytest.raises(ArgumentError, match=named("orientation", "yaw")):
        hybrid_position(arm, BENT, "tip", {}, {"yaw": 1.0, "orientation": np.eye(3)})
    with pytest.raises(ArgumentError, match="hybrid_position"):
        hybrid_position(arm, BENT, "tip", {}, {"orientation": 2.0 * np.eye(3)})
    with pytest.raises(ArgumentError, match=named("vx")):
        hybrid_acceleration(arm, BENT, BENT, "tip", {}, {"vx": 1.0})


def test_what_is_no_number_is_named_and_results_compare_by_identity() -> None:
    arm = sixvec.load("planar_2r")
    with pytest.raises(DtypeError, match=named("hybrid_position", "q0", "ab")):
        hybrid_position(arm, "ab", "tip", {}, {"z": 0.0})
    for name in ("z", "orientation"):
        with pytest.raises(DtypeError, match=named(name)):
            hybrid_position(arm, [0.0, 0.1], "tip", {}, {name: "a"})
    with pytest.raises(DtypeError, match=named("joint1", "a")):
        hybrid_position(arm, [0.0, 0.1], "tip", {"joint1": "a"}, {})
    found, same = (hybrid_position(arm, [0.0, -0.5], "tip", {"joint1": 0.5}, {"z": 0.0}) for _ in range(2))
    assert found == found and found != same and {found: 1}


def test_words_and_shapes_of_maps(arm: sixvec.Robot) -> None:
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.1])
    with pytest.raises(ShapeError, match=named("hybrid_position", "orientation")):
        hybrid_position(arm, q, TOOL, {}, {"orientation": np.ones(3)})
    with pytest.raises(ShapeError, match="tau"):
        forward_force(arm, q, np.ones(6), TOOL, acting="on_robot")
