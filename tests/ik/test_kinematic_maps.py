"""The six maps undo each other, do the same work, and say who pushes whom."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from matrices import times
from naming import named
from random_states import random_states
from sixvec import Robot, ik
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik import (
    forward_acceleration,
    forward_force,
    forward_position,
    forward_velocity,
    hybrid_force,
    hybrid_velocity,
    inverse_acceleration,
    inverse_force,
    inverse_position,
    inverse_velocity,
)
from sixvec.ik.closed_form import arm_321
from sixvec.ik.closed_form.arm_321.velocity import forearm_at_hand
from sixvec.solve import Metric
from subjects import tree
from tolerances import IDENTITY, assert_close

every_reference = pytest.mark.parametrize("reference", REFERENCES)
INVERTED = 1e-9
"""After a division by the smallest singular value, above 1e-2 for these samples."""
ARM, TOOL = "panda", "panda_link8"


@pytest.fixture
def arm() -> sixvec.Robot:
    return sixvec.load(ARM)


@pytest.mark.covers("KIN-01")
def test_inverse_position_undoes_forward_position(arm: sixvec.Robot) -> None:
    rng = np.random.default_rng(0)
    q = arm.random(rng, 40)
    target = forward_position(arm, q, TOOL)
    answer = inverse_position(arm, target, TOOL, q + rng.uniform(-0.2, 0.2, q.shape))
    assert answer.solved.all()
    assert np.abs(forward_position(arm, answer.q, TOOL) - target).max() < 1e-9


@pytest.mark.covers("KIN-01")
def test_inverse_position_says_when_there_is_none(arm: sixvec.Robot) -> None:
    """Out of reach, a solvable one beside it, and not a number: a bounded number of steps and a verdict each."""
    q = arm.random(0)
    target = np.stack([forward_position(arm, q, TOOL)] * 3)
    target[0, :3, 3] = [5.0, 0.0, 0.0]
    target[2, 0, 3] = np.nan
    answer = inverse_position(arm, target, TOOL, q + 0.05)
    assert answer.solved.tolist() == [False, True, False]
    assert answer.residual[0] > 3.0
    with pytest.raises(ShapeError, match=named("inverse_position", "pose")):
        inverse_position(arm, np.eye(3), TOOL, q)


@every_reference
@pytest.mark.covers("KIN-01", "Bruyninckx (7.32)", "Lynch-Park (9.93)")
def test_inverse_velocity_undoes_forward_velocity(arm: sixvec.Robot, reference: str) -> None:
    q, t = arm.random(1, 20), np.random.default_rng(2).normal(size=(20, 6))
    v = inverse_velocity(arm, q, t, TOOL, reference)
    assert_close(forward_velocity(arm, q, v, TOOL, reference), t, INVERTED)


@pytest.mark.covers("KIN-01")
def test_inverse_velocity_is_the_smallest_in_the_joint_norm(arm: sixvec.Robot) -> None:
    """Adding internal motion never makes the kinetic energy smaller when the mass matrix is the weight."""
    q, t = arm.random(1), np.random.default_rng(2).normal(size=6)
    metric = Metric.from_inertia(arm, q, np.eye(6))
    v = inverse_velocity(arm, q, t, TOOL, metric=metric)
    _, _, Vt = np.linalg.svd(arm.jacobian(q, TOOL))
    for step in (-0.1, 0.1):
        other = v + step * Vt[-1]
        assert arm.kinetic_energy(q, other) > arm.kinetic_energy(q, v)
    plain = inverse_velocity(arm, q, t, TOOL)
    assert np.linalg.norm(plain) < np.linalg.norm(v)


@every_reference
@pytest.mark.covers("KIN-01", "KIN-25")
def test_inverse_acceleration_undoes_forward_acceleration(arm: sixvec.Robot, reference: str) -> None:
    q, v, _, _ = random_states(arm)
    A = np.random.default_rng(3).normal(size=(len(q), 6))
    a = inverse_acceleration(arm, q, v, A, TOOL, reference)
    assert_close(forward_acceleration(arm, q, v, a, TOOL, reference), A, INVERTED)


@every_reference
@pytest.mark.parametrize("name", ["tree", "floating"])
@pytest.mark.covers("KIN-01", "KIN-21", "KIN-26")
def test_joint_forces_do_the_work_of_the_wrench(name: str, reference: str) -> None:
    """Virtual work: τ·v of the motors is what the robot gives away, f·t, for a wrench by the robot."""
    robot = tree(name)
    q, v, _, _ = random_states(robot)
    f = np.random.default_rng(4).normal(size=(len(q), 6))
    tau = inverse_force(robot, q, f, "tool1", acting="by_robot", reference=reference)
    given = (robot.velocity(q, v, "tool1", reference) * f).sum(axis=1)
    assert_close((tau * v).sum(axis=1), given, IDENTITY, scale=np.abs(tau * v).sum(axis=1))


@pytest.mark.parametrize("name", ["tree", "floating"])
@pytest.mark.covers("KIN-21", "KIN-26")
def test_a_wrench_on_the_robot_is_the_external_wrench_of_dynamics(name: str) -> None:
    """At rest, inverse dynamics with and without the wrench differ by what the motors must hold."""
    robot = tree(name)
    q, v, _, _ = random_states(robot)
    f, still = np.random.default_rng(4).normal(size=(len(q), 6)), np.zeros_like(v)
    loaded = robot.inverse_dynamics(q, still, still, external={"tool1": f}) - robot.gravity_forces(q)
    held = inverse_force(robot, q, f, "tool1", acting="on_robot", reference="local")
    assert_close(held, loaded, 1e-11)
    assert_close(held, -inverse_force(robot, q, f, "tool1", acting="by_robot", reference="local"), IDENTITY)


@pytest.mark.parametrize("acting", ["on_robot", "by_robot"])
@pytest.mark.covers("KIN-01", "KIN-26", "Bruyninckx (7.41)", "Bruyninckx (7.43)", "Featherstone (27)")
def test_forward_force_undoes_inverse_force(acting: str) -> None:
    arm = sixvec.load("puma560")
    tool = arm.frame_names[-1]
    q = arm.random(5, 20)
    q = q[np.linalg.svd(arm.jacobian(q, tool), compute_uv=False)[:, -1] > 1e-2]
    f = np.random.default_rng(6).normal(size=(len(q), 6))
    tau = inverse_force(arm, q, f, tool, acting=acting)
    answer = forward_force(arm, q, tau, tool, acting=acting)
    assert_close(answer.wrench, f, INVERTED)
    assert np.abs(answer.unbalanced).max() < 1e-9


@pytest.mark.covers("KIN-01")
def test_joint_forces_that_no_wrench_balances_are_shown(arm: sixvec.Robot) -> None:
    """A force along the internal motion of a redundant arm moves it: that part does work on the internal motion."""
    q = arm.random(1)
    _, _, Vt = np.linalg.svd(arm.jacobian(q, TOOL))
    answer = forward_force(arm, q, Vt[-1], TOOL, acting="by_robot")
    assert_close(answer.unbalanced, Vt[-1], INVERTED, batched=False)
    assert np.abs(answer.wrench).max() < 1e-9


def test_the_direction_of_a_force_must_be_said(arm: sixvec.Robot) -> None:
    q, f = arm.neutral(), np.zeros(6)
    with pytest.raises(TypeError, match="inverse_force"):
        inverse_force(arm, q, f, TOOL)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="by_robot"):
        inverse_force(arm, q, f, TOOL, acting="outward")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="wrench"):
        inverse_force(arm, q, np.zeros(3), TOOL, acting="by_robot")


@pytest.mark.covers("KIN-01")
def test_hybrid_velocity_meets_all_that_is_given(arm: sixvec.Robot) -> None:
    q = arm.random(7, 6)
    rates = np.random.default_rng(8).normal(size=6)
    joints = {arm.joint_names[0]: rates, arm.joint_names[3]: 0.2}
    task = {"wz": 0.1, "vx": rates, "vy": -0.3, "vz": 0.0}
    answer = hybrid_velocity(arm, q, TOOL, joints, task)
    t = forward_velocity(arm, q, answer.v, TOOL)
    assert_close(answer.twist, t, IDENTITY)
    assert_close(answer.v[:, [0, 3]], np.stack([rates, np.full(6, 0.2)], axis=1), IDENTITY)
    assert_close(
        t[:, [2, 3, 4, 5]], np.stack([np.full(6, 0.1), rates, np.full(6, -0.3), np.zeros(6)], axis=1), INVERTED
    )
    assert answer.undetermined.tolist() == [1] * 6  # 5 open joints, 4 components
    assert answer.residual.max() < 1e-9


@pytest.mark.covers("KIN-01")
def test_hybrid_maps_end_in_the_forward_and_inverse_ones(arm: sixvec.Robot) -> None:
    q = arm.random(7)
    v = np.random.default_rng(9).normal(size=7)
    all_joints = hybrid_velocity(arm, q, TOOL, dict(zip(arm.joint_names, v, strict=True)), {})
    assert_close(all_joints.twist, forward_velocity(arm, q, v, TOOL), IDENTITY, batched=False)
    t = np.random.default_rng(10).normal(size=6)
    whole_task = hybrid_velocity(arm, q, TOOL, {}, dict(zip(["wx", "wy", "wz", "vx", "vy", "vz"], t, strict=True)))
    assert_close(whole_task.v, inverse_velocity(arm, q, t, TOOL), INVERTED, batched=False)


@pytest.mark.covers("KIN-01")
def test_hybrid_force_and_velocity_do_the_same_work(arm: sixvec.Robot) -> None:
    q = arm.random(11, 5)
    joints = dict.fromkeys(arm.joint_names[:3], 1.0)
    force = hybrid_force(arm, q, TOOL, joints, {"fx": 2.0, "mz": 0.5, "my": 0.0}, acting="by_robot")
    velocity = hybrid_velocity(arm, q, TOOL, joints, {"vz": 1.0}, "local")
    assert_close((force.tau * velocity.v).sum(axis=1), (force.wrench * velocity.twist).sum(axis=1), 1e-9)
    assert_close(force.tau[:, :3], np.ones((5, 3)), INVERTED)
    assert_close(force.wrench[:, [2, 3]], np.tile([0.5, 2.0], (5, 1)), IDENTITY)


def test_contradictions_show_as_errors(arm: sixvec.Robot) -> None:
    """All joints at rest cannot move the tool."""
    answer = hybrid_velocity(arm, arm.random(0), TOOL, dict.fromkeys(arm.joint_names, 0.0), {"vx": 0.7})
    assert answer.residual == pytest.approx(0.7)
    with pytest.raises(ArgumentError, match="panda_joint1"):
        hybrid_velocity(arm, arm.neutral(), TOOL, {"panda_join1": 1.0}, {})
    with pytest.raises(ArgumentError, match=named("vw")):
        hybrid_velocity(arm, arm.neutral(), TOOL, {}, {"vw": 1.0})


def test_joints_with_several_freedoms_are_given_together() -> None:
    robot = tree("floating")
    name = robot.joint_names[0]
    rates = np.arange(6.0)
    answer = hybrid_velocity(robot, robot.random(0), "tool1", {name: rates}, {})
    assert_close(answer.v[:6], rates, IDENTITY, batched=False)
    J = robot.jacobian(robot.random(0), "tool1")
    assert_close(answer.twist, times(J[None], answer.v[None])[0], IDENTITY, batched=False)
    with pytest.raises(ShapeError, match="free0_joint"):
        hybrid_velocity(robot, robot.random(0), "tool1", {name: [1.0, 2.0]}, {})


@pytest.mark.covers("KIN-22")
@pytest.mark.parametrize(
    ("name", "frame"), [("ur5e", "tool0"), ("puma560", "link6"), ("planar_2r", "tip"), ("panda", "panda_link8")]
)
@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_each_partial_wrench_loads_its_own_joint(name: str, frame: str, reference: str) -> None:
    """Jᵀ G = 1 where the joints' twists are independent, else a projector; batches; and w = G τ is the forward map."""
    robot = sixvec.load(name)
    q = robot.random(0, 5)
    J = robot.jacobian(q, frame, reference)
    basis = ik.dual_wrench_basis(robot, q, frame, reference=reference)
    assert basis.wrenches.shape == (5, 6, robot.nv)
    loads = np.swapaxes(J, -1, -2) @ basis.wrenches
    np.testing.assert_allclose(loads + basis.unbalanced, np.broadcast_to(np.eye(robot.nv), loads.shape), atol=1e-9)
    if robot.nv <= 6:
        np.testing.assert_allclose(basis.unbalanced, 0.0, atol=1e-9)
    else:
        np.testing.assert_allclose(loads @ loads, loads, atol=1e-9)
        assert round(np.trace(loads[0])) == 6
    tau = np.arange(1.0, robot.nv + 1)
    wrench = ik.forward_force(robot, q, tau, frame, acting="by_robot", reference=reference).wrench
    np.testing.assert_allclose(basis.wrenches @ tau, wrench, atol=1e-9 * np.abs(wrench).max())


