"""Spherical parallel robots: three legs of revolute joints whose axes meet, and legs around a ball joint."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from naming import named
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.parallel import UPS, SingularPose, Spherical3RRR, SphericalPlatform, quality
from sixvec.parallel.quadrics import common_points
from sixvec.spatial import RigidInertia, Sym3, Vec3

RNG = np.random.default_rng(8)
WRIST = Spherical3RRR(np.eye(3), -np.eye(3)[[1, 2, 0]], np.pi / 2, np.pi / 2)


def general(seed: int) -> tuple[Spherical3RRR, Any]:
    """A robot of seven-digit dimensions, and a pose that it reaches."""
    rng = np.random.default_rng(seed)
    while True:
        robot = Spherical3RRR(
            rng.normal(size=(3, 3)).round(7), rng.normal(size=(3, 3)).round(7),
            rng.uniform(0.7, 1.5, 3).round(7), rng.uniform(0.7, 1.6, 3).round(7),
        )  # fmt: skip
        for R in Rotation.random(30, random_state=seed).as_matrix():
            if np.isfinite(robot.inverse_position(R).q).all() and not robot.singularity(R).is_singular:
                return robot, R


@pytest.mark.covers("PAR-26")
def test_legs_hold_the_angles_between_their_axes() -> None:
    for seed in range(4):
        robot, R = general(seed)
        for mode in robot.working_modes(R).q:
            for k, (leg, (first, second)) in enumerate(zip(robot.legs, robot.angles, strict=True)):
                a, b, zero = (np.array([*x]) for x in (leg.axis, leg.platform, leg.zero))
                c = np.cos(first) * a + np.sin(first) * (np.cos(mode[k]) * zero + np.sin(mode[k]) * np.cross(a, zero))
                assert np.isclose(c @ R @ b, np.cos(second), atol=1e-12)


@pytest.mark.covers("PAR-26")
def test_the_orthogonal_wrist_has_eight_modes() -> None:
    q = WRIST.inverse_position(np.eye(3)).q
    modes = WRIST.assembly_modes(q)
    assert modes.count == 8 and modes.certified and modes.residual < 1e-12
    for R in modes.poses:
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-12 and np.isclose(np.linalg.det(R), 1.0)


@pytest.mark.covers("PAR-26")
@pytest.mark.parametrize("seed", range(4))
def test_modes_are_those_that_a_search_finds(seed: int) -> None:
    """Newton's method from many starts finds all of them and no other; other digits do not change the number."""
    robot, R = general(seed)
    q = robot.inverse_position(R).q
    modes = robot.assembly_modes(q)
    assert modes.certified and np.abs(modes.poses - R).max(axis=(1, 2)).min() < 1e-10
    starts = Rotation.random(150, random_state=3).as_matrix()
    found = robot.forward_position(q, starts)
    gaps = np.abs(found.pose[found.solved][:, None] - modes.poses).max(axis=(2, 3))
    assert gaps.min(axis=1).max() < 1e-8 and gaps.min(axis=0).max() < 1e-8
    many = robot.assembly_modes(q * (1.0 + 1e-7 * RNG.normal(size=(20, 3))))
    assert (many.count == modes.count).all() and many.certified.all()


def test_velocity_and_forces() -> None:
    robot, R = general(2)
    w, h = RNG.normal(size=3), 1e-6
    ahead, behind = (robot.inverse_position(Rotation.from_rotvec(s * h * w).as_matrix() @ R).q for s in (1, -1))
    rates = robot.inverse_velocity(R, w)
    assert np.allclose(rates, (ahead - behind) / (2 * h), atol=1e-7)
    assert np.allclose(robot.forward_velocity(R, rates), w, atol=1e-10)
    tau = RNG.normal(size=3)
    moment = robot.forward_force(R, tau)
    assert np.isclose(moment @ w, tau @ rates) and np.allclose(robot.inverse_force(R, moment), tau)
    local = robot.wrench_basis(R, reference="local")
    assert np.allclose(R @ local, robot.wrench_basis(R), atol=1e-12)


