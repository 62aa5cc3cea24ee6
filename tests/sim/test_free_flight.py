"""Free flight: a body on which nothing pulls flies straight however it spins, and falls along a parabola."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sixvec
from random_trees import random_tree
from sixvec import Robot
from sixvec.model import Body, Frame, JointDynamics, Model
from sixvec.model.joints import Free, Joint, Revolute, Spherical
from sixvec.sim import INTEGRATORS, rollout
from sixvec.sim.free_rotation import (
    gyroscopic_accelerations,
    gyroscopic_forces,
    rotated,
    single_bodies,
)
from sixvec.sim.mass_centres import at_centres, at_origins, carried_centre, carriers, centres, positions_at
from sixvec.spatial import Pose, Quaternion, RigidInertia, Sym3, Vec3

STEPWISE = sorted(set(INTEGRATORS) - {"symplectic_euler"})
"""Those that step velocities; the symplectic one steps momenta, and keeps them up to its fixed-point rounds."""
ORDERS = {"bounded_leapfrog": 1, "euler": 1, "semi_implicit_euler": 1, "midpoint": 2, "rk4": 4}
START = np.array([0.3, -0.2, 0.5, 0.0, 0.0, 0.0, 1.0])
SPIN = np.array([0.5, 4.0, 0.3, 1.0, 2.0, 3.0])
"""Mostly about the middle axis of inertia, where free turning is least stable."""
ROUNDED = 1e-11
"""A thousand steps: a few roundings of 2⁻⁵³ each, all in the same direction at worst, of numbers up to some tens."""


@cache
def body(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), offset: float = 0.0) -> Robot:
    """One free body whose centre of mass is `offset` away from the origin of its frame."""
    turning = Sym3.diagonal(0.01, 0.02, 0.028)
    inertia = RigidInertia.from_center_of_mass(1.5, Vec3(offset, -0.5 * offset, 0.2 * offset), turning)
    only = Body("body", None, Free(), Pose.identity(), inertia)
    return Robot(Model("free_body", (only,), (Frame("body", "body"),), Vec3(*gravity)))


@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("integrator", sorted(INTEGRATORS))
def test_a_spinning_body_keeps_its_linear_momentum_and_flies_straight(integrator: str) -> None:
    robot, n, h = body(), 1000, 1e-3
    path = rollout(robot, START, SPIN, np.zeros((n, 6)), h, integrator=integrator)
    momentum = robot.momentum(path.q, path.v)[:, 3:]
    straight = START[:3] + h * np.arange(1, n + 1)[:, None] * SPIN[3:]
    # Of the symplectic method the rounds leave (h |ω|)⁵ a step.
    allowed = 1e-8 if integrator == "symplectic_euler" else ROUNDED
    assert np.abs(momentum - 1.5 * SPIN[3:]).max() < allowed
    # Its steps are screws, so the path swings about the line by the order of the method, without leaving it.
    assert np.abs(path.q[:, :3] - straight).max() < (h if integrator == "symplectic_euler" else ROUNDED)


@pytest.mark.parametrize("integrator", sorted(INTEGRATORS))
def test_a_spinning_body_keeps_its_energy_by_the_order(integrator: str) -> None:
    """Linear motion keeps its energy exactly, so what changes is the energy of turning, by the order of the method."""
    robot = body()

    def drift(n: int) -> float:
        path = rollout(robot, START, SPIN, np.zeros((n, 6)), 0.5 / n, integrator=integrator)
        return float(np.abs(robot.kinetic_energy(path.q, path.v) - robot.kinetic_energy(START, SPIN))[-1])

    n = 20 if integrator == "rk4" else 250  # else rounding hides the fourth order
    if integrator == "bounded_leapfrog":  # at every step
        assert max(drift(10), drift(n)) < ROUNDED
        return
    assert drift(2 * n) < {"rk4": 1e-10, "midpoint": 1e-8}.get(integrator, 1e-5)
    assert np.log2(drift(n) / drift(2 * n)) > ORDERS.get(integrator, 1) - 0.3


@pytest.mark.parametrize("integrator", STEPWISE)
def test_the_centre_of_mass_falls_along_a_parabola(integrator: str) -> None:
    """What each method makes of constant acceleration is known; spinning must not change it."""
    g, n, h = np.array([0.5, -0.2, -9.81]), 800, 1e-3
    robot = body(tuple(g.tolist()))
    path = rollout(robot, START, SPIN, np.zeros((n, 6)), h, integrator=integrator)
    k = np.arange(1, n + 1)[:, None]
    halves = {"euler": k * (k - 1), "semi_implicit_euler": k * (k + 1)}.get(integrator, k * k)
    expected = START[:3] + k * h * SPIN[3:] + 0.5 * h * h * halves * g
    assert np.abs(path.q[:, :3] - expected).max() < ROUNDED
    assert np.abs(robot.momentum(path.q, path.v)[:, 3:] / 1.5 - (SPIN[3:] + k * h * g)).max() < ROUNDED


@pytest.mark.every(2)
@pytest.mark.parametrize("integrator", STEPWISE)
@pytest.mark.parametrize("subject", ["body", "tree"])
def test_momentum_elsewhere_is_kept_by_the_order(subject: str, integrator: str) -> None:
    """Where the centre of mass is not the origin, its motion is made of turns and slides: errors by the order."""
    made = body(offset=0.1) if subject == "body" else Robot(random_tree(11, bodies=4, floating=True))
    robot = made.with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(2)
    q, v = robot.random(rng), rng.normal(size=robot.nv)

    def drift(n: int) -> float:
        path = rollout(robot, q, v, np.zeros((n, robot.nv)), 0.2 / n, integrator=integrator)
        return float(np.linalg.norm(robot.momentum(path.q[-1], path.v[-1])[3:] - robot.momentum(q, v)[3:]))

    n = 20 if integrator == "rk4" else 100  # else rounding hides the fourth order
    assert np.log2(drift(n) / drift(2 * n)) > ORDERS[integrator] - 0.3


def test_a_free_joint_may_stand_on_a_moving_body() -> None:
    """Two bodies, the second free from the first: what the first does is nothing to the second."""
    single, rng = body(offset=0.1), np.random.default_rng(7)
    first = single.model.bodies[0]
    second = replace(first, name="second", parent="body")
    robot = Robot(replace(single.model, bodies=(first, second), frames=(Frame("second", "second"),)))
    q, v = robot.random(rng), rng.normal(size=12)
    pose, twist = robot.pose(q, "second"), robot.velocity(q, v, "second", "local")
    alone = np.concatenate([pose[:3, 3], Rotation.from_matrix(pose[:3, :3]).as_quat()])
    expected = rollout(single, alone, twist, np.zeros((960, 6)), 0.3 / 960, integrator="rk4").q[-1, :3]

    def error(n: int) -> float:
        path = rollout(robot, q, v, np.zeros((n, 12)), 0.3 / n, integrator="rk4")
        return float(np.linalg.norm(robot.pose(path.q[-1], "second")[:3, 3] - expected))

    assert np.log2(error(30) / error(60)) == pytest.approx(ORDERS["rk4"], abs=0.5)
    assert error(60) < 1e-6


MUJOCO_GLIDER = """
<mujoco><option gravity="0 0 -9.81" timestep="0.001" integrator="Euler"><flag contact="disable" eulerdamp="disable"/>
</option><worldbody><body name="b"><freejoint/><inertial pos=".05 .02 0" mass="1" diaginertia=".01 .02 .028"/>
<body name="c" pos=".2 0 0"><joint axis="0 1 0" damping=".3" stiffness="2" springref="10"/>
<inertial pos=".1 0 .05" mass=".5" diaginertia=".01 .02 .01"/></body></body></worldbody></mujoco>
"""


def test_mujoco_flies_the_same(tmp_path: Path) -> None:
    """A floating body with a damped, sprung hinge under gravity, by MuJoCo's Euler method."""
    file = tmp_path / "glider.xml"
    file.write_text(MUJOCO_GLIDER)
    robot, model = sixvec.load(file), mujoco.MjModel.from_xml_string(MUJOCO_GLIDER)
    data, n = mujoco.MjData(model), 1000
    theirs = 3.0 * np.random.default_rng(5).normal(size=7)  # velocity in world axes, ω in body axes, hinge
    data.qvel[:] = theirs
    v = np.concatenate([theirs[3:6], theirs[:3], theirs[6:]])  # the body's axes are the world's at first
    options = {"passive": True, "integrator": "semi_implicit_euler"}
    path = rollout(robot, robot.neutral(), v, np.zeros((n, 7)), 1e-3, **options)
    for k in range(n):
        mujoco.mj_step(model, data)
        q = path.q[k]
        expected = np.concatenate([q[:3], q[6:7], q[3:6], q[7:]])
        assert np.abs(data.qpos - expected).max() < 1e-11, k


