"""Least slip: one rule for designs and states, for platforms, arms on them, and dynamics."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ModelError
from sixvec.mobile import FixedWheel, Platform, SteeredWheel, mount, wheeled_robot
from sixvec.mobile.least_slip import SLIPLESS, WheelLayout, free_motions
from sixvec.mobile.platform_robot import PlatformRobot
from sixvec.spatial import RigidInertia, Sym3, Vec3

ARM = sv.load("planar_2r")
SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
SWERVE = sv.mobile.swerve(0.6, 0.4, 0.05)
PATTERN = np.array([1.0, -2.0, 3.0, 5.0])
NOISE = (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


def drive(turn: float, track: float, origin: Any, digits: int | None, scale: float = 1.0) -> Platform:
    """A differential drive in a frame of any place and heading, its dimensions rounded."""
    c, s = math.cos(turn), math.sin(turn)
    rounded = (lambda x: float(x)) if digits is None else (lambda x: round(float(x), digits))
    places = [(origin[0] - s * y, origin[1] + c * y) for y in (track / 2, -track / 2)]
    return Platform(
        [FixedWheel(*(scale * rounded(x) for x in p), rounded(turn), radius=0.1, name=n) for p, n in zip(places, "lr")]
    )


@pytest.mark.covers("MOB-01")
@pytest.mark.parametrize("seed", range(40))
def test_a_drive_with_rounded_dimensions_is_a_drive(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn, track, origin = rng.uniform(-3.0, 3.0), rng.uniform(0.3, 1.5), rng.uniform(-1.0, 1.0, 2)
    exact = drive(turn, track, origin, None)
    for scale in (1.0, 1e-3, 1e3):
        rounded = drive(turn, track, origin, 6, scale)
        assert str(rounded.kind) == "type (2, 0): 1 constraint, 1 of them nonholonomic"
        assert len(rounded.operators) == 2 and rounded.controllability()
    rounded = drive(turn, track, origin, 6)
    twist, rates = rng.normal(size=3), rng.normal(size=2)
    assert np.allclose(rounded.filter(twist), exact.filter(twist), atol=1e-4)
    robots = [mount(ARM, p, np.eye(4), inertia=SLAB) for p in (rounded, exact)]
    q = rng.normal(size=5)
    maps = [r.input_map(q) for r in robots]
    assert np.allclose(*maps, atol=1e-4) and np.abs(maps[0]).max() < 10.0
    tau = rng.normal(size=5)
    v = maps[1] @ [*rates, 0.0, 0.0]
    starts = [r.rolling_velocity(q, v) for r in robots]
    a = [r.forward_dynamics(q, x, tau) for r, x in zip(robots, starts, strict=True)]
    assert np.allclose(*a, rtol=1e-4, atol=1e-4 * np.abs(a[1]).max())
    solid = [wheeled_robot(p, SLAB, 1.0) for p in (rounded, exact)]
    a = [r.forward_dynamics(np.zeros(5), np.zeros(5), tau) for r in solid]
    assert np.allclose(*a, rtol=1e-4, atol=1e-4 * np.abs(a[1]).max())


@pytest.mark.covers("MOB-01")
@pytest.mark.parametrize("off", [1e-12, 3e-9, 1e-7])
def test_kind_and_operators_do_not_depend_on_the_last_digits(off: float) -> None:
    for wheels in (
        [(0.0, 0.25, off), (0.0, -0.25, 0.0)],
        [(off, 0.25, 0.0), (0.0, -0.25, 0.0)],
        [(0.0, 0.25, off), (0.0, 0.0, -off), (0.0, -0.25, 0.0)],
    ):
        base = Platform([FixedWheel(*w, radius=0.1) for w in wheels])
        assert (base.kind.mobility, base.kind.nonholonomic) == (2, 1) and list(base.operators) == ["drive", "rotate"]
        assert base.controllability()
        motion = base.forward_velocity(np.ones(len(wheels)))
        assert 0.0 < motion.residual < 1e-6  # what is below the tolerance is still slip


def test_above_the_tolerance_a_platform_is_what_its_numbers_say() -> None:
    base = Platform([FixedWheel(0.0, 0.25, 1e-4, radius=0.1), FixedWheel(0.0, -0.25, radius=0.1)])
    assert (base.kind.mobility, base.kind.nonholonomic) == (1, 0) and not base.controllability()
    with pytest.raises(ModelError, match=named("wheel0", "wheel1", "wheel2")):
        Platform([FixedWheel(0.0, y, h, radius=0.1) for y, h in ((0.3, 1e-4), (0.0, -1e-4), (-0.3, 0.0))])


@pytest.mark.parametrize("off", [(1e-5, 0.0), (3e-6, 0.0), (0.0, 1e-5), (1e-4, -1e-4), (1e-3, 1e-3), (0.02, 0.0)])
def test_dynamics_hold_what_the_kind_holds_and_nothing_between(off: tuple[float, float]) -> None:
    """However little the axles are off, beyond the tolerance: neither turning nor half turning."""
    x, heading = off
    base = Platform([FixedWheel(x, 0.25, heading, radius=0.1), FixedWheel(0.0, -0.25, radius=0.1)])
    assert base.kind.mobility == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the motion that nearly rolls
        robot = mount(ARM, base, np.eye(4), inertia=SLAB)
    q, still = np.array([0.3, -0.2, 0.7, 0.4, 0.9]), np.zeros(robot.nv)
    tau = np.array([0.0, 0.0, 10.0, 0.0, 0.0])
    turn, ahead, side = np.linalg.svd(base.lateral_lines())[2][-1]  # the motion that the axles as they are allow
    c, s = math.cos(q[2]), math.sin(q[2])
    N = np.eye(robot.nv)[:, 2:]
    N[:3, 0] = c * ahead - s * side, s * ahead + c * side, turn
    M, free = robot.mass_matrix(q), tau - robot.bias_forces(q, still)
    expected = N @ np.linalg.solve(N.T @ M @ N, N.T @ free)
    for method in ("kkt", "recursion"):
        found = robot.constrained_dynamics(q, still, tau, method=method)
        assert found.a == pytest.approx(expected, rel=1e-6, abs=1e-8) and found.residual < 1e-8
    v = robot.rolling_velocity(q, np.ones(robot.nv))
    assert np.abs(v - N @ np.linalg.lstsq(N, v, rcond=None)[0]).max() < 1e-8
    path = robot.rollout(q, v, tau, 1e-3, steps=200)
    assert path and np.abs(path.v[:, 2]).max() < 10.0 * abs(turn) + 1e-6


@pytest.mark.parametrize("digits", [3, 4])
def test_motions_that_nearly_roll_are_named_where_dynamics_hold_them(digits: int) -> None:
    """A differential drive in a turned frame, with places rounded to millimetres, cannot turn; six digits can."""

    def drive(digits: int) -> Platform:
        places = [(-y * math.sin(0.3), y * math.cos(0.3)) for y in (0.25, -0.25)]
        return Platform([FixedWheel(round(x, digits), round(y, digits), 0.3, radius=0.1) for x, y in places])

    with pytest.warns(UserWarning, match=r"slips by 0\.0\d+ %"):
        mount(ARM, drive(digits), np.eye(4), inertia=SLAB)
    mount(ARM, drive(6), np.eye(4), inertia=SLAB)


@pytest.mark.covers("Bruyninckx (9.14)")
def test_the_rule_depends_on_neither_frame_nor_unit() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        wheels = rng.normal(size=(4, 3))
        turn, shift, scale = rng.uniform(-3, 3), rng.normal(size=2) * 5.0, 10.0 ** rng.uniform(-4, 4)
        c, s = math.cos(turn), math.sin(turn)
        found = []
        for moved in (False, True):
            placed = [(c * x - s * y + shift[0], s * x + c * y + shift[1], h + turn) for x, y, h in wheels]
            listed = [(scale * x, scale * y, h) for x, y, h in placed] if moved else wheels
            base = Platform([SteeredWheel(x, y, h, radius=0.1) for x, y, h in listed])
            found.append(free_motions(WheelLayout.of(base), base.lateral_lines(np.zeros(4))).slip)
        assert np.allclose(*found, rtol=1e-9)
    assert SLIPLESS < 1e-5


def test_a_projector_has_scale_one() -> None:
    robot = mount(ARM, SWERVE, np.eye(4))
    twist = [0.0, 0.0, 0.0, 0.3, 0.0, 0.0]
    straight = robot.inverse_rates(np.zeros(9), twist, "tip")
    for e in NOISE:
        q = np.r_[0.0, 0.0, 0.0, e * PATTERN, 0.3, 0.4]
        N = robot.input_map(q)
        assert np.abs(N[:3, :4]).max() < 0.02
        expected = SWERVE.forward_velocity([1.0, 1.0, 1.0, 1.0], e * PATTERN).twist
        assert np.allclose(N[[2, 0, 1], :4].sum(axis=-1), expected, atol=0.2 * e + 1e-15)
        motion = robot.inverse_rates(q, twist, "tip")
        assert motion.residual < 10.0 * e + 1e-12 and np.allclose(motion.u[:4], straight.u[:4], atol=200.0 * e + 1e-9)
        assert np.allclose(motion.slip, SWERVE.lateral_lines(e * PATTERN) @ motion.v[[2, 0, 1]], atol=1e-15)
        assert np.abs(motion.slip).max() <= 5.0 * e + 1e-12


@pytest.mark.covers("MOB-16")
def test_a_noisy_swerve_accelerates_like_the_ideal_one() -> None:
    robot = mount(ARM, SWERVE, np.eye(4), inertia=SLAB, steering_inertia=0.1)
    push = np.zeros(robot.nv)
    push[0] = 60.0
    ideal = robot.constrained_dynamics(np.r_[np.zeros(7), 0.3, 0.4], np.zeros(9), push)
    assert np.isclose(ideal.a[0], 0.896164, atol=1e-6)
    for e in NOISE:
        q = np.r_[0.0, 0.0, 0.0, e * PATTERN, 0.3, 0.4]
        motion = robot.constrained_dynamics(q, np.zeros(9), push)
        assert np.allclose(motion.a, ideal.a, atol=10.0 * e + 1e-12) and np.isclose(motion.a[0], 0.896, atol=1e-3)
        assert np.abs(motion.force).max() < 100.0 * e + 1e-9
        assert motion.residual <= 2.0 * e + 1e-12 and (motion.residual > 0.1 * e or e == 0.0)


def robots(seed: int) -> tuple[Platform, PlatformRobot, list[int]]:
    """A random platform with three to five steered wheels, as a mount or with wheels that have mass."""
    rng = np.random.default_rng(seed)
    wheels: list[Any] = [
        SteeredWheel(*rng.uniform(-1.0, 1.0, 2), rng.uniform(-3.0, 3.0), radius=0.1, name=f"s{k}")
        for k in range(rng.integers(3, 6))
    ]
    if seed % 3 == 0:
        wheels.append(FixedWheel(*rng.uniform(-1.0, 1.0, 2), rng.uniform(-3.0, 3.0), radius=0.1, name="fixed"))
    base = Platform(wheels)
    if seed % 2:
        solid = wheeled_robot(base, SLAB, 1.0, 0.3)
        return base, solid, [solid.model.v_slices[f"{w.name} fork"].start for w in base.steered]
    carried = mount(ARM, base, np.eye(4), inertia=SLAB, steering_inertia=0.1)
    return base, carried, [carried.model.v_slices[f"{w.name} steer"].start for w in base.steered]


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(12))
def test_noise_of_the_steering_changes_motion_and_forces_by_as_much(seed: int) -> None:
    base, robot, steering = robots(seed)
    rng = np.random.default_rng(seed + 100)
    angles = base.inverse_velocity(base.filter(rng.normal(size=3))).steer
    q, noise = rng.normal(size=robot.nq), rng.normal(size=len(steering))
    w, tau = rng.normal(size=(2, robot.nv))
    ideal = None
    for e in (0.0, 1e-10, 1e-7, 1e-5, 1e-3):
        q[steering] = angles + e * noise
        v = robot.rolling_velocity(q, w)
        found = [robot.constrained_dynamics(q, v, tau, method=method) for method in ("kkt", "recursion")]
        a, force = found[0].a, found[0].force
        A = robot.constraint_jacobian(q, hold=robot.rolling)
        size = 1.0 + np.abs(force).max()
        assert np.allclose(found[1].a, a, rtol=1e-9, atol=1e-9 * np.abs(a).max())
        assert np.allclose(robot.mass_matrix(q) @ a + robot.bias_forces(q, v), tau + A.T @ force, atol=1e-11 * size)
        assert np.allclose(A @ a, -robot.constraint_bias(q, v, hold=robot.rolling), atol=1e-10 * size)
        assert np.abs(robot.slip(q, v)).max() < 100.0 * e * (1.0 + np.abs(v).max()) + 1e-10
        ideal = ideal or (v, a, force)
        for x, y, least in zip((v, a, force), ideal, (1e-9, 1e-9, 1e-4), strict=True):
            assert np.abs(x - y).max() <= (100.0 * e + least) * np.abs(y).max()


@pytest.mark.parametrize("seed", range(6))
def test_dynamics_and_kinematics_move_along_the_same_twist(seed: int) -> None:
    base, robot, steering = robots(2 * seed)
    rng = np.random.default_rng(seed)
    q = rng.normal(size=robot.nq)
    q[steering] = base.inverse_velocity(base.filter(rng.normal(size=3))).steer + 0.02 * rng.normal(size=len(steering))
    twist = base.rolling_twist(q[steering]).twist
    c, s = math.cos(q[2]), math.sin(q[2])
    along = np.array([c * twist[1] - s * twist[2], s * twist[1] + c * twist[2], twist[0]])
    N = robot.input_map(q)[:3, : len(base.rate_names)]  # type: ignore[attr-defined]
    v, a = robot.rolling_velocity(q, rng.normal(size=robot.nv)), robot.forward_dynamics(q, np.zeros(robot.nv), q)
    for moved in (*N.T, v[:3], a[:3]):
        assert np.abs(np.cross(moved, along)).max() < 1e-9 * np.linalg.norm(moved) * np.linalg.norm(along) + 1e-15
    rates = base.inverse_velocity(twist, q[steering]).rates
    slip = np.abs(base.rolling_twist(q[steering]).slip).max()
    assert np.allclose(base.forward_velocity(rates, q[steering]).twist, twist, atol=50.0 * slip**2)


@pytest.mark.parametrize("seed", [0, 1])
def test_derivatives_of_a_platform_with_noise_on_its_steering(seed: int) -> None:
    base, robot, steering = robots(seed)
    rng = np.random.default_rng(seed)
    q, rest, tau, h = rng.normal(size=robot.nq), np.zeros(robot.nv), rng.normal(size=robot.nv), 1e-6
    q[steering] = base.inverse_velocity(base.filter(rng.normal(size=3))).steer + 0.01 * rng.normal(size=len(steering))
    d = robot.constrained_dynamics_derivatives(q, rest, tau)
    steps = h * np.eye(robot.nv)
    columns = [robot.forward_dynamics(q + e, rest, tau) - robot.forward_dynamics(q - e, rest, tau) for e in steps]
    assert np.allclose(d.da_dq, np.array(columns).T / (2.0 * h), atol=1e-6 * np.abs(d.da_dq).max())
    v = rng.normal(size=robot.nv)
    ahead, behind = (robot.constraint_jacobian(q + s * h * v, hold=robot.rolling) @ v for s in (1, -1))
    assert np.allclose(robot.constraint_bias(q, v, hold=robot.rolling), (ahead - behind) / (2 * h), atol=1e-7)


def test_rollouts_keep_to_the_motion_with_the_least_slip() -> None:
    _, robot, steering = robots(4)
    rng = np.random.default_rng(1)
    q = rng.normal(size=robot.nq)
    q[steering] = robot.platform.inverse_velocity([0.4, 1.0, 0.2]).steer + 1e-3 * rng.normal(size=len(steering))
    v = rng.normal(size=robot.nv)
    v[steering] = 0.0
    v = robot.rolling_velocity(q, v)
    v[steering] = 0.0
    path = robot.rollout(q, v, np.zeros((100, robot.nv)), 0.002, integrator="rk4")
    rows = robot.constraint_jacobian(path.q, hold=robot.rolling)
    assert np.abs(rows @ path.v[..., None]).max() < 1e-12 and np.linalg.norm(path.v[-1, :3]) > 0.1
    energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_steered_wheels_that_cross_hold_the_platform() -> None:
    angles = [math.pi / 4, -math.pi / 4, -math.pi / 4, math.pi / 4]
    base = sv.mobile.swerve(0.5, 0.5, 0.05)
    assert base.rolling_twist(angles).residual > 0.3 and not base.filter([1.0, 1.0, 1.0], steer=angles).any()
    robot = mount(ARM, base, np.eye(4), inertia=SLAB, steering_inertia=0.1)
    q = np.r_[0.1, 0.2, 0.3, angles, 0.3, 0.4]
    assert not robot.input_map(q)[:3, :4].any()
    assert np.abs(robot.forward_dynamics(q, np.zeros(9), np.ones(9))[:3]).max() < 1e-9
