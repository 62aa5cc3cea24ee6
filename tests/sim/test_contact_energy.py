"""Rollouts with contacts create no energy: of bodies, wherever their centre of mass is, and of robots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from random_trees import random_tree
from sixvec.constraints.contacts import Contact, Stop, floor, rounds
from sixvec.geometry.rigid_body.solids import Capsule, Sphere
from sixvec.model import Body, Frame, JointDynamics, Limits, Mimic, Model
from sixvec.model.joints import Free, Joint, Revolute, Spherical
from sixvec.sim.energy_balance import _slowing
from sixvec.sim.groups import Group, groups
from sixvec.sim.impulse_motion import OVERLAP_FRACTION
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
    """The moment of momentum about the centre of mass, in fixed axes, is constant."""
    robot = body()
    q, v = robot.neutral(), np.array([6.0, 8.0, -5.0, 1.0, 0.5, 2.0])
    q[2] = 50.0
    for steps in (40, 200):
        path = robot.rollout(q, v, np.zeros(6), 0.2 / steps, steps=steps, contacts=floor(["rod"], ROD))
        Q, V = states(path, q, v)
        centre, times = robot.center_of_mass(Q), np.linspace(0.0, 0.2, steps + 1)[:, None]
        velocity = robot.center_of_mass_jacobian(q) @ v
        assert np.abs(centre - (centre[0] + times * velocity)).max() < 1e-11
        h = np.einsum("...ij,...j->...i", robot.centroidal_momentum_matrix(Q), V)[..., :3]
        assert np.abs(h - h[0]).max() < 1e-12 * np.linalg.norm(h[0])


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
    lifted = OVERLAP_FRACTION * np.maximum(overlap[:, 1:], overlap[:, :-1])
    assert (gained <= G * (0.25 * G * H**2 + lifted)).all()


def two_rods(gravity: float = 0.0) -> sv.Robot:
    I = RigidInertia.from_center_of_mass(1.0, Vec3.of(map(float, CENTRE)), UNEQUAL)
    arm = Body("arm", "rod", Revolute(Vec3(0.0, 1.0, 0.0)), Pose.translation(Vec3(0.1, 0.0, 0.0)), I)
    bodies = (Body("rod", joint=Free(), inertia=I), arm)
    frames = tuple(Frame(b.name, b.name) for b in bodies)
    return sv.Robot(Model("two", bodies, frames)).with_gravity([0.0, 0.0, -gravity])


def test_a_floating_robot_keeps_its_energy_and_linear_momentum_in_flight() -> None:
    """The moment of momentum still errs by the order of the step."""
    robot = two_rods()
    q, v = robot.neutral(), np.array([3.0, -4.0, 5.0, 0.5, 0.2, 0.1, 6.0])
    q[2] = 50.0
    errors = []
    for steps in (200, 400):
        path = robot.rollout(q, v, np.zeros(7), 0.2 / steps, steps=steps, contacts=floor(["rod"], ROD))
        Q, V = states(path, q, v)
        E, h = robot.kinetic_energy(Q, V), robot.momentum(Q, V)
        assert np.abs(E / E[0] - 1.0).max() < 1e-11
        assert np.abs(h[:, 3:] - h[0, 3:]).max() < 1e-11
        errors.append(np.abs(h[:, :3] - h[0, :3]).max() / np.linalg.norm(h[0, :3]))
    assert errors[0] < 0.02 and errors[0] / errors[1] == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("seed", range(3))
def test_no_robot_gains_kinetic_energy_without_weight(seed: int) -> None:
    """Trees with joints of all kinds that hit a floor and each other: not in any step, to rounding."""
    model = replace(random_tree(seed, 4, floating=seed > 0), gravity=Vec3.zero())
    robot, rng = sv.Robot(model), np.random.default_rng(seed)
    frames = [f.name for f in model.frames if f.name.startswith("tool")]
    low = Pose.translation(Vec3(0.0, 0.0, -0.3))
    contacts = [Contact(f, Sphere(0.05), friction=0.4, restitution=seed / 2.0, on_placement=low) for f in frames]
    q = np.stack([robot.random(rng) for _ in range(16)])
    v = rng.normal(size=(16, robot.nv)) * 3.0
    path = robot.rollout(q, v, np.zeros(robot.nv), H, steps=400, contacts=contacts)
    E = robot.kinetic_energy(*states(path, q, v))
    assert (path.force[..., ::3] > 0.0).any(axis=(-1, -2)).sum() >= 4
    assert (np.diff(E, axis=-1) <= 1e-12 * E[:, :1]).all()


def test_a_free_joint_with_armature_keeps_its_energy() -> None:
    single, dynamics = body().model.bodies[0], JointDynamics(armature=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    robot = sv.Robot(Model("rod", (replace(single, dynamics=dynamics),), gravity=Vec3.zero()))
    q, v = robot.neutral(), np.array([6.0, 8.0, -5.0, 1.0, 0.5, 2.0])
    q[2] = 50.0
    path = robot.rollout(q, v, np.zeros(6), H, steps=300, contacts=floor(["rod"], ROD))
    E = robot.kinetic_energy(*states(path, q, v))
    assert (np.diff(E) <= 1e-12 * E[0]).all() and E[-1] > 0.999 * E[0]


def test_loops_and_stops_add_no_energy() -> None:
    """A four-bar without weight that turns between two stops which throw it back with all its speed."""
    bars = sv.load("four_bar")
    model = bars.model
    name = bars.joint_names[0]
    bodies = tuple(replace(b, limits=Limits((0.2,), (1.2,))) if b.joint_name == name else b for b in model.bodies)
    robot = sv.Robot(replace(model, bodies=bodies, gravity=Vec3.zero()))
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v = sv.constraints.velocity_map(robot, q)[:, 0] * 4.0
    path = robot.rollout(q, v, np.zeros(3), H, steps=1000, contacts=[Stop(name, restitution=1.0)])
    E = robot.kinetic_energy(*states(path, q, v))
    assert (path.force > 0.0).sum() >= 3 and np.abs(robot.closure_error(path.q)).max() < 1e-9
    assert (np.diff(E) <= 1e-12 * E[0]).all() and E[-1] > 0.9 * E[0]


def test_two_robots_exchange_energy_but_make_none() -> None:
    """A chain hits another and a ball: each is corrected for itself, and the sum never grows."""
    bodies, frames = list[Body](), list[Frame]()
    link = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, -0.2), Sym3.diagonal(0.02, 0.02, 0.002))
    for side, at in (("left", -0.3), ("right", 0.3)):
        parent, place = None, Pose.translation(Vec3(at, 0.0, 0.0))
        for k in range(2):
            bodies.append(Body(f"{side}{k}", parent, Revolute(Vec3(0.0, 1.0, 0.0)), place, link))
            parent, place = f"{side}{k}", Pose.translation(Vec3(0.0, 0.0, -0.4))
        frames.append(Frame(f"{side} tip", f"{side}1", place))
    bodies.append(Body("ball", None, Free(), inertia=Sphere(0.1).inertia(0.5)))
    frames.append(Frame("ball", "ball"))
    robot = sv.Robot(Model("three", tuple(bodies), tuple(frames), Vec3.zero()))
    q, v = robot.neutral(), np.zeros(robot.nv)
    q[4:7], v[:4] = [0.0, 0.0, -0.85], [-4.0, 3.0, 5.0, -6.0]
    end, ball = Sphere(0.1), {"friction": 0.3, "restitution": 0.6}
    contacts = [
        Contact("left tip", end, end, "right tip", **ball), Contact("left tip", end, end, "ball", **ball),
        Contact("right tip", end, end, "ball", **ball),
    ]  # fmt: skip
    path = robot.rollout(q, v, np.zeros(robot.nv), H, steps=600, contacts=contacts)
    E = robot.kinetic_energy(*states(path, q, v))
    assert ((path.force[:, ::3] > 0.0).any(axis=0)).sum() >= 2 and np.abs(path.v[-1, 4:]).max() > 0.1
    assert (np.diff(E) <= 1e-12 * E[0]).all()


@pytest.mark.parametrize(("restitution", "friction"), [(1.0, 0.0), (0.5, 0.5)])
def test_the_energy_of_a_robot_that_falls_grows_by_no_more_than_half_a_step_of_weight(
    restitution: float, friction: float
) -> None:
    """Weight acts on positions half a step apart from velocities; what is left is of second order."""
    robot = two_rods(G)
    q, v = robot.neutral()[None].repeat(16, 0), np.random.default_rng(5).normal(size=(16, 7)) * 2.0
    q[:, 2] = 0.6
    contacts = floor(["rod", "arm"], ROD, friction=friction, restitution=restitution)
    worst = []
    for h in (1e-3, 5e-4):
        path = robot.rollout(q, v, np.zeros(7), h, steps=round(0.6 / h), contacts=contacts)
        Q, V = states(path, q, v)
        weight = robot.potential_energy(Q)
        E = robot.kinetic_energy(Q, V) + weight
        power = np.abs(np.diff(weight, axis=-1)).max() / h
        assert (path.force[..., ::3] > 0.0).any(axis=(-1, -2)).sum() >= 14
        assert (E - E[:, :1] <= h * power).all()
        middle = robot.kinetic_energy(path.q, path.v) + 0.5 * (weight[:, 1:] + weight[:, :-1])
        worst.append(np.diff(middle, axis=-1).max())
    assert worst[0] < 0.01 and worst[0] / worst[1] > 2.5


def light_and_heavy() -> sv.Robot:
    """A light body that carries a heavy one: short steps for its joint are long ones for the light body."""
    light = RigidInertia.from_center_of_mass(0.2, Vec3.zero(), Sym3.diagonal(0.001, 0.001, 0.001))
    heavy = RigidInertia.from_center_of_mass(9.0, Vec3(0.1, 0.05, 0.1), Sym3.diagonal(0.02, 0.024, 0.028))
    arm = Body("arm", "rod", Revolute(Vec3(0.0, 1.0, 0.0)), Pose.translation(Vec3(0.3, 0.0, 0.0)), heavy)
    bodies = (Body("rod", joint=Free(), inertia=light), arm)
    return sv.Robot(Model("two", bodies, tuple(Frame(b.name, b.name) for b in bodies), gravity=Vec3.zero()))


@pytest.mark.parametrize("speed", [10.0, 1000.0])
def test_steps_that_are_too_long_add_no_energy_and_stop_no_joint(speed: float) -> None:
    """A tenth of a radian in a step, and ten: impacts where momentum and energy cannot both be kept."""
    robot = light_and_heavy()
    v = np.random.default_rng(0).normal(size=(100, 7)) * speed
    v[:, 3:6] *= 0.3
    q = np.tile(robot.neutral(), (100, 1))
    q[:, 2] = 0.4
    path = robot.rollout(
        q, v, np.zeros(7), 1e-2, steps=40, contacts=floor(["arm"], Sphere(0.1), friction=0.0, restitution=1.0)
    )
    E = robot.kinetic_energy(*states(path, q, v))
    assert (path.force[..., 0] > 0.0).any(axis=-1).sum() >= 40
    assert (E[:, 1:] <= (1.0 + 1e-12) * E[:, :-1]).all() and (E > 0.0).all()
    assert (path.v[..., 6] != 0.0).all()


def test_a_flight_with_many_turns_in_a_step_adds_no_energy() -> None:
    """Up to half a radian in a step it loses none, either."""
    robot = sv.load("double_pendulum").with_gravity([0.0, 0.0, 0.0])
    far = [Contact(robot.frame_names[-1], Sphere(0.0), on_placement=Pose.translation(Vec3(0.0, 0.0, -9.0)))]
    v = np.array([[20.0, -40.0], [100.0, -200.0], [5e3, -1e4], [1e6, 2e6]])
    q = np.tile([0.1, 0.5], (4, 1))
    path = robot.rollout(q, v, np.zeros(2), 1e-2, steps=200, contacts=far)
    E = robot.kinetic_energy(*states(path, q, v))
    assert (E[:, 1:] <= (1.0 + 1e-12) * E[:, :-1]).all() and (E > 0.0).all()
    assert np.abs(E[0] / E[0, 0] - 1.0).max() < 1e-11


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_impulses_that_are_not_solved_add_no_energy(restitution: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong impulses, of up to 1e13 N s, in place of the solution: the verdict stays, the energy never grows."""
    robot, rng = light_and_heavy(), np.random.default_rng(1)
    wrong = rng.normal(size=6) * 10.0 ** rng.uniform(-3.0, 13.0, 6)

    def stray(terms: Any, w: list[Any], p: list[Any], on: Any) -> Any:
        rows = [(z, t.block.columns) for t in terms for z in t.rows]
        for k, (z, columns) in enumerate(rows):
            change, p[k] = wrong[k] - p[k], wrong[k]
            for i, x in zip(columns, z, strict=True):
                w[i] = w[i] + x * change
        return 1.0

    monkeypatch.setattr(rounds, "sweep", stray)
    monkeypatch.setattr(rounds, "newton_step", lambda terms, w, p, *_, **__: (list(w), list(p), 1.0, 1.0))
    v = rng.normal(size=(20, 7)) * 3.0
    q = np.tile(robot.neutral(), (20, 1))
    q[:, 2] = 0.1
    contacts = floor(["rod", "arm"], Sphere(0.1), friction=0.3125, restitution=restitution)
    path = robot.rollout(q, v, np.zeros(7), H, steps=30, contacts=contacts)
    E = robot.kinetic_energy(*states(path, q, v))
    assert (path.verdict != 0).all() and (path.force != 0.0).any(axis=(-1, -2)).sum() >= 15
    assert (E[:, 1:] <= (1.0 + 1e-12) * E[:, :-1]).all()


