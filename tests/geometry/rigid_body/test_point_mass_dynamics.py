"""Particles: momentum laws along a path, and fictitious forces in a frame that moves in every way at once."""

from __future__ import annotations

import numpy as np
import pytest

from cloud import random_cloud, six, vec
from differences import derivative
from sixvec.geometry.rigid_body.point_mass import (
    MovingFrame,
    PointMass,
    PointMotion,
    fictitious_forces,
    newton,
    newton_variable_mass,
)
from sixvec.spatial import Force, Vec3
from tolerances import DIFFERENCE, ROUNDING, assert_close

FRAME = random_cloud(3)
"""Its path is the one of the moving frame."""


def path(t: float) -> np.ndarray:
    """Where the particle is, as seen in the moving frame."""
    return np.array([np.sin(2.0 * t), 0.3 + t * t, np.cos(t)])


def in_world(t: float) -> np.ndarray:
    X = FRAME.pose(t)
    return np.array([*(X * vec(path(t)))])


def rates(f: object) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative at zero."""
    return derivative(f), derivative(lambda t: derivative(lambda s: f(t + s)))


def moving_frame() -> MovingFrame:
    def rotation(t: float) -> np.ndarray:
        return np.array([[*row] for row in FRAME.pose(t).rot.matrix.rows])

    def ang_velocity(t: float) -> np.ndarray:
        W = derivative(lambda s: rotation(t + s)) @ rotation(t).T
        return np.array([W[2, 1], W[0, 2], W[1, 0]])

    v, a = rates(lambda t: np.array([*FRAME.pose(t).pos]))
    return MovingFrame(FRAME.pose(0.0), vec(ang_velocity(0.0)), vec(derivative(ang_velocity)), vec(v), vec(a))


def point(f: object) -> PointMotion:
    v, a = rates(f)
    return PointMotion(vec(f(0.0)), vec(v), vec(a))


@pytest.mark.covers("BODY-19", "Bruyninckx (4.37)-(4.39)")
def test_relative_kinematics_by_differences() -> None:
    outside = moving_frame().from_inside(point(path))
    expected = point(in_world)
    for name in ("position", "velocity", "acceleration"):
        assert_close([*getattr(outside, name)], [*getattr(expected, name)], DIFFERENCE, batched=False)


@pytest.mark.covers("BODY-19")
def test_from_outside_undoes_from_inside() -> None:
    seen, frame = point(path), moving_frame()
    back = frame.from_outside(frame.from_inside(seen))
    for name in ("position", "velocity", "acceleration"):
        assert_close([*getattr(back, name)], [*getattr(seen, name)], ROUNDING, batched=False)


@pytest.mark.covers("BODY-19", "Bruyninckx (4.35)", "Bruyninckx (4.40)", "Bruyninckx (4.58)")
def test_newton_holds_inside_with_the_fictitious_forces() -> None:
    """m r̈ as seen inside = real force, turned into the frame, + all four fictitious ones."""
    mass, frame, seen = 1.7, moving_frame(), point(path)
    real = frame.pose.rot.inv() @ newton(mass, frame.from_inside(seen).acceleration)
    total = real + fictitious_forces(mass, frame, seen).total
    assert_close([*total], [*newton(mass, seen.acceleration)], ROUNDING, batched=False)


@pytest.mark.covers("BODY-19")
def test_merry_go_round() -> None:
    """At rest on a turntable: the centrifugal force m r ω² points outward and vanishes on the frame's own axis."""
    frame = MovingFrame(FRAME.pose(0.0), Vec3(0.0, 0.0, 3.0), Vec3.zero(), Vec3(5.0, 0.0, 0.0), Vec3.zero())
    back = frame.pose.rot.inv()
    rider = PointMotion(back @ Vec3(2.0, 0.0, 0.0), Vec3.zero(), Vec3.zero())
    forces = fictitious_forces(4.0, frame, rider)
    outward = frame.pose.rot @ forces.centrifugal
    assert_close([*outward], [4.0 * 2.0 * 9.0, 0.0, 0.0], ROUNDING, batched=False)
    assert_close([*forces.total], [*forces.centrifugal], ROUNDING, batched=False)
    on_axis = PointMotion(back @ Vec3(0.0, 0.0, 7.0), Vec3.zero(), Vec3.zero())
    assert max(abs(x) for x in fictitious_forces(4.0, frame, on_axis).centrifugal) < 1e-12


@pytest.mark.covers("BODY-19", "Bruyninckx (4.42)", "Bruyninckx (4.45)", "Bruyninckx (4.72)")
def test_rate_of_angular_momentum_is_moment_of_force() -> None:
    """dl/dt = (r - o) × f about a resting point, and the momentum screw's rate is the wrench of the force."""
    mass, about = 1.3, Vec3(0.2, -0.4, 0.9)

    def particle(t: float) -> PointMass:
        return PointMass(mass, vec(in_world(t)), vec(derivative(lambda s: in_world(t + s))))

    now = point(in_world)
    force = newton(mass, now.acceleration)
    rate = derivative(lambda t: np.array([*particle(t).angular_momentum(about)]))
    assert_close(rate, [*(now.position - about).cross(force)], 1e-7, batched=False)
    screw_rate = derivative(lambda t: six(particle(t).momentum_screw))
    assert_close(screw_rate, six(Force.at_point(force, now.position)), 1e-7, batched=False)
    assert particle(0.0).kinetic_energy == pytest.approx(0.5 * mass * now.velocity.dot(now.velocity), rel=1e-12)


@pytest.mark.covers("BODY-19", "Bruyninckx (4.36)")
def test_variable_mass_is_the_rate_of_momentum() -> None:
    now = point(in_world)
    momentum = derivative(lambda t: (2.0 + 0.5 * t) * derivative(lambda s: in_world(t + s)))
    assert_close([*newton_variable_mass(2.0, 0.5, now.velocity, now.acceleration)], momentum, 1e-7, batched=False)
