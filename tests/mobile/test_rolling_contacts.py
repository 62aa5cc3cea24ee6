"""Robots on wheels that touch things: wheels roll through impacts, and the ground gives its share of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body.solids import Box, Sphere
from sixvec.mobile import mount, wheeled_robot
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

RADIUS, FORCE = 0.1, 0.4
SLAB = RigidInertia.from_center_of_mass(20.0, Vec3(0.05, 0.01, 0.1), Sym3.diagonal(0.5, 0.6, 0.8))
DRIVE = sv.mobile.differential_drive(0.5, RADIUS)
CART = wheeled_robot(DRIVE, SLAB, 1.0)
BALL, WALL = Sphere(0.05), Box(Vec3(0.2, 4.0, 2.0))


def nosed(y: float) -> Any:
    """The cart with a nose 0.4 m ahead of its axle."""
    X = np.eye(4)
    X[:3, 3] = 0.4, y, 0.1
    return CART.with_frame("nose", "platform", X)


def wall(gap: float, **options: Any) -> list[Contact]:
    """Ahead of the nose of a cart at the origin."""
    return [Contact("nose", BALL, WALL, on_placement=Pose.translation(Vec3(0.55 + gap, 0.0, 0.1)), **options)]


@pytest.mark.covers("MOB-16")
def test_an_elastic_impact_head_on_reverses_the_wheels() -> None:
    v = np.array([1.0, 0.0, 0.0, 1.0 / RADIUS, 1.0 / RADIUS])
    path = nosed(0.01).rollout(np.zeros(5), v, np.zeros(5), 1e-3, steps=60, contacts=wall(0.03, restitution=1.0))
    assert path.verdict == 0 and np.allclose(path.v[0], v) and np.allclose(path.v[-1], -v, atol=1e-9)


@pytest.mark.covers("MOB-16")
def test_an_impact_is_the_least_change_of_velocities_that_roll() -> None:
    robot = nosed(0.15)
    v = np.array([1.0, 0.0, 0.0, 1.0 / RADIUS, 1.0 / RADIUS])
    path = robot.rollout(np.zeros(5), v, np.zeros(5), 1e-3, steps=1, contacts=wall(0.0, friction=0.0))
    M, normal = robot.mass_matrix(np.zeros(5)), robot.jacobian(np.zeros(5), "nose")[3:4]
    rows = np.vstack([robot.constraint_jacobian(np.zeros(5)), normal])
    back = np.linalg.solve(M, rows.T)
    expected = v - back @ np.linalg.pinv(rows @ back) @ (rows @ v)
    assert abs(expected[2]) > 0.5  # it turns away
    assert np.allclose(path.v[0], expected, atol=2e-3)  # rolling at the end of the step, a millimetre further
    assert np.abs(robot.slip(path.q, path.v)).max() < 1e-12
    finer = robot.rollout(np.zeros(5), v, np.zeros(5), 1e-5, steps=1, contacts=wall(0.0, friction=0.0))
    assert np.allclose(finer.v[0], expected, atol=2e-5)


def test_wheels_push_against_a_wall_with_the_forces_of_their_rims() -> None:
    tau = [0.0, 0.0, 0.0, FORCE * RADIUS / 2, FORCE * RADIUS / 2]
    path = nosed(0.01).rollout(np.zeros(5), np.zeros(5), tau, 1e-3, steps=20, contacts=wall(0.0))
    assert np.allclose(path.force[-1, 0], FORCE, rtol=1e-9) and np.abs(path.v[-1]).max() < 1e-9


def test_an_arm_on_wheels_that_touches_nothing_rolls_as_without_contacts() -> None:
    robot = mount(sv.load("double_pendulum"), DRIVE, inertia=SLAB)
    hand, rng = robot.frame_names[-1], np.random.default_rng(3)
    q = rng.normal(size=5)
    v, tau = robot.rolling_velocity(q, rng.normal(size=5)), rng.normal(size=5)
    away = [Contact(hand, BALL, WALL, on_placement=Pose.translation(Vec3(50.0, 0.0, 0.0)))]
    found, plain = (robot.rollout(q, v, tau, 1e-4, steps=100, contacts=c) for c in (away, None))
    assert np.allclose(found.q, plain.q, atol=1e-6) and np.allclose(found.v, plain.v, atol=1e-4)
    assert np.abs(robot.slip(found.q, found.v)).max() < 1e-12


def test_a_cart_that_touches_nothing_keeps_its_energy() -> None:
    v = CART.rolling_velocity(np.zeros(5), np.array([1.0, 0.0, 2.0, 0.0, 0.0]))
    path = nosed(0.0).rollout(np.zeros(5), v, np.zeros(5), 1e-2, steps=100, contacts=wall(50.0))
    energy = CART.kinetic_energy(path.q, path.v)
    assert np.abs(energy / CART.kinetic_energy(np.zeros(5), v) - 1.0).max() < 1e-9
    assert np.ptp(path.v[:, 2]) > 0.1  # its centre of mass is ahead of the axle
