"""Coulomb friction in rollouts: below its limit it holds, above it brakes, and it never drives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.model import Body, JointDynamics, Mimic, Model
from sixvec.model.joints import Prismatic
from sixvec.sim import INTEGRATORS
from sixvec.sim.friction import LARGEST_SOLVED, friction_limits, friction_within
from sixvec.spatial import RigidInertia, Sym3, Vec3

DT = 0.01
SLIDER = Body(
    "slider", None, Prismatic(Vec3(1.0, 0.0, 0.0)),
    inertia=RigidInertia.from_center_of_mass(2.0, Vec3.zero(), Sym3.zero()), dynamics=JointDynamics(friction=(3.0,)),
)  # fmt: skip

every_integrator = pytest.mark.parametrize("integrator", sorted(INTEGRATORS))


def with_friction(robot: Robot, friction: float, **more: tuple[float, ...]) -> Robot:
    bodies = (
        replace(b, dynamics=JointDynamics(friction=(friction,) * b.joint.nv, **more)) if b.joint.nv else b
        for b in robot.model.bodies
    )
    return Robot(replace(robot.model, bodies=tuple(bodies)))


@every_integrator
@pytest.mark.covers("MODEL-01")
def test_a_push_below_the_limit_moves_nothing(integrator: str) -> None:
    slider = Robot(Model("slider", (SLIDER,)))
    for push in (2.9, -2.9, 3.0):
        path = slider.rollout([0.2], [0.0], np.full((1000, 1), push), DT, passive=True, integrator=integrator)
        assert np.abs(path.q - 0.2).max() < 1e-13
        assert np.abs(path.v).max() < 1e-13


@every_integrator
def test_above_the_limit_the_excess_accelerates_and_then_friction_stops_it(integrator: str) -> None:
    slider = Robot(Model("slider", (SLIDER,)))
    forces = np.concatenate([np.full((100, 1), 5.0), np.zeros((200, 1))])
    path = slider.rollout([0.0], [0.0], forces, DT, passive=True, integrator=integrator)
    assert path.v[99] == pytest.approx(1.0, rel=1e-12)  # (5 - 3) / 2 · 1 s
    assert path.v[132] == pytest.approx(1.0 - 1.5 * 0.33, rel=1e-12)
    assert path.v[166:] == pytest.approx(0.0, abs=1e-13)  # 1 / 1.5 s later it stands
    assert np.ptp(path.q[167:]) < 1e-12
    way = 0.5 + 0.5 / 1.5
    assert path.q[-1, 0] == pytest.approx(way, abs=0.02)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_an_arm_stands_where_friction_bears_its_weight(integrator: str) -> None:
    """Seven coupled joints under gravity, each limit above its load: nothing moves, not a nanoradian."""
    panda = sixvec.load("panda")
    q = panda.random(0)
    load = float(np.abs(panda.gravity_forces(q)).max())
    stiff = with_friction(panda, 1.01 * load)
    path = stiff.rollout(q, np.zeros(7), np.zeros((200, 7)), 0.002, passive=True, integrator=integrator)
    assert np.abs(path.q - q).max() < 1e-12
    assert np.abs(path.v).max() < 1e-12


def test_some_joints_slide_while_others_stand() -> None:
    """The complementarity, joint by joint, at every step of an arm that falls: stands within its limit, or slides."""
    panda = sixvec.load("panda")
    q = panda.random(0)
    arm = with_friction(panda, 0.35 * float(np.abs(panda.gravity_forces(q)).max()))
    f, dt = np.array([b.dynamics.friction[0] for b in arm.model.moving]), 0.001
    path = arm.rollout(q, np.zeros(7), np.zeros((300, 7)), dt, passive=True, integrator="semi_implicit_euler")
    before_q, before_v = np.vstack([q[None], path.q[:-1]]), np.vstack([np.zeros((1, 7)), path.v[:-1]])
    # The friction that the step shows:  M (v₁ - v) / h = τ_other + φ.
    phi = np.einsum("nij,nj->ni", arm.mass_matrix(before_q), (path.v - before_v) / dt) + arm.bias_forces(
        before_q, before_v
    )
    assert (np.abs(phi) <= f * (1.0 + 1e-9)).all()
    sliding = np.abs(path.v) > 1e-10
    assert sliding.any(axis=0).any() and not sliding.all()
    assert np.abs(phi + f * np.sign(path.v))[sliding].max() < 1e-6 * f.max()
    power = (phi * path.v).sum(axis=1)
    assert power.max() < 1e-9


@every_integrator
def test_friction_only_ever_takes_energy(integrator: str) -> None:
    arm = with_friction(sixvec.load("planar_2r"), 5.0).with_gravity([0.0, 0.0, 0.0])
    free = Robot(replace(arm.model, bodies=tuple(replace(b, dynamics=JointDynamics()) for b in arm.model.bodies)))
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 20, 2))
    path = arm.rollout(q, v, np.zeros((20, 400, 2)), 0.005, passive=True, integrator=integrator)
    energy = arm.kinetic_energy(path.q, path.v)
    step = free.rollout(path.q[:, :-1], path.v[:, :-1], np.zeros((20, 399, 1, 2)), 0.005, integrator=integrator)
    without = free.kinetic_energy(step.q[:, :, 0], step.v[:, :, 0])
    assert (energy[:, 1:] <= without + 1e-9 + 1e-3 * 0.005 * energy[:, :-1]).all()
    assert np.abs(path.v[:, -1]).max() < 1e-12  # all stand in the end


def test_a_driven_joint_has_no_friction_to_feel_and_a_follower_lends_its_own() -> None:
    cart = with_friction(sixvec.load("cart_pole"), 0.5)
    path = cart.rollout([0.0, 0.1], [0.0, 0.0], np.full((50, 2), [0.3, 0.0]), DT, passive=True, prescribed=(0,))
    assert path.v[-1, 0] == pytest.approx(0.3 * 0.5, rel=1e-12)
    pair = (SLIDER, replace(SLIDER, name="other", mimic=Mimic("slider", -2.0)))
    both = Robot(Model("pair", pair))  # the limit is 3 + 2 · 3
    held = both.rollout([0.0], [0.0], np.full((100, 1), 8.9), DT, passive=True)
    assert np.abs(held.q).max() < 1e-13
    slid = both.rollout([0.0], [0.0], np.full((100, 1), 10.0), DT, passive=True)
    assert slid.v[-1, 0] == pytest.approx((10.0 - 9.0) / (2.0 + 4.0 * 2.0), rel=1e-12)


def missed(K: np.ndarray, b: np.ndarray, limit: np.ndarray) -> float:
    """How far the conditions of the optimum are from holding; the limits hold in any case, and energy is taken."""
    x = np.array(friction_within(K.tolist(), b.tolist(), limit.tolist()), float)
    assert (np.abs(x) <= limit).all()
    assert float(b @ x + 0.5 * x @ K @ x) <= 0.0
    slope = b + K @ x
    miss = np.where(x >= limit, np.maximum(slope, 0.0), np.where(x <= -limit, np.minimum(slope, 0.0), slope))
    return float(np.abs(miss).max() / np.abs(b).max())


def test_the_least_within_limits_of_an_arm() -> None:
    panda, rng = sixvec.load("panda"), np.random.default_rng(1)
    for q in panda.random(rng, 100):
        K, b = np.linalg.inv(panda.mass_matrix(q)), rng.normal(size=7)
        limit = rng.uniform(0.0, 2.0, 7) * np.abs(np.linalg.solve(K, b))
        assert missed(K, b, limit) < 1e-9


def test_the_least_within_limits_of_worse_matrices() -> None:
    rng, misses = np.random.default_rng(1), []
    for _ in range(200):
        n = int(rng.integers(1, 8))
        root = rng.normal(size=(n, n)) * np.logspace(0, 1.5, n)
        K = root @ root.T + 1e-3 * np.eye(n)
        misses.append(missed(K, rng.normal(size=n) * 5.0, rng.uniform(0.0, 2.0, n) / np.sqrt(np.diag(K)) + 1e-6))
    assert np.mean(np.array(misses) < 1e-9) > 0.97


def test_limits_of_followers_are_added_to_those_of_leaders_with_any_sign() -> None:
    pair = (SLIDER, replace(SLIDER, name="other", mimic=Mimic("slider", -2.0)))
    smooth = replace(SLIDER, name="smooth", dynamics=JointDynamics())
    assert friction_limits(Model("pair", pair)) == (9.0,)
    assert friction_limits(Model("mixed", (SLIDER, smooth, replace(SLIDER, name="third")))) == (3.0, 0.0, 3.0)
    assert friction_limits(Model("mixed", (*pair, smooth))) == (9.0, 0.0)


@pytest.mark.parametrize("n", [1, 2, 4, LARGEST_SOLVED, LARGEST_SOLVED + 1])
def test_sticking_joints_are_solved_exactly(n: int) -> None:
    """Of many joints, too: if no limit is reached, one solution is all there is to do."""
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n))
    K, b = root @ root.T + np.eye(n), rng.normal(size=n)
    expected = np.linalg.solve(K, -b)
    x = friction_within(K.tolist(), b.tolist(), (1.01 * np.abs(expected)).tolist())
    assert np.allclose(x, expected, rtol=1e-11, atol=1e-13)


def test_friction_never_adds_energy_though_unsolved() -> None:
    """Badly scaled problems of many joints, which sweeps do not solve: the value is not positive."""
    rng = np.random.default_rng(2)
    for n in (3, 7, LARGEST_SOLVED + 2):
        for _ in range(30):
            root = rng.normal(size=(n, n)) * np.logspace(0, 3, n)
            K, b = root @ root.T + 1e-6 * np.eye(n), rng.normal(size=n)
            x = np.array(friction_within(K.tolist(), b.tolist(), rng.uniform(0.0, 1.0, n).tolist()))
            rounding = 1e-14 * np.abs(x) @ np.abs(K) @ np.abs(x)
            assert b @ x + 0.5 * x @ K @ x <= rounding
