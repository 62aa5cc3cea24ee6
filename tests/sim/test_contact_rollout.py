"""Rollouts with contacts obey the laws of contacts: Coulomb, Newton's impact, complementarity, energy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.constraints.contacts import Contact, Stop, floor, stops
from sixvec.errors import ArgumentError, FrameNotFound
from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.model import Body, Model
from sixvec.model.body import Frame, JointDynamics, Limits
from sixvec.model.geom import HalfSpace
from sixvec.model.joints import Free, Prismatic
from sixvec.sim.impulse_motion import OVERLAP_FRACTION
from sixvec.spatial import Pose, Vec3
from sixvec.verdict import Verdict

G = 9.81
BALL, BLOCK, ROD, POINT = Sphere(0.1), Box(Vec3(0.4, 0.3, 0.2)), Capsule(0.05, 0.4), Sphere(0.0)


def things(*solids: Any, mass: float = 2.0) -> sv.Robot:
    bodies = tuple(Body(f"b{i}", None, Free(), inertia=s.inertia(mass)) for i, s in enumerate(solids))
    return sv.Robot(Model("things", bodies, frames=tuple(Frame(b.name, b.name) for b in bodies)))


def energy(robot: sv.Robot, path: Any) -> Any:
    return robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)


@pytest.mark.covers("CON-09")
@pytest.mark.parametrize("angle", [0.2, 0.45])
def test_a_block_sticks_below_and_slides_above_the_angle_of_friction(angle: float) -> None:
    robot, h, steps, mass = things(BLOCK, mass=5.0), 1e-3, 300, 5.0
    incline = Pose.rotation(Vec3(0.0, 1.0, 0.0), angle)
    q = robot.neutral()
    q[:3] = [*(incline.rot @ Vec3(0.0, 0.0, 0.1))]
    q[3:] = [0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2)]
    friction = np.array([0.9, 1.1]) * np.tan(angle)
    slid = []
    for mu in friction:
        contact = Contact("b0", BLOCK, friction=float(mu), on_placement=incline)
        path = robot.rollout(q, np.zeros(6), np.zeros(6), h, steps=steps, contacts=[contact])
        slid.append(np.linalg.norm(path.q[-1, :3] - q[:3]))
        assert path.residual.max() < 1e-8 and path.verdict == 0
        carried = path.force[:, ::3].sum(axis=-1)
        assert np.allclose(carried, mass * G * np.cos(angle), rtol=1e-9)
    acceleration = G * (np.sin(angle) - friction[0] * np.cos(angle))
    assert slid[0] == pytest.approx(acceleration * h * h * steps * (steps + 1) / 2, rel=1e-9)  # Σ of steps, exact
    assert slid[1] < 1e-12


def test_a_sliding_ball_ends_up_rolling_having_lost_two_sevenths() -> None:
    robot = things(BALL)
    q, v = robot.neutral(), np.zeros(6)
    q[2], v[3] = 0.1, 2.0
    path = robot.rollout(q, v, np.zeros(6), 1e-3, steps=600, contacts=floor(["b0"], BALL, friction=0.3))
    speed = np.diff(path.q[:, 0]) / 1e-3
    assert speed[-1] == pytest.approx(2.0 * 5.0 / 7.0, rel=1e-9)
    sliding = speed[: int(0.9 * 2.0 * 2.0 / 7.0 / (0.3 * G) / 1e-3)]
    assert np.allclose(np.diff(sliding), -0.3 * G * 1e-3, rtol=1e-9)
    assert np.allclose(path.v[-1, 1] * 0.1, speed[-1])
    assert (np.diff(energy(robot, path)) < 1e-12).all()


@pytest.mark.parametrize("e", [0.0, 0.5, 0.8])
def test_restitution_gives_back_the_square_of_itself_in_height(e: float) -> None:
    robot = things(BALL)
    q = robot.neutral()
    q[2] = 1.1
    path = robot.rollout(q, np.zeros(6), np.zeros(6), 2e-4, steps=6000, contacts=floor(["b0"], BALL, restitution=e))
    height = path.q[:, 2] - 0.1
    assert height.min() > -1e-9
    hit = int(np.flatnonzero(path.force[:, 0] > 0.0)[0])
    again = np.flatnonzero(path.force[hit + 2 :, 0] > 0.0)
    rebound = height[hit : hit + 2 + int(again[0])].max()
    assert rebound == pytest.approx(e * e, abs=2e-3)
    if e == 0.0:
        assert height[-1] == pytest.approx(0.0, abs=1e-12) and path.force[-1, 0] == pytest.approx(2.0 * G)


@pytest.mark.covers("CON-09")
def test_four_feet_carry_the_weight() -> None:
    """Twelve rows for a trunk with six freedoms and locked legs: the Delassus matrix is singular."""
    legs = [(x, y) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    trunk = Body("trunk", None, Free(), inertia=BLOCK.inertia(12.0))
    feet = tuple(Frame(f"foot{i}", "trunk", Pose.translation(Vec3(x, y, -0.4))) for i, (x, y) in enumerate(legs))
    robot = sv.Robot(Model("table", (trunk,), frames=feet))
    q = np.tile(robot.neutral(), (50, 1))
    q[:, 2] = 0.4
    push = np.zeros((50, 6))
    push[:, :5] = np.random.default_rng(0).uniform(-1.0, 1.0, (50, 5)) * [4.0, 4.0, 2.0, 10.0, 10.0]
    contacts = floor([f.name for f in feet], Sphere(0.0), friction=0.9)
    path = robot.rollout(q, np.zeros(6), push, 1e-3, steps=20, contacts=contacts)
    force = path.force.reshape(50, 20, 4, 3)
    assert np.allclose(force[..., 0].sum(axis=-1), 12.0 * G, rtol=1e-9)
    assert np.allclose(force[..., 1].sum(axis=-1), -push[:, None, 3], atol=1e-7)
    assert (force[..., 0] >= 0.0).all()
    assert (np.hypot(force[..., 1], force[..., 2]) <= 0.9 * force[..., 0] * (1 + 1e-9)).all()
    assert path.residual.max() < 1e-8 and np.abs(path.v).max() < 1e-9
    lifted = robot.rollout(q, np.zeros(6), [0, 0, 0, 0, 0, 200.0], 1e-3, steps=3, contacts=contacts)
    assert (lifted.force == 0.0).all() and np.allclose(lifted.v[:, 0, 5], (200.0 / 12.0 - G) * 1e-3)


@pytest.mark.slow
def test_a_stack_stands() -> None:
    robot = things(BLOCK, BLOCK)
    q = robot.neutral()
    q[2], q[7:10] = 0.1, [0.05, 0.02, 0.3]
    contacts = [Contact("b0", BLOCK, friction=0.6), Contact("b1", BLOCK, BLOCK, "b0", friction=0.6)]
    path = robot.rollout(q, np.zeros(12), np.zeros(12), 2e-3, steps=300, contacts=contacts)
    assert np.abs(path.q - q).max() < 1e-8
    assert path.residual.max() < 1e-8
    assert np.allclose(path.force[:, :12:3].sum(axis=-1), 4.0 * G, rtol=1e-8)


def tower(count: int, heaviest: float) -> tuple[sv.Robot, Any, list[Contact]]:
    """Blocks of 1 kg on each other, each with three points on the one below, and a heavy one on top."""
    masses = [1.0] * (count - 1) + [heaviest]
    bodies = tuple(Body(f"b{i}", None, Free(), inertia=BLOCK.inertia(m)) for i, m in enumerate(masses))
    feet, contacts = list[Frame](), list[Contact]()
    below = Pose.translation(Vec3(0.0, 0.0, 0.1))
    for i in range(count):
        for k in range(3):
            angle = 2.0 * np.pi * k / 3.0 + i
            at = Vec3(0.1 * float(np.cos(angle)), 0.1 * float(np.sin(angle)), -0.1)
            feet.append(Frame(f"foot{i}{k}", f"b{i}", Pose.translation(at)))
            ground = (f"b{i - 1}", below) if i else (None, Pose.identity())
            contacts.append(Contact(feet[-1].name, POINT, HalfSpace(), ground[0], 0.6, on_placement=ground[1]))
    robot = sv.Robot(Model("tower", bodies, frames=(*(Frame(b.name, b.name) for b in bodies), *feet)))
    q = robot.neutral()
    q[2::7] = 0.1 + 0.2 * np.arange(count)
    return robot, q, contacts


@pytest.mark.covers("CON-09")
def test_a_light_tower_carries_a_heavy_top() -> None:
    """27 rows and a hundred times the mass on top: sweeps alone do not converge."""
    robot, q, inelastic = tower(3, 100.0)
    contacts = [replace(c, restitution=0.5) for c in inelastic]
    start = (q, np.zeros(robot.nv), np.zeros(robot.nv), 2e-3)
    path = robot.rollout(*start, steps=60, contacts=contacts)
    assert path.residual.max() < 1e-8 and path.verdict == 0
    assert np.abs(path.q - q).max() < 1e-8
    normal = path.force[..., ::3].reshape(60, 3, 3).sum(axis=-1)
    assert np.allclose(normal, G * np.array([102.0, 101.0, 100.0]), rtol=1e-8)
    falling, thrown = q.copy(), np.zeros(robot.nv)
    falling[2::7] += [0.05, 0.1, 0.3]
    thrown[3::6] = 0.3
    fallen = robot.rollout(falling, thrown, np.zeros(robot.nv), 2e-3, steps=300, contacts=contacts)
    assert fallen.verdict == 0 and (np.ptp(fallen.force[..., ::3], axis=0) > 0.0).all()


@pytest.mark.covers("CON-09")
def test_a_tower_that_falls_apart_says_which_steps_are_not_solved() -> None:
    """A hundred times the mass on top, thrown: some steps are not solved, and every verdict says so."""
    robot, upright, inelastic = tower(3, 100.0)
    contacts, rng = [replace(c, restitution=0.5) for c in inelastic], np.random.default_rng(0)
    q, v = np.tile(upright, (32, 1)), rng.normal(size=(32, robot.nv)) * 0.01
    q[:, 2::7] += np.array([0.05, 0.1, 0.3]) + rng.uniform(0.0, 0.02, (32, 3))
    v[:, 3::6] += 0.3
    path = robot.rollout(q, v, np.zeros(robot.nv), 2e-3, steps=300, contacts=contacts)
    unsolved, touches = path.residual > 1e-8, (path.force[..., ::3] > 0.0).any(axis=-1)
    assert unsolved.sum() < 0.015 * touches.sum()
    assert np.array_equal(path.verdict, np.where(unsolved.any(axis=-1), Verdict.NOT_CONVERGED, Verdict.SOLVED))
    assert (path.force[..., ::3] >= 0.0).all() and np.isfinite(path.q).all()


@pytest.mark.slow
def test_stacks_of_boxes_with_a_heavy_top_stand_for_a_second() -> None:
    """60 rows, of which half depend on the others; two samples, of which one has its top moved aside."""
    count = 5
    masses = [2.0] * (count - 1) + [200.0]
    bodies = tuple(Body(f"b{i}", None, Free(), inertia=BLOCK.inertia(m)) for i, m in enumerate(masses))
    robot = sv.Robot(Model("stack", bodies, frames=tuple(Frame(b.name, b.name) for b in bodies)))
    q = np.tile(robot.neutral(), (2, 1))
    q[:, 2::7] = 0.1 + 0.2 * np.arange(count)
    q[:, ::7] = 0.02 * (-1.0) ** np.arange(count)
    q[1, 28] += 0.03
    contacts = [Contact("b0", BLOCK, friction=0.6)]
    contacts += [Contact(f"b{i}", BLOCK, BLOCK, f"b{i - 1}", friction=0.6) for i in range(1, count)]
    path = robot.rollout(q, np.zeros(robot.nv), np.zeros(robot.nv), 2e-3, steps=500, contacts=contacts)
    assert (path.verdict == 0).all() and path.residual.max() < 1e-8
    assert np.abs(path.q - q[:, None]).max() < 1e-8
    assert np.allclose(path.force[..., :12:3].sum(axis=-1), sum(masses) * G, rtol=1e-8)


def test_balls_stack_and_capsules_lie() -> None:
    rod = Capsule(0.05, 0.4)
    robot = things(rod, BALL)
    q = robot.neutral()
    q[:7] = [0.0, 0.0, 0.05, 0.0, np.sin(np.pi / 4), 0.0, np.cos(np.pi / 4)]
    q[7:10] = [0.0, 0.0, 0.2]
    contacts = [Contact("b0", rod), Contact("b1", BALL, rod, "b0")]
    path = robot.rollout(q, np.zeros(12), np.zeros(12), 1e-3, steps=100, contacts=contacts)
    assert np.abs(path.q - q).max() < 1e-6
    assert path.force[-1, 6] == pytest.approx(2.0 * G, rel=1e-6)  # on the rod
    assert path.force[-1, 0] + path.force[-1, 3] == pytest.approx(4.0 * G, rel=1e-6)


@pytest.mark.covers("CON-09")
def test_energy_never_grows_and_complementarity_holds_in_tumbling() -> None:
    """Boxes thrown at a floor, with friction and restitution; free flight is that of a robot without contacts."""
    robot, rng, n, h = things(BLOCK), np.random.default_rng(1), 60, 1e-3
    q, v = np.tile(robot.neutral(), (n, 1)), rng.normal(size=(n, 6)) * [4.0, 4.0, 4.0, 1.0, 1.0, 1.0]
    turn = rng.normal(size=(n, 4))
    q[:, 2], q[:, 3:] = 0.3, turn / np.linalg.norm(turn, axis=-1, keepdims=True)
    path = robot.rollout(
        q, v, np.zeros(6), h, steps=600, contacts=[Contact("b0", BLOCK, friction=0.5, restitution=0.4)]
    )
    assert (path.verdict == 0).all()
    normal, tangential = path.force[..., ::3], np.hypot(path.force[..., 1::3], path.force[..., 2::3])
    assert normal.min() >= 0.0 and (tangential <= 0.5 * normal * (1 + 1e-9) + 1e-12).all()
    assert path.gap.min() > -6e-3
    # energy that contacts change: that of the step with contacts, less that of the same step without
    before = (np.concatenate([q[:, None], path.q[:, :-1]], 1), np.concatenate([v[:, None], path.v[:, :-1]], 1))
    free = robot.rollout(before[0], before[1], np.zeros(6), h, steps=1)
    gained = robot.kinetic_energy(path.q, path.v) - robot.kinetic_energy(free.q[..., 0, :], free.v[..., 0, :])
    assert gained.max() < 1e-9
    assert np.abs(path.v[:, -1]).max() < np.abs(v).max()


@pytest.mark.covers("CON-09")
@pytest.mark.parametrize("spin", [10.0, 100.0, 400.0])
def test_energy_of_a_fast_spin_never_grows(spin: float) -> None:
    """Up to 0.4 rad in a step; nothing is lost either."""
    robot, h, rng = things(ROD), 1e-3, np.random.default_rng(0)
    q, v = np.tile(robot.neutral(), (8, 1)), np.zeros((8, 6))
    axis = rng.normal(size=(8, 3))
    q[:, 2], v[:, :3] = 30.0, spin * axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    path = robot.rollout(q, v, np.zeros(6), h, steps=1000, contacts=[Contact("b0", ROD)])
    energy_of_spin = robot.kinetic_energy(path.q, path.v * [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    start = robot.kinetic_energy(q, v)[:, None]
    assert (np.diff(energy_of_spin, axis=-1) <= 1e-12 * start).all()
    assert (energy_of_spin > start * (1.0 - 1e-10)).all()


@pytest.mark.covers("CON-09")
@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_energy_never_grows_in_flight_and_collisions(restitution: float) -> None:
    """Fast rods on a floor: but for the free fall of a step, and the weight of overlaps that are taken back."""
    robot, rng, n, h = things(ROD), np.random.default_rng(1), 40, 1e-3
    q, v = np.tile(robot.neutral(), (n, 1)), rng.normal(size=(n, 6)) * [30.0, 30.0, 30.0, 1.0, 1.0, 1.0]
    turn = rng.normal(size=(n, 4))
    q[:, 2], q[:, 3:] = 0.3, turn / np.linalg.norm(turn, axis=-1, keepdims=True)
    path = robot.rollout(
        q, v, np.zeros(6), h, steps=500, contacts=[Contact("b0", ROD, friction=0.5, restitution=restitution)]
    )
    assert (path.verdict == 0).all()
    height = np.concatenate([q[:, None, 2], path.q[..., 2]], axis=-1)
    middle = 0.5 * (height[:, 1:] + height[:, :-1])  # of every step, where weight does its work
    gained = np.diff(robot.kinetic_energy(path.q, path.v) + robot.mass * G * middle, axis=-1)
    overlap = np.maximum(0.0, -path.gap.min(axis=-1))
    lifted = OVERLAP_FRACTION * np.maximum(
        overlap[:, 1:], overlap[:, :-1]
    )  # half in each of the two steps between middles
    assert (gained <= robot.mass * G * (0.25 * G * h**2 + lifted)).all()


def test_stops_hold_joints_and_throw_them_back() -> None:
    arm = sv.load("panda")
    q = arm.neutral() + np.clip(0.0, arm.lower + 0.1, arm.upper - 0.1)
    still = arm.rollout(q, np.zeros(7), np.full(7, 3.0), 1e-3, steps=3000, contacts=stops(arm))
    assert (still.q <= arm.upper + 1e-9).all() and (still.q >= arm.lower - 1e-9).all()
    assert still.residual.max() < 1e-8 and (still.force >= 0.0).all() and still.force.max() > 0.0


def test_a_stop_of_a_single_joint_follows_newtons_law_of_impact() -> None:
    model = sv.load("planar_2r").model
    bodies = tuple(replace(b, limits=Limits((-0.5,), (0.5,))) if b.joint.nv else b for b in model.bodies)
    limited = sv.Robot(replace(model, bodies=bodies, gravity=Vec3.zero()))
    name = limited.joint_names[0]
    path = limited.rollout([0.0, 0.0], [2.0, 0.0], [0.0, 0.0], 1e-3, steps=600, contacts=[Stop(name, restitution=0.5)])
    k = int(np.flatnonzero(path.force[:, 0])[0])
    assert path.v[k, 0] == pytest.approx(-0.5 * path.v[k - 1, 0], rel=1e-9)
    assert path.q[:, 0].max() <= 0.5


def test_loops_stay_closed_while_they_touch() -> None:
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    frame = bars.frame_names[-1]
    height = float(bars.pose(q, frame)[2, 3])
    ground = Contact(frame, Sphere(0.0), on_placement=Pose.translation(Vec3(0.0, 0.0, height - 1e-3)))
    path = bars.rollout(q, np.zeros(3), np.zeros(3), 1e-3, steps=200, contacts=[ground])
    assert np.abs(bars.closure_error(path.q)).max() < 1e-9
    assert path.gap.min() > -1e-5 and path.residual.max() < 1e-8  # the frame moves on a circle, a step does not


def test_bad_contacts_are_named() -> None:
    robot = things(BALL)
    start = (robot.neutral(), np.zeros(6), np.zeros(6), 1e-3)
    with pytest.raises(FrameNotFound, match="foot"):
        robot.rollout(*start, steps=1, contacts=[Contact("foot", BALL)])
    with pytest.raises(ArgumentError, match=named("contacts", "b0")):
        robot.rollout(*start, steps=1, contacts=["b0"])
    with pytest.raises(ArgumentError, match=named("rollout", "contacts")):
        robot.rollout(*start, steps=1, contacts=[])
    with pytest.raises(ArgumentError, match=named("rollout", "contacts", "steps", "rk4")):
        robot.rollout(*start, steps=1, contacts=[Contact("b0", BALL)], integrator="rk4")
    with pytest.raises(ArgumentError, match="restitution"):
        Contact("b0", BALL, restitution=1.5)
    with pytest.raises(ArgumentError, match="friction"):
        Contact("b0", BALL, friction=-1)
    with pytest.raises(ArgumentError, match="elbow"):
        robot.rollout(*start, steps=1, contacts=[Stop("elbow")])
    assert Contact("b0", HalfSpace(), BALL).points == 1


def test_joint_friction_holds_together_with_contacts() -> None:
    """A sled on a rail with Coulomb friction, pushed against a stop: what one holds, the other need not."""
    along = Prismatic((1.0, 0.0, 0.0))
    body = Body(
        "sled", None, along, inertia=BALL.inertia(2.0), joint_name="rail", limits=Limits((-1.0,), (0.5,)),
        dynamics=JointDynamics(friction=(3.0,)),
    )  # fmt: skip
    robot = sv.Robot(Model("sled", (body,), frames=(Frame("sled", "sled"),)))
    held = robot.rollout([0.0], [0.0], [2.9], 1e-3, steps=50, passive=True, contacts=[Stop("rail")])
    assert np.abs(held.q).max() == 0.0 and np.allclose(held.force[:, 1], -2.9)
    pushed = robot.rollout([0.4], [0.0], [9.0], 1e-3, steps=500, passive=True, contacts=[Stop("rail")])
    assert pushed.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert 9.0 - pushed.force[-1, 0] + pushed.force[-1, 1] == pytest.approx(0.0, abs=1e-9)  # stop and friction hold it
    assert pushed.residual.max() < 1e-8
    before = int(np.flatnonzero(pushed.force[:, 0])[0])
    assert np.allclose(np.diff(pushed.v[: before - 1, 0]), (9.0 - 3.0) / 2.0 * 1e-3)


def test_prescribed_joints_do_not_give_way() -> None:
    rail = Body("cart", None, Prismatic((0.0, 0.0, 1.0)), inertia=BALL.inertia(1.0), joint_name="lift")
    ball = Body("ball", "cart", Prismatic((0.0, 0.0, 1.0)), inertia=BALL.inertia(1.0), joint_name="drop")
    robot = sv.Robot(Model("lift", (rail, ball), frames=(Frame("cart", "cart"), Frame("ball", "ball"))))
    contact = Contact("ball", BALL, BALL, "cart")
    path = robot.rollout([0.0, 0.2], [0.0, 0.0], [2.0, 0.0], 1e-3, steps=100, contacts=[contact], prescribed=["lift"])
    assert np.allclose(path.v[:, 0], 2.0 * 1e-3 * np.arange(1, 101))  # the cart accelerates as it is told
    assert np.allclose(path.force[:, 0], G + 2.0, rtol=1e-9) and np.allclose(path.q[:, 1], 0.2)


def test_a_sample_does_not_depend_on_its_batch() -> None:
    robot = things(BALL)
    q = np.tile(robot.neutral(), (9, 1))
    q[:, 2] = np.linspace(0.1, 0.2, 9)
    contacts = floor(["b0"], BALL, friction=0.3)
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    many = robot.rollout(q, v, np.zeros(6), 1e-3, steps=300, contacts=contacts)
    for k in (0, 4, 8):
        one = robot.rollout(q[k], v, np.zeros(6), 1e-3, steps=300, contacts=contacts)
        assert np.array_equal(one.q, many.q[k]) and np.array_equal(one.force, many.force[k])
    single = robot.rollout(*(x.astype(np.float32) for x in (q, v, np.zeros(6))), 1e-3, steps=10, contacts=contacts)
    assert single.q.dtype == np.float32 and np.allclose(single.q, many.q[:, :10], atol=1e-6)


def test_momentum_is_kept_in_collisions_and_energy_in_elastic_ones() -> None:
    model = things(BALL, BALL).model
    robot = sv.Robot(replace(model, gravity=Vec3.zero()))
    q, v = robot.neutral(), np.zeros(12)
    q[7:10], v[3] = [0.4, 0.05, 0.0], 2.0
    for e, friction in ((1.0, 0.0), (0.5, 0.4)):
        contact = Contact("b0", BALL, BALL, "b1", friction=friction, restitution=e)
        path = robot.rollout(q, v, np.zeros(12), 1e-3, steps=200, contacts=[contact])
        assert path.force.max() > 0.0
        before, after = robot.momentum(q, v), robot.momentum(path.q[-1], path.v[-1])
        assert np.allclose(after[3:], before[3:], atol=1e-12)
        lost = robot.kinetic_energy(q, v) - robot.kinetic_energy(path.q[-1], path.v[-1])
        assert lost == pytest.approx(0.0, abs=1e-12) if e == 1.0 else lost > 0.1


def test_a_sample_that_is_no_number_spoils_no_other() -> None:
    robot = things(BALL)
    q = np.tile(robot.neutral(), (3, 1))
    q[:, 2] = 0.1
    v = np.zeros((3, 6))
    v[1, 3] = np.nan
    path = robot.rollout(q, v, np.zeros(6), 1e-3, steps=20, contacts=floor(["b0"], BALL, friction=0.3))
    assert np.isnan(path.v[1]).any() and path.verdict.tolist() == [0, Verdict.DIVERGED, 0]
    assert np.allclose(path.force[[0, 2], :, 0], 2.0 * G)


def test_impulses_of_the_last_step_lead_no_step_astray() -> None:
    """Steep friction on a capsule that tumbles: what is not solved from the last impulses is not from none."""
    rod = Capsule(0.1, 0.4)
    robot, rng = things(rod), np.random.default_rng(1)
    q = np.tile(robot.neutral(), (64, 1))
    q[:, 2] = 0.6 + rng.uniform(0.0, 0.3, 64)
    turn = rng.normal(size=(64, 4))
    q[:, 3:] = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
    v = 3.0 * rng.normal(size=(64, 6))
    contacts, none = [Contact("b0", rod, friction=3.0)], np.zeros(6)
    path = robot.rollout(q, v, none, 2e-3, steps=700, contacts=contacts)
    assert path.residual.max() < 1e-8 and (path.verdict == 0).all()


def test_files_and_lists_take_the_same_steps_of_loops() -> None:
    """A four-bar with stops: limits of the file, and a list of the same stops, with loops closed."""
    bars = sv.load("four_bar")
    name = bars.joint_names[0]
    bodies = tuple(replace(b, limits=Limits((0.2,), (0.9,))) if b.joint_name == name else b for b in bars.model.bodies)
    robot = sv.Robot(replace(bars.model, bodies=bodies))
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    start = (q, np.zeros(3), np.zeros(3), 1e-3)
    listed = robot.rollout(*start, steps=300, contacts=[Stop(name)])
    limited = robot.rollout(*start, steps=300, limits=True, passive=False)
    assert listed.verdict == limited.verdict == 0 and (listed.force > 0.0).any()
    assert np.allclose(listed.q, limited.q, atol=1e-5)
    assert np.abs(robot.closure_error(limited.q)).max() < 1e-9
    assert listed.q[:, 0].max() <= 0.9 + 1e-9 and listed.q[:, 0].min() >= 0.2 - 1e-9
    opened = robot.closure_error(q + 0.1)
    assert np.abs(opened).max() > 1e-3
    with pytest.raises(ArgumentError, match="rollout"):
        robot.rollout(q + 0.1, *start[1:], steps=2, limits=True)


@pytest.mark.parametrize("gap", [0.0, 1e-5, 5e-4])
def test_a_blow_passes_through_a_row_of_balls_in_one_step(gap: float) -> None:
    """Balls on a rail with small gaps: none of them overlaps the next one, and they end with the momentum of all."""
    bodies = tuple(Body(f"b{i}", None, Prismatic((1.0, 0.0, 0.0)), inertia=BALL.inertia(1.0)) for i in range(4))
    model = Model("row", bodies, frames=tuple(Frame(b.name, b.name) for b in bodies), gravity=Vec3.zero())
    contacts = [Contact(f"b{i}", BALL, BALL, f"b{i + 1}", friction=0.0) for i in range(3)]
    q = [-0.1005, 0.1, 0.3 + gap, 0.5 + 2.0 * gap]
    path = sv.Robot(model).rollout(q, [2.0, 0.0, 0.0, 0.0], np.zeros(4), 1e-3, steps=30, contacts=contacts)
    assert path.gap.min() > -1e-12 and np.allclose(path.v[-1], 0.5)


@pytest.mark.parametrize("start", [[-0.5, 0.9], [0.7, -1.2]])
def test_joints_beyond_their_stops_come_back(start: list[float]) -> None:
    """By a fifth of the excess in each step, without a velocity; a stop may be at one end only."""
    model = sv.load("planar_2r").model
    limits = iter([Limits((-0.3,), (0.4,)), Limits((-math.inf,), (0.5,)) if start[1] > 0.0 else Limits((-1.0,))])
    bodies = tuple(replace(b, limits=next(limits)) if b.joint.nv else b for b in model.bodies)
    robot = sv.Robot(replace(model, bodies=bodies, gravity=Vec3.zero()))
    zero, at = np.zeros(2), np.array(start)
    ways = ({"contacts": stops(robot)}, {"limits": True})
    for path in (robot.rollout(at, zero, zero, 1e-3, steps=80, **way) for way in ways):  # type: ignore[arg-type]
        q = np.concatenate([at[None], path.q])
        excess = np.maximum(robot.lower - q, q - robot.upper).max(axis=1)
        assert path.verdict == 0 and np.abs(path.v).max() < 1e-9
        assert excess[1] < (1.0 - 0.5 * OVERLAP_FRACTION) * excess[0] and excess[-1] < 1e-6
        assert (np.diff(excess[excess > 0.0]) < 0.0).all()