def test_centres_of_mass_are_those_of_free_joints_that_carry_mass() -> None:
    """A body alone, one that carries another, one without mass, one that is driven."""
    I = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(0.1, 0.2, 0.25))
    alone, base = Body("alone", joint=Free(), inertia=I), Body("base", joint=Free())
    carried = Body("carried", "base", Revolute(), Pose.translation(Vec3(1.0, 0.0, 0.0)), I)
    empty, driven = Body("empty", joint=Free()), replace(alone, name="driven")
    model = Model("some", (alone, base, carried, empty, driven))
    prescribed = (model.v_slices["driven"].stop - 1,)
    assert [b.name for b in carriers(model, prescribed)] == ["base"]
    found = centres(model, prescribed, [Vec3(7.0, 8.0, 9.0)])
    assert {*found} == {"alone", "base"} and found["base"] == Vec3(7.0, 8.0, 9.0)
    assert [*found["alone"]] == pytest.approx([0.1, 0.2, 0.3])
    M = np.asarray(Robot(model).mass_matrix(Robot(model).neutral())).tolist()
    assert [*carried_centre(model, base, M)] == pytest.approx([1.1, 0.2, 0.3])

    v, q = np.arange(1.0, model.nv + 1.0).tolist(), Robot(model).neutral().tolist()
    there = at_centres(model, v, found)
    assert there[:6] == pytest.approx(
        [1.0, 2.0, 3.0, *(np.array([4.0, 5.0, 6.0]) + np.cross([1, 2, 3], [0.1, 0.2, 0.3]))]
    )
    assert there[13:] == v[13:]
    assert at_origins(model, there, found) == pytest.approx(v)
    q[:7] = [0.5, 0.6, 0.7, 0.0, 0.0, 1.0, 0.0]  # half a turn about z or about y, by the order of a quaternion
    half = np.array([*(Quaternion(*q[3:7]).as_rotation() @ found["alone"])])
    ahead = positions_at(model, q, found, 1.0)
    assert ahead[:3] == pytest.approx(q[:3] + half) and ahead[3:7] == q[3:7] and ahead[-14:] == q[-14:]
    assert positions_at(model, ahead, found, -1.0) == pytest.approx(q)


