"""A rotor as a spinning body against what it must do by the formulas of Bruyninckx §6.2.6, aligned and misaligned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from random_states import random_states
from random_trees import random_inertia, random_pose, random_tree
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, JointDynamics
from sixvec.model.edits.rotor import Rotor, with_rotor
from sixvec.model.joints import Fixed, Free, Revolute
from sixvec.spatial import Pose, Rotation, Vec3
from tolerances import IDENTITY, SOLVED, assert_close

J, N = 0.02, 7.0


def tilted(angle: float) -> Pose:
    return Pose(Rotation.about(Vec3(1.0, 0.0, 0.0), angle), Vec3(0.1, -0.2, 0.3))


@pytest.fixture(scope="module", params=[0.0, 0.9], ids=["aligned", "misaligned"])
def case(request: pytest.FixtureRequest) -> tuple[sv.Robot, sv.Robot, str, np.ndarray]:
    """A Panda with a rotor in link 3 that drives joint 4, the same with the rotor locked, and the rotor's axis."""
    panda = sv.load("panda").model
    driven = panda.by_name["panda_link4"]
    placement = replace(driven.placement, pos=Vec3(0.1, -0.2, 0.3)) if request.param == 0.0 else tilted(request.param)
    rotor = Rotor(J, N, placement, mass=0.5, transverse=0.011)
    spinning = with_rotor(panda, "panda_joint4", rotor)
    welded = (replace(b, joint=Fixed(), mimic=None) if b.name == "panda_link4_rotor" else b for b in spinning.bodies)
    locked = replace(spinning, bodies=tuple(welded))
    return sv.Robot(spinning), sv.Robot(locked), "panda_link3", _axis(placement)


def _axis(placement: Pose) -> np.ndarray:
    return np.array([*(placement.rot @ Vec3(0.0, 0.0, 1.0))])


@pytest.mark.covers("DYN-12")
def test_forces_beyond_the_locked_rotor(case) -> None:
    """Joint: J N (a·ω̇ + N q̈).  Carrier: the moment J N q̈ a + ω × (J N q̇ a), which the joints before it supply."""
    robot, locked, carrier, axis = case
    q, v, a, _ = random_states(robot)
    i = 3
    R = robot.pose(q, carrier)[:, :3, :3]
    a_m = R @ axis
    turn = robot.velocity(q, v, carrier)[:, :3]
    turning = robot.acceleration(q, v, a, carrier)[:, :3]
    own = J * N * (np.sum(a_m * turning, axis=1) + N * a[:, i])
    moment = J * N * (a[:, [i]] * a_m + v[:, [i]] * np.cross(turn, a_m))
    expected = np.einsum("nij,ni->nj", robot.jacobian(q, carrier)[:, :3], moment)
    expected[:, i] += own
    extra = robot.inverse_dynamics(q, v, a) - locked.inverse_dynamics(q, v, a)
    assert_close(extra, expected, 1e-11)  # the difference of torques some ten times larger
    assert np.abs(J * N * v[:, [i]] * np.cross(turn, a_m)).max() > 0.05  # gyroscopic terms take part


@pytest.mark.covers("DYN-12")
def test_energy_beyond_the_locked_rotor(case) -> None:
    """T = T_locked + J N q̇ a·ω + ½ J N² q̇²."""
    robot, locked, carrier, axis = case
    q, v, _, _ = random_states(robot)
    spin = np.sum((robot.pose(q, carrier)[:, :3, :3] @ axis) * robot.velocity(q, v, carrier)[:, :3], axis=1)
    rate = v[:, 3]
    expected = locked.kinetic_energy(q, v) + J * N * rate * spin + 0.5 * J * N**2 * rate**2
    assert_close(robot.kinetic_energy(q, v), expected, IDENTITY)


@pytest.mark.covers("DYN-12")
def test_every_route_agrees(case) -> None:
    robot, _, _, _ = case
    q, v, a, tau = random_states(robot)
    assert_close(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a, SOLVED)
    C, M = robot.coriolis_matrix(q, v), robot.mass_matrix(q)
    inertial = np.einsum("nij,nj->ni", M, a) + np.einsum("nij,nj->ni", C, v) + robot.gravity_forces(q)
    assert_close(inertial, robot.inverse_dynamics(q, v, a), IDENTITY)
    found = robot.hybrid_dynamics(q, v, a, tau, prescribed=(3,))
    assert_close(robot.inverse_dynamics(q, v, found.a), found.tau, SOLVED)


