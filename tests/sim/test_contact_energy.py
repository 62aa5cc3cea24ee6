"""Rollouts with contacts create no energy, wherever the centre of mass of a free body is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.contacts import Contact, floor
from sixvec.geometry.rigid_body.solids import Capsule
from sixvec.model import Body, Model
from sixvec.model.joints import Free, Joint, Revolute, Spherical
from sixvec.sim.contact_step import TAKEN_BACK
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

pytestmark = pytest.mark.covers("CON-09")

G, H = 9.81, 1e-3
ROD = Capsule(0.05, 0.3)
CENTRE = np.array([0.05, 0.1, -0.03])
UNEQUAL = Sym3(0.01, 0.001, 0.0, 0.012, -0.0005, 0.004)
AXIS = np.array([0.6, 0.64, 0.48])


def body(centre: Any = CENTRE, joint: Joint | None = None, inertia: Sym3 = UNEQUAL, gravity: float = 0.0) -> sv.Robot:
    I = RigidInertia.from_center_of_mass(1.0, Vec3.of(map(float, centre)), inertia)
    return sv.Robot(Model("rod", (Body("rod", joint=joint or Free(), inertia=I),))).with_gravity([0.0, 0.0, -gravity])


def states(path: Any, q: Any, v: Any) -> tuple[Any, Any]:
    """The start and all steps."""
    return np.concatenate([q[..., None, :], path.q], -2), np.concatenate([v[..., None, :], path.v], -2)


def thrown(robot: sv.Robot, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    q, v = np.tile(robot.neutral(), (n, 1)), rng.normal(size=(n, 6)) * [15.0, 15.0, 15.0, 1.0, 1.0, 1.0]
    turn = rng.normal(size=(n, 4))
    q[:, 2], q[:, 3:] = 0.4, turn / np.linalg.norm(turn, axis=-1, keepdims=True)
    return q, v


def test_a_rod_with_its_centre_of_mass_aside_bounces_for_ever_with_the_same_energy() -> None:
    robot = body([0.05, 0.1, 0.0], inertia=Sym3.diagonal(0.01, 0.01, 0.002))
    q, v = robot.neutral(), np.array([5.0, -3.0, 20.0, 0.5, 0.2, -2.0])
    q[2] = 0.5
    contacts = floor(["rod"], ROD, friction=0.0, restitution=1.0)
    path = robot.rollout(q, v, np.zeros(6), H, steps=1000, contacts=contacts)
    E = robot.kinetic_energy(*states(path, q, v))
    assert (path.force[:, ::3] > 0.0).any()
    assert np.abs(E / E[0] - 1.0).max() < 1e-11


@pytest.mark.parametrize("joint", [Free(), Spherical()], ids=["free", "ball joint"])
def test_a_spin_keeps_its_energy_at_any_speed(joint: Joint) -> None:
    """Up to one radian in a step, about the centre of mass or about the centre of a ball joint."""
    robot, speeds = body(joint=joint), np.array([[10.0], [100.0], [300.0], [1000.0]])
    spin = speeds * AXIS
    v = spin if isinstance(joint, Spherical) else np.concatenate([spin, -np.cross(spin, CENTRE)], -1)
    q, below = np.tile(robot.neutral(), (4, 1)), Pose.translation(Vec3(0.0, 0.0, -50.0))
    contacts = [Contact("rod", ROD, on_placement=below)]
    path = robot.rollout(q, v, np.zeros(robot.nv), H, steps=1000, contacts=contacts)
    E = robot.kinetic_energy(*states(path, q, v))
    assert (np.abs(np.diff(E, axis=-1)) < 1e-14 * E[:, :1]).all() and path.gap.min() > 0.0
    assert np.abs(E / E[:, :1] - 1.0).max() < 1e-11


def test_the_centre_of_mass_flies_straight_and_the_spin_is_that_of_eulers_equations() -> None:
    """The moment of momentum about the centre of mass, in fixed axes, errs by the order of the step."""
    robot = body()
    q, v = robot.neutral(), np.array([6.0, 8.0, -5.0, 1.0, 0.5, 2.0])
    q[2] = 50.0
    errors = []
    for steps in (200, 400):
        path = robot.rollout(q, v, np.zeros(6), 0.2 / steps, steps=steps, contacts=floor(["rod"], ROD))
        Q, V = states(path, q, v)
        centre, times = robot.center_of_mass(Q), np.linspace(0.0, 0.2, steps + 1)[:, None]
        velocity = robot.center_of_mass_jacobian(q) @ v
        assert np.abs(centre - (centre[0] + times * velocity)).max() < 1e-11
        h = np.einsum("...ij,...j->...i", robot.centroidal_momentum_matrix(Q), V)[..., :3]
        errors.append(np.abs(h - h[0]).max() / np.linalg.norm(h[0]))
    assert errors[0] < 0.02 and errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize(("restitution", "friction"), [(1.0, 0.3), (1.0, 0.0), (0.5, 0.5), (0.0, 0.5)])
def test_energy_never_grows_in_falls_and_collisions(restitution: float, friction: float) -> None:
    """But for the free fall of a step, and the weight of overlaps that are taken back."""
    robot = body(gravity=G)
    q, v = thrown(robot, 24)
    contacts = floor(["rod"], ROD, friction=friction, restitution=restitution)
    path = robot.rollout(q, v, np.zeros(6), H, steps=500, contacts=contacts)
    assert (path.verdict == 0).all() and (path.force[..., ::3] > 0.0).any(axis=(-1, -2)).sum() >= 20
    weight = robot.potential_energy(states(path, q, v)[0])
    middle = 0.5 * (weight[:, 1:] + weight[:, :-1])
    gained = np.diff(robot.kinetic_energy(path.q, path.v) + middle, axis=-1)
    overlap = np.maximum(0.0, -path.gap.min(axis=-1))
    lifted = TAKEN_BACK * np.maximum(overlap[:, 1:], overlap[:, :-1])
    assert (gained <= G * (0.25 * G * H**2 + lifted)).all()


def test_the_energy_of_a_floating_robot_errs_by_the_order_of_the_step() -> None:
    I = RigidInertia.from_center_of_mass(1.0, Vec3.of(map(float, CENTRE)), UNEQUAL)
    arm = Body("arm", "rod", Revolute(Vec3(0.0, 1.0, 0.0)), Pose.translation(Vec3(0.1, 0.0, 0.0)), I)
    robot = sv.Robot(Model("two", (Body("rod", joint=Free(), inertia=I), arm))).with_gravity([0.0, 0.0, 0.0])
    q, v = robot.neutral(), np.array([3.0, -4.0, 5.0, 0.5, 0.2, 0.1, 6.0])
    q[2] = 50.0
    errors = []
    for steps in (200, 400):
        path = robot.rollout(q, v, np.zeros(7), 0.2 / steps, steps=steps, contacts=floor(["rod"], ROD))
        E = robot.kinetic_energy(*states(path, q, v))
        errors.append(np.abs(E / E[0] - 1.0).max())
    assert errors[0] < 0.05 and errors[0] / errors[1] == pytest.approx(2.0, abs=0.3)