@pytest.mark.parametrize("turn", [1e-3, 0.1, 1.0])
def test_a_body_in_free_rotation_keeps_its_energy_and_its_angular_momentum(turn: float) -> None:
    """By the midpoint rule, for every inertia: to rounding up to about a radian in a step."""
    I = Sym3(0.1, 0.01, 0.02, 0.2, 0.03, 0.25)
    S = np.array([[*row] for row in I.full.rows])
    for seed in range(20):
        w = np.random.default_rng(seed).normal(size=3)
        w *= turn / np.linalg.norm(w)
        ahead, mean = (np.array([*x]) for x in rotated(I, Vec3(*w.tolist()), 1.0))
        assert S @ (ahead - w) == pytest.approx(np.cross(S @ mean, mean), abs=1e-14 * turn)
        assert ahead @ S @ ahead == pytest.approx(w @ S @ w, rel=1e-13)
        assert np.linalg.norm(S @ ahead) == pytest.approx(np.linalg.norm(S @ w), rel=1e-11)


@pytest.mark.parametrize("turn", [10.0, 1e3])
def test_a_step_of_many_turns_keeps_the_energy(turn: float) -> None:
    I, w = Sym3(0.1, 0.01, 0.02, 0.2, 0.03, 0.25), Vec3(0.6 * turn, -0.64 * turn, 0.48 * turn)
    ahead, _ = rotated(I, w, 1.0)
    assert ahead.dot(I @ ahead) == pytest.approx(w.dot(I @ w), rel=1e-12)


@pytest.mark.parametrize("joint", [Free(), Spherical()], ids=["free", "ball joint"])
def test_gyroscopic_forces_of_single_bodies_are_those_of_forward_dynamics(joint: Joint) -> None:
    I = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3(0.1, 0.01, 0.02, 0.2, 0.03, 0.25))
    model = Model("top", (Body("top", joint=joint, inertia=I),), gravity=Vec3.zero())
    v = np.random.default_rng(2).normal(size=joint.nv).tolist()
    (body,) = single_bodies(model)
    forces = gyroscopic_forces(model, [body], v)
    robot = Robot(model)
    without = robot.forward_dynamics(robot.neutral(), v, forces)
    a = gyroscopic_accelerations(model, [body], v)
    assert robot.forward_dynamics(robot.neutral(), v, np.zeros(joint.nv)) + a == pytest.approx(without, abs=1e-12)
    assert without[:3] == pytest.approx(np.zeros(3), abs=1e-12)
    assert single_bodies(model, (joint.nv - 1,)) == []  # driven
    for other in (
        replace(model, bodies=(replace(model.bodies[0], dynamics=JointDynamics(armature=(0.1,) * joint.nv)),)),
        replace(model, bodies=(*model.bodies, Body("carried", "top", inertia=I))),
    ):
        assert single_bodies(other) == []