@pytest.mark.covers("DYN-12")
def test_armature_is_the_limit_of_large_ratios() -> None:
    """With N² J held, the difference to `armature` falls as 1/N: the terms that it drops are J N = d / N."""
    panda, d = sv.load("panda").model, 0.8
    diagonal = sv.Robot(
        replace(
            panda,
            bodies=tuple(
                replace(b, dynamics=JointDynamics((d,))) if b.name == "panda_link4" else b for b in panda.bodies
            ),
        )
    )
    q, v, a, _ = random_states(diagonal)
    gaps = []
    for ratio in (10.0, 100.0, 1000.0):
        geared = sv.Robot(with_rotor(panda, "panda_joint4", Rotor(d / ratio**2, ratio, tilted(0.9))))
        gaps.append(np.abs(geared.inverse_dynamics(q, v, a) - diagonal.inverse_dynamics(q, v, a)).max())
    assert gaps[0] / gaps[1] == pytest.approx(10.0, rel=0.2)
    assert gaps[1] / gaps[2] == pytest.approx(10.0, rel=0.05)


@pytest.mark.covers("DYN-12")
def test_a_fast_rotor_makes_a_gyroscope() -> None:
    """A free body whose rotor spins up turns the other way: total angular momentum stays."""
    rng = np.random.default_rng(0)
    bodies = (
        Body("hull", WORLD, Free(), inertia=random_inertia(rng)),
        Body("wheel", "hull", Revolute(), random_pose(rng), random_inertia(rng)),
    )
    base = sv.Model("satellite", bodies, gravity=Vec3.zero())
    robot = sv.Robot(with_rotor(base, "wheel", Rotor(0.05, 12.0, tilted(0.4), mass=0.3, transverse=0.03)))
    q, v, _, tau = random_states(robot)
    tau[:, :6] = 0.0  # only the motor
    a = robot.forward_dynamics(q, v, tau)
    h = 1e-5
    after = robot.momentum(robot.integrate(q, h * v + 0.5 * h * h * a), v + h * a)
    before = robot.momentum(robot.integrate(q, -h * v + 0.5 * h * h * a), v - h * a)
    assert np.abs((after - before) / (2 * h)).max() < 1e-6 * np.abs(robot.momentum(q, v)).max()


def test_rotors_of_all_joints_of_a_tree_on_any_carrier() -> None:
    model = random_tree(8, bodies=6)
    for b in model.moving:
        if b.joint.nv == 1:
            model = with_rotor(
                model, b.name, Rotor(0.01, -30.0, tilted(0.3), mass=0.1, transverse=0.006), carrier=b.name
            )
    robot = sv.Robot(model)
    q, v, a, _ = random_states(robot)
    assert robot.nv == sv.Robot(random_tree(8, bodies=6)).nv
    assert_close(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a, SOLVED)


def test_mistakes() -> None:
    panda = sv.load("panda").model
    with pytest.raises(ModelError, match="panda_joint9"):
        with_rotor(panda, "panda_joint9", Rotor(0.1, 10.0))
    with pytest.raises(ModelError, match="nobody"):
        with_rotor(panda, "panda_joint3", Rotor(0.1, 10.0), carrier="nobody")
    with pytest.raises(ModelError, match="panda_joint3"):
        with_rotor(panda, "panda_joint3", Rotor(0.1, 0.0))
    with pytest.raises(ModelError, match="panda_joint3"):
        with_rotor(panda, "panda_joint3", Rotor(-0.1, 10.0))
    free = sv.load("panda", floating=True).model
    with pytest.raises(ModelError, match="rotor"):
        with_rotor(free, free.moving[0].name, Rotor(0.1, 10.0))
    with pytest.raises(ModelError, match="nan"):
        with_rotor(panda, "panda_joint3", Rotor(float("nan"), 10.0))