def test_robots_without_freedom_are_fixed_for_contacts() -> None:
    """All joints driven, or the drive of a loop: impulses move nothing, and there are none."""
    far = Pose.translation(Vec3(0.0, 0.0, -9.0))
    arm, bars = sv.load("double_pendulum"), sv.load("four_bar")
    driven = {
        "prescribed": ["joint1", "joint2"],
        "contacts": [Contact(arm.frame_names[-1], Sphere(0.0), on_placement=far)],
    }
    path = arm.rollout([0.3, 0.2], [1.0, 1.0], [1.0, 1.0], H, steps=50, **driven)
    assert np.allclose(path.v[-1], 1.05, atol=1e-12) and path.verdict == 0
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v = sv.constraints.velocity_map(bars, q)[:, 0]
    tip = [Contact(bars.frame_names[-1], Sphere(0.0), on_placement=far)]
    path = bars.rollout(q, v, np.zeros(3), H, steps=50, prescribed=["drive"], contacts=tip)
    assert path.verdict == 0 and (path.force == 0.0).all()
    assert np.allclose(path.v[-1], sv.constraints.velocity_map(bars, path.q[-1])[:, 0], atol=1e-9)


LINK = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.0, 0.0), UNEQUAL)
PLATE, ARM = Body("plate", joint=Free(), inertia=LINK), Body("arm", "plate", Revolute(), inertia=LINK)
DOOR, HANDLE = Body("door", joint=Revolute(), inertia=LINK), Body("handle", "door", Revolute(), inertia=LINK)