def test_singular_poses() -> None:
    """Type II by construction: the normals c × b of all legs lie in one plane, so the platform turns about z."""
    b = RNG.normal(size=(3, 3))
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    normal = np.cross([0.0, 0.0, 1.0], b)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    c = Rotation.from_rotvec(1.1 * normal).apply(b)
    across = np.cross(c, RNG.normal(size=(3, 3)))
    a = Rotation.from_rotvec(0.9 * across / np.linalg.norm(across, axis=1, keepdims=True)).apply(c)
    robot = Spherical3RRR(a, b, 0.9, 1.1)
    branches = [[int(x) for x in f"{k:03b}"] for k in range(8)]
    reports = [robot.singularity(np.eye(3), branch, tolerance=1e-8) for branch in branches]
    (singular,) = [r for r in reports if "II" in r.types]
    gained = singular.gained[:, 0] / np.linalg.norm(singular.gained)
    assert singular.rank == 2 and np.allclose(np.abs(gained), [0.0, 0.0, 1.0], atol=1e-6)
    regular, R = general(1)
    assert set(regular.assembly_modes(regular.inverse_position(R).q).labels) == {"+", "-"}


@pytest.mark.covers("PAR-26")
def test_dynamics_with_light_legs_are_eulers_equations() -> None:
    robot, R = general(0)
    light = RigidInertia.from_center_of_mass(1e-9, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(1e-10, 1e-10, 1e-10))
    about = Sym3(0.03, 0.002, -0.001, 0.04, 0.003, 0.05)
    load = RigidInertia.from_center_of_mass(1.5, Vec3(0.05, -0.1, 0.2), about)
    made = robot.robot((light, light), load, R)
    q = np.zeros(made.nq)
    assert made.nv == 7 and np.abs(made.closure_error(q)).max() < 1e-12
    assert np.allclose(made.pose(q, "platform")[:3, :3], R, atol=1e-12)
    motors = [made.joint_names.index(f"leg{k}_motor") for k in (1, 2, 3)]
    tau = np.zeros(7)
    tau[motors] = RNG.normal(size=3)
    a = made.forward_dynamics(q, np.zeros(7), tau)
    alpha = made.acceleration(q, np.zeros(7), a, "platform")[:3]
    c = R @ np.array([0.05, -0.1, 0.2])
    J = R @ np.array([[0.03, 0.002, -0.001], [0.002, 0.04, 0.003], [-0.001, 0.003, 0.05]]) @ R.T
    J = J + 1.5 * (c @ c * np.eye(3) - np.outer(c, c))
    moment = robot.forward_force(R, tau[motors]) + np.cross(c, [0.0, 0.0, -9.81 * 1.5])
    assert np.allclose(alpha, np.linalg.solve(J, moment), rtol=1e-5, atol=1e-5)


def test_three_quadrics_in_general_position() -> None:
    Q = RNG.normal(size=(50, 3, 4, 4))
    p, error = common_points(Q + np.swapaxes(Q, -1, -2))
    assert p.shape == (50, 8, 4) and np.median(error) < 1e-14 and (error.max(axis=-1) < 1e-8).mean() > 0.95


