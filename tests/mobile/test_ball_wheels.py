"""Platforms on driven balls: rates and motions against the ball as a rigid body in space."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ModelError
from sixvec.geometry.rigid_body import Sphere
from sixvec.mobile import BallWheel, FixedWheel, Platform, mount, wheeled_robot
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Planar
from sixvec.spatial import RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(3)
RADIUS, MASS = 0.08, 1.5
PLACES = [(0.3, 0.0, 0.2), (-0.15, 0.26, 2.3), (-0.15, -0.26, 4.4)]
BODY_MASS, CENTRE, YAW = 20.0, (0.04, -0.03), 0.8
BODY = RigidInertia.from_center_of_mass(BODY_MASS, Vec3(*CENTRE, 0.1), Sym3.diagonal(0.5, 0.5, YAW))
BASE = Platform([BallWheel(x, y, h, radius=RADIUS, name=n) for (x, y, h), n in zip(PLACES, "abc", strict=True)])
WEST_ASADA = Platform([BallWheel(x, y, h, radius=RADIUS, across=False) for x, y, h in PLACES])
UP = np.array([0.0, 0.0, 1.0])


def ball_rates(twist: np.ndarray) -> np.ndarray:
    """How fast each ball turns about the axis of each roller: its contact with the ground has no velocity."""
    rates = []
    for x, y, heading in PLACES:
        centre = np.array([twist[1], twist[2], 0.0]) + np.cross(twist[0] * UP, [x, y, 0.0])
        spin = np.cross(UP, centre) / RADIUS  # the horizontal part; the contact is at -R UP
        assert np.allclose(centre + np.cross(spin, -RADIUS * UP), 0.0)
        for a in (heading, heading + math.pi / 2):
            point = np.array([math.cos(a), math.sin(a), 0.0])  # where the roller touches the equator
            downwards = -np.cross(spin, point) @ UP  # of the surface there, per metre of the radius
            rates.append(downwards)
    return np.array(rates)


def newton_euler(twist: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """The acceleration of (ω, vx, vy), from the equations of every body: unknowns are all accelerations and forces.

    Per ball: its spin's acceleration (3), the force of the ground in the plane (2), that of the platform (2) and the
    moment of the platform about the vertical.
    """
    inertia, n = 0.4 * MASS * RADIUS**2, 3 + 8 * len(PLACES)
    A, b = np.zeros((n, n)), np.zeros(n)
    omega, row = twist[0], 3
    J = np.array([[-CENTRE[1], 1.0, 0.0], [CENTRE[0], 0.0, 1.0]])

    def carried(p: np.ndarray) -> np.ndarray:  # the part of the acceleration of a point that the velocity gives
        u = twist[1:] + omega * np.array([-p[1], p[0]])
        return omega * np.array([-u[1], u[0]])

    A[0, 0] = YAW
    A[:3, :3] += BODY_MASS * J.T @ J  # moments about the origin, then forces
    b[:3] = wrench - BODY_MASS * J.T @ carried(np.array(CENTRE))
    for k, (x, y, _) in enumerate(PLACES):
        c = 3 + 8 * k
        spin, ground, push, moment = slice(c, c + 3), slice(c + 3, c + 5), slice(c + 5, c + 7), c + 7
        P, p = np.array([[-y, 1.0, 0.0], [x, 0.0, 1.0]]), np.array([x, y])
        A[:3, push] += P.T  # reaction of the platform's force on the ball
        A[0, moment] += 1.0
        # the ball: m u' = ground + push;  I spin' = (-R up) x ground + moment up
        A[row : row + 2, :3], A[row : row + 2, ground], A[row : row + 2, push] = MASS * P, -np.eye(2), -np.eye(2)
        b[row : row + 2] = -MASS * carried(p)
        A[row + 2 : row + 5, spin] = inertia * np.eye(3)
        A[row + 2, ground.start + 1], A[row + 3, ground.start] = -RADIUS, RADIUS  # -(-R up x f)
        A[row + 4, moment] = -1.0
        # it rolls:  u' + spin' x (-R up) = 0, and turns with the platform
        A[row + 5 : row + 7, :3] = P
        A[row + 5, spin.start + 1], A[row + 6, spin.start] = -RADIUS, RADIUS
        b[row + 5 : row + 7] = -carried(p)
        A[row + 7, spin.start + 2], A[row + 7, 0] = 1.0, -1.0
        row += 8
    return np.linalg.solve(A, b)[:3]


@pytest.mark.covers("MOB-17")
def test_balls_turn_as_rigid_balls_that_roll() -> None:
    twists = RNG.normal(size=(50, 3))
    expected = np.array([ball_rates(t) for t in twists])
    assert np.allclose(BASE.inverse_velocity(twists).rates, expected, atol=1e-12)
    assert np.allclose(BASE.forward_velocity(expected).twist, twists, atol=1e-12)
    driven = WEST_ASADA.inverse_velocity(twists)
    assert np.allclose(driven.rates, expected[:, ::2], atol=1e-12)
    assert np.allclose(WEST_ASADA.forward_velocity(driven.rates).twist, twists, atol=1e-12)
    assert (BASE.kind.mobility, BASE.kind.constraints, BASE.kind.holonomic) == (3, 0, True)
    assert BASE.rate_names[:2] == ("a: along", "a: across")


@pytest.mark.covers("MOB-17")
def test_a_platform_accelerates_as_with_all_its_rigid_balls() -> None:
    inertia = BODY
    for x, y, h in PLACES:
        inertia = inertia + BallWheel(x, y, h, radius=RADIUS).rolling_inertia(MASS)
    robot = sv.Robot(Model("cart", (Body("cart", joint=Planar(), inertia=inertia),), (Frame("cart", "cart"),)))
    for _ in range(5):
        twist, wrench = RNG.normal(size=3), RNG.normal(size=3)
        a = robot.forward_dynamics(np.zeros(3), twist[[1, 2, 0]], wrench[[1, 2, 0]])
        turning = np.array([a[2], a[0] + twist[0] * twist[2], a[1] - twist[0] * twist[1]])  # in the cart's axes
        assert np.allclose(turning, newton_euler(twist, wrench), atol=1e-10)


def test_a_ball_carries_once() -> None:
    cart = mount(sv.load("planar_2r"), BASE, inertia=BODY)
    support = cart.support(np.zeros(cart.nq))
    assert support.names == ("a", "b", "c")
    weight = 9.81 * (BODY_MASS + sv.load("planar_2r").mass)
    assert np.isclose(support.loads.sum(), weight)
    effort = cart.inverse_force(np.zeros(cart.nq), {"tip": [0.0, 0.0, 0.0, 4.0, 3.0, 0.0]})
    ground = np.hypot(effort.wheel_forces[0::2], effort.wheel_forces[1::2])
    assert np.allclose(effort.grip, ground / effort.support.loads)


def test_platforms_on_balls_are_values() -> None:
    assert pickle.loads(pickle.dumps(BASE)) == BASE and Platform(BASE.wheels) == Platform(BASE.wheels)
    shapes = [g.shape for g in mount(sv.load("planar_2r"), BASE, inertia=BODY).model.geoms]
    assert sum(isinstance(s, Sphere) and s.radius == RADIUS for s in shapes) == 3
    support = Platform([FixedWheel(0.0, 0.2, radius=0.1), BallWheel(0.2, 0.0, radius=0.05, driven=False, name="ball")])
    assert support.rate_names == ("wheel0",) and support.line_names == ("wheel0: rim", "wheel0: sideways")


def test_mistakes() -> None:
    with pytest.raises(ModelError, match="radius"):
        BallWheel(0.0, 0.0, radius=-1.0)
    with pytest.raises(ModelError, match="across must be True or False"):
        BallWheel(0.0, 0.0, radius=1.0, across=0.5)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="degrees"):
        BallWheel(0.0, 0.0, 90.0, radius=1.0)
    with pytest.raises(ModelError, match="several wheels"):
        Platform([BallWheel(0.0, 0.0, radius=1.0, name="a"), BallWheel(1.0, 0.0, radius=1.0, name="a")])
    with pytest.raises(ModelError, match='the ball "a"'):
        wheeled_robot(BASE, BODY, MASS)
    with pytest.raises(ModelError, match="mass of wheel"):
        BallWheel(0.0, 0.0, radius=1.0, name="c").rolling_inertia(0.0)
