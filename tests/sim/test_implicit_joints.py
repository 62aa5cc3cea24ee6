"""Dampers and springs of joints are stable however stiff they are, and do the work that they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from loop_samples import four_bar
from sixvec import Robot
from sixvec.model import Body, FrictionLaw, JointDynamics, Mimic, Model
from sixvec.model.joints import Prismatic, Revolute, Spherical
from sixvec.spatial import RigidInertia, Sym3, Vec3

MASS, H = 2.0, 0.01
BALL = RigidInertia.from_center_of_mass(MASS, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


def slide(**dynamics: tuple[float, ...]) -> Robot:
    one = Body("slide", joint=Prismatic(Vec3(1.0, 0.0, 0.0)), inertia=BALL, dynamics=JointDynamics(**dynamics))
    return Robot(Model("slide", (one,))).with_gravity([0.0, 0.0, 0.0])


@pytest.mark.parametrize("damping", [1.0, 1e3, 1e9])
def test_a_damper_acts_at_the_end_of_the_step(damping: float) -> None:
    """m (v₁ - v) = -h d v₁, whatever d is."""
    path = slide(damping=(damping,)).rollout([0.0], [1.0], [0.0], H, steps=20, passive=True)
    expected = (1.0 + H * damping / MASS) ** -np.arange(1.0, 21.0)
    assert np.allclose(path.v[:, 0], expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e8])
def test_a_spring_keeps_its_energy(stiffness: float) -> None:
    """The implicit midpoint rule: to rounding, also where the spring swings a thousand times in a step."""
    robot = slide(stiffness=(stiffness,))
    path = robot.rollout([0.3], [0.2], [0.0], H, steps=1000, passive=True)
    energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q, passive=True)
    start = 0.5 * MASS * 0.2**2 + 0.5 * stiffness * 0.3**2
    assert np.allclose(energy, start, rtol=1e-9)


def test_a_spring_is_of_second_order() -> None:
    robot, w = slide(stiffness=(8.0,)), 2.0

    def error(n: int) -> float:
        path = robot.rollout([0.3], [0.0], [0.0], 1.0 / n, steps=n, passive=True)
        return float(abs(path.q[-1, 0] - 0.3 * np.cos(w)))

    assert np.log2(error(50) / error(100)) == pytest.approx(2.0, abs=0.05)


def test_followers_and_ball_joints_have_their_dampers() -> None:
    """A follower twice as fast has four times the damping; a ball joint with equal dampers turns like one axis."""
    lead = Body("lead", joint=Prismatic(Vec3(1.0, 0.0, 0.0)), inertia=BALL)
    damped = JointDynamics(damping=(3.0,))
    follower = Body("follower", joint=Prismatic(Vec3(0.0, 1.0, 0.0)), inertia=BALL, dynamics=damped)
    pair = Robot(Model("pair", (lead, replace(follower, mimic=Mimic("lead", 2.0))))).with_gravity([0.0, 0.0, 0.0])
    path = pair.rollout([0.0], [1.0], [0.0], H, steps=5, passive=True)
    assert np.allclose(path.v[:, 0], (1.0 + H * 12.0 / (5.0 * MASS)) ** -np.arange(1.0, 6.0), rtol=1e-12)
    ball = Body("ball", joint=Spherical(), inertia=BALL, dynamics=JointDynamics(damping=(1e3,) * 3))
    turning = Robot(Model("ball", (ball,))).with_gravity([0.0, 0.0, 0.0])
    spin = turning.rollout(turning.neutral(), [0.1, 0.2, -0.3], np.zeros(3), H, steps=5, passive=True)
    assert np.allclose(spin.v, np.outer((1.0 + H * 1e4) ** -np.arange(1.0, 6.0), [0.1, 0.2, -0.3]), rtol=1e-10)


def test_a_whirling_arm_with_stiff_dampers_comes_to_rest_without_gaining_energy() -> None:
    """Explicit dampers of this size multiply the velocities by a thousand in a step."""
    panda = sixvec.load("panda").with_gravity([0.0, 0.0, 0.0])
    bodies = tuple(
        replace(b, dynamics=JointDynamics(damping=(50.0,))) if isinstance(b.joint, Revolute) else b
        for b in panda.model.bodies
    )
    robot = Robot(replace(panda.model, bodies=bodies))
    rng = np.random.default_rng(0)
    q, v = robot.random(rng, 8), 20.0 * rng.normal(size=(8, 7))
    path = robot.rollout(q, v, np.zeros(7), H, steps=100, passive=True)
    energy = np.concatenate([robot.kinetic_energy(q, v)[:, None], robot.kinetic_energy(path.q, path.v)], axis=-1)
    assert (np.diff(energy) <= 1e-9 * energy[:, :1]).all()
    assert (energy[:, -1] < 1e-6 * energy[:, 0]).all()


def test_stiff_friction_laws_and_dampers_in_loops_take_energy_only() -> None:
    """They are explicit, and would multiply the velocity by ten in a step."""
    law = FrictionLaw("slide", lambda q, v: [10.0 * MASS / H * v[0]])
    model = replace(slide().model, passive=(law,))
    path = Robot(model).rollout([0.0], [1.0], [0.0], H, steps=50, passive=True)
    assert np.abs(path.v).max() <= 1.0 + 1e-12
    loop = four_bar()
    bodies = tuple(replace(b, dynamics=JointDynamics(damping=(100.0,))) for b in loop.bodies)
    robot = Robot(replace(loop, bodies=bodies)).with_gravity([0.0, 0.0, 0.0])
    start = robot.assemble([1.0, -0.5, -1.5])
    freedom = np.linalg.svd(robot.closure_jacobian(start.q))[2][-1]
    path = robot.rollout(start.q, 3.0 * freedom, np.zeros(3), H, steps=50, passive=True)
    first = robot.kinetic_energy(start.q, 3.0 * freedom)
    assert path and (robot.kinetic_energy(path.q, path.v) <= first * (1.0 + 1e-9)).all()