def test_axes_of_a_drawing_meet() -> None:
    """Points with seven decimals, and one point for all axes; a tenth of a millimetre is too much."""
    axes = RNG.normal(size=(3, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    points = [1.0, 2.0, 3.0] + np.array([[0.3], [0.5], [-0.4]]) * axes
    for drawn in (np.round(points, 7), np.tile([1.0, 2.0, 3.0], (3, 1))):
        Spherical3RRR(axes, np.eye(3), 1.5, 1.5, base_points=drawn)
    with pytest.raises(ArgumentError, match=named("base")):
        Spherical3RRR(axes, np.eye(3), 1.5, 1.5, base_points=points + 1e-4 * np.eye(3)[[1, 2, 0]])


def test_a_mistake_is_named() -> None:
    points = np.eye(3)
    Spherical3RRR(np.eye(3), np.eye(3)[::-1], 1.5, 1.5, base_points=points)
    with pytest.raises(ArgumentError, match=named("base")):
        Spherical3RRR(
            np.eye(3), np.eye(3)[::-1], 1.5, 1.5, base_points=points + 0.1 * np.eye(3)[[1, 1, 1]] * [[1], [0], [0]]
        )
    with pytest.raises(ArgumentError, match=named("platform")):
        Spherical3RRR(np.eye(3), np.eye(3), 1.5, 1.5, platform_points=np.roll(np.eye(3), 1, axis=0) * 0.3)
    with pytest.raises(ShapeError, match="three legs"):
        Spherical3RRR(np.eye(4), np.eye(3), 1.5, 1.5)
    with pytest.raises(ArgumentError, match=r"distal\[1\] is 4"):
        Spherical3RRR(np.eye(3), np.eye(3), 1.5, [1.0, 4.0, 1.0])
    with pytest.raises(ArgumentError, match=named("inverse_position", "X")):
        WRIST.inverse_position(2.0 * np.eye(3))
    with pytest.raises(ArgumentError, match=r"robot\(leg_inertias"):
        WRIST.dynamics(None, None)


def test_batches_and_samples_that_are_not_finite() -> None:
    q = np.array([[3.0, -1.5, -1.6], [np.nan, 0.0, 0.0], [3.1, -1.4, -1.5]])
    modes = WRIST.assembly_modes(q)
    assert modes.count[1] == 0 and not modes.certified[1] and modes.count[0] == WRIST.assembly_modes(q[0]).count
    assert WRIST.assembly_modes(q[:0]).count.shape == (0,)
    again = pickle.loads(pickle.dumps(WRIST))
    assert again.assembly_modes(q[0]).count == modes.count[0]


def telescopes(seed: int, legs: int = 3) -> tuple[SphericalPlatform, Any]:
    """Telescopes of seven-digit dimensions around a ball joint, and a pose away from singularities."""
    rng = np.random.default_rng(seed)
    while True:
        robot = SphericalPlatform(
            [
                UPS(base=Vec3(*rng.normal(size=3).round(7)), platform=Vec3(*rng.normal(size=3).round(7)))
                for _ in range(legs)
            ]
        )
        R = Rotation.random(random_state=seed).as_matrix()
        if robot.singularity(R).distance > 0.05:
            return robot, R


@pytest.mark.covers("PAR-26")
@pytest.mark.parametrize("seed", range(4))
def test_modes_around_a_ball_joint_are_those_that_a_search_finds(seed: int) -> None:
    robot, R = telescopes(seed)
    q = np.asarray(robot.inverse_position(R))
    modes = robot.assembly_modes(q)
    assert modes.certified and np.abs(modes.poses - R).max(axis=(1, 2)).min() < 1e-9
    found = robot.forward_position(q, Rotation.random(200, random_state=5).as_matrix())
    gaps = np.abs(found.pose[found.solved][:, None] - modes.poses).max(axis=(2, 3))
    assert gaps.min(axis=1).max() < 1e-8 and gaps.min(axis=0).max() < 1e-8
    for X in modes.poses:
        lengths = np.linalg.norm(robot.platform @ X.T - robot.roots, axis=-1)
        assert np.allclose(lengths, q, atol=1e-10)
    many = robot.assembly_modes(q * (1.0 + 1e-7 * RNG.normal(size=(20, 3))))
    assert (many.count == modes.count).all() and many.certified.all()


@pytest.mark.covers("PAR-26")
def test_a_fourth_leg_leaves_one_mode_and_an_internal_force() -> None:
    robot, R = telescopes(7, legs=4)
    q = np.asarray(robot.inverse_position(R))
    modes = robot.assembly_modes(q)
    assert modes.count == 1 and np.allclose(modes.poses[0], R, atol=1e-9)
    moment = RNG.normal(size=3)
    tau = robot.inverse_force(R, moment)
    assert np.allclose(robot.forward_force(R, tau), moment)
    (inside,) = robot.internal_forces(R).T
    assert np.allclose(robot.forward_force(R, inside), 0.0, atol=1e-12)


@pytest.mark.covers("PAR-26")
def test_dynamics_around_a_ball_joint_with_light_legs_are_eulers_equations() -> None:
    robot, R = telescopes(1)
    light = RigidInertia.from_center_of_mass(1e-9, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(1e-10, 1e-10, 1e-10))
    mass, centre = 1.5, np.array([0.05, -0.1, 0.2])
    about = np.array([[0.03, 0.002, -0.001], [0.002, 0.04, 0.003], [-0.001, 0.003, 0.05]])
    load = RigidInertia.from_center_of_mass(mass, Vec3(*centre), Sym3(0.03, 0.002, -0.001, 0.04, 0.003, 0.05))
    dynamics = robot.dynamics((light, light), load, R)
    w, tau, c = RNG.normal(size=3), RNG.normal(size=3), R @ centre
    J = R @ about @ R.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
    moment = robot.forward_force(R, tau) + np.cross(c, [0.0, 0.0, -9.81 * mass])
    alpha = np.linalg.solve(J, moment - np.cross(w, J @ w))
    assert np.allclose(dynamics.forward_dynamics(R, w, tau), alpha, atol=1e-6)
    made = dynamics.robot
    assert made.nq == 4 + 9 and np.allclose(made.pose(dynamics.position(R), "platform")[:3, :3], R, atol=1e-12)


def test_a_leg_at_the_ball_joint_holds_nothing() -> None:
    legs = telescopes(0)[0].legs
    with pytest.raises(DegenerateError, match=named("leg 2")):
        SphericalPlatform([*legs[:2], UPS(base=Vec3(1.0, 0.0, 0.0), platform=Vec3.zero())])
    aligned = [UPS(base=leg.base, platform=Vec3(0.0, 0.0, 1.0 + k)) for k, leg in enumerate(legs)]
    with pytest.raises(DegenerateError, match=named("platform")):  # on one line with the ball joint
        SphericalPlatform(aligned)
    beside = [UPS(base=leg.base, platform=Vec3(0.7, 0.0, 1.0 + k)) for k, leg in enumerate(legs)]
    assert SphericalPlatform(beside).singularity(np.eye(3)).rank == 3


@pytest.mark.parametrize("legs", [3, 4])
def test_legs_that_point_at_the_ball_joint_hold_no_moment(legs: int) -> None:
    """At the identity all legs are as short as they can be: an eightfold solution, and no other."""
    points = np.random.default_rng(0).normal(size=(legs, 3))
    robot = SphericalPlatform([UPS(base=Vec3(*p), platform=Vec3(*(0.5 * p))) for p in points])
    report = robot.singularity(np.eye(3))
    assert report.types == ("II",) and report.rank == 0
    with pytest.warns(SingularPose):
        assert np.isnan(robot.forward_velocity(np.eye(3), np.ones(legs))).all()
    with pytest.warns(SingularPose):
        assert np.isnan(robot.inverse_force(np.eye(3), [1.0, 0.0, 0.0])).all()
    if legs == 3:
        modes = robot.assembly_modes(np.asarray(robot.inverse_position(np.eye(3))))
        assert modes.count == 1 and not modes.certified and np.allclose(modes.poses[0], np.eye(3), atol=1e-4)
        near = Rotation.from_rotvec([0.02, 0.01, 0.03]).as_matrix()
        assert np.isfinite(robot.inverse_force(near, [1.0, 0.0, 0.0])).all()


def test_modes_at_a_singular_pose_are_listed_once() -> None:
    """A double solution: seven poses, by the search that completes an uncertain list."""
    feet = [[1.0, 0.0, -1.0], [-0.5, 0.9, -1.0], [-0.5, -0.9, -1.0]]
    pivots = [[0.6, 0.0, 0.5], [-0.3, 0.5, 0.5], [-0.3, -0.5, 0.5]]
    robot = SphericalPlatform([UPS(base=a, platform=b) for a, b in zip(feet, pivots, strict=True)])
    q = np.asarray(robot.inverse_position(np.eye(3)))
    assert robot.singularity(np.eye(3)).types == ("II",)
    modes = robot.assembly_modes(q)
    assert modes.count == 7 and not modes.certified and modes.residual < 1e-9
    far = np.abs(modes.poses - np.eye(3)).max(axis=(1, 2))
    assert (far < 1e-4).sum() == 1


def test_quality_is_that_of_rotations() -> None:
    robot, R = telescopes(2)
    G, k = robot.wrench_basis(R), np.array([100.0, 200.0, 300.0])
    found = quality(robot, R, stiffness=k)
    assert np.isclose(found.accuracy, np.linalg.norm(np.linalg.inv(G.T), 2))
    assert np.isclose(found.stiffness, np.linalg.eigvalsh(G @ np.diag(k) @ G.T)[0])
    values = np.linalg.svd(G, compute_uv=False)
    assert np.isclose(found.dexterity, values[-1] / values[0])
    assert quality(WRIST, np.eye(3)).dexterity > 0.5