@pytest.mark.covers("KIN-22")
def test_the_dual_basis_of_a_321_arm_is_the_one_of_the_book() -> None:
    arm, q = arm_321.Arm321(0.7, 0.6, 0.5, 0.1), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    X = forearm_at_hand(arm, q)
    expected = np.array([[*(X @ w)] for w in arm_321.dual_wrench_basis(arm, q)]).T
    robot = Robot(arm.model())
    found = ik.dual_wrench_basis(robot, q, "tool", reference="local_world_aligned")
    np.testing.assert_allclose(found.wrenches, expected, atol=1e-9)


def test_lengths_of_a_metre_compare_turns_and_shifts_unless_a_metric_is_given() -> None:
    """Two joints cannot make every twist: the nearest depends on the length that makes an angle of a distance."""
    arm = sixvec.load("planar_2r")
    q, v, six = np.array([0.3, 0.7]), np.array([0.5, -0.2]), np.array([0.1, 0.9, -0.2, 0.4, 0.3, -0.7])
    one, two = Metric.from_length(1.0, 2), Metric.from_length(2.0, 2)
    for given in (
        lambda metric: inverse_velocity(arm, q, six, "tip", metric=metric),
        lambda metric: inverse_acceleration(arm, q, v, six, "tip", metric=metric),
        lambda metric: forward_force(arm, q, np.array([1.0, -2.0]), "tip", acting="on_robot", metric=metric).wrench,
    ):
        assert np.allclose(given(None), given(one), atol=1e-12) and not np.allclose(given(None), given(two), atol=1e-3)