@pytest.mark.parametrize(
    ("bodies", "prescribed", "rolls", "expected"),
    [
        ((PLATE,), (), False, []),  # its mass matrix is constant
        ((DOOR,), (), False, []),
        ((replace(DOOR, dynamics=JointDynamics(armature=(0.1,))),), (), False, [Group((0,), None, 2.0)]),
        ((PLATE, ARM), (), False, [Group((*range(7),), "plate", 4.0)]),
        ((PLATE, ARM), (), True, [Group((*range(7),), None, 4.0)]),
        ((PLATE, ARM), (6,), False, []),
        (
            (replace(PLATE, dynamics=JointDynamics(armature=(0.1,) * 6)), ARM),
            (),
            False,
            [Group((*range(7),), None, 4.0)],
        ),
        ((DOOR, HANDLE), (), False, [Group((0, 1), None, 4.0)]),
        (
            (DOOR, HANDLE, PLATE, ARM),
            (),
            False,
            [Group((0, 1), None, 4.0), Group((*range(2, 9),), "plate", 4.0)],
        ),
        ((DOOR, HANDLE, PLATE, ARM), (1,), False, [Group((*range(2, 9),), "plate", 4.0)]),
        ((DOOR, replace(DOOR, name="other", mimic=Mimic("door"))), (), False, [Group((0,), None, 4.0)]),
        (
            (DOOR, replace(DOOR, name="other", mimic=Mimic("door")), replace(DOOR, name="alone")),
            (),
            False,
            [Group((0,), None, 4.0)],
        ),
        ((Body("wall", inertia=LINK), Body("shelf", "wall", inertia=LINK)), (), False, []),
    ],
)
def test_groups_are_what_has_a_mass_matrix_that_changes(
    bodies: tuple[Body, ...], prescribed: tuple[int, ...], rolls: bool, expected: list[Group]
) -> None:
    assert groups(Model("some", bodies), prescribed, rolls) == expected


@pytest.mark.parametrize(
    ("square", "relative", "central", "most", "expected"),
    [
        (1.0, 2.0, 1.0, 3.0, (1.0, 1.0)),  # just fits
        (1.0, 2.0, 1.0, 9.0, (1.0, 1.0)),  # nothing is added
        (1.44, 2.0, 1.0, 9.0, (1.2, 1.0)),  # as asked
        (1.44, 2.0, 1.0, 3.42, (1.1, 1.0)),  # as much as fits
        (1.0, 2.0, 1.0, 2.9, (0.95**0.5, 1.0)),  # less relative motion, the same momentum
        (1.0, 2.0, 1.0, 1.4, (0.45**0.5, 0.5**0.5)),  # at most a tenth, then everything is slowed: 2.8 k² = 1.4
        (0.5, 2.0, 1.0, 9.0, (0.9**0.5, 1.0)),
    ],
)
def test_motions_are_slowed_to_the_energy_there_is(
    square: float, relative: float, central: float, most: float, expected: tuple[float, float]
) -> None:
    s, k = _slowing(square, relative, central, most, relative)
    assert (s, k) == pytest.approx(expected, rel=1e-14)
    assert k * k * central + s * s * relative <= most * (1.0 + 1e-14)
